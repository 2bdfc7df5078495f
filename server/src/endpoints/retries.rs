//! Finds the turn of a request that a client sends again after it stopped waiting.
//!
//! A turn's id is derived from the session, the caller, the agent, the run, the content and a number
//! that counts equal requests, so that it stays the same after a restart of the host. With an
//! `idempotency-key` it is derived from the key, the caller and the session's name, and the ledger
//! rejects other content under that key. An empty key is ignored.
//!
//! Without a key, `same_request` decides by the equal requests before it. `exchange` also searches
//! the completed sessions of the same name, as far back as `RetryHints::reach`.

use std::time::Duration;

use axum::http::HeaderMap;
use live::{ClosedTurn, Closing, Fingerprint, LiveSessionId, Refusal, TurnId};
use model_wire::{ApiFault, FaultKind};
use sha2::{Digest, Sha256};

use super::fault::of_host;
use super::same_request::{RECENT, RequestStatus, SameRequests};
use super::session_lookup::age;
use super::waiting_clients::{KEPT, WaitingClients};
use crate::access;
use crate::live::{KnownTurn, LiveError, LiveSessions};

const KEY: &str = "idempotency-key";
const RETRIES: &str = "x-stainless-retry-count";

/// How many equal requests are examined.
const MOST_EXAMINED: u64 = 64;

/// What a client sends about its request in addition to the content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RetryHints {
    key: Option<Vec<u8>>,
    tries_again: bool,
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

    /// How far back a completed session may still hold the turn: as long as the rules keep a
    /// response. `None` if the request can have no earlier turn.
    pub(super) fn reach(
        &self,
        content: Fingerprint,
        waiting_clients: &WaitingClients,
    ) -> Option<Duration> {
        if waiting_clients.has_undelivered(content) {
            Some(KEPT)
        } else {
            self.tries_again.then_some(RECENT)
        }
    }
}

/// The equal requests of one session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Series {
    /// A digest of the session, the caller, the agent, the run and the content.
    pub(super) digest: [u8; 32],
    is_completed: bool,
}

/// The turn for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchedTurn {
    /// An earlier attempt created it.
    Known(TurnId),
    New(TurnId),
}

impl Series {
    pub(super) fn new(session_id: LiveSessionId, content: Fingerprint) -> Self {
        let mut hash = Sha256::new();
        hash.update(session_id.to_string());
        hash.update(content.0);
        Self { digest: hash.finalize().into(), is_completed: false }
    }

    /// As for an open session, but a request that was canceled when its session completed gets a
    /// new turn, unless the client marks it as a retry.
    pub(super) fn completed(self) -> Self {
        Self { is_completed: true, ..self }
    }

    fn turn(&self, number: u64) -> TurnId {
        turn_id(&[b"content", &self.digest, &number.to_le_bytes()])
    }

    /// The turn of the request. The caller holds the gate of this series.
    pub(super) async fn match_turn(
        &self,
        hints: &RetryHints,
        waiting_clients: &WaitingClients,
        sessions: &LiveSessions,
    ) -> Result<MatchedTurn, LiveError> {
        let Some((last, known)) = self.last(sessions).await? else {
            return Ok(MatchedTurn::New(self.turn(0)));
        };
        let mut newest = Some(known);
        let mut same_request = SameRequests::default();
        for number in (last.saturating_sub(MOST_EXAMINED)..=last).rev() {
            let turn = self.turn(number);
            let undelivered = waiting_clients.is_undelivered(turn);
            if same_request.is_past_answer() && !undelivered {
                continue;
            }
            let known = match newest.take() {
                Some(known) => Some(known),
                None => sessions.turn(turn).await?,
            };
            let Some(known) = known else { break };
            let status = match known.closed {
                None => RequestStatus::Pending { attended: waiting_clients.is_attended(turn) },
                Some(closed) => {
                    let answered = matches!(closed.closing, Closing::Answered(_));
                    let undelivered = undelivered && (answered || !self.is_completed);
                    // Read only if the rules need it.
                    let age = match undelivered || hints.tries_again {
                        true => since_the_end(sessions, &known, &closed).await?,
                        false => Duration::MAX,
                    };
                    RequestStatus::Ended { answered, undelivered, age }
                }
            };
            same_request.take(turn, status);
        }
        let matched = same_request.matched(hints.tries_again);
        Ok(matched.map_or_else(|| MatchedTurn::New(self.turn(last + 1)), MatchedTurn::Known))
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
