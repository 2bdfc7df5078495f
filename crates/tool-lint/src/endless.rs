//! Members that require themselves: an object that requires another of its kind has no finite value.

use std::ptr;

use schema_form::canonical_types;
use serde_json::{Map, Value};

use crate::place::{SubSchema, said, target};
use crate::{Report, Rule};

/// How many schemas lie at most between a schema and itself.
const LONGEST: usize = 100;

/// A required member: the schema that requires it, and its name there.
type RequiredMember<'d> = (&'d Map<String, Value>, &'d str);

pub(crate) fn check<'d>(places: &[SubSchema<'d>], root: &'d Value, report: &mut Report) {
    // A cycle is reported once, at the first of its schemas.
    let mut told: Vec<RequiredMember<'d>> = Vec::new();
    for place in places {
        for (index, name, member) in required_members(place.members) {
            if told.iter().any(|step| is_same(*step, (place.members, name))) {
                continue;
            }
            let Some(circle) = way(member, place.members, root, &mut Vec::new()) else { continue };
            let message = format!(
                "`{name}` is required, and its object requires the same again, so no value is \
                 finite: make it optional, or allow null."
            );
            let pointer = format!("{}/{index}", place.at("required"));
            report.find(Rule::RequiredEndless, &pointer, message);
            told.extend(circle);
        }
    }
}

/// Whether both are the same member of the same schema, and not of one that looks like it.
fn is_same(one: RequiredMember<'_>, other: RequiredMember<'_>) -> bool {
    ptr::eq(one.0, other.0) && one.1 == other.1
}

/// The required members through which a value of `from` cannot be without a value of `to` in it, or
/// being one; `None` where it can.
fn way<'d>(
    from: &'d Value,
    to: &'d Map<String, Value>,
    root: &'d Value,
    seen: &mut Vec<&'d Map<String, Value>>,
) -> Option<Vec<RequiredMember<'d>>> {
    let Value::Object(schema) = from else { return None };
    if ptr::eq(schema, to) {
        return Some(Vec::new());
    }
    if seen.len() >= LONGEST || seen.iter().any(|known| ptr::eq(*known, schema)) {
        return None;
    }
    seen.push(schema);
    // All of these hold for the value itself.
    let all = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let must_be_list = only_type(schema, "array") && at_least_one(schema);
    let items = schema.get("items").filter(|_| must_be_list);
    let mut held = target(schema, root).into_iter().chain(all).chain(items);
    if let Some(way) = held.find_map(|next| way(next, to, root, seen)) {
        return Some(way);
    }
    required_members(schema).find_map(|(_, name, member)| {
        let mut way = way(member, to, root, seen)?;
        way.push((schema, name));
        Some(way)
    })
}

/// The members that every value of the schema has, with their places in `required`.
fn required_members(schema: &Map<String, Value>) -> impl Iterator<Item = (usize, &str, &Value)> {
    // What may be no object need not have members.
    let names = schema.get("required").filter(|_| only_type(schema, "object"));
    let names = names.and_then(Value::as_array).into_iter().flatten().enumerate();
    let properties = schema.get("properties").and_then(Value::as_object);
    names.filter_map(move |(index, name)| {
        let name = name.as_str()?;
        Some((index, name, properties?.get(name)?))
    })
}

/// Whether the schema's own `type` admits values of this type alone.
fn only_type(schema: &Map<String, Value>, name: &str) -> bool {
    let nullable = schema.get("nullable") == Some(&Value::Bool(true));
    let named = schema.get("type").and_then(Value::as_str);
    !nullable && named.and_then(canonical_types) == Some(&[name])
}

fn at_least_one(schema: &Map<String, Value>) -> bool {
    said(schema, "minItems")
        .and_then(|least| least.as_f64().or_else(|| least.as_str()?.parse().ok()))
        .is_some_and(|least| least >= 1.0)
}
