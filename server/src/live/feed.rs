//! [`Feed`]: the events of a session, for its watchers.
//!
//! A watcher keeps its own position and fetches the events after it, from memory or from the store.
//! Events are not pushed, so a slow watcher delays nobody and misses nothing. Only the status is
//! pushed, and only the latest one counts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use live::{Lease, LiveSessionId, PendingTurn, Queue, Sequence, Status};
use prost::Message;
use rpc::wire;
use tokio::sync::watch;

use super::error::LiveError;
use live_store::{LiveStore, StoreError};

/// How many recent events of a session stay in memory while it is watched.
const RECENT: usize = 256;
/// The most bytes of events that stay in memory.
const RECENT_BYTES: usize = 1024 * 1024;
/// How many bytes one read takes from the store.
const PAGE: u32 = 1000;
const PAGE_BYTES: usize = 1024 * 1024;

/// The status of a session after its last event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct QueueState {
    pub(crate) last: Sequence,
    pub(crate) status: Status,
    pub(crate) depth: usize,
    /// The turn at the head of the queue, and whether a client waits for it.
    pub(crate) head: Option<(PendingTurn, bool)>,
    pub(crate) lease: Option<Lease>,
    pub(crate) is_deleted: bool,
}

/// A stored event.
pub(super) fn decoded(bytes: &[u8]) -> Result<wire::SessionEvent, StoreError> {
    wire::SessionEvent::decode(bytes).map_err(|fault| StoreError::Damaged(fault.to_string()))
}

impl QueueState {
    pub(super) fn of(queue: &Queue, awaited: impl Fn(&PendingTurn) -> bool) -> Self {
        Self {
            last: queue.last(),
            status: queue.status(),
            depth: queue.depth(),
            head: queue.head().map(|turn| (turn.clone(), awaited(turn))),
            lease: queue.lease().cloned(),
            is_deleted: false,
        }
    }

    /// Whether the two differ at most in their last event.
    pub(crate) fn equals_except_last(&self, other: &Self) -> bool {
        self.status == other.status
            && self.depth == other.depth
            && self.head == other.head
            && self.lease == other.lease
    }
}

/// A subscription to a session: while it exists, the session stays in memory.
pub(crate) struct Watch {
    pub(crate) feed: Arc<Feed>,
    /// The status of the session, updated on every change.
    pub(crate) states: watch::Receiver<QueueState>,
}

/// What the watchers of one session share.
pub(crate) struct Feed {
    session_id: LiveSessionId,
    store: Arc<dyn LiveStore>,
    state: watch::Sender<QueueState>,
    recent: Mutex<Recent>,
}

#[derive(Default)]
struct Recent {
    events: VecDeque<(Arc<wire::SessionEvent>, usize)>,
    bytes: usize,
}

impl Feed {
    pub(super) fn new(
        session_id: LiveSessionId,
        store: Arc<dyn LiveStore>,
        state: QueueState,
    ) -> Self {
        let state = watch::Sender::new(state);
        Self { session_id, store, state, recent: Mutex::default() }
    }

    pub(super) fn watch(self: &Arc<Self>) -> Watch {
        Watch { feed: Arc::clone(self), states: self.state.subscribe() }
    }

    pub(super) fn is_watched(&self) -> bool {
        self.state.receiver_count() > 0
    }

    /// Adds a stored event. Watchers read it once the status includes it.
    pub(super) fn add(&self, event: Arc<wire::SessionEvent>, bytes: usize) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_watched() {
            // Later watchers read it from the store.
            *recent = Recent::default();
            return;
        }
        recent.events.push_back((event, bytes));
        recent.bytes += bytes;
        while recent.events.len() > RECENT || recent.bytes > RECENT_BYTES {
            let Some((_, bytes)) = recent.events.pop_front() else { break };
            recent.bytes -= bytes;
        }
    }

    pub(super) fn set_state(&self, state: QueueState) {
        self.state.send_if_modified(|now| {
            let changes = *now != state;
            *now = state;
            changes
        });
    }

    /// Ends the streams of the watchers: the session is deleted.
    pub(super) fn end(&self) {
        self.state.send_modify(|state| state.is_deleted = true);
    }

    pub(super) fn session_id(&self) -> LiveSessionId {
        self.session_id
    }

    /// The next events after a position, in order: at least one if there is one.
    pub(crate) async fn after(
        &self,
        place: Sequence,
    ) -> Result<Vec<Arc<wire::SessionEvent>>, LiveError> {
        if let Some(events) = self.recent_after(place) {
            return Ok(events);
        }
        let kept = self.store.events_after(self.session_id, place, PAGE, PAGE_BYTES).await?;
        let event = |bytes: Vec<u8>| decoded(&bytes).map(Arc::new);
        Ok(kept.into_iter().map(event).collect::<Result<_, _>>()?)
    }

    fn recent_after(&self, place: Sequence) -> Option<Vec<Arc<wire::SessionEvent>>> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let first = recent.events.front()?.0.sequence;
        if first > place.next().0 {
            return None;
        }
        let events = recent.events.iter().filter(|(event, _)| event.sequence > place.0);
        Some(events.map(|(event, _)| Arc::clone(event)).collect())
    }
}
