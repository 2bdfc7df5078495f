//! A fake [`LiveHost`] without sessions.

use std::sync::Arc;

use api::{
    ApiError, CaseComparison, CaseName, ExportReceipt, LiveExportPlan, LiveId, LiveList, LivePlace,
    LiveRow, LiveSummary, LiveTurn,
};
use app::host::{LiveHost, provide};
use async_trait::async_trait;
use axum::http::StatusCode;
use serde_json::json;

use super::{call, expect_not_found};

/// Lists no session, with the requested place as the next one.
struct FakeLiveSessions;

fn unknown<T>(session: &LiveId) -> Result<T, ApiError> {
    Err(ApiError::UnknownLiveSession(session.to_string()))
}

#[async_trait]
impl LiveHost for FakeLiveSessions {
    async fn list_live_sessions(
        &self,
        search: String,
        before: Option<i64>,
    ) -> Result<LiveList, ApiError> {
        Ok(LiveList { sessions: Vec::new(), next: before.filter(|_| search == "weather") })
    }

    async fn read_live_session(&self, session: LiveId) -> Result<LiveSummary, ApiError> {
        unknown(&session)
    }

    async fn read_live_rows(
        &self,
        session: LiveId,
        _after: u64,
        _most: u64,
        _whole: bool,
    ) -> Result<Vec<LiveRow>, ApiError> {
        unknown(&session)
    }

    async fn read_live_turn(&self, place: LivePlace) -> Result<LiveTurn, ApiError> {
        unknown(&place.session)
    }

    async fn compare_live_session(
        &self,
        _expected: CaseName,
        session: LiveId,
        _turns: Vec<u64>,
    ) -> Result<CaseComparison, ApiError> {
        unknown(&session)
    }

    async fn plan_live_export(&self, session: LiveId) -> Result<LiveExportPlan, ApiError> {
        unknown(&session)
    }

    async fn export_live_session(
        &self,
        session: LiveId,
        _turns: Vec<u64>,
        _by: Option<String>,
    ) -> Result<ExportReceipt, ApiError> {
        unknown(&session)
    }
}

fn host() {
    provide::<dyn LiveHost>(Arc::new(FakeLiveSessions));
}

#[tokio::test]
async fn live_sessions_are_searched_by_their_host() {
    let search = json!({ "search": "weather", "before": 7 });
    let (status, listed) = call("list_live_sessions", &search, host).await;
    assert_eq!((status, listed), (StatusCode::OK, json!({ "sessions": [], "next": 7 })));
}

#[tokio::test]
async fn each_function_of_a_live_session_passes_it() {
    let expected = json!({ "set": "s", "eval_id": "e", "at": null });
    let live = json!({ "Live": { "session": "gone", "turns": [1] } });
    let functions = [
        ("read_live_session", json!({ "session": "gone" })),
        ("read_live_rows", json!({ "session": "gone", "after": 0, "most": 9, "whole": false })),
        ("read_live_turn", json!({ "place": { "session": "gone", "turn": "t" } })),
        ("compare_cases", json!({ "expected": expected, "actual": live })),
        ("plan_live_export", json!({ "session": "gone" })),
        ("export_live_session", json!({ "session": "gone", "turns": [1], "by": null })),
    ];
    expect_not_found(functions, json!({ "UnknownLiveSession": "gone" }), host).await;
}
