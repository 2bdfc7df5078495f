//! A list's items.

use json_text::JsonText;

use super::{Editor, WrongKind, in_range};
use crate::blank::Blank;
use crate::draft::{Content, Entered, Item, State};
use crate::field::{FieldKind, ListField};
use crate::{EditError, ItemId};

impl Editor<'_> {
    pub(super) fn add_item(
        &mut self,
        entered: &mut Entered,
        value: Option<&JsonText>,
        wrong: WrongKind,
    ) -> Result<ItemId, EditError> {
        let field = self.slot.field();
        let FieldKind::List(list) = &field.kind else { return Err(wrong.error()) };
        let untouched = entered.content.is_none().then_some(entered.state);
        if untouched.is_some() {
            // Opening the list creates its required items; the first of them is the added one.
            self.open(entered);
            if let (Some(Content::List(items)), None) = (&entered.content, value)
                && let Some(first) = items.first()
            {
                return Ok(first.id);
            }
        }
        let id = self.ids.next();
        let inner = match list.item(item_count(entered)) {
            Some(slot) => match value {
                Some(value) => Editor { slot, ids: &mut *self.ids }.filled(value),
                None => Blank::new(self.ids).place(slot),
            },
            None => {
                if let Some(state) = untouched {
                    *entered = Entered { state, content: None };
                }
                let most = list.prefix.len();
                return Err(EditError::NoSuchPosition { position: most, count: most });
            }
        };
        match &mut entered.content {
            Some(Content::List(items)) => items.push(Item { id, entered: inner }),
            _ => return Err(wrong.error()),
        }
        entered.state = State::Value;
        Ok(id)
    }

    pub(super) fn add_many(
        &mut self,
        entered: &mut Entered,
        values: &[JsonText],
        wrong: WrongKind,
    ) -> Result<(), EditError> {
        let mut list = match &entered.content {
            None => Entered::value(Content::List(Vec::new())),
            Some(_) => entered.clone(),
        };
        for value in values {
            self.add_item(&mut list, Some(value), wrong)?;
        }
        *entered = list;
        Ok(())
    }

    pub(super) fn remove_item(
        &self,
        entered: &mut Entered,
        id: ItemId,
        wrong: WrongKind,
    ) -> Result<(), EditError> {
        let Some(Content::List(items)) = &mut entered.content else { return Err(wrong.error()) };
        let index =
            items.iter().position(|item| item.id == id).ok_or(EditError::NoSuchItem { id })?;
        items.remove(index);
        if items.is_empty() && !self.slot.required() {
            entered.state = State::NotSent;
        }
        Ok(())
    }

    pub(super) fn move_item(
        &self,
        entered: &mut Entered,
        id: ItemId,
        position: usize,
        wrong: WrongKind,
    ) -> Result<(), EditError> {
        let field = self.slot.field();
        let Some(Content::List(items)) = &mut entered.content else { return Err(wrong.error()) };
        let index =
            items.iter().position(|item| item.id == id).ok_or(EditError::NoSuchItem { id })?;
        in_range(position, items.len())?;
        // Prefix items have their own fields: no item may move there.
        let heads = match &field.kind {
            FieldKind::List(ListField { prefix, .. }) => prefix.len(),
            _ => 0,
        };
        if index < heads || position < heads {
            return Err(wrong.error());
        }
        let item = items.remove(index);
        items.insert(position, item);
        Ok(())
    }
}

fn item_count(entered: &Entered) -> usize {
    match &entered.content {
        Some(Content::List(items)) => items.len(),
        _ => 0,
    }
}
