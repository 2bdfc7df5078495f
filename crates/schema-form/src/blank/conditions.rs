//! Updates the conditional branches of an object to what is entered, and the object's members to them.
//!
//! The draft keeps the active branches ([`crate::ConditionState`]), so reading needs no evaluation;
//! filling and editing update them.

use json_text::JsonText;

use super::Blank;
use crate::condition::MAX_ROUNDS;
use crate::document::NodeId;
use crate::draft::{Content, Entered, Ids, InactiveMember, State};
use crate::field::{FieldKind, ObjectField, Slot};
use crate::fill::Filler;
use crate::{Draft, Form};

/// Evaluates again which branches apply to what is entered at `slot`, and gives the object the members
/// of its new shape. Members in both shapes are kept, others become inactive or are restored.
pub(crate) fn update_conditions(slot: &Slot, entered: &mut Entered, blank: &mut Blank<'_>) {
    if !slot.has_conditions() || entered.state != State::Value {
        return;
    }
    // A branch may add members that activate another branch.
    for _ in 0..MAX_ROUNDS {
        let Some(value) = finished(slot, entered) else { return };
        let applied = slot.active_branches(&value);
        let Some(Content::Object { conditions, .. }) = &entered.content else { return };
        if conditions.applied == applied {
            return;
        }
        reshape(slot, entered, applied, blank);
    }
}

/// What is entered, without unfinished members.
fn finished(slot: &Slot, entered: &Entered) -> Option<JsonText> {
    let Some(Content::Object { members, entries, conditions }) = &entered.content else {
        return None;
    };
    let shape = slot.shaped(&conditions.applied);
    let object = object_of(&shape)?;
    let mut text = String::from("{");
    let mut add = |name: &str, slot: &Slot, entered: &Entered| {
        if let Some(value) = read(slot, entered) {
            text += if text.len() > 1 { "," } else { "" };
            text += JsonText::string(name).as_str();
            text += ":";
            text += value.as_str();
        }
    };
    for (member, entered) in object.members.iter().zip(members) {
        if entered.state != State::NotSent {
            add(member.key(), member, entered);
        }
    }
    for entry in entries {
        if let Some(name) = &entry.name {
            add(name, &object.entry_or_any(&shape, Some(name)), &entry.entered);
        }
    }
    text += "}";
    JsonText::parse(&text).ok()
}

fn read(slot: &Slot, entered: &Entered) -> Option<JsonText> {
    let draft = Draft { root: entered.clone(), ids: Ids::default() };
    let reading = draft.read(&Form::of_slot(slot.clone()));
    JsonText::parse(reading.text()).ok()
}

fn object_of(slot: &Slot) -> Option<&ObjectField> {
    match &slot.field().kind {
        FieldKind::Object(object) => Some(object),
        _ => None,
    }
}

fn reshape(slot: &Slot, entered: &mut Entered, applied: Vec<NodeId>, blank: &mut Blank<'_>) {
    let Some(Content::Object { members, entries, conditions }) = &mut entered.content else {
        return;
    };
    let (before, after) = (slot.shaped(&conditions.applied), slot.shaped(&applied));
    conditions.applied = applied;
    let (Some(old), Some(new)) = (object_of(&before), object_of(&after)) else { return };
    let mut left: Vec<Option<(Slot, Entered)>> =
        old.members.iter().cloned().zip(std::mem::take(members)).map(Some).collect();
    for member in &new.members {
        let stays = left
            .iter_mut()
            .find(|left| left.as_ref().is_some_and(|(slot, _)| slot.key() == member.key()))
            .and_then(Option::take);
        let known = stays.or_else(|| {
            let place = conditions
                .inactive
                .iter()
                .position(|inactive| inactive.slot.key() == member.key())?;
            let inactive = conditions.inactive.remove(place);
            Some((inactive.slot, inactive.entered))
        });
        let known = known.or_else(|| {
            let name = member.key();
            let place = entries.iter().position(|entry| entry.name.as_deref() == Some(name))?;
            let slot = old.entry_or_any(&before, Some(name));
            Some((slot, entries.remove(place).entered))
        });
        members.push(match known {
            Some((slot, entered)) => convert(&slot, entered, member, blank),
            None => blank.place(member),
        });
    }
    let inactive = left.into_iter().flatten().filter(|(_, entered)| entered.content.is_some());
    conditions.inactive.extend(inactive.map(|(slot, entered)| InactiveMember { slot, entered }));
}

/// Converts what was entered for one schema to another: kept if it fits, else filled from what it
/// would send. Unfinished text is kept as typed.
pub(crate) fn convert(from: &Slot, entered: Entered, to: &Slot, blank: &mut Blank<'_>) -> Entered {
    let Some(content) = &entered.content else {
        return match entered.state {
            State::NotSent => blank.place(to),
            State::Null | State::Value => entered,
        };
    };
    // An empty place stays empty.
    if from != to && entered == blank.place(from) {
        return blank.place(to);
    }
    let is_text = |slot: &Slot| matches!(slot.field().kind, FieldKind::Text(_));
    let is_number =
        |slot: &Slot| matches!(slot.field().kind, FieldKind::Integer(_) | FieldKind::Number(_));
    let is_typed = matches!(content, Content::Text(_));
    let alike = (is_text(from) && is_text(to)) || (is_number(from) && is_number(to));
    if from == to || (is_typed && alike) {
        return entered;
    }
    let state = entered.state;
    let sent = Entered { state: State::Value, content: entered.content };
    let reading = Draft { root: sent, ids: Ids::default() };
    let text = reading.read(&Form::of_slot(from.clone())).text().to_owned();
    let value = JsonText::parse(&text).ok();
    let raw = value.as_ref().and_then(|value| value.decode().ok());
    let mut fitted = match raw {
        Some(raw) => Filler::new(blank.ids()).fill(to, raw),
        None => Entered::value(Content::Json { text, before: None }),
    };
    if state != State::Value {
        fitted.state = state;
    }
    fitted
}
