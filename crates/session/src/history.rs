//! What happened in a rehearsal, entry by entry.
//!
//! Serialized with a `type` tag in snake_case. Reading is written by hand: a buffered, tagged
//! reader would turn the JSON inside into parsed numbers.

use jiff::Timestamp;
use json_text::{JsonText, Node};
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::{CallId, ToolName};

/// One event of the session's history.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HistoryEntry {
    /// The query that started the session.
    UserQuery(UserQuery),
    /// The person called a tool.
    ToolCall(ToolCall),
    /// The tool returned.
    ToolOutput(ToolOutput),
    /// The tool failed, or its call did.
    ToolError(ToolError),
    /// The person's answer, which ended the session.
    FinalResponse(FinalResponse),
}

/// The user's query: text, or structured input as JSON text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UserQuery {
    /// Text, or JSON when the agent has an input schema.
    pub content: String,
    /// When it was submitted.
    pub timestamp: Timestamp,
}

/// A tool was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolCall {
    /// The tool.
    pub tool_name: ToolName,
    /// The arguments, a JSON object.
    pub arguments: JsonText,
    /// Unique in the session; the output or error carries the same.
    pub call_id: CallId,
    /// When it was called.
    pub timestamp: Timestamp,
    /// What the call waited for the person to give, where google-adk would have ended the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited: Option<WaitedFor>,
    /// The call of an agent, which the person played when they made this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<CallId>,
}

/// What a call waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitedFor {
    /// A confirmation.
    Confirmation,
    /// The result of a long-running tool that returned nothing at first.
    Result,
}

/// A tool returned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolOutput {
    /// The call this answers.
    pub call_id: CallId,
    /// What the tool returned.
    #[serde(flatten)]
    pub result: ToolResult,
    /// How google-adk records it.
    #[serde(skip_serializing_if = "Recording::is_default")]
    pub recording: Recording,
    /// How long the tool ran, in milliseconds, without the time it waited for the person.
    pub duration_ms: f64,
    /// When it returned.
    pub timestamp: Timestamp,
}

/// How google-adk records a result, as far as its JSON does not tell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recording {
    /// Whether it is recorded in `{"result": ...}` even if it is an object, because it is not a dict.
    #[serde(default)]
    pub wrapped: bool,
    /// The JSON Pointers (RFC 6901) of the images, sounds and files in it, which are recorded beside
    /// the rest.
    #[serde(default)]
    pub media: Vec<String>,
}

impl Recording {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A returned value: here, or kept by the host because it is large.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum ToolResult {
    /// The whole value.
    #[serde(rename = "result")]
    Whole(JsonText),
    /// The host holds the value under the call's id until export.
    #[serde(rename = "held_result")]
    Stored(StoredResult),
}

/// What the page knows of a value that stayed on the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResult {
    /// Length of the whole JSON text in bytes.
    pub bytes: u64,
    /// The beginning of the text, cut at a character and not necessarily valid JSON.
    pub head: String,
    /// Whether the whole is an object with an `error` key.
    pub is_warning: bool,
}

/// A tool failed, or the call never reached an end of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolError {
    /// The call this answers.
    pub call_id: CallId,
    /// The exception's class name, or one of the constants of this type.
    pub error_type: String,
    /// The exception's message.
    pub error_message: String,
    /// The whole traceback where there is one; of an MCP tool that reported an error, its result if the message
    /// does not tell it. Only such a result is exported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
    /// How long it ran, in milliseconds, without the time it waited for the person.
    pub duration_ms: f64,
    /// When it failed.
    pub timestamp: Timestamp,
}

impl ToolError {
    /// The person cancelled the call.
    pub const CANCELLED: &str = "Cancelled";
    /// The person denied the tool's confirmation request.
    pub const CONFIRMATION_DENIED: &str = "ConfirmationDenied";
    /// The worker process that ran the tool died.
    pub const WORKER_EXITED: &str = "WorkerExited";
    /// The process of the MCP server that had the tool ended, or could not be started again.
    pub const SERVER_EXITED: &str = "ServerExited";
    /// The request to the tool's MCP server over HTTP failed, or its response was not a message.
    pub const SERVER_UNUSABLE: &str = "ServerUnusable";
    /// The tool returned something that is not JSON, or too much of it.
    pub const INVALID_OUTPUT: &str = "InvalidOutput";
    /// The arguments do not fit the tool's schema.
    pub const INVALID_ARGUMENTS: &str = "InvalidArguments";

    /// The call never reached the host, or its end never came back.
    pub const HOST_UNREACHABLE: &str = "HostUnreachable";

    /// The reserved types for the outcome of a call; no exception of a tool has such a name.
    pub const OF_THE_CALL: [&'static str; 8] = [
        Self::CANCELLED,
        Self::CONFIRMATION_DENIED,
        Self::WORKER_EXITED,
        Self::SERVER_EXITED,
        Self::SERVER_UNUSABLE,
        Self::INVALID_OUTPUT,
        Self::INVALID_ARGUMENTS,
        Self::HOST_UNREACHABLE,
    ];
}

/// The final response: text, or structured output as JSON text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FinalResponse {
    /// Text, or JSON when the agent has an output schema.
    pub content: String,
    /// When it was sent.
    pub timestamp: Timestamp,
}

impl ToolResult {
    /// Whether the tool returned an object with an `error` key, which reports a failure.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        match self {
            Self::Whole(result) => match result.open() {
                Node::Object(members) => members
                    .iter()
                    .any(|(key, value)| key == "error" && !matches!(value.get(), "null" | "false")),
                _ => false,
            },
            Self::Stored(stored) => stored.is_warning,
        }
    }
}

impl HistoryEntry {
    /// When it happened.
    #[must_use]
    pub fn timestamp(&self) -> Timestamp {
        match self {
            Self::UserQuery(entry) => entry.timestamp,
            Self::ToolCall(entry) => entry.timestamp,
            Self::ToolOutput(entry) => entry.timestamp,
            Self::ToolError(entry) => entry.timestamp,
            Self::FinalResponse(entry) => entry.timestamp,
        }
    }

    /// The `type` tag.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::UserQuery(_) => "user_query",
            Self::ToolCall(_) => "tool_call",
            Self::ToolOutput(_) => "tool_output",
            Self::ToolError(_) => "tool_error",
            Self::FinalResponse(_) => "final_response",
        }
    }
}

/// Every field that any entry has; which of them must be there, `type` decides.
#[derive(Deserialize)]
struct AnyEntry {
    r#type: String,
    timestamp: Timestamp,
    content: Option<String>,
    tool_name: Option<ToolName>,
    arguments: Option<JsonText>,
    call_id: Option<CallId>,
    waited: Option<WaitedFor>,
    within: Option<CallId>,
    #[serde(default, deserialize_with = "present")]
    result: Option<JsonText>,
    held_result: Option<StoredResult>,
    recording: Option<Recording>,
    error_type: Option<String>,
    error_message: Option<String>,
    traceback: Option<String>,
    duration_ms: Option<f64>,
}

/// `"result": null` is a result: the value null, not a missing field.
pub(crate) fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<JsonText>, D::Error> {
    JsonText::deserialize(deserializer).map(Some)
}

impl<'de> Deserialize<'de> for HistoryEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fn need<T, E: de::Error>(field: Option<T>, name: &'static str) -> Result<T, E> {
            field.ok_or_else(|| E::missing_field(name))
        }
        let entry = AnyEntry::deserialize(deserializer)?;
        let timestamp = entry.timestamp;
        Ok(match entry.r#type.as_str() {
            "user_query" => {
                Self::UserQuery(UserQuery { content: need(entry.content, "content")?, timestamp })
            }
            "tool_call" => Self::ToolCall(ToolCall {
                tool_name: need(entry.tool_name, "tool_name")?,
                arguments: need(entry.arguments, "arguments")?,
                call_id: need(entry.call_id, "call_id")?,
                timestamp,
                waited: entry.waited,
                within: entry.within,
            }),
            "tool_output" => Self::ToolOutput(ToolOutput {
                call_id: need(entry.call_id, "call_id")?,
                result: match (entry.result, entry.held_result) {
                    (Some(whole), None) => ToolResult::Whole(whole),
                    (None, held) => ToolResult::Stored(need(held, "result")?),
                    (Some(_), Some(_)) => {
                        return Err(de::Error::custom("both result and held_result are given"));
                    }
                },
                recording: entry.recording.unwrap_or_default(),
                duration_ms: need(entry.duration_ms, "duration_ms")?,
                timestamp,
            }),
            "tool_error" => Self::ToolError(ToolError {
                call_id: need(entry.call_id, "call_id")?,
                error_type: need(entry.error_type, "error_type")?,
                error_message: need(entry.error_message, "error_message")?,
                traceback: entry.traceback,
                duration_ms: need(entry.duration_ms, "duration_ms")?,
                timestamp,
            }),
            "final_response" => Self::FinalResponse(FinalResponse {
                content: need(entry.content, "content")?,
                timestamp,
            }),
            other => {
                return Err(de::Error::unknown_variant(
                    other,
                    &["user_query", "tool_call", "tool_output", "tool_error", "final_response"],
                ));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let entry: HistoryEntry = serde_json::from_str(text).expect("reads");
        assert_eq!(serde_json::to_string(&entry).expect("writes"), text);
    }

    #[test]
    fn every_entry_reads_as_it_is_written() {
        check(r#"{"type":"user_query","content":"hi","timestamp":"2025-12-23T14:30:00Z"}"#);
        check(
            r#"{"type":"tool_call","tool_name":"add","arguments":{"b":9007199254740993,"a":5},"call_id":"c1","timestamp":"2025-12-23T14:30:00.5Z"}"#,
        );
        check(
            r#"{"type":"tool_call","tool_name":"pay","arguments":{},"call_id":"c2","timestamp":"2025-12-23T14:30:00.5Z","waited":"confirmation"}"#,
        );
        check(
            r#"{"type":"tool_call","tool_name":"pay","arguments":{},"call_id":"c3","timestamp":"2025-12-23T14:30:00.5Z","within":"c2"}"#,
        );
        check(
            r#"{"type":"tool_output","call_id":"c1","result":1.10,"duration_ms":2.5,"timestamp":"2025-12-23T14:30:01Z"}"#,
        );
        check(
            r#"{"type":"tool_output","call_id":"c1","result":null,"duration_ms":2.5,"timestamp":"2025-12-23T14:30:01Z"}"#,
        );
        check(
            r#"{"type":"tool_output","call_id":"c1","held_result":{"bytes":5242880,"head":"[1,","is_warning":false},"duration_ms":2.5,"timestamp":"2025-12-23T14:30:01Z"}"#,
        );
        check(
            r#"{"type":"tool_output","call_id":"c1","result":{"a":1},"recording":{"wrapped":true,"media":["/a"]},"duration_ms":2.5,"timestamp":"2025-12-23T14:30:01Z"}"#,
        );
        check(
            r#"{"type":"tool_error","call_id":"c1","error_type":"RuntimeError","error_message":"offline","duration_ms":31.0,"timestamp":"2025-12-23T14:30:01Z"}"#,
        );
        check(r#"{"type":"final_response","content":"8","timestamp":"2025-12-23T14:30:02Z"}"#);
    }

    #[test]
    fn missing_parts_are_named() {
        let fault = |text: &str| {
            serde_json::from_str::<HistoryEntry>(text).expect_err("refused").to_string()
        };
        let at = r#""timestamp":"2025-12-23T14:30:00Z""#;
        assert!(fault(&format!(r#"{{"type":"tool_call",{at}}}"#)).contains("tool_name"));
        assert!(fault(&format!(r#"{{"type":"dance",{at}}}"#)).contains("dance"));
        assert!(
            fault(&format!(r#"{{"type":"tool_output","call_id":"c","duration_ms":1,{at}}}"#))
                .contains("result")
        );
    }

    #[test]
    fn a_returned_error_is_a_warning() {
        let warns = |text| ToolResult::Whole(JsonText::parse(text).expect("valid")).is_warning();
        assert!(warns(r#"{"error": "no such room"}"#));
        assert!(!warns(r#"{"error": null, "rooms": []}"#));
        assert!(!warns(r#"["error"]"#));
    }
}
