//! Who may: people who log in, tokens for programs, and what is written down of both.
//!
//! [`Access`] is who is known. Where nobody is, which only loopback allows, nothing is asked and
//! nothing is different. Otherwise `admit` lets in who shows a session's cookie or a token, and puts
//! who that is, a [`Caller`], beside the request.
//! What this leaves to `security`: names and origins (`docs/design/security.md`).

mod admit;
mod audit;
mod caller;
mod cookie;
mod cut_off;
mod login;
mod login_rate_limit;
mod login_sessions;
mod page;
mod places;
mod secret;

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use live::DisplayName;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

pub(crate) use admit::admit;
#[cfg(test)]
pub(crate) use audit::visiting;
pub(crate) use audit::{Audit, Note, Noted, caller};
pub(crate) use caller::{Caller, How};
pub(crate) use cut_off::while_logged_in;
pub(crate) use login::routes;
pub(crate) use login_sessions::LoginLifetime;
pub use secret::{FreshToken, SecretHash};

use cookie::Cookie;
use login_rate_limit::{LoginRateLimit, origin};
use login_sessions::LoginSessions;

/// How many hashes are worked out at once: each takes 19 MiB and tens of milliseconds.
const AT_ONCE: usize = 2;
/// As long as a name can be.
const NAME_CHARACTERS: usize = 100;

/// The people and tokens that a host knows.
///
/// Without any the host asks nobody who they are, and serves loopback only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    people: HashMap<String, (DisplayName, SecretHash)>,
    tokens: HashMap<String, (DisplayName, SecretHash)>,
    audit_file: Option<PathBuf>,
}

impl Access {
    /// Adds somebody who logs in with a password.
    #[must_use]
    pub fn person(mut self, name: DisplayName, password: SecretHash) -> Self {
        self.people.insert(name.as_str().to_owned(), (name, password));
        self
    }

    /// Adds a token: its public id, the name of the program that has it, and the hash of the whole.
    #[must_use]
    pub fn token(mut self, id: impl Into<String>, name: DisplayName, hash: SecretHash) -> Self {
        self.tokens.insert(id.into(), (name, hash));
        self
    }

    /// Writes the audit there as well as to the log.
    #[must_use]
    pub fn audit_file(mut self, path: Option<PathBuf>) -> Self {
        self.audit_file = path;
        self
    }

    /// Whether anybody is known, so that everybody is asked.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        !self.people.is_empty() || !self.tokens.is_empty()
    }
}

/// [`Access`] at work in a host.
pub(crate) struct Authenticator {
    access: Access,
    cookie: Cookie,
    login_sessions: Arc<LoginSessions>,
    rate_limit: LoginRateLimit,
    /// Tokens that were found right, by their SHA-256: a program sends its own with every request.
    right: Mutex<HashMap<[u8; 32], Caller>>,
    hashing: Semaphore,
    pub(crate) audit: Audit,
}

/// Why somebody is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The password or the token is wrong, or there is none.
    Unknown,
    /// Too many wrong ones; to be tried again after so many seconds.
    TooMany(u64),
}

impl Authenticator {
    /// For a host that listens on this port.
    pub(crate) fn new(access: Access, port: u16) -> Arc<Self> {
        let audit = Audit::to(access.audit_file.clone());
        Arc::new(Self {
            access,
            cookie: Cookie::of_port(port),
            login_sessions: Arc::default(),
            rate_limit: LoginRateLimit::default(),
            right: Mutex::default(),
            hashing: Semaphore::new(AT_ONCE),
            audit,
        })
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.access.is_asked()
    }

    /// Somebody who logs in.
    async fn person(
        self: &Arc<Self>,
        from: IpAddr,
        name: &str,
        password: String,
    ) -> Result<Caller, Refused> {
        let known = self.access.people.get(name.trim()).cloned();
        self.check(from, name.trim(), known, password, How::Password).await
    }

    /// A program with a token.
    async fn token(self: &Arc<Self>, from: IpAddr, token: &str) -> Result<Caller, Refused> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        if let Some(caller) = self.right().get(&digest) {
            return Ok(caller.clone());
        }
        let id = secret::token_id(token).unwrap_or("token");
        let known = self.access.tokens.get(id).cloned();
        let caller = self.check(from, id, known, token.to_owned(), How::Token).await?;
        self.right().insert(digest, caller.clone());
        Ok(caller)
    }

    /// Goes on when the one who asks hangs up: what it costs and that it was wrong count all the same.
    async fn check(
        self: &Arc<Self>,
        from: IpAddr,
        name: &str,
        known: Option<(DisplayName, SecretHash)>,
        secret: String,
        how: How,
    ) -> Result<Caller, Refused> {
        // What a stranger typed may be long.
        let name: String = name.chars().take(NAME_CHARACTERS).collect();
        self.rate_limit.allow(&origin(from), &name).map_err(Refused::TooMany)?;
        let authenticator = Arc::clone(self);
        let checked = tokio::spawn(async move {
            let Ok(_permit) = authenticator.hashing.acquire().await else {
                return Err(Refused::Unknown);
            };
            // Those who came while this one waited count.
            authenticator.rate_limit.allow(&origin(from), &name).map_err(Refused::TooMany)?;
            let fitting = tokio::task::spawn_blocking(move || match known {
                Some((name, hash)) => hash.fits(&secret).then_some(name),
                None => {
                    // As slow as a name that is known.
                    let _ = SecretHash::nobodys().fits(&secret);
                    None
                }
            });
            match fitting.await.unwrap_or_default() {
                Some(known) => {
                    authenticator.rate_limit.forgive(&origin(from), &name);
                    Ok(Caller { name: known, how })
                }
                // Those beyond the limit are not noted: a stranger could fill the disk with them.
                None => {
                    authenticator.rate_limit.wrong(&origin(from), &name);
                    let note = Note::new("refused").by(&name).with("from", &from);
                    let note = note.with("how", &how.word());
                    authenticator.audit.write(note, None);
                    Err(Refused::Unknown)
                }
            }
        });
        checked.await.unwrap_or(Err(Refused::Unknown))
    }

    fn right(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], Caller>> {
        self.right.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
