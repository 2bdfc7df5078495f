//! Choosing a union's branch, and what is copied from the previous one.

use super::{Editor, WrongKind, in_range};
use crate::blank::{Blank, convert};
use crate::draft::{Content, Entered, Entry, Ids, State, shape};
use crate::field::{FieldKind, Slot};
use crate::{EditError, PathStep};

impl Editor<'_> {
    pub(super) fn choose_branch(
        &mut self,
        entered: &mut Entered,
        position: usize,
        wrong: WrongKind,
    ) -> Result<(), EditError> {
        let field = self.slot.field();
        let FieldKind::Union(branches) = &field.kind else { return Err(wrong.error()) };
        in_range(position, branches.len())?;
        let target = &branches[position].slot;
        if matches!(entered.content, Some(Content::Json { .. })) {
            return Err(wrong.error());
        }
        let Some(Content::Union { branch, visited }) = &mut entered.content else {
            let inner = self.chosen(target);
            *entered = Entered::value(Content::Union {
                branch: position,
                visited: vec![(position, inner)],
            });
            return Ok(());
        };
        entered.state = State::Value;
        if visited.iter().all(|(at, _)| *at != position) {
            let mut inner = Editor { slot: self.slot, ids: &mut *self.ids }.chosen(target);
            let left = visited.iter().find(|(at, _)| at == branch).zip(branches.get(*branch));
            if let Some(((_, left), branch)) = left {
                copy_common(&branch.slot, left, target, &mut inner, self.ids);
            }
            visited.push((position, inner));
        }
        *branch = position;
        Ok(())
    }

    /// An empty chosen branch; a list is opened, because choosing it means to send one.
    fn chosen(&mut self, target: &Slot) -> Entered {
        let mut blank = Blank::new(self.ids);
        match &target.field().kind {
            FieldKind::List(_) => blank.open(target).map_or(Entered::NOTHING, Entered::value),
            _ => blank.place(target),
        }
    }
}

pub(super) fn chosen_branch(entered: &Entered) -> Option<PathStep> {
    match &entered.content {
        Some(Content::Union { branch, .. }) => Some(PathStep::Branch(*branch)),
        _ => None,
    }
}

/// Copies common members and entries: those with the same name that take the value.
fn copy_common(from: &Slot, left: &Entered, to: &Slot, into: &mut Entered, ids: &mut Ids) {
    let (from, to) = (shape(from, left), shape(to, into));
    let (FieldKind::Object(old), FieldKind::Object(new)) = (&from.field().kind, &to.field().kind)
    else {
        return;
    };
    let Some(Content::Object { members: old_members, entries: old_entries, .. }) = &left.content
    else {
        return;
    };
    let Some(Content::Object { members: new_members, entries: new_entries, .. }) =
        &mut into.content
    else {
        return;
    };
    for (slot, entered) in new.members.iter().zip(new_members) {
        let place = old.members.iter().position(|member| member.key() == slot.key());
        let Some((slot_before, before)) =
            place.and_then(|place| old.members.get(place).zip(old_members.get(place)))
        else {
            continue;
        };
        if before.content.is_none() && before.state == State::NotSent {
            continue;
        }
        let fitted = convert(slot_before, before.clone(), slot, &mut Blank::new(ids));
        // A tag distinguishes the branches, so its value is not copied.
        if takes(slot, &fitted) {
            *entered = fitted;
        }
    }
    for entry in old_entries {
        let Some(name) = &entry.name else { continue };
        let Some(slot) = new.entry(Some(name)) else { continue };
        let slot_before = old.entry_or_any(&from, Some(name));
        let fitted = convert(&slot_before, entry.entered.clone(), &slot, &mut Blank::new(ids));
        if takes(&slot, &fitted) && new.members.iter().all(|member| member.key() != name) {
            new_entries.push(Entry { id: ids.next(), name: Some(name.clone()), entered: fitted });
        }
    }
}

/// Whether the widgets of `slot` can hold what is entered, finished or not.
fn takes(slot: &Slot, entered: &Entered) -> bool {
    let is_json_field = matches!(slot.field().kind, FieldKind::Json(_));
    match (&entered.state, &entered.content) {
        (State::Null, _) => slot.field().nullable,
        (_, Some(Content::Json { before, .. })) => is_json_field || before.is_some(),
        _ => true,
    }
}
