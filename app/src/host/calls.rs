//! [`CallHost`]: tool calls of rehearsals, and the questions that their servers ask.

use api::{Answer, ApiError, ResourceContent, ResultSlice, ToolRequest};
use async_trait::async_trait;
use json_text::JsonText;
use session::{CallId, SessionId, ToolName};

/// Tool calls of rehearsals, and the questions that their servers ask. Each method is the server
/// function of the same name.
#[async_trait]
#[expect(missing_docs, reason = "each method is documented at its server function")]
pub trait CallHost: Send + Sync + 'static {
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
    async fn act_as_agent(&self, session: SessionId, call_id: CallId) -> Result<(), ApiError>;
    async fn respond_as_agent(
        &self,
        session: SessionId,
        call_id: CallId,
        content: String,
    ) -> Result<(), ApiError>;
    async fn read_stored_result(
        &self,
        session: SessionId,
        call_id: CallId,
        offset: u64,
    ) -> Result<ResultSlice, ApiError>;
    async fn read_resource(
        &self,
        session: SessionId,
        tool: ToolName,
        uri: String,
    ) -> Result<Vec<ResourceContent>, ApiError>;
    async fn answer_question(
        &self,
        session: SessionId,
        number: u64,
        answer: Answer,
    ) -> Result<(), ApiError>;
}
