//! A fake [`LiveTurnHost`] without sessions.

use std::sync::Arc;

use api::{ApiError, FieldMessage, LiveId, LiveLeaseId, LivePlace, LiveResponse, LiveTarget};
use app::host::{LiveTurnHost, provide};
use async_trait::async_trait;
use axum::http::StatusCode;
use json_text::JsonText;
use serde_json::json;

use super::{call, expect_not_found};

/// Has no session, and reports each lease as held by a person with the name of the lease.
struct FakeLiveTurns;

fn unknown<T>(session: &LiveId) -> Result<T, ApiError> {
    Err(ApiError::UnknownLiveSession(session.to_string()))
}

#[async_trait]
impl LiveTurnHost for FakeLiveTurns {
    async fn check_live_value(
        &self,
        place: LivePlace,
        _target: LiveTarget,
        _value: JsonText,
    ) -> Result<Vec<FieldMessage>, ApiError> {
        unknown(&place.session)
    }

    async fn respond_to_turn(&self, response: LiveResponse) -> Result<(), ApiError> {
        unknown(&response.place.session)
    }

    async fn take_live_lease(
        &self,
        place: LivePlace,
        _lease: LiveLeaseId,
        _by: String,
    ) -> Result<(), ApiError> {
        unknown(&place.session)
    }

    async fn hand_over_live_lease(
        &self,
        place: LivePlace,
        _lease: LiveLeaseId,
        _to: String,
    ) -> Result<(), ApiError> {
        unknown(&place.session)
    }

    async fn release_live_lease(
        &self,
        _place: LivePlace,
        lease: LiveLeaseId,
    ) -> Result<(), ApiError> {
        Err(ApiError::LeaseHeld(lease.to_string()))
    }

    async fn cancel_live_turn(
        &self,
        place: LivePlace,
        _reason: String,
        _by: String,
    ) -> Result<(), ApiError> {
        unknown(&place.session)
    }

    async fn complete_live_session(
        &self,
        session: LiveId,
        _cancel_waiting: bool,
        _by: String,
    ) -> Result<(), ApiError> {
        unknown(&session)
    }

    async fn delete_live_session(&self, session: LiveId, _by: String) -> Result<(), ApiError> {
        unknown(&session)
    }
}

fn host() {
    provide::<dyn LiveTurnHost>(Arc::new(FakeLiveTurns));
}

#[tokio::test]
async fn a_lease_is_released_by_its_host() {
    let turn = json!({ "place": { "session": "s", "turn": "t" }, "lease": "Ada" });
    let held = json!({ "LeaseHeld": "Ada" });
    assert_eq!(call("release_live_lease", &turn, host).await, (StatusCode::CONFLICT, held));
}

#[tokio::test]
async fn each_function_of_a_turn_passes_its_session() {
    let place = json!({ "session": "gone", "turn": "t" });
    let response = json!({ "place": place, "by": "Ann", "lease": null, "text": "Hi", "calls": [] });
    let functions = [
        ("check_live_value", json!({ "place": place, "target": "Output", "value": 1 })),
        ("respond_to_turn", json!({ "response": response })),
        ("take_live_lease", json!({ "place": place, "lease": "l", "by": "Ann" })),
        ("hand_over_live_lease", json!({ "place": place, "lease": "l", "to": "Bo" })),
        ("cancel_live_turn", json!({ "place": place, "reason": "", "by": "Ann" })),
        (
            "complete_live_session",
            json!({ "session": "gone", "cancel_waiting": false, "by": "Ann" }),
        ),
        ("delete_live_session", json!({ "session": "gone", "by": "Ann" })),
    ];
    expect_not_found(functions, json!({ "UnknownLiveSession": "gone" }), host).await;
}
