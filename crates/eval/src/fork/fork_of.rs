//! [`ForkOf`]: what a stored run is a fork of.

use crate::request_changes::RequestChanges;
use json_text::JsonText;
use serde::{Deserialize, Serialize};

use crate::tool_mode::ToolModes;

/// What a stored run is a fork of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForkOf {
    /// The run in the same store.
    pub run: i64,
    /// The suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// The repeat, from 1.
    pub repeat: u32,
    /// The step, from 1.
    pub step: usize,
    /// The move, as [`super::Move::read`] reads it; absent for the continuations without one.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub at: Option<JsonText>,
    /// What is changed in requests to models; empty for the continuations without changes.
    #[serde(default, skip_serializing_if = "RequestChanges::is_empty")]
    pub changes: RequestChanges,
    /// Who goes on; absent for the model of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// How many continuations there are in the end; absent in forks that were stored without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// What tools do from the step on, where it is not what the case says.
    #[serde(default, skip_serializing_if = "ToolModes::is_empty")]
    pub tools: ToolModes,
    /// Whether a person says which continuations pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_person: bool,
    /// The run without the move, for the continuations with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<i64>,
}
