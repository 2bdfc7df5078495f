//! [`Queue`]: the turns of one session, and the lease of its head.

use std::collections::{BTreeMap, HashMap};

use crate::{
    AgentName, EventId, Fact, Fingerprint, InvocationId, Lease, Sequence, Timestamp, TurnId,
};

use super::command::Command;
use super::fact::Entry;

/// The status of a session. It only changes from active to completed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// Accepts requests.
    #[default]
    Active,
    /// Accepts no more requests.
    Completed,
}

/// A turn that waits for its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingTurn {
    /// The turn.
    pub turn_id: TurnId,
    /// The number of its request.
    pub sequence: Sequence,
    /// When it was requested.
    pub since: Timestamp,
    /// The agent.
    pub agent_name: AgentName,
    /// The agent's run.
    pub invocation_id: InvocationId,
    /// The fingerprint of its request.
    pub fingerprint: Fingerprint,
}

/// A turn that left the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosedTurn {
    /// The number of its request.
    pub requested: Sequence,
    /// The fingerprint of its request.
    pub request: Fingerprint,
    /// The number of the event that closed it.
    pub closed: Sequence,
    /// What closed it.
    pub closing: Closing,
}

/// What closed a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// A response with this fingerprint.
    Answered(Fingerprint),
    /// A cancellation with this fingerprint, or without one when the session was completed.
    Cancelled(Option<Fingerprint>),
}

/// An event that was recorded besides requests and responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// Its number.
    pub sequence: Sequence,
    /// The fingerprint of its content.
    pub fingerprint: Fingerprint,
}

/// What a queue must load before it can decide a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unknown {
    /// A turn that is not pending: it may be closed, or not exist.
    pub turn: Option<TurnId>,
    /// An event that may have been recorded.
    pub event: Option<EventId>,
}

/// The turns of one session.
///
/// Pending turns are always in memory. Closed ones may be dropped, so that memory does not grow with
/// the history; [`Queue::unknown_to`] names what must be loaded for a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue {
    pub(super) status: Status,
    pub(super) last: Sequence,
    pub(super) last_at: Timestamp,
    pub(super) pending: BTreeMap<Sequence, PendingTurn>,
    pub(super) places: HashMap<TurnId, Sequence>,
    pub(super) closed: HashMap<TurnId, ClosedTurn>,
    pub(super) recorded: HashMap<EventId, Recorded>,
    pub(super) lease: Option<Lease>,
}

impl Queue {
    /// The queue of a new session.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The queue of a stored session: `last` and `last_at` are those of its last event, and `pending`
    /// its pending turns, in any order.
    #[must_use]
    pub fn restored(
        status: Status,
        last: Sequence,
        last_at: Timestamp,
        pending: impl IntoIterator<Item = PendingTurn>,
    ) -> Self {
        let mut queue = Self { status, last, last_at, ..Self::default() };
        for turn in pending {
            queue.places.insert(turn.turn_id, turn.sequence);
            queue.pending.insert(turn.sequence, turn);
        }
        queue
    }

    /// Whether the session accepts requests.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// The number of the last event; 0 before the first.
    #[must_use]
    pub fn last(&self) -> Sequence {
        self.last
    }

    /// How many turns are pending.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.pending.len()
    }

    /// The head of the queue: the oldest pending turn.
    #[must_use]
    pub fn head(&self) -> Option<&PendingTurn> {
        self.pending.values().next()
    }

    /// The pending turns, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &PendingTurn> {
        self.pending.values()
    }

    /// The turn with this id, if it is pending.
    #[must_use]
    pub fn pending_turn(&self, turn_id: TurnId) -> Option<&PendingTurn> {
        self.pending.get(self.places.get(&turn_id)?)
    }

    /// How many pending turns are before this one. Takes time linear in that number.
    #[must_use]
    pub fn ahead(&self, turn_id: TurnId) -> Option<usize> {
        let place = self.places.get(&turn_id)?;
        Some(self.pending.range(..place).count())
    }

    /// The lease of the head of the queue; it may have expired, see [`Lease::is_valid`].
    #[must_use]
    pub fn lease(&self) -> Option<&Lease> {
        self.lease.as_ref()
    }

    /// What must be loaded before `command` can be decided.
    #[must_use]
    pub fn unknown_to(&self, command: &Command) -> Unknown {
        let event = match command {
            Command::Record { event_id, .. } => Some(*event_id),
            _ => None,
        };
        let known =
            |turn: &TurnId| self.places.contains_key(turn) || self.closed.contains_key(turn);
        Unknown {
            turn: command.turn_id().filter(|turn| !known(turn)),
            event: event.filter(|event| !self.recorded.contains_key(event)),
        }
    }

    /// Loads a closed turn that was dropped.
    pub fn recall_turn(&mut self, turn_id: TurnId, turn: ClosedTurn) {
        self.closed.insert(turn_id, turn);
    }

    /// Loads a recorded event that was dropped.
    pub fn recall_event(&mut self, event_id: EventId, recorded: Recorded) {
        self.recorded.insert(event_id, recorded);
    }

    /// Drops closed turns and recorded events: the store has them.
    pub fn forget(&mut self) {
        self.closed = HashMap::new();
        self.recorded = HashMap::new();
    }

    /// Applies an event to the queue.
    pub fn apply(&mut self, fact: &Fact) {
        if let Some(entry) = fact.entry() {
            self.last = entry.sequence;
            self.last_at = entry.at;
        }
        match fact {
            Fact::Requested(entry, fingerprint) => self.join(entry, *fingerprint),
            Fact::Answered(entry, response) => self.close(entry, Closing::Answered(*response)),
            Fact::Cancelled(entry, fingerprint) => {
                self.close(entry, Closing::Cancelled(*fingerprint));
            }
            Fact::Recorded(entry, event_id, fingerprint) => {
                let recorded = Recorded { sequence: entry.sequence, fingerprint: *fingerprint };
                self.recorded.insert(*event_id, recorded);
            }
            Fact::Completed => self.status = Status::Completed,
            Fact::Leased(lease) => self.lease = Some(lease.clone()),
            Fact::Freed => self.lease = None,
        }
    }

    fn join(&mut self, entry: &Entry, fingerprint: Fingerprint) {
        let turn = PendingTurn {
            turn_id: entry.turn_id,
            sequence: entry.sequence,
            since: entry.at,
            agent_name: entry.agent_name.clone(),
            invocation_id: entry.invocation_id.clone(),
            fingerprint,
        };
        self.places.insert(turn.turn_id, turn.sequence);
        self.pending.insert(turn.sequence, turn);
    }

    fn close(&mut self, entry: &Entry, closing: Closing) {
        let place = self.places.remove(&entry.turn_id);
        if let Some(turn) = place.and_then(|place| self.pending.remove(&place)) {
            let closed = ClosedTurn {
                requested: turn.sequence,
                request: turn.fingerprint,
                closed: entry.sequence,
                closing,
            };
            self.closed.insert(entry.turn_id, closed);
        }
        if self.lease.as_ref().is_some_and(|lease| lease.turn_id == entry.turn_id) {
            self.lease = None;
        }
    }
}
