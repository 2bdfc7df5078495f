//! Eval sets to read: the files of the registered agents, their cases, and one case step by step.

use json_text::JsonText;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use server_fn::codec::Json;
use session::AgentId;

use super::ApiError;

/// The eval-set file of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalSetSummary {
    /// The agent whose file it is; its id names the set.
    pub agent: AgentId,
    /// The agent's name.
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
    },
    /// Something that cannot be read, and what to do about it.
    Unreadable(String),
}

/// Some cases of an eval set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseList {
    /// The set.
    pub set: EvalSetSummary,
    /// `adk`, `adk-legacy` or `agentflow`; empty where the file has no cases.
    pub format: String,
    /// The cases that fit what was searched, in the order of the file, as far as they were asked for.
    pub cases: Vec<CaseSummary>,
    /// How many cases fit.
    pub fitting: u64,
    /// How many cases the file has.
    pub all: u64,
    /// Why the reading ended before the file did.
    pub fault: Option<String>,
}

/// One case on a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseSummary {
    /// Its place in the file, from 0.
    pub index: u64,
    /// Its id; empty where it has none.
    pub eval_id: String,
    /// What the user asks first; the beginning of it.
    pub query: String,
    /// How many turns it has.
    pub turns: u64,
    /// The tools that are called, in order, as far as a line shows them.
    pub tools: Vec<String>,
    /// How many calls there are.
    pub calls: u64,
    /// By which cases are chosen.
    pub tags: Vec<String>,
    /// What is wrong with it.
    pub fault: Option<String>,
}

/// One case, step by step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseView {
    /// Its place in the file, from 0.
    pub index: u64,
    /// Its id.
    pub eval_id: String,
    /// When it was made, in seconds since 1970.
    pub created: Option<f64>,
    /// The turns.
    pub turns: Vec<CaseTurn>,
    /// What its session starts with.
    pub state: Option<JsonText>,
    /// The case as it stands in the file.
    pub text: JsonText,
    /// What is wrong with it.
    pub faults: Vec<String>,
}

/// One turn of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseTurn {
    /// What the user says.
    pub query: String,
    /// What happens then, in order.
    pub steps: Vec<CaseStep>,
    /// What the agent answers.
    pub response: Option<String>,
}

/// One step between query and answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CaseStep {
    /// A tool is called.
    Call {
        /// The agent that calls it, where the case tells.
        author: String,
        /// The tool.
        tool: String,
        /// The arguments.
        arguments: JsonText,
        /// What it answers, where the case tells.
        result: Option<JsonText>,
    },
    /// Somebody says something.
    Said {
        /// Who.
        author: String,
        /// What.
        text: String,
    },
}

/// The eval sets of the registered agents.
#[server(prefix = "/api", endpoint = "list_eval_sets", input = Json, output = Json)]
pub async fn list_eval_sets() -> Result<Vec<EvalSetSummary>, ApiError> {
    Ok(crate::host::host()?.list_eval_sets().await)
}

/// The cases of a set whose id, query, tools or tags hold `searched`, whatever the case; at most
/// `most` of them, after the first `skipped`.
#[server(prefix = "/api", endpoint = "list_cases", input = Json, output = Json)]
pub async fn list_cases(
    set: AgentId,
    searched: String,
    skipped: u64,
    most: u64,
) -> Result<CaseList, ApiError> {
    crate::host::host()?.list_cases(set, searched, skipped, most).await
}

/// The case at `index` of a set; by its id where another case stands there by now.
#[server(prefix = "/api", endpoint = "read_case", input = Json, output = Json)]
pub async fn read_case(set: AgentId, eval_id: String, index: u64) -> Result<CaseView, ApiError> {
    crate::host::host()?.read_case(set, eval_id, index).await
}
