//! Sets the HTTP status of server functions' errors.
//!
//! `leptos_axum` sends every error with status 500. The page reads the error from the body, but
//! proxies, scripts and logs read the status: an invalid body is a client error.

#[cfg(test)]
mod fakes;

use api::ApiError;
use axum::body::{Body, to_bytes};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::response::{IntoResponse, Response};
use server_fn::error::SERVER_FN_ERROR_HEADER;

/// Errors are short; a longer body is passed on with status 500.
const ERROR_BYTES: usize = 1024 * 1024;

/// `response` with the status of its error, if it is one.
pub(crate) async fn with_status(response: Response) -> Response {
    let is_error = response.status() == StatusCode::INTERNAL_SERVER_ERROR
        && response.headers().contains_key(SERVER_FN_ERROR_HEADER);
    if !is_error {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, ERROR_BYTES).await else {
        return parts.status.into_response();
    };
    if let Ok(error) = serde_json::from_slice::<ApiError>(&body) {
        parts.status = status(&error);
    }
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(body))
}

/// The response to a rejected request, in the format of a server function.
pub(crate) fn refusal(error: &ApiError) -> Response {
    (status(error), axum::Json(error)).into_response()
}

/// The HTTP status for `error`.
pub(crate) fn status(error: &ApiError) -> StatusCode {
    match error {
        ApiError::UnknownAgent { .. }
        | ApiError::UnknownSession(_)
        | ApiError::UnknownTool(_)
        | ApiError::UnknownFunction
        | ApiError::UnknownCase(_)
        | ApiError::UnknownSet(_)
        | ApiError::UnknownReport(_)
        | ApiError::UnknownLiveSession(_)
        | ApiError::ResultGone(_)
        | ApiError::QuestionGone => StatusCode::NOT_FOUND,
        ApiError::NotWaiting { .. }
        | ApiError::CallCancelled(_)
        | ApiError::CallRunning
        | ApiError::CaseChanged
        | ApiError::LiveClosed { .. }
        | ApiError::LeaseHeld(_)
        | ApiError::LiveWaiting(_) => StatusCode::CONFLICT,
        ApiError::Invalid(_)
        | ApiError::NotExportable(_)
        | ApiError::ResultsLost(_)
        | ApiError::PartOfWorkflow(_)
        | ApiError::EvalSet(_)
        | ApiError::Export { .. }
        | ApiError::Report(_)
        | ApiError::Resource(_)
        | ApiError::LiveRefused(_) => StatusCode::UNPROCESSABLE_ENTITY,
        // On the host: the arguments could not be decoded.
        ApiError::Transport(_) => StatusCode::BAD_REQUEST,
        ApiError::AgentFaulted(_) | ApiError::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        ApiError::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answered(error: &ApiError) -> (StatusCode, Vec<u8>) {
        let body = serde_json::to_vec(error).expect("an error is JSON");
        let response = Response::builder()
            .status(StatusCode::INTERNAL_SERVER_ERROR)
            .header(SERVER_FN_ERROR_HEADER, "/api/x")
            .body(Body::from(body))
            .expect("a response");
        let response = with_status(response).await;
        let status = response.status();
        (status, to_bytes(response.into_body(), usize::MAX).await.expect("a body").to_vec())
    }

    #[tokio::test]
    async fn an_error_keeps_its_body_and_gets_its_status() {
        for (error, expected) in [
            (ApiError::Transport("no field `id`".into()), StatusCode::BAD_REQUEST),
            (ApiError::CallRunning, StatusCode::CONFLICT),
            (ApiError::QuestionGone, StatusCode::NOT_FOUND),
            (
                ApiError::Export { reason: "a list".into(), path: "a".into() },
                StatusCode::UNPROCESSABLE_ENTITY,
            ),
            (ApiError::Internal("read".into()), StatusCode::INTERNAL_SERVER_ERROR),
        ] {
            let (status, body) = answered(&error).await;
            assert_eq!(status, expected, "{error}");
            assert_eq!(serde_json::from_slice::<ApiError>(&body).expect("the error"), error);
        }
    }

    #[tokio::test]
    async fn other_responses_are_unchanged() {
        let response = with_status((StatusCode::INTERNAL_SERVER_ERROR, "x").into_response()).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
