//! The catalog of tools: the summary of each tool, and the tools that match a filter.

use api::ToolView;
use json_text::{JsonText, Node, pointer};
use serde_json::value::RawValue;

use crate::shared::state::markdown::words;
use app::state::excerpt::visible_name;

/// One argument of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Whether it is required.
    pub required: bool,
}

/// The arguments that a tool takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Takes {
    /// Named arguments, including those of every alternative; may be none.
    Named(Vec<Argument>),
    /// Any arguments: no names are known.
    Anything,
}

/// How deep references and alternatives are followed.
const DEEPEST: usize = 8;

/// The arguments that `parameters` (a JSON Schema or a `google.genai` schema) allows, in order. An
/// argument of one alternative among several is not required.
#[must_use]
pub fn takes(parameters: Option<&JsonText>) -> Takes {
    let Some(parameters) = parameters else { return Takes::Named(Vec::new()) };
    let Ok(root) = parameters.decode::<&RawValue>() else { return Takes::Anything };
    let mut found = SchemaMembers::default();
    found.look(root, root, true, 0);
    let SchemaMembers { mut named, required, is_open, is_object } = found;
    if named.is_empty() && (is_open || !is_object) {
        return Takes::Anything;
    }
    for argument in &mut named {
        argument.required = required.contains(&argument.name);
    }
    Takes::Named(named)
}

/// The arguments found in a schema and in its subschemas for the same value.
#[derive(Default)]
struct SchemaMembers {
    named: Vec<Argument>,
    required: Vec<String>,
    /// Whether members without a name of their own are asked for.
    is_open: bool,
    is_object: bool,
}

impl SchemaMembers {
    /// Collects from `schema`. `is_certain` is whether it applies to every value.
    fn look(&mut self, root: &RawValue, schema: &RawValue, is_certain: bool, depth: usize) {
        let Node::Object(members) = Node::of(schema) else { return };
        for (keyword, raw) in members {
            match (keyword.as_str(), Node::of(raw)) {
                ("properties", Node::Object(properties)) => {
                    self.is_object = true;
                    for (name, _) in properties {
                        if !self.named.iter().any(|it| it.name == name) {
                            self.named.push(Argument { name, required: false });
                        }
                    }
                }
                ("required", Node::Array(names)) if is_certain => {
                    let names = names.iter().filter_map(|it| serde_json::from_str(it.get()).ok());
                    self.required.extend(names);
                }
                ("type", Node::String(kind)) => {
                    self.is_object |= kind.eq_ignore_ascii_case("object") || kind == "dict";
                }
                ("additionalProperties", Node::Object(_) | Node::Bool(true))
                | ("patternProperties" | "propertyNames", _) => self.is_open = true,
                _ if depth == DEEPEST => {}
                ("$ref", Node::String(place)) => match find(root, &place) {
                    Some(schema) => self.look(root, schema, is_certain, depth + 1),
                    None => self.is_open = true,
                },
                ("allOf", Node::Array(parts)) => {
                    for part in parts {
                        self.look(root, part, is_certain, depth + 1);
                    }
                }
                ("anyOf" | "any_of" | "oneOf", Node::Array(branches)) => {
                    // A single remaining alternative applies to every value.
                    let is_certain = is_certain && branches.len() == 1;
                    for branch in branches {
                        self.look(root, branch, is_certain, depth + 1);
                    }
                }
                ("then" | "else", _) => self.look(root, raw, false, depth + 1),
                _ => {}
            }
        }
    }
}

/// The schema at `place`, a reference within `root` such as `#/$defs/card`.
fn find<'r>(root: &'r RawValue, place: &str) -> Option<&'r RawValue> {
    let mut schema = root;
    for step in place.strip_prefix('#')?.split('/').skip(1) {
        let step = pointer::name(step);
        schema = match Node::of(schema) {
            Node::Object(members) => members.into_iter().find(|(name, _)| *name == step)?.1,
            Node::Array(items) => items.get(step.parse::<usize>().ok()?).copied()?,
            _ => return None,
        };
    }
    Some(schema)
}

/// How many members of an object are named in a result's short form.
const MEMBERS_NAMED: usize = 4;

/// The type of a tool's result, in short: `integer`, `array of string`, `{id, total}`; empty when it is
/// not declared.
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

/// The signature of a tool with its result:
/// `set_temperature(room, celsius, unit?) → {room, celsius}`.
#[must_use]
pub fn signature(tool: &ToolView) -> String {
    let arguments: Vec<String> = match takes(tool.parameters.as_ref()) {
        Takes::Named(arguments) => arguments
            .into_iter()
            .map(|it| if it.required { it.name } else { format!("{}?", it.name) })
            .collect(),
        Takes::Anything => vec!["…".to_owned()],
    };
    let call = format!("{}({})", tool.name, arguments.join(", "));
    let call = visible_name(&call);
    match returns(tool.response_schema.as_ref()) {
        returns if returns.is_empty() => call,
        returns => format!("{call} → {}", visible_name(&returns)),
    }
}

/// The first line of a description, without its Markdown marks.
#[must_use]
pub fn first_line(description: &str) -> String {
    visible_name(words(description.trim().lines().next().unwrap_or_default()).trim())
}

/// Whether `tool` has every word of `filter` in its name, title, description or argument names, ignoring
/// case.
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
            agent_model: None,
            can_be_played: false,
            provided_by: "agent".to_owned(),
            title: None,
            hints: api::ToolHints::default(),
        }
    }

    /// The arguments as a signature has them.
    fn taken(schema: &str) -> String {
        let mut tool = tool("t", "");
        tool.parameters = Some(text(schema));
        signature(&tool)
    }

    #[test]
    fn arguments_keep_their_order() {
        let schema = r#"{"type":"OBJECT","properties":{"b":{},"a":{}},"required":["a"]}"#;
        assert_eq!(taken(schema), "t(b?, a)");
        assert_eq!(takes(None), Takes::Named(Vec::new()));
        for none in [r#"{"type":"object"}"#, r#"{"type":"object","additionalProperties":false}"#] {
            assert_eq!(taken(none), "t()", "{none}");
        }
    }

    #[test]
    fn arguments_of_alternatives_and_references_count() {
        let union = r##"{"anyOf":[{"type":"object","properties":{"card":{},"to":{}},"required":["card"]},
            {"$ref":"#/$defs/bank~1iban"}],"$defs":{"bank/iban":{"properties":{"iban":{},"to":{}}}}}"##;
        assert_eq!(taken(union), "t(card?, to?, iban?)");
        let layers = r#"{"required":["a"],"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}},"required":["b"]}]}"#;
        assert_eq!(taken(layers), "t(a, b)");
        let condition = r#"{"type":"object","properties":{"a":{}},"if":{"properties":{"x":{}}},"then":{"properties":{"b":{}},"required":["b"]}}"#;
        assert_eq!(taken(condition), "t(a?, b?)");
        let endless = r##"{"$ref":"#"}"##;
        for any in [endless, "true", "{}", r#"{"type":"object","additionalProperties":{}}"#] {
            assert_eq!(taken(any), "t(…)", "{any}");
        }
        let elsewhere = r#"{"type":"object","$ref":"https://example.org/x.json"}"#;
        assert_eq!(taken(elsewhere), "t(…)");
    }

    #[test]
    fn characters_that_reorder_a_description_are_escaped() {
        assert_eq!(first_line("Pays \u{202e}evil\u{202c}.\nNow"), "Pays \\u202eevil\\u202c.");
    }

    #[test]
    fn result_types_are_named_in_short() {
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
    fn a_filter_matches_every_word() {
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
