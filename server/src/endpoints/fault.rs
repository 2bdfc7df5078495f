//! Converts the host's errors to [`ApiFault`]s, which each vendor's API formats.

use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use model_wire::{ApiFault, FaultKind};
use tonic::{Code, Status};

use crate::live::LiveError;

/// The fault for a host error, by its gRPC status.
pub(super) fn of_host(error: LiveError) -> ApiFault {
    let is_unopened = error.is_unopened();
    let is_too_large = matches!(error, LiveError::TooLarge(_));
    let status = Status::from(error);
    let kind = match status.code() {
        _ if is_unopened => FaultKind::Internal,
        _ if is_too_large => FaultKind::TooLarge,
        Code::InvalidArgument => FaultKind::Invalid,
        Code::NotFound | Code::PermissionDenied => FaultKind::NotFound,
        Code::AlreadyExists | Code::FailedPrecondition => FaultKind::Conflict,
        Code::ResourceExhausted | Code::Unavailable => FaultKind::Unavailable,
        _ => FaultKind::Internal,
    };
    ApiFault::new(kind, status.message())
}

pub(super) fn of_body(rejection: &BytesRejection) -> ApiFault {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        let most = super::BODY_BYTES / (1024 * 1024);
        return ApiFault::new(FaultKind::TooLarge, format!("body: must be at most {most} MiB"));
    }
    ApiFault::new(FaultKind::Invalid, format!("body: could not be read: {rejection}"))
}
