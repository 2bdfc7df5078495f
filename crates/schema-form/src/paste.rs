//! What a person pastes: arguments copied from anywhere, and many items for a list.
//!
//! Arguments are an object, or a call that carries one: `{name, args}` as Gemini writes it,
//! `{function: {name, arguments: "…"}}` as OpenAI does, `{type: "tool_use", name, input}` as
//! Anthropic does, `{jsonrpc, method: "tools/call", params: …}` as MCP does, alone, in a list of one,
//! or between code fences.

use json_text::{JsonText, JsonTextError, Kind, Node};
use serde_json::value::RawValue;

use crate::draft::{Content, Entered};
use crate::field::{FieldKind, ListField};
use crate::{Form, Path};

/// What was read from pasted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pasted {
    /// The arguments.
    pub value: JsonText,
    /// The tool that the call names, if it does.
    pub tool: Option<String>,
    /// Members that the schema does not have; they stay in the form, with their messages.
    pub unknown: Vec<String>,
}

/// Why pasted text cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasteError {
    /// There is no text.
    #[error("there is nothing to paste: copy the arguments first")]
    Nothing,
    /// The text is not JSON.
    #[error("not JSON: {0}; copy the whole object, from {{ to }}")]
    NotJson(#[from] JsonTextError),
    /// Another sort of value.
    #[error("arguments are an object; this is {found}: copy from {{ to }}, or the whole call")]
    NotAnObject {
        /// JSON Schema's name of the value's type.
        found: &'static str,
    },
    /// More calls than one.
    #[error("this is a list of {count}; copy one call or one object of it")]
    ManyCalls {
        /// How many.
        count: usize,
    },
}

/// Members that a call has beside its arguments.
const ENVELOPE: [&str; 17] = [
    "id",
    "type",
    "name",
    "call_id",
    "callId",
    "index",
    "tool_call_id",
    "toolName",
    "tool_name",
    "tool",
    "status",
    "thought_signature",
    "thoughtSignature",
    "cache_control",
    "jsonrpc",
    "method",
    "_meta",
];

/// Members under which a call carries its arguments, or a further envelope.
const CARRIED: [&str; 11] = [
    "args",
    "arguments",
    "input",
    "parameters",
    "params",
    "function",
    "function_call",
    "functionCall",
    "tool_call",
    "tool_calls",
    "toolCalls",
];

impl Form {
    /// Reads arguments for this form from text copied from anywhere.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::Form;
    /// let schema = r#"{"type": "object", "properties": {"city": {"type": "string"}}}"#;
    /// let form = Form::of_schema(&JsonText::parse(schema)?);
    /// let call = r#"{"type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Oslo\"}"}}"#;
    /// let pasted = form.pasted(call)?;
    /// assert_eq!(pasted.value.as_str(), r#"{"city": "Oslo"}"#);
    /// assert_eq!(pasted.tool.as_deref(), Some("weather"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PasteError`] when the text holds no arguments.
    pub fn pasted(&self, text: &str) -> Result<Pasted, PasteError> {
        let text = unfenced(text);
        if text.is_empty() {
            return Err(PasteError::Nothing);
        }
        let mut value = JsonText::parse(text)?;
        let mut tool = None;
        // An envelope in an envelope in a list is the deepest there is.
        for _ in 0..6 {
            match self.carried(&value, &mut tool)? {
                Some(inner) => value = inner,
                None => break,
            }
        }
        if value.kind() != Kind::Object {
            return Err(PasteError::NotAnObject { found: value.kind().name() });
        }
        let unknown = self.unknown(&value);
        Ok(Pasted { value, tool, unknown })
    }

    /// What `value` carries, if it is a call or a list of one.
    fn carried(
        &self,
        value: &JsonText,
        tool: &mut Option<String>,
    ) -> Result<Option<JsonText>, PasteError> {
        let members = match value.open() {
            Node::Object(members) => members,
            Node::Array(items) => {
                return match items.as_slice() {
                    [one] => Ok(Some(JsonText::from(*one))),
                    items => Err(PasteError::ManyCalls { count: items.len() }),
                };
            }
            // Arguments written as a string.
            Node::String(content) => return Ok(Some(JsonText::parse(content.trim())?)),
            _ => return Ok(None),
        };
        let carried = |key: &str| CARRIED.contains(&key) && !self.has_member(key);
        let known = |key: &str| ENVELOPE.contains(&key) || CARRIED.contains(&key);
        let is_call = members.iter().any(|(key, raw)| carried(key) && holds(raw))
            && members.iter().all(|(key, _)| known(key));
        if !is_call {
            return Ok(None);
        }
        let names = ["name", "toolName", "tool_name", "tool"];
        let name = members.iter().find(|(key, _)| names.contains(&key.as_str()));
        if let Some(name) = name.and_then(|(_, raw)| serde_json::from_str(raw.get()).ok()) {
            *tool = Some(name);
        }
        let inner = members.iter().find(|(key, raw)| carried(key) && holds(raw));
        Ok(inner.map(|(_, raw)| JsonText::from(*raw)))
    }

    fn has_member(&self, name: &str) -> bool {
        match &self.root().field().kind {
            FieldKind::Object(object) => object.members.iter().any(|member| member.key() == name),
            _ => false,
        }
    }

    /// The members of `value` that the schema does not have.
    fn unknown(&self, value: &JsonText) -> Vec<String> {
        let draft = self.fill(value);
        let root = draft.at(&Path::root()).and_then(Entered::content);
        let shape = draft.shape(self, &Path::root());
        let (Some(Content::Object { entries, .. }), Some(shape)) = (root, shape) else {
            return Vec::new();
        };
        let FieldKind::Object(object) = &shape.field().kind else { return Vec::new() };
        let is_named = !object.members.is_empty();
        let kept = matches!(object.extras, crate::Extras::Kept(_) | crate::Extras::Closed);
        let names = entries.iter().filter_map(|entry| entry.name.clone());
        names.filter(|name| object.entry(Some(name)).is_none() || (is_named && kept)).collect()
    }
}

impl ListField {
    /// Reads items from text: a JSON list, else a line each. A line is text where the list takes
    /// text, else the JSON it holds.
    #[must_use]
    pub fn pasted(&self, text: &str) -> Vec<JsonText> {
        let text = unfenced(text);
        if let Ok(value) = JsonText::parse(text)
            && let Node::Array(items) = value.open()
        {
            return items.into_iter().map(JsonText::from).collect();
        }
        let takes_text = self.rest.as_ref().is_some_and(|rest| match &rest.field().kind {
            FieldKind::Text(_) => true,
            FieldKind::Choice(options) => {
                options.iter().all(|option| option.value.kind() == Kind::String)
            }
            _ => false,
        });
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let item = |line: &str| {
            let bare = line.strip_suffix(',').unwrap_or(line);
            match JsonText::parse(bare) {
                // A line may be written as it stands in a list.
                Ok(value) if !takes_text || value.kind() == Kind::String => value,
                _ => JsonText::string(line),
            }
        };
        lines.map(item).collect()
    }
}

/// Whether the value may hold arguments: an object, a list, or JSON written as a string.
fn holds(raw: &RawValue) -> bool {
    match Node::of(raw) {
        Node::Object(_) | Node::Array(_) => true,
        Node::String(content) => content.trim_start().starts_with('{'),
        _ => false,
    }
}

/// The text without the fences of a code block around it.
fn unfenced(text: &str) -> &str {
    let text = text.trim().trim_start_matches('\u{feff}');
    let Some(inner) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    inner.split_once('\n').map_or(inner, |(_, rest)| rest).trim()
}
