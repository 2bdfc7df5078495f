//! [`values`]: values that a schema admits, made from the schema alone.
//!
//! A made value is a good guess; whether it is valid decides the check, and guesses that are not
//! are thrown away. The same schema always gives the same values. Here is what holds of every kind
//! of value; each kind has a file.

mod arrays;
mod layers;
mod objects;
mod scalars;

use std::collections::HashSet;

use json_text::JsonText;
use serde_json::{Map, Value};

use self::layers::{Layers, each, is_nested, kinds, resolve};
use crate::Check;
use crate::chance::Chance;
use crate::check::spelled_part;
use crate::plain::plain;

/// How often a guess is made for one value that is wanted.
const GUESSES: usize = 40;

/// Below this depth only what must be there is made.
const DEEP: usize = 6;

/// Below this depth nothing is made: the guess is thrown away.
const DEEPEST: usize = 24;

/// How many nodes one guess may have.
const LARGEST: usize = 2_000;

/// At most `wanted` different values that `schema` admits: the first with as little as possible,
/// the second with as much, the rest in between. Fewer, or none, where guessing finds no more.
#[must_use]
pub fn values(schema: &JsonText, check: &Check, wanted: usize) -> Vec<JsonText> {
    let Ok(schema) = schema.to_value().map(plain) else { return Vec::new() };
    made(&schema, &schema, check, wanted)
}

/// The same for the part of `schema` that the JSON pointer `part` leads to, which `check` is of.
#[must_use]
pub fn values_of_part(
    schema: &JsonText,
    part: &str,
    check: &Check,
    wanted: usize,
) -> Vec<JsonText> {
    let Ok(schema) = schema.to_value().map(plain) else { return Vec::new() };
    let part = spelled_part(&schema, part);
    schema.pointer(&part).map_or_else(Vec::new, |part| made(&schema, part, check, wanted))
}

/// Values that `part` of the document `root` admits.
fn made(root: &Value, part: &Value, check: &Check, wanted: usize) -> Vec<JsonText> {
    let mut found: Vec<JsonText> = Vec::with_capacity(wanted);
    let mut seen = HashSet::new();
    for guess in 0..wanted * GUESSES {
        if found.len() == wanted {
            break;
        }
        let extent = match found.len() {
            0 => Extent::Least,
            1 => Extent::Most,
            _ => Extent::Between,
        };
        let mut maker = Maker { root, chance: Chance::new(guess as u64), extent, left: LARGEST };
        let Some(value) = maker.make(&[part], 0) else { continue };
        if check.admits(&value) {
            let value = JsonText::from_value(&value);
            if seen.insert(value.as_str().to_owned()) {
                found.push(value);
            } else if guess > found.len() * GUESSES {
                // As good as exhausted: an enum, a boolean.
                break;
            }
        }
    }
    found
}

/// How much of what may be left out is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Least,
    Most,
    Between,
}

/// One guess under way.
struct Maker<'s> {
    root: &'s Value,
    chance: Chance,
    extent: Extent,
    left: usize,
}

impl<'s> Maker<'s> {
    /// A value for which all `schemas` should hold; `None` where this guess led nowhere.
    fn make(&mut self, schemas: &[&'s Value], depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        let layers = self.layers(schemas, depth)?;
        if let Some(value) = self.named(&layers) {
            return Some(value);
        }
        let kinds = kinds(&layers);
        let kind = *self.chance.one_of(&kinds)?;
        // What the author gives as an example fits where nothing else does, such as a pattern.
        if self.chance.one_in(6) {
            let examples: Vec<&Value> = each(&layers, "examples")
                .filter_map(Value::as_array)
                .flatten()
                .chain(each(&layers, "default"))
                .collect();
            if let Some(example) = self.chance.one_of(&examples) {
                return Some((*example).clone());
            }
        }
        match kind {
            "null" => Some(Value::Null),
            "boolean" => Some(Value::Bool(self.chance.one_in(2))),
            "integer" => self.number(&layers, true),
            "number" => self.number(&layers, false),
            "string" => Some(Value::String(self.string(&layers))),
            "array" => self.array(&layers, depth),
            _ => self.object(&layers, depth),
        }
    }

    /// The schemas that hold: references followed, `allOf` taken along, a branch of each union and
    /// one side of each `if` chosen.
    fn layers(&mut self, schemas: &[&'s Value], depth: usize) -> Option<Layers<'s>> {
        let mut layers: Layers<'s> = Vec::new();
        let mut ahead: Vec<&'s Value> = schemas.to_vec();
        let mut conditions: Vec<&'s Map<String, Value>> = Vec::new();
        loop {
            let Some(schema) = ahead.pop() else {
                if conditions.is_empty() {
                    break;
                }
                self.decide(&mut conditions, &mut ahead);
                continue;
            };
            let members = match schema {
                Value::Bool(true) => continue,
                Value::Object(members) => members,
                _ => return None,
            };
            if layers.iter().any(|layer| std::ptr::eq(*layer, members)) {
                continue;
            }
            self.left = self.left.checked_sub(1)?;
            if self.references_stand_alone()
                && let Some(reference) = members.get("$ref").and_then(Value::as_str)
            {
                ahead.push(resolve(self.root, reference)?);
                continue;
            }
            layers.push(members);
            for keyword in ["$ref", "$dynamicRef"] {
                if let Some(reference) = members.get(keyword).and_then(Value::as_str) {
                    ahead.push(resolve(self.root, reference)?);
                }
            }
            if let Some(all) = members.get("allOf").and_then(Value::as_array) {
                ahead.extend(all);
            }
            for keyword in ["anyOf", "oneOf"] {
                if let Some(branches) = members.get(keyword).and_then(Value::as_array) {
                    // Deep down the shallow branch: a recursive schema must end.
                    let shallow: Vec<&Value> =
                        branches.iter().filter(|branch| !is_nested(branch)).collect();
                    let all: Vec<&Value> = branches.iter().collect();
                    let choice = if depth >= DEEP && !shallow.is_empty() { shallow } else { all };
                    ahead.push(self.chance.one_of(&choice)?);
                }
            }
            if members.contains_key("if") {
                conditions.push(members);
            }
        }
        Some(layers)
    }

    /// Whether a reference is all of its schema: up to draft 7 what stands beside it is ignored.
    fn references_stand_alone(&self) -> bool {
        let edition = self.root.get("$schema").and_then(Value::as_str);
        edition.is_some_and(|name| name.contains("/draft-0"))
    }

    /// Chooses a side of each condition. Of several, often one alone holds: a condition for each
    /// value of an enum is the usual case.
    fn decide(&mut self, conditions: &mut Vec<&'s Map<String, Value>>, ahead: &mut Vec<&'s Value>) {
        let alone = self.chance.one_in(2).then(|| self.chance.below(conditions.len()));
        for (place, members) in conditions.drain(..).enumerate() {
            let holds = match alone {
                Some(alone) => place == alone,
                None => self.chance.one_in(2),
            };
            if holds {
                ahead.extend(members.get("if"));
                ahead.extend(members.get("then"));
            } else {
                ahead.extend(members.get("else"));
            }
        }
    }

    /// One of the values that the schemas name, if they do.
    fn named(&mut self, layers: &Layers<'s>) -> Option<Value> {
        if let Some(value) = each(layers, "const").next() {
            return Some(value.clone());
        }
        let lists: Vec<&Vec<Value>> = each(layers, "enum").filter_map(Value::as_array).collect();
        let shortest = lists.iter().min_by_key(|it| it.len())?;
        let in_all: Vec<&Value> =
            shortest.iter().filter(|value| lists.iter().all(|list| list.contains(value))).collect();
        self.chance.one_of(&in_all).copied().cloned()
    }
}
