//! [`WaitingRequest`]: a request to a model endpoint that has become a turn and waits for its response.

use std::sync::Arc;

use live::{Content, HumanResponse, LiveSessionId, TurnId};
use model_wire::{ApiFault, FaultKind, ResponseHead};
use prost::Message as _;
use rpc::wire;
use rpc::wire::session_event::Payload;

use super::fault::of_host;
use super::waiting_clients::WaitingClient;
use crate::live::LiveSessions;
use crate::parsing::parse;

/// A request that waits for its response.
pub(super) struct WaitingRequest {
    pub(super) head: ResponseHead,
    pub(super) client: WaitingClient,
    pub(super) turn: Turn,
}

/// The turn of the request.
#[derive(Clone)]
pub(super) struct Turn {
    pub(super) sessions: LiveSessions,
    pub(super) session_id: LiveSessionId,
    pub(super) turn_id: TurnId,
    /// How many candidates the client requested.
    pub(super) candidates: usize,
}

impl Turn {
    /// Waits for a person; returns the candidates for the client.
    pub(super) async fn outcome(self) -> Result<Vec<Content>, ApiFault> {
        let event = self.sessions.outcome(self.session_id, self.turn_id).await.map_err(of_host)?;
        let read = parse(event.encoded_len(), || response(Arc::unwrap_or_clone(event)));
        let mut candidates = read.await?.candidates;
        candidates.truncate(self.candidates);
        Ok(candidates)
    }
}

/// The response or the fault for an event that ends a turn.
pub(super) fn response(event: wire::SessionEvent) -> Result<HumanResponse, ApiFault> {
    match event.payload {
        Some(Payload::Response(response)) => rpc::human_response(response)
            .map_err(|fault| ApiFault::new(FaultKind::Internal, fault.to_string())),
        Some(Payload::Cancelled(canceled)) => {
            let by = event.by.map(|person| format!(" by {}", person.display_name));
            let reason = match canceled.reason.trim() {
                "" => String::new(),
                reason => format!(": {reason}"),
            };
            let by = by.unwrap_or_default();
            Err(ApiFault::new(FaultKind::Cancelled, format!("the turn was canceled{by}{reason}")))
        }
        _ => Err(ApiFault::new(FaultKind::Internal, "the turn ended with an unknown event")),
    }
}
