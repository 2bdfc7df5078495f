//! [`LoginSessions`]: the current login sessions, by their cookie.
//!
//! They live in memory: after a restart of the host everybody logs in again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::caller::Caller;
use super::secret;

/// A login session expires after this long without a request.
const IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// A login session expires after this long in any case.
pub(super) const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The current login sessions, keyed by the SHA-256 of the cookie's value.
#[derive(Debug)]
pub(super) struct LoginSessions {
    idle: Duration,
    longest: Duration,
    issued: Mutex<HashMap<[u8; 32], LoginSession>>,
}

#[derive(Debug)]
struct LoginSession {
    caller: Caller,
    since: Instant,
    seen: Instant,
    revoked: CancellationToken,
}

/// The lifetime of a login or a token, for what outlives a request: the page's WebSocket, and streams.
#[derive(Debug, Clone)]
pub(crate) struct LoginLifetime {
    /// Where to find when the login expires. A token does not.
    login: Option<(Arc<LoginSessions>, [u8; 32])>,
    revoked: CancellationToken,
}

impl Default for LoginSessions {
    fn default() -> Self {
        Self::lasting(IDLE, LONGEST)
    }
}

impl LoginSessions {
    fn lasting(idle: Duration, longest: Duration) -> Self {
        Self { idle, longest, issued: Mutex::default() }
    }

    /// Starts a login session and returns the cookie's value.
    pub(super) fn issue(&self, caller: Caller) -> String {
        let content = secret::random(&mut [0; 32]);
        let now = Instant::now();
        let mut issued = self.issued();
        issued.retain(|_, login_session| self.ends(login_session) > now);
        let revoked = CancellationToken::new();
        issued.insert(digest(&content), LoginSession { caller, since: now, seen: now, revoked });
        content
    }

    /// The person and the login lifetime for a cookie.
    pub(super) fn caller(self: &Arc<Self>, content: &str) -> Option<(Caller, LoginLifetime)> {
        let (now, digest) = (Instant::now(), digest(content));
        let mut issued = self.issued();
        let login_session =
            issued.get_mut(&digest).filter(|login_session| self.ends(login_session) > now)?;
        login_session.seen = now;
        let lifetime = LoginLifetime {
            login: Some((Arc::clone(self), digest)),
            revoked: login_session.revoked.clone(),
        };
        Some((login_session.caller.clone(), lifetime))
    }

    /// Ends the login session.
    pub(super) fn revoke(&self, content: &str) {
        if let Some(login_session) = self.issued().remove(&digest(content)) {
            login_session.revoked.cancel();
        }
    }

    /// Ends the login sessions of those who are not `kept`.
    pub(super) fn revoke_unless(&self, kept: impl Fn(&Caller) -> bool) {
        self.issued().retain(|_, login_session| {
            let is_kept = kept(&login_session.caller);
            if !is_kept {
                login_session.revoked.cancel();
            }
            is_kept
        });
    }

    /// When the login session expires unless another request arrives.
    fn ends(&self, login_session: &LoginSession) -> Instant {
        (login_session.seen + self.idle).min(login_session.since + self.longest)
    }

    fn issued(&self) -> MutexGuard<'_, HashMap<[u8; 32], LoginSession>> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LoginLifetime {
    /// The lifetime of a token, which ends when it is revoked.
    pub(super) fn of_token(revoked: CancellationToken) -> Self {
        Self { login: None, revoked }
    }

    /// The lifetime for the caller of a gRPC request; none where nobody logs in.
    pub(crate) fn of<T>(request: &tonic::Request<T>) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }

    /// Returns when the person logs out, the login session expires, or the token is revoked.
    pub(crate) async fn ended(&self) {
        if self.login.is_none() {
            return self.revoked.cancelled().await;
        }
        while let Some(ends) = self.ends().filter(|ends| *ends > Instant::now()) {
            tokio::select! {
                () = self.revoked.cancelled() => return,
                // Another request may have extended the session since.
                () = tokio::time::sleep_until(ends.into()) => {}
            }
        }
    }

    /// The message to the caller when it ends.
    pub(super) fn end_message(&self) -> &'static str {
        match self.login {
            Some(_) => "you are logged out: log in again with a browser",
            None => "this token was removed: `rehearsal token add NAME` creates another one",
        }
    }

    fn ends(&self) -> Option<Instant> {
        let (login_sessions, digest) = self.login.as_ref()?;
        login_sessions.issued().get(digest).map(|it| login_sessions.ends(it))
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

    /// Longer than any test takes.
    const PATIENCE: Duration = Duration::from_secs(30);

    fn ann() -> Caller {
        let name = DisplayName::parse("Ann").expect("a name");
        Caller { name, how: How::Password, id: "Ann".to_owned() }
    }

    #[tokio::test]
    async fn an_idle_login_session_expires() {
        let login_sessions = Arc::new(LoginSessions::lasting(Duration::from_millis(40), PATIENCE));
        let content = login_sessions.issue(ann());
        let (_, lifetime) = login_sessions.caller(&content).expect("logged in");
        tokio::time::timeout(PATIENCE, lifetime.ended()).await.expect("it ends by itself");
        assert!(login_sessions.caller(&content).is_none());
    }

    #[tokio::test]
    async fn a_request_extends_a_login_session_and_logging_out_ends_it() {
        let login_sessions = Arc::new(LoginSessions::lasting(PATIENCE, PATIENCE * 2));
        let content = login_sessions.issue(ann());
        let (_, lifetime) = login_sessions.caller(&content).expect("logged in");
        let first = lifetime.ends().expect("known");
        login_sessions.caller(&content).expect("still");
        assert!(lifetime.ends().expect("known") > first);
        let waiting = tokio::spawn({
            let lifetime = lifetime.clone();
            async move { lifetime.ended().await }
        });
        login_sessions.revoke(&content);
        tokio::time::timeout(PATIENCE, waiting).await.expect("at once").expect("it returns");
        assert!(lifetime.ends().is_none());
    }
}
