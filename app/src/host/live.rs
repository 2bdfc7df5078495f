//! [`LiveHost`]: live sessions to read, to compare and to export.

use api::{
    ApiError, CaseComparison, CaseName, ExportReceipt, LiveExportPlan, LiveId, LiveList, LivePlace,
    LiveRow, LiveSummary, LiveTurn,
};
use async_trait::async_trait;

/// Live sessions to read, to compare and to export. Each method is the server function of the same
/// name.
#[async_trait]
#[expect(missing_docs, reason = "each method is documented at its server function")]
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
