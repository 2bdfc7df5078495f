//! The catalogue of tools: what a card says of a tool, and which tools a filter leaves.

use json_text::{JsonText, Node};

use crate::api::ToolView;

/// One argument as a tool's card names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Whether it must be given.
    pub required: bool,
}

/// The arguments that `parameters` (a JSON Schema or a `google.genai` schema) names, in order.
#[must_use]
pub fn arguments(parameters: Option<&JsonText>) -> Vec<Argument> {
    let Some(parameters) = parameters else { return Vec::new() };
    let Node::Object(members) = parameters.open() else { return Vec::new() };
    let member =
        |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, raw)| Node::of(raw));
    let required: Vec<String> = match member("required") {
        Some(Node::Array(items)) => {
            items.iter().filter_map(|item| serde_json::from_str(item.get()).ok()).collect()
        }
        _ => Vec::new(),
    };
    match member("properties") {
        Some(Node::Object(properties)) => properties
            .into_iter()
            .map(|(name, _)| Argument { required: required.contains(&name), name })
            .collect(),
        _ => Vec::new(),
    }
}

/// How many members of an object are named in a result's short form.
const MEMBERS_NAMED: usize = 4;

/// What a tool returns, in short: `integer`, `array of string`, `{id, total}`; empty when its
/// declaration does not say.
#[must_use]
pub fn returns(schema: Option<&JsonText>) -> String {
    let Some(Node::Object(members)) = schema.map(JsonText::open) else { return String::new() };
    let member = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, raw)| *raw);
    let Some(kind) = member("type").map(Node::of) else { return String::new() };
    let kind = match kind {
        Node::String(kind) => kind.to_lowercase(),
        Node::Array(kinds) => kinds
            .iter()
            .filter_map(|kind| serde_json::from_str::<String>(kind.get()).ok())
            .collect::<Vec<_>>()
            .join(" or "),
        _ => return String::new(),
    };
    match kind.as_str() {
        "array" => match member("items").map(|items| returns(Some(&JsonText::from(items)))) {
            Some(items) if !items.is_empty() => format!("array of {items}"),
            _ => kind,
        },
        "object" => match member("properties").map(Node::of) {
            Some(Node::Object(members)) if !members.is_empty() => {
                let mut names: Vec<&str> =
                    members.iter().take(MEMBERS_NAMED).map(|(name, _)| name.as_ref()).collect();
                if members.len() > MEMBERS_NAMED {
                    names.push("…");
                }
                format!("{{{}}}", names.join(", "))
            }
            _ => kind,
        },
        _ => kind,
    }
}

/// The tool as it would be called, with what it returns:
/// `set_temperature(room, celsius, unit?) → {room, celsius}`.
#[must_use]
pub fn signature(tool: &ToolView) -> String {
    let arguments: Vec<String> = arguments(tool.parameters.as_ref())
        .into_iter()
        .map(|it| if it.required { it.name } else { format!("{}?", it.name) })
        .collect();
    let call = format!("{}({})", tool.name, arguments.join(", "));
    match returns(tool.response_schema.as_ref()) {
        returns if returns.is_empty() => call,
        returns => format!("{call} → {returns}"),
    }
}

/// The first line of a description, as words: without what marks them in markdown.
#[must_use]
pub fn first_line(description: &str) -> String {
    let line = description.trim().lines().next().unwrap_or_default();
    line.trim_start_matches(['#', '>', ' ']).trim().replace("**", "").replace('`', "")
}

/// Whether `tool` has every word of `filter` in its name, title, description or arguments' names,
/// whatever the case.
#[must_use]
pub fn fits(tool: &ToolView, filter: &str) -> bool {
    let title = tool.title.as_deref().unwrap_or_default();
    let text = format!("{} {title} {}", signature(tool), tool.description).to_lowercase();
    filter.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use session::ToolName;

    use super::*;

    fn text(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    fn tool(name: &str, description: &str) -> ToolView {
        ToolView {
            name: ToolName::parse(name).expect("valid"),
            description: description.to_owned(),
            declaration: JsonText::null(),
            parameters: None,
            response_schema: None,
            integers_of_64_bits: false,
            long_running: false,
            needs_confirmation: false,
            provided_by: "agent".to_owned(),
            title: None,
            hints: crate::api::ToolHints::default(),
        }
    }

    #[test]
    fn arguments_keep_their_order() {
        let schema = text(r#"{"type":"OBJECT","properties":{"b":{},"a":{}},"required":["a"]}"#);
        let named: Vec<_> =
            arguments(Some(&schema)).into_iter().map(|it| (it.name, it.required)).collect();
        assert_eq!(named, [("b".to_owned(), false), ("a".to_owned(), true)]);
        assert!(arguments(None).is_empty());
        assert!(arguments(Some(&text("true"))).is_empty());
    }

    #[test]
    fn results_are_named_in_a_word() {
        for (schema, expected) in [
            (r#"{"type":"INTEGER"}"#, "integer"),
            (r#"{"type":"array","items":{"type":"string"}}"#, "array of string"),
            (r#"{"type":["string","null"]}"#, "string or null"),
            (r#"{"type":"OBJECT"}"#, "object"),
            (r#"{"type":"object","properties":{"id":{},"total":{}}}"#, "{id, total}"),
            (
                r#"{"type":"array","items":{"type":"object","properties":{"a":{},"b":{},"c":{},"d":{},"e":{}}}}"#,
                "array of {a, b, c, d, …}",
            ),
            (r#"{"$ref":"x"}"#, ""),
        ] {
            assert_eq!(returns(Some(&text(schema))), expected);
        }
    }

    #[test]
    fn a_filter_wants_every_word() {
        let tool = tool("set_temperature", "Sets the target of a room.");
        assert!(fits(&tool, "ROOM temp"));
        assert!(fits(&tool, "  "));
        assert!(!fits(&tool, "room garage"));
    }

    #[test]
    fn a_filter_also_looks_at_arguments_and_results() {
        let mut tool = tool("set_temperature", "Sets the target.");
        tool.parameters = Some(text(
            r#"{"type":"object","properties":{"room":{},"celsius":{}},"required":["room"]}"#,
        ));
        tool.response_schema = Some(text(r#"{"type":"object","properties":{"was":{}}}"#));
        assert_eq!(signature(&tool), "set_temperature(room, celsius?) → {was}");
        assert!(fits(&tool, "celsius"));
        assert!(fits(&tool, "was target"));
        assert!(!fits(&tool, "kelvin"));
    }
}
