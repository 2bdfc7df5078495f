//! [`RehearsalHost`]: the host's part of a rehearsal's session, and its export.

use api::{
    ApiError, CaseDownload, ExportPreview, ExportReceipt, ExportRequest, FieldMessage,
    RestoreRequest, RestoredSession, SessionView, ValueTarget,
};
use async_trait::async_trait;
use json_text::JsonText;
use session::{AgentId, SessionId};

/// The host's part of a rehearsal's session, and its export. Each method is the server function of
/// the same name.
#[async_trait]
#[expect(missing_docs, reason = "each method is documented at its server function")]
pub trait RehearsalHost: Send + Sync + 'static {
    async fn open_session(
        &self,
        session: SessionId,
        agent: AgentId,
        state: Option<JsonText>,
    ) -> Result<SessionView, ApiError>;
    async fn restore_session(&self, request: RestoreRequest) -> Result<RestoredSession, ApiError>;
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
    async fn preview_export(&self, request: ExportRequest) -> Result<ExportPreview, ApiError>;
    async fn case_file(&self, request: ExportRequest) -> Result<CaseDownload, ApiError>;
    async fn export_session(
        &self,
        request: ExportRequest,
        by: Option<String>,
    ) -> Result<ExportReceipt, ApiError>;
}
