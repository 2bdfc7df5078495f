//! The descriptions of arguments in a tool's own description.
//!
//! google-adk sends a Python function's docstring as the description of the tool, and its schema then
//! has no description for any argument. A form shows them at their fields.

use std::fmt::Write as _;

use json_text::{JsonText, Node};
use serde_json::value::RawValue;

/// The headings after which arguments are described, and those after which they are not.
const ARGUMENTS: [&str; 4] = ["args", "arguments", "parameters", "params"];
const OTHERS: [&str; 9] =
    ["returns", "return", "yields", "raises", "example", "examples", "note", "notes", "attributes"];

/// `parameters` with the descriptions in `docstring` for the arguments that have none in the schema.
///
/// ```
/// use json_text::JsonText;
/// use schema_form::describe_arguments;
/// let schema = JsonText::parse(r#"{"properties": {"room": {"type": "string"}}}"#)?;
/// let described = describe_arguments(&schema, "Opens it.\n\nArgs:\n  room: The room.");
/// assert!(described.as_str().contains(r#""description":"The room.""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn describe_arguments(parameters: &JsonText, docstring: &str) -> JsonText {
    described(parameters, docstring).unwrap_or_else(|| parameters.clone())
}

/// `None` when nothing is added.
fn described(parameters: &JsonText, docstring: &str) -> Option<JsonText> {
    let Node::Object(members) = parameters.open() else { return None };
    let (_, properties) = members.iter().find(|(key, _)| key == "properties")?;
    let Node::Object(properties) = Node::of(properties) else { return None };
    let names: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
    let found = descriptions(docstring, &names);
    if found.is_empty() {
        return None;
    }
    let properties = properties.iter().map(|(name, schema)| {
        let found = found.iter().find(|(of, _)| of == name);
        (name.as_str(), with_description(schema, found.map(|(_, text)| text.as_str())))
    });
    let properties = object(properties);
    let members = members.iter().map(|(key, raw)| {
        (key.as_str(), if key == "properties" { properties.clone() } else { raw.get().to_owned() })
    });
    JsonText::parse(&object(members)).ok()
}

/// `schema` with the description, unless it has one or is `true` or `false`.
fn with_description(schema: &RawValue, description: Option<&str>) -> String {
    match (Node::of(schema), description) {
        (Node::Object(members), Some(text))
            if !members.iter().any(|(key, _)| key == "description") =>
        {
            let own = ("description", JsonText::string(text).to_string());
            let members = members.iter().map(|(key, raw)| (key.as_str(), raw.get().to_owned()));
            object(members.chain([own]))
        }
        _ => schema.get().to_owned(),
    }
}

/// The text of an object with these members, whose values are JSON text.
fn object<'a>(members: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut text = String::new();
    for (key, value) in members {
        let before = if text.is_empty() { "{" } else { "," };
        // A `String` takes everything.
        let _ = write!(text, "{before}{}:{value}", JsonText::string(key));
    }
    if text.is_empty() { "{}".to_owned() } else { text + "}" }
}

/// The description of each of the arguments `names` that `docstring` describes, in the styles of Google,
/// Sphinx and NumPy.
fn descriptions<'n>(docstring: &str, names: &[&'n str]) -> Vec<(&'n str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    // The indent of the argument whose description may continue.
    let mut within = None;
    let (mut is_about_arguments, mut has_types) = (true, false);
    for line in docstring.lines() {
        let words = line.trim();
        let indent = line.len() - line.trim_start().len();
        let heading = words.trim_end_matches(':').to_lowercase();
        if words.starts_with("---") {
            // NumPy's style: the type is beside the name, and the text is below.
            has_types = true;
        } else if ARGUMENTS.contains(&heading.as_str()) || OTHERS.contains(&heading.as_str()) {
            is_about_arguments = ARGUMENTS.contains(&heading.as_str());
            within = None;
        } else if let Some((name, text)) = names
            .iter()
            .find_map(|name| Some((*name, begun(words, name)?)))
            .filter(|_| is_about_arguments)
        {
            within = found.iter().all(|(of, _)| *of != name).then_some(indent);
            if within.is_some() {
                found.push((name, if has_types { String::new() } else { text.to_owned() }));
            }
        } else if words.is_empty() || within.is_some_and(|begin| indent <= begin) {
            within = None;
        } else if let (Some(_), Some((_, text))) = (within, found.last_mut()) {
            let space = if text.is_empty() { "" } else { " " };
            *text += space;
            *text += words;
        }
    }
    found.retain(|(_, text)| !text.is_empty());
    found
}

/// What `line` says of the argument `name`: `room: The room.`, `- room (str): The room.`,
/// `:param str room: The room.`.
fn begun<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    if let Some(rest) = line.strip_prefix(":param ") {
        let (typed, text) = rest.split_once(':')?;
        return (typed.split_whitespace().last() == Some(name)).then(|| text.trim());
    }
    let line = line.trim_start_matches([' ', '-', '*', '`']);
    let rest = line.strip_prefix(name)?.trim_start_matches(['`', '*']).trim_start();
    let rest = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, rest)) => rest.trim_start(),
        None => rest,
    };
    rest.strip_prefix(':').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FieldKind, Form};

    fn check(docstring: &str, expected: &[(&str, &str)]) {
        let found = descriptions(docstring, &["room", "unit", "days"]);
        let found: Vec<_> = found.iter().map(|(name, text)| (*name, text.as_str())).collect();
        assert_eq!(found, expected, "{docstring}");
    }

    #[test]
    fn the_styles_of_docstrings_are_read() {
        check(
            "Sets it.\n\nArgs:\n    room: The room\n        to change.\n    unit (str): The unit.\n\nReturns:\n    days: None.",
            &[("room", "The room to change."), ("unit", "The unit.")],
        );
        check(
            ":param room: The room.\n:param str unit: The unit.\n:returns: It.",
            &[("room", "The room."), ("unit", "The unit.")],
        );
        check(
            "Parameters\n----------\nroom : str\n    The room.\nunit : str\n    The unit,\n    in short.\n\nReturns\n-------\ndays : int\n    The days.",
            &[("room", "The room."), ("unit", "The unit, in short.")],
        );
        check(
            "Sets it.\n- `room` (str): The room.\n* **unit**: The unit.",
            &[("room", "The room."), ("unit", "The unit.")],
        );
        check("Args:\n  room:\n    The room.\n  rooms: All.\n  unit:\n", &[("room", "The room.")]);
        check("The room: a place of a unit.", &[]);
        check("Args:\n  room: First.\n  room: Second.\n    More.", &[("room", "First.")]);
    }

    /// The descriptions of the fields of the described form.
    fn fields(schema: &str, docstring: &str) -> Vec<Option<String>> {
        let schema = JsonText::parse(schema).expect("the schema is JSON");
        let form = Form::of_schema(&describe_arguments(&schema, docstring));
        let FieldKind::Object(object) = &form.root().field().kind else { panic!("an object") };
        object.members.iter().map(|slot| slot.field().description.clone()).collect()
    }

    #[test]
    fn the_description_in_the_schema_comes_first() {
        let schema = r#"{"type": "object", "properties": {"room": {"type": "string", "description": "Own."},
            "unit": {"type": "string"}, "days": true}}"#;
        let docstring = "Args:\n  room: The room.\n  unit: The unit.\n  days: The days.";
        let own = |text: &str| Some(text.to_owned());
        assert_eq!(fields(schema, docstring), [own("Own."), own("The unit."), None]);
    }

    #[test]
    fn references_and_unions_are_described() {
        let schema = r##"{"type": "object", "properties": {"room": {"$ref": "#/$defs/room"},
            "unit": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}},
            "$defs": {"room": {"enum": ["office", "kitchen"]}}}"##;
        let docstring = "Args:\n  room: The room.\n  unit: The unit.";
        let own = |text: &str| Some(text.to_owned());
        assert_eq!(fields(schema, docstring), [own("The room."), own("The unit.")]);
    }

    #[test]
    fn a_schema_without_described_arguments_is_unchanged() {
        for schema in
            ["true", "{}", r#"{"properties": {}}"#, r#"{"properties":{"room": {"minimum": 1.50}}}"#]
        {
            let text = JsonText::parse(schema).expect("the schema is JSON");
            assert_eq!(describe_arguments(&text, "Opens it.").as_str(), schema);
        }
        let schema =
            JsonText::parse(r#"{"properties": {"room": {"minimum": 1.50}}}"#).expect("JSON");
        let described = describe_arguments(&schema, "Args:\n room: A \"room\".");
        assert_eq!(
            described.as_str(),
            r#"{"properties":{"room":{"minimum":1.50,"description":"A \"room\"."}}}"#
        );
    }
}
