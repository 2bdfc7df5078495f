//! Converts the parts of live messages to `google.genai` parts.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use evalset::adk::{FunctionCall, FunctionResponse, Part};
use indexmap::IndexMap;
use json_text::{JsonText, Kind};
use live::{InlineData, Part as LivePart};

/// The parts that a case can hold, in order.
pub(super) fn adk_parts<'a>(parts: impl IntoIterator<Item = &'a LivePart>) -> Vec<Part> {
    parts.into_iter().filter(|part| !is_blank(part)).filter_map(adk_part).collect()
}

/// The kinds of part that a case cannot hold, each once: those of other vendors' APIs.
pub(super) fn left_out<'a>(parts: impl IntoIterator<Item = &'a LivePart>) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for part in parts {
        if let LivePart::Other(other) = part
            && !is_blank(part)
            && adk_part(part).is_none()
            && !kinds.contains(&other.kind)
        {
            kinds.push(other.kind.clone());
        }
    }
    kinds
}

/// Whether a part is empty: an empty text, or a part without content.
fn is_blank(part: &LivePart) -> bool {
    match part {
        LivePart::Text(text) | LivePart::Thought(text) => text.is_empty(),
        LivePart::Other(other) => matches!(other.json.as_str(), "{}" | "null"),
        LivePart::FunctionCall(_) | LivePart::FunctionResponse(_) | LivePart::InlineData(_) => {
            false
        }
    }
}

/// `None` for what `google.genai` has no field for.
fn adk_part(part: &LivePart) -> Option<Part> {
    Some(match part {
        LivePart::Text(text) => Part::text(text.clone()),
        LivePart::Thought(text) => Part::thought(text.clone()),
        LivePart::FunctionCall(call) => {
            let mut called = FunctionCall::new("", call.name.clone(), JsonText::null());
            called.id.clone_from(&call.id);
            called.args.clone_from(&call.args);
            called.into()
        }
        LivePart::FunctionResponse(response) => adk_response(response).into(),
        LivePart::InlineData(data) => return Part::other("inline_data", blob(data)),
        LivePart::Other(other) => return Part::other(&other.kind, other.json.clone()),
    })
}

/// A tool's response.
pub(super) fn adk_response(response: &live::FunctionResponse) -> FunctionResponse {
    let kept = as_adk_keeps_it(response.response.as_ref());
    let mut answered = FunctionResponse::new("", response.name.clone(), kept);
    answered.id.clone_from(&response.id);
    answered
}

/// A `google.genai.types.Blob`: its bytes in URL-safe base64, as pydantic writes them.
fn blob(data: &InlineData) -> JsonText {
    let mut members = IndexMap::new();
    if let Some(name) = &data.display_name {
        members.insert("display_name", name.clone());
    }
    members.insert("data", URL_SAFE.encode(&data.data));
    members.insert("mime_type", data.mime_type.clone());
    // Text keys and texts always serialize.
    JsonText::serialize(&members).unwrap_or_else(|_| JsonText::null())
}

/// A response for ADK: an object; another value is wrapped in one, as ADK's runner does. A text with JSON
/// stays a text, because the model read it as text.
pub(super) fn as_adk_keeps_it(response: Option<&JsonText>) -> JsonText {
    match response {
        Some(response) if response.kind() == Kind::Object => response.clone(),
        other => {
            let inner = other.cloned().unwrap_or_else(JsonText::null);
            let members: IndexMap<_, _> = [("result", inner)].into_iter().collect();
            // Text keys and JSON always serialize.
            JsonText::serialize(&members).unwrap_or_else(|_| JsonText::null())
        }
    }
}
