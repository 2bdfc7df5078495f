//! [`Ledger`]: everything that happened in a run, in order. Metrics read nothing else.

mod read;

use std::sync::{Mutex, PoisonError};

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::place::Place;
use crate::run_failure::{AtFault, CODES, RunFailure};
use crate::tool_fault::FaultEffect;
use crate::yields::YieldInfo;

/// An event, and when it happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Milliseconds since the run began.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened. The list is closed: a metric may rely on it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The state before the first message. Always the first event.
    InitialState {
        /// The whole state.
        state: JsonText,
    },
    /// A message of the user, to the subject.
    UserMessage {
        /// Its text.
        text: String,
        /// Its parts, as google-adk gets them; absent for a single text.
        #[serde(skip_serializing_if = "Option::is_none")]
        parts: Option<Vec<JsonText>>,
    },
    /// A message of the subject.
    Message {
        /// The agent that wrote it.
        agent: String,
        /// Its text.
        text: String,
        /// Whether the same response also calls tools, so that it is not a final one.
        is_intermediate: bool,
        /// Whether the agent is used as a tool, so that its model's caller does not see the message.
        is_inner: bool,
    },
    /// The model called a tool, or a workflow a node.
    ToolCall {
        /// The id of the call.
        call_id: String,
        /// The tool.
        name: String,
        /// The arguments.
        args: JsonText,
        /// The agent whose model called it, or the workflow of which it is a node.
        agent: String,
        /// Whether that agent is used as a tool, or it is a node. As in google-adk, traces leave it out.
        is_inner: bool,
    },
    /// What the model got back.
    ToolResult {
        /// The id of the call.
        call_id: String,
        /// The tool.
        name: String,
        /// The result, as the framework records it.
        result: JsonText,
        /// Where it came from.
        from: Origin,
    },
    /// The output of a workflow, or of a node of it that is not called like a tool.
    NodeOutput {
        /// The workflow or node.
        node: String,
        /// The output.
        output: JsonText,
    },
    /// A fault of the case hit a call.
    ToolFault {
        /// The id of the call.
        call_id: String,
        /// The tool.
        name: String,
        /// What happens to the call.
        effect: FaultEffect,
    },
    /// The state of the session changed.
    StateChange {
        /// The changed keys with their new values.
        changes: JsonText,
        /// Whose change it is.
        by: Role,
    },
    /// User agents that answered at the same time, or calls of tools by one of them, set the same value differently.
    /// That of the later call is kept.
    StateConflict {
        /// Where the value is, as a JSON Pointer that begins with the scope.
        pointer: String,
        /// The value that is kept.
        kept: JsonText,
        /// The value that it replaced.
        replaced: JsonText,
    },
    /// A value of the subject has no form in JSON, and the ledger has another one in its place.
    ValueReplaced {
        /// What it is a part of: `state`, or for example `the result of read`.
        r#in: String,
        /// Where it is in that, such as `$.rows[0]`.
        place: String,
        /// What it is, such as `NaN`.
        value: String,
    },
    /// A library of the subject asked for something that it can do without, and did not get it.
    EffectRefused {
        /// What it tried.
        what: String,
        /// The file and line.
        place: String,
    },
    /// The subject waits for the user.
    Yield(YieldInfo),
    /// What a user agent heard.
    UserAgentPrompt {
        /// The text.
        text: String,
    },
    /// A user agent that a model plays called a tool of its own.
    UserAgentCall {
        /// What the user agent responds to.
        agent: String,
        /// The tool.
        name: String,
        /// The arguments.
        args: JsonText,
        /// What the model got back.
        result: JsonText,
        /// What the call changes in the state, by scope. It is made with the changes of the whole answer.
        changes: JsonText,
    },
    /// What a user agent gave back.
    UserAgentResponse {
        /// A string of a loop yield, any value of a tool yield.
        response: JsonText,
        /// The id of the call that waited, of a tool yield.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<String>,
    },
    /// The model of an agent is asked for the agent's next response.
    ModelRequest {
        /// The agent.
        agent: String,
    },
    /// A person takes a place, from the next step on.
    TakenOver {
        /// Which one.
        place: Place,
    },
    /// A person hands a place back.
    HandedBack {
        /// Which one.
        place: Place,
    },
    /// The use of a model.
    ModelUsage {
        /// Who used it.
        role: Role,
        /// The agent.
        agent: String,
        /// The model.
        model: String,
        /// Tokens of the request.
        input: u64,
        /// Tokens of the response.
        output: u64,
    },
    /// The given model was asked apart from the agent's turns, such as for a summary of the events.
    RequestApart {
        /// The agent whose model it is.
        agent: String,
        /// The module that asked.
        asked_by: String,
        /// The text that it got.
        response: String,
    },
    /// The run could not go on.
    #[serde(rename = "fault")]
    Failure {
        /// Who was at fault.
        at_fault: AtFault,
        /// What went wrong, as one of [`CODES`]; empty in ledgers that were stored without one.
        code: String,
        /// What happened, and the remedy.
        message: String,
    },
    /// The run ended. After it there is only the use of models by judges.
    Termination {
        /// The condition that ended it; absent if the subject completed or a failure ended it.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<TerminationReason>,
        /// The whole state at the end.
        state: JsonText,
    },
}

/// The condition that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminationReason {
    /// The subject waited for the user more often than `max_turns` allows.
    MaxTurns,
    /// The run took longer than `max_duration`.
    MaxDuration,
    /// The state matches `state_matches`.
    StateMatches,
}

impl TerminationReason {
    /// Its name in suites and results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTurns => "max_turns",
            Self::MaxDuration => "max_duration",
            Self::StateMatches => "state_matches",
        }
    }
}

/// Where a tool's result came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The framework: control flow, an unknown name, a request for confirmation.
    Framework,
    /// A mock.
    Mock,
    /// The tool itself.
    Real,
    /// The tool itself, which could have no effect outside of its session.
    Sealed,
    /// A user agent.
    UserAgent,
    /// A fault of the case.
    Fault,
    /// The run that this one is a fork of.
    Given,
}

/// Who did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The agent under test.
    Subject,
    /// A user agent.
    UserAgent,
    /// A judge.
    Judge,
    /// A simulated mock.
    Mock,
    /// The framework, or code of the agent, apart from the agent's turns.
    Framework,
}

impl From<&RunFailure> for Event {
    fn from(failure: &RunFailure) -> Self {
        let (at_fault, code) = (failure.at_fault(), failure.code().to_owned());
        Self::Failure { at_fault, code, message: failure.to_string() }
    }
}

impl Event {
    /// The name under which metrics count it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::InitialState { .. } => "initial_state",
            Self::UserMessage { .. } => "user_message",
            Self::Message { .. } => "message",
            Self::ToolCall { .. } => "tool_call",
            Self::ToolResult { .. } => "tool_result",
            Self::NodeOutput { .. } => "node_output",
            Self::ToolFault { .. } => "tool_fault",
            Self::StateChange { .. } => "state_change",
            Self::StateConflict { .. } => "state_conflict",
            Self::ValueReplaced { .. } => "value_replaced",
            Self::EffectRefused { .. } => "effect_refused",
            Self::Yield(_) => "yield",
            Self::UserAgentPrompt { .. } => "user_agent_prompt",
            Self::UserAgentCall { .. } => "user_agent_call",
            Self::UserAgentResponse { .. } => "user_agent_response",
            Self::ModelRequest { .. } => "model_request",
            Self::TakenOver { .. } => "taken_over",
            Self::HandedBack { .. } => "handed_back",
            Self::ModelUsage { .. } => "model_usage",
            Self::RequestApart { .. } => "request_apart",
            Self::Failure { .. } => "fault",
            Self::Termination { .. } => "termination",
        }
    }
}

/// Names of all events, as [`Event::name`] gives them.
pub const EVENT_NAMES: [&str; 22] = [
    "initial_state",
    "user_message",
    "message",
    "tool_call",
    "tool_result",
    "node_output",
    "tool_fault",
    "state_change",
    "state_conflict",
    "value_replaced",
    "effect_refused",
    "yield",
    "user_agent_prompt",
    "user_agent_call",
    "user_agent_response",
    "model_request",
    "taken_over",
    "handed_back",
    "model_usage",
    "request_apart",
    "fault",
    "termination",
];

/// What the values of a member of events are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// Anything.
    Any,
    /// Texts.
    Text,
    /// Names of the subject's tools.
    Tools,
    /// Names of the subject's agents.
    Agents,
    /// Names of the subject's workflows and nodes.
    Nodes,
    /// Names of who uses a model, which may be the subject's agents.
    ModelUsers,
    /// Names of models, and of modules of the framework, which nothing lists.
    Unlisted,
    /// What a value of the subject is a part of, see [`Event::ValueReplaced`].
    PartsOf,
    /// What a fault of the case does, as an object with one of these members.
    ObjectOf(&'static [&'static str]),
    /// Some of these.
    OneOf(&'static [&'static str]),
}

const TRUTH: Values = Values::OneOf(&["true", "false"]);
const ROLES: Values = Values::OneOf(&["subject", "user_agent", "judge", "mock", "framework"]);
const ORIGINS: Values =
    Values::OneOf(&["framework", "mock", "real", "sealed", "user_agent", "fault", "given"]);
const AT_FAULT: Values =
    Values::OneOf(&["subject", "user_agent", "mock", "metric", "infrastructure"]);
const REASONS: Values = Values::OneOf(&["max_turns", "max_duration", "state_matches"]);
const EFFECTS: Values = Values::ObjectOf(&["raises", "returns", "latency_ms", "truncates"]);
const KINDS: Values = Values::OneOf(&["loop", "tool"]);

/// The members of events of this name, but for `type` and `at_ms`.
pub(crate) fn members_of(name: &str) -> &'static [(&'static str, Values)] {
    use Values::{Agents, Any, ModelUsers, Nodes, PartsOf, Text, Tools, Unlisted};

    match name {
        "initial_state" => &[("state", Any)],
        "user_message" => &[("text", Text), ("parts", Any)],
        "user_agent_prompt" => &[("text", Text)],
        "message" => {
            &[("agent", Agents), ("text", Text), ("is_intermediate", TRUTH), ("is_inner", TRUTH)]
        }
        "tool_call" => &[
            ("call_id", Text),
            ("name", Tools),
            ("args", Any),
            ("agent", Agents),
            ("is_inner", TRUTH),
        ],
        "tool_result" => &[("call_id", Text), ("name", Tools), ("result", Any), ("from", ORIGINS)],
        "node_output" => &[("node", Nodes), ("output", Any)],
        "tool_fault" => &[("call_id", Text), ("name", Tools), ("effect", EFFECTS)],
        "state_change" => &[("changes", Any), ("by", ROLES)],
        "state_conflict" => &[("pointer", Text), ("kept", Any), ("replaced", Any)],
        "effect_refused" => &[("what", Text), ("place", Text)],
        "value_replaced" => &[("in", PartsOf), ("place", Text), ("value", Text)],
        "request_apart" => &[("agent", Agents), ("asked_by", Unlisted), ("response", Text)],
        "yield" => &[
            ("kind", KINDS),
            ("tool_name", Tools),
            ("invocation_id", Text),
            ("awaiting_input", TRUTH),
            ("call_id", Text),
            ("args", Any),
            ("interim", Any),
        ],
        // Of user agents, which the case names.
        "user_agent_call" => {
            &[("agent", Text), ("name", Text), ("args", Any), ("result", Any), ("changes", Any)]
        }
        "user_agent_response" => &[("response", Any), ("call_id", Text)],
        "model_request" => &[("agent", Agents)],
        "taken_over" | "handed_back" => &[("place", Text)],
        "model_usage" => &[
            ("role", ROLES),
            ("agent", ModelUsers),
            ("model", Unlisted),
            ("input", Any),
            ("output", Any),
        ],
        "fault" => &[("at_fault", AT_FAULT), ("code", Values::OneOf(CODES)), ("message", Text)],
        "termination" => &[("reason", REASONS), ("state", Any)],
        _ => &[],
    }
}

/// The events of one run, while it runs.
#[derive(Debug)]
pub struct Ledger {
    begin: Instant,
    entries: Mutex<Vec<Entry>>,
}

impl Ledger {
    /// Begins a ledger now.
    #[must_use]
    pub fn begin() -> Self {
        Self { begin: Instant::now(), entries: Mutex::default() }
    }

    /// Adds an event.
    pub fn add(&self, event: Event) {
        let at_ms = self.now_ms();
        self.lock().push(Entry { at_ms, event });
    }

    /// Adds events between which no other comes.
    pub fn extend(&self, events: impl IntoIterator<Item = Event>) {
        let at_ms = self.now_ms();
        self.lock().extend(events.into_iter().map(|event| Entry { at_ms, event }));
    }

    /// Milliseconds since the run began.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Looks at the events so far.
    pub fn look<T>(&self, look: impl FnOnce(&[Entry]) -> T) -> T {
        look(&self.lock())
    }

    /// Ends the ledger and returns its events.
    #[must_use]
    pub fn end(self) -> Vec<Entry> {
        self.entries.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
