//! One case step by step, to read.

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use session::AgentId;

/// One case, step by step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseView {
    /// Its place in the file, from 0.
    pub index: u64,
    /// Its id.
    pub eval_id: String,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// The agent that can play it: the set's, or a registered one of the name that the case gives.
    pub agent: Option<AgentId>,
    /// The name that the case itself gives its agent; empty where it gives none.
    pub app_name: String,
    /// When it was made, in seconds since 1970.
    pub created: Option<f64>,
    /// The turns.
    pub turns: Vec<CaseTurn>,
    /// What its session starts with.
    pub state: Option<JsonText>,
    /// The state expected at the end, or a query on it.
    pub final_state: Option<JsonText>,
    /// What a judge is to look at in every turn.
    pub rubrics: Vec<String>,
    /// The case as it stands in the file.
    pub text: JsonText,
    /// What tells this text from any other; an edit names it.
    pub digest: String,
    /// What is wrong with it.
    pub faults: Vec<String>,
}

/// One turn of a case.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CaseTurn {
    /// What the user says.
    pub query: String,
    /// What happens then, in order.
    pub steps: Vec<CaseStep>,
    /// What the agent answers.
    pub response: Option<String>,
    /// Other trajectories that are as good, each as its calls in one line.
    pub accepted: Vec<String>,
    /// What a judge is to look at.
    pub rubrics: Vec<String>,
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
    /// What a simulated user is to do: the case is a scenario, and this all that is known of it
    /// behind the query.
    Plan(String),
}
