//! [`LiveError`]: why a command about live sessions was not carried out.

use live::{Invalid, LiveSessionId, Refusal};

use super::store::StoreError;

/// Why a command was not carried out. Nothing was changed.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum LiveError {
    /// A value breaks its rule.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The session's rules do not allow it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// There is no such session.
    #[error("session_id: there is no session {0}; create it first")]
    UnknownSession(LiveSessionId),
    /// The session id names another session.
    #[error("session_id: {0} already names a session with another description")]
    SessionTaken(LiveSessionId),
    /// The store did not keep it.
    #[error(transparent)]
    Store(#[from] std::sync::Arc<StoreError>),
    /// The host ends.
    #[error("the host is stopping: send it again when it is back")]
    Stopping,
}

impl LiveError {
    /// Whether nothing works until somebody has seen to the database.
    pub(crate) fn is_unopened(&self) -> bool {
        matches!(self, Self::Store(error) if matches!(**error, StoreError::Unopened { .. }))
    }
}

impl From<StoreError> for LiveError {
    fn from(error: StoreError) -> Self {
        Self::Store(std::sync::Arc::new(error))
    }
}
