//! [`values`]: generates values that a schema accepts, from the schema alone.
//!
//! A generated value is a guess; the check decides whether it is valid, and invalid guesses are
//! dropped. The same schema always gives the same values. This file has what all types share; each
//! type has a file.

mod arrays;
mod layers;
mod objects;
mod scalars;

use std::collections::HashSet;

use json_text::JsonText;
use serde_json::{Map, Value};

use self::layers::{Layers, each, is_nested, kinds, resolve};
use crate::Check;
use crate::check::normalized_pointer;
use crate::normalize::normalize;
use crate::random::SeededRandom;

/// How many guesses are made per wanted value.
const GUESSES: usize = 40;

/// From this depth on, only required parts are generated.
const SHALLOW_DEPTH: usize = 6;

/// Beyond this depth the guess is dropped.
const MAX_DEPTH: usize = 24;

/// How many nodes one guess may have.
const MAX_NODES: usize = 2_000;

/// At most `wanted` different values that `schema` accepts: the first with as little as possible,
/// the second with as much as possible, the rest in between. Fewer, or none, if guessing finds no more.
#[must_use]
pub fn values(schema: &JsonText, check: &Check, wanted: usize) -> Vec<JsonText> {
    let Ok(schema) = schema.to_value().map(normalize) else { return Vec::new() };
    generate(&schema, &schema, check, wanted)
}

/// Like [`values`], for the part of `schema` at the JSON pointer `part`; `check` is of that part.
#[must_use]
pub fn values_of_part(
    schema: &JsonText,
    part: &str,
    check: &Check,
    wanted: usize,
) -> Vec<JsonText> {
    let Ok(schema) = schema.to_value().map(normalize) else { return Vec::new() };
    let part = normalized_pointer(&schema, part);
    schema.pointer(&part).map_or_else(Vec::new, |part| generate(&schema, part, check, wanted))
}

/// Values that `part` of the document `root` accepts.
fn generate(root: &Value, part: &Value, check: &Check, wanted: usize) -> Vec<JsonText> {
    let mut found: Vec<JsonText> = Vec::with_capacity(wanted);
    let mut seen = HashSet::new();
    for guess in 0..wanted * GUESSES {
        if found.len() == wanted {
            break;
        }
        let amount = match found.len() {
            0 => Amount::Minimal,
            1 => Amount::Maximal,
            _ => Amount::Mixed,
        };
        let mut generator =
            Generator { root, random: SeededRandom::new(guess as u64), amount, left: MAX_NODES };
        let Some(value) = generator.make(&[part], 0) else { continue };
        if check.admits(&value) {
            let value = JsonText::from_value(&value);
            if seen.insert(value.as_str().to_owned()) {
                found.push(value);
            } else if guess > found.len() * GUESSES {
                // Nearly exhausted: an enum, a boolean.
                break;
            }
        }
    }
    found
}

/// How much of the optional content is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Amount {
    Minimal,
    Maximal,
    Mixed,
}

/// Generates one guess.
struct Generator<'s> {
    root: &'s Value,
    random: SeededRandom,
    amount: Amount,
    left: usize,
}

impl<'s> Generator<'s> {
    /// A value that should satisfy all `schemas`; `None` when this guess fails.
    fn make(&mut self, schemas: &[&'s Value], depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        let layers = self.layers(schemas, depth)?;
        if let Some(value) = self.named(&layers) {
            return Some(value);
        }
        let kinds = kinds(&layers);
        let kind = *self.random.one_of(&kinds)?;
        // The author's example may satisfy what guessing cannot, such as a complex pattern.
        if self.random.one_in(6) {
            let examples: Vec<&Value> = each(&layers, "examples")
                .filter_map(Value::as_array)
                .flatten()
                .chain(each(&layers, "default"))
                .collect();
            if let Some(example) = self.random.one_of(&examples) {
                return Some((*example).clone());
            }
        }
        match kind {
            "null" => Some(Value::Null),
            "boolean" => Some(Value::Bool(self.random.one_in(2))),
            "integer" => self.number(&layers, true),
            "number" => self.number(&layers, false),
            "string" => Some(Value::String(self.string(&layers))),
            "array" => self.array(&layers, depth),
            _ => self.object(&layers, depth),
        }
    }

    /// The schemas that apply: references and `allOf` followed, one branch of each union and one
    /// side of each `if` chosen.
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
                    // At depth, prefer a flat branch so that a recursive schema ends.
                    let shallow: Vec<&Value> =
                        branches.iter().filter(|branch| !is_nested(branch)).collect();
                    let all: Vec<&Value> = branches.iter().collect();
                    let choice =
                        if depth >= SHALLOW_DEPTH && !shallow.is_empty() { shallow } else { all };
                    ahead.push(self.random.one_of(&choice)?);
                }
            }
            if members.contains_key("if") {
                conditions.push(members);
            }
        }
        Some(layers)
    }

    /// Whether keywords beside `$ref` are ignored, as up to draft 7.
    fn references_stand_alone(&self) -> bool {
        let edition = self.root.get("$schema").and_then(Value::as_str);
        edition.is_some_and(|name| name.contains("/draft-0"))
    }

    /// Chooses a side of each condition. Often only one of several is true, since a condition per
    /// enum value is common.
    fn decide(&mut self, conditions: &mut Vec<&'s Map<String, Value>>, ahead: &mut Vec<&'s Value>) {
        let only = self.random.one_in(2).then(|| self.random.below(conditions.len()));
        for (place, members) in conditions.drain(..).enumerate() {
            let holds = match only {
                Some(only) => place == only,
                None => self.random.one_in(2),
            };
            if holds {
                ahead.extend(members.get("if"));
                ahead.extend(members.get("then"));
            } else {
                ahead.extend(members.get("else"));
            }
        }
    }

    /// One of the values of `const` or `enum`, if present.
    fn named(&mut self, layers: &Layers<'s>) -> Option<Value> {
        if let Some(value) = each(layers, "const").next() {
            return Some(value.clone());
        }
        let lists: Vec<&Vec<Value>> = each(layers, "enum").filter_map(Value::as_array).collect();
        let shortest = lists.iter().min_by_key(|it| it.len())?;
        let in_all: Vec<&Value> =
            shortest.iter().filter(|value| lists.iter().all(|list| list.contains(value))).collect();
        self.random.one_of(&in_all).copied().cloned()
    }
}
