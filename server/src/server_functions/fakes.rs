//! Calls server functions with a fake of each host trait: what the trait receives, and what is
//! returned.

use std::sync::Arc;

use api::{
    Actual, AgentSummary, Answer, ApiError, CaseChange, CaseComparison, CaseList, CaseName,
    CaseQuery, CaseVersion, CaseView, EvalSetList, ExportReceipt, ExportRequest, FieldMessage,
    LiveExportPlan, LiveId, LiveLeaseId, LiveList, LivePlace, LiveResponse, LiveRow, LiveSummary,
    LiveTarget, LiveTurn, LogLine, ReportList, ResultSlice, SessionView, SetId, ToolRequest,
    ValueTarget,
};
use app::host::{
    AgentHost, CallHost, EvalSetHost, LiveHost, LiveTurnHost, RehearsalHost, ReportHost, provide,
};
use async_trait::async_trait;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use axum::response::IntoResponse as _;
use json_text::JsonText;
use serde_json::{Value, json};
use session::{AgentId, CallId, SessionId};

use super::with_status;

/// A fake host with recognizable values.
struct Fake;

fn unused() -> ApiError {
    ApiError::Internal { what: "do what no test asks of it".to_owned() }
}

/// The response of the server function to `arguments`, with `provided` as the only host traits.
async fn asked(
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
async fn agents_are_listed_by_their_host() {
    let host = || provide::<dyn AgentHost>(Arc::new(Fake));
    let (status, listed) = asked("list_agents", &json!({}), host).await;
    assert_eq!((status, &listed[0]["name"]), (StatusCode::OK, &json!("Weather")));
    let (status, _) = asked("retry_agent", &json!({ "agent": "gone" }), host).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_rehearsal_reaches_its_host_with_its_arguments() {
    let host = || provide::<dyn RehearsalHost>(Arc::new(Fake));
    let (status, _) = asked("close_session", &json!({ "session": "open" }), host).await;
    assert_eq!(status, StatusCode::OK);
    let (status, error) = asked("close_session", &json!({ "session": "gone" }), host).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(error, json!({ "UnknownSession": { "id": "gone" } }));
}

#[tokio::test]
async fn a_call_reaches_its_host_with_its_arguments() {
    let host = || provide::<dyn CallHost>(Arc::new(Fake));
    let call = json!({ "session": "s", "call_id": "c-1" });
    let (status, error) = asked("cancel_call", &call, host).await;
    assert_eq!((status, &error["NotWaiting"]["call_id"]), (StatusCode::CONFLICT, &json!("c-1")));
}

#[tokio::test]
async fn a_case_is_removed_by_the_host_of_eval_sets() {
    let host = || provide::<dyn EvalSetHost>(Arc::new(Fake));
    let case = |index| json!({ "set": "weather", "case": { "index": index, "digest": "d" } });
    assert_eq!(asked("remove_case", &case(3), host).await.0, StatusCode::OK);
    let (status, error) = asked("remove_case", &case(4), host).await;
    assert_eq!((status, error), (StatusCode::CONFLICT, json!("CaseChanged")));
}

#[tokio::test]
async fn reports_are_listed_by_their_host() {
    let host = || provide::<dyn ReportHost>(Arc::new(Fake));
    let (status, listed) = asked("list_reports", &json!({}), host).await;
    assert_eq!((status, listed), (StatusCode::OK, json!({ "reports": [], "folders": [] })));
}

#[tokio::test]
async fn live_sessions_are_searched_by_their_host() {
    let host = || provide::<dyn LiveHost>(Arc::new(Fake));
    let search = json!({ "search": "weather", "before": 7 });
    let (status, listed) = asked("list_live_sessions", &search, host).await;
    assert_eq!((status, listed), (StatusCode::OK, json!({ "sessions": [], "next": 7 })));
}

#[tokio::test]
async fn a_turn_is_released_by_its_host() {
    let host = || provide::<dyn LiveTurnHost>(Arc::new(Fake));
    let turn = json!({ "place": { "session": "s", "turn": "t" }, "lease": "Ada" });
    let (status, error) = asked("release_live_lease", &turn, host).await;
    let held = json!({ "LeaseHeld": { "holder": "Ada" } });
    assert_eq!((status, error), (StatusCode::CONFLICT, held));
}

#[tokio::test]
async fn a_host_that_is_not_there_is_a_fault_of_the_wiring() {
    let (status, _) = asked("list_reports", &json!({}), || ()).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
}

#[async_trait]
impl AgentHost for Fake {
    async fn list_agents(&self) -> Vec<AgentSummary> {
        vec![AgentSummary {
            id: AgentId::from_display_name("Weather"),
            name: "Weather".to_owned(),
            source: api::SourceKind::Native,
            status: api::AgentStatus::Ready,
            description: String::new(),
            model: None,
            tools: Vec::new(),
            eval_set_path: "weather.evalset.json".to_owned(),
            runtime: None,
        }]
    }
    async fn retry_agent(&self, agent: AgentId) -> Result<AgentSummary, ApiError> {
        Err(ApiError::UnknownAgent { id: agent, known: Vec::new() })
    }
    async fn read_agent_log(&self, _agent: AgentId) -> Result<Vec<LogLine>, ApiError> {
        Err(unused())
    }
}

#[async_trait]
impl RehearsalHost for Fake {
    async fn open_session(
        &self,
        _session: SessionId,
        agent: AgentId,
    ) -> Result<SessionView, ApiError> {
        Err(ApiError::UnknownAgent { id: agent, known: Vec::new() })
    }
    async fn begin_invocation(
        &self,
        _session: SessionId,
        _content: String,
    ) -> Result<SessionView, ApiError> {
        Err(unused())
    }
    async fn end_invocation(
        &self,
        _session: SessionId,
        _content: String,
    ) -> Result<SessionView, ApiError> {
        Err(unused())
    }
    async fn check_value(
        &self,
        _session: SessionId,
        _target: ValueTarget,
        _value: JsonText,
    ) -> Result<Vec<FieldMessage>, ApiError> {
        Err(unused())
    }
    async fn close_session(&self, session: SessionId) -> Result<(), ApiError> {
        match session.as_str() {
            "open" => Ok(()),
            _ => Err(ApiError::UnknownSession { id: session }),
        }
    }
    async fn export_session(
        &self,
        _request: ExportRequest,
        _by: Option<String>,
    ) -> Result<ExportReceipt, ApiError> {
        Err(unused())
    }
}

#[async_trait]
impl CallHost for Fake {
    async fn start_call(&self, _request: ToolRequest) -> Result<(), ApiError> {
        Err(unused())
    }
    async fn cancel_call(&self, _session: SessionId, call_id: CallId) -> Result<(), ApiError> {
        Err(ApiError::NotWaiting { call_id, what: "its end".to_owned() })
    }
    async fn confirm_call(
        &self,
        _session: SessionId,
        _call_id: CallId,
        _confirmed: bool,
        _payload: Option<JsonText>,
    ) -> Result<(), ApiError> {
        Err(unused())
    }
    async fn supply_result(
        &self,
        _session: SessionId,
        _call_id: CallId,
        _result: JsonText,
    ) -> Result<(), ApiError> {
        Err(unused())
    }
    async fn read_stored_result(
        &self,
        _session: SessionId,
        _call_id: CallId,
        _offset: u64,
    ) -> Result<ResultSlice, ApiError> {
        Err(unused())
    }
    async fn answer_question(
        &self,
        _session: SessionId,
        _number: u64,
        _answer: Answer,
    ) -> Result<(), ApiError> {
        Err(unused())
    }
}

#[async_trait]
impl EvalSetHost for Fake {
    async fn list_eval_sets(&self) -> Result<EvalSetList, ApiError> {
        Err(unused())
    }
    async fn list_cases(&self, _set: SetId, _asked: CaseQuery) -> Result<CaseList, ApiError> {
        Err(unused())
    }
    async fn read_case(
        &self,
        _set: SetId,
        _eval_id: String,
        _index: u64,
    ) -> Result<CaseView, ApiError> {
        Err(unused())
    }
    async fn change_case(
        &self,
        _set: SetId,
        _case: CaseVersion,
        _change: CaseChange,
    ) -> Result<CaseView, ApiError> {
        Err(unused())
    }
    async fn duplicate_case(&self, _set: SetId, _case: CaseVersion) -> Result<CaseView, ApiError> {
        Err(unused())
    }
    async fn remove_case(&self, set: SetId, case: CaseVersion) -> Result<(), ApiError> {
        match set.as_str() {
            "weather" if case.index == 3 => Ok(()),
            _ => Err(ApiError::CaseChanged),
        }
    }
    async fn insert_case(
        &self,
        _set: SetId,
        _index: u64,
        _text: JsonText,
    ) -> Result<CaseView, ApiError> {
        Err(unused())
    }
    async fn compare_cases(
        &self,
        _expected: CaseName,
        _actual: Actual,
    ) -> Result<CaseComparison, ApiError> {
        Err(unused())
    }
}

#[async_trait]
impl ReportHost for Fake {
    async fn list_reports(&self) -> Result<ReportList, ApiError> {
        Ok(ReportList { reports: Vec::new(), folders: Vec::new() })
    }
}

#[async_trait]
impl LiveHost for Fake {
    async fn list_live_sessions(
        &self,
        search: String,
        before: Option<i64>,
    ) -> Result<LiveList, ApiError> {
        Ok(LiveList { sessions: Vec::new(), next: before.filter(|_| search == "weather") })
    }
    async fn read_live_session(&self, _session: LiveId) -> Result<LiveSummary, ApiError> {
        Err(unused())
    }
    async fn read_live_rows(
        &self,
        _session: LiveId,
        _after: u64,
        _most: u64,
        _whole: bool,
    ) -> Result<Vec<LiveRow>, ApiError> {
        Err(unused())
    }
    async fn read_live_turn(&self, _place: LivePlace) -> Result<LiveTurn, ApiError> {
        Err(unused())
    }
    async fn compare_live_session(
        &self,
        _expected: CaseName,
        _session: LiveId,
        _turns: Vec<u64>,
    ) -> Result<CaseComparison, ApiError> {
        Err(unused())
    }
    async fn plan_live_export(&self, _session: LiveId) -> Result<LiveExportPlan, ApiError> {
        Err(unused())
    }
    async fn export_live_session(
        &self,
        _session: LiveId,
        _turns: Vec<u64>,
        _by: Option<String>,
    ) -> Result<ExportReceipt, ApiError> {
        Err(unused())
    }
}

#[async_trait]
impl LiveTurnHost for Fake {
    async fn check_live_value(
        &self,
        _place: LivePlace,
        _target: LiveTarget,
        _value: JsonText,
    ) -> Result<Vec<FieldMessage>, ApiError> {
        Err(unused())
    }
    async fn respond_to_turn(&self, _response: LiveResponse) -> Result<(), ApiError> {
        Err(unused())
    }
    async fn take_live_lease(
        &self,
        _place: LivePlace,
        _lease: LiveLeaseId,
        _by: String,
    ) -> Result<(), ApiError> {
        Err(unused())
    }
    async fn hand_over_live_lease(
        &self,
        _place: LivePlace,
        _lease: LiveLeaseId,
        _to: String,
    ) -> Result<(), ApiError> {
        Err(unused())
    }
    async fn release_live_lease(
        &self,
        _place: LivePlace,
        lease: LiveLeaseId,
    ) -> Result<(), ApiError> {
        Err(ApiError::LeaseHeld { holder: lease.as_str().to_owned() })
    }
    async fn cancel_live_turn(
        &self,
        _place: LivePlace,
        _reason: String,
        _by: String,
    ) -> Result<(), ApiError> {
        Err(unused())
    }
    async fn complete_live_session(
        &self,
        _session: LiveId,
        _cancel_waiting: bool,
        _by: String,
    ) -> Result<(), ApiError> {
        Err(unused())
    }
}
