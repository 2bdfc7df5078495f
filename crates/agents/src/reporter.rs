//! [`Reporter`]: how a source reports what happens in its sessions between calls.

use std::sync::Arc;

use api::{CallProgressed, CatalogChange, Question};
use session::SessionId;

/// An event in a session that is not the response to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceEvent {
    /// A tool reports progress.
    Progress(CallProgressed),
    /// A tool's server asks the person.
    Asked(Box<Question>),
    /// A question is over: it was answered, or its request ended.
    Withdrawn {
        /// The session.
        session: SessionId,
        /// The question's number.
        number: u64,
    },
    /// The tools of a session's agent changed.
    CatalogChanged(Box<CatalogChange>),
    /// The process of a session's agent ended, and another one has taken up the session, with the agent's files as they
    /// are now.
    TakenUp {
        /// The session.
        session: SessionId,
    },
    /// The host closed the session, because its agent was replaced or removed.
    Closed {
        /// The session.
        session: SessionId,
    },
}

/// Passes the events of a source's sessions to a listener.
#[derive(Clone)]
pub struct Reporter(Arc<dyn Fn(SourceEvent) + Send + Sync>);

impl Reporter {
    /// Passes every event to `listener`, which must not block.
    #[must_use]
    pub fn new(listener: impl Fn(SourceEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(listener))
    }

    /// A reporter without a listener.
    #[must_use]
    pub fn silent() -> Self {
        Self::new(drop)
    }

    /// Reports one event.
    pub fn report(&self, event: SourceEvent) {
        (self.0)(event);
    }
}
