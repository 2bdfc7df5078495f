//! [`Step`]: a place in a run at which it can fork.

use std::collections::{BTreeMap, HashMap};

use json_text::JsonText;
use serde::Serialize;

use super::edit::{Edit, Move};
use crate::given_model::{ModelCall, ModelTurn};
use crate::ledger::{Entry, Event, Origin};
use crate::message::Message;
use crate::recorded_session::ASKING;
use crate::yields::{YieldInfo, YieldKind};

/// What one of those who take part in a run did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The place of its first event in the ledger.
    pub at: usize,
    /// What was done.
    pub kind: StepKind,
}

/// What was done at a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepKind {
    /// The user sent a message.
    Message {
        /// As a user agent gives it: a text, or an object with `parts`.
        message: JsonText,
    },
    /// The user answered a call that waited.
    Answer {
        /// The tool.
        tool: String,
        /// The answer.
        answer: JsonText,
    },
    /// The model of an agent responded.
    Response {
        /// The agent.
        agent: String,
        /// The response, whose calls have their ids.
        #[serde(rename = "response")]
        turn: ModelTurn,
    },
    /// A tool returned.
    Result {
        /// The id of the call.
        call_id: String,
        /// The tool.
        tool: String,
        /// What the model got.
        result: JsonText,
        /// Where it came from.
        from: Origin,
    },
}

impl StepKind {
    /// What happened, as a move that changes nothing.
    #[must_use]
    pub fn as_move(&self) -> Move {
        Move::new(match self {
            Self::Message { message } => match Message::of_output(message) {
                Ok(message) => Edit::Message(message),
                // What was sent can be sent.
                Err(_) => Edit::Answer(message.clone()),
            },
            Self::Answer { answer, .. } => Edit::Answer(answer.clone()),
            Self::Response { turn, .. } => Edit::Response(turn.clone()),
            Self::Result { result, .. } => Edit::Result(result.clone()),
        })
    }

    /// Who did it: the user, an agent or a tool.
    #[must_use]
    pub fn who(&self) -> &str {
        match self {
            Self::Message { .. } | Self::Answer { .. } => "user",
            Self::Response { agent, .. } => agent,
            Self::Result { tool, .. } => tool,
        }
    }
}

/// The steps of a run, in order.
///
/// What the framework answers in place of a tool, such as a transfer, is none: it does the same again.
#[must_use]
pub fn steps(events: &[Entry]) -> Vec<Step> {
    let mut found = Steps::default();
    for (at, entry) in events.iter().enumerate() {
        found.take(at, &entry.event);
    }
    found.steps.sort_by_key(|step| step.at);
    found.steps
}

#[derive(Default)]
struct Steps {
    steps: Vec<Step>,
    /// The agents whose models were asked and have not responded yet, with the places of the requests.
    asked: BTreeMap<String, usize>,
    /// The response to which the next event may belong: its place among the steps.
    open: Option<usize>,
    /// The calls that wait for an answer of the user, by their ids.
    waiting: HashMap<String, YieldInfo>,
}

impl Steps {
    fn take(&mut self, at: usize, event: &Event) {
        let open = self.open.take();
        match event {
            Event::UserMessage { text, parts } => {
                for (agent, at) in std::mem::take(&mut self.asked) {
                    self.said_nothing(at, agent);
                }
                let message = match parts {
                    None => JsonText::string(text),
                    Some(parts) => JsonText::serialize(&serde_json::json!({ "parts": parts }))
                        .unwrap_or_else(|_| JsonText::null()),
                };
                self.steps.push(Step { at, kind: StepKind::Message { message } });
            }
            Event::Yield(info @ YieldInfo { call_id: Some(call_id), .. }) => {
                self.waiting.insert(call_id.clone(), info.clone());
            }
            Event::UserAgentResponse { response, call_id: Some(call_id) } => {
                if let Some(YieldInfo { kind: YieldKind::Tool { tool_name }, .. }) =
                    self.waiting.remove(call_id)
                {
                    let (tool, answer) = (tool_name, response.clone());
                    self.steps.push(Step { at, kind: StepKind::Answer { tool, answer } });
                }
            }
            Event::ModelRequest { agent } => {
                if let Some(at) = self.asked.insert(agent.clone(), at) {
                    self.said_nothing(at, agent.clone());
                }
            }
            Event::Message { agent, text, .. } => {
                self.open = self.begun(at, agent);
                if let Some(turn) = self.turn(self.open) {
                    turn.text.clone_from(text);
                }
            }
            Event::ModelUsage { .. } => self.open = open,
            Event::ToolCall { call_id, name, args, agent, .. } if !name.starts_with(ASKING) => {
                let is_of_open = |at: &usize| matches!(&self.steps[*at].kind, StepKind::Response { agent: of, .. } if of == agent);
                self.open = match open.filter(is_of_open) {
                    Some(open) => Some(open),
                    None => self.begun(at, agent),
                };
                let call =
                    ModelCall { id: Some(call_id.clone()), tool: name.clone(), args: args.clone() };
                if let Some(turn) = self.turn(self.open) {
                    turn.calls.push(call);
                }
            }
            Event::ToolResult { from: Origin::Framework | Origin::UserAgent, .. } => {}
            Event::ToolResult { call_id, name, result, from } => {
                let (call_id, tool, result) = (call_id.clone(), name.clone(), result.clone());
                let kind = StepKind::Result { call_id, tool, result, from: *from };
                self.steps.push(Step { at, kind });
            }
            _ => {}
        }
    }

    /// The place of a response that begins here, if the agent's model was asked for one.
    fn begun(&mut self, at: usize, agent: &str) -> Option<usize> {
        // Code of the agent calls tools and says something too.
        self.asked.remove(agent)?;
        let kind = StepKind::Response { agent: agent.to_owned(), turn: ModelTurn::default() };
        self.steps.push(Step { at, kind });
        Some(self.steps.len() - 1)
    }

    /// A response without a text or a call, of which the ledger has no event.
    fn said_nothing(&mut self, at: usize, agent: String) {
        let kind = StepKind::Response { agent, turn: ModelTurn::default() };
        self.steps.push(Step { at, kind });
    }

    fn turn(&mut self, at: Option<usize>) -> Option<&mut ModelTurn> {
        match &mut self.steps.get_mut(at?)?.kind {
            StepKind::Response { turn, .. } => Some(turn),
            _ => None,
        }
    }
}
