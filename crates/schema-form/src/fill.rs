//! [`Filler`]: turns JSON into the draft that would send it.
//!
//! Nothing is lost: a value that a widget cannot hold unchanged (text for a number, `5.0` in a field
//! for integers, a repeated member) stays at its place as JSON text. Reading the filled draft gives
//! the value back, with members in the form's order.

use std::collections::HashSet;

use json_text::{Decimal, JsonText, Kind, Node, nesting};
use serde_json::value::RawValue;

use crate::canonical::canonical;
use crate::draft::{ConditionState, Content, Entered, Entry, Ids, Item, State};
use crate::field::{Branch, FieldKind, ListField, ObjectField, Slot, any_value};
use crate::typed_number::is_integer;
use crate::{Draft, Form};

/// Deeper values stay JSON text.
pub(crate) const DEEPEST: usize = 64;

/// The most union branches filled in full per value; after that, likeness alone decides.
const MAX_TRIALS: usize = 300;

impl Form {
    /// The draft that sends `value`. Nothing is lost: a part that fits no widget stays JSON text at
    /// its place, with a message if the schema rejects it.
    #[must_use]
    pub fn fill(&self, value: &JsonText) -> Draft {
        let mut ids = Ids::default();
        let root = match value.decode() {
            Ok(raw) => Filler::new(&mut ids).fill(self.root(), raw),
            Err(_) => Entered::NOTHING,
        };
        Draft { root, ids }
    }
}

/// Fills places with values.
pub(crate) struct Filler<'i> {
    ids: &'i mut Ids,
    depth: usize,
    trials: usize,
}

impl<'i> Filler<'i> {
    pub(crate) fn new(ids: &'i mut Ids) -> Self {
        Self::within(ids, 0)
    }

    /// For a value that is `depth` places deep already.
    pub(crate) fn within(ids: &'i mut Ids, depth: usize) -> Self {
        Self { ids, depth, trials: MAX_TRIALS }
    }

    /// What would have been entered at `slot` to send `raw`.
    pub(crate) fn fill(&mut self, slot: &Slot, raw: &RawValue) -> Entered {
        let as_text = || Entered::value(Content::Json { text: laid_out(raw), before: None });
        if self.depth >= DEEPEST {
            return as_text();
        }
        let field = slot.field();
        if raw.get() == "null" && field.nullable {
            return Entered { state: State::Null, content: None };
        }
        self.depth += 1;
        let content = self.content(&field.kind, slot, raw);
        self.depth -= 1;
        content.map_or_else(as_text, Entered::value)
    }

    fn content(&mut self, kind: &FieldKind, slot: &Slot, raw: &RawValue) -> Option<Content> {
        match (kind, Node::of(raw)) {
            (FieldKind::Text(_), Node::String(_)) => {
                serde_json::from_str(raw.get()).ok().map(Content::Text)
            }
            (FieldKind::Integer(_), Node::Number(text)) if is_integer(text) => {
                Some(Content::Text(text.to_owned()))
            }
            (FieldKind::Number(_), Node::Number(text)) => Some(Content::Text(text.to_owned())),
            (FieldKind::Boolean, Node::Bool(value)) => Some(Content::Bool(value)),
            (FieldKind::Choice(options), _) => {
                let value = JsonText::from(raw);
                let compact = value.compact();
                options
                    .iter()
                    .position(|option| {
                        option.value == compact || same_string(&option.value, &value)
                    })
                    .map(Content::Choice)
            }
            (FieldKind::Object(_), Node::Object(members)) => self.object(slot, raw, members),
            (FieldKind::List(list), Node::Array(items)) => Some(self.list(list, slot, &items)),
            (FieldKind::Union(branches), _) => {
                let (branch, entered) = self.branch(branches, raw)?;
                Some(Content::Union { branch, visited: vec![(branch, entered)] })
            }
            _ => None,
        }
    }

    /// The branch that `raw` belongs to: the likeliest valid one whose widgets hold all of it, else
    /// the likeliest valid one, else the likeliest.
    fn branch(&mut self, branches: &[Branch], raw: &RawValue) -> Option<(usize, Entered)> {
        let candidates = by_likeness(branches, raw);
        let (mut admitting, mut best) = (None, None);
        for index in &candidates {
            let slot = &branches[*index].slot;
            let entered = self.fill(slot, raw);
            if candidates.len() == 1 {
                return Some((*index, entered));
            }
            let admits = admits(slot, &entered);
            if admits && is_in_widgets(&entered) {
                return Some((*index, entered));
            }
            let kept = if admits { &mut admitting } else { &mut best };
            kept.get_or_insert((*index, entered));
            self.trials = self.trials.saturating_sub(1);
            if self.trials == 0 {
                break;
            }
        }
        admitting.or(best)
    }

    fn object(
        &mut self,
        slot: &Slot,
        raw: &RawValue,
        given: Vec<(String, &RawValue)>,
    ) -> Option<Content> {
        let mut keys = HashSet::with_capacity(given.len());
        if !given.iter().all(|(key, _)| keys.insert(key.clone())) {
            return None;
        }
        let applied = match slot.has_conditions() {
            true => slot.active_branches(&JsonText::from(raw)),
            false => Vec::new(),
        };
        let shape = slot.shaped(&applied);
        let FieldKind::Object(object) = &shape.field().kind else { return None };
        let mut given: Vec<(String, Option<&RawValue>)> =
            given.into_iter().map(|(key, raw)| (key, Some(raw))).collect();
        let places: std::collections::HashMap<String, usize> =
            given.iter().enumerate().map(|(index, (key, _))| (key.clone(), index)).collect();
        let members = object
            .members
            .iter()
            .map(|member| {
                let raw = places.get(member.key()).and_then(|index| given[*index].1.take());
                raw.map_or(Entered::NOTHING, |raw| self.fill(member, raw))
            })
            .collect();
        let entries = given
            .into_iter()
            .filter_map(|(key, raw)| {
                let raw = raw?;
                let id = self.ids.next();
                let slot = object.entry_or_any(&shape, Some(&key));
                Some(Entry { id, entered: self.fill(&slot, raw), name: Some(key) })
            })
            .collect();
        Some(Content::Object {
            members,
            entries,
            conditions: ConditionState { applied, inactive: Vec::new() },
        })
    }

    fn list(&mut self, list: &ListField, slot: &Slot, given: &[&RawValue]) -> Content {
        let mut beyond = None;
        let items = given
            .iter()
            .enumerate()
            .map(|(index, raw)| {
                let id = self.ids.next();
                let slot = match list.item(index) {
                    Some(slot) => slot.clone(),
                    None => beyond.get_or_insert_with(|| any_value(slot)).clone(),
                };
                Item { id, entered: self.fill(&slot, raw) }
            })
            .collect();
        Content::List(items)
    }
}

/// The text to edit a value as: over lines, unless its author wrote it over lines.
fn laid_out(raw: &RawValue) -> String {
    let text = raw.get();
    // Deep values would consist of indentation.
    let is_written =
        text.contains('\n') || !text.starts_with(['{', '[']) || nesting(text) > DEEPEST;
    if is_written { text.to_owned() } else { json_text::pretty_text(text) }
}

/// Whether two JSON strings have the same content after unescaping.
fn same_string(left: &JsonText, right: &JsonText) -> bool {
    left.kind() == Kind::String
        && right.kind() == Kind::String
        && left.decode::<String>().is_ok_and(|left| right.decode::<String>() == Ok(left))
}

/// Whether what was entered could be sent, as far as the form can tell.
pub(crate) fn admits(slot: &Slot, entered: &Entered) -> bool {
    let form = Form::of_slot(slot.clone());
    let draft = Draft { root: entered.clone(), ids: Ids::default() };
    draft.read(&form).messages().is_empty()
}

/// Whether no part of what is sent is JSON text.
fn is_in_widgets(entered: &Entered) -> bool {
    match entered.sent() {
        Some(Content::Json { .. }) => false,
        Some(Content::Object { members, entries, .. }) => {
            members.iter().chain(entries.iter().map(|it| &it.entered)).all(is_in_widgets)
        }
        Some(Content::List(items)) => items.iter().all(|item| is_in_widgets(&item.entered)),
        Some(Content::Union { branch, visited }) => {
            visited.iter().all(|(at, entered)| at != branch || is_in_widgets(entered))
        }
        _ => true,
    }
}

/// The branches that a value may belong to, the likeliest first. Looks one level deep only, so that
/// nested unions do not multiply the cost.
fn by_likeness(branches: &[Branch], raw: &RawValue) -> Vec<usize> {
    let node = Node::of(raw);
    let mut found: Vec<(i32, usize)> = branches
        .iter()
        .enumerate()
        .filter_map(|(index, branch)| Some((likeness(&branch.slot, raw, &node, 0)?, index)))
        .collect();
    found.sort_by_key(|(likeness, index)| (std::cmp::Reverse(*likeness), *index));
    found.into_iter().map(|(_, index)| index).collect()
}

fn likeness(slot: &Slot, raw: &RawValue, node: &Node<'_>, depth: usize) -> Option<i32> {
    let field = slot.field();
    let kind = JsonText::from(raw).kind();
    if kind == Kind::Null && field.nullable {
        return Some(3);
    }
    match (&field.kind, node) {
        (FieldKind::Integer(_), Node::Number(text)) if is_integer(text) => Some(3),
        (FieldKind::Integer(_), Node::Number(text)) => {
            Decimal::parse(text).is_some_and(|decimal| decimal.is_whole()).then_some(1)
        }
        (FieldKind::Number(_), Node::Number(_)) => Some(2),
        (FieldKind::Text(_), Node::String(_)) | (FieldKind::Boolean, Node::Bool(_)) => Some(2),
        (FieldKind::Choice(options), _) => {
            let value = canonical(&JsonText::from(raw));
            options.iter().any(|option| canonical(&option.value) == value).then_some(4)
        }
        (FieldKind::Object(object), Node::Object(members)) => {
            Some(object_likeness(object, members))
        }
        (FieldKind::List(list), Node::Array(items)) => {
            let first = items.first().zip(list.item(0));
            Some(first.map_or(1, |(raw, slot)| likeness_of_member(slot, raw)))
        }
        (FieldKind::Union(_), _) if depth > 8 => None,
        (FieldKind::Union(branches), _) => branches
            .iter()
            .find_map(|branch| likeness(&branch.slot, raw, node, depth + 1))
            .map(|found| found.min(1)),
        (FieldKind::Json(_), _) => Some(-50),
        // Keywords such as `prefixItems` suggest a widget; without a `type` they admit any other
        // kind of value too.
        _ => field.types.admit(kind).then_some(-60),
    }
}

fn object_likeness(object: &ObjectField, members: &[(String, &RawValue)]) -> i32 {
    let mut total = 1;
    for slot in &object.members {
        match members.iter().find(|(key, _)| key == slot.key()) {
            Some((_, raw)) => total += likeness_of_member(slot, raw),
            None if slot.required() => total -= 5,
            None => {}
        }
    }
    let unknown = members
        .iter()
        .filter(|(key, _)| !object.members.iter().any(|slot| slot.key() == key))
        .count();
    let price = if object.extras.slot().is_some() { 1 } else { 5 };
    total - price * i32::try_from(unknown).unwrap_or(i32::MAX / 8)
}

fn likeness_of_member(slot: &Slot, raw: &RawValue) -> i32 {
    let field = slot.field();
    let kind = JsonText::from(raw).kind();
    match &field.kind {
        FieldKind::Choice(options) => {
            let value = canonical(&JsonText::from(raw));
            let named = options.iter().any(|option| canonical(&option.value) == value);
            // A tag with one value decides the branch.
            match (named, options.len()) {
                (true, 1) => 30,
                (true, _) => 5,
                (false, _) => -30,
            }
        }
        _ if !field.types.admit(kind) => -10,
        _ => 2,
    }
}
