//! [`WaitingClients`]: the turns that a client waits for, and the responses that were not
//! delivered.
//!
//! It lives in memory: a restart only loses which responses were delivered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use live::{Fingerprint, TurnId};
use tokio::sync::{Mutex as Gate, OwnedMutexGuard};

/// How long an undelivered response waits for its client to send the request again.
pub(super) const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// The number of entries above which expired ones are removed.
const MANY: usize = 4096;

/// The turns that clients of the model endpoints wait for, or stopped waiting for.
#[derive(Debug, Default)]
pub(super) struct WaitingClients {
    turns: Mutex<HashMap<TurnId, Attended>>,
    gates: Mutex<HashMap<[u8; 32], Weak<Gate<()>>>>,
}

#[derive(Debug)]
struct Attended {
    content: Fingerprint,
    clients: usize,
    left: Instant,
}

/// A waiting client; dropped when it disconnects.
#[derive(Debug)]
pub(super) struct WaitingClient {
    waiting_clients: Arc<WaitingClients>,
    turn_id: TurnId,
    delivered: bool,
}

impl WaitingClients {
    /// A lock for equal requests: two at once must not both match one turn.
    pub(super) async fn gate(&self, request: [u8; 32]) -> OwnedMutexGuard<()> {
        let gate = {
            let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
            if gates.len() > MANY {
                gates.retain(|_, gate| gate.strong_count() > 0);
            }
            match gates.get(&request).and_then(Weak::upgrade) {
                Some(gate) => gate,
                None => {
                    let gate = Arc::new(Gate::new(()));
                    gates.insert(request, Arc::downgrade(&gate));
                    gate
                }
            }
        };
        gate.lock_owned().await
    }

    /// Whether a client waits for the turn.
    pub(super) fn is_attended(&self, turn_id: TurnId) -> bool {
        self.with(|turns| turns.get(&turn_id).is_some_and(|turn| turn.clients > 0))
    }

    /// Whether the turn's client left before the response.
    pub(super) fn is_undelivered(&self, turn_id: TurnId) -> bool {
        self.with(|turns| turns.get(&turn_id).is_some_and(|turn| turn.clients == 0))
    }

    /// Whether the client of any turn with this content left before the response.
    pub(super) fn has_undelivered(&self, content: Fingerprint) -> bool {
        self.with(|turns| turns.values().any(|turn| turn.clients == 0 && turn.content == content))
    }

    /// Registers a client that waits for the turn with this content.
    pub(super) fn register(
        self: &Arc<Self>,
        turn_id: TurnId,
        content: Fingerprint,
    ) -> WaitingClient {
        self.with(|turns| {
            if turns.len() > MANY {
                turns.retain(|_, turn| turn.clients > 0 || turn.left.elapsed() < KEPT);
            }
            let fresh = || Attended { content, clients: 0, left: Instant::now() };
            turns.entry(turn_id).or_insert_with(fresh).clients += 1;
        });
        WaitingClient { waiting_clients: Arc::clone(self), turn_id, delivered: false }
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<TurnId, Attended>) -> T) -> T {
        work(&mut self.turns.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl WaitingClient {
    /// The whole response was passed to the connection.
    pub(super) fn delivered(&mut self) {
        self.delivered = true;
    }
}

impl Drop for WaitingClient {
    fn drop(&mut self) {
        self.waiting_clients.with(|turns| {
            let Some(turn) = turns.get_mut(&self.turn_id) else { return };
            turn.clients = turn.clients.saturating_sub(1);
            turn.left = Instant::now();
            if self.delivered && turn.clients == 0 {
                turns.remove(&self.turn_id);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_undelivered_until_its_client_has_it() {
        let waiting_clients = Arc::new(WaitingClients::default());
        let turn = TurnId::from_random([1; 16]);
        assert!(!waiting_clients.is_undelivered(turn), "no client");
        let content = Fingerprint([7; 32]);
        let first = waiting_clients.register(turn, content);
        assert!(waiting_clients.is_attended(turn) && !waiting_clients.is_undelivered(turn));
        drop(first);
        assert!(!waiting_clients.is_attended(turn) && waiting_clients.is_undelivered(turn));
        assert!(
            waiting_clients.has_undelivered(content)
                && !waiting_clients.has_undelivered(Fingerprint([8; 32]))
        );
        let mut again = waiting_clients.register(turn, content);
        again.delivered();
        drop(again);
        assert!(!waiting_clients.is_attended(turn) && !waiting_clients.is_undelivered(turn));
        assert!(!waiting_clients.has_undelivered(content));
    }
}
