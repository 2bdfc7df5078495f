//! Export: a completed session becomes a case in the agent's eval set.

use api::{ApiError, CaseDownload, ExportPreview, ExportReceipt, ExportRequest};
use leptos::prelude::*;
use server_fn::codec::Json;

/// The case that the session would be exported as.
#[server(prefix = "/api", endpoint = "preview_export", input = Json, output = Json)]
pub async fn preview_export(request: ExportRequest) -> Result<ExportPreview, ApiError> {
    crate::host::rehearsals()?.preview_export(request).await
}

/// An eval set with only the case that the session would be exported as, to download.
#[server(prefix = "/api", endpoint = "case_file", input = Json, output = Json)]
pub async fn case_file(request: ExportRequest) -> Result<CaseDownload, ApiError> {
    crate::host::rehearsals()?.case_file(request).await
}

/// Appends the session to the agent's eval set.
#[server(prefix = "/api", endpoint = "export_session", input = Json, output = Json)]
pub async fn export_session(
    request: ExportRequest,
    by: Option<String>,
) -> Result<ExportReceipt, ApiError> {
    crate::host::rehearsals()?.export_session(request, by).await
}
