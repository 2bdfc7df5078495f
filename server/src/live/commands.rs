//! The commands of people and agents: each is sent to the ledger with the payload of the event that
//! it creates.

use live::{
    AgentName, Command, CommandReply, DisplayName, EventId, Fingerprint, HumanResponse,
    InvocationId, Lease, LeaseId, LiveSession, LiveSessionId, LlmRequest, Note, Payload, Sequence,
    TurnId,
};
use rpc::wire::session_event::Payload as WirePayload;

use super::error::LiveError;
use super::ledger_requests::{Action, ActionResult, LedgerRequest};
use super::sessions::LiveSessions;
use crate::access::{self, AuditEntry};
use crate::parsing::parse;

/// An agent's request, before it has a turn.
pub(crate) struct AgentRequest {
    agent_name: AgentName,
    invocation_id: InvocationId,
    payload: WirePayload,
    caller: Option<String>,
    awaited: bool,
    /// Equal for the same request of the same agent, run and caller only.
    pub(crate) fingerprint: Fingerprint,
}

impl AgentRequest {
    /// The request of the current caller.
    ///
    /// # Errors
    /// [`LiveError::TooLarge`] if the page cannot show it.
    pub(crate) async fn new(
        agent_name: AgentName,
        invocation_id: InvocationId,
        request: LlmRequest,
    ) -> Result<Self, LiveError> {
        request.check_size()?;
        let payload = rpc::payload_to_wire(Payload::Request(request));
        let caller = access::caller().map(|caller| caller.identity());
        let names = [agent_name.as_str(), invocation_id.as_str()];
        let names = names.into_iter().chain(caller.as_deref());
        let (payload, fingerprint) = fingerprinted(names, payload).await;
        Ok(Self { agent_name, invocation_id, payload, caller, awaited: false, fingerprint })
    }

    /// With a client that the host delivers the response to: [`LiveSessions::delivered`] reports
    /// that it has.
    pub(crate) fn awaited(self) -> Self {
        Self { awaited: true, ..self }
    }
}

impl LiveSessions {
    /// Adds an agent's request.
    pub(crate) async fn submit(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        request: AgentRequest,
    ) -> Result<Sequence, LiveError> {
        let AgentRequest { agent_name, invocation_id, payload, caller, awaited, fingerprint } =
            request;
        let command = Command::Submit { turn_id, agent_name, invocation_id, fingerprint };
        let awaited = awaited.then_some(fingerprint);
        let payload = Some(payload);
        let action = Action { caller, awaited, payload, ..Action::new(session_id, command) };
        event(&self.send(action).await?.reply)
    }

    /// Responds to the turn at the head of the queue, with the lease if there is one.
    pub(crate) async fn respond(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        response: HumanResponse,
        by: DisplayName,
        lease_id: Option<LeaseId>,
    ) -> Result<Sequence, LiveError> {
        let payload = rpc::payload_to_wire(Payload::Response(response));
        // The same response by a different person is a different decision.
        let (payload, fingerprint) = fingerprinted([by.as_str()], payload).await;
        let command = Command::Respond { turn_id, fingerprint, lease_id };
        let entry = AuditEntry::new("decision").with("session", &session_id);
        let entry = entry.with("turn", &turn_id);
        let action = Action { payload: Some(payload), ..Action::new(session_id, command) };
        event(&self.send(action.audited(entry, Some(by))).await?.reply)
    }

    /// Cancels a pending turn; `by` is `None` if its agent gives up.
    pub(crate) async fn cancel(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        reason: Note,
        by: Option<DisplayName>,
    ) -> Result<Sequence, LiveError> {
        let payload = rpc::payload_to_wire(Payload::Cancelled(reason.clone()));
        let names: Vec<&str> = by.iter().map(DisplayName::as_str).collect();
        let fingerprint = rpc::fingerprint(&names, &payload);
        let command = Command::Cancel { turn_id, fingerprint };
        let entry = AuditEntry::new("cancel").with("session", &session_id);
        let entry = entry.with("turn", &turn_id).with("reason", &reason);
        let action = Action { payload: Some(payload), ..Action::new(session_id, command) };
        event(&self.send(action.audited(entry, by)).await?.reply)
    }

    /// Records a tool result or the end of the turn's run. A repeated event id has no effect.
    pub(crate) async fn record(
        &self,
        session_id: LiveSessionId,
        event_id: EventId,
        turn_id: TurnId,
        agent_name: AgentName,
        invocation_id: InvocationId,
        payload: Payload,
    ) -> Result<Sequence, LiveError> {
        let payload = rpc::payload_to_wire(payload);
        let turn = turn_id.to_string();
        let names = [turn.as_str(), agent_name.as_str(), invocation_id.as_str()];
        let (payload, fingerprint) = fingerprinted(names, payload).await;
        let command = Command::Record { event_id, turn_id, agent_name, invocation_id, fingerprint };
        let action = Action { payload: Some(payload), ..Action::new(session_id, command) };
        event(&self.send(action).await?.reply)
    }

    /// Completes the session: it takes no more requests. Pending ones are canceled if
    /// `cancel_pending`.
    pub(crate) async fn complete(
        &self,
        session_id: LiveSessionId,
        cancel_pending: bool,
        by: Option<DisplayName>,
    ) -> Result<LiveSession, LiveError> {
        let reason = Note::cut("the session was completed");
        let payload = rpc::payload_to_wire(Payload::Cancelled(reason));
        let command = Command::Complete { cancel_pending };
        let entry = AuditEntry::new("complete").with("session", &session_id);
        let action = Action { payload: Some(payload), ..Action::new(session_id, command) };
        Ok(self.send(action.audited(entry, by)).await?.session)
    }

    /// Deletes a session in which no agent waits, with all its events.
    pub(crate) async fn delete(
        &self,
        session_id: LiveSessionId,
        by: Option<&DisplayName>,
    ) -> Result<(), LiveError> {
        let entry = AuditEntry::new("delete").with("session", &session_id);
        let entry = entry.by_optional(by).with_caller();
        self.request(|reply| LedgerRequest::Delete(session_id, entry, reply)).await
    }

    /// Releases the lease.
    pub(crate) async fn release_lease(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        lease_id: LeaseId,
    ) -> Result<(), LiveError> {
        let command = Command::Release { turn_id, lease_id };
        self.send(Action::new(session_id, command)).await.map(drop)
    }

    async fn send(&self, action: Action) -> Result<ActionResult, LiveError> {
        self.permit(action.session_id).await?;
        let action = Box::new(action);
        self.request(|reply| LedgerRequest::Apply(action, reply)).await
    }

    /// Takes or renews the lease of the turn at the head of the queue.
    pub(crate) async fn take_lease(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        lease_id: LeaseId,
        by: DisplayName,
    ) -> Result<Option<Lease>, LiveError> {
        let command = Command::TakeLease { turn_id, lease_id, by, length_ms: self.lease_ms() };
        Ok(lease(self.send(Action::new(session_id, command)).await?))
    }

    /// Hands the lease over to another person.
    pub(crate) async fn hand_over_lease(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        lease_id: LeaseId,
        to: DisplayName,
    ) -> Result<Option<Lease>, LiveError> {
        let command = Command::HandOver { turn_id, lease_id, to, length_ms: self.lease_ms() };
        Ok(lease(self.send(Action::new(session_id, command)).await?))
    }
}

/// The payload with the fingerprint of it and of its names, which takes a copy of its bytes.
async fn fingerprinted<'n>(
    names: impl IntoIterator<Item = &'n str>,
    payload: WirePayload,
) -> (WirePayload, Fingerprint) {
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    parse(payload.encoded_len(), move || {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let fingerprint = rpc::fingerprint(&names, &payload);
        (payload, fingerprint)
    })
    .await
}

fn event(reply: &CommandReply) -> Result<Sequence, LiveError> {
    match reply {
        CommandReply::Event(sequence) => Ok(*sequence),
        // These commands always result in an event.
        CommandReply::Lease(_) | CommandReply::Done => Err(LiveError::Stopping),
    }
}

fn lease(result: ActionResult) -> Option<Lease> {
    match result.reply {
        CommandReply::Lease(lease) => Some(lease),
        CommandReply::Event(_) | CommandReply::Done => None,
    }
}
