//! The sessions in memory: loaded from the store when a command needs them, and reloaded after a
//! batch that was not stored.

use std::collections::HashSet;
use std::sync::Arc;

use live::{LiveSessionId, PendingTurn, Queue};

use super::super::active_session::ActiveSession;
use super::super::error::LiveError;
use super::super::feed::{Feed, QueueState};
use super::Ledger;

impl Ledger {
    /// Reverts the batch's changes to the queues by reloading them. Leases, waiting clients and
    /// watchers stay.
    pub(super) async fn unwind(&mut self, touched: &HashSet<LiveSessionId>) {
        for session_id in touched {
            if let Some(active) = self.active_sessions.get_mut(session_id) {
                active.stale = true;
            }
            if let Err(error) = self.refresh(*session_id).await {
                tracing::warn!(
                    "session {session_id} cannot be reloaded until its next use: {error}"
                );
            }
        }
    }

    /// Reloads the queue of a session that differs from the store.
    async fn refresh(&mut self, session_id: LiveSessionId) -> Result<(), LiveError> {
        let Some(stored) = self.store.session(session_id).await? else {
            // The batch that was not stored created it.
            self.active_sessions.remove(&session_id);
            return Ok(());
        };
        let pending = self.store.pending_of(session_id).await?;
        if let Some(active) = self.active_sessions.get_mut(&session_id) {
            let status = stored.session.status;
            active.queue = Queue::restored(status, stored.last, stored.last_at, pending);
            active.session = stored.session;
            active.stale = false;
            active.feed.set_state(active.state());
        }
        Ok(())
    }

    pub(super) async fn active(
        &mut self,
        session_id: LiveSessionId,
    ) -> Result<&mut ActiveSession, LiveError> {
        match (self.active_sessions.get(&session_id), self.opened.get(&session_id)) {
            (Some(active), _) if active.stale => self.refresh(session_id).await?,
            (Some(_), _) => {}
            (None, Some(session)) => {
                let feed = self.feed(session_id, QueueState::default());
                self.active_sessions
                    .insert(session_id, ActiveSession::new(session.clone(), Queue::new(), feed));
                self.touched.insert(session_id);
            }
            (None, None) => {
                let pending = self.store.pending_of(session_id).await?;
                self.load(session_id, pending).await?;
            }
        }
        self.active_sessions.get_mut(&session_id).ok_or(LiveError::UnknownSession(session_id))
    }

    pub(super) async fn load(
        &mut self,
        session_id: LiveSessionId,
        pending: Vec<PendingTurn>,
    ) -> Result<(), LiveError> {
        let Some(stored) = self.store.session(session_id).await? else {
            return Err(LiveError::UnknownSession(session_id));
        };
        let status = stored.session.status;
        let queue = Queue::restored(status, stored.last, stored.last_at, pending);
        let feed = self.feed(session_id, QueueState::of(&queue, |_| false));
        self.active_sessions.insert(session_id, ActiveSession::new(stored.session, queue, feed));
        Ok(())
    }

    fn feed(&self, session_id: LiveSessionId, state: QueueState) -> Arc<Feed> {
        Arc::new(Feed::new(session_id, Arc::clone(&self.store), state))
    }
}
