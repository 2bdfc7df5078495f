//! What the host tells a page unasked, over the page's one WebSocket at [`EVENTS_PATH`].
//!
//! Each message is one JSON text frame. The page says which sessions it shows
//! ([`PageMessage::Watch`]), which is also its sign of life; the host then tells the end of a call
//! that came while the page was not connected.

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use session::{AgentId, CallId, SessionId, StoredResult, ToolName};

use super::{AgentSummary, FieldMessage, LiveId, LiveSummary, LogLine, Question, SessionView};

/// Where a page connects.
pub const EVENTS_PATH: &str = "/api/events";

/// From the host to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum HostEvent {
    /// First message of a connection.
    Welcome {
        /// Changes when the host was started anew.
        host: String,
        /// The host's version.
        version: String,
        /// Who is logged in here; nobody where nobody is asked.
        #[serde(default)]
        person: Option<String>,
    },
    /// An agent was loaded, faulted or restarted.
    AgentChanged(Box<AgentSummary>),
    /// An agent printed lines.
    AgentLog {
        /// The agent.
        agent: AgentId,
        /// The new lines.
        lines: Vec<LogLine>,
    },
    /// A call goes on.
    Call(Box<CallUpdate>),
    /// A tool says how far it is.
    Progress(CallProgressed),
    /// A tool's server asks the person.
    Asked(Box<Question>),
    /// A question needs no answer any more: it was answered, or whoever asked is gone.
    Withdrawn {
        /// The session.
        session: SessionId,
        /// The question's number.
        number: u64,
    },
    /// The tools of a session's agent changed.
    CatalogueChanged(Box<CatalogueChange>),
    /// Live sessions go on.
    Live(Box<LiveUpdate>),
}

/// How live sessions go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveUpdate {
    /// Those that changed, as they are now.
    pub sessions: Vec<LiveSummary>,
    /// How many turns wait, of all sessions, where the page watches them all.
    pub waiting: Option<u64>,
    /// More changed than is told here: the list is to be fetched again.
    pub more: bool,
}

/// Which live sessions a page wants to hear of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveWatch {
    /// Every session.
    pub all: bool,
    /// These.
    pub sessions: Vec<LiveId>,
}

/// How far a call is, as its tool says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// What changed in a catalogue, and what the model would see now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CatalogueChange {
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

/// How a call goes on.
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
    /// What the model would see now, where that has changed.
    pub view: Option<SessionView>,
    /// Where what was returned breaks the schema that the tool promises it by.
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
        /// From call to return.
        duration_ms: f64,
    },
    /// The tool returned a value over 1 MB, which stays on the host.
    ReturnedStored {
        /// Its length and its beginning.
        stored: StoredResult,
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
        /// What it suggests to confirm with.
        payload: Option<JsonText>,
    },
    /// A long-running tool waits for its result from the person.
    AwaitsResult {
        /// What it returned at first.
        first: Option<JsonText>,
    },
}

/// From the page to the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageMessage {
    /// The sessions that this page shows now. Sent at connection, at each change and every 20 s.
    Watch {
        /// Their ids.
        sessions: Vec<SessionId>,
        /// The live sessions that it wants to hear of.
        #[serde(default)]
        live: LiveWatch,
    },
}
