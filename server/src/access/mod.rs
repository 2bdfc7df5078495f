//! Authentication: people who log in, tokens for programs, and the audit log.
//!
//! [`Access`] configures people and tokens. Without any, which only a loopback host allows,
//! authentication is off. Otherwise `admit` accepts a session cookie or a token, and adds the
//! `Caller` to the request. [`RULES`] has what tokens may use. Checks of host names and origins are in
//! `security` (`docs/design/security.md`).

mod admit;
mod audit;
mod caller;
mod cookie;
mod login;
mod login_bound;
mod login_rate_limit;
mod login_sessions;
mod page;
mod request_limit;
mod rules;
mod secret;
mod token_scope;

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use base_path::BasePath;
use live::DisplayName;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub(crate) use admit::admit;
pub use audit::ExportEntry;
pub(crate) use audit::{AttributedEntry, Audit, AuditEntry, caller, token_scope, within_request};
#[cfg(test)]
pub(crate) use audit::{as_token, with_audit_file};
pub(crate) use caller::{Caller, How};
pub(crate) use login::routes;
pub(crate) use login_bound::while_logged_in;
pub(crate) use login_sessions::LoginLifetime;
pub use rules::{RULES, Rule};
pub use secret::{FreshToken, SecretHash};
pub(crate) use token_scope::{Denied, TokenScope};

use crate::replaceable::Replaceable;

use cookie::Cookie;
use login_rate_limit::{LoginRateLimit, origin};
use login_sessions::LoginSessions;

/// How many hashes are computed at once: each takes 19 MiB and tens of milliseconds.
const AT_ONCE: usize = 2;
/// The longest name that is written to the audit log.
const NAME_CHARACTERS: usize = 100;

/// The people and tokens that may use a host.
///
/// Without any, authentication is off and the host serves loopback only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    people: HashMap<String, (DisplayName, SecretHash)>,
    tokens: HashMap<String, Token>,
    audit_file: Option<PathBuf>,
}

/// A token in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    name: DisplayName,
    hash: SecretHash,
    /// The names of the tokens in whose sessions it may respond.
    responds_to: Vec<DisplayName>,
}

impl Access {
    /// Adds a person who logs in with a password.
    #[must_use]
    pub fn person(mut self, name: DisplayName, password: SecretHash) -> Self {
        self.people.insert(name.as_str().to_owned(), (name, password));
        self
    }

    /// Adds a token: its public id, the name of the program that uses it, and the hash of the
    /// token. The program asks in sessions that the token opens.
    #[must_use]
    pub fn token(self, id: impl Into<String>, name: DisplayName, hash: SecretHash) -> Self {
        self.responding_token(id, name, hash, Vec::new())
    }

    /// As [`Access::token`]. The program also responds in the sessions that tokens with the names in
    /// `responds_to` open.
    #[must_use]
    pub fn responding_token(
        mut self,
        id: impl Into<String>,
        name: DisplayName,
        hash: SecretHash,
        responds_to: Vec<DisplayName>,
    ) -> Self {
        self.tokens.insert(id.into(), Token { name, hash, responds_to });
        self
    }

    /// Writes the audit log to this file as well.
    #[must_use]
    pub fn audit_file(mut self, path: Option<PathBuf>) -> Self {
        self.audit_file = path;
        self
    }

    /// Whether authentication is on: a person or a token is configured.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        !self.people.is_empty() || self.has_tokens()
    }

    /// The people and tokens that `other` does not have, or with another password, token or `responds_to`: `the person
    /// Ann`, `the token 7f3a (CI)`, in order.
    #[must_use]
    pub fn not_in(&self, other: &Self) -> Vec<String> {
        let people = self.people.iter().filter(|(name, it)| other.people.get(*name) != Some(it));
        let people = people.map(|(name, _)| format!("the person {name}"));
        let tokens = self.tokens.iter().filter(|(id, it)| other.tokens.get(*id) != Some(it));
        let tokens = tokens.map(|(id, token)| format!("the token {id} ({})", token.name));
        let mut missing: Vec<String> = people.chain(tokens).collect();
        missing.sort();
        missing
    }

    /// The identities of the tokens that the token with this id responds to.
    fn responds_to(&self, id: &str) -> Vec<String> {
        let Some(token) = self.tokens.get(id) else { return Vec::new() };
        let named = self.tokens.iter().filter(|(_, it)| token.responds_to.contains(&it.name));
        named.map(|(id, _)| How::Token.identity(id)).collect()
    }

    /// Whether programs may use the host.
    #[must_use]
    pub fn has_tokens(&self) -> bool {
        !self.tokens.is_empty()
    }
}

/// Authenticates callers, for one host.
pub(crate) struct Authenticator {
    access: Replaceable<Access>,
    cookie: Cookie,
    login_sessions: Arc<LoginSessions>,
    rate_limit: LoginRateLimit,
    /// The SHA-256 of tokens that were verified: a program sends its token with every request, and
    /// Argon2 is slow. Each with what is canceled when it is removed.
    verified_tokens: Mutex<HashMap<[u8; 32], (Caller, CancellationToken)>>,
    hashing: Semaphore,
    audit: Replaceable<Audit>,
}

/// Why authentication failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthError {
    /// The password or the token is wrong or missing.
    Unknown,
    /// Too many failed attempts; the next one is allowed after this many seconds.
    TooMany(u64),
}

impl Authenticator {
    /// An authenticator for a host that listens on `port` and is served below `base_path`.
    pub(crate) fn new(access: Access, port: u16, base_path: &BasePath) -> Arc<Self> {
        let audit = Audit::to(access.audit_file.clone());
        Arc::new(Self {
            access: Replaceable::new(access),
            cookie: Cookie::new(port, base_path),
            login_sessions: Arc::default(),
            rate_limit: LoginRateLimit::default(),
            verified_tokens: Mutex::default(),
            hashing: Semaphore::new(AT_ONCE),
            audit: Replaceable::new(audit),
        })
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.access.get().is_enabled()
    }

    pub(crate) fn audit(&self) -> Audit {
        Audit::clone(&self.audit.get())
    }

    /// Replaces people, tokens and the audit file. Who is gone, or has another password, is logged out, and streams of
    /// tokens that are gone or respond to others end.
    pub(crate) fn replace(&self, access: Access) {
        self.audit.set(Audit::to(access.audit_file.clone()));
        let before = self.access.get();
        // First, so that nobody is admitted by what they were, and then kept.
        self.access.set(access);
        let now = self.access.get();
        self.login_sessions.revoke_unless(|caller| {
            let secret = |access: &Access| {
                access.people.get(&caller.id).map(|(_, password)| password.clone())
            };
            secret(&before) == secret(&now)
        });
        self.verified_tokens().retain(|_, (caller, revoked)| {
            let is_kept = before.tokens.get(&caller.id) == now.tokens.get(&caller.id);
            if !is_kept {
                revoked.cancel();
            }
            is_kept
        });
    }

    /// The sessions that a token's request may act on.
    fn token_scope(&self, token: &Caller, rule: Rule) -> Arc<TokenScope> {
        let responds_to = self.access.get().responds_to(&token.id);
        Arc::new(TokenScope { rule, own: token.identity(), responds_to })
    }

    /// Authenticates a person by name and password.
    async fn person(
        self: &Arc<Self>,
        from: IpAddr,
        name: &str,
        password: String,
    ) -> Result<Caller, AuthError> {
        let known = self.access.get().people.get(name.trim()).cloned();
        self.check(from, name.trim(), known, password, How::Password).await
    }

    /// Authenticates a program by its token.
    async fn token(
        self: &Arc<Self>,
        from: IpAddr,
        token: &str,
    ) -> Result<(Caller, LoginLifetime), AuthError> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let with_lifetime = |(caller, revoked): &(Caller, CancellationToken)| {
            (caller.clone(), LoginLifetime::of_token(revoked.clone()))
        };
        if let Some(verified) = self.verified_tokens().get(&digest) {
            return Ok(with_lifetime(verified));
        }
        let id = secret::token_id(token).unwrap_or("token");
        let known = self.access.get().tokens.get(id).cloned();
        let secret = known.clone().map(|known| (known.name, known.hash));
        let caller = self.check(from, id, secret, token.to_owned(), How::Token).await?;
        let mut verified = self.verified_tokens();
        // It may have been removed meanwhile.
        if self.access.get().tokens.get(id) != known.as_ref() {
            return Err(AuthError::Unknown);
        }
        Ok(with_lifetime(verified.entry(digest).or_insert((caller, CancellationToken::new()))))
    }

    /// Runs on a task of its own, so that a failed attempt counts even if the client disconnects.
    async fn check(
        self: &Arc<Self>,
        from: IpAddr,
        name: &str,
        known: Option<(DisplayName, SecretHash)>,
        secret: String,
        how: How,
    ) -> Result<Caller, AuthError> {
        // Truncated, because anybody can send a long name.
        let name: String = name.chars().take(NAME_CHARACTERS).collect();
        self.rate_limit.allow(&origin(from), &name).map_err(AuthError::TooMany)?;
        let authenticator = Arc::clone(self);
        let checked = tokio::spawn(async move {
            let Ok(_permit) = authenticator.hashing.acquire().await else {
                return Err(AuthError::Unknown);
            };
            // Attempts that were made while this one waited count.
            authenticator.rate_limit.allow(&origin(from), &name).map_err(AuthError::TooMany)?;
            let fitting = tokio::task::spawn_blocking(move || match known {
                Some((name, hash)) => hash.fits(&secret).then_some(name),
                None => {
                    // Takes as long as for a known name.
                    let _ = SecretHash::matching_nothing().fits(&secret);
                    None
                }
            });
            match fitting.await.unwrap_or_default() {
                Some(known) => {
                    authenticator.rate_limit.reset(&origin(from), &name);
                    Ok(Caller { name: known, how, id: name })
                }
                // Attempts beyond the limit are not logged: otherwise anybody could fill the disk.
                None => {
                    authenticator.rate_limit.record_failure(&origin(from), &name);
                    let entry = AuditEntry::new("refused").by(&name).with("from", &from);
                    let entry = entry.with("how", &how.word());
                    authenticator.audit().write(entry, None);
                    Err(AuthError::Unknown)
                }
            }
        });
        checked.await.unwrap_or(Err(AuthError::Unknown))
    }

    fn verified_tokens(
        &self,
    ) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], (Caller, CancellationToken)>> {
        self.verified_tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn access(people: &[(&str, &str)]) -> Access {
        people.iter().fold(Access::default(), |access, (name, password)| {
            let name = DisplayName::parse(name).expect("a name");
            access.person(name, SecretHash::of(password).expect("hashed"))
        })
    }

    #[tokio::test]
    async fn who_is_gone_or_has_another_password_is_logged_out() {
        let before = access(&[("Ann", "ann's own"), ("Bo", "bo's own"), ("Cy", "cy's own")]);
        let authenticator = Authenticator::new(before.clone(), 4180, &BasePath::default());
        let from = IpAddr::from([127, 0, 0, 1]);
        let mut logins = Vec::new();
        for (name, password) in [("Ann", "ann's own"), ("Bo", "bo's own"), ("Cy", "cy's own")] {
            let caller = authenticator.person(from, name, password.to_owned()).await;
            let content = authenticator.login_sessions.issue(caller.expect("logs in"));
            let (_, lifetime) = authenticator.login_sessions.caller(&content).expect("logged in");
            logins.push((content, lifetime));
        }
        let mut after = access(&[("Bo", "another")]);
        after.people.insert("Ann".to_owned(), before.people["Ann"].clone());
        authenticator.replace(after);
        let is_in =
            |number: usize| authenticator.login_sessions.caller(&logins[number].0).is_some();
        assert_eq!([is_in(0), is_in(1), is_in(2)], [true, false, false]);
        for (_, lifetime) in &logins[1..] {
            let ended = tokio::time::timeout(Duration::from_secs(30), lifetime.ended()).await;
            ended.expect("streams end at once");
        }
        let refused = authenticator.person(from, "Bo", "bo's own".to_owned()).await;
        assert_eq!(refused.map(drop), Err(AuthError::Unknown));
        authenticator.person(from, "Bo", "another".to_owned()).await.expect("logs in");
    }

    #[tokio::test]
    async fn a_token_responds_to_the_tokens_that_the_configuration_names_now() {
        let name = |name: &str| DisplayName::parse(name).expect("a name");
        let [nightly, desk] = [(); 2].map(|()| FreshToken::new().expect("made"));
        let with = |responds_to: &[&str]| {
            let responds_to = responds_to.iter().map(|&it| name(it)).collect();
            let access = Access::default();
            let access = access.token(nightly.id.clone(), name("nightly"), nightly.hash.clone());
            let (id, hash) = (desk.id.clone(), desk.hash.clone());
            access.responding_token(id, name("desk"), hash, responds_to)
        };
        let authenticator = Authenticator::new(with(&["nightly"]), 4180, &BasePath::default());
        let from = IpAddr::from([127, 0, 0, 1]);
        let (caller, lifetime) = authenticator.token(from, &desk.token).await.expect("fits");
        let owner = How::Token.identity(&nightly.id);
        let sees = || authenticator.token_scope(&caller, Rule::Responder).sees(Some(&owner));
        assert!(sees());
        authenticator.replace(with(&[]));
        assert!(!sees());
        let ended = tokio::time::timeout(Duration::from_secs(30), lifetime.ended()).await;
        ended.expect("its streams end at once");
    }

    #[tokio::test]
    async fn streams_of_a_token_that_is_gone_end_and_those_of_others_do_not() {
        let with = |tokens: &[&FreshToken]| {
            tokens.iter().fold(Access::default(), |access, token| {
                let name = DisplayName::parse("program").expect("a name");
                access.token(token.id.clone(), name, token.hash.clone())
            })
        };
        let (kept, gone) = (FreshToken::new().expect("made"), FreshToken::new().expect("made"));
        let authenticator = Authenticator::new(with(&[&kept, &gone]), 4180, &BasePath::default());
        let from = IpAddr::from([127, 0, 0, 1]);
        let (_, of_kept) = authenticator.token(from, &kept.token).await.expect("fits");
        let (_, of_gone) = authenticator.token(from, &gone.token).await.expect("fits");
        authenticator.replace(with(&[&kept]));
        tokio::time::timeout(Duration::from_secs(30), of_gone.ended()).await.expect("ends at once");
        assert!(futures::poll!(Box::pin(of_kept.ended())).is_pending());
        assert_eq!(authenticator.token(from, &gone.token).await.map(drop), Err(AuthError::Unknown));
        authenticator.token(from, &kept.token).await.expect("fits");
    }
}
