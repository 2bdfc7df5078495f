//! Rules for an argument's documentation: description, type, items, members, the names of a union's
//! branches.

use serde_json::Value;

use crate::sub_schema::{Part, SubSchema, forbids, keyword_value, resolve, target, types_of};
use crate::{Report, Rule, naming};

pub(crate) fn check(place: &SubSchema<'_>, root: &Value, tool: &str, report: &mut Report) {
    if let Part::Argument(name) = place.part
        && !forbids(place.members)
    {
        described(place, name, root, tool, report);
        typed(place, name, report);
    }
    shape(place, report);
    names(place, report);
    branches(place, root, report);
}

fn described(place: &SubSchema<'_>, name: &str, root: &Value, tool: &str, report: &mut Report) {
    // A constant needs no description; it may tag a union's branch.
    let fixed = place.members.contains_key("const");
    if !fixed
        && !has_description(place.members.get("description"), root, place, 0)
        && !describes(tool, name)
    {
        let message =
            format!("`{name}` has no description: add one with unit or format and an example.");
        report.find(Rule::ArgumentDescriptionMissing, &place.pointer, message);
    }
}

/// Whether the argument or its reference target has a description.
fn has_description(own: Option<&Value>, root: &Value, place: &SubSchema<'_>, depth: usize) -> bool {
    let is_text = |text: Option<&Value>| {
        text.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
    };
    if is_text(own) {
        return true;
    }
    if depth > 8 {
        return false;
    }
    let branches = ["allOf", "anyOf", "oneOf"]
        .iter()
        .filter_map(|keyword| place.get(&[keyword]).and_then(Value::as_array))
        .flatten();
    target(place.members, root).into_iter().chain(branches).any(|schema| {
        let Value::Object(members) = schema else { return false };
        let inner = SubSchema { pointer: String::new(), members, part: Part::ASIDE };
        has_description(members.get("description"), root, &inner, depth + 1)
    })
}

/// Whether the tool's description has a line about the argument, as Python's docstrings do:
/// `room: The room.`, `- room (str): The room.`, `:param room: The room.`
fn describes(tool: &str, name: &str) -> bool {
    tool.lines().any(|line| {
        let line = line.trim_start_matches([' ', '\t', '-', '*', '`']);
        let line = line.strip_prefix(":param ").unwrap_or(line).trim_start();
        let Some(rest) = line.strip_prefix(name) else { return false };
        let rest = rest.trim_start_matches(['`', '*']).trim_start();
        let rest = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((_, rest)) => rest.trim_start(),
            None => rest,
        };
        rest.strip_prefix(':').is_some_and(|rest| !rest.trim().is_empty())
    })
}

fn typed(place: &SubSchema<'_>, name: &str, report: &mut Report) {
    const DESCRIBE_VALUES: [&str; 8] = [
        "type",
        "enum",
        "const",
        "properties",
        "items",
        "prefixItems",
        "additionalProperties",
        "required",
    ];
    if !place.is_composed() && place.get(&DESCRIBE_VALUES).is_none() {
        let message = format!(
            "`{name}` has no type, so a model has to guess and the form has no widget: add a type."
        );
        report.find(Rule::TypeMissing, &place.pointer, message);
    }
}

fn shape(place: &SubSchema<'_>, report: &mut Report) {
    let named = place.get(&["enum", "const"]).is_some();
    if place.is_composed() || named || place.part.is_aspect() && place.members.len() == 1 {
        return;
    }
    let types = types_of(place.members);
    let only = |kind: &str| types.iter().all(|one| *one == kind || *one == "null");
    let items = ["items", "prefixItems", "contains", "additionalItems"];
    if types.contains(&"array") && only("array") && place.get(&items).is_none() {
        report.find(
            Rule::ItemsMissing,
            &place.pointer,
            "The list does not describe its items, and some services reject it: add `items`.",
        );
    }
    let members = [
        "properties",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "unevaluatedProperties",
        "required",
    ];
    let argument = matches!(place.part, Part::Argument(_));
    if argument && types.contains(&"object") && only("object") && place.get(&members).is_none() {
        report.find(
            Rule::MembersMissing,
            &place.pointer,
            "The object does not describe its members: add `properties`, or \
             `additionalProperties` for members with any name.",
        );
    }
}

fn names(place: &SubSchema<'_>, report: &mut Report) {
    if let Some(Value::Object(properties)) = place.members.get("properties") {
        for (first, second) in naming::case_twins(properties.keys().map(String::as_str)) {
            let pointer =
                format!("{}/{}", place.at("properties"), crate::sub_schema::token(second));
            let message = format!(
                "`{second}` and `{first}` differ only by case, so a model confuses them: rename one."
            );
            report.find(Rule::NamesDifferByCase, &pointer, message);
        }
    }
}

fn branches(place: &SubSchema<'_>, root: &Value, report: &mut Report) {
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = place.get(&[keyword]) else { continue };
        let mut seen: Vec<String> = Vec::new();
        let mut alike: Vec<String> = Vec::new();
        for branch in branches {
            // A branch that only adds conditions has no name.
            let Some(name) = branch_name(branch, root) else { continue };
            if seen.contains(&name) && !alike.contains(&name) {
                alike.push(name.clone());
            }
            seen.push(name);
        }
        for name in alike {
            let count = seen.iter().filter(|other| **other == name).count();
            let message =
                format!("{count} branches have the name \"{name}\": give each its own `title`.");
            report.find(Rule::UnionUnnamed, &place.at(keyword), message);
        }
    }
}

/// The name of a branch: its title, definition's name, tag or type; `None` without any of them.
fn branch_name(branch: &Value, root: &Value) -> Option<String> {
    let text = |schema: &Value, keyword: &str| {
        keyword_value(schema.as_object()?, keyword)?
            .as_str()
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    if let Some(title) = text(branch, "title") {
        return Some(title);
    }
    if let Some(reference) = text(branch, "$ref") {
        let title = resolve(root, &reference).and_then(|target| text(target, "title"));
        return title.or_else(|| reference.rsplit('/').next().map(str::to_owned));
    }
    let properties = branch.get("properties").and_then(Value::as_object);
    let tag = properties.into_iter().flatten().find_map(|(_, property)| {
        let one = property.get("enum").and_then(Value::as_array).filter(|values| values.len() == 1);
        text(property, "const").or_else(|| one?.first()?.as_str().map(str::to_owned))
    });
    if tag.is_some() {
        return tag;
    }
    // Constants become one list to choose from.
    if branch.get("const").is_some() || branch.get("enum").is_some() {
        return None;
    }
    match types_of(branch.as_object()?).as_slice() {
        ["array"] => {
            let items =
                branch.get("items").and_then(Value::as_object).map(types_of).unwrap_or_default();
            let of = items.first().map(|item| format!(" of {item}")).unwrap_or_default();
            Some(format!("array{of}"))
        }
        [one] => Some((*one).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docstrings_describe_their_arguments() {
        for line in [
            "    room: The room.",
            "- room (str): The room.",
            "* `room`: The room.",
            ":param room: The room.",
        ] {
            assert!(describes(&format!("Sets it.\n\nArgs:\n{line}"), "room"), "{line}");
        }
        for line in ["the room: a place", "room", "rooms: many", "room:"] {
            assert!(!describes(line, "room"), "{line}");
        }
    }
}
