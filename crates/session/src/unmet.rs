//! [`Unmet`]: why a model could not repeat a call under `adk eval`.

use serde::{Deserialize, Serialize};

use crate::CallId;
use crate::history::ToolError;
use crate::state::{Answer, Call};
use crate::trace::GoldenTrace;

/// Why `adk eval` cannot meet a case that goes on after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unmet {
    /// The call failed, and google-adk's runner ends the run when a tool raises.
    Failed,
    /// The person canceled the call, which no model does.
    Cancelled,
    /// The agent's process or the host ended while the call ran. Run by a model, the tool returns.
    Interrupted,
    /// The call waited for the person, and google-adk's runner ends the run there.
    Waited,
}

impl Unmet {
    /// Every reason, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::Failed, Self::Cancelled, Self::Interrupted, Self::Waited];
}

impl ToolError {
    /// The error type of an MCP tool that reported an error. google-adk gives it to the model as a
    /// result.
    pub const REPORTED: &str = "ToolError";

    /// Whether google-adk's runner would end the run at this error.
    #[must_use]
    pub fn ends_run(&self) -> bool {
        !matches!(
            self.error_type.as_str(),
            Self::REPORTED
                | Self::CANCELLED
                | Self::CONFIRMATION_DENIED
                | Self::WORKER_EXITED
                | Self::SERVER_EXITED
        )
    }
}

impl Call {
    /// Why a model could not repeat the call; `None` if it could.
    #[must_use]
    pub fn unmet(&self) -> Option<Unmet> {
        match &self.answer {
            Answer::Error(error) if error.error_type == ToolError::CANCELLED => {
                Some(Unmet::Cancelled)
            }
            Answer::Error(error)
                if matches!(
                    error.error_type.as_str(),
                    ToolError::WORKER_EXITED | ToolError::SERVER_EXITED
                ) =>
            {
                Some(Unmet::Interrupted)
            }
            _ if self.call.waited.is_some() => Some(Unmet::Waited),
            Answer::Error(error) => error.ends_run().then_some(Unmet::Failed),
            Answer::Output(_) => None,
        }
    }
}

impl GoldenTrace {
    /// Removes these calls, and those that a model could not repeat for one of these reasons.
    pub fn leave_out(&mut self, calls: &[CallId], reasons: &[Unmet]) {
        let is_kept = |call: &Call| {
            !calls.contains(&call.call.call_id)
                && call.unmet().is_none_or(|reason| !reasons.contains(&reason))
        };
        for turn in &mut self.turns {
            turn.calls.retain(is_kept);
        }
    }
}
