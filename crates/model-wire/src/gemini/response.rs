//! The response. A stream has one chunk with the whole response.
//!
//! `usageMetadata` is empty, because tokens are not counted. Frameworks reject a response without it.

use json_text::JsonText;
use live::{Content, Part};

use crate::api_fault::{ApiFault, FaultKind};
use crate::calls::arguments;
use crate::inline;
use crate::output::{Json as _, Object};
use crate::response::{CALL, ModelResponse, PartIndex};

/// The response, with the candidates that the client takes.
#[must_use]
pub fn whole(answer: &ModelResponse<'_>) -> JsonText {
    let candidate = |(index, content): (usize, &Content)| {
        let written = |(place, content): (usize, &Part)| {
            part(answer, &PartIndex { candidate: index, part: place }, content)
        };
        let parts: Vec<Object> = content.parts.iter().enumerate().map(written).collect();
        Object::new()
            .with("content", Object::new().with("role", "model").with("parts", parts))
            .with("finishReason", "STOP")
            .with("index", index)
    };
    let candidates: Vec<Object> = answer.candidates.iter().enumerate().map(candidate).collect();
    Object::new()
        .with("candidates", candidates)
        .with("usageMetadata", Object::new())
        .with("modelVersion", answer.head.model.as_str())
        .with("responseId", answer.head.turn.as_str())
        .json()
}

/// A fault in Google's format.
#[must_use]
pub fn fault(fault: &ApiFault) -> JsonText {
    let status = match fault.kind {
        FaultKind::Invalid | FaultKind::TooLarge => "INVALID_ARGUMENT",
        FaultKind::Unauthenticated => "UNAUTHENTICATED",
        FaultKind::NotFound => "NOT_FOUND",
        FaultKind::Conflict | FaultKind::Cancelled => "FAILED_PRECONDITION",
        FaultKind::TooMany => "RESOURCE_EXHAUSTED",
        FaultKind::Internal => "INTERNAL",
        FaultKind::WrongMethod | FaultKind::NotImplemented => "UNIMPLEMENTED",
        FaultKind::Unavailable => "UNAVAILABLE",
    };
    let error = Object::new()
        .with("code", usize::from(fault.kind.status()))
        .with("message", fault.message.as_str())
        .with("status", status);
    Object::new().with("error", error).json()
}

fn part(answer: &ModelResponse<'_>, place: &PartIndex, content: &Part) -> Object {
    match content {
        Part::Text(text) => Object::new().with("text", text.as_str()),
        Part::Thought(text) => Object::new().with("text", text.as_str()).with("thought", true),
        Part::FunctionCall(call) => {
            let call = Object::new()
                .with("id", answer.head.call_id(call, CALL, place))
                .with("name", call.name.as_str())
                .with("args", arguments(call));
            Object::new().with("functionCall", call)
        }
        Part::FunctionResponse(response) => {
            let response = Object::new()
                .with_some("id", response.id.as_deref())
                .with("name", response.name.as_str())
                .with_some("response", response.response.as_ref());
            Object::new().with("functionResponse", response)
        }
        Part::InlineData(data) => {
            let blob = Object::new()
                .with("mimeType", data.mime_type.as_str())
                .with("data", inline::base64(data))
                .with_some("displayName", data.display_name.as_deref());
            Object::new().with("inlineData", blob)
        }
        Part::Other(other) => Object::new().with(camel_case(&other.kind), &other.json),
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}
