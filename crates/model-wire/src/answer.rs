//! [`Answer`]: a person's answer on its way into a vendor's shape.

use json_text::JsonText;
use live::{Content, FunctionCall, Part};

use crate::custom::FreeText;
use crate::inline;

/// What is known of a response before anybody has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The turn, as 32 hexadecimal digits: every id of the response is made from it, so that an
    /// answer that is sent again names the same calls.
    pub turn: String,
    /// The model that the agent named.
    pub model: String,
    /// When the agent asked, in seconds since the Unix epoch.
    pub created: i64,
    /// Members of the request that the response repeats, an object.
    pub echo: Option<JsonText>,
    /// Which of the request's tools take a free text: calls of these go out as such.
    pub free_text: FreeText,
}

/// A person's answer, and what the vendors put around it.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// What was known before.
    pub head: &'a Head,
    /// The candidates that the client takes, the first is the answer.
    pub candidates: &'a [Content],
}

impl<'a> Answer<'a> {
    /// The parts of the answer.
    pub(crate) fn parts(&self) -> &'a [Part] {
        self.candidates.first().map_or(&[], |content| &content.parts)
    }
}

impl Head {
    /// The id of a call, the person's where there is one.
    pub(crate) fn call_id(&self, call: &FunctionCall, prefix: &str, place: &PartIndex) -> String {
        match call.id.as_deref() {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => made_id(prefix, &self.turn, place),
        }
    }
}

/// What the ids of calls begin with where no person gave one: OpenAI's and Gemini's.
pub(crate) const CALL: &str = "call_";
/// The same, Anthropic's.
pub(crate) const TOOL_USE: &str = "toolu_";

/// The ids under which agents may have been told of a call without one: that in this part, from 0, of the
/// first candidate that answers the turn with these 32 hexadecimal digits.
#[must_use]
pub fn made_ids(turn: &str, part: usize) -> [String; 2] {
    [CALL, TOOL_USE].map(|prefix| made_id(prefix, turn, &PartIndex { candidate: 0, part }))
}

fn made_id(prefix: &str, turn: &str, place: &PartIndex) -> String {
    format!("{prefix}{turn}_{place}")
}

/// Where a part stands: its candidate, then its part.
pub(crate) struct PartIndex {
    pub(crate) candidate: usize,
    pub(crate) part: usize,
}

impl std::fmt::Display for PartIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // OpenAI's ids end at 40 characters: the first candidate goes without saying.
        match self.candidate {
            0 => write!(formatter, "{}", self.part),
            candidate => write!(formatter, "{candidate}_{}", self.part),
        }
    }
}

/// The arguments of a call as JSON text; a call without any has none to leave out.
pub(crate) fn arguments(call: &FunctionCall) -> JsonText {
    let none = || JsonText::from_value(&serde_json::Value::Object(serde_json::Map::new()));
    call.args.clone().unwrap_or_else(none)
}

/// A part that is neither a call nor a thought, in an API whose answers are text: bytes become a
/// picture or link with a `data:` address, anything else its JSON.
pub(crate) fn as_text(part: &Part) -> Option<String> {
    match part {
        Part::Text(text) => Some(text.clone()),
        Part::InlineData(data) => {
            let name = data.display_name.as_deref().unwrap_or(&data.mime_type);
            let picture = if data.mime_type.starts_with("image/") { "!" } else { "" };
            Some(format!("{picture}[{name}]({})", inline::address(data)))
        }
        Part::Other(other) => Some(other.json.as_str().to_owned()),
        Part::FunctionResponse(response) => Some(
            response.response.as_ref().map(|json| json.as_str().to_owned()).unwrap_or_default(),
        ),
        Part::FunctionCall(_) | Part::Thought(_) => None,
    }
}
