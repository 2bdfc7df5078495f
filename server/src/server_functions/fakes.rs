//! Calls server functions with a fake of one host trait: what the trait receives, and what is
//! returned. A fake rejects every id that it does not know.

mod agents;
mod calls;
mod eval_sets;
mod live_sessions;
mod live_turns;
mod rehearsals;
mod reports;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use axum::response::IntoResponse as _;
use serde_json::{Value, json};

use super::with_status;

/// The response of the server function to `arguments`, with `provided` as the only host traits.
async fn call(
    function: &str,
    arguments: &Value,
    provided: impl Fn() + Clone + Send + 'static,
) -> (StatusCode, Value) {
    let request = Request::post(format!("/api/{function}"))
        .header("content-type", "application/json")
        .body(Body::from(arguments.to_string()))
        .expect("a request");
    let response = leptos_axum::handle_server_fns_with_context(provided, request).await;
    let response = with_status(response.into_response()).await;
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
    (status, serde_json::from_slice(&body).expect("JSON"))
}

/// Asserts that each server function returns `error` with status 404.
async fn expect_not_found<const N: usize>(
    functions: [(&str, Value); N],
    error: Value,
    provided: impl Fn() + Clone + Send + 'static,
) {
    for (function, arguments) in functions {
        let actual = call(function, &arguments, provided.clone()).await;
        assert_eq!(actual, (StatusCode::NOT_FOUND, error.clone()), "{function}");
    }
}

#[tokio::test]
async fn a_missing_host_is_an_internal_error() {
    let (status, _) = call("list_reports", &json!({}), || ()).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
}
