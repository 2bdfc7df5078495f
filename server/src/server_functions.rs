//! Sets the HTTP status of server functions' errors.
//!
//! `leptos_axum` sends every error with status 500. The page reads the error from the body, but
//! proxies, scripts and logs read the status: an invalid body is a client error.

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
        | ApiError::Run(_)
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
    use std::sync::Arc;

    use api::host::{CallHost, provide};
    use api::{Answer, ResourceContent, ResultSlice, ToolRequest};
    use async_trait::async_trait;
    use axum::http::Request;
    use json_text::JsonText;
    use serde_json::{Value, json};
    use session::{CallId, SessionId, ToolName};

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

    /// Has no session, and a stored result for each call.
    struct FakeCalls;

    #[async_trait]
    #[rustfmt::skip]
    impl CallHost for FakeCalls {
        async fn read_stored_result(
            &self,
            _: SessionId,
            call_id: CallId,
            offset: u64,
        ) -> Result<ResultSlice, ApiError> {
            Ok(ResultSlice { offset, text: call_id.to_string(), total: offset })
        }

        async fn supply_result(
            &self,
            id: SessionId,
            _: CallId,
            _: JsonText,
        ) -> Result<(), ApiError> {
            Err(ApiError::UnknownSession(id))
        }

        async fn answer_question(&self, _: SessionId, _: u64, _: Answer) -> Result<(), ApiError> { unreachable!() }
        async fn start_call(&self, _: ToolRequest) -> Result<(), ApiError> { unreachable!() }
        async fn cancel_call(&self, _: SessionId, _: CallId) -> Result<(), ApiError> { unreachable!() }
        async fn confirm_call(&self, _: SessionId, _: CallId, _: bool, _: Option<JsonText>) -> Result<(), ApiError> { unreachable!() }
        async fn act_as_agent(&self, _: SessionId, _: CallId) -> Result<(), ApiError> { unreachable!() }
        async fn respond_as_agent(&self, _: SessionId, _: CallId, _: String) -> Result<(), ApiError> { unreachable!() }
        async fn read_resource(&self, _: SessionId, _: ToolName, _: String) -> Result<Vec<ResourceContent>, ApiError> { unreachable!() }
    }

    /// The response of a server function to `arguments`.
    async fn call(
        function: &str,
        arguments: &Value,
        provided: impl Fn() + Clone + Send + 'static,
    ) -> (StatusCode, Value) {
        let request = Request::post(format!("/api/{function}"))
            .header("content-type", "application/json")
            .body(Body::from(arguments.to_string()))
            .expect("a request");
        let response = leptos_axum::handle_server_fns_with_context(provided, request).await;
        let response = with_status(response.into_response()).await;
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        (status, serde_json::from_slice(&body).expect("JSON"))
    }

    #[tokio::test]
    async fn a_function_reaches_its_host_with_its_arguments() {
        let host = || provide::<dyn CallHost>(Arc::new(FakeCalls));
        let read = json!({ "session": "s", "call_id": "c-2", "offset": 7 });
        let slice = json!({ "offset": 7, "text": "c-2", "total": 7 });
        assert_eq!(call("read_stored_result", &read, host).await, (StatusCode::OK, slice));
        let supply = json!({ "session": "gone", "call_id": "c", "result": 1 });
        let gone = json!({ "UnknownSession": "gone" });
        assert_eq!(call("supply_result", &supply, host).await, (StatusCode::NOT_FOUND, gone));
        let (status, error) = call("supply_result", &json!({ "session": "s" }), host).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{error}");
    }

    #[tokio::test]
    async fn a_missing_host_is_an_internal_error() {
        let (status, _) = call("list_reports", &json!({}), || ()).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    }
}
