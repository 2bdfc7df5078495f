//! Why an event or a history is rejected.

use crate::{CallId, SessionState};

/// An event that does not fit the session's state. The session stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The event belongs to another state.
    #[error("you cannot {event} while the session is {}. {remedy}", state.phrase())]
    WrongState {
        /// What is not possible, such as "call a tool".
        event: &'static str,
        /// The session's state.
        state: SessionState,
        /// What to do, as a sentence without its full stop.
        remedy: &'static str,
    },
    /// A query without content.
    #[error("the user message is empty: write it")]
    EmptyQuery,
    /// A final response without content.
    #[error("the final response is empty: write the response")]
    EmptyResponse,
    /// A second call while one is running.
    #[error("{running} is still running: one tool runs at a time, wait for it or cancel it")]
    CallRunning {
        /// The tool that runs.
        running: String,
    },
    /// A call id that the session has seen.
    #[error("call id {call_id} is already used in this session: give each call a unique id")]
    RepeatedCallId {
        /// The id.
        call_id: CallId,
    },
    /// Arguments that are not an object.
    #[error("the arguments of {tool} must be a JSON object, not a JSON {kind}")]
    ArgumentsNotObject {
        /// The tool.
        tool: String,
        /// What came instead.
        kind: &'static str,
    },
    /// An answer to a call that is not the pending one.
    #[error("call {call_id} is not running: it has ended or was never made")]
    NotPending {
        /// The id that came.
        call_id: CallId,
    },
    /// An answer that does not match the pending call.
    #[error("call {call_id} does not expect {what}")]
    NotAskedFor {
        /// The call.
        call_id: CallId,
        /// What came.
        what: &'static str,
    },
}

/// A history that is not one of a completed session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TraceFault {
    /// The history has no entries.
    #[error("the history is empty: a trace starts with a user_query")]
    Empty,
    /// An entry of this type is not allowed here.
    #[error("entry {index} must be a {expected}, not a {found}")]
    Misplaced {
        /// 0-based place in the history.
        index: usize,
        /// The entry's type.
        found: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
    /// The history ends without a final response.
    #[error("the history ends without a final_response: send the final response, then export")]
    NotCompleted,
    /// An answer carries another id than the call before it.
    #[error("entry {index} answers call {found}, but the call before it is {expected}")]
    WrongCallId {
        /// 0-based place in the history.
        index: usize,
        /// The answer's id.
        found: CallId,
        /// The call's id.
        expected: CallId,
    },
    /// Two calls carry one id.
    #[error("entry {index} repeats call id {call_id}")]
    RepeatedCallId {
        /// 0-based place in the history.
        index: usize,
        /// The id.
        call_id: CallId,
    },
    /// An entry is earlier than the one before it.
    #[error("entry {index} is earlier than the entry before it")]
    OutOfOrder {
        /// 0-based place in the history.
        index: usize,
    },
}
