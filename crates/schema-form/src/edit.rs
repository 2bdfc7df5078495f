//! [`Edit`]: one thing a person does to a draft.
//!
//! An edit that does not fit its place changes nothing and says why; one that fits never loses
//! what was entered elsewhere.

use json_text::JsonText;

use crate::cases::{redecide, refit};
use crate::draft::{Blank, Content, Entered, Entry, Ids, Item, State, child_slot, shape};
use crate::field::{FieldKind, ListField, Slot};
use crate::fill::Filler;
use crate::{Draft, EditError, Form, ItemId, Path, Step};

/// One thing a person does at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Types text: a string's content, a number as typed, JSON text. Emptying a number, JSON text
    /// or an optional string takes it back to not sent; a required string is sent empty.
    SetText(String),
    /// Chooses `true` or `false`.
    SetBool(bool),
    /// Chooses an option by its position.
    Choose(usize),
    /// Chooses a union's branch by its position. What both branches have stays, and going back
    /// finds the branch as it was left.
    ChooseBranch(usize),
    /// Sends `null`.
    SetNull,
    /// Sends nothing; what was entered is kept for [`Edit::SetValue`].
    Unset,
    /// Sends a value: what was there before, else an open object, an empty list, an empty string.
    SetValue,
    /// Adds an item at the end of a list, opening the list.
    AddItem,
    /// Adds an item with this value at the end of a list, opening the list.
    AddFilled(JsonText),
    /// Adds an item for each value at the end of a list, opening the list. All or none are added.
    AddMany(Vec<JsonText>),
    /// Removes an item. An optional list whose last item goes is not sent any more.
    RemoveItem(ItemId),
    /// Moves an item to a position, counted without it.
    MoveItem(ItemId, usize),
    /// Adds an entry of the person's naming to an object, opening the object.
    AddEntry,
    /// Names an entry.
    RenameEntry(ItemId, String),
    /// Removes an entry.
    RemoveEntry(ItemId),
    /// Goes over to JSON text, which starts as what the widgets would send.
    AsJson,
    /// Goes back to widgets. Text that was not touched gives them back as they were.
    AsWidgets,
    /// Puts a value, whatever was there.
    Fill(JsonText),
    /// Makes the place untouched again.
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
    /// Does `edit` at `path`, and returns the identity of the item or entry that it made.
    ///
    /// # Errors
    /// [`EditError`] when the place is not there or takes no such edit; the draft is unchanged.
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
            decide_anew(&slot, entered, &[step], &mut ids);
        }
        decide_anew(form.root(), &mut self.root, path.steps(), &mut ids);
        self.ids = ids;
        Ok(made)
    }

    /// The name of a place within a draft whose root is `slot`'s.
    pub(crate) fn name_below(&self, slot: &Slot, path: &Path) -> String {
        self.name(&Form::around(slot.clone()), path)
    }
}

fn chosen_branch(entered: &Entered) -> Option<Step> {
    match &entered.content {
        Some(Content::Union { branch, .. }) => Some(Step::Branch(*branch)),
        _ => None,
    }
}

/// Lets the objects along `steps` decide their conditions again, the innermost first.
fn decide_anew(slot: &Slot, entered: &mut Entered, steps: &[Step], ids: &mut Ids) {
    if let Some((step, rest)) = steps.split_first()
        && let Some(inner) = child_slot(slot, entered, *step)
        && let Some(within) = entered.child_mut(*step)
    {
        decide_anew(&inner, within, rest, ids);
    }
    redecide(slot, entered, &mut Blank::new(ids));
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
            Edit::AddEntry => {
                if !matches!(field.kind, FieldKind::Object(_)) {
                    return Err(wrong.error());
                }
                // JSON text takes no entries, and must not be sent because one was refused.
                if entered.content.as_ref().is_some_and(|it| !matches!(it, Content::Object { .. }))
                {
                    return Err(wrong.error());
                }
                self.open(entered);
                let id = self.ids.next();
                let Some(Content::Object { entries, .. }) = &mut entered.content else {
                    return Err(wrong.error());
                };
                entries.push(Entry { id, name: None, entered: Entered::NOTHING });
                self.open_entry(entered, id);
                return Ok(Some(id));
            }
            Edit::RenameEntry(id, name) => self.rename(entered, id, name, wrong)?,
            Edit::RemoveEntry(id) => {
                let entries = entries(entered, wrong)?;
                let index = entries.iter().position(|entry| entry.id == id);
                entries.remove(index.ok_or(EditError::NoSuchItem { id })?);
            }
            Edit::AsJson => self.go_over_to_json(entered),
            Edit::AsWidgets => self.go_back_to_widgets(entered)?,
            Edit::Fill(value) => *entered = self.filled(&value),
            Edit::Reset => *entered = Blank::new(self.ids).place(self.slot),
        }
        Ok(None)
    }

    fn set_text(
        &self,
        entered: &mut Entered,
        text: String,
        wrong: WrongKind,
    ) -> Result<(), EditError> {
        let field = self.slot.field();
        let optional = !self.slot.required();
        if let Some(Content::Json { text: old, .. }) = &mut entered.content {
            let empty = text.trim().is_empty();
            *old = text;
            entered.state = if empty && (optional || matches!(field.kind, FieldKind::Json(_))) {
                State::NotSent
            } else {
                State::Value
            };
            return Ok(());
        }
        let empty_is_nothing = match field.kind {
            FieldKind::Text(_) => optional,
            FieldKind::Integer(_) | FieldKind::Number(_) | FieldKind::Json(_) => true,
            _ => return Err(wrong.error()),
        };
        let state = if text.is_empty() && empty_is_nothing { State::NotSent } else { State::Value };
        let content = match field.kind {
            FieldKind::Json(_) => Content::Json { text, before: None },
            _ => Content::Text(text),
        };
        *entered = Entered { state, content: Some(content) };
        Ok(())
    }

    fn open(&mut self, entered: &mut Entered) {
        if entered.content.is_none() {
            entered.content = Blank::new(self.ids).open(self.slot);
        }
        entered.state = State::Value;
    }

    fn open_entry(&mut self, entered: &mut Entered, id: ItemId) {
        let step = Step::Entry(id);
        let Some(slot) = child_slot(self.slot, entered, step) else { return };
        let blank = Blank::new(self.ids).place(&slot);
        if let Some(inner) = entered.child_mut(step) {
            *inner = blank;
        }
    }

    /// Names an entry. A name that chooses another schema takes what was entered along.
    fn rename(
        &mut self,
        entered: &mut Entered,
        id: ItemId,
        name: String,
        wrong: WrongKind,
    ) -> Result<(), EditError> {
        let step = Step::Entry(id);
        let before = child_slot(self.slot, entered, step);
        let named = entries(entered, wrong)?.iter_mut().find(|entry| entry.id == id);
        named.ok_or(EditError::NoSuchItem { id })?.name = Some(name);
        let after = child_slot(self.slot, entered, step);
        if let (Some(before), Some(after)) = (before, after)
            && before != after
            && let Some(inner) = entered.child_mut(step)
        {
            let held = std::mem::replace(inner, Entered::NOTHING);
            *inner = refit(&before, held, &after, &mut Blank::new(self.ids));
        }
        Ok(())
    }

    fn choose_branch(
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
                carry_over(&branch.slot, left, target, &mut inner, self.ids);
            }
            visited.push((position, inner));
        }
        *branch = position;
        Ok(())
    }

    /// An untouched branch that the person chose: its list is open, for a list is what was chosen.
    fn chosen(&mut self, target: &Slot) -> Entered {
        let mut blank = Blank::new(self.ids);
        match &target.field().kind {
            FieldKind::List(_) => blank.open(target).map_or(Entered::NOTHING, Entered::value),
            _ => blank.place(target),
        }
    }

    fn add_item(
        &mut self,
        entered: &mut Entered,
        value: Option<&JsonText>,
        wrong: WrongKind,
    ) -> Result<ItemId, EditError> {
        let field = self.slot.field();
        let FieldKind::List(list) = &field.kind else { return Err(wrong.error()) };
        let untouched = entered.content.is_none().then_some(entered.state);
        if untouched.is_some() {
            // The items that the schema asks for come with the list; the first of them is the one.
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

    fn add_many(
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

    fn remove_item(
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

    fn move_item(
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
        // The places before the rest have kinds of their own: no item may cross into them.
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

    fn go_over_to_json(&self, entered: &mut Entered) {
        if matches!(entered.content, Some(Content::Json { .. })) {
            entered.state = State::Value;
            return;
        }
        let form = Form::around(self.slot.clone());
        let draft = Draft { root: entered.clone(), ids: crate::draft::Ids::default() };
        let reading = draft.read(&form);
        let text = match JsonText::parse(reading.text()) {
            Ok(value) => value.pretty(),
            Err(_) => reading.text().to_owned(),
        };
        let before = match entered.state {
            State::NotSent => None,
            State::Null | State::Value => entered.content.take(),
        };
        let before = before.map(|content| Box::new((text.clone(), content)));
        *entered = Entered::value(Content::Json { text, before });
    }

    fn go_back_to_widgets(&mut self, entered: &mut Entered) -> Result<(), EditError> {
        let Some(Content::Json { text, before }) = &mut entered.content else { return Ok(()) };
        if matches!(self.slot.field().kind, FieldKind::Json(_)) {
            return Ok(());
        }
        if before.as_ref().is_some_and(|before| before.0 == *text)
            && let Some(before) = before.take()
        {
            *entered = Entered::value(before.1);
        } else if text.trim().is_empty() {
            *entered = Blank::new(self.ids).place(self.slot);
        } else {
            let value = JsonText::parse(text)?;
            let filled = self.filled(&value);
            *entered = filled;
        }
        Ok(())
    }

    fn filled(&mut self, value: &JsonText) -> Entered {
        match value.decode() {
            Ok(raw) => Filler::new(self.ids).fill(self.slot, raw),
            Err(_) => Entered::NOTHING,
        }
    }
}

/// Copies what two objects have in common: members and entries of one name that take the value.
fn carry_over(from: &Slot, left: &Entered, to: &Slot, into: &mut Entered, ids: &mut Ids) {
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
        let fitted = refit(slot_before, before.clone(), slot, &mut Blank::new(ids));
        // A tag tells the branches apart: what one requires is wrong in the other.
        if takes(slot, &fitted) {
            *entered = fitted;
        }
    }
    for entry in old_entries {
        let Some(name) = &entry.name else { continue };
        let Some(slot) = new.entry(Some(name)) else { continue };
        let slot_before = old.entry_or_any(&from, Some(name));
        let fitted = refit(&slot_before, entry.entered.clone(), &slot, &mut Blank::new(ids));
        if takes(&slot, &fitted) && new.members.iter().all(|member| member.key() != name) {
            new_entries.push(Entry { id: ids.next(), name: Some(name.clone()), entered: fitted });
        }
    }
}

/// Whether the widgets of `slot` hold what is entered, finished or not.
fn takes(slot: &Slot, entered: &Entered) -> bool {
    let is_json_field = matches!(slot.field().kind, FieldKind::Json(_));
    match (&entered.state, &entered.content) {
        (State::Null, _) => slot.field().nullable,
        (_, Some(Content::Json { before, .. })) => is_json_field || before.is_some(),
        _ => true,
    }
}

fn item_count(entered: &Entered) -> usize {
    match &entered.content {
        Some(Content::List(items)) => items.len(),
        _ => 0,
    }
}

fn entries(entered: &mut Entered, wrong: WrongKind) -> Result<&mut Vec<Entry>, EditError> {
    match &mut entered.content {
        Some(Content::Object { entries, .. }) => Ok(entries),
        _ => Err(wrong.error()),
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
