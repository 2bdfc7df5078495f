//! A fake [`ReportHost`] with one report.

use std::sync::Arc;

use api::{ApiError, ReportId, ReportList, ReportSummary};
use app::host::{ReportHost, provide};
use async_trait::async_trait;
use axum::http::StatusCode;
use serde_json::json;

use super::call;

struct FakeReports(ReportList);

#[async_trait]
impl ReportHost for FakeReports {
    async fn list_reports(&self) -> Result<ReportList, ApiError> {
        Ok(self.0.clone())
    }
}

#[tokio::test]
async fn reports_are_listed_by_their_host() {
    let report = ReportSummary {
        report: ReportId::new("nightly"),
        name: "nightly.json".to_owned(),
        bytes: 9,
        changed: None,
        counts: None,
        is_broken: false,
    };
    let list = ReportList { reports: vec![report], folders: Vec::new() };
    let host = move || provide::<dyn ReportHost>(Arc::new(FakeReports(list.clone())));
    let (status, listed) = call("list_reports", &json!({}), host).await;
    assert_eq!((status, &listed["reports"][0]["report"]), (StatusCode::OK, &json!("nightly")));
}
