//! What a person pastes: arguments copied from anywhere, and many items for a list.
//!
//! Arguments are an object, or a call that carries one: `{name, args}` as Gemini writes it,
//! `{function: {name, arguments: "…"}}` as OpenAI does, `{type: "tool_use", name, input}` as
//! Anthropic does, `{jsonrpc, method: "tools/call", params: …}` as MCP does, alone, as the one call of
//! a list, a message or a model's whole answer, or between code fences.

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

/// Members under which a message or a model's whole answer has its calls.
const AROUND: [&str; 12] = [
    "choices",
    "candidates",
    "message",
    "output",
    "content",
    "parts",
    "tool_calls",
    "toolCalls",
    "tool_call",
    "function_call",
    "functionCall",
    "function",
];

/// Members that name a call's tool.
const NAMES: [&str; 4] = ["name", "toolName", "tool_name", "tool"];

/// How deep in a message a call is looked for; in OpenAI's whole answer it is seven deep.
const DEEPEST: usize = 10;

/// A call in a message: the tool and its arguments.
type Call<'t> = (String, &'t RawValue);

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
                if let [one] = items.as_slice() {
                    return Ok(Some(JsonText::from(*one)));
                }
                let mut calls = Vec::new();
                items.iter().for_each(|item| calls_in(item, 1, &mut calls));
                return match the_one(&calls, tool)? {
                    Some(arguments) => Ok(Some(arguments)),
                    None => Err(PasteError::ManyCalls { count: items.len() }),
                };
            }
            // Arguments written as a string.
            Node::String(content) => return Ok(Some(JsonText::parse(content.trim())?)),
            _ => return Ok(None),
        };
        if let Some((name, arguments)) = call(&members, |key| !self.has_member(key)) {
            if let Some(name) = name {
                *tool = Some(name);
            }
            return Ok(Some(JsonText::from(arguments)));
        }
        let mut calls = Vec::new();
        for (key, raw) in &members {
            if AROUND.contains(&key.as_str()) && !self.has_member(key) {
                calls_in(raw, 1, &mut calls);
            }
        }
        the_one(&calls, tool)
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

/// What an object that is a call, or an envelope around one, carries, with the tool that it names.
/// `free` tells whether a member's name is not one of the tool's own.
fn call<'t>(
    members: &[(String, &'t RawValue)],
    free: impl Fn(&str) -> bool,
) -> Option<(Option<String>, &'t RawValue)> {
    let known = |key: &str| ENVELOPE.contains(&key) || CARRIED.contains(&key);
    if !members.iter().all(|(key, _)| known(key)) {
        return None;
    }
    let carries = |key: &str| CARRIED.contains(&key) && free(key);
    let (_, arguments) = members.iter().find(|(key, raw)| carries(key) && holds(raw))?;
    let name = members.iter().find(|(key, _)| NAMES.contains(&key.as_str()));
    let name = name.and_then(|(_, raw)| serde_json::from_str(raw.get()).ok());
    Some((name, *arguments))
}

/// Collects the calls that name their tool in a message or a part of one, `depth` levels deep.
fn calls_in<'t>(raw: &'t RawValue, depth: usize, calls: &mut Vec<Call<'t>>) {
    if depth > DEEPEST {
        return;
    }
    match Node::of(raw) {
        Node::Array(items) => items.into_iter().for_each(|item| calls_in(item, depth + 1, calls)),
        Node::Object(members) => match call(&members, |_| true) {
            Some((Some(name), arguments)) => calls.push((name, arguments)),
            _ => {
                for (key, raw) in members {
                    if AROUND.contains(&key.as_str()) {
                        calls_in(raw, depth + 1, calls);
                    }
                }
            }
        },
        _ => {}
    }
}

/// The arguments of the only call there is, whose name becomes the `tool`.
fn the_one(calls: &[Call<'_>], tool: &mut Option<String>) -> Result<Option<JsonText>, PasteError> {
    match calls {
        [] => Ok(None),
        [(name, arguments)] => {
            *tool = Some(name.clone());
            Ok(Some(JsonText::from(*arguments)))
        }
        calls => Err(PasteError::ManyCalls { count: calls.len() }),
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
