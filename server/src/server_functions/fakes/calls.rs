//! A fake [`CallHost`] without sessions.

use std::sync::Arc;

use api::{Answer, ApiError, ResourceContent, ResultSlice, ToolRequest};
use app::host::{CallHost, provide};
use async_trait::async_trait;
use axum::http::StatusCode;
use json_text::JsonText;
use serde_json::json;
use session::{CallId, SessionId, ToolName};

use super::{call, expect_not_found};

/// Has no session and no running call.
struct FakeCalls;

fn unknown<T>(id: SessionId) -> Result<T, ApiError> {
    Err(ApiError::UnknownSession(id))
}

#[async_trait]
impl CallHost for FakeCalls {
    async fn start_call(&self, request: ToolRequest) -> Result<(), ApiError> {
        unknown(request.session)
    }

    async fn cancel_call(&self, _session: SessionId, call_id: CallId) -> Result<(), ApiError> {
        Err(ApiError::NotWaiting { call_id, what: "its end".to_owned() })
    }

    async fn confirm_call(
        &self,
        session: SessionId,
        _call_id: CallId,
        _confirmed: bool,
        _payload: Option<JsonText>,
    ) -> Result<(), ApiError> {
        unknown(session)
    }

    async fn supply_result(
        &self,
        session: SessionId,
        _call_id: CallId,
        _result: JsonText,
    ) -> Result<(), ApiError> {
        unknown(session)
    }

    async fn act_as_agent(&self, session: SessionId, _call_id: CallId) -> Result<(), ApiError> {
        unknown(session)
    }

    async fn respond_as_agent(
        &self,
        session: SessionId,
        _call_id: CallId,
        _content: String,
    ) -> Result<(), ApiError> {
        unknown(session)
    }

    async fn read_stored_result(
        &self,
        _session: SessionId,
        call_id: CallId,
        offset: u64,
    ) -> Result<ResultSlice, ApiError> {
        Ok(ResultSlice { offset, text: call_id.to_string(), total: offset })
    }

    async fn read_resource(
        &self,
        session: SessionId,
        _tool: ToolName,
        _uri: String,
    ) -> Result<Vec<ResourceContent>, ApiError> {
        unknown(session)
    }

    async fn answer_question(
        &self,
        session: SessionId,
        _number: u64,
        _answer: Answer,
    ) -> Result<(), ApiError> {
        unknown(session)
    }
}

fn host() {
    provide::<dyn CallHost>(Arc::new(FakeCalls));
}

#[tokio::test]
async fn a_call_reaches_its_host_with_its_arguments() {
    let cancel = json!({ "session": "s", "call_id": "c-1" });
    let (status, error) = call("cancel_call", &cancel, host).await;
    assert_eq!((status, &error["NotWaiting"]["call_id"]), (StatusCode::CONFLICT, &json!("c-1")));
    let read = json!({ "session": "s", "call_id": "c-2", "offset": 7 });
    let slice = json!({ "offset": 7, "text": "c-2", "total": 7 });
    assert_eq!(call("read_stored_result", &read, host).await, (StatusCode::OK, slice));
}

#[tokio::test]
async fn each_function_of_a_call_passes_its_session() {
    let request = json!({ "session": "gone", "call_id": "c", "tool": "t", "arguments": {} });
    let functions = [
        ("start_call", json!({ "request": request })),
        (
            "confirm_call",
            json!({ "session": "gone", "call_id": "c", "confirmed": true, "payload": null }),
        ),
        ("supply_result", json!({ "session": "gone", "call_id": "c", "result": 1 })),
        ("read_resource", json!({ "session": "gone", "tool": "t", "uri": "a:b" })),
        ("act_as_agent", json!({ "session": "gone", "call_id": "c" })),
        ("respond_as_agent", json!({ "session": "gone", "call_id": "c", "content": "r" })),
        ("answer_question", json!({ "session": "gone", "number": 1, "answer": "Decline" })),
    ];
    expect_not_found(functions, json!({ "UnknownSession": "gone" }), host).await;
}
