//! Live sessions: agents that run elsewhere ask, people answer here.
//!
//! A session may have 100,000 events and a request the whole of a conversation, so that a page is
//! told of a session in little ([`LiveSummary`]), reads its events a window at a time ([`LiveRow`])
//! and a request whole only where somebody reads it ([`LiveTurn`]).

mod content;
mod event;
mod export;
mod response;
mod summary;

use serde::{Deserialize, Serialize};

pub use content::*;
pub use event::*;
pub use export::*;
pub use response::*;
pub use summary::*;

id! {
    /// A live session: a UUID of version 4.
    LiveId
}
id! {
    /// A turn: one call of an agent to its model. A UUID of version 4.
    LiveTurnId
}
id! {
    /// The secret under which this page holds a turn. A UUID of version 4.
    LiveLeaseId
}

/// A turn and its session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LivePlace {
    /// The session.
    pub session: LiveId,
    /// The turn.
    pub turn: LiveTurnId,
}
