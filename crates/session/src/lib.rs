//! One rehearsal as a value: a person acts as an agent, from the choice of the agent to the final
//! response of each turn.
//!
//! [`step`] takes a [`Session`] and an [`Event`]. It returns the next session with the [`Effect`]s
//! to run, or rejects the event. The history ([`HistoryEntry`]) can be read at any time. A
//! completed session yields a [`GoldenTrace`], and [`GoldenTrace::from_history`] validates an
//! untrusted history.
//!
//! Pure: callers pass times and ids. Not here: running tools, drawing, writing files.

mod error;
mod history;
mod id;
mod model_response;
mod saved;
mod state;
mod step;
mod trace;
mod unmet;

pub use error::{Refusal, TraceFault};
pub use history::{
    FinalResponse, HistoryEntry, Recording, StoredResult, ToolCall, ToolError, ToolOutput,
    ToolResult, UserQuery, WaitedFor,
};
pub use id::{AgentId, CallId, InvalidId, SessionId, ToolName};
pub use model_response::{SET_MODEL_RESPONSE, accepts_model_response};
pub use saved::{SavedFault, SavedSession};
pub use state::{Answer, Call, Pending, PendingPhase, Session, SessionState, Turn};
pub use step::{Effect, Event, Outcome, step};
pub use trace::{GoldenTrace, GoldenTurn, RecordedTurn};
pub use unmet::Unmet;
