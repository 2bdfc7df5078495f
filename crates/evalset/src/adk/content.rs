//! Messages and tool calls: the part of `google.genai.types` that eval sets use.

use json_text::JsonText;

use super::opaque_fields;
use crate::model::{Casing, Form, Keys, Others, Shape, model, read_value, text_of};
use crate::{LooseBool, OriginalForm, Severity};

/// `google.genai` reads both casings and rejects unknown fields.
const fn genai(what: &'static str, opaque: &'static [(&'static str, Shape)]) -> Form {
    Form {
        what,
        keys: Keys::EitherCasing,
        others: Others::Refused,
        opaque,
        is_case: false,
        lost: &[],
    }
}

model! {
    /// A message.
    pub struct Content { genai("a message", &[]) }
    /// Its parts.
    parts: Option<Vec<Part>> = optional,
    /// The role in the Gemini API: `user` or `model`.
    role: Option<String> = optional,
}

model! {
    /// One part of a message. Besides these fields it may hold others of the Gemini API's, such as
    /// `inline_data`, which are kept among its extras.
    pub struct Part {
        genai("a part of a message", opaque_fields::PART)
    }
    /// A tool called.
    function_call: Option<FunctionCall> = optional,
    /// The response of a tool.
    function_response: Option<FunctionResponse> = optional,
    /// The text.
    text: Option<String> = optional,
    /// Whether the text is a thought of the model.
    thought: Option<LooseBool> = optional,
}

model! {
    /// A tool called.
    pub struct FunctionCall { genai("a function call", opaque_fields::FUNCTION_CALL) }
    /// The id that the response refers to.
    id: Option<String> = optional,
    /// The arguments: a JSON object.
    args: Option<JsonText> = object_or_null,
    /// The tool.
    name: Option<String> = optional,
}

model! {
    /// The response of a tool.
    pub struct FunctionResponse {
        genai("a function response", opaque_fields::FUNCTION_RESPONSE)
    }
    /// The `id` of the call.
    id: Option<String> = optional,
    /// The tool.
    name: Option<String> = optional,
    /// The answer: a JSON object; a rehearsal writes `{"result": ...}` or
    /// `{"error": {"type", "message"}}`.
    response: Option<JsonText> = object_or_null,
}

/// Parts of a message that google-genai refuses, for these reasons.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidParts(String);

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
        Self { parts, role, written: OriginalForm::default() }
    }

    /// The parts; empty without a list.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        self.parts.as_deref().unwrap_or_default()
    }

    /// A message of the user's with these parts.
    ///
    /// ```
    /// use evalset::adk::Content;
    /// let parts = r#"[{"text": "What is this?"}, {"file_data": {"file_uri": "gs://a/b.png"}}]"#;
    /// let message = Content::of_parts(parts).expect("valid");
    /// assert_eq!(message.text(), "What is this?");
    /// assert!(Content::of_parts(r#"[{"txt": "Hi"}]"#).expect_err("refused").to_string().contains("txt"));
    /// ```
    ///
    /// # Errors
    /// [`InvalidParts`]
    pub fn of_parts(parts: &str) -> Result<Self, InvalidParts> {
        let text = format!("{{\"role\":\"user\",\"parts\":{parts}}}");
        let (content, faults) = read_value::<Self>(text.as_bytes());
        let refused = faults.iter().filter(|fault| fault.severity() == Severity::Error);
        let refused: Vec<_> =
            refused.map(|fault| format!("{}: {}", fault.path, fault.problem)).collect();
        match content {
            Some(content) if refused.is_empty() => Ok(content),
            _ => Err(InvalidParts(refused.join("; "))),
        }
    }

    /// Its parts as JSON; `None` if it is a single text.
    #[must_use]
    pub fn other_than_text(&self) -> Option<Vec<JsonText>> {
        match self.parts() {
            [part] if part.is_text() => None,
            parts => Some(parts.iter().map(Part::to_json).collect()),
        }
    }

    /// The text for ADK's metrics: the non-empty texts of the parts, including thoughts, joined by line
    /// feeds.
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

    /// A thought of the model.
    #[must_use]
    pub fn thought(text: impl Into<String>) -> Self {
        Self { thought: Some(true.into()), ..Self::text(text) }
    }

    /// A part with this field of the Gemini API, such as `inline_data`; `None` for an unknown field.
    #[must_use]
    pub fn other(field: &str, value: JsonText) -> Option<Self> {
        opaque_fields::PART.iter().any(|(name, _)| *name == field).then(|| {
            let mut part = Self::empty();
            part.written.set_extra(field, value);
            part
        })
    }

    /// Whether it is only a text. Null fields are ignored.
    #[must_use]
    pub fn is_text(&self) -> bool {
        let Self { function_call, function_response, text, thought, written } = self;
        text.is_some()
            && function_call.is_none()
            && function_response.is_none()
            && thought.is_none()
            && written.extras().all(|(_, value)| value.as_str() == "null")
    }

    /// The part in the order of the model and without null fields, whatever the file has.
    fn to_json(&self) -> JsonText {
        let mut part = self.clone();
        part.written = in_model_order(&part.written);
        if let Some(call) = &mut part.function_call {
            call.written = in_model_order(&call.written);
        }
        if let Some(response) = &mut part.function_response {
            response.written = in_model_order(&response.written);
        }
        JsonText::parse(&text_of(&part, Casing::Snake)).unwrap_or_else(|_| JsonText::null())
    }

    fn empty() -> Self {
        Self {
            function_call: None,
            function_response: None,
            text: None,
            thought: None,
            written: OriginalForm::default(),
        }
    }
}

/// The unknown fields that are not null, without the order of the file.
fn in_model_order(written: &OriginalForm) -> OriginalForm {
    let mut ordered = OriginalForm::default();
    for (key, value) in written.extras().filter(|(_, value)| value.as_str() != "null") {
        ordered.set_extra(key, value.clone());
    }
    ordered
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
        Self { id, args: Some(args), name, written: OriginalForm::default() }
    }
}

impl FunctionResponse {
    /// The response of `name` to the call `id`: a JSON object.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, response: JsonText) -> Self {
        let (id, name) = (Some(id.into()), Some(name.into()));
        Self { id, name, response: Some(response), written: OriginalForm::default() }
    }
}
