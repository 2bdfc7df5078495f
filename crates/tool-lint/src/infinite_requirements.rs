//! Required members that contain their own object again, so that no value is finite.

use std::ptr;

use schema_form::canonical_types;
use serde_json::{Map, Value};

use crate::sub_schema::{SubSchema, keyword_value, target};
use crate::{Report, Rule};

/// The longest cycle of schemas that is found.
const LONGEST: usize = 100;

/// A required member: the schema that requires it, and its name there.
type RequiredMember<'d> = (&'d Map<String, Value>, &'d str);

pub(crate) fn check<'d>(places: &[SubSchema<'d>], root: &'d Value, report: &mut Report) {
    // A cycle is reported once, at the first of its schemas.
    let mut reported: Vec<RequiredMember<'d>> = Vec::new();
    for place in places {
        for (index, name, member) in required_members(place.members) {
            if reported.iter().any(|step| is_same(*step, (place.members, name))) {
                continue;
            }
            let Some(cycle) = path_to(member, place.members, root, &mut Vec::new()) else {
                continue;
            };
            let message = format!(
                "`{name}` is required, and its object requires the same again, so no value is \
                 finite: make it optional, or allow null."
            );
            let pointer = format!("{}/{index}", place.at("required"));
            report.find(Rule::RequiredEndless, &pointer, message);
            reported.extend(cycle);
        }
    }
}

/// Whether both are the same member of the same schema, and not of one that looks like it.
fn is_same(one: RequiredMember<'_>, other: RequiredMember<'_>) -> bool {
    ptr::eq(one.0, other.0) && one.1 == other.1
}

/// The required members through which every value of `from` contains or is a value of `to`; `None`
/// if some value does not.
fn path_to<'d>(
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
    if let Some(path) = held.find_map(|next| path_to(next, to, root, seen)) {
        return Some(path);
    }
    required_members(schema).find_map(|(_, name, member)| {
        let mut path = path_to(member, to, root, seen)?;
        path.push((schema, name));
        Some(path)
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
    keyword_value(schema, "minItems")
        .and_then(|least| least.as_f64().or_else(|| least.as_str()?.parse().ok()))
        .is_some_and(|least| least >= 1.0)
}
