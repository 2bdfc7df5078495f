//! [`ModelFailure`]: why a model gave no answer.

use std::fmt;
use std::time::Duration;

use adk_core::{AdkError, ErrorCategory};

/// How much of a service's answer a message shows, in characters.
const SHOWN: usize = 400;

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFailure {
    /// The model.
    pub model: String,
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What happened at the last attempt.
    pub message: String,
    /// How often the model was asked.
    pub attempts: u32,
    /// How long the service asks to wait.
    pub retry_after: Option<Duration>,
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The service refuses more requests for now: 429, or 529 of Anthropic.
    RateLimited,
    /// The service did not answer in time.
    Timeout,
    /// The service failed, or its answer cannot be read.
    Unavailable,
    /// The service refuses this request, such as for its key, or would not respond to it.
    Refused,
}

impl ModelFailure {
    pub(super) fn timeout(model: &str, limit: Duration) -> Self {
        let message = format!(
            "no answer within {} ms. Set a longer time with `models: {{ timeout_ms: ... }}`",
            limit.as_millis()
        );
        Self::new(model, FailureKind::Timeout, message)
    }

    pub(super) fn new(model: &str, kind: FailureKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { model: model.to_owned(), kind, message, attempts: 1, retry_after: None }
    }

    /// What the client of an agent in Python reports. `passes` is for an error without a status.
    pub(crate) fn reported(
        model: &str,
        status: Option<u16>,
        passes: bool,
        retry_after: Option<Duration>,
    ) -> Self {
        let kind = match status {
            Some(status) => kind(status),
            None if passes => FailureKind::Unavailable,
            None => FailureKind::Refused,
        };
        Self { retry_after, ..Self::new(model, kind, String::new()) }
    }

    /// What an error of `adk-model` says.
    pub(super) fn of(model: &str, error: &AdkError) -> Self {
        let status = error.details.upstream_status_code.filter(|status| *status != 0);
        // The client for Gemini names only some statuses.
        let status = status_in(&error.message).or(status);
        let kind = match status {
            Some(status) => kind(status),
            // Before anything was sent.
            None if error.category == ErrorCategory::InvalidInput => FailureKind::Refused,
            None => FailureKind::Unavailable,
        };
        let retry_after = error.retry.retry_after().or_else(|| retry_delay(&error.message));
        let mut shown: String = error.message.chars().take(SHOWN).collect();
        if shown.len() < error.message.len() {
            shown.push('…');
        }
        Self { retry_after, ..Self::new(model, kind, shown) }
    }

    /// Whether the same request may succeed later.
    pub(super) fn may_pass(&self) -> bool {
        self.kind != FailureKind::Refused
    }
}

impl fmt::Display for ModelFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, message, attempts, .. } = self;
        write!(formatter, "{model} gave no answer")?;
        if *attempts > 1 {
            write!(formatter, " to {attempts} requests")?;
        }
        write!(formatter, ": {message}")
    }
}

impl std::error::Error for ModelFailure {}

/// What kind of failure a status says.
fn kind(status: u16) -> FailureKind {
    match status {
        429 | 529 => FailureKind::RateLimited,
        408 | 504 => FailureKind::Timeout,
        409 | 425 | 500.. => FailureKind::Unavailable,
        _ => FailureKind::Refused,
    }
}

/// The status in a message of the client for Gemini.
fn status_in(message: &str) -> Option<u16> {
    let (_, rest) = message.split_once("bad response from server; code ")?;
    rest.split(';').next()?.parse().ok()
}

/// The wait that Google's services ask for in the body (`google.rpc.RetryInfo`). The client for Gemini does not
/// show headers.
fn retry_delay(message: &str) -> Option<Duration> {
    let (_, rest) = message.split_once("\"retryDelay\"")?;
    let seconds = rest.trim_start_matches([':', ' ']).strip_prefix('"')?.split('"').next()?;
    Duration::try_from_secs_f64(seconds.strip_suffix('s')?.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use adk_core::ErrorComponent;

    use super::*;

    fn gemini(message: &str, category: ErrorCategory) -> ModelFailure {
        ModelFailure::of("m", &AdkError::new(ErrorComponent::Model, category, "code", message))
    }

    #[test]
    fn geminis_status_and_delay_are_in_its_message() {
        let body = r#"bad response from server; code 429; description: {"error": {"details":
            [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}}"#;
        let failure = gemini(body, ErrorCategory::RateLimited);
        assert_eq!(failure.kind, FailureKind::RateLimited);
        assert_eq!(failure.retry_after, Some(Duration::from_millis(34_500)));
        let body = "bad response from server; code 500; description: internal";
        let failure = gemini(body, ErrorCategory::Internal);
        assert_eq!((failure.kind, failure.may_pass()), (FailureKind::Unavailable, true));
        let body = "bad response from server; code 403; description: no";
        assert!(!gemini(body, ErrorCategory::Internal).may_pass());
    }
}
