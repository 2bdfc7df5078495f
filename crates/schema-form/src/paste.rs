//! Reads pasted text: arguments copied from other tools, and items of a list.
//!
//! Arguments are an object, or a call that carries one: `{name, args}` as Gemini writes it,
//! `{function: {name, arguments: "…"}}` as OpenAI does, `{type: "tool_use", name, input}` as
//! Anthropic does, `{jsonrpc, method: "tools/call", params: …}` as MCP does, alone, as the one call of
//! a list, a message or a model's whole response, or between code fences.

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
    /// The name of the called tool, if given.
    pub tool: Option<String>,
    /// Members that the schema does not have; the form keeps them with a message.
    pub unknown: Vec<String>,
}

/// Why pasted text cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasteError {
    /// There is no text.
    #[error("there is nothing to paste: copy the arguments first")]
    Nothing,
    /// The text is not JSON.
    #[error("not JSON: {0}. Copy the whole object, from {{ to }}")]
    NotJson(#[from] JsonTextError),
    /// Another sort of value.
    #[error("arguments must be an object, found {found}: copy from {{ to }}, or the whole call")]
    NotAnObject {
        /// JSON Schema's name of the value's type.
        found: &'static str,
    },
    /// More calls than one.
    #[error("found a list of {count} items: copy one call or one object from it")]
    ManyCalls {
        /// How many.
        count: usize,
    },
}

/// Keys of a call other than its arguments.
const ENVELOPE_KEYS: [&str; 17] = [
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

/// Keys under which a call has its arguments or a nested call.
const ARGUMENT_KEYS: [&str; 11] = [
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

/// Keys under which a message or a model's response has its calls.
const CONTAINER_KEYS: [&str; 12] = [
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

/// Keys of a call's tool name.
const NAME_KEYS: [&str; 4] = ["name", "toolName", "tool_name", "tool"];

/// The deepest level searched for calls; OpenAI's responses need seven.
const DEEPEST: usize = 10;

/// A call in a message: the tool and its arguments.
type Call<'t> = (String, &'t RawValue);

impl Form {
    /// Reads arguments for this form from pasted text.
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
    /// [`PasteError`] when the text has no arguments.
    pub fn pasted(&self, text: &str) -> Result<Pasted, PasteError> {
        let text = without_code_fence(text);
        if text.is_empty() {
            return Err(PasteError::Nothing);
        }
        let mut value = JsonText::parse(text)?;
        let mut tool = None;
        // Calls nest at most a few levels deep.
        for _ in 0..6 {
            match self.migrated(&value, &mut tool)? {
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

    /// The arguments in `value`, if it is a call or a list of one.
    fn migrated(
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
                return match only_call(&calls, tool)? {
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
            if CONTAINER_KEYS.contains(&key.as_str()) && !self.has_member(key) {
                calls_in(raw, 1, &mut calls);
            }
        }
        only_call(&calls, tool)
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
        let text = without_code_fence(text);
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
                // A line may be copied from a list.
                Ok(value) if !takes_text || value.kind() == Kind::String => value,
                _ => JsonText::string(line),
            }
        };
        lines.map(item).collect()
    }
}

/// The tool name and the arguments of an object that is a call or wraps one. `free`: whether a
/// key is not a parameter of the tool itself.
fn call<'t>(
    members: &[(String, &'t RawValue)],
    free: impl Fn(&str) -> bool,
) -> Option<(Option<String>, &'t RawValue)> {
    let known = |key: &str| ENVELOPE_KEYS.contains(&key) || ARGUMENT_KEYS.contains(&key);
    if !members.iter().all(|(key, _)| known(key)) {
        return None;
    }
    let carries = |key: &str| ARGUMENT_KEYS.contains(&key) && free(key);
    let (_, arguments) = members.iter().find(|(key, raw)| carries(key) && may_be_arguments(raw))?;
    let name = members.iter().find(|(key, _)| NAME_KEYS.contains(&key.as_str()));
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
                    if CONTAINER_KEYS.contains(&key.as_str()) {
                        calls_in(raw, depth + 1, calls);
                    }
                }
            }
        },
        _ => {}
    }
}

/// The arguments of the only call; sets `tool` to its name.
fn only_call(
    calls: &[Call<'_>],
    tool: &mut Option<String>,
) -> Result<Option<JsonText>, PasteError> {
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
fn may_be_arguments(raw: &RawValue) -> bool {
    match Node::of(raw) {
        Node::Object(_) | Node::Array(_) => true,
        Node::String(content) => content.trim_start().starts_with('{'),
        _ => false,
    }
}

/// The text without the Markdown code fence around it.
fn without_code_fence(text: &str) -> &str {
    let text = text.trim().trim_start_matches('\u{feff}');
    let Some(inner) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    inner.split_once('\n').map_or(inner, |(_, rest)| rest).trim()
}
