//! [`RecordedSession`]: a recorded case as the user and the model of a run.
//!
//! Where a call waits for the user within a turn, google-adk's recorder gives the turn the user's answer as its message:
//! of what the user sent in a turn, it keeps only the last. What the user said first is lost there, and earlier answers
//! are known only by what followed.

use std::collections::{BTreeMap, BTreeSet};

use evalset::Case;
use evalset::adk::{
    AdkMark, Content, EvalCase, FunctionCall, FunctionResponse, Invocation as Turn,
};
use json_text::{JsonIndex, JsonText};
use scoring::{Invocation, Trace};
use serde_json::json;

use crate::given_model::{GivenModel, ModelCall, ModelTurn};
use crate::message::Message;
use crate::subject::CONFIRMATION;

/// The user and the model of a recorded case.
#[derive(Debug, Clone)]
pub struct RecordedSession {
    /// What the user said, by turn.
    pub messages: Vec<RecordedMessage>,
    /// What the user answered while calls waited within a turn: by tool, in the order in which its calls waited. Tools
    /// that needed no answer are not among them.
    pub answers: BTreeMap<String, Vec<RecordedAnswer>>,
    /// Whether google-adk asked for a confirmation.
    pub asks_for_confirmation: bool,
    /// Whether each turn ends with its response. Otherwise it ends while a call waits.
    pub ends_with_texts: bool,
    /// What the model responded.
    pub model: GivenModel,
}

/// The user's message of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordedMessage {
    /// What the user said.
    Kept(Message),
    /// The recording has the answer to a call of the turn in its place.
    Lost,
    /// google-adk does not send it, for this reason.
    Unsendable(String),
}

/// The answer to a call that waited.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordedAnswer {
    /// This one.
    Given(JsonText),
    /// There was one, which the recording does not have.
    Lost,
    /// There was none.
    None,
}

/// How the names of calls begin by which google-adk itself asks the user, though they are recorded as the agent's.
pub(crate) const ASKING: &str = "adk_request_";

/// What google-adk's tools return while their confirmation is awaited.
const AWAITS: &str = "This tool call requires confirmation, please approve or reject.";

/// What google-adk's tools return when a person denied them.
const REJECTED: &str = "This tool call is rejected.";

/// The type of the error of a call that a person denied in a rehearsal.
const DENIED: &str = "ConfirmationDenied";

/// Whether the result is a tool's own: neither that of a call that was not confirmed, nor of a tool that the model made
/// up.
pub(crate) fn is_of_tool(result: &JsonText) -> bool {
    let is_made_up = |error: &str| {
        error.contains("failed as no tool with that name is available")
            || (error.starts_with("Tool '") && error.contains("' not found.\nAvailable tools:"))
    };
    !is_denied_in_rehearsal(result)
        && error(result).is_none_or(|it| it != AWAITS && it != REJECTED && !is_made_up(&it))
}

fn is_denied_in_rehearsal(result: &JsonText) -> bool {
    let document = JsonIndex::of(result);
    let kind = document.root().member("error").and_then(|error| error.member("type"));
    kind.is_some_and(|kind| kind.to_json() == JsonText::string(DENIED))
}

/// The text of an error that google-adk gives in place of a tool's result.
fn error(result: &JsonText) -> Option<String> {
    JsonIndex::of(result).root().member("error")?.to_json().decode().ok()
}

/// The case in google-adk's current format.
pub(crate) fn as_adk(case: &Case) -> EvalCase {
    match case {
        Case::Adk(case) => case.clone(),
        Case::AdkLegacy(case) => case.to_current(),
        Case::AgentFlow(case) => Case::AgentFlow(case.clone()).into_adk(),
    }
}

impl RecordedSession {
    /// The user and the model of `case`, whose trace is `trace`.
    #[must_use]
    pub fn of(case: &Case, trace: &Trace) -> Self {
        let case = as_adk(case);
        let turns = case.turns();
        let answered = || turns.iter().flat_map(|turn| responses_in(&turn.user_content));
        let reader = Reader {
            confirmed: AdkMark::confirmed(&case),
            answered: answered().filter_map(|it| it.id.as_deref()).collect(),
            answered_tools: answered().filter_map(|it| it.name.as_deref()).collect(),
            left_waiting: turns
                .iter()
                .filter_map(|turn| turn.final_response.as_ref())
                .flat_map(Content::parts)
                .filter_map(|part| part.function_call.as_ref()?.id.as_deref())
                .collect(),
            is_complete: turns.iter().any(has_results),
        };
        let (mut messages, mut models) = (Vec::new(), Vec::new());
        let (mut asks_for_confirmation, mut ends_with_texts) = (false, true);
        let (mut answers, mut needed) = (BTreeMap::<_, Vec<_>>::new(), BTreeSet::new());
        for (turn, traced) in turns.iter().zip(&trace.invocations) {
            let reading = reader.turn(turn, traced);
            messages.push(reading.message);
            let last = reading.model.last();
            ends_with_texts &= last.is_some_and(|last| {
                last.calls.is_empty()
                    && !last.text.is_empty()
                    && Some(&last.text) == traced.final_response.as_ref()
            });
            models.push(reading.model);
            for answer in reading.answers {
                asks_for_confirmation |= answer.is_confirmation;
                if answer.is_needed {
                    needed.insert(answer.tool.clone());
                }
                answers.entry(answer.tool).or_default().push(answer.answer);
            }
        }
        answers.retain(|tool, _| needed.contains(tool));
        let model = GivenModel::Replay(models.into());
        Self { messages, answers, asks_for_confirmation, ends_with_texts, model }
    }
}

/// A part of a turn, in order.
enum Step<'a> {
    /// The model responds.
    Model { author: &'a str, text: String, calls: Vec<&'a FunctionCall> },
    /// google-adk asks the user.
    Asks(&'a FunctionCall),
    /// A call returns.
    Returns(&'a FunctionResponse),
}

/// The parts of a turn, whose response is `text`. Lists of calls have no texts between them, so each call is taken for a
/// response of its own.
fn steps<'a>(turn: &'a Turn, text: &str) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    let mut ends = false;
    let response = turn.final_response.as_ref();
    if let Some(data) = &turn.intermediate_data {
        for event in &data.invocation_events {
            // google-adk leaves out the content of the event that is the final response.
            ends |= event.content.is_none();
            if let Some(content) = event.content.as_ref().or(response) {
                add_event(&event.author, content, &mut steps);
            }
        }
        let is_list = data.invocation_events.is_empty();
        for (call, result) in data.calls_with_responses().filter(|_| is_list) {
            steps.push(match is_asking(call) {
                true => Step::Asks(call),
                false => Step::Model { author: "", text: String::new(), calls: vec![call] },
            });
            steps.extend(result.map(Step::Returns));
        }
    }
    if !ends && !text.is_empty() {
        steps.push(Step::Model { author: "", text: text.to_owned(), calls: Vec::new() });
    }
    steps
}

fn add_event<'a>(author: &'a str, content: &'a Content, steps: &mut Vec<Step<'a>>) {
    let calls = || content.parts().iter().filter_map(|part| part.function_call.as_ref());
    let made: Vec<_> = calls().filter(|call| !is_asking(call)).collect();
    let text = content.text();
    if !made.is_empty() || !text.is_empty() {
        steps.push(Step::Model { author, text, calls: made });
    }
    steps.extend(calls().filter(|call| is_asking(call)).map(Step::Asks));
    steps.extend(responses_in(content).map(Step::Returns));
}

fn is_asking(call: &FunctionCall) -> bool {
    call.name.as_deref().is_some_and(|name| name.starts_with(ASKING))
}

fn responses_in(content: &Content) -> impl Iterator<Item = &FunctionResponse> {
    content.parts().iter().filter_map(|part| part.function_response.as_ref())
}

/// Whether the turn is recorded in events, with what its calls returned.
fn has_results(turn: &Turn) -> bool {
    let events = turn.intermediate_data.iter().flat_map(|data| &data.invocation_events);
    events.filter_map(|event| event.content.as_ref()).any(|it| responses_in(it).next().is_some())
}

/// What every turn of a case is read with.
struct Reader<'a> {
    /// The ids of the calls that a person confirmed in a rehearsal.
    confirmed: BTreeSet<String>,
    /// The ids of the calls that messages of the user answer.
    answered: BTreeSet<&'a str>,
    /// The names of the calls that messages of the user answer.
    answered_tools: BTreeSet<&'a str>,
    /// The ids of the calls with which turns end.
    left_waiting: BTreeSet<&'a str>,
    /// Whether a call without a result is one that returned nothing. Many eval sets have no results at all.
    is_complete: bool,
}

/// A turn as it is read.
struct Reading {
    message: RecordedMessage,
    model: Vec<ModelTurn>,
    answers: Vec<AnswerOfTool>,
}

struct AnswerOfTool {
    tool: String,
    answer: RecordedAnswer,
    /// Whether the run cannot go on unless somebody is asked.
    is_needed: bool,
    is_confirmation: bool,
}

/// A call that may wait for the user.
struct Waiting<'a> {
    tool: String,
    /// The id of the call that the user answers.
    asked: Option<&'a str>,
    wait: Wait,
}

enum Wait {
    /// The call with this id runs once it is confirmed.
    Confirmation(Option<String>),
    /// It has returned nothing.
    Result,
    /// It has returned something, and the user may give another result.
    Interim,
}

impl<'a> Reader<'a> {
    fn turn(&self, turn: &'a Turn, traced: &Invocation) -> Reading {
        let steps = &*steps(turn, traced.final_response.as_deref().unwrap_or_default());
        let is_lost = is_answer_to(&turn.user_content, steps);
        let message = match (is_lost, Message::recorded(traced)) {
            (true, _) => RecordedMessage::Lost,
            (false, Ok(message)) => RecordedMessage::Kept(message),
            (false, Err(reason)) => RecordedMessage::Unsendable(reason),
        };
        let (mut model, mut answers) = (Vec::new(), Vec::new());
        let mut waiting: Vec<Waiting<'a>> = Vec::new();
        let is_model = |step: &Step<'_>| matches!(step, Step::Model { .. });
        for (at, step) in steps.iter().enumerate() {
            let Step::Model { author, text, calls } = step else { continue };
            let later = steps.get(at + 1..).unwrap_or_default();
            let until_next = later.split(is_model).next().unwrap_or_default();
            let next = later.get(until_next.len());
            waiting.extend(calls.iter().filter_map(|call| self.waiting(call, steps)));
            waiting.extend(until_next.iter().filter_map(asked));
            let is_asked_again = calls.is_empty()
                && is_lost
                && matches!(next, Some(Step::Model { author: then, .. }) if then == author);
            if is_asked_again && waiting.is_empty() {
                continue; // Nothing tells what it waited for.
            }
            model.push(model_turn(text, calls));
            let has_returned = until_next.iter().any(|step| matches!(step, Step::Returns(_)));
            let waits_here = |it: &Waiting<'_>| match it.wait {
                Wait::Confirmation(_) => true,
                Wait::Result => !has_returned,
                Wait::Interim => false,
            };
            if next.is_none()
                || is_asked_again
                || (!calls.is_empty() && waiting.iter().any(waits_here))
            {
                let waited = std::mem::take(&mut waiting);
                answers.extend(self.answers(&waited, turn, steps, later, next.is_some()));
            }
        }
        Reading { message, model, answers }
    }

    /// The call, if it may wait for the user.
    fn waiting(&self, call: &'a FunctionCall, steps: &[Step<'a>]) -> Option<Waiting<'a>> {
        let (name, asked) = (call.name.as_deref()?, call.id.as_deref());
        let result = results(asked, steps).last();
        let is_confirmation = asked.is_some_and(|id| self.confirmed.contains(id))
            || result.is_some_and(is_denied_in_rehearsal);
        let has_waited = |id: &str| self.answered.contains(id) || self.left_waiting.contains(id);
        let wait = match result {
            _ if is_confirmation => Wait::Confirmation(asked.map(str::to_owned)),
            None if self.is_complete || asked.is_some_and(has_waited) => Wait::Result,
            Some(_) if self.answered_tools.contains(name) => Wait::Interim,
            _ => return None,
        };
        Some(Waiting { tool: name.to_owned(), asked, wait })
    }

    /// What the user answered where the run waits for these calls. `later` is what follows, and `goes_on` whether the
    /// model is asked again.
    fn answers(
        &self,
        waited: &[Waiting<'a>],
        turn: &'a Turn,
        steps: &[Step<'a>],
        later: &[Step<'a>],
        goes_on: bool,
    ) -> Vec<AnswerOfTool> {
        let known: Vec<_> = waited.iter().map(|it| self.known(it, turn, steps, later)).collect();
        let is_lost = goes_on && known.iter().all(Option::is_none);
        let answers = waited.iter().zip(known).map(|(it, known)| {
            let answer = match (known, &it.wait) {
                (Some(answer), _) => RecordedAnswer::Given(answer),
                (None, Wait::Result | Wait::Interim) if is_lost => RecordedAnswer::Lost,
                // Another call was answered, of which nothing tells that it waited.
                (None, Wait::Confirmation(_)) if is_lost => {
                    RecordedAnswer::Given(JsonText::from_value(&json!({ "confirmed": false })))
                }
                (None, _) => RecordedAnswer::None,
            };
            // A later message answers it.
            let is_later = it.asked.is_some_and(|id| self.answered.contains(id));
            let is_needed = match answer {
                RecordedAnswer::Given(_) | RecordedAnswer::Lost => true,
                RecordedAnswer::None => !is_later && !matches!(it.wait, Wait::Interim),
            };
            let is_confirmation = matches!(it.wait, Wait::Confirmation(_));
            AnswerOfTool { tool: it.tool.clone(), answer, is_needed, is_confirmation }
        });
        answers.collect()
    }

    fn known(
        &self,
        waiting: &Waiting<'a>,
        turn: &'a Turn,
        steps: &[Step<'a>],
        later: &[Step<'a>],
    ) -> Option<JsonText> {
        // Recordings of other makers have the answer to a request as the result of a call.
        let answered = responses_in(&turn.user_content)
            .find(|response| response.id.is_some() && response.id.as_deref() == waiting.asked)
            .and_then(|response| response.response.clone());
        let Wait::Confirmation(call) = &waiting.wait else { return answered };
        let asked_apart = waiting.asked != call.as_deref();
        answered
            .or_else(|| results(waiting.asked, steps).last().filter(|_| asked_apart).cloned())
            .or_else(|| {
                let result = results(call.as_deref(), later).last()?;
                let text = error(result);
                let is_denied = is_denied_in_rehearsal(result) || text.as_deref() == Some(REJECTED);
                (text.as_deref() != Some(AWAITS))
                    .then(|| JsonText::from_value(&json!({ "confirmed": !is_denied })))
            })
    }
}

/// Whether a message has only answers to calls of its own turn.
fn is_answer_to(message: &Content, steps: &[Step<'_>]) -> bool {
    let made = steps.iter().flat_map(|step| match step {
        Step::Model { calls, .. } => calls.as_slice(),
        Step::Asks(call) => std::slice::from_ref(call),
        Step::Returns(_) => &[],
    });
    let made: BTreeSet<&str> = made.filter_map(|call| call.id.as_deref()).collect();
    let mut answers = responses_in(message).peekable();
    answers.peek().is_some()
        && answers.all(|it| it.id.as_deref().is_some_and(|id| made.contains(id)))
}

/// The call whose confirmation google-adk asks for.
fn asked<'a>(step: &Step<'a>) -> Option<Waiting<'a>> {
    let Step::Asks(call) = step else { return None };
    let document = JsonIndex::of(call.args.as_ref()?);
    let original = document.root().member("originalFunctionCall")?;
    let text = |name| original.member(name)?.to_json().decode::<String>().ok();
    let is_confirmation = call.name.as_deref() == Some(CONFIRMATION);
    let wait = Wait::Confirmation(text("id"));
    is_confirmation.then_some(Waiting { tool: text("name")?, asked: call.id.as_deref(), wait })
}

/// What the call with this id returned.
fn results<'a, 's>(
    id: Option<&'s str>,
    steps: &'s [Step<'a>],
) -> impl Iterator<Item = &'a JsonText> + use<'a, 's> {
    steps.iter().filter_map(move |step| match step {
        Step::Returns(response) if id.is_some() && response.id.as_deref() == id => {
            response.response.as_ref()
        }
        _ => None,
    })
}

fn model_turn(text: &str, calls: &[&FunctionCall]) -> ModelTurn {
    let calls = calls.iter().map(|call| ModelCall {
        tool: call.name.clone().unwrap_or_default(),
        args: call.args.clone().unwrap_or_else(|| JsonText::from_value(&json!({}))),
    });
    ModelTurn { text: text.to_owned(), calls: calls.collect() }
}
