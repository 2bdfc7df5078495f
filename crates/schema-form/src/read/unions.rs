//! Messages for values that match no branch of a union.

use json_text::{JsonText, Kind};

use super::json::{TYPE, expected, is_fraction};
use super::reader::Reader;
use super::{Message, MessageKind};
use crate::Types;
use crate::field::{Branch, Field, FieldKind, Slot};

impl Reader {
    /// The messages for a value that no branch of a union holds: that its type is wrong, else those
    /// of the only branch of its type, else that no branch matches. Empty if a branch may accept it.
    pub(super) fn unmatched(
        &self,
        slot: &Slot,
        branches: &[Branch],
        value: &JsonText,
        text: &str,
        left_to_try: &mut usize,
    ) -> Vec<Message> {
        let here = |text, kind| vec![Message { path: self.path.clone(), text, kind }];
        // Keywords beside `null` in a union do not constrain it.
        if value.kind() == Kind::Null {
            return Vec::new();
        }
        let takes = |types: Types| {
            types.admit(value.kind()) && (types.contains(Types::NUMBER) || !is_fraction(value))
        };
        if !takes(types_of(slot.field())) {
            return here(expected(slot.field(), value.kind()), TYPE);
        }
        let of_its_type = branches.iter().filter(|it| takes(types_of(it.slot.field())));
        let mut found = Vec::new();
        for branch in of_its_type {
            let Some(left) = left_to_try.checked_sub(1) else { return Vec::new() };
            *left_to_try = left;
            let found_messages = self.messages_within(&branch.slot, value, text, left_to_try);
            if found_messages.is_empty() {
                return Vec::new();
            }
            found.push(found_messages);
        }
        if found.len() < 2 {
            return found.pop().unwrap_or_default();
        }
        let (count, keyword) = alternatives(slot, branches);
        here(none_fits(count, &found), MessageKind::Invalid(keyword))
    }
}

/// The types that a field takes; for a union, those of its branches.
pub(super) fn types_of(field: &Field) -> Types {
    /// The deepest nesting of unions visited.
    const DEEPEST: usize = 3;
    types(field, DEEPEST)
}

fn types(field: &Field, depth: usize) -> Types {
    let FieldKind::Union(branches) = &field.kind else { return field.types };
    if depth == 0 {
        return field.types;
    }
    let of_branches = branches.iter().map(|branch| types(branch.slot.field(), depth - 1));
    let null = field.types.and(Types::NULL);
    of_branches.fold(null, Types::or).and(field.types)
}

/// The number of alternatives of a union, including null, and its keyword.
fn alternatives(slot: &Slot, branches: &[Branch]) -> (usize, &'static str) {
    let chosen = branches.first().and_then(|branch| branch.slot.source().chosen.last());
    let Some((at, keyword)) = chosen else { return (branches.len(), "type") };
    let document = slot.document();
    let all = document.member(*at, &[*keyword]).and_then(|id| document.items(id));
    (all.map_or(branches.len(), <[_]>::len), keyword)
}

/// The sentence that no alternative matches, with the reasons of those of the value's type, as in `schema-check`.
fn none_fits(count: usize, found_messages: &[Vec<Message>]) -> String {
    /// The number of reasons given.
    const GIVEN: usize = 3;
    let mut given: Vec<&str> = found_messages
        .iter()
        .flat_map(|it| it.first())
        .map(|it| it.text.trim_end_matches('.'))
        .collect();
    given.dedup();
    let more = if given.len() > GIVEN { ". Or another reason" } else { "" };
    given.truncate(GIVEN);
    format!("Matches none of the {count} alternatives. {}{more}.", given.join(". Or: "))
}
