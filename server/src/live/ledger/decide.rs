//! Decides each request by the rules, given the queues and the batch so far.

use std::sync::Arc;

use live::{
    Command, Entry, EventId, Fact, Fingerprint, LiveSession, LiveSessionId, PayloadType, Refusal,
    Status, TurnId,
};
use prost::Message;
use rpc::wire;
use rpc::wire::session_event::Payload;

use super::super::active_session::Outcome;
use super::super::clock::moment;
use super::super::error::LiveError;
use super::super::ledger_requests::{
    Action, ActionResult, LedgerReply, LedgerRequest, QueueSnapshot, Waited,
};
use super::{Draft, Ledger};
use crate::access::AttributedEntry;
use live_store::{Change, NewEvent};

impl Ledger {
    pub(super) async fn decide(
        &mut self,
        request: &LedgerRequest,
    ) -> Result<LedgerReply, LiveError> {
        match request {
            LedgerRequest::Open(session, _) => self.open(session).await.map(LedgerReply::Opened),
            LedgerRequest::Apply(action, _) => self.apply(action).await.map(LedgerReply::Applied),
            LedgerRequest::Wait(session_id, turn_id, _) => {
                self.wait(*session_id, *turn_id).await.map(LedgerReply::Waited)
            }
            LedgerRequest::Leave(session_id, turn_id) => {
                if let Some(active) = self.active_sessions.get_mut(session_id) {
                    active.leave(*turn_id);
                    self.touched.insert(*session_id);
                }
                Ok(LedgerReply::Nothing)
            }
            LedgerRequest::Deliver(turn_id) => {
                self.changes.push(Change::Deliver(*turn_id));
                Ok(LedgerReply::Nothing)
            }
            LedgerRequest::Delete(session_id, entry, _) => {
                self.delete(*session_id, entry).await.map(|()| LedgerReply::Deleted)
            }
            LedgerRequest::Watch(session_id, _) => {
                let active = self.active(*session_id).await?;
                Ok(LedgerReply::Watched(active.feed.watch()))
            }
            LedgerRequest::Depth(_) => Ok(LedgerReply::Counted(
                self.active_sessions.values().map(|active| active.queue.depth()).sum(),
            )),
            LedgerRequest::Stop => Ok(LedgerReply::Nothing),
            LedgerRequest::Snapshot(sessions, _) => {
                let snapshot = |id: &LiveSessionId| {
                    self.active_sessions.get(id).filter(|it| !it.stale).map(QueueSnapshot::at)
                };
                Ok(LedgerReply::Snapshots(sessions.iter().map(snapshot).collect()))
            }
        }
    }

    async fn open(&mut self, session: &LiveSession) -> Result<LiveSession, LiveError> {
        let known = match self.opened.get(&session.id) {
            Some(known) => Some(known.clone()),
            None => self.store.session(session.id).await?.map(|known| known.session),
        };
        match known {
            Some(known) if known.description == session.description => Ok(known),
            Some(_) => Err(LiveError::SessionTaken(session.id)),
            None => {
                self.changes.push(Change::Open(session.clone()));
                self.opened.insert(session.id, session.clone());
                Ok(session.clone())
            }
        }
    }

    async fn apply(&mut self, action: &Action) -> Result<ActionResult, LiveError> {
        self.recall(action.session_id, &action.command).await?;
        let now = moment();
        let active = self.active(action.session_id).await?;
        let transition = active.queue.decide(&action.command, now)?;
        for fact in &transition.facts {
            active.queue.apply(fact);
            if matches!(fact, Fact::Completed) {
                active.session.status = Status::Completed;
            }
        }
        let result = ActionResult { reply: transition.reply, session: active.session.clone() };
        // A repeated command is accepted without new facts.
        if !transition.facts.is_empty() {
            self.audit_entries.extend(action.audit_entry.clone());
        }
        for fact in transition.facts {
            self.draft(action, fact);
        }
        if let (Some(content), Some(turn_id)) = (action.awaited, action.command.turn_id()) {
            self.changes.push(Change::Await(turn_id, content));
        }
        self.touched.insert(action.session_id);
        Ok(result)
    }

    async fn delete(
        &mut self,
        session_id: LiveSessionId,
        entry: &AttributedEntry,
    ) -> Result<(), LiveError> {
        match self.active(session_id).await?.queue.depth() {
            0 => {
                self.changes.push(Change::Delete(session_id));
                self.audit_entries.push(entry.clone());
                self.deleted = Some(session_id);
                Ok(())
            }
            waiting => Err(LiveError::StillWaiting { waiting }),
        }
    }

    /// Loads into the queue the closed turns that `command` refers to.
    async fn recall(
        &mut self,
        session_id: LiveSessionId,
        command: &Command,
    ) -> Result<(), LiveError> {
        let unknown = self.active(session_id).await?.queue.unknown_to(command);
        if let Some(turn_id) = unknown.turn
            && let Some(turn) = self.store.turn(turn_id).await?
        {
            match (command, turn.closed) {
                (_, Some(closed)) if turn.session_id == session_id => {
                    self.active(session_id).await?.queue.recall_turn(turn_id, closed);
                }
                (Command::Submit { .. }, _) => return Err(Refusal::TurnTaken(turn_id).into()),
                _ => {}
            }
        }
        if let Some(event_id) = unknown.event
            && let Some((home, recorded)) = self.store.recorded(event_id).await?
        {
            if home != session_id {
                return Err(Refusal::EventTaken(event_id).into());
            }
            self.active(session_id).await?.queue.recall_event(event_id, recorded);
        }
        Ok(())
    }

    /// Creates the event of a fact, if it has one.
    fn draft(&mut self, action: &Action, fact: Fact) {
        let (kind, event_id, fingerprint) = match &fact {
            Fact::Requested(_, fingerprint) => {
                (PayloadType::Request, new_event_id(), Some(*fingerprint))
            }
            Fact::Answered(_, fingerprint) => {
                (PayloadType::Response, new_event_id(), Some(*fingerprint))
            }
            Fact::Cancelled(_, fingerprint) => {
                (PayloadType::Cancelled, new_event_id(), *fingerprint)
            }
            Fact::Recorded(_, event_id, fingerprint) => {
                let kind = match action.payload {
                    Some(Payload::RunEnded(_)) => PayloadType::RunEnded,
                    _ => PayloadType::ToolResult,
                };
                (kind, *event_id, Some(*fingerprint))
            }
            Fact::Completed => {
                self.changes.push(Change::Complete(action.session_id));
                return;
            }
            Fact::Leased(_) | Fact::Freed => return,
        };
        if let Some(entry) = fact.entry() {
            let (event, kept) = sealed(action, entry, event_id, kind, fingerprint);
            let bytes = kept.bytes.len();
            self.changes.push(Change::Append(kept));
            self.drafts.push(Draft { session_id: action.session_id, fact, event, bytes });
        }
    }

    async fn wait(
        &mut self,
        session_id: LiveSessionId,
        turn_id: TurnId,
    ) -> Result<Waited, LiveError> {
        let active = self.active(session_id).await?;
        if let Some(ahead) = active.queue.ahead(turn_id) {
            let outcome = active.wait(turn_id);
            self.touched.insert(session_id);
            return Ok(Waited::Pending { ahead, outcome });
        }
        // Closed in this batch or before.
        let draft = self.drafts.iter().find(|draft| match &draft.fact {
            Fact::Answered(entry, _) | Fact::Cancelled(entry, _) => entry.turn_id == turn_id,
            _ => false,
        });
        if let Some(entry) = draft.and_then(|draft| draft.fact.entry()) {
            return Ok(Waited::Closed(entry.sequence));
        }
        match self.store.turn(turn_id).await? {
            Some(turn) if turn.session_id == session_id => match turn.closed {
                Some(closed) => Ok(Waited::Closed(closed.closed)),
                None => Err(Refusal::UnknownTurn(turn_id).into()),
            },
            _ => Err(Refusal::UnknownTurn(turn_id).into()),
        }
    }
}

/// The event for watchers, and the change for the store.
fn sealed(
    action: &Action,
    entry: &Entry,
    event_id: EventId,
    kind: PayloadType,
    fingerprint: Option<Fingerprint>,
) -> (Outcome, NewEvent) {
    let event = wire::SessionEvent {
        event_id: event_id.to_string(),
        session_id: action.session_id.to_string(),
        timestamp_ms: entry.at.0,
        turn_id: entry.turn_id.to_string(),
        agent_name: entry.agent_name.to_string(),
        sequence: entry.sequence.0,
        invocation_id: entry.invocation_id.to_string(),
        by: action.by.as_ref().map(rpc::person_to_wire),
        payload: action.payload.clone(),
    };
    let kept = NewEvent {
        event_id,
        session_id: action.session_id,
        sequence: entry.sequence,
        at: entry.at,
        turn_id: entry.turn_id,
        agent_name: entry.agent_name.to_string(),
        invocation_id: entry.invocation_id.clone(),
        kind,
        fingerprint,
        caller: action.caller.clone(),
        bytes: event.encode_to_vec(),
    };
    (Arc::new(event), kept)
}

fn new_event_id() -> EventId {
    EventId::from_random(uuid::Uuid::new_v4().into_bytes())
}
