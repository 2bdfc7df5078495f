//! JSON reports in the configured folders.

use api::{ApiError, ReportList};
use leptos::prelude::*;
use server_fn::codec::Json;

/// The reports in the configured folders.
#[server(prefix = "/api", endpoint = "list_reports", input = Json, output = Json)]
pub async fn list_reports() -> Result<ReportList, ApiError> {
    crate::host::reports()?.list_reports().await
}
