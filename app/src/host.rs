//! The port: what the page asks of the host. The one module of this crate that knows of `ssr`.
//!
//! The host implements [`Host`] and hands itself to the server functions through Leptos's context
//! ([`provide_host`]); a test hands in a fake.

use std::sync::Arc;

use async_trait::async_trait;
use json_text::JsonText;
use leptos::prelude::{provide_context, use_context};
use session::{AgentId, CallId, SessionId};

use crate::api::{
    Actual, AgentSummary, Answer, ApiError, CaseAsRead, CaseChange, CaseComparison, CaseList,
    CaseName, CaseView, CasesAsked, EvalSetList, ExportReceipt, ExportRequest, FieldMessage,
    LiveAnswer, LiveExportPlan, LiveId, LiveLeaseId, LiveList, LivePlace, LiveRow, LiveSummary,
    LiveTarget, LiveTurn, LogLine, ReportList, ResultSlice, SessionView, SetId, ToolRequest,
    ValueTarget,
};

/// The host as the server functions see it; each method is the server function of the same name.
#[async_trait]
#[expect(missing_docs, reason = "each method is documented at its server function in `api`")]
pub trait Host: Send + Sync + 'static {
    async fn list_agents(&self) -> Vec<AgentSummary>;
    async fn retry_agent(&self, agent: AgentId) -> Result<AgentSummary, ApiError>;
    async fn read_agent_log(&self, agent: AgentId) -> Result<Vec<LogLine>, ApiError>;

    async fn open_session(
        &self,
        session: SessionId,
        agent: AgentId,
    ) -> Result<SessionView, ApiError>;
    async fn begin_invocation(
        &self,
        session: SessionId,
        content: String,
    ) -> Result<SessionView, ApiError>;
    async fn end_invocation(
        &self,
        session: SessionId,
        content: String,
    ) -> Result<SessionView, ApiError>;
    async fn check_value(
        &self,
        session: SessionId,
        target: ValueTarget,
        value: JsonText,
    ) -> Result<Vec<FieldMessage>, ApiError>;
    async fn close_session(&self, session: SessionId) -> Result<(), ApiError>;

    async fn start_call(&self, request: ToolRequest) -> Result<(), ApiError>;
    async fn cancel_call(&self, session: SessionId, call_id: CallId) -> Result<(), ApiError>;
    async fn confirm_call(
        &self,
        session: SessionId,
        call_id: CallId,
        confirmed: bool,
        payload: Option<JsonText>,
    ) -> Result<(), ApiError>;
    async fn supply_result(
        &self,
        session: SessionId,
        call_id: CallId,
        result: JsonText,
    ) -> Result<(), ApiError>;
    async fn read_held_result(
        &self,
        session: SessionId,
        call_id: CallId,
        offset: u64,
    ) -> Result<ResultSlice, ApiError>;

    async fn answer_question(
        &self,
        session: SessionId,
        number: u64,
        answer: Answer,
    ) -> Result<(), ApiError>;

    async fn list_eval_sets(&self) -> Result<EvalSetList, ApiError>;
    async fn list_cases(&self, set: SetId, asked: CasesAsked) -> Result<CaseList, ApiError>;
    async fn read_case(
        &self,
        set: SetId,
        eval_id: String,
        index: u64,
    ) -> Result<CaseView, ApiError>;

    async fn change_case(
        &self,
        set: SetId,
        case: CaseAsRead,
        change: CaseChange,
    ) -> Result<CaseView, ApiError>;
    async fn duplicate_case(&self, set: SetId, case: CaseAsRead) -> Result<CaseView, ApiError>;
    async fn remove_case(&self, set: SetId, case: CaseAsRead) -> Result<(), ApiError>;
    async fn insert_case(
        &self,
        set: SetId,
        index: u64,
        text: JsonText,
    ) -> Result<CaseView, ApiError>;

    async fn compare_cases(
        &self,
        expected: CaseName,
        actual: Actual,
    ) -> Result<CaseComparison, ApiError>;

    async fn list_reports(&self) -> Result<ReportList, ApiError>;

    async fn export_session(
        &self,
        request: ExportRequest,
        by: Option<String>,
    ) -> Result<ExportReceipt, ApiError>;
}

/// The host's live sessions as the server functions see them; each method is the server function of
/// the same name.
#[async_trait]
#[expect(missing_docs, reason = "each method is documented at its server function in `api`")]
pub trait LiveHost: Send + Sync + 'static {
    async fn list_live_sessions(
        &self,
        search: String,
        before: Option<i64>,
    ) -> Result<LiveList, ApiError>;
    async fn read_live_session(&self, session: LiveId) -> Result<LiveSummary, ApiError>;
    async fn read_live_rows(
        &self,
        session: LiveId,
        after: u64,
        most: u64,
        whole: bool,
    ) -> Result<Vec<LiveRow>, ApiError>;
    async fn read_live_turn(&self, place: LivePlace) -> Result<LiveTurn, ApiError>;
    async fn check_live_value(
        &self,
        place: LivePlace,
        target: LiveTarget,
        value: JsonText,
    ) -> Result<Vec<FieldMessage>, ApiError>;

    async fn answer_live_turn(&self, answer: LiveAnswer) -> Result<(), ApiError>;
    async fn hold_live_turn(
        &self,
        place: LivePlace,
        lease: LiveLeaseId,
        by: String,
    ) -> Result<(), ApiError>;
    async fn hand_over_live_turn(
        &self,
        place: LivePlace,
        lease: LiveLeaseId,
        to: String,
    ) -> Result<(), ApiError>;
    async fn release_live_turn(&self, place: LivePlace, lease: LiveLeaseId)
    -> Result<(), ApiError>;
    async fn cancel_live_turn(
        &self,
        place: LivePlace,
        reason: String,
        by: String,
    ) -> Result<(), ApiError>;
    async fn complete_live_session(
        &self,
        session: LiveId,
        cancel_waiting: bool,
        by: String,
    ) -> Result<(), ApiError>;

    async fn compare_live_session(
        &self,
        expected: CaseName,
        session: LiveId,
        turns: Vec<u64>,
    ) -> Result<CaseComparison, ApiError>;
    async fn plan_live_export(&self, session: LiveId) -> Result<LiveExportPlan, ApiError>;
    async fn export_live_session(
        &self,
        session: LiveId,
        turns: Vec<u64>,
        by: Option<String>,
    ) -> Result<ExportReceipt, ApiError>;
}

/// Makes `host` the one that server functions of this request reach.
pub fn provide_host(host: Arc<dyn Host>) {
    provide_context(host);
}

/// The host behind this request.
///
/// # Errors
/// [`ApiError::Internal`] when none was provided: a fault in the wiring of the routes.
pub fn host() -> Result<Arc<dyn Host>, ApiError> {
    use_context::<Arc<dyn Host>>()
        .ok_or_else(|| ApiError::Internal { what: "find its own port".to_owned() })
}

/// Makes `host` the one whose live sessions the server functions of this request reach.
pub fn provide_live_host(host: Arc<dyn LiveHost>) {
    provide_context(host);
}

/// The live sessions behind this request.
///
/// # Errors
/// [`ApiError::Internal`] when none were provided: a fault in the wiring of the routes.
pub fn live_host() -> Result<Arc<dyn LiveHost>, ApiError> {
    use_context::<Arc<dyn LiveHost>>()
        .ok_or_else(|| ApiError::Internal { what: "find its own live sessions".to_owned() })
}
