//! [`readable_members`]: a tool without the members that the library cannot read.
//!
//! The library rejects a whole list because of one invalid tool. So invalid optional members of a tool are
//! left out, and a tool without a valid name or input schema is replaced by a placeholder with the reason.

use json_text::{JsonText, Node};
use rmcp::model::Tool;
use serde_json::value::RawValue;

use super::json_object::{Members, object};

/// The member of `_meta` with the reason why a tool is left out of the session's tools.
const LEFT_OUT: &str = "rehearsal/leftOut";
/// The member of `_meta` with the reason why a tool of the session cannot be called.
const NOT_CALLABLE: &str = "rehearsal/notCallable";

/// The members of the tool that the library can read. `notes` gets a sentence for each member that is left
/// out, with `name` as the tool's name.
pub(super) fn readable_members<'k>(
    members: Vec<(&'k str, String)>,
    name: &str,
    notes: &mut Vec<String>,
) -> Vec<(&'k str, String)> {
    if is_tool(&members) {
        return members;
    }
    if let Some(reason) = missing(&members) {
        notes.push(format!("The tool {name} is left out: {reason}."));
        return placeholder(name, &reason);
    }
    let needed = |key: &str| ["name", "inputSchema"].contains(&key);
    let (mut kept, others): (Vec<_>, Vec<_>) =
        members.into_iter().partition(|(key, _)| needed(key));
    for (key, value) in others {
        kept.push((key, value));
        if !is_tool(&kept)
            && let Some((key, value)) = kept.pop()
        {
            let kind = kind_of(&value);
            notes.push(format!(
                "The `{key}` of the tool {name} is left out: its value is of type {kind}, which \
                 the protocol does not allow there."
            ));
        }
    }
    if is_tool(&kept) { kept } else { placeholder(name, "it cannot be read") }
}

/// What is listed in place of a tool that is left out.
pub(super) fn placeholder(name: &str, reason: &str) -> Members<'static> {
    marked(LEFT_OUT, name, reason)
}

/// What is listed in place of a tool with a member that is nested too deep.
pub(super) fn too_deep(name: &str, member: &str, levels: usize) -> Members<'static> {
    let reason = format!(
        "its `{member}` is nested {levels} levels deep, deeper than the host reads. Let the server \
         flatten it"
    );
    marked(NOT_CALLABLE, name, &reason)
}

fn marked(marker: &str, name: &str, reason: &str) -> Members<'static> {
    vec![
        ("name", JsonText::string(name).to_string()),
        ("inputSchema", r#"{"type":"object"}"#.to_owned()),
        ("_meta", object(&[(marker, JsonText::string(reason).to_string())])),
    ]
}

/// Why the tool is listed but cannot be called, where it is nested too deep.
pub(super) fn too_deep_reason(tool: &Tool) -> Option<&str> {
    tool.meta.as_ref()?.0.get(NOT_CALLABLE)?.as_str()
}

/// Why the tool is left out, where it is a placeholder.
pub(super) fn invalid_reason(tool: &Tool) -> Option<&str> {
    tool.meta.as_ref()?.0.get(LEFT_OUT)?.as_str()
}

/// Whether the library can read it.
pub(super) fn is_readable(tool: &str) -> bool {
    serde_json::from_str::<Tool>(tool).is_ok()
}

fn is_tool(members: &[(&str, String)]) -> bool {
    is_readable(&object(members))
}

/// The required member that is missing or invalid.
fn missing(members: &[(&str, String)]) -> Option<String> {
    let member = |name| members.iter().find(|(key, _)| *key == name).map(|(_, value)| value);
    let Some(name) = member("name") else { return Some("it has no `name`".to_owned()) };
    if !matches!(opened(name), Some(Node::String(_))) {
        return Some(format!("its `name` must be a string and is of type {}", kind_of(name)));
    }
    let Some(schema) = member("inputSchema") else {
        return Some("it has no `inputSchema`".to_owned());
    };
    (!matches!(opened(schema), Some(Node::Object(_))))
        .then(|| format!("its `inputSchema` must be an object and is of type {}", kind_of(schema)))
}

fn opened(value: &str) -> Option<Node<'_>> {
    serde_json::from_str::<&RawValue>(value).ok().map(Node::of)
}

fn kind_of(value: &str) -> &'static str {
    JsonText::parse(value).map_or("value", |value| value.kind().name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tool: &[(&'static str, &str)]) -> (Tool, Vec<String>) {
        let members = tool.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
        let mut notes = Vec::new();
        let members = readable_members(members, "t", &mut notes);
        (serde_json::from_str(&object(&members)).expect("the library reads it"), notes)
    }

    #[test]
    fn leaves_out_optional_members_with_a_note() {
        let (tool, notes) = read(&[
            ("annotations", "[1]"),
            ("name", "\"t\""),
            ("description", "\"kept\""),
            ("inputSchema", r#"{"type":"object"}"#),
            ("outputSchema", "true"),
        ]);
        assert_eq!(invalid_reason(&tool), None);
        assert_eq!(tool.description.as_deref(), Some("kept"));
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(notes[0].contains("`annotations` of the tool t"), "{notes:?}");
        assert!(notes[1].contains("`outputSchema` of the tool t"), "{notes:?}");
    }

    #[test]
    fn replaces_a_tool_without_required_members_with_a_placeholder() {
        let unusable = |tool: &[(&'static str, &str)]| {
            let (tool, notes) = read(tool);
            assert_eq!(notes.len(), 1, "{notes:?}");
            invalid_reason(&tool).expect("marked").to_owned()
        };
        assert_eq!(unusable(&[("name", "\"t\"")]), "it has no `inputSchema`");
        assert_eq!(
            unusable(&[("name", "\"t\""), ("inputSchema", "true")]),
            "its `inputSchema` must be an object and is of type boolean"
        );
        assert_eq!(
            unusable(&[("name", "5"), ("inputSchema", "{}")]),
            "its `name` must be a string and is of type number"
        );
    }
}
