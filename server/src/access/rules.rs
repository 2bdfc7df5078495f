//! [`RULES`]: what tokens may use, and whose sessions each method and endpoint may act on.
//!
//! `admit` finds the rule of a request here and rejects a token for which there is none, so a route that
//! is missing in the table is for people only. [`TokenScope`](super::TokenScope) applies the rule to a
//! session.

use axum::extract::{MatchedPath, Request};
use axum::http::Method;

use crate::vendors::PREFIXES;

/// The sessions that a token may act on with a method or an endpoint. People may act on all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Every token may use it: it acts on no session.
    AnyToken,
    /// Those that the token opened: it asks.
    Opener,
    /// Those that tokens opened which the token's `responds_to` names.
    Responder,
    /// Both.
    OpenerOrResponder,
}

/// The methods of the gRPC service by their paths, and the routes of the endpoints without the prefixes
/// that name the session and the agent.
pub const RULES: [(&str, Rule); 23] = [
    ("/rehearsal.v1.LiveService/CreateSession", Rule::Opener),
    ("/rehearsal.v1.LiveService/GetSession", Rule::OpenerOrResponder),
    ("/rehearsal.v1.LiveService/ListSessions", Rule::OpenerOrResponder),
    ("/rehearsal.v1.LiveService/CompleteSession", Rule::Responder),
    ("/rehearsal.v1.LiveService/Subscribe", Rule::OpenerOrResponder),
    ("/rehearsal.v1.LiveService/SubmitRequest", Rule::Opener),
    ("/rehearsal.v1.LiveService/AwaitDecision", Rule::Opener),
    ("/rehearsal.v1.LiveService/RecordEvent", Rule::Opener),
    ("/rehearsal.v1.LiveService/SubmitDecision", Rule::Responder),
    // An agent that gives up cancels its own turn.
    ("/rehearsal.v1.LiveService/CancelTurn", Rule::OpenerOrResponder),
    ("/rehearsal.v1.LiveService/HoldTurn", Rule::Responder),
    ("/rehearsal.v1.LiveService/HandOverTurn", Rule::Responder),
    ("/rehearsal.v1.LiveService/ReleaseTurn", Rule::Responder),
    ("/v1/chat/completions", Rule::Opener),
    ("/v1/responses", Rule::Opener),
    ("/v1/messages", Rule::Opener),
    // A GET describes the model and acts on no session.
    ("/v1beta/models/{model}", Rule::Opener),
    ("/v1/models/{model}", Rule::Opener),
    ("/v1beta/models", Rule::AnyToken),
    ("/v1/models", Rule::AnyToken),
    // Answered with the paths that exist.
    ("/v1/{*rest}", Rule::AnyToken),
    ("/v1beta/{*rest}", Rule::AnyToken),
    ("/python/{wheel}", Rule::AnyToken),
];

impl Rule {
    /// The rule for a token's request; `None` if only people may send it.
    pub(super) fn of(request: &Request) -> Option<Self> {
        let Some(route) = request.extensions().get::<MatchedPath>() else {
            // Without a route, a POST is meant for a model endpoint and gets 404 with the paths that exist.
            return (request.method() == Method::POST).then_some(Self::AnyToken);
        };
        let (path, route) = (request.uri().path(), route.as_str());
        let is_it = |known: &str| {
            let below = |prefix: &&str| route.strip_prefix(prefix) == Some(known);
            known == path || known == route || PREFIXES.iter().any(below)
        };
        RULES.iter().find(|(known, _)| is_it(known)).map(|(_, rule)| *rule)
    }
}
