//! Eval sets: the files of the registered agents and of the configured folders, their cases, edits
//! and comparisons.

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
    /// An eval set: the id of its agent, or the host's id for a file in a configured folder.
    SetId
}

impl From<AgentId> for SetId {
    fn from(agent: AgentId) -> Self {
        Self::new(agent.as_str())
    }
}
