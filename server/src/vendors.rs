//! [`Api`]: the vendor's API of a request, and faults in that API's format.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use json_text::JsonText;
use model_wire::{
    ApiFault, Event, FaultKind, ModelResponse, ResponseHead, Vendor, anthropic, gemini,
    openai_chat, openai_responses,
};

/// The header that tells OpenAI's and Anthropic's clients whether to retry; without it they retry
/// after some statuses for which a retry is useless.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// The path prefixes that name the session and the agent, before the vendor's path.
pub(crate) const PREFIXES: [&str; 3] = ["/s/{session}", "/a/{agent}", "/s/{session}/a/{agent}"];

/// A vendor's API, with Gemini's two streaming formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    /// Server-sent events, selected by `alt=sse`.
    Gemini,
    /// A JSON array that is sent in pieces.
    GeminiList,
}

impl Api {
    /// The API of a path; `None` for any other path.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        Some(match Vendor::of_path(path)? {
            Vendor::OpenAiChat => Self::OpenAiChat,
            Vendor::OpenAiResponses => Self::OpenAiResponses,
            Vendor::Anthropic => Self::Anthropic,
            Vendor::Gemini => Self::Gemini,
        })
    }

    pub(crate) fn whole(self, answer: &ModelResponse<'_>) -> JsonText {
        match self {
            Self::OpenAiChat => openai_chat::whole(answer),
            Self::OpenAiResponses => openai_responses::whole(answer),
            Self::Anthropic => anthropic::whole(answer),
            Self::Gemini | Self::GeminiList => gemini::whole(answer),
        }
    }

    /// The start of a stream, before the response.
    pub(crate) fn opening(self, head: &ResponseHead) -> String {
        match self {
            Self::OpenAiChat => text(&openai_chat::opening(head)),
            Self::OpenAiResponses => text(&openai_responses::opening(head)),
            Self::Anthropic => text(&anthropic::opening(head)),
            Self::Gemini => "\n".to_owned(),
            Self::GeminiList => "[\n".to_owned(),
        }
    }

    /// The keep-alive. Google's client parses comments as data, so it gets an empty line.
    pub(crate) fn keep_alive(self) -> String {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => ": waiting for a person\n\n".to_owned(),
            Self::Anthropic => anthropic::ping().to_string(),
            Self::Gemini | Self::GeminiList => "\n".to_owned(),
        }
    }

    /// The end of a stream.
    pub(crate) fn rest(self, answer: &ModelResponse<'_>) -> String {
        match self {
            Self::OpenAiChat => text(&openai_chat::rest(answer)),
            Self::OpenAiResponses => text(&openai_responses::rest(answer)),
            Self::Anthropic => text(&anthropic::rest(answer)),
            Self::Gemini => Event::of(&gemini::whole(answer)).to_string(),
            Self::GeminiList => format!("{}\n]\n", gemini::whole(answer)),
        }
    }

    /// A fault as a response body.
    pub(crate) fn fault(self, fault: &ApiFault) -> JsonText {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => openai_chat::fault(fault),
            Self::Anthropic => anthropic::fault(fault),
            Self::Gemini | Self::GeminiList => gemini::fault(fault),
        }
    }

    /// A fault in a stream that has already sent its status.
    pub(crate) fn fault_within(self, head: &ResponseHead, fault: &ApiFault) -> String {
        match self {
            Self::OpenAiChat | Self::Gemini => Event::of(&self.fault(fault)).to_string(),
            Self::OpenAiResponses => text(&openai_responses::failed(head, fault)),
            Self::Anthropic => Event::named("error", &self.fault(fault)).to_string(),
            Self::GeminiList => format!("{}\n]\n", self.fault(fault)),
        }
    }

    /// Whether the client reads a fault in a stream as a response without content. Google's does,
    /// so its stream is aborted instead.
    pub(crate) fn aborts_on_fault(self) -> bool {
        matches!(self, Self::Gemini | Self::GeminiList)
    }

    pub(crate) fn stream_type(self) -> &'static str {
        match self {
            Self::GeminiList => "application/json",
            _ => "text/event-stream",
        }
    }
}

fn text(events: &[Event]) -> String {
    events.iter().map(ToString::to_string).collect()
}

/// A fault in the vendor's format, with its status.
pub(crate) fn refusal(api: Api, fault: &ApiFault) -> Response {
    let status = StatusCode::from_u16(fault.kind.status());
    let body = api.fault(fault).as_str().to_owned();
    let json = HeaderValue::from_static("application/json");
    let mut response = (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body).into_response();
    response.headers_mut().insert(CONTENT_TYPE, json);
    let retry = if fault.kind.is_passing() { "true" } else { "false" };
    response.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static(retry));
    if fault.kind == FaultKind::Unavailable {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    }
    response
}
