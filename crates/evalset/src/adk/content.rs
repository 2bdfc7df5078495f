//! What is said and called: `google.genai.types` as far as eval sets use it.

use json_text::JsonText;

use super::kept;
use crate::model::{Form, Keys, Others, Shape, model};
use crate::{Truth, Written};

/// `google.genai` reads both casings and refuses what it does not know.
const fn genai(what: &'static str, opaque: &'static [(&'static str, Shape)]) -> Form {
    Form { what, keys: Keys::EitherCasing, others: Others::Refused, opaque, is_case: false }
}

model! {
    /// A message.
    pub struct Content { genai("a message", &[]) }
    /// What it consists of.
    parts: Option<Vec<Part>> = optional,
    /// Who speaks, in the Gemini API's words: `user` or `model`.
    role: Option<String> = optional,
}

model! {
    /// One part of a message. Besides these fields it may hold others of the Gemini API's, such as
    /// `inline_data`, which are kept among its extras.
    pub struct Part {
        genai("a part of a message", kept::PART)
    }
    /// A tool called.
    function_call: Option<FunctionCall> = optional,
    /// What a tool answered.
    function_response: Option<FunctionResponse> = optional,
    /// The text.
    text: Option<String> = optional,
    /// Whether the text is what the model thought, not what it said.
    thought: Option<Truth> = optional,
}

model! {
    /// A tool called.
    pub struct FunctionCall { genai("a function call", kept::FUNCTION_CALL) }
    /// What the response refers to.
    id: Option<String> = optional,
    /// The arguments: a JSON object.
    args: Option<JsonText> = object_or_null,
    /// The tool.
    name: Option<String> = optional,
}

model! {
    /// What a tool answered.
    pub struct FunctionResponse {
        genai("a function response", kept::FUNCTION_RESPONSE)
    }
    /// The `id` of the call.
    id: Option<String> = optional,
    /// The tool.
    name: Option<String> = optional,
    /// The answer: a JSON object; a rehearsal writes `{"result": ...}` or
    /// `{"error": {"type", "message"}}`.
    response: Option<JsonText> = object_or_null,
}

impl Content {
    /// A message of the user's, one text.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::of(text.into(), "user")
    }

    /// A message of the agent's, one text.
    #[must_use]
    pub fn model(text: impl Into<String>) -> Self {
        Self::of(text.into(), "model")
    }

    fn of(text: String, role: &str) -> Self {
        let (parts, role) = (Some(vec![Part::text(text)]), Some(role.to_owned()));
        Self { parts, role, written: Written::default() }
    }

    /// The parts; none where the message has no list of them.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        self.parts.as_deref().unwrap_or_default()
    }

    /// The text as ADK's metrics see it: the parts' texts that are not empty, thoughts included,
    /// joined by line feeds.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.parts().iter().filter_map(|part| part.text.as_deref());
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

impl Part {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::empty() }
    }

    /// What the model thought.
    #[must_use]
    pub fn thought(text: impl Into<String>) -> Self {
        Self { thought: Some(true.into()), ..Self::text(text) }
    }

    /// A part that is this field of the Gemini API's, such as `inline_data`; `None` where it has none
    /// of that name.
    #[must_use]
    pub fn other(field: &str, value: JsonText) -> Option<Self> {
        kept::PART.iter().any(|(name, _)| *name == field).then(|| {
            let mut part = Self::empty();
            part.written.set_extra(field, value);
            part
        })
    }

    fn empty() -> Self {
        Self {
            function_call: None,
            function_response: None,
            text: None,
            thought: None,
            written: Written::default(),
        }
    }
}

impl From<FunctionCall> for Part {
    fn from(call: FunctionCall) -> Self {
        Self { function_call: Some(call), ..Self::empty() }
    }
}

impl From<FunctionResponse> for Part {
    fn from(response: FunctionResponse) -> Self {
        Self { function_response: Some(response), ..Self::empty() }
    }
}

impl FunctionCall {
    /// A call of `name` with `args`, a JSON object.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, args: JsonText) -> Self {
        let (id, name) = (Some(id.into()), Some(name.into()));
        Self { id, args: Some(args), name, written: Written::default() }
    }
}

impl FunctionResponse {
    /// The answer of `name` to the call `id`: a JSON object.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, response: JsonText) -> Self {
        let (id, name) = (Some(id.into()), Some(name.into()));
        Self { id, name, response: Some(response), written: Written::default() }
    }
}
