//! The messages between host and worker. The worker's values stay JSON text.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::{AgentFault, SessionView};
use json_text::JsonText;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use session::{Recording, ToolError};

use crate::schemas;
use crate::{CallProgress, CallReport, MAX_RESULT_BYTES, ToolFailure};

/// The protocol spoken here.
pub(super) const PROTOCOL: u32 = 1;
/// The longest line that is read: an outcome holds its result twice, in itself and in an event.
pub(super) const MAX_LINE_BYTES: usize = 3 * MAX_RESULT_BYTES;

#[derive(Serialize)]
pub(super) struct Request<'a> {
    pub(super) jsonrpc: &'static str,
    pub(super) id: u64,
    pub(super) method: &'a str,
    pub(super) params: &'a JsonText,
}

/// A line of the worker. The caller of the request decodes the result.
#[derive(Deserialize)]
pub(super) struct Response<'a> {
    pub(super) id: Option<u64>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    pub(super) error: Option<RpcError>,
}

/// A result in the line that it came in: one of 200 MB is in memory once, until it is decoded.
#[derive(Debug)]
pub(super) struct Answer {
    line: Vec<u8>,
    result: Range<usize>,
}

impl Answer {
    /// The part of `line` that is the result.
    pub(super) fn new(line: Vec<u8>, result: Range<usize>) -> Self {
        Self { line, result }
    }

    /// Reads the result as `T`.
    ///
    /// # Errors
    /// The result is not a `T`.
    pub(super) fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(self.line.get(self.result.clone()).unwrap_or_default())
    }
}

/// An error response of the worker.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Exception>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Exception {
    #[serde(rename = "type")]
    pub(super) error_type: String,
    pub(super) message: String,
    pub(super) traceback: String,
}

impl RpcError {
    const AGENT_FAULT: i64 = -32000;
    const UNKNOWN_TOOL: i64 = -32002;
    const BAD_PARAMS: i64 = -32602;

    pub(super) fn fault(self) -> AgentFault {
        match self.data {
            Some(exception) => AgentFault {
                reason: if exception.message.is_empty() {
                    exception.error_type.clone()
                } else {
                    exception.message
                },
                error_type: Some(exception.error_type),
                traceback: Some(exception.traceback).filter(|text| !text.is_empty()),
            },
            None => AgentFault { reason: self.message, error_type: None, traceback: None },
        }
    }

    pub(super) fn failure(self) -> ToolFailure {
        match (self.code, self.data) {
            (Self::AGENT_FAULT, Some(exception)) => exception.failure(),
            (Self::UNKNOWN_TOOL, _) => ToolFailure::new("UnknownTool", self.message),
            (Self::BAD_PARAMS, _) => ToolFailure::new(ToolError::INVALID_ARGUMENTS, self.message),
            _ => ToolFailure::new("WorkerError", self.message),
        }
    }
}

impl Exception {
    fn failure(self) -> ToolFailure {
        ToolFailure {
            error_type: self.error_type,
            message: self.message,
            traceback: Some(self.traceback).filter(|text| !text.is_empty()),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Initialize<'a> {
    pub(super) protocol: u32,
    pub(super) agent_dir: &'a str,
    pub(super) max_result_bytes: usize,
}

/// A worker's versions, once it has imported the agent.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Initialized {
    pub(super) python: String,
    pub(super) adk_version: String,
}

#[derive(Serialize)]
pub(super) struct OpenSession<'a> {
    pub(super) session_id: &'a str,
    pub(super) user_id: &'a str,
    pub(super) state: &'a BTreeMap<String, JsonText>,
    pub(super) restore: Option<&'a JsonText>,
}

#[derive(Serialize)]
pub(super) struct OfSession<'a> {
    pub(super) session_id: &'a str,
}

/// The user's query, or the agent's final response.
#[derive(Serialize)]
pub(super) struct Content<'a> {
    pub(super) session_id: &'a str,
    pub(super) text: &'a str,
}

/// The session after that.
#[derive(Deserialize)]
pub(super) struct StepReport {
    pub(super) view: SessionView,
    pub(super) delta: Delta,
}

#[derive(Serialize)]
pub(super) struct CallTool<'a> {
    pub(super) session_id: &'a str,
    pub(super) call_id: &'a str,
    pub(super) tool: &'a str,
    pub(super) args: &'a JsonText,
}

#[derive(Serialize)]
pub(super) struct Confirm<'a> {
    pub(super) session_id: &'a str,
    pub(super) call_id: &'a str,
    pub(super) confirmed: bool,
    pub(super) payload: Option<JsonText>,
}

#[derive(Serialize)]
pub(super) struct SupplyResult<'a> {
    pub(super) session_id: &'a str,
    pub(super) call_id: &'a str,
    pub(super) result: &'a JsonText,
}

/// A call of an agent, to act as the agent or to stop that.
#[derive(Serialize)]
pub(super) struct OfCall<'a> {
    pub(super) session_id: &'a str,
    pub(super) call_id: &'a str,
}

/// The final response of an agent that the person acts as.
#[derive(Serialize)]
pub(super) struct RespondAsAgent<'a> {
    pub(super) session_id: &'a str,
    pub(super) call_id: &'a str,
    pub(super) text: &'a str,
}

#[derive(Serialize)]
pub(super) struct Cancel<'a> {
    pub(super) session_id: &'a str,
    pub(super) call_id: &'a str,
}

#[derive(Deserialize)]
pub(super) struct Cancelled {
    pub(super) ended: bool,
}

/// The outcome of a call, and its changes.
#[derive(Deserialize)]
pub(super) struct CallOutcome {
    status: Status,
    duration_ms: f64,
    result: Option<JsonText>,
    /// How ADK records the result.
    #[serde(default)]
    recording: Recording,
    error: Option<Exception>,
    hint: Option<String>,
    payload: Option<JsonText>,
    /// Why the final response of an agent that the person acts as was rejected.
    rejected: Option<String>,
    pub(super) delta: Delta,
    state: JsonText,
    pub(super) view: Option<SessionView>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Output,
    Error,
    Confirmation,
    LongRunning,
    Playing,
}

/// The changes of one call, recorded so that the session can be restored in another worker.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Delta {
    pub(super) state: BTreeMap<String, JsonText>,
    pub(super) artifacts: Vec<JsonText>,
    pub(super) events: Vec<JsonText>,
    /// Those of the agent that the person acts as for a call of the session, if any.
    #[serde(default)]
    pub(super) played: Option<Box<PlayedDelta>>,
}

/// The changes of the session of an agent that the person acts as.
#[derive(Debug, Deserialize)]
pub(super) struct PlayedDelta {
    /// The call of the agent.
    pub(super) call_id: String,
    /// The active agent in it.
    pub(super) agent: String,
    pub(super) delta: Delta,
}

impl CallOutcome {
    pub(super) async fn report(self) -> CallReport {
        let view = match self.view {
            Some(view) => Some(schemas::warned_of_unchecked(view).await),
            None => None,
        };
        let progress = match self.status {
            Status::Output => CallProgress::Returned(self.result.unwrap_or_else(JsonText::null)),
            Status::Error => CallProgress::Failed(self.error.map_or_else(
                || ToolFailure::new("WorkerError", "The worker named no error."),
                Exception::failure,
            )),
            Status::Confirmation => CallProgress::AsksConfirmation {
                hint: self.hint.unwrap_or_default(),
                payload: self.payload,
            },
            Status::LongRunning => CallProgress::AwaitsResult { first: self.result },
            Status::Playing => CallProgress::Acting { rejected: self.rejected },
        };
        CallReport {
            state: Some(self.state),
            view,
            recording: self.recording,
            ..CallReport::of(progress, self.duration_ms)
        }
    }
}
