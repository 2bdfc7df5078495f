//! Which eval sets there are: the files of the agents and of the configured folders.

use serde::{Deserialize, Serialize};
use session::AgentId;

use super::SetId;

/// The eval sets, and the folders that were looked into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalSetList {
    /// Those of the agents, then those in folders.
    pub sets: Vec<EvalSetSummary>,
    /// The configured folders.
    pub folders: Vec<FolderSummary>,
}

/// A folder that the host was told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderSummary {
    /// Its absolute path.
    pub path: String,
    /// How many files were found in it and below.
    pub found: u64,
    /// What of it cannot be read, and what to do.
    pub faults: Vec<String>,
}

/// An eval-set file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalSetSummary {
    /// What it is asked for by.
    pub set: SetId,
    /// The name of the file; with the folders above it where it lies below a configured one.
    pub name: String,
    /// The agent whose file it is.
    pub agent: Option<AgentId>,
    /// The agent's name; empty where it has none.
    pub agent_name: String,
    /// Absolute path of the file.
    pub path: String,
    /// What stands there.
    pub contents: EvalSetContents,
}

/// What stands where an eval set is expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvalSetContents {
    /// Nothing yet: the first export makes the file.
    Nothing,
    /// A file.
    File {
        /// How long it is, in bytes.
        bytes: u64,
        /// When it was changed last, in milliseconds since 1970.
        changed: Option<i64>,
    },
    /// Something that cannot be read, and what to do about it.
    Unreadable(String),
}
