//! [`RecordedSource`]: what a stored run gives again, so that it can be forked.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A recorded case that a stored run gives again: no model is asked, and tools answer as they did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSource {
    /// What recorded it.
    pub kind: RecordedKind,
    /// The folder of the agent, where it is not found from the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<PathBuf>,
    /// The criteria, where they are not beside the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<PathBuf>,
}

/// What recorded a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedKind {
    /// A case of an eval set, or of a test of google-adk.
    Case,
    /// A session of `adk web`.
    AdkSession,
    /// A rehearsal: a person acted as the agent.
    Rehearsal,
}
