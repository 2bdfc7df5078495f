//! Model endpoints: an agent framework sends its model requests here, and a person responds.
//!
//! Each request becomes a turn of a live session and waits for its response. `model-wire` has the
//! vendors' formats. `session_lookup` finds the session and the agent of a request, `retries` the turn of a
//! request that is sent again, and `reply` sends the response. The rules are in
//! `docs/design/model-endpoints.md`.

mod anthropic;
mod exchange;
mod fault;
mod gemini;
mod models;
mod openai_chat;
mod openai_responses;
mod reply;
mod request_text;
mod retries;
mod session_lookup;
mod waiting_clients;
mod waiting_request;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{any, get, post};

use crate::live::LiveSessions;
use crate::vendors::PREFIXES;

pub(crate) use models::nothing_there;

use waiting_clients::WaitingClients;

/// The largest request body. A request may carry images.
const BODY_BYTES: usize = 64 * 1024 * 1024;

/// What the endpoints share.
#[derive(Clone)]
struct Endpoints {
    sessions: LiveSessions,
    waiting_clients: Arc<WaitingClients>,
    keep_alive: Duration,
}

/// The routes of the vendors, without a prefix and with each one.
pub(crate) fn router<S: Clone + Send + Sync + 'static>(sessions: LiveSessions) -> Router<S> {
    let keep_alive = sessions.keep_alive();
    let waiting_clients = WaitingClients::new(sessions.clone());
    let endpoints = Endpoints { sessions, waiting_clients, keep_alive };
    let vendors = Router::new()
        .route("/v1/chat/completions", post(openai_chat::handle))
        .route("/v1/responses", post(openai_responses::handle))
        .route("/v1/messages", post(anthropic::handle))
        .route("/v1beta/models/{model}", get(models::gemini_one).post(gemini::handle))
        .route("/v1beta/models", get(models::gemini_all))
        .route("/v1/models", get(models::all))
        .route("/v1/models/{model}", get(models::one).post(gemini::handle))
        .route("/v1/{*rest}", any(models::unknown))
        .route("/v1beta/{*rest}", any(models::unknown))
        .method_not_allowed_fallback(models::wrong_method);
    let nested = |router: Router<Endpoints>, prefix: &&str| router.nest(prefix, vendors.clone());
    PREFIXES
        .iter()
        .fold(vendors.clone(), nested)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .with_state(endpoints)
}
