//! [`Tickets`]: who is logged in, by what their cookie holds.
//!
//! They live in memory: a host that is started anew asks everybody again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::caller::Caller;
use super::secret;

/// Without a request for so long one is logged out.
const IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// And after so long in any case.
pub(super) const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Those who are logged in. The cookie's content is kept as its SHA-256.
#[derive(Debug, Default)]
pub(super) struct Tickets(Mutex<HashMap<[u8; 32], Ticket>>);

#[derive(Debug)]
struct Ticket {
    caller: Caller,
    since: Instant,
    seen: Instant,
}

impl Tickets {
    /// Logs somebody in; gives what their cookie holds.
    pub(super) fn issue(&self, caller: Caller) -> String {
        let content = secret::random(&mut [0; 32]);
        let now = Instant::now();
        let mut tickets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.retain(|_, ticket| ticket.holds(now));
        tickets.insert(digest(&content), Ticket { caller, since: now, seen: now });
        content
    }

    /// Who has this cookie.
    pub(super) fn caller(&self, content: &str) -> Option<Caller> {
        let now = Instant::now();
        let mut tickets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ticket = tickets.get_mut(&digest(content)).filter(|ticket| ticket.holds(now))?;
        ticket.seen = now;
        Some(ticket.caller.clone())
    }

    /// Logs out.
    pub(super) fn revoke(&self, content: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&digest(content));
    }
}

impl Ticket {
    fn holds(&self, now: Instant) -> bool {
        now.duration_since(self.seen) < IDLE && now.duration_since(self.since) < LONGEST
    }
}

fn digest(content: &str) -> [u8; 32] {
    Sha256::digest(content).into()
}
