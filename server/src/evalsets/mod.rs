//! Eval sets on disk: a completed session becomes a case in the agent's file.

use app::api::{ApiError, ExportReceipt};
use session::GoldenTrace;

use crate::agents::registry::RegisteredAgent;
use crate::sessions::HostSession;

/// Appends `trace` to the eval-set file of `agent`. `session` holds the large results that the
/// page knows by reference; it is gone when the host was restarted.
pub(crate) async fn export(
    agent: &RegisteredAgent,
    session: Option<&HostSession>,
    trace: GoldenTrace,
) -> Result<ExportReceipt, ApiError> {
    let _ = (agent, session, trace);
    Err(ApiError::Internal { what: "export yet".to_owned() })
}
