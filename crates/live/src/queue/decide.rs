//! [`Queue::decide`]: the rules.

use crate::{
    AgentName, DisplayName, Fact, Fingerprint, InvocationId, Lease, LeaseId, Moment, Refusal,
    Sequence, TurnId,
};

use super::command::Command;
use super::fact::Entry;
use super::state::{ClosedTurn, Closing, PendingTurn, Queue, Status};

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The resulting events, in order; empty when the command repeats an earlier one.
    pub facts: Vec<Fact>,
    /// The reply to its sender.
    pub reply: CommandReply,
}

/// The reply to the sender of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandReply {
    /// The event that it caused: now, or the first time it was sent.
    Event(Sequence),
    /// The lease that it holds or has offered.
    Lease(Lease),
    /// The command is done.
    Done,
}

impl Transition {
    fn nothing(reply: CommandReply) -> Self {
        Self { facts: Vec::new(), reply }
    }

    fn event(fact: Fact, sequence: Sequence) -> Self {
        Self { facts: vec![fact], reply: CommandReply::Event(sequence) }
    }

    fn lease(lease: Lease) -> Self {
        Self { facts: vec![Fact::Leased(lease.clone())], reply: CommandReply::Lease(lease) }
    }
}

impl Queue {
    /// Decides a command at `now`, without changing the queue: the result is in the facts.
    ///
    /// The queue must know everything that [`Queue::unknown_to`] names, if it exists.
    ///
    /// # Errors
    /// [`Refusal`] with the field and the rule.
    pub fn decide(&self, command: &Command, now: Moment) -> Result<Transition, Refusal> {
        match command {
            Command::Submit { turn_id, agent_name, invocation_id, fingerprint } => {
                self.submit(*turn_id, agent_name, invocation_id, *fingerprint, now)
            }
            Command::Respond { turn_id, fingerprint, lease_id } => {
                self.respond(*turn_id, *fingerprint, *lease_id, now)
            }
            Command::Cancel { turn_id, fingerprint } => self.cancel(*turn_id, *fingerprint, now),
            Command::Complete { cancel_pending } => self.complete(*cancel_pending, now),
            Command::Record { .. } => self.record(command, now),
            Command::TakeLease { turn_id, lease_id, by, length_ms } => {
                self.take_lease(*turn_id, *lease_id, by, now, now.plus(*length_ms))
            }
            Command::HandOver { turn_id, lease_id, to, length_ms } => {
                self.hand_over(*turn_id, *lease_id, to, now, now.plus(*length_ms))
            }
            Command::Release { turn_id, lease_id } => {
                let held = self
                    .lease
                    .as_ref()
                    .is_some_and(|lease| lease.turn_id == *turn_id && lease.id == Some(*lease_id));
                let facts = if held { vec![Fact::Freed] } else { Vec::new() };
                Ok(Transition { facts, reply: CommandReply::Done })
            }
            Command::Tick => {
                let is_expired = self.lease.as_ref().is_some_and(|lease| !lease.is_valid(now));
                let facts = if is_expired { vec![Fact::Freed] } else { Vec::new() };
                Ok(Transition { facts, reply: CommandReply::Done })
            }
        }
    }

    fn submit(
        &self,
        turn_id: TurnId,
        agent_name: &AgentName,
        invocation_id: &InvocationId,
        fingerprint: Fingerprint,
        now: Moment,
    ) -> Result<Transition, Refusal> {
        let first = match (self.pending_turn(turn_id), self.closed.get(&turn_id)) {
            (Some(turn), _) => Some((turn.sequence, turn.fingerprint)),
            (None, Some(turn)) => Some((turn.requested, turn.request)),
            (None, None) => None,
        };
        if let Some((sequence, request)) = first {
            return if request == fingerprint {
                Ok(Transition::nothing(CommandReply::Event(sequence)))
            } else {
                Err(Refusal::TurnTaken(turn_id))
            };
        }
        if self.status == Status::Completed {
            return Err(Refusal::Completed);
        }
        let entry = Entry {
            sequence: self.last.next(),
            at: now.at.max(self.last_at),
            turn_id,
            agent_name: agent_name.clone(),
            invocation_id: invocation_id.clone(),
        };
        let sequence = entry.sequence;
        Ok(Transition::event(Fact::Requested(entry, fingerprint), sequence))
    }

    fn respond(
        &self,
        turn_id: TurnId,
        fingerprint: Fingerprint,
        lease_id: Option<LeaseId>,
        now: Moment,
    ) -> Result<Transition, Refusal> {
        match self.closed.get(&turn_id) {
            Some(ClosedTurn { closing: Closing::Answered(first), closed, .. })
                if *first == fingerprint =>
            {
                return Ok(Transition::nothing(CommandReply::Event(*closed)));
            }
            Some(turn) => return Err(turn.refusal(turn_id)),
            None => {}
        }
        let turn = self.require_head(turn_id)?;
        if let Some(lease) = self.lease.as_ref().filter(|lease| lease.is_valid(now))
            && (lease.id.is_none() || lease.id != lease_id)
        {
            return Err(held(lease));
        }
        let entry = self.next_entry(turn, now, 0);
        let sequence = entry.sequence;
        Ok(Transition::event(Fact::Answered(entry, fingerprint), sequence))
    }

    fn cancel(
        &self,
        turn_id: TurnId,
        fingerprint: Fingerprint,
        now: Moment,
    ) -> Result<Transition, Refusal> {
        match self.closed.get(&turn_id) {
            Some(ClosedTurn { closing: Closing::Cancelled(first), closed, .. })
                if *first == Some(fingerprint) =>
            {
                return Ok(Transition::nothing(CommandReply::Event(*closed)));
            }
            Some(turn) => return Err(turn.refusal(turn_id)),
            None => {}
        }
        let turn = self.pending_turn(turn_id).ok_or(Refusal::UnknownTurn(turn_id))?;
        let entry = self.next_entry(turn, now, 0);
        let sequence = entry.sequence;
        Ok(Transition::event(Fact::Cancelled(entry, Some(fingerprint)), sequence))
    }

    fn complete(&self, cancel_pending: bool, now: Moment) -> Result<Transition, Refusal> {
        if self.status == Status::Completed {
            return Ok(Transition::nothing(CommandReply::Done));
        }
        if !cancel_pending && self.depth() > 0 {
            return Err(Refusal::TurnsPending { count: self.depth() });
        }
        let cancelled = self
            .pending()
            .zip(0..)
            .map(|(turn, position)| Fact::Cancelled(self.next_entry(turn, now, position), None));
        let facts = cancelled.chain([Fact::Completed]).collect();
        Ok(Transition { facts, reply: CommandReply::Done })
    }

    /// Also works in a completed session: results of its last turns may arrive later.
    fn record(&self, command: &Command, now: Moment) -> Result<Transition, Refusal> {
        let Command::Record { event_id, turn_id, agent_name, invocation_id, fingerprint } = command
        else {
            return Ok(Transition::nothing(CommandReply::Done));
        };
        if let Some(first) = self.recorded.get(event_id) {
            return if first.fingerprint == *fingerprint {
                Ok(Transition::nothing(CommandReply::Event(first.sequence)))
            } else {
                Err(Refusal::EventTaken(*event_id))
            };
        }
        if !self.places.contains_key(turn_id) && !self.closed.contains_key(turn_id) {
            return Err(Refusal::UnknownTurn(*turn_id));
        }
        let entry = Entry {
            sequence: self.last.next(),
            at: now.at.max(self.last_at),
            turn_id: *turn_id,
            agent_name: agent_name.clone(),
            invocation_id: invocation_id.clone(),
        };
        let sequence = entry.sequence;
        Ok(Transition::event(Fact::Recorded(entry, *event_id, *fingerprint), sequence))
    }

    fn take_lease(
        &self,
        turn_id: TurnId,
        lease_id: LeaseId,
        by: &DisplayName,
        now: Moment,
        until: Moment,
    ) -> Result<Transition, Refusal> {
        self.require_head(turn_id)?;
        if let Some(lease) = &self.lease
            && !lease.may_be_taken_by(lease_id, by, now)
        {
            return Err(held(lease));
        }
        Ok(Transition::lease(Lease { turn_id, id: Some(lease_id), holder: by.clone(), until }))
    }

    fn hand_over(
        &self,
        turn_id: TurnId,
        lease_id: LeaseId,
        to: &DisplayName,
        now: Moment,
        until: Moment,
    ) -> Result<Transition, Refusal> {
        self.require_head(turn_id)?;
        match self.lease.as_ref().filter(|lease| lease.is_valid(now)) {
            Some(lease) if lease.id == Some(lease_id) => {
                Ok(Transition::lease(Lease { turn_id, id: None, holder: to.clone(), until }))
            }
            // A repeated command: the lease is offered already.
            Some(lease) if lease.id.is_none() && lease.holder == *to => {
                Ok(Transition::nothing(CommandReply::Lease(lease.clone())))
            }
            _ => Err(Refusal::LeaseNotHeld),
        }
    }

    fn require_head(&self, turn_id: TurnId) -> Result<&PendingTurn, Refusal> {
        if let Some(turn) = self.closed.get(&turn_id) {
            return Err(turn.refusal(turn_id));
        }
        let ahead = self.ahead(turn_id).ok_or(Refusal::UnknownTurn(turn_id))?;
        match self.head() {
            Some(head) if head.turn_id == turn_id => Ok(head),
            _ => Err(Refusal::NotAtHead { turn_id, ahead }),
        }
    }

    /// The entry that closes `turn`, `position` entries after the next one.
    fn next_entry(&self, turn: &PendingTurn, now: Moment, position: u64) -> Entry {
        Entry {
            sequence: Sequence(self.last.0 + 1 + position),
            at: now.at.max(self.last_at),
            turn_id: turn.turn_id,
            agent_name: turn.agent_name.clone(),
            invocation_id: turn.invocation_id.clone(),
        }
    }
}

impl ClosedTurn {
    fn refusal(&self, turn_id: TurnId) -> Refusal {
        match self.closing {
            Closing::Answered(_) => Refusal::AlreadyAnswered { turn_id, sequence: self.closed },
            Closing::Cancelled(_) => Refusal::AlreadyCancelled { turn_id, sequence: self.closed },
        }
    }
}

fn held(lease: &Lease) -> Refusal {
    Refusal::LeaseHeld { holder: lease.holder.clone(), until: lease.until.at }
}
