//! Live sessions: agents that run elsewhere ask, people answer here.
//!
//! A session may have 100,000 events and a request the whole of a conversation, so that a page is
//! told of a session in little ([`LiveSummary`]), reads its events a window at a time ([`LiveRow`])
//! and a request whole only where somebody reads it ([`LiveTurn`]).

use std::fmt;

use json_text::JsonText;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use server_fn::codec::Json;

use super::{ApiError, ExportReceipt, FieldMessage, ToolView};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it is; the host is the judge of it.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

id! {
    /// A live session: a UUID of version 4.
    LiveId
}
id! {
    /// A turn: one call of an agent to its model. A UUID of version 4.
    LiveTurnId
}
id! {
    /// The secret under which this page holds a turn. A UUID of version 4.
    LiveLeaseId
}

/// A session in little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveSummary {
    /// Its id.
    pub id: LiveId,
    /// What its agent says of it; may be empty.
    pub description: String,
    /// When it was opened, in milliseconds since 1970.
    pub created_ms: i64,
    /// Whether it has ended.
    pub is_completed: bool,
    /// How many events it has, which is the sequence number of the last one.
    pub events: u64,
    /// How many turns wait for an answer.
    pub depth: u64,
    /// The oldest turns that wait, at most 20; the first is up for answer.
    pub waiting: Vec<WaitingTurn>,
    /// Who answers the first.
    pub lease: Option<LiveLease>,
}

impl LiveSummary {
    /// The turn that is up for answer.
    #[must_use]
    pub fn up(&self) -> Option<&WaitingTurn> {
        self.waiting.first()
    }
}

/// A turn without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingTurn {
    /// The turn.
    pub turn: LiveTurnId,
    /// Who asks.
    pub agent: String,
    /// The sequence number of its request.
    pub sequence: u64,
    /// Since when, in milliseconds since 1970.
    pub since_ms: i64,
    /// Whether the agent listens right now.
    pub is_awaited: bool,
}

/// Who answers the turn that is up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveLease {
    /// The turn.
    pub turn: LiveTurnId,
    /// The name of whoever holds it, or to whom it is offered.
    pub holder: String,
    /// When it ends without a further word, in milliseconds since 1970.
    pub until_ms: i64,
    /// Handed over and not yet taken up.
    pub is_offered: bool,
}

/// Some sessions, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveList {
    /// The sessions.
    pub sessions: Vec<LiveSummary>,
    /// Where the next ones begin; nothing after the last.
    pub next: Option<i64>,
}

/// One event on a line. Long texts and values are there in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRow {
    /// Its place: 1, 2, 3 and so on.
    pub sequence: u64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The turn that it is about.
    pub turn: LiveTurnId,
    /// Whose turn.
    pub agent: String,
    /// Which of the agent's runs; may be empty.
    pub run: String,
    /// Who answered or cancelled.
    pub by: Option<String>,
    /// What happened.
    pub what: LiveWhat,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveWhat {
    /// The agent asked its model.
    Asked {
        /// The end of the conversation that it sent.
        last: Vec<LivePart>,
        /// Whose words these are.
        role: LiveRole,
        /// How long the conversation is.
        contents: u64,
        /// How many tools it offers.
        tools: u64,
    },
    /// A person answered.
    Answered {
        /// The first candidate.
        parts: Vec<LivePart>,
    },
    /// The turn left the queue without an answer.
    Cancelled {
        /// Why.
        reason: String,
    },
    /// A tool answered.
    ToolAnswered {
        /// The tool.
        tool: String,
        /// What it answered; nothing is not `{}`.
        response: Option<LiveValue>,
        /// Whether it failed.
        failed: bool,
        /// How long it took.
        duration_ms: Option<i64>,
    },
    /// The run is over.
    Ended {
        /// How.
        outcome: LiveOutcome,
        /// What went wrong, where something did.
        message: String,
    },
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveOutcome {
    /// With its last answer.
    Completed,
    /// With an error.
    Failed,
    /// It was stopped.
    Cancelled,
}

/// Whose words a content holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveRole {
    /// The user's.
    User,
    /// The model's.
    Model,
    /// What tools answered.
    Function,
}

/// One entry of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveContent {
    /// Whose words.
    pub role: LiveRole,
    /// The pieces in order.
    pub parts: Vec<LivePart>,
}

/// A piece of a content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LivePart {
    /// Text.
    Text(String),
    /// What the model thought.
    Thought(String),
    /// A tool asked for.
    Call {
        /// The call's id, where there is one.
        id: Option<String>,
        /// The tool.
        name: String,
        /// The arguments.
        args: Option<LiveValue>,
    },
    /// What a tool answered.
    Response {
        /// The call's id, where there is one.
        id: Option<String>,
        /// The tool.
        name: String,
        /// The answer.
        response: Option<LiveValue>,
    },
    /// Bytes, such as a picture.
    Data {
        /// Such as `image/png`.
        mime_type: String,
        /// How many bytes.
        bytes: u64,
        /// A file's name, where there is one.
        name: Option<String>,
        /// The bytes in base64, where a page can show them and they are not too many.
        base64: Option<String>,
    },
    /// A piece of another kind, as it came.
    Other {
        /// The vendor's name of it.
        kind: String,
        /// The piece.
        value: LiveValue,
    },
}

/// A JSON value, or the beginning of a long one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveValue {
    /// The value.
    Whole(JsonText),
    /// The beginning of its text.
    Head {
        /// The beginning.
        text: String,
        /// How long the whole text is.
        bytes: u64,
    },
}

/// Everything that the model would be given in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveTurn {
    /// The turn.
    pub turn: LiveTurnId,
    /// Who asks.
    pub agent: String,
    /// Which of the agent's runs; may be empty.
    pub run: String,
    /// The sequence number of the request.
    pub sequence: u64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The model that the agent names.
    pub model: Option<String>,
    /// The system instruction; may be empty.
    pub instruction: String,
    /// The conversation.
    pub contents: Vec<LiveContent>,
    /// The functions that may be called.
    pub tools: Vec<ToolView>,
    /// Temperature, tool choice and the like in the vendor's words.
    pub config: Option<JsonText>,
    /// JSON Schema of the answer that is wanted.
    pub output_schema: Option<JsonText>,
    /// What the person should know about this request.
    pub warnings: Vec<String>,
    /// What closed the turn, whole; nothing while it waits.
    pub closed: Option<LiveRow>,
}

/// An answer in the model's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveAnswer {
    /// The session.
    pub session: LiveId,
    /// The turn.
    pub turn: LiveTurnId,
    /// Who answers.
    pub by: String,
    /// Under which lease, where this page holds the turn.
    pub lease: Option<LiveLeaseId>,
    /// The text, where there is one.
    pub text: Option<String>,
    /// The tools to call.
    pub calls: Vec<LiveCall>,
}

/// One tool to call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveCall {
    /// Made by the page, so that the same answer sent again is the same.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments, an object.
    pub args: JsonText,
}

/// What a value is checked against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveTarget {
    /// The parameters of this tool.
    Arguments(String),
    /// The schema of the answer.
    Output,
}

/// One run of an agent in a session: a user's message and all that followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRun {
    /// The sequence number of its first request, by which it is chosen.
    pub first: u64,
    /// The agent that the user spoke to.
    pub agent: String,
    /// What the user said; the beginning of it.
    pub query: String,
    /// How many turns were answered.
    pub turns: u64,
    /// How many tools were called.
    pub calls: u64,
    /// Whether it came to a final answer.
    pub is_answered: bool,
}

/// What can be exported of a session, and where it would go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveExportPlan {
    /// The runs, in order of time.
    pub runs: Vec<LiveRun>,
    /// The eval-set file.
    pub path: String,
}

/// The sessions that hold `search` in their description, newest first, from a place of the list on.
#[server(prefix = "/api", endpoint = "list_live_sessions", input = Json, output = Json)]
pub async fn list_live_sessions(search: String, before: Option<i64>) -> Result<LiveList, ApiError> {
    crate::host::live_host()?.list_live_sessions(search, before).await
}

/// One session in little.
#[server(prefix = "/api", endpoint = "read_live_session", input = Json, output = Json)]
pub async fn read_live_session(session: LiveId) -> Result<LiveSummary, ApiError> {
    crate::host::live_host()?.read_live_session(session).await
}

/// At most `most` events (and never more than 500) after the one with this number, in order; with
/// `whole` nothing in them is shortened.
#[server(prefix = "/api", endpoint = "read_live_rows", input = Json, output = Json)]
pub async fn read_live_rows(
    session: LiveId,
    after: u64,
    most: u64,
    whole: bool,
) -> Result<Vec<LiveRow>, ApiError> {
    crate::host::live_host()?.read_live_rows(session, after, most, whole).await
}

/// What the model would be given in a turn.
#[server(prefix = "/api", endpoint = "read_live_turn", input = Json, output = Json)]
pub async fn read_live_turn(session: LiveId, turn: LiveTurnId) -> Result<LiveTurn, ApiError> {
    crate::host::live_host()?.read_live_turn(session, turn).await
}

/// Checks a value against a schema of a turn's request. No messages: it is valid.
#[server(prefix = "/api", endpoint = "check_live_value", input = Json, output = Json)]
pub async fn check_live_value(
    session: LiveId,
    turn: LiveTurnId,
    target: LiveTarget,
    value: JsonText,
) -> Result<Vec<FieldMessage>, ApiError> {
    crate::host::live_host()?.check_live_value(session, turn, target, value).await
}

/// Answers the turn that is up. The same answer sent again is answered as the first was.
#[server(prefix = "/api", endpoint = "answer_live_turn", input = Json, output = Json)]
pub async fn answer_live_turn(answer: LiveAnswer) -> Result<(), ApiError> {
    crate::host::live_host()?.answer_live_turn(answer).await
}

/// Takes the turn that is up, or keeps it: sent again it is the heartbeat.
#[server(prefix = "/api", endpoint = "hold_live_turn", input = Json, output = Json)]
pub async fn hold_live_turn(
    session: LiveId,
    turn: LiveTurnId,
    lease: LiveLeaseId,
    by: String,
) -> Result<(), ApiError> {
    crate::host::live_host()?.hold_live_turn(session, turn, lease, by).await
}

/// Gives the turn that this page holds to somebody by name.
#[server(prefix = "/api", endpoint = "hand_over_live_turn", input = Json, output = Json)]
pub async fn hand_over_live_turn(
    session: LiveId,
    turn: LiveTurnId,
    lease: LiveLeaseId,
    to: String,
) -> Result<(), ApiError> {
    crate::host::live_host()?.hand_over_live_turn(session, turn, lease, to).await
}

/// Lets go of the turn.
#[server(prefix = "/api", endpoint = "release_live_turn", input = Json, output = Json)]
pub async fn release_live_turn(
    session: LiveId,
    turn: LiveTurnId,
    lease: LiveLeaseId,
) -> Result<(), ApiError> {
    crate::host::live_host()?.release_live_turn(session, turn, lease).await
}

/// Takes a turn out of the queue without an answer.
#[server(prefix = "/api", endpoint = "cancel_live_turn", input = Json, output = Json)]
pub async fn cancel_live_turn(
    session: LiveId,
    turn: LiveTurnId,
    reason: String,
    by: String,
) -> Result<(), ApiError> {
    crate::host::live_host()?.cancel_live_turn(session, turn, reason, by).await
}

/// Ends a session. Refused while turns wait, unless they are to be cancelled.
#[server(prefix = "/api", endpoint = "complete_live_session", input = Json, output = Json)]
pub async fn complete_live_session(
    session: LiveId,
    cancel_waiting: bool,
    by: String,
) -> Result<(), ApiError> {
    crate::host::live_host()?.complete_live_session(session, cancel_waiting, by).await
}

/// What can be exported of a session, and where it would go.
#[server(prefix = "/api", endpoint = "plan_live_export", input = Json, output = Json)]
pub async fn plan_live_export(session: LiveId) -> Result<LiveExportPlan, ApiError> {
    crate::host::live_host()?.plan_live_export(session).await
}

/// Appends these runs of a session, by the numbers of their first requests, as one case.
#[server(prefix = "/api", endpoint = "export_live_session", input = Json, output = Json)]
pub async fn export_live_session(
    session: LiveId,
    runs: Vec<u64>,
) -> Result<ExportReceipt, ApiError> {
    crate::host::live_host()?.export_live_session(session, runs).await
}
