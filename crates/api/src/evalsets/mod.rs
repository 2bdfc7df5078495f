//! Eval sets to read and to change: the files of the registered agents and of the configured folders,
//! their cases, one case step by step, and two cases side by side.

mod case;
mod cases;
mod change;
mod comparison;
mod list;

use serde::{Deserialize, Serialize};
use session::AgentId;

pub use case::*;
pub use cases::*;
pub use change::*;
pub use comparison::*;
pub use list::*;

id! {
    /// An eval set: the id of its agent, or what the host calls a file in a configured folder.
    SetId
}

impl From<AgentId> for SetId {
    fn from(agent: AgentId) -> Self {
        Self::new(agent.as_str())
    }
}
