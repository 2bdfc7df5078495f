//! Members that require themselves: an object in which another of its kind must stand has no end.

use std::ptr;

use schema_check::types_meant;
use serde_json::{Map, Value};

use crate::place::{Place, resolve};
use crate::{Report, Rule};

/// How many schemas lie at most between a schema and itself.
const LONGEST: usize = 100;

pub(crate) fn check(places: &[Place<'_>], root: &Value, report: &mut Report) {
    for place in places {
        if let Some((index, name)) = endless_member(place.members, root) {
            // One circle is told once, at the first of its schemas.
            if report.findings.iter().any(|finding| finding.rule == Rule::RequiredEndless) {
                return;
            }
            let message = format!(
                "`{name}` is required and can only hold an object that requires the same again, so \
                 no value ever ends: require it no more, or let it be null."
            );
            let pointer = format!("{}/{index}", place.at("required"));
            report.find(Rule::RequiredEndless, &pointer, message);
        }
    }
}

/// The first required member of `schema` that must hold a value of `schema` again.
fn endless_member<'d>(schema: &'d Map<String, Value>, root: &'d Value) -> Option<(usize, &'d str)> {
    let mut members = required_members(schema);
    members.find_map(|(index, name, member)| {
        let mut seen = Vec::new();
        leads_to(member, schema, root, &mut seen).then_some((index, name))
    })
}

/// Whether a value of `from` cannot be without a value of `to` in it, or being one.
fn leads_to<'d>(
    from: &'d Value,
    to: &'d Map<String, Value>,
    root: &'d Value,
    seen: &mut Vec<&'d Map<String, Value>>,
) -> bool {
    let Value::Object(schema) = from else { return false };
    if ptr::eq(schema, to) {
        return true;
    }
    if seen.len() >= LONGEST || seen.iter().any(|known| ptr::eq(*known, schema)) {
        return false;
    }
    seen.push(schema);
    // All of these hold for the value itself.
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|it| resolve(root, it));
    let all = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let must_be_list = only_type(schema, "array") && at_least_one(schema);
    let items = schema.get("items").filter(|_| must_be_list);
    let held = target.into_iter().chain(all).chain(items);
    let inside = required_members(schema).map(|(_, _, member)| member);
    held.chain(inside).any(|next| leads_to(next, to, root, seen))
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
    !nullable && named.and_then(types_meant) == Some(&[name])
}

fn at_least_one(schema: &Map<String, Value>) -> bool {
    let least = ["minItems", "min_items"].iter().find_map(|name| schema.get(*name));
    least
        .and_then(|least| least.as_f64().or_else(|| least.as_str()?.parse().ok()))
        .is_some_and(|least| least >= 1.0)
}
