//! [`ActiveSession`]: a session in memory, while a client sends commands, waits or watches.

use std::collections::HashMap;
use std::sync::Arc;

use live::{Fact, LiveSession, Queue, TurnId};
use rpc::wire;
use tokio::sync::oneshot;

use super::feed::{Feed, QueueState};

/// How a turn ended: its response or its cancellation.
pub(super) type Outcome = Arc<wire::SessionEvent>;

/// One session in memory.
pub(super) struct ActiveSession {
    pub(super) session: LiveSession,
    pub(super) queue: Queue,
    pub(super) feed: Arc<Feed>,
    /// The queue contains changes that were not stored, and could not be read back since.
    pub(super) stale: bool,
    waiters: HashMap<TurnId, Vec<oneshot::Sender<Outcome>>>,
}

impl ActiveSession {
    pub(super) fn new(session: LiveSession, queue: Queue, feed: Arc<Feed>) -> Self {
        Self { session, queue, feed, stale: false, waiters: HashMap::new() }
    }

    /// Adds a client that waits for the turn to end.
    pub(super) fn wait(&mut self, turn_id: TurnId) -> oneshot::Receiver<Outcome> {
        let (sender, receiver) = oneshot::channel();
        self.waiters.entry(turn_id).or_default().push(sender);
        receiver
    }

    /// Removes disconnected clients of the turn.
    pub(super) fn leave(&mut self, turn_id: TurnId) {
        if let Some(waiters) = self.waiters.get_mut(&turn_id) {
            waiters.retain(|waiter| !waiter.is_closed());
            if waiters.is_empty() {
                self.waiters.remove(&turn_id);
            }
        }
    }

    /// Removes all disconnected clients. Returns whether a turn lost its last one.
    pub(super) fn prune(&mut self) -> bool {
        let before = self.waiters.len();
        self.waiters.retain(|_, waiters| {
            waiters.retain(|waiter| !waiter.is_closed());
            !waiters.is_empty()
        });
        self.waiters.len() < before
    }

    /// Whether a client waits for the turn.
    pub(super) fn is_awaited(&self, turn_id: TurnId) -> bool {
        let waiters = self.waiters.get(&turn_id);
        waiters.is_some_and(|waiters| waiters.iter().any(|waiter| !waiter.is_closed()))
    }

    /// Sends a stored event to the watchers and to the clients that wait for it.
    pub(super) fn publish(&mut self, fact: &Fact, event: &Outcome, bytes: usize) {
        self.feed.add(Arc::clone(event), bytes);
        if let Fact::Answered(entry, _) | Fact::Cancelled(entry, _) = fact {
            for waiter in self.waiters.remove(&entry.turn_id).unwrap_or_default() {
                // A disconnected client asks again and finds the event in the store.
                let _ = waiter.send(Arc::clone(event));
            }
        }
    }

    pub(super) fn state(&self) -> QueueState {
        QueueState::of(&self.queue, |turn| self.is_awaited(turn.turn_id))
    }

    /// Whether it can be dropped from memory.
    pub(super) fn is_idle(&self) -> bool {
        self.queue.depth() == 0 && self.waiters.is_empty() && !self.feed.is_watched()
    }
}
