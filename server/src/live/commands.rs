//! The commands of people and agents: each is sent to the ledger with the payload of the event that
//! it creates.

use live::{
    AgentName, Answer, Command, DisplayName, EventId, HumanResponse, InvocationId, Lease, LeaseId,
    LiveSession, LiveSessionId, LlmRequest, Note, Payload, Sequence, TurnId,
};
use rpc::wire::session_event::Payload as WirePayload;

use super::ask::{Act, Acted, Ask};
use super::error::LiveError;
use super::sessions::LiveSessions;
use crate::access;

impl LiveSessions {
    /// Adds an agent's request.
    pub(crate) async fn submit(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        agent_name: AgentName,
        invocation_id: InvocationId,
        request: LlmRequest,
    ) -> Result<Sequence, LiveError> {
        let payload = rpc::payload_to_wire(Payload::Request(request));
        let names = [agent_name.as_str(), invocation_id.as_str()];
        let fingerprint = rpc::fingerprint(&names, &payload);
        let command = Command::Submit { turn_id, agent_name, invocation_id, fingerprint };
        event(&self.act(session_id, command, Some(payload), None).await?.answer)
    }

    /// Responds to the turn at the head of the queue, with the lease if there is one.
    pub(crate) async fn decide(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        response: HumanResponse,
        by: DisplayName,
        lease_id: Option<LeaseId>,
    ) -> Result<Sequence, LiveError> {
        let payload = rpc::payload_to_wire(Payload::Response(response));
        // The same response by a different person is a different decision.
        let fingerprint = rpc::fingerprint(&[by.as_str()], &payload);
        let command = Command::Decide { turn_id, fingerprint, lease_id };
        let decision = access::Note::new("decision").by(by.as_str());
        let noted = decision.with("session", &session_id).with("turn", &turn_id).here();
        let act =
            Act { session_id, command, payload: Some(payload), by: Some(by), noted: Some(noted) };
        let act = Box::new(act);
        event(&self.ask(|reply| Ask::Act(act, reply)).await?.answer)
    }

    /// Cancels a pending turn; `by` is `None` if its agent gives up.
    pub(crate) async fn cancel(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        reason: Note,
        by: Option<DisplayName>,
    ) -> Result<Sequence, LiveError> {
        let payload = rpc::payload_to_wire(Payload::Cancelled(reason));
        let names: Vec<&str> = by.iter().map(DisplayName::as_str).collect();
        let fingerprint = rpc::fingerprint(&names, &payload);
        let command = Command::Cancel { turn_id, fingerprint };
        event(&self.act(session_id, command, Some(payload), by).await?.answer)
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
        let fingerprint = rpc::fingerprint(&names, &payload);
        let command = Command::Record { event_id, turn_id, agent_name, invocation_id, fingerprint };
        event(&self.act(session_id, command, Some(payload), None).await?.answer)
    }

    /// Completes the session: it takes no more requests. Pending ones are cancelled if
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
        Ok(self.act(session_id, command, Some(payload), by).await?.session)
    }

    /// Releases the lease.
    pub(crate) async fn release(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        lease_id: LeaseId,
    ) -> Result<(), LiveError> {
        let command = Command::Release { turn_id, lease_id };
        self.act(session_id, command, None, None).await.map(drop)
    }

    /// Sends a command; `payload` is the content of the events that it creates.
    async fn act(
        &self,
        session_id: LiveSessionId,
        command: Command,
        payload: Option<WirePayload>,
        by: Option<DisplayName>,
    ) -> Result<Acted, LiveError> {
        let act = Box::new(Act { session_id, command, payload, by, noted: None });
        self.ask(|reply| Ask::Act(act, reply)).await
    }

    /// Takes or renews the lease of the turn at the head of the queue.
    pub(crate) async fn hold(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        lease_id: LeaseId,
        by: DisplayName,
    ) -> Result<Option<Lease>, LiveError> {
        let command = Command::Hold { turn_id, lease_id, by, length_ms: self.lease_ms() };
        Ok(lease(self.act(session_id, command, None, None).await?))
    }

    /// Hands the lease over to another person.
    pub(crate) async fn hand_over(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        lease_id: LeaseId,
        to: DisplayName,
    ) -> Result<Option<Lease>, LiveError> {
        let command = Command::HandOver { turn_id, lease_id, to, length_ms: self.lease_ms() };
        Ok(lease(self.act(session_id, command, None, None).await?))
    }
}

fn event(answer: &Answer) -> Result<Sequence, LiveError> {
    match answer {
        Answer::Event(sequence) => Ok(*sequence),
        // The rules answer these commands with an event.
        Answer::Lease(_) | Answer::Done => Err(LiveError::Stopping),
    }
}

fn lease(acted: Acted) -> Option<Lease> {
    match acted.answer {
        Answer::Lease(lease) => Some(lease),
        Answer::Event(_) | Answer::Done => None,
    }
}
