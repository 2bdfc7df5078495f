//! [`ModelResponse`]: a person's response, before it is written in a vendor's format.

use json_text::JsonText;
use live::{Content, FunctionCall, Part};

use crate::custom::FreeText;
use crate::inline;

/// The part of a response that is known before the person responds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseHead {
    /// The turn, as 32 hexadecimal digits. All ids of the response are derived from it, so that a
    /// repeated response has the same call ids.
    pub turn: String,
    /// The model in the request.
    pub model: String,
    /// The time of the request, in seconds since the Unix epoch.
    pub created: i64,
    /// Members of the request that the response repeats, an object.
    pub echo: Option<JsonText>,
    /// The tools of the request that take free text.
    pub free_text: FreeText,
    /// Whether a stream of Chat Completions ends with the counts of tokens.
    pub include_usage: bool,
}

/// A person's response with the data that the vendors' formats add.
#[derive(Debug, Clone, Copy)]
pub struct ModelResponse<'a> {
    /// The part known before.
    pub head: &'a ResponseHead,
    /// The candidates that the client accepts; the first is the response.
    pub candidates: &'a [Content],
}

impl<'a> ModelResponse<'a> {
    /// The parts of the response.
    pub(crate) fn parts(&self) -> &'a [Part] {
        self.candidates.first().map_or(&[], |content| &content.parts)
    }
}

impl ResponseHead {
    /// The id of a call, from the person or derived.
    pub(crate) fn call_id(&self, call: &FunctionCall, prefix: &str, place: &PartIndex) -> String {
        match call.id.as_deref() {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => made_id(prefix, &self.turn, place),
        }
    }
}

/// The prefix of derived call ids of OpenAI and Gemini.
pub(crate) const CALL: &str = "call_";
/// The prefix of derived call ids of Anthropic.
pub(crate) const TOOL_USE: &str = "toolu_";

/// The derived ids of a call without an id: in part `part`, from 0, of the first candidate, for the turn
/// with these 32 hexadecimal digits.
#[must_use]
pub fn made_ids(turn: &str, part: usize) -> [String; 2] {
    [CALL, TOOL_USE].map(|prefix| made_id(prefix, turn, &PartIndex { candidate: 0, part }))
}

fn made_id(prefix: &str, turn: &str, place: &PartIndex) -> String {
    format!("{prefix}{turn}_{place}")
}

/// The position of a part: its candidate and its index there.
pub(crate) struct PartIndex {
    pub(crate) candidate: usize,
    pub(crate) part: usize,
}

impl std::fmt::Display for PartIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // OpenAI's ids have at most 40 characters, so the first candidate is left out.
        match self.candidate {
            0 => write!(formatter, "{}", self.part),
            candidate => write!(formatter, "{candidate}_{}", self.part),
        }
    }
}

/// A part other than a call or a thought, for an API with text responses: bytes become a Markdown image or
/// link with a `data:` URL, anything else its JSON.
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
