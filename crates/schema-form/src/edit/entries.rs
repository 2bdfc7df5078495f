//! Edits of named entries, in an object that allows them.

use super::{Editor, WrongKind};
use crate::blank::{Blank, convert};
use crate::draft::{Content, Entered, Entry, child_slot};
use crate::field::FieldKind;
use crate::{EditError, ItemId, PathStep};

impl Editor<'_> {
    pub(super) fn add_entry(
        &mut self,
        entered: &mut Entered,
        wrong: WrongKind,
    ) -> Result<ItemId, EditError> {
        if !matches!(self.slot.field().kind, FieldKind::Object(_)) {
            return Err(wrong.error());
        }
        // JSON text takes no entries; a rejected edit must not change whether it is sent.
        if entered.content.as_ref().is_some_and(|it| !matches!(it, Content::Object { .. })) {
            return Err(wrong.error());
        }
        self.open(entered);
        let id = self.ids.next();
        let Some(Content::Object { entries, .. }) = &mut entered.content else {
            return Err(wrong.error());
        };
        entries.push(Entry { id, name: None, entered: Entered::NOTHING });
        self.open_entry(entered, id);
        Ok(id)
    }

    fn open_entry(&mut self, entered: &mut Entered, id: ItemId) {
        let step = PathStep::Entry(id);
        let Some(slot) = child_slot(self.slot, entered, step) else { return };
        let blank = Blank::new(self.ids).place(&slot);
        if let Some(inner) = entered.child_mut(step) {
            *inner = blank;
        }
    }

    /// Names an entry. If the name selects another schema, the content is converted.
    pub(super) fn rename(
        &mut self,
        entered: &mut Entered,
        id: ItemId,
        name: String,
        wrong: WrongKind,
    ) -> Result<(), EditError> {
        let step = PathStep::Entry(id);
        let before = child_slot(self.slot, entered, step);
        let named = entries(entered, wrong)?.iter_mut().find(|entry| entry.id == id);
        named.ok_or(EditError::NoSuchItem { id })?.name = Some(name);
        let after = child_slot(self.slot, entered, step);
        if let (Some(before), Some(after)) = (before, after)
            && before != after
            && let Some(inner) = entered.child_mut(step)
        {
            let held = std::mem::replace(inner, Entered::NOTHING);
            *inner = convert(&before, held, &after, &mut Blank::new(self.ids));
        }
        Ok(())
    }

    pub(super) fn remove_entry(
        &self,
        entered: &mut Entered,
        id: ItemId,
        wrong: WrongKind,
    ) -> Result<(), EditError> {
        let entries = entries(entered, wrong)?;
        let index = entries.iter().position(|entry| entry.id == id);
        entries.remove(index.ok_or(EditError::NoSuchItem { id })?);
        Ok(())
    }
}

fn entries(entered: &mut Entered, wrong: WrongKind) -> Result<&mut Vec<Entry>, EditError> {
    match &mut entered.content {
        Some(Content::Object { entries, .. }) => Ok(entries),
        _ => Err(wrong.error()),
    }
}
