//! [`Edit`]: one change to a draft.
//!
//! An edit that does not apply to its place changes nothing and returns an error; one that applies
//! never loses what was entered elsewhere.

mod branches;
mod entries;
mod items;
mod text;

use json_text::JsonText;

use self::branches::chosen_branch;
use crate::blank::{Blank, update_conditions};
use crate::draft::{Content, Entered, Ids, State, child_slot};
use crate::field::{FieldKind, Slot};
use crate::fill::Filler;
use crate::{Draft, EditError, Form, ItemId, Path, PathStep};

/// One change at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Types text: a string's content, a number as typed, JSON text. Emptying a number, JSON text
    /// or an optional string takes it back to not sent; a required string is sent empty.
    SetText(String),
    /// Chooses `true` or `false`.
    SetBool(bool),
    /// Chooses an option by its position.
    Choose(usize),
    /// Chooses a union's branch by its position. Common members are copied, and a branch chosen
    /// before is restored.
    ChooseBranch(usize),
    /// Sends `null`.
    SetNull,
    /// Sends nothing; what was entered is kept for [`Edit::SetValue`].
    Unset,
    /// Sends a value: the previous one, else an open object, an empty list, an empty string.
    SetValue,
    /// Adds an item at the end of a list, opening the list.
    AddItem,
    /// Adds an item with this value at the end of a list, opening the list.
    AddFilled(JsonText),
    /// Adds an item for each value at the end of a list, opening the list. All or none are added.
    AddMany(Vec<JsonText>),
    /// Removes an item. An optional list without items is not sent.
    RemoveItem(ItemId),
    /// Moves an item to a position, counted without it.
    MoveItem(ItemId, usize),
    /// Adds an unnamed entry to an object, opening the object.
    AddEntry,
    /// Names an entry.
    RenameEntry(ItemId, String),
    /// Removes an entry.
    RemoveEntry(ItemId),
    /// Switches to JSON text, initially what the widgets would send.
    AsJson,
    /// Switches back to widgets. Unchanged text restores them.
    AsWidgets,
    /// Replaces the content with a value.
    Fill(JsonText),
    /// Clears the place.
    Reset,
}

impl Edit {
    fn name(&self) -> &'static str {
        match self {
            Self::SetText(_) => "set text",
            Self::SetBool(_) => "set true or false",
            Self::Choose(_) => "choose",
            Self::ChooseBranch(_) => "choose a branch",
            Self::SetNull => "set null",
            Self::Unset => "unset",
            Self::SetValue => "set a value",
            Self::AddItem | Self::AddFilled(_) => "add an item",
            Self::AddMany(_) => "add items",
            Self::RemoveItem(_) => "remove an item",
            Self::MoveItem(..) => "move an item",
            Self::AddEntry => "add an entry",
            Self::RenameEntry(..) => "rename an entry",
            Self::RemoveEntry(_) => "remove an entry",
            Self::AsJson => "edit as JSON",
            Self::AsWidgets => "edit with widgets",
            Self::Fill(_) => "fill",
            Self::Reset => "reset",
        }
    }
}

impl Draft {
    /// Applies `edit` at `path`, and returns the identity of the item or entry that it added.
    ///
    /// # Errors
    /// [`EditError`] when the place does not exist or does not support the edit; the draft is unchanged.
    pub fn edit(
        &mut self,
        form: &Form,
        path: &Path,
        edit: Edit,
    ) -> Result<Option<ItemId>, EditError> {
        let no_such_place = || EditError::NoSuchPlace { path: path.to_string() };
        let slot = self.slot(form, path).ok_or_else(no_such_place)?;
        let mut ids = self.ids.clone();
        let mut entered = &mut self.root;
        for step in path.steps() {
            entered = entered.child_mut(*step).ok_or_else(no_such_place)?;
        }
        let inside = matches!(edit, Edit::ChooseBranch(_));
        let made = Editor { slot: &slot, ids: &mut ids }.apply(entered, edit)?;
        if inside && let Some(step) = chosen_branch(entered) {
            update_conditions_along(&slot, entered, &[step], &mut ids);
        }
        update_conditions_along(form.root(), &mut self.root, path.steps(), &mut ids);
        self.ids = ids;
        Ok(made)
    }

    /// The JSON pointer to a place within a draft whose root is `slot`'s.
    pub(crate) fn pointer_below(&self, slot: &Slot, path: &Path) -> String {
        self.pointer(&Form::of_slot(slot.clone()), path)
    }
}

/// Updates the conditions of the objects along `steps`, the innermost first.
fn update_conditions_along(slot: &Slot, entered: &mut Entered, steps: &[PathStep], ids: &mut Ids) {
    if let Some((step, rest)) = steps.split_first()
        && let Some(inner) = child_slot(slot, entered, *step)
        && let Some(within) = entered.child_mut(*step)
    {
        update_conditions_along(&inner, within, rest, ids);
    }
    update_conditions(slot, entered, &mut Blank::new(ids));
}

struct Editor<'e> {
    slot: &'e Slot,
    ids: &'e mut Ids,
}

impl Editor<'_> {
    fn apply(&mut self, entered: &mut Entered, edit: Edit) -> Result<Option<ItemId>, EditError> {
        let field = self.slot.field();
        let wrong = WrongKind { edit: edit.name(), kind: kind_name(&field.kind) };
        match edit {
            Edit::SetText(text) => self.set_text(entered, text, wrong)?,
            Edit::SetBool(value) => match field.kind {
                FieldKind::Boolean => *entered = Entered::value(Content::Bool(value)),
                _ => return Err(wrong.error()),
            },
            Edit::Choose(position) => match &field.kind {
                FieldKind::Choice(options) => {
                    in_range(position, options.len())?;
                    *entered = Entered::value(Content::Choice(position));
                }
                _ => return Err(wrong.error()),
            },
            Edit::ChooseBranch(position) => self.choose_branch(entered, position, wrong)?,
            Edit::SetNull if field.nullable => entered.state = State::Null,
            Edit::SetNull => return Err(EditError::NotNullable { name: field.key.clone() }),
            Edit::Unset => entered.state = State::NotSent,
            Edit::SetValue => self.open(entered),
            Edit::AddItem => return self.add_item(entered, None, wrong).map(Some),
            Edit::AddFilled(value) => return self.add_item(entered, Some(&value), wrong).map(Some),
            Edit::AddMany(values) => self.add_many(entered, &values, wrong)?,
            Edit::RemoveItem(id) => self.remove_item(entered, id, wrong)?,
            Edit::MoveItem(id, position) => self.move_item(entered, id, position, wrong)?,
            Edit::AddEntry => return self.add_entry(entered, wrong).map(Some),
            Edit::RenameEntry(id, name) => self.rename(entered, id, name, wrong)?,
            Edit::RemoveEntry(id) => self.remove_entry(entered, id, wrong)?,
            Edit::AsJson => self.switch_to_json(entered),
            Edit::AsWidgets => self.switch_to_widgets(entered)?,
            Edit::Fill(value) => *entered = self.filled(&value),
            Edit::Reset => *entered = Blank::new(self.ids).place(self.slot),
        }
        Ok(None)
    }

    fn open(&mut self, entered: &mut Entered) {
        if entered.content.is_none() {
            entered.content = Blank::new(self.ids).open(self.slot);
        }
        entered.state = State::Value;
    }

    fn filled(&mut self, value: &JsonText) -> Entered {
        match value.decode() {
            Ok(raw) => Filler::new(self.ids).fill(self.slot, raw),
            Err(_) => Entered::NOTHING,
        }
    }
}

fn in_range(position: usize, count: usize) -> Result<(), EditError> {
    if position < count { Ok(()) } else { Err(EditError::NoSuchPosition { position, count }) }
}

#[derive(Clone, Copy)]
struct WrongKind {
    edit: &'static str,
    kind: &'static str,
}

impl WrongKind {
    fn error(self) -> EditError {
        EditError::WrongKind { edit: self.edit, kind: self.kind }
    }
}

fn kind_name(kind: &FieldKind) -> &'static str {
    match kind {
        FieldKind::Text(_) => "a text field",
        FieldKind::Integer(_) => "a field for a whole number",
        FieldKind::Number(_) => "a field for a number",
        FieldKind::Boolean => "a yes-or-no field",
        FieldKind::Choice(_) => "a choice",
        FieldKind::Object(_) => "an object",
        FieldKind::List(_) => "a list",
        FieldKind::Union(_) => "a union",
        FieldKind::Json(_) => "a JSON field",
    }
}
