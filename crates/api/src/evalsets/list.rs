//! The list of eval sets: the files of the agents and of the configured folders.

use serde::{Deserialize, Serialize};
use session::AgentId;

use super::SetId;

/// The eval sets, and the folders that were searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalSetList {
    /// Those of the agents, then those in folders.
    pub sets: Vec<EvalSetSummary>,
    /// The configured folders.
    pub folders: Vec<FolderSummary>,
}

/// A configured folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderSummary {
    /// Its absolute path.
    pub path: String,
    /// How many files were found in it and below.
    pub found: u64,
    /// What cannot be read, and what to do.
    pub faults: Vec<String>,
}

/// An eval-set file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalSetSummary {
    /// Its id.
    pub set: SetId,
    /// The name of the file, with its path below a configured folder.
    pub name: String,
    /// The agent that exports to the file.
    pub agent: Option<AgentId>,
    /// The agent's name; empty without an agent.
    pub agent_name: String,
    /// Absolute path of the file.
    pub path: String,
    /// What exists at the path.
    pub contents: EvalSetContents,
}

/// What exists at the path of an eval set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvalSetContents {
    /// Nothing: the first export creates the file.
    Nothing,
    /// A file.
    File {
        /// Its length in bytes.
        bytes: u64,
        /// When it was last changed, in milliseconds since 1970.
        changed: Option<i64>,
    },
    /// Something that cannot be read, and what to do about it.
    Unreadable(String),
}
