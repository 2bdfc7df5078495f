//! The messages of the protocol, as `docs/design/eval-runs.md` describes them.

use std::collections::BTreeMap;

use json_text::JsonText;
use serde::{Deserialize, Serialize};

use crate::confirmation::Confirmation;
use crate::mock::Received;
use crate::names::Names;
use crate::request_changes::OwnTexts;

/// A line of the process that forks.
#[derive(Debug)]
pub(super) enum FromServer {
    /// The agent is imported.
    Ready {
        /// The number of threads that the import has started and that still run, by the package that started them. With
        /// any, a fork is not safe.
        threads: BTreeMap<String, u32>,
        /// What interception cannot see.
        unseen: Vec<Unseen>,
        /// The names that the agent shows.
        names: Names,
        /// Its instructions and the descriptions of its tools.
        texts: Box<OwnTexts>,
        /// The files of modules that were compiled at this start, and could not be kept so.
        uncompiled: Vec<String>,
    },
    /// The TCP ports that the models may need.
    Ports(Vec<u16>),
    /// The agent cannot be imported.
    Fault(Exception),
    /// What models need is imported.
    ModelsLoaded,
    /// The process of a case ended.
    Ended {
        /// The id of the process.
        case: String,
        /// Its exit code, or the negative signal that ended it. A case of several in a process has 0.
        status: i32,
        /// The last lines that it printed.
        output: Option<String>,
    },
}

impl<'de> Deserialize<'de> for FromServer {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Line {
            ready: Option<Ready>,
            fault: Option<Exception>,
            ended: Option<String>,
            status: Option<i32>,
            output: Option<String>,
            ports: Option<Vec<u16>>,
            #[serde(default, deserialize_with = "present")]
            models_loaded: bool,
        }
        #[derive(Deserialize)]
        struct Ready {
            threads: BTreeMap<String, u32>,
            unseen: Vec<Unseen>,
            names: Names,
            texts: Box<OwnTexts>,
            uncompiled: Vec<String>,
        }
        match Line::deserialize(deserializer)? {
            Line { ready: Some(Ready { threads, unseen, names, texts, uncompiled }), .. } => {
                Ok(Self::Ready { threads, unseen, names, texts, uncompiled })
            }
            Line { fault: Some(exception), .. } => Ok(Self::Fault(exception)),
            Line { ports: Some(ports), .. } => Ok(Self::Ports(ports)),
            Line { models_loaded: true, .. } => Ok(Self::ModelsLoaded),
            Line { ended: Some(case), status: Some(status), output, .. } => {
                Ok(Self::Ended { case, status, output })
            }
            _ => Err(serde::de::Error::custom("none of the known messages")),
        }
    }
}

fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(deserializer).map(|_| true)
}

/// A part of an agent that interception cannot see.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Unseen {
    /// The name under which a case allows it.
    pub(super) name: String,
    /// The agent that has it.
    pub(super) agent: String,
    /// What it does, such as `is an agent on another machine`.
    pub(super) what: String,
    /// Whether it runs on this machine or connects from it. A tool of the model's service does neither.
    #[serde(default)]
    pub(super) runs_here: bool,
}

/// A Python exception.
#[derive(Debug, Deserialize)]
#[serde(from = "Raised")]
pub(super) struct Exception {
    /// The name of its class, or of the fault that the package found.
    pub(super) r#type: String,
    /// Its text, or the name of its class if it has none.
    pub(super) message: String,
    pub(super) traceback: String,
    /// Whether it came of the error that a mock or a fault of the case names.
    pub(super) is_of_mock: bool,
}

/// An exception as Python describes it.
#[derive(Deserialize)]
struct Raised {
    #[serde(default)]
    r#type: String,
    message: String,
    traceback: String,
    #[serde(default)]
    of_mock: bool,
}

impl From<Raised> for Exception {
    fn from(Raised { r#type, message, traceback, of_mock }: Raised) -> Self {
        let message = if message.trim().is_empty() { r#type.clone() } else { message };
        Self { r#type, message, traceback, is_of_mock: of_mock }
    }
}

/// A line of a case: a request or notification with `method`, or a response.
#[derive(Debug, Deserialize)]
pub(super) struct FromCase {
    pub(super) id: Option<u64>,
    pub(super) method: Option<String>,
    pub(super) params: Option<JsonText>,
    pub(super) result: Option<JsonText>,
    pub(super) error: Option<Exception>,
}

/// A request to a case.
#[derive(Debug, Serialize)]
pub(super) struct ToCase<'a> {
    pub(super) id: u64,
    pub(super) method: &'a str,
    pub(super) params: &'a JsonText,
}

/// A response to a case.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) id: u64,
    pub(super) result: JsonText,
}

/// A tool is called.
#[derive(Debug, Deserialize)]
pub(super) struct ToolAsked {
    pub(super) call_id: String,
    pub(super) tool: String,
    pub(super) args: JsonText,
    pub(super) received: Option<Received>,
    pub(super) state: Option<JsonText>,
    pub(super) invocation_id: String,
    pub(super) confirmation: Option<Confirmation>,
    pub(super) is_long_running: bool,
    pub(super) output_schema: Option<JsonText>,
    pub(super) declaration: Option<JsonText>,
}

/// The given model is asked.
#[derive(Debug, Deserialize)]
pub(super) struct ModelAsked {
    pub(super) agent: String,
    /// The module that asks apart from the agent's turns.
    #[serde(default)]
    pub(super) asked_by: Option<String>,
}

/// What a request to an agent's own model took, apart from the agent's turns.
#[derive(Debug, Deserialize)]
pub(super) struct UsageApart {
    pub(super) asked_by: String,
    pub(super) usage: AdkUsage,
}

/// The agent is about to ask a model of its own.
#[derive(Debug, Deserialize)]
pub(super) struct ModelBegins {
    pub(super) request: u64,
    pub(super) model: String,
    pub(super) attempt: u32,
}

/// A model of the agent gave an error.
#[derive(Debug, Deserialize)]
pub(super) struct ModelFailed {
    pub(super) request: u64,
    pub(super) status: Option<u16>,
    pub(super) may_pass: bool,
    pub(super) retry_after_ms: Option<u64>,
}

/// A request to a model of the agent is over.
#[derive(Debug, Deserialize)]
pub(super) struct ModelEnded {
    pub(super) request: u64,
    pub(super) succeeded: bool,
}

/// The barrier stopped something.
#[derive(Debug, Deserialize)]
pub(super) struct Forbidden {
    pub(super) what: String,
    #[serde(rename = "where")]
    pub(super) place: String,
}

/// Tools that a model may call.
#[derive(Debug, Deserialize)]
pub(super) struct Offered {
    pub(super) tools: Vec<String>,
}

/// A value that has no form in JSON is written as another one.
#[derive(Debug, Deserialize)]
pub(super) struct Replaced {
    pub(super) r#in: String,
    pub(super) place: String,
    pub(super) value: String,
}

/// An event of google-adk.
#[derive(Debug, Deserialize)]
pub(super) struct AdkEvent {
    pub(super) author: String,
    pub(super) invocation_id: String,
    pub(super) inner: bool,
    pub(super) text: String,
    pub(super) calls: Vec<AdkCall>,
    pub(super) responses: Vec<AdkResponse>,
    /// Outputs of nodes that are not tools, such as the workflow itself.
    pub(super) outputs: Vec<AdkOutput>,
    pub(super) state: JsonText,
    pub(super) usage: Option<AdkUsage>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AdkCall {
    pub(super) call_id: Option<String>,
    pub(super) name: String,
    pub(super) args: JsonText,
}

#[derive(Debug, Deserialize)]
pub(super) struct AdkResponse {
    pub(super) call_id: Option<String>,
    pub(super) name: String,
    pub(super) response: JsonText,
}

#[derive(Debug, Deserialize)]
pub(super) struct AdkOutput {
    pub(super) node: String,
    pub(super) output: JsonText,
}

#[derive(Debug, Deserialize)]
pub(super) struct AdkUsage {
    pub(super) model: String,
    pub(super) input: u64,
    pub(super) output: u64,
}

/// A call that waits for a response.
#[derive(Debug, Deserialize)]
pub(super) struct Waiting {
    pub(super) call_id: String,
    pub(super) name: String,
    /// The tool or node that asks, where `name` is one of google-adk's own.
    pub(super) tool: String,
    pub(super) args: JsonText,
    /// What a long-running tool has returned so far.
    pub(super) interim: Option<JsonText>,
}

/// The end of a turn.
#[derive(Debug, Deserialize)]
pub(super) struct Ended {
    /// Why the turn ended without an answer of the model.
    pub(super) unanswered: Option<String>,
    #[serde(default)]
    pub(super) pending: Vec<Waiting>,
    pub(super) state: Option<JsonText>,
}
