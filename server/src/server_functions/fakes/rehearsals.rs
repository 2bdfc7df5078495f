//! A fake [`RehearsalHost`] with one open session.

use std::sync::Arc;

use api::{
    ApiError, CaseDownload, ExportPreview, ExportReceipt, ExportRequest, FieldMessage,
    RestoreRequest, RestoredSession, SessionView, ValueTarget,
};
use app::host::{RehearsalHost, provide};
use async_trait::async_trait;
use axum::http::StatusCode;
use json_text::JsonText;
use serde_json::{Value, json};
use session::{AgentId, SessionId};

use super::{call, expect_not_found};

/// Has the session `open`, which it can check values in and close.
struct FakeRehearsals;

fn unknown<T>(id: SessionId) -> Result<T, ApiError> {
    Err(ApiError::UnknownSession(id))
}

#[async_trait]
impl RehearsalHost for FakeRehearsals {
    async fn open_session(
        &self,
        session: SessionId,
        _agent: AgentId,
        _state: Option<JsonText>,
    ) -> Result<SessionView, ApiError> {
        unknown(session)
    }

    async fn restore_session(&self, request: RestoreRequest) -> Result<RestoredSession, ApiError> {
        unknown(request.session)
    }

    async fn begin_invocation(
        &self,
        session: SessionId,
        _content: String,
    ) -> Result<SessionView, ApiError> {
        unknown(session)
    }

    async fn end_invocation(
        &self,
        session: SessionId,
        _content: String,
    ) -> Result<SessionView, ApiError> {
        unknown(session)
    }

    async fn check_value(
        &self,
        session: SessionId,
        _target: ValueTarget,
        value: JsonText,
    ) -> Result<Vec<FieldMessage>, ApiError> {
        match session.as_str() {
            "open" => {
                Ok(vec![FieldMessage { pointer: String::new(), text: value.as_str().to_owned() }])
            }
            _ => unknown(session),
        }
    }

    async fn close_session(&self, session: SessionId) -> Result<(), ApiError> {
        match session.as_str() {
            "open" => Ok(()),
            _ => unknown(session),
        }
    }

    async fn preview_export(&self, request: ExportRequest) -> Result<ExportPreview, ApiError> {
        unknown(request.session)
    }

    async fn case_file(&self, request: ExportRequest) -> Result<CaseDownload, ApiError> {
        unknown(request.session)
    }

    async fn export_session(
        &self,
        request: ExportRequest,
        _by: Option<String>,
    ) -> Result<ExportReceipt, ApiError> {
        unknown(request.session)
    }
}

fn host() {
    provide::<dyn RehearsalHost>(Arc::new(FakeRehearsals));
}

#[tokio::test]
async fn an_open_session_is_checked_and_closed_by_its_host() {
    let check = json!({ "session": "open", "target": "Input", "value": [1.50] });
    let messages = json!([{ "pointer": "", "text": "[1.5]" }]);
    assert_eq!(call("check_value", &check, host).await, (StatusCode::OK, messages));
    let closed = call("close_session", &json!({ "session": "open" }), host).await;
    assert_eq!(closed, (StatusCode::OK, Value::Null));
}

#[tokio::test]
async fn each_function_of_a_rehearsal_passes_its_session() {
    let functions = [
        ("open_session", json!({ "session": "gone", "agent": "weather" })),
        (
            "restore_session",
            json!({ "request": {
                "session": "gone", "agent": "weather", "history": [], "initial_state": {}, "state": {},
                "active_agent": "weather",
            } }),
        ),
        ("begin_invocation", json!({ "session": "gone", "content": "Hi" })),
        ("end_invocation", json!({ "session": "gone", "content": "Bye" })),
        ("check_value", json!({ "session": "gone", "target": "Output", "value": null })),
        ("close_session", json!({ "session": "gone" })),
        (
            "preview_export",
            json!({ "request": { "session": "gone", "agent": "weather", "history": [] } }),
        ),
        (
            "case_file",
            json!({ "request": { "session": "gone", "agent": "weather", "history": [] } }),
        ),
        (
            "export_session",
            json!({ "request": { "session": "gone", "agent": "weather", "history": [] }, "by": null }),
        ),
    ];
    expect_not_found(functions, json!({ "UnknownSession": "gone" }), host).await;
}
