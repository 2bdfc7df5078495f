//! [`LiveError`]: why a command about a live session failed.

use live::{Invalid, LiveSessionId, Refusal, TooLarge};

use crate::access::Denied;
use live_store::StoreError;

/// Why a command failed. Nothing was changed.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum LiveError {
    /// A value is not valid.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The page cannot show the request.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The session's rules do not allow it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The session does not exist.
    #[error("session_id: session {0} does not exist; create it first")]
    UnknownSession(LiveSessionId),
    /// The session cannot be deleted.
    #[error(
        "session_id: {waiting} {} in this session; complete it before you delete it",
        if *.waiting == 1 { "request waits" } else { "requests wait" }
    )]
    StillWaiting {
        /// How many requests wait.
        waiting: usize,
    },
    /// The id belongs to another session.
    #[error("session_id: {0} is already used by another session; send a new id with a new session")]
    SessionTaken(LiveSessionId),
    /// The caller's token may not do this to the session.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] std::sync::Arc<StoreError>),
    /// The host is stopping.
    #[error("the host is stopping: retry after its restart")]
    Stopping,
}

impl LiveError {
    /// Whether the store may be opened later without a change of the configuration.
    pub(super) fn is_temporary(&self) -> bool {
        let Self::Store(error) = self else { return false };
        matches!(**error, StoreError::Full | StoreError::InUse { .. })
    }

    /// Whether no command can succeed until somebody repairs the database.
    pub(crate) fn is_unopened(&self) -> bool {
        let Self::Store(error) = self else { return false };
        matches!(**error, StoreError::Unopened { .. } | StoreError::OtherVersion { .. })
    }
}

impl From<StoreError> for LiveError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Closed => Self::Stopping,
            error => Self::Store(std::sync::Arc::new(error)),
        }
    }
}
