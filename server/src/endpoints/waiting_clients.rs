//! [`WaitingClients`]: the turns that a client waits for, and the responses that were not
//! delivered.
//!
//! The store has them too, so that a restart forgets none. After a restart no client waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use live::{Fingerprint, LiveSessionId, Note, TurnId};
use tokio::sync::{Mutex as Gate, OnceCell, OwnedMutexGuard};

use super::retries::Series;
use crate::live::{LiveError, LiveSessions, now};

/// How long an undelivered response waits for its client to send the request again.
pub(super) const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// The number of locks above which unused ones are removed.
const MANY: usize = 4096;

/// The turns that clients of the model endpoints wait for, or stopped waiting for.
pub(super) struct WaitingClients {
    sessions: LiveSessions,
    /// By the content of their requests, each list in the order of the first requests.
    turns: Mutex<HashMap<Fingerprint, Vec<Attended>>>,
    gates: Mutex<HashMap<[u8; 32], Weak<Gate<()>>>>,
    restored: OnceCell<()>,
}

struct Attended {
    turn_id: TurnId,
    clients: usize,
}

/// A waiting client; dropped when it disconnects.
pub(super) struct WaitingClient {
    waiting_clients: Arc<WaitingClients>,
    turn_id: TurnId,
    content: Fingerprint,
    delivered: bool,
    cancel: Option<CancelAfter>,
}

/// A client's wish that its turn is canceled when it is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CancelAfter {
    pub(super) session_id: LiveSessionId,
    /// How long no client waits before.
    pub(super) wait: Duration,
}

impl WaitingClients {
    pub(super) fn new(sessions: LiveSessions) -> Arc<Self> {
        Arc::new(Self {
            sessions,
            turns: Mutex::default(),
            gates: Mutex::default(),
            restored: OnceCell::new(),
        })
    }

    /// Reads the turns of clients from before the start of the host, once.
    pub(super) async fn restore(&self) -> Result<(), LiveError> {
        let restore = async || {
            let kept_ms = i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX);
            let stored = self.sessions.undelivered(now().plus(-kept_ms)).await?;
            for (turn_id, content) in stored {
                self.with(content, |turns| turns.push(Attended { turn_id, clients: 0 }));
            }
            Ok(())
        };
        self.restored.get_or_try_init(restore).await.copied()
    }

    /// A lock for equal requests: two at once must not both match one turn.
    pub(super) async fn gate(&self, series: Series) -> OwnedMutexGuard<()> {
        let gate = {
            let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
            if gates.len() > MANY {
                gates.retain(|_, gate| gate.strong_count() > 0);
            }
            match gates.get(&series.digest).and_then(Weak::upgrade) {
                Some(gate) => gate,
                None => {
                    let gate = Arc::new(Gate::new(()));
                    gates.insert(series.digest, Arc::downgrade(&gate));
                    gate
                }
            }
        };
        gate.lock_owned().await
    }

    /// The turns with this content that no client waits for, pending or with a response that was not
    /// delivered, oldest first.
    pub(super) fn without_a_client(&self, content: Fingerprint) -> Vec<TurnId> {
        self.with(content, |turns| {
            turns.iter().filter(|turn| turn.clients == 0).map(|turn| turn.turn_id).collect()
        })
    }

    /// Registers a client that waits for the turn with this content.
    pub(super) fn register(
        self: &Arc<Self>,
        turn_id: TurnId,
        content: Fingerprint,
    ) -> WaitingClient {
        self.with(content, |turns| match turns.iter_mut().find(|turn| turn.turn_id == turn_id) {
            Some(turn) => turn.clients += 1,
            None => turns.push(Attended { turn_id, clients: 1 }),
        });
        let waiting_clients = Arc::clone(self);
        WaitingClient { waiting_clients, turn_id, content, delivered: false, cancel: None }
    }

    /// Cancels the turn unless a client waits for it. One that is answered stays as it is.
    async fn cancel_unattended(&self, session_id: LiveSessionId, turn: TurnId, of: Fingerprint) {
        if !self.without_a_client(of).contains(&turn) {
            return;
        }
        let reason = Note::cut("no client waits for the response any more");
        match self.sessions.cancel(session_id, turn, reason, None).await {
            Ok(_) => {
                self.with(of, |turns| turns.retain(|it| it.turn_id != turn || it.clients > 0));
                self.sessions.delivered(turn);
            }
            Err(error) => tracing::debug!("a turn without a client was not canceled: {error}"),
        }
    }

    /// Works on the turns with this content.
    fn with<T>(&self, content: Fingerprint, work: impl FnOnce(&mut Vec<Attended>) -> T) -> T {
        let mut all = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let turns = all.entry(content).or_default();
        let result = work(turns);
        if turns.is_empty() {
            all.remove(&content);
        }
        result
    }
}

impl WaitingClient {
    /// The whole response was passed to the connection.
    pub(super) fn delivered(&mut self) {
        self.delivered = true;
    }

    /// Lets the turn be canceled some time after the last client is gone without its response.
    pub(super) fn cancel_after(&mut self, cancel: CancelAfter) {
        self.cancel = Some(cancel);
    }
}

impl Drop for WaitingClient {
    fn drop(&mut self) {
        let is_delivered = self.waiting_clients.with(self.content, |turns| {
            let place = turns.iter().position(|turn| turn.turn_id == self.turn_id);
            let Some(place) = place else { return false };
            turns[place].clients -= 1;
            let is_delivered = self.delivered && turns[place].clients == 0;
            if is_delivered {
                turns.remove(place);
            }
            is_delivered
        });
        if is_delivered {
            self.waiting_clients.sessions.delivered(self.turn_id);
        } else if let (Some(CancelAfter { session_id, wait }), Ok(runtime)) =
            (self.cancel, tokio::runtime::Handle::try_current())
        {
            let (turn_id, content) = (self.turn_id, self.content);
            // Not kept alive by it: a host that stops closes its files.
            let waiting_clients = Arc::downgrade(&self.waiting_clients);
            runtime.spawn(async move {
                tokio::time::sleep(wait).await;
                if let Some(clients) = waiting_clients.upgrade() {
                    clients.cancel_unattended(session_id, turn_id, content).await;
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_undelivered_until_its_client_has_it() {
        let waiting_clients = WaitingClients::new(LiveSessions::default());
        let [turn, later] = [[1; 16], [2; 16]].map(TurnId::from_random);
        let content = Fingerprint([7; 32]);
        let left = || waiting_clients.without_a_client(content);
        let first = waiting_clients.register(turn, content);
        assert!(left().is_empty(), "its client waits");
        drop(first);
        drop(waiting_clients.register(later, content));
        assert_eq!(left(), [turn, later]);
        assert!(waiting_clients.without_a_client(Fingerprint([8; 32])).is_empty());
        let mut again = waiting_clients.register(turn, content);
        assert_eq!(left(), [later]);
        again.delivered();
        drop(again);
        assert_eq!(left(), [later]);
    }
}
