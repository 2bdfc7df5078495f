//! [`Given`]: what happened in a run before the step at which it forks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use json_text::{JsonIndex, JsonText};
use scoring::json::{Equality, equal};
use serde_json::{Map, Value};

use super::edit::{Edit, Move};
use super::step::{Step, StepKind, steps};
use crate::confirmation::ConfirmationRequest;
use crate::given_model::ModelTurn;
use crate::ledger::{Entry, Event, Origin, Role, TerminationReason};
use crate::message::Message;
use crate::yields::{YieldInfo, YieldKind};

/// What happened before a step, and what happens at it.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// The responses of the models by agent, in order.
    pub(crate) responses: Arc<BTreeMap<String, Vec<ModelTurn>>>,
    /// The agents whose models responded, in order; `None` if some were asked at the same time.
    pub(crate) order: Option<Vec<(String, usize)>>,
    /// What models responded apart from the agents' turns.
    pub(crate) apart: Vec<String>,
    /// What calls returned, by their ids.
    pub(crate) results: HashMap<String, Vec<GivenResult>>,
    /// What the user answered, by what waited.
    pub(crate) answers: HashMap<YieldKind, Vec<GivenAnswer>>,
    /// The first message, where it is another one than the case's.
    pub(crate) first_message: Option<Message>,
}

/// What a call returned.
#[derive(Debug, Clone)]
pub(crate) struct GivenResult {
    pub(crate) outcome: GivenOutcome,
    /// The keys of the state that the tool changed.
    pub(crate) changes: Map<String, Value>,
    /// Whether the model was not asked again.
    pub(crate) skip_summarization: bool,
    /// Its step, from 1.
    pub(crate) step: usize,
}

/// How a call ended.
#[derive(Debug, Clone)]
pub(crate) enum GivenOutcome {
    /// The model got this.
    Recorded(JsonText),
    /// The tool asked the user for a confirmation, and returned this meanwhile.
    Asked(ConfirmationRequest, JsonText),
    /// By the move.
    Returns(JsonText),
    /// By the move.
    Raises(String),
}

/// What the user answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct GivenAnswer {
    /// `None` if the user gave none.
    pub(crate) response: Option<JsonText>,
    /// The keys of the state that the user changed with it.
    pub(crate) changes: Map<String, Value>,
    /// Whether the user left with it.
    pub(crate) is_end: bool,
}

/// Why a run cannot fork.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForkError {
    /// The run has no such step.
    #[error("the run has no step {step}; {}", known_steps(*.steps))]
    NoStep {
        /// The step.
        step: usize,
        /// How many the run has.
        steps: usize,
    },
    /// The move is not what happens at the step.
    #[error(
        "step {step} is {is}, and the move gives {gives}; give it {wants}, or choose another step"
    )]
    OtherKind {
        /// The step.
        step: usize,
        /// What it is.
        is: &'static str,
        /// What the move gives.
        gives: &'static str,
        /// What the step takes.
        wants: &'static str,
    },
    /// Several tools ran at once and changed the state, which the run has as one change.
    #[error(
        "step {step} is one of several calls that were made at once, and what each of them changed in the state is not recorded apart; fork at step {first} or {next}"
    )]
    WithinCalls {
        /// The step.
        step: usize,
        /// The step of the first of these calls.
        first: usize,
        /// The step after the last.
        next: usize,
    },
    /// The run is of an earlier version, whose ledger does not say when models were asked.
    #[error(
        "the run does not say when models were asked, since an earlier version of rehearsal made it; run the case again"
    )]
    NoRequests,
}

fn known_steps(steps: usize) -> String {
    match steps {
        0 => "nothing happened in it".to_owned(),
        1 => "it has only step 1".to_owned(),
        _ => format!("it has the steps 1 to {steps}"),
    }
}

impl Given {
    /// What happened in a run with these events before a step, counted from 1, with a move at it. Without a move, the step
    /// is the first that is done again.
    ///
    /// # Errors
    /// [`ForkError`] if the run cannot fork there.
    pub fn before(events: &[Entry], step: usize, at: Option<&Move>) -> Result<Self, ForkError> {
        let steps = steps(events);
        let Some(forked) = step.checked_sub(1).and_then(|place| steps.get(place)) else {
            return Err(ForkError::NoStep { step, steps: steps.len() });
        };
        let asked = |entry: &Entry| matches!(entry.event, Event::ModelRequest { .. });
        let is_response =
            |entry: &Entry| matches!(entry.event, Event::Message { .. } | Event::ToolCall { .. });
        if events.iter().any(is_response) && !events.iter().any(asked) {
            return Err(ForkError::NoRequests);
        }
        if let Some(edit) = at.map(|at| &at.edit) {
            check_kind(step, &forked.kind, edit)?;
        }
        let reader = Reader { events, steps: &steps, step };
        let mut given = Self::default();
        given.take_responses(&reader, at);
        given.take_results(&reader, at)?;
        given.take_answers(&reader, at);
        Ok(given)
    }

    fn take_responses(&mut self, reader: &Reader<'_>, at: Option<&Move>) {
        let mut responses = BTreeMap::<String, Vec<ModelTurn>>::new();
        let mut order = Vec::new();
        for (number, kind) in reader.through() {
            let StepKind::Response { agent, turn } = kind else { continue };
            let turn = match at.map(|at| &at.edit) {
                _ if number < reader.step => turn.clone(),
                Some(Edit::Response(turn)) => turn.clone(),
                _ => continue,
            };
            responses.entry(agent.clone()).or_default().push(turn);
            order.push((agent.clone(), number));
        }
        self.responses = Arc::new(responses);
        self.order = (!reader.has_overlaps()).then_some(order);
        let apart = reader.before_fork().filter_map(|event| match event {
            Event::RequestApart { response, .. } => Some(response.clone()),
            _ => None,
        });
        self.apart = apart.collect();
    }

    fn take_results(&mut self, reader: &Reader<'_>, at: Option<&Move>) -> Result<(), ForkError> {
        for (number, kind) in reader.through() {
            let StepKind::Result { call_id, result, .. } = kind else { continue };
            let edit = at.filter(|_| number == reader.step);
            let outcome = match edit.map(|at| &at.edit) {
                None if number == reader.step => continue,
                Some(Edit::Error(message)) => GivenOutcome::Raises(message.clone()),
                Some(Edit::Result(result)) => GivenOutcome::Returns(result.clone()),
                _ => match reader.request(number, call_id) {
                    Some(request) => GivenOutcome::Asked(request, result.clone()),
                    None => GivenOutcome::Recorded(result.clone()),
                },
            };
            let changes = match edit {
                Some(at) => at.state.clone(),
                None => reader.changes_of_tool(number)?,
            };
            let skip_summarization = edit.is_none() && reader.ends_turn(number);
            let result = GivenResult { outcome, changes, skip_summarization, step: number };
            self.results.entry(call_id.clone()).or_default().push(result);
        }
        Ok(())
    }

    fn take_answers(&mut self, reader: &Reader<'_>, at: Option<&Move>) {
        let mut asked = Vec::new();
        let mut first = true;
        for (number, (place, kind)) in reader.placed() {
            let edit = at.filter(|_| number == reader.step);
            if number > reader.step || (number == reader.step && edit.is_none()) {
                break;
            }
            let (kind, response) = match (kind, edit.map(|at| &at.edit)) {
                (StepKind::Message { .. }, Some(Edit::Message(message))) => {
                    (YieldKind::Loop, message.output())
                }
                (StepKind::Message { message }, _) => (YieldKind::Loop, message.clone()),
                (StepKind::Answer { tool, .. }, Some(Edit::Answer(answer))) => {
                    (YieldKind::Tool { tool_name: tool.clone() }, answer.clone())
                }
                (StepKind::Answer { tool, answer }, _) => {
                    (YieldKind::Tool { tool_name: tool.clone() }, answer.clone())
                }
                _ => continue,
            };
            // The case itself has the first message, unless a user agent gave it.
            if std::mem::take(&mut first) && !reader.was_asked_before(place) {
                if let Some(Edit::Message(message)) = edit.map(|at| &at.edit) {
                    self.first_message = Some(message.clone());
                }
                continue;
            }
            let mut changes = reader.changes_of_user(place, &kind);
            changes.extend(edit.map(|at| at.state.clone()).unwrap_or_default());
            let is_end = edit.is_none() && kind == YieldKind::Loop && reader.is_last_word(place);
            asked.push((kind, GivenAnswer { response: Some(response), changes, is_end }));
        }
        for (kind, answer) in asked {
            self.answers.entry(kind).or_default().push(answer);
        }
    }
}

/// Checks that a move is of the kind of the step.
fn check_kind(step: usize, kind: &StepKind, edit: &Edit) -> Result<(), ForkError> {
    let (is, wants, fits) = match kind {
        StepKind::Message { .. } => {
            ("a message of the user", "a `message`", matches!(edit, Edit::Message(_)))
        }
        StepKind::Answer { .. } => {
            ("the user's answer to a call", "an `answer`", matches!(edit, Edit::Answer(_)))
        }
        StepKind::Response { .. } => {
            ("a response of a model", "a `response`", matches!(edit, Edit::Response(_)))
        }
        StepKind::Result { .. } => (
            "the result of a tool",
            "a `result` or an `error`",
            matches!(edit, Edit::Result(_) | Edit::Error(_)),
        ),
    };
    let gives = match edit {
        Edit::Message(_) => "a message",
        Edit::Answer(_) => "an answer of the user",
        Edit::Response(_) => "a response",
        Edit::Result(_) => "a result",
        Edit::Error(_) => "an error",
    };
    if fits { Ok(()) } else { Err(ForkError::OtherKind { step, is, gives, wants }) }
}

/// A run and the step at which it forks.
struct Reader<'r> {
    events: &'r [Entry],
    steps: &'r [Step],
    /// From 1.
    step: usize,
}

impl<'r> Reader<'r> {
    /// The steps with their numbers and places.
    fn placed(&self) -> impl Iterator<Item = (usize, (usize, &'r StepKind))> {
        self.steps.iter().enumerate().map(|(at, step)| (at + 1, (step.at, &step.kind)))
    }

    /// The steps up to the one of the fork, and that itself.
    fn through(&self) -> impl Iterator<Item = (usize, &'r StepKind)> {
        self.placed().take(self.step).map(|(number, (_, kind))| (number, kind))
    }

    fn place(&self, number: usize) -> usize {
        self.steps.get(number.saturating_sub(1)).map_or(self.events.len(), |step| step.at)
    }

    /// The events before the step of the fork.
    fn before_fork(&self) -> impl Iterator<Item = &'r Event> {
        self.events.iter().take(self.place(self.step)).map(|entry| &entry.event)
    }

    fn from(&self, place: usize) -> impl Iterator<Item = &'r Event> {
        self.events.iter().skip(place).map(|entry| &entry.event)
    }

    /// Whether two agents' models were asked at the same time.
    fn has_overlaps(&self) -> bool {
        let mut waiting = BTreeSet::new();
        self.events.iter().any(|entry| match &entry.event {
            Event::ModelRequest { agent } => {
                waiting.insert(agent);
                waiting.len() > 1
            }
            Event::Message { agent, .. } | Event::ToolCall { agent, .. } => {
                waiting.remove(agent);
                false
            }
            Event::UserMessage { .. } => {
                waiting.clear();
                false
            }
            _ => false,
        })
    }

    /// What the tool's own code asked the user in this call, before it returned for good.
    fn request(&self, number: usize, call_id: &str) -> Option<ConfirmationRequest> {
        let mut later = self.from(self.place(number) + 1).take_while(
            |event| !matches!(event, Event::ToolResult { call_id: id, .. } if id == call_id),
        );
        let mut skip_summarization = true;
        later.find_map(|event| match event {
            Event::ModelRequest { .. } => {
                skip_summarization = false;
                None
            }
            Event::Yield(YieldInfo { args: Some(args), .. }) => asked_in(args, call_id)
                .map(|request| ConfirmationRequest { skip_summarization, ..request }),
            _ => None,
        })
    }

    /// The results with which the one of this step came, with what they changed in the state: the places of the first and of
    /// what follows the last.
    fn batch(&self, number: usize) -> (usize, usize) {
        let is_of_batch =
            |event: &Event| matches!(event, Event::ToolResult { .. } | Event::NodeOutput { .. });
        let place = self.place(number);
        let before = self.events.iter().take(place).rev();
        let before = before.take_while(|entry| is_of_batch(&entry.event)).count();
        let after = self.from(place).take_while(|event| is_of_batch(event)).count();
        (place - before, place + after)
    }

    /// The keys of the state that the tool of this step changed. Those that tools of one batch changed are recorded together,
    /// so all of them are with the last.
    fn changes_of_tool(&self, number: usize) -> Result<Map<String, Value>, ForkError> {
        let (begin, end) = self.batch(number);
        let of_batch = || self.placed().filter(|(_, (at, _))| (begin..end).contains(at));
        let has = |of_mocks: bool| {
            of_batch().any(|(_, (_, kind))| match kind {
                StepKind::Result { from, .. } => (*from == Origin::Mock) == of_mocks,
                _ => false,
            })
        };
        let (of_mocks, of_tools) = (has(true), has(false));
        let changes = self.from(end).map_while(|event| match event {
            Event::StateChange { changes, by } => Some((changes, *by == Role::Mock)),
            _ => None,
        });
        // What callbacks and control flow changed beside mocks, they change again.
        let changes =
            changes.filter(|(_, is_of_mock)| if *is_of_mock { of_mocks } else { of_tools });
        let changes =
            changes.filter_map(|(changes, _)| changes.decode::<Map<String, Value>>().ok());
        let changed: Map<String, Value> = changes.flatten().collect();
        let (first, last) = (of_batch().next(), of_batch().last());
        let first = first.map_or(number, |(first, _)| first);
        let last = last.map_or(number, |(last, _)| last);
        if changed.is_empty() || number == last {
            return Ok(changed);
        }
        match last >= self.step {
            true => Err(ForkError::WithinCalls { step: self.step, first, next: last + 1 }),
            false => Ok(Map::new()),
        }
    }

    /// Whether the model was not asked again after the result of this step, because the tool said so.
    fn ends_turn(&self, number: usize) -> bool {
        let (begin, end) = self.batch(number);
        let batch = self.from(begin).take(end - begin);
        let is_control_flow =
            |event: &Event| matches!(event, Event::ToolResult { from: Origin::Framework, .. });
        let caller = self.caller(number);
        let next = self.from(end).find_map(|event| match event {
            Event::ModelRequest { agent } => Some(Some(agent.as_str()) == caller),
            Event::UserMessage { .. } => Some(false),
            Event::Yield(info) => Some(info.kind != YieldKind::Loop),
            Event::Termination { reason, .. } => {
                Some(*reason == Some(TerminationReason::MaxDuration))
            }
            Event::Failure { .. } => Some(true),
            _ => None,
        });
        next == Some(false) && !{ batch }.any(is_control_flow)
    }

    /// The agent that made the call of this step.
    fn caller(&self, number: usize) -> Option<&'r str> {
        let Some(StepKind::Result { call_id, .. }) =
            self.steps.get(number.checked_sub(1)?).map(|step| &step.kind)
        else {
            return None;
        };
        self.events.iter().find_map(|entry| match &entry.event {
            Event::ToolCall { call_id: id, agent, .. } if id == call_id => Some(agent.as_str()),
            _ => None,
        })
    }

    /// Whether a user agent was asked before this place.
    fn was_asked_before(&self, place: usize) -> bool {
        let mut before = self.events.iter().take(place);
        before.any(|entry| matches!(entry.event, Event::Yield(_)))
    }

    /// The keys of the state that users changed with the answer at this place. Answers that were given at the same time
    /// are recorded with one change, which is that of the last.
    fn changes_of_user(&self, place: usize, kind: &YieldKind) -> Map<String, Value> {
        let changes = |event: &Event| match event {
            Event::StateChange { changes, by: Role::UserAgent } => changes.decode().ok(),
            _ => None,
        };
        let found = match kind {
            // A message is sent after its changes.
            YieldKind::Loop => {
                let before = self.events.iter().take(place).rev().map(|entry| &entry.event);
                let mut before =
                    before.take_while(|event| !matches!(event, Event::UserAgentResponse { .. }));
                before.find_map(changes)
            }
            YieldKind::Tool { .. } => {
                let after = self.from(place + 1);
                let mut after = after.take_while(|event| {
                    !matches!(
                        event,
                        Event::UserAgentResponse { .. }
                            | Event::ModelRequest { .. }
                            | Event::UserMessage { .. }
                    )
                });
                after.find_map(changes)
            }
        };
        found.unwrap_or_default()
    }

    /// Whether the user was not asked again after the message at this place, and the run ended by itself.
    fn is_last_word(&self, place: usize) -> bool {
        let mut after = self.from(place + 1);
        !after.any(|event| {
            matches!(
                event,
                Event::Yield(YieldInfo { kind: YieldKind::Loop, .. })
                    | Event::UserMessage { .. }
                    | Event::Failure { .. }
                    | Event::Termination { reason: Some(_), .. }
            )
        })
    }
}

/// The request for a confirmation of this call in the arguments of a wait.
fn asked_in(args: &JsonText, call_id: &str) -> Option<ConfirmationRequest> {
    let document = JsonIndex::of(args);
    let original = document.root().member("originalFunctionCall")?;
    let id = original.member("id")?.string()?.into_owned();
    if id != call_id {
        return None;
    }
    document.root().member("toolConfirmation")?.to_json().decode().ok()
}

impl GivenOutcome {
    /// How what the model gets differs from what it got in the run.
    pub(crate) fn differs(&self, result: &JsonText) -> bool {
        match self {
            Self::Recorded(before) | Self::Asked(_, before) => {
                !equal(before, result, Equality::Json)
            }
            Self::Returns(_) | Self::Raises(_) => false,
        }
    }
}
