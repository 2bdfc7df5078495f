//! [`Tickets`]: who is logged in, by what their cookie holds.
//!
//! They live in memory: a host that is started anew asks everybody again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::caller::Caller;
use super::secret;

/// Without a request for so long one is logged out.
const IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// And after so long in any case.
pub(super) const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Those who are logged in. The cookie's content is kept as its SHA-256.
#[derive(Debug)]
pub(super) struct Tickets {
    idle: Duration,
    longest: Duration,
    issued: Mutex<HashMap<[u8; 32], Ticket>>,
}

#[derive(Debug)]
struct Ticket {
    caller: Caller,
    since: Instant,
    seen: Instant,
    revoked: CancellationToken,
}

/// How long somebody stays logged in, for what outlives a request: the page's WebSocket, and streams.
#[derive(Debug, Clone)]
pub(crate) struct Stay {
    tickets: Arc<Tickets>,
    digest: [u8; 32],
    revoked: CancellationToken,
}

impl Default for Tickets {
    fn default() -> Self {
        Self::lasting(IDLE, LONGEST)
    }
}

impl Tickets {
    fn lasting(idle: Duration, longest: Duration) -> Self {
        Self { idle, longest, issued: Mutex::default() }
    }

    /// Logs somebody in; gives what their cookie holds.
    pub(super) fn issue(&self, caller: Caller) -> String {
        let content = secret::random(&mut [0; 32]);
        let now = Instant::now();
        let mut issued = self.issued();
        issued.retain(|_, ticket| self.ends(ticket) > now);
        let revoked = CancellationToken::new();
        issued.insert(digest(&content), Ticket { caller, since: now, seen: now, revoked });
        content
    }

    /// Who has this cookie, and for how long.
    pub(super) fn caller(self: &Arc<Self>, content: &str) -> Option<(Caller, Stay)> {
        let (now, digest) = (Instant::now(), digest(content));
        let mut issued = self.issued();
        let ticket = issued.get_mut(&digest).filter(|ticket| self.ends(ticket) > now)?;
        ticket.seen = now;
        let stay = Stay { tickets: Arc::clone(self), digest, revoked: ticket.revoked.clone() };
        Some((ticket.caller.clone(), stay))
    }

    /// Logs out.
    pub(super) fn revoke(&self, content: &str) {
        if let Some(ticket) = self.issued().remove(&digest(content)) {
            ticket.revoked.cancel();
        }
    }

    /// When the ticket ends without a further request.
    fn ends(&self, ticket: &Ticket) -> Instant {
        (ticket.seen + self.idle).min(ticket.since + self.longest)
    }

    fn issued(&self) -> MutexGuard<'_, HashMap<[u8; 32], Ticket>> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stay {
    /// That of whoever sends a gRPC request; a token has none.
    pub(crate) fn of<T>(request: &tonic::Request<T>) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }

    /// Returns once they have logged out, or are logged out because their time is over.
    pub(crate) async fn over(&self) {
        while let Some(ends) = self.ends().filter(|ends| *ends > Instant::now()) {
            tokio::select! {
                () = self.revoked.cancelled() => return,
                // By then another request may have made it longer.
                () = tokio::time::sleep_until(ends.into()) => {}
            }
        }
    }

    fn ends(&self) -> Option<Instant> {
        self.tickets.issued().get(&self.digest).map(|ticket| self.tickets.ends(ticket))
    }
}

fn digest(content: &str) -> [u8; 32] {
    Sha256::digest(content).into()
}

#[cfg(test)]
mod tests {
    use live::DisplayName;

    use super::super::caller::How;
    use super::*;

    /// Nothing in a test takes longer.
    const PATIENCE: Duration = Duration::from_secs(30);

    fn ann() -> Caller {
        Caller { name: DisplayName::parse("Ann").expect("a name"), how: How::Password }
    }

    #[tokio::test]
    async fn a_stay_is_over_when_its_time_is() {
        let tickets = Arc::new(Tickets::lasting(Duration::from_millis(40), PATIENCE));
        let content = tickets.issue(ann());
        let (_, stay) = tickets.caller(&content).expect("logged in");
        tokio::time::timeout(PATIENCE, stay.over()).await.expect("it ends by itself");
        assert!(tickets.caller(&content).is_none());
    }

    #[tokio::test]
    async fn a_request_makes_it_longer_and_logging_out_ends_it() {
        let tickets = Arc::new(Tickets::lasting(PATIENCE, PATIENCE * 2));
        let content = tickets.issue(ann());
        let (_, stay) = tickets.caller(&content).expect("logged in");
        let first = stay.ends().expect("known");
        tickets.caller(&content).expect("still");
        assert!(stay.ends().expect("known") > first);
        let waiting = tokio::spawn({
            let stay = stay.clone();
            async move { stay.over().await }
        });
        tickets.revoke(&content);
        tokio::time::timeout(PATIENCE, waiting).await.expect("at once").expect("it returns");
        assert!(stay.ends().is_none());
    }
}
