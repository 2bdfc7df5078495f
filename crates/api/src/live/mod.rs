//! Live sessions: agents that run elsewhere send requests, people respond here.
//!
//! A session may have 100,000 events, and a request contains a whole conversation. A page therefore
//! receives summaries of sessions ([`LiveSummary`]), reads events in windows ([`LiveRow`]), and loads
//! a whole request only to show it ([`LiveTurn`]).

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
    /// The lease of a page on a turn. It authorizes a response. A UUID of version 4.
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
