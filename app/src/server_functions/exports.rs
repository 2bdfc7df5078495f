//! Export: a completed session becomes a case in the agent's eval set.

use api::{ApiError, ExportReceipt, ExportRequest};
use leptos::prelude::*;
use server_fn::codec::Json;

/// Appends the session to the agent's eval set.
#[server(prefix = "/api", endpoint = "export_session", input = Json, output = Json)]
pub async fn export_session(
    request: ExportRequest,
    by: Option<String>,
) -> Result<ExportReceipt, ApiError> {
    crate::host::rehearsals()?.export_session(request, by).await
}
