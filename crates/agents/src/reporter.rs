//! [`Reporter`]: how a source reports what happens in its sessions between calls.

use std::sync::Arc;

use session::{CallId, SessionId, ToolName};

use crate::{Question, SessionView, ToolView};

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

/// The progress of a call, as its tool reports it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallProgressed {
    /// The session.
    pub session: SessionId,
    /// The call.
    pub call_id: CallId,
    /// How much is done, in the tool's own unit, where the tool counts.
    pub done: Option<f64>,
    /// How much there is to do, in the same unit, where the tool knows.
    pub total: Option<f64>,
    /// What it is doing.
    pub message: Option<String>,
}

/// What changed in the catalog of tools, and what the model would see now.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogChange {
    /// The session.
    pub session: SessionId,
    /// What the model would see now.
    pub view: SessionView,
    /// Tools that are new.
    pub added: Vec<ToolName>,
    /// Tools that are gone.
    pub removed: Vec<ToolName>,
    /// Tools whose declaration differs.
    pub changed: Vec<ToolName>,
}

impl CatalogChange {
    /// The differences between the tools `before` and those of `view`.
    #[must_use]
    pub fn between(session: &SessionId, before: &[ToolView], view: SessionView) -> Self {
        let names_missing_in = |there: &[ToolView], from: &[ToolView]| -> Vec<ToolName> {
            from.iter()
                .filter(|tool| !there.iter().any(|other| other.name == tool.name))
                .map(|tool| tool.name.clone())
                .collect()
        };
        let added = names_missing_in(before, &view.tools);
        let removed = names_missing_in(&view.tools, before);
        let changed = view
            .tools
            .iter()
            .filter(|tool| before.iter().any(|old| old.name == tool.name && old != *tool))
            .map(|tool| tool.name.clone())
            .collect();
        Self { session: session.clone(), view, added, removed, changed }
    }

    /// Whether the tools are the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
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
