//! [`ReportHost`]: reports in the configured folders.

use api::{ApiError, ReportList};
use async_trait::async_trait;

/// Reports in the configured folders. Each method is the server function of the same name.
#[async_trait]
#[expect(missing_docs, reason = "each method is documented at its server function")]
pub trait ReportHost: Send + Sync + 'static {
    async fn list_reports(&self) -> Result<ReportList, ApiError>;
}
