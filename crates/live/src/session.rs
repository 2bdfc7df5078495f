//! [`LiveSession`]: the data of a session besides its events.

use crate::{LiveSessionId, Note, Status, Timestamp};

/// One session. The id never changes; the status moves from active to completed only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveSession {
    /// Its id.
    pub id: LiveSessionId,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its description in the list.
    pub description: Option<Note>,
    /// Who opened it, as the host identifies callers; `None` without authentication.
    pub owner: Option<String>,
    /// Whether it accepts requests.
    pub status: Status,
}
