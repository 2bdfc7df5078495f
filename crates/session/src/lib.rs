//! One rehearsal as a value: a person plays an agent's part, from the choice of the agent to the
//! final response.
//!
//! [`step`] takes a [`Session`] and an [`Event`] and gives the next session with the [`Effect`]s to
//! carry out, or refuses the event with a [`Refusal`]. The history ([`HistoryEntry`]) can be read
//! at any moment; a completed session gives a [`GoldenTrace`], which is also what a history that
//! came from elsewhere is checked against ([`GoldenTrace::from_history`]).
//!
//! Pure: times and ids are handed in. Running tools, drawing and writing files belong to others.

mod error;
mod history;
mod id;
mod state;
mod step;
mod trace;

pub use error::{Refusal, TraceFault};
pub use history::{
    FinalResponse, HistoryEntry, StoredResult, ToolCall, ToolError, ToolOutput, ToolResult,
    UserQuery,
};
pub use id::{AgentId, CallId, InvalidId, SessionId, ToolName};
pub use state::{Answer, Call, Pending, PendingPhase, Session, SessionState};
pub use step::{Effect, Event, Outcome, step};
pub use trace::GoldenTrace;
