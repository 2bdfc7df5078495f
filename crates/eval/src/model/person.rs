//! [`PersonSession`]: a person who is asked as a model is, through a live session of a host.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::sync::watch;

use super::access::Access;
use super::name::{PERSON, Service};
use super::{FailureKind, Model, ModelFailure, ModelNameError, ModelSettings, Models};

/// A first request that fails sooner than this has not reached a host. A later failure is a lost connection, after
/// which the same request finds its turn again.
const UNREACHED: Duration = Duration::from_secs(5);

/// The header in which the host is asked to cancel a request that nobody waits for any more.
pub(crate) const CANCEL_AFTER_HEADER: &str = "x-rehearsal-cancel-after";

/// The seconds after which the host cancels the request of a run that is gone. Longer than a client takes that lost its
/// connection and asks again.
pub(crate) const CANCEL_AFTER: u32 = 60;

/// The same where a person has handed a place back.
const AT_ONCE: u32 = 1;

/// The characters of a run's id that tell it from others.
const RUN_ID: usize = 8;

/// The characters of a session's name before the run. Hosts take 100 in all.
const LONGEST_NAME: usize = 80;

/// A live session in which a person is asked.
#[derive(Clone)]
pub struct PersonSession {
    models: Models,
    name: String,
    cancel_after: u32,
}

impl Models {
    /// The live session of this name, at the host that `REHEARSAL_SERVER_URL` names.
    #[must_use]
    pub fn person(&self, session: impl Into<String>) -> PersonSession {
        // A person takes as long as it takes.
        let settings = ModelSettings {
            timeout: Duration::from_secs(u64::from(u32::MAX)),
            retries: u32::MAX,
            ..self.settings
        };
        PersonSession {
            models: self.clone().with_settings(settings),
            name: session.into(),
            cancel_after: CANCEL_AFTER,
        }
    }

    /// How many requests wait for a person.
    #[must_use]
    pub fn persons_asked(&self) -> watch::Receiver<usize> {
        self.persons.0.subscribe()
    }

    /// The page on which people respond.
    ///
    /// # Errors
    /// None in practice: a host needs no key.
    pub fn person_page(&self) -> Result<String, ModelNameError> {
        let access = self.variables.access(Service::Person, PERSON)?;
        Ok(format!("{}/live", access.base_url.unwrap_or_default()))
    }
}

impl PersonSession {
    /// The live session of one run of a case, of which `run_id` may begin with the number of a stored run and a dot, so that an answer to a request that a run no longer waits for is
    /// given to no other run.
    #[must_use]
    pub fn in_run(&self, run_id: &str) -> Self {
        let name: String = self.name.chars().take(LONGEST_NAME).collect();
        let (of, id) = run_id.split_at(run_id.rfind('.').map_or(0, |dot| dot + 1));
        let id: String = id.chars().take(RUN_ID).collect();
        Self { name: format!("{name}, run {of}{id}"), ..self.clone() }
    }

    /// The same session, whose requests are canceled at once when nobody waits for them any more: for a place that can be
    /// handed back.
    #[must_use]
    pub fn canceled_at_once(self) -> Self {
        Self { cancel_after: AT_ONCE, ..self }
    }

    /// The name of the session, as the page shows it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The person as the model of this agent: the page shows the name.
    ///
    /// # Errors
    /// [`ModelNameError`] if the address of the host cannot be used.
    pub fn model(&self, agent: &str) -> Result<Model, ModelNameError> {
        let (url, key) = self.address()?;
        let url = format!("{url}/a/{}/v1", in_path(agent));
        let access = Access { key, base_url: Some(url), cancel_after: self.cancel_after };
        self.models.open(Service::Person, &access, PERSON, PERSON)
    }

    /// The address of the session, to which clients add `/a/AGENT` and the path of their service, and the key.
    ///
    /// # Errors
    /// As [`PersonSession::model`].
    pub(crate) fn address(&self) -> Result<(String, String), ModelNameError> {
        let mut access = self.models.variables.access(Service::Person, PERSON)?;
        if access.key.is_empty() {
            // Hosts without authentication accept any, and the client wants one.
            "none".clone_into(&mut access.key);
        }
        let host = access.base_url.unwrap_or_default();
        Ok((format!("{host}/s/{}", in_path(&self.name)), access.key))
    }
}

fn in_path(text: &str) -> impl fmt::Display {
    utf8_percent_encode(text, NON_ALPHANUMERIC)
}

impl fmt::Debug for PersonSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("PersonSession").field(&self.name).finish()
    }
}

/// How many requests wait for a person.
#[derive(Clone)]
pub(super) struct Persons(Arc<watch::Sender<usize>>);

impl Default for Persons {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl Persons {
    /// Counts a request until the value is dropped.
    pub(super) fn ask(&self) -> Asked {
        self.0.send_modify(|count| *count += 1);
        Asked(self.clone())
    }
}

/// A request that waits for a person.
pub(super) struct Asked(Persons);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// A failure with what to do about it. `after` is how long the request was under way.
pub(super) fn explained(failure: ModelFailure, attempts: u32, after: Duration) -> ModelFailure {
    if failure.kind == FailureKind::Refused || attempts > 1 || after > UNREACHED {
        return failure;
    }
    let message = format!(
        "{}. Start a host with `rehearsal serve`, or name one in REHEARSAL_SERVER_URL",
        failure.message.trim_end_matches('.')
    );
    ModelFailure { kind: FailureKind::Refused, message, ..failure }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Variables;

    #[tokio::test]
    async fn without_a_host_the_error_says_how_to_start_one() {
        // Nothing listens on the port of a listener that is gone.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        drop(listener);
        let models = Models::new(Variables::given([("REHEARSAL_SERVER_URL", url.as_str())]));
        assert_eq!(models.person_page(), Ok(format!("{url}/live")));
        let model = models.person("a case").model("search").expect("a model");
        let failure = model.ask(&crate::model::ModelRequest::default()).await.expect_err("no host");
        assert_eq!(failure.kind, FailureKind::Refused);
        assert!(failure.message.ends_with("or name one in REHEARSAL_SERVER_URL"), "{failure}");
        assert_eq!(*models.persons_asked().borrow(), 0);
    }
}
