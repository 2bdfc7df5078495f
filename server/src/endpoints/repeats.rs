//! Which turn is a request's own: a client that gave up waiting asks the same again.
//!
//! A turn's id is made from the session, the agent, the run, the content and a number that counts the
//! equal requests, so that a host that was started anew knows them too. With an `idempotency-key` it is
//! made from the key, and the ledger refuses another content under it.
//!
//! Without a key a request is a repeat
//! - of the oldest equal one that is pending and for which no client waits any more,
//! - or of the oldest equal one whose answer reached nobody,
//! - or, if its client says that it tries again (`x-stainless-retry-count`), of the last equal one that
//!   is pending or was answered within the last ten minutes;
//!
//! otherwise it is a new question.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::HeaderMap;
use live::{ClosedTurn, Fingerprint, LiveSessionId, TurnId};
use sha2::{Digest, Sha256};

use super::attendance::Attendance;
use crate::live::{KnownTurn, LiveError, LiveSessions};

const KEY: &str = "idempotency-key";
const RETRIES: &str = "x-stainless-retry-count";

/// How long after its answer a turn is still what a client means that says it tries again.
const RECENT: Duration = Duration::from_secs(10 * 60);
/// How many equal requests that nobody has answered are looked at.
const LOOK: u64 = 64;

/// What a client says of its request besides the content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sending {
    key: Option<Vec<u8>>,
    tries_again: bool,
}

impl Sending {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let retries = headers.get(RETRIES).and_then(|value| value.to_str().ok());
        Self {
            key: headers.get(KEY).map(|key| key.as_bytes().to_vec()),
            tries_again: retries.and_then(|it| it.parse::<u32>().ok()).is_some_and(|it| it > 0),
        }
    }
}

/// Equal requests of one session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Series {
    session_id: LiveSessionId,
    /// Of the session, the agent, the run and the content.
    pub(super) digest: [u8; 32],
}

impl Series {
    pub(super) fn new(session_id: LiveSessionId, content: Fingerprint) -> Self {
        let mut hash = Sha256::new();
        hash.update(session_id.to_string());
        hash.update(content.0);
        Self { session_id, digest: hash.finalize().into() }
    }

    fn turn(&self, number: u64) -> TurnId {
        turn_id(&[b"content", &self.digest, &number.to_le_bytes()])
    }

    /// The request's own turn, known or new. Called with the gate of the series held.
    pub(super) async fn own_turn(
        &self,
        sending: &Sending,
        attendance: &Attendance,
        sessions: &LiveSessions,
    ) -> Result<TurnId, LiveError> {
        if let Some(key) = &sending.key {
            let session = self.session_id.to_string();
            return Ok(turn_id(&[b"key", session.as_bytes(), key]));
        }
        let Some((last, known)) = self.last(sessions).await? else { return Ok(self.turn(0)) };
        let mut own = None;
        let mut seen = Some(known);
        for number in (last.saturating_sub(LOOK)..=last).rev() {
            let turn = self.turn(number);
            let turn_known = match seen.take() {
                Some(known) => Some(known),
                None => sessions.turn(turn).await?,
            };
            let Some(turn_known) = turn_known else { break };
            match turn_known.closed {
                None if !attendance.is_attended(turn) => own = Some(turn),
                Some(_) if attendance.is_owed(turn) => own = Some(turn),
                None => {}
                Some(_) if attendance.is_attended(turn) => {}
                // What is older was answered and taken.
                Some(_) => break,
            }
        }
        if let Some(own) = own {
            return Ok(own);
        }
        let meant = match known.closed {
            _ if !sending.tries_again => false,
            None => true,
            Some(closed) => is_recent(sessions, &known, &closed).await?,
        };
        Ok(self.turn(if meant { last } else { last + 1 }))
    }

    /// The last equal request that is known. The numbers have no gap.
    async fn last(&self, sessions: &LiveSessions) -> Result<Option<(u64, KnownTurn)>, LiveError> {
        let Some(mut known) = sessions.turn(self.turn(0)).await? else { return Ok(None) };
        let (mut low, mut step) = (0, 1);
        while let Some(next) = sessions.turn(self.turn(low + step)).await? {
            (known, low, step) = (next, low + step, step * 2);
        }
        let mut high = low + step;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            match sessions.turn(self.turn(middle)).await? {
                Some(next) => (known, low) = (next, middle),
                None => high = middle,
            }
        }
        Ok(Some((low, known)))
    }
}

async fn is_recent(
    sessions: &LiveSessions,
    turn: &KnownTurn,
    closed: &ClosedTurn,
) -> Result<bool, LiveError> {
    let event = sessions.event(turn.session_id, closed.closed).await?;
    let at = Duration::from_millis(event.timestamp_ms.unsigned_abs());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(now.saturating_sub(at) < RECENT)
}

fn turn_id(pieces: &[&[u8]]) -> TurnId {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update((piece.len() as u64).to_le_bytes());
        hash.update(piece);
    }
    let mut first = [0; 16];
    first.copy_from_slice(&hash.finalize()[..16]);
    TurnId::from_random(first)
}
