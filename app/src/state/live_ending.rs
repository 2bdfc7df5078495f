//! [`Ending`]: how an agent's run ended.

use api::{LiveEventKind, LiveOutcome, LiveRow};

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Whether it completed, failed or was stopped.
    pub outcome: LiveOutcome,
    /// The agent's message.
    pub message: Option<String>,
}

impl Ending {
    /// The ending in a session's event; `None` for other events.
    #[must_use]
    pub fn of(row: &LiveRow) -> Option<Self> {
        let LiveEventKind::Ended { outcome, message } = &row.what else { return None };
        let message = Some(message.clone()).filter(|message| !message.is_empty());
        Some(Self { outcome: *outcome, message })
    }

    /// The outcome as a sentence.
    #[must_use]
    pub fn description(&self) -> &'static str {
        match self.outcome {
            LiveOutcome::Completed => "The run is complete.",
            LiveOutcome::Failed => "The run failed.",
            LiveOutcome::Cancelled => "The run was stopped.",
        }
    }
}
