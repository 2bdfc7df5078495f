//! Values that no branch of a union takes.

use json_text::{JsonText, Kind};

use super::json::{TYPE, expected, is_fraction};
use super::reader::Reader;
use super::{Fault, Message};
use crate::Types;
use crate::field::{Branch, Field, FieldKind, Slot};

impl Reader {
    /// What to tell of a value that a union is filled with and that no branch holds: that all of
    /// them take other types, else what the one whose type it has says, else that none fits. Nothing
    /// where one of them may take it after all.
    pub(super) fn untaken(
        &self,
        slot: &Slot,
        branches: &[Branch],
        value: &JsonText,
        text: &str,
        asked: &mut usize,
    ) -> Vec<Message> {
        let here = |text, fault| vec![Message { path: self.path.clone(), text, fault }];
        // What stands beside `null` in a union says nothing about it.
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
            let Some(left) = asked.checked_sub(1) else { return Vec::new() };
            *asked = left;
            let faults = self.faults_asking(&branch.slot, value, text, asked);
            if faults.is_empty() {
                return Vec::new();
            }
            found.push(faults);
        }
        if found.len() < 2 {
            return found.pop().unwrap_or_default();
        }
        let (count, keyword) = alternatives(slot, branches);
        here(none_fits(count, &found), Fault::Invalid(keyword))
    }
}

/// The types that a field takes: of a union, those that its branches take.
pub(super) fn types_of(field: &Field) -> Types {
    /// How many unions within each other are looked through.
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

/// How many alternatives a union has, null among them, and its keyword.
fn alternatives(slot: &Slot, branches: &[Branch]) -> (usize, &'static str) {
    let chosen = branches.first().and_then(|branch| branch.slot.source().chosen.last());
    let Some((at, keyword)) = chosen else { return (branches.len(), "type") };
    let document = slot.document();
    let all = document.member(*at, &[*keyword]).and_then(|id| document.items(id));
    (all.map_or(branches.len(), <[_]>::len), keyword)
}

/// That no alternative fits, and why those of the value's type do not, as the host says it.
fn none_fits(count: usize, faults: &[Vec<Message>]) -> String {
    /// So many reasons are given.
    const GIVEN: usize = 3;
    let mut given: Vec<&str> =
        faults.iter().flat_map(|it| it.first()).map(|it| it.text.trim_end_matches('.')).collect();
    given.dedup();
    let more = if given.len() > GIVEN { "; and so on" } else { "" };
    given.truncate(GIVEN);
    format!("None of the {count} alternatives fits: {}{more}.", given.join("; or "))
}
