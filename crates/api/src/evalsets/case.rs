//! One case as steps, for display.

use json_text::JsonText;
use serde::{Deserialize, Deserializer, Serialize};
use session::AgentId;

/// One case, step by step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseView {
    /// Its index in the file, from 0.
    pub index: u64,
    /// Its id.
    pub eval_id: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its note for people, if it has one.
    #[serde(default)]
    pub note: Option<String>,
    /// The agent that can rehearse it: the set's, or the registered one that the case names.
    pub agent: Option<AgentId>,
    /// The agent's name in the case; empty if it has none.
    pub app_name: String,
    /// When it was created, in seconds since 1970.
    pub created: Option<f64>,
    /// The turns.
    pub turns: Vec<CaseTurn>,
    /// The initial session state.
    pub state: Option<JsonText>,
    /// The state expected at the end, or a query on it.
    pub final_state: Option<JsonText>,
    /// The rubrics for every turn.
    pub rubrics: Vec<String>,
    /// The text of the case in the file.
    pub text: JsonText,
    /// The SHA-256 of the text, in hex; an edit sends it back.
    pub digest: String,
    /// What is wrong with it.
    pub faults: Vec<String>,
}

/// One turn of a case.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CaseTurn {
    /// The text of the user's message.
    pub query: String,
    /// What the message holds besides text, such as `[image/png, 8 bytes]`.
    pub attachments: Vec<String>,
    /// The steps after it, in order.
    pub steps: Vec<CaseStep>,
    /// The final response.
    pub response: Option<String>,
    /// Other accepted trajectories, each with its calls in one line.
    pub accepted: Vec<String>,
    /// The rubrics for this turn.
    pub rubrics: Vec<String>,
}

/// One step between query and final response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CaseStep {
    /// A tool is called.
    Call {
        /// The agent that calls it; empty if unknown.
        author: String,
        /// The tool.
        tool: String,
        /// The arguments.
        arguments: JsonText,
        /// The response, if recorded.
        result: Option<JsonText>,
        /// What the tool returned, if the case says how its responses are written.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        returned: Option<JsonText>,
    },
    /// An intermediate message.
    Message {
        /// The agent that sends it; empty if unknown.
        author: String,
        /// The text.
        text: String,
    },
    /// The plan of a simulated user: a scenario has only its first query and this plan.
    Plan(String),
}

/// A tool may return null, which is a value.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<JsonText>, D::Error> {
    JsonText::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_returned_null_is_told_from_no_result() {
        for returned in [None, Some(JsonText::null())] {
            let step = CaseStep::Call {
                author: String::new(),
                tool: "nothing".to_owned(),
                arguments: JsonText::null(),
                result: None,
                returned,
            };
            let text = JsonText::serialize(&step).expect("serializes");
            assert_eq!(text.decode::<CaseStep>().expect("reads"), step);
        }
    }
}
