//! Faults on their way out: the host's errors as [`Fault`]s, and these as responses.

use axum::extract::rejection::BytesRejection;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use model_wire::{Fault, FaultKind};
use tonic::{Code, Status};

use super::api::Api;
use crate::live::LiveError;

/// OpenAI's and Anthropic's clients do as it says; otherwise they try again after some statuses for
/// which that is no use here.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// A fault in the vendor's shape, with its status.
pub(crate) fn refusal(api: Api, fault: &Fault) -> Response {
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

/// The host's error, as its gRPC status tells it.
pub(super) fn of_host(error: LiveError) -> Fault {
    let is_unopened = error.is_unopened();
    let status = Status::from(error);
    let kind = match status.code() {
        _ if is_unopened => FaultKind::Internal,
        Code::InvalidArgument => FaultKind::Invalid,
        Code::NotFound => FaultKind::NotFound,
        Code::AlreadyExists | Code::FailedPrecondition => FaultKind::Conflict,
        Code::ResourceExhausted | Code::Unavailable => FaultKind::Unavailable,
        _ => FaultKind::Internal,
    };
    Fault::new(kind, status.message())
}

pub(super) fn of_body(rejection: &BytesRejection) -> Fault {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        let most = super::BODY_BYTES / (1024 * 1024);
        return Fault::new(FaultKind::TooLarge, format!("body: must be at most {most} MiB"));
    }
    Fault::new(FaultKind::Invalid, format!("body: could not be read: {rejection}"))
}
