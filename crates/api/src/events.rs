//! The messages of the page's one WebSocket, at [`EVENTS_PATH`].
//!
//! Each message is one JSON text frame. The page sends the sessions that it shows
//! ([`PageMessage::Watch`]), which is also its keep-alive. The host then sends the last event of
//! each session's call, which may have come while the page was not connected.

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use session::{AgentId, CallId, Recording, SessionId, StoredResult, ToolName};

use super::{
    AgentSummary, FieldMessage, LiveId, LiveSummary, LogLine, Question, SessionView, ToolView,
};

/// Where a page connects.
pub const EVENTS_PATH: &str = "/api/events";

/// From the host to the page.
///
/// `S` is the event of a session. The page keeps it as JSON text until the code that handles it is
/// loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum HostEvent<S = SessionEvent> {
    /// First message of a connection.
    Welcome {
        /// A new value after each start of the host.
        host: String,
        /// The host's version.
        version: String,
        /// The person who is logged in; `None` when authentication is off.
        #[serde(default)]
        person: Option<String>,
    },
    /// An agent was loaded, faulted or restarted.
    AgentChanged(Box<AgentSummary>),
    /// Agents were added, removed or replaced: the list is to be fetched again.
    AgentListChanged,
    /// An agent printed lines.
    AgentLog {
        /// The agent.
        agent: AgentId,
        /// The new lines.
        lines: Vec<LogLine>,
    },
    /// Something happened in a session that the page watches.
    Session(S),
    /// Live sessions changed.
    Live(Box<LiveUpdate>),
}

/// What happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SessionEvent {
    /// The progress of a call.
    Call(Box<CallUpdate>),
    /// A tool reports how far it is.
    Progress(CallProgressed),
    /// A tool's server asks the person.
    Asked(Box<Question>),
    /// A question is closed: it was answered, or its server is gone.
    Withdrawn {
        /// The session.
        session: SessionId,
        /// The question's number.
        number: u64,
    },
    /// The tools of a session's agent changed.
    CatalogChanged(Box<CatalogChange>),
    /// The process of a session's agent ended, and another one has taken up the session.
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

impl SessionEvent {
    /// The session.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        match self {
            Self::Call(update) => &update.session,
            Self::Progress(progress) => &progress.session,
            Self::Asked(question) => &question.session,
            Self::Withdrawn { session, .. }
            | Self::TakenUp { session }
            | Self::Closed { session } => session,
            Self::CatalogChanged(change) => &change.session,
        }
    }
}

/// A change of live sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveUpdate {
    /// The changed sessions, with their current status.
    pub sessions: Vec<LiveSummary>,
    /// Those that are deleted.
    pub deleted: Vec<LiveId>,
    /// The number of pending turns in all sessions, if the page watches them all.
    pub waiting: Option<u64>,
    /// Whether more sessions changed, so that the page must fetch the list again.
    pub more: bool,
}

/// The live sessions that a page watches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveWatch {
    /// Whether it watches every session.
    pub all: bool,
    /// The sessions that it watches besides.
    pub sessions: Vec<LiveId>,
}

/// How far a call is, as its tool reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallProgressed {
    /// The session.
    pub session: SessionId,
    /// The call.
    pub call_id: CallId,
    /// How much is done, in the tool's own unit, if the tool counts.
    pub done: Option<f64>,
    /// How much there is to do, in the same unit, if known.
    pub total: Option<f64>,
    /// What it is doing.
    pub message: Option<String>,
}

/// What changed in the catalog of tools, and what the model would see now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// The progress of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallUpdate {
    /// The session.
    pub session: SessionId,
    /// The call.
    pub call_id: CallId,
    /// What happened.
    pub progress: CallProgress,
    /// The session state after it.
    pub state: Option<JsonText>,
    /// What the model would see now, if it has changed.
    pub view: Option<SessionView>,
    /// The violations of the tool's output schema.
    #[serde(default)]
    pub broken: Vec<FieldMessage>,
}

/// What happened to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CallProgress {
    /// The tool returned this value.
    Returned {
        /// The value.
        result: JsonText,
        /// How google-adk records it.
        #[serde(default)]
        recording: Recording,
        /// From call to return.
        duration_ms: f64,
    },
    /// The tool returned a value over 1 MB, which stays on the host.
    ReturnedStored {
        /// Its length and its beginning.
        stored: StoredResult,
        /// How google-adk records it.
        #[serde(default)]
        recording: Recording,
        /// From call to return.
        duration_ms: f64,
    },
    /// The tool or the call failed.
    Failed {
        /// Exception class name or a constant of [`session::ToolError`].
        error_type: String,
        /// What went wrong.
        message: String,
        /// The whole traceback.
        traceback: Option<String>,
        /// From call to failure.
        duration_ms: f64,
    },
    /// The tool asks the person to confirm.
    AsksConfirmation {
        /// What it is about to do.
        hint: String,
        /// The suggested payload of the confirmation.
        payload: Option<JsonText>,
    },
    /// A long-running tool waits for its result from the person.
    AwaitsResult {
        /// Its first return value.
        first: Option<JsonText>,
    },
    /// The person acts as the agent that was called. The view is the agent's.
    Acting {
        /// Why the agent's final response was rejected, if it was.
        rejected: Option<String>,
    },
}

/// From the page to the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageMessage {
    /// The sessions that this page shows now. Sent at connection, at each change and every 20 s.
    Watch {
        /// Their ids.
        sessions: Vec<SessionId>,
        /// The live sessions that it watches.
        #[serde(default)]
        live: LiveWatch,
    },
}
