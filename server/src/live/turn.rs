//! Lookups of one turn for the model endpoints: whether it exists and how it ended.

use std::sync::Arc;

use live::{ClosedTurn, LiveSessionId, Sequence, TurnId};
use rpc::wire;

use super::error::LiveError;
use super::ledger_requests::Waited;
use super::sessions::LiveSessions;

/// Where a turn is, and whether it has ended.
#[derive(Debug, Clone, Copy)]
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
    /// The turn with that id, in any session.
    pub(crate) async fn turn(&self, turn_id: TurnId) -> Result<Option<KnownTurn>, LiveError> {
        let stored = self.store().await?.turn(turn_id).await?;
        Ok(stored.map(|turn| KnownTurn { session_id: turn.session_id, closed: turn.closed }))
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
