//! Finds the turn of a request that a client sends again after it stopped waiting.
//!
//! A turn's id is derived from the session, the caller, the agent, the run, the content and a number
//! that counts equal requests, so that it stays the same after a restart of the host. With an
//! `idempotency-key` it is derived from the key, the caller and the session's name, and the ledger
//! rejects other content under that key. An empty key is ignored.
//!
//! Without a key, an equal request that no client waits for is continued, as `waiting_clients` knows.
//! [`Series`] has the other rules.

use std::time::Duration;

use axum::http::HeaderMap;
use live::{ClosedTurn, Closing, Fingerprint, LiveSessionId, Refusal, TurnId};
use model_wire::{ApiFault, FaultKind};
use sha2::{Digest, Sha256};

use super::fault::of_host;
use super::session_lookup::age;
use super::waiting_clients::KEPT;
use crate::access;
use crate::live::{KnownTurn, LiveError, LiveSessions};

const KEY: &str = "idempotency-key";
const RETRIES: &str = "x-stainless-retry-count";

/// How long after its end a turn may match a request that the client marks as a retry.
pub(super) const RECENT: Duration = Duration::from_secs(10 * 60);
/// How many equal requests are examined.
const MOST_EXAMINED: u64 = 64;

/// What a client sends about its request in addition to the content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RetryHints {
    key: Option<Vec<u8>>,
    pub(super) tries_again: bool,
}

impl RetryHints {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let retries = headers.get(RETRIES).and_then(|value| value.to_str().ok());
        Self {
            key: headers.get(KEY).map(|key| key.as_bytes().to_vec()).filter(|key| !key.is_empty()),
            tries_again: retries.and_then(|it| it.parse::<u32>().ok()).is_some_and(|it| it > 0),
        }
    }

    /// The turn for the client's idempotency key, unique for the caller in all sessions of `scope`.
    pub(super) fn keyed(&self, scope: &str) -> Option<TurnId> {
        let key = self.key.as_ref()?;
        let caller = access::caller().map(|caller| caller.identity());
        let pieces = [b"key", scope.as_bytes(), key];
        let pieces: Vec<&[u8]> =
            pieces.into_iter().chain(caller.as_ref().map(|caller| caller.as_bytes())).collect();
        Some(turn_id(&pieces))
    }

    /// The error to the client, which knows no turn ids.
    pub(super) fn fault(&self, error: LiveError) -> ApiFault {
        match error {
            LiveError::Refused(Refusal::TurnTaken(_)) if self.key.is_some() => {
                let rule = "already used by another request; send a new key with a new request, \
                            and the same content with a retry";
                ApiFault::new(FaultKind::Conflict, format!("{KEY}: {rule}"))
            }
            error => of_host(error),
        }
    }
}

/// Whether a turn that no client waits for is kept for its client: while it is pending, and for a
/// day after its end. One that was canceled with its session is not, unless the request is for that
/// session.
pub(super) async fn is_kept(
    turn: &KnownTurn,
    requested: LiveSessionId,
    sessions: &LiveSessions,
) -> Result<bool, LiveError> {
    let Some(closed) = turn.closed else { return Ok(true) };
    let is_kept = matches!(closed.closing, Closing::Answered(_)) || turn.session_id == requested;
    Ok(is_kept && since_the_end(sessions, turn, &closed).await? < KEPT)
}

/// The equal requests of one session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Series {
    /// A digest of the session, the caller, the agent, the run and the content.
    pub(super) digest: [u8; 32],
}

impl Series {
    pub(super) fn new(session_id: LiveSessionId, content: Fingerprint) -> Self {
        let mut hash = Sha256::new();
        hash.update(session_id.to_string());
        hash.update(content.0);
        Self { digest: hash.finalize().into() }
    }

    fn turn(&self, number: u64) -> TurnId {
        turn_id(&[b"content", &self.digest, &number.to_le_bytes()])
    }

    /// The turn of a new request. The caller holds the gate of this series.
    pub(super) async fn next(&self, sessions: &LiveSessions) -> Result<TurnId, LiveError> {
        let last = self.last(sessions).await?;
        Ok(self.turn(last.map_or(0, |(number, _)| number + 1)))
    }

    /// The turn of a request that the client marks as a retry: the newest pending one, or else the
    /// newest one that ended recently.
    pub(super) async fn latest(
        &self,
        sessions: &LiveSessions,
    ) -> Result<Option<TurnId>, LiveError> {
        let Some((last, known)) = self.last(sessions).await? else { return Ok(None) };
        let (mut newest, mut ended) = (Some(known), None);
        for number in (last.saturating_sub(MOST_EXAMINED)..=last).rev() {
            let turn = self.turn(number);
            let known = match newest.take() {
                Some(known) => Some(known),
                None => sessions.turn(turn).await?,
            };
            let Some(known) = known else { break };
            let Some(closed) = known.closed else { return Ok(Some(turn)) };
            if ended.is_none() && since_the_end(sessions, &known, &closed).await? < RECENT {
                ended = Some(turn);
            }
            // Turns are answered in order, so the older ones have ended, too.
            if matches!(closed.closing, Closing::Answered(_)) {
                break;
            }
        }
        Ok(ended)
    }

    /// The number of the last equal request. The numbers have no gaps.
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

/// The time since the turn ended.
async fn since_the_end(
    sessions: &LiveSessions,
    turn: &KnownTurn,
    closed: &ClosedTurn,
) -> Result<Duration, LiveError> {
    let event = sessions.event(turn.session_id, closed.closed).await?;
    Ok(age(event.timestamp_ms))
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
