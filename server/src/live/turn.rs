//! Lookups of one turn for the model endpoints: whether it exists and how it ended.

use std::sync::Arc;

use live::{ClosedTurn, Fingerprint, LiveSessionId, Sequence, Timestamp, TurnId};
use rpc::wire;
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;

use super::clock::now;
use super::error::LiveError;
use super::ledger_requests::{LedgerRequest, Waited};
use super::sessions::{LiveSessions, permitted};
use live_store::{StoreError, StoredTurn};

/// Where a turn is, and whether it has ended.
#[derive(Debug, Clone)]
pub(crate) struct KnownTurn {
    pub(crate) session_id: LiveSessionId,
    /// `None` while it is pending.
    pub(crate) closed: Option<ClosedTurn>,
}

/// Reports that a client stopped waiting.
pub(super) struct Presence {
    pub(super) sessions: LiveSessions,
    pub(super) session_id: LiveSessionId,
    pub(super) turn_id: TurnId,
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.sessions.leave(self.session_id, self.turn_id);
    }
}

impl LiveSessions {
    /// The turn with that id, in any session that the current request may act on.
    pub(crate) async fn turn(&self, turn_id: TurnId) -> Result<Option<KnownTurn>, LiveError> {
        let stored = self.store().await?.turn(turn_id).await?;
        let stored = stored.filter(|it| permitted(it.session_id, it.owner.as_deref()).is_ok());
        Ok(stored.map(|StoredTurn { session_id, closed, .. }| KnownTurn { session_id, closed }))
    }

    /// Waits until the turn is answered or canceled, and returns that event.
    pub(crate) async fn outcome(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
    ) -> Result<Arc<wire::SessionEvent>, LiveError> {
        match self.wait(session_id, turn_id).await? {
            Waited::Closed(sequence) => self.event(session_id, sequence).await.map(Arc::new),
            Waited::Pending { outcome, .. } => {
                let _presence = Presence { sessions: self.clone(), session_id, turn_id };
                outcome.await.map_err(|_| LiveError::Stopping)
            }
        }
    }

    /// The turns that clients of the model endpoints wait for, oldest first, with the fingerprints
    /// of their requests; without those that ended before a time.
    pub(crate) async fn undelivered(
        &self,
        ended_before: Timestamp,
    ) -> Result<Vec<(TurnId, Fingerprint)>, LiveError> {
        Ok(self.store().await?.undelivered(ended_before).await?)
    }

    /// Whether new turns can be stored: the database can be read, and its disk is not full.
    pub(crate) async fn readiness(&self) -> Result<(), LiveError> {
        let store = self.store().await?;
        store.undelivered(now()).await?;
        if store.disk_is_full() { Err(StoreError::Full.into()) } else { Ok(()) }
    }

    /// Reports that the turn's response has reached the client of a model endpoint. Does not block.
    pub(crate) fn delivered(&self, turn_id: TurnId) {
        let Some(requests) = self.requests() else { return };
        let sent = requests.try_send(LedgerRequest::Deliver(turn_id));
        if let Err(TrySendError::Full(request)) = sent
            && let Ok(runtime) = Handle::try_current()
        {
            let requests = requests.clone();
            runtime.spawn(async move { requests.send(request).await });
        }
    }

    /// The request of a closed turn, and how it ended.
    pub(crate) async fn exchange(
        &self,
        turn: &KnownTurn,
        closed: &ClosedTurn,
    ) -> Result<(wire::SessionEvent, wire::SessionEvent), LiveError> {
        let of = |sequence: Sequence| self.event(turn.session_id, sequence);
        Ok((of(closed.requested).await?, of(closed.closed).await?))
    }
}
