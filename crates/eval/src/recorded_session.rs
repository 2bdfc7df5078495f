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
use serde_json::{Map, Value, json};

use crate::confirmation::{CONFIRMATION, ConfirmationRequest, REJECTED};
use crate::given_model::{GivenModel, ModelCall, ModelTurn};
use crate::message::Message;

/// The user and the model of a recorded case.
#[derive(Debug, Clone)]
pub struct RecordedSession {
    /// What the user said, by turn.
    pub messages: Vec<RecordedMessage>,
    /// What the user answered while calls waited within a turn: by tool, in the order in which its calls waited. Tools
    /// that needed no answer are not among them.
    pub answers: BTreeMap<String, Vec<RecordedAnswer>>,
    /// What the tools' own code asked the user, by the id of the call.
    pub requests: RecordedRequests,
    /// The ids of the calls with whose result the agent's turn ended: their tool set `skip_summarization`, and the model
    /// was not asked again.
    pub ending: BTreeSet<String>,
    /// Whether google-adk asked for a confirmation.
    pub asks_for_confirmation: bool,
    /// Whether each turn ends with its response. Otherwise it ends while a call waits.
    pub ends_with_texts: bool,
    /// What the model responded.
    pub model: GivenModel,
    /// What is known beyond the turns of an eval set; `None` for a case of one.
    pub facts: Option<SessionFacts>,
}

/// A recorded case.
#[derive(Debug)]
pub(crate) struct RecordedCase {
    pub(crate) case: Case,
    /// What only a recorded session says; `None` for a case of an eval set.
    pub(crate) session: Option<SessionFacts>,
}

/// What the events of a session tell, and an eval set does not.
#[derive(Debug, Clone, Default)]
pub struct SessionFacts {
    /// Of calls, by their ids.
    pub calls: BTreeMap<String, CallFacts>,
    /// What the model responded, if that is recorded apart from the events.
    pub model: Option<GivenModel>,
    /// The keys of the state that changed with each message of the user.
    pub changes: Vec<Map<String, Value>>,
}

impl SessionFacts {
    /// Gives the calls of a trace what their tools returned in later turns.
    pub(crate) fn complete(&self, trace: &mut Trace) {
        for call in trace.invocations.iter_mut().flat_map(|turn| &mut turn.tool_calls) {
            let facts = call.id.as_ref().and_then(|id| self.calls.get(id));
            if let Some(result) = facts.and_then(|facts| facts.result.as_ref()) {
                call.result = Some(result.clone());
            }
        }
    }
}

/// What the events of a session tell of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallFacts {
    /// What the tool returned last. It may be in a later turn than the call.
    pub result: Option<JsonText>,
    /// The keys of the state that changed, for each time that it returned.
    pub changes: Vec<Map<String, Value>>,
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

/// The requests for a confirmation by the ids of the calls.
pub type RecordedRequests = BTreeMap<String, RecordedRequest>;

/// A request for a confirmation by the code of a tool.
///
/// What google-adk asks for a tool with `require_confirmation` is none. A rehearsal does not record who asked, so each of
/// its requests may be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// What the tool asked.
    pub request: ConfirmationRequest,
    /// What it returned meanwhile.
    pub meanwhile: JsonText,
    /// Whether the user confirmed the call, as far as the recording tells.
    pub is_confirmed: bool,
    /// What it returned then; `None` if the user gave no answer, or denied it in a rehearsal.
    pub result: Option<JsonText>,
}

/// How the names of calls begin by which google-adk itself asks the user, though they are recorded as the agent's.
pub(crate) const ASKING: &str = "adk_request_";

/// What google-adk's tools return while their confirmation is awaited.
const AWAITS: &str = "This tool call requires confirmation, please approve or reject.";

/// The type of the error of a call that a person denied in a rehearsal.
const DENIED: &str = "ConfirmationDenied";

/// Whether the result is a tool's own: neither that of a call that was not confirmed, nor of a tool that the model made
/// up.
pub(crate) fn is_of_tool(result: &JsonText) -> bool {
    !is_denied_in_rehearsal(result)
        && !is_of_made_up_tool(result)
        && error(result).is_none_or(|it| it != AWAITS && it != REJECTED)
}

/// Whether the result says that there is no such tool.
pub(crate) fn is_of_made_up_tool(result: &JsonText) -> bool {
    error(result).is_some_and(|error| {
        error.contains("failed as no tool with that name is available")
            || (error.starts_with("Tool '") && error.contains("' not found.\nAvailable tools:"))
    })
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
    /// The user and the model of `case`, whose trace is `trace`. `facts` are what is known beyond an eval set.
    #[must_use]
    pub fn of(case: &Case, trace: &Trace, facts: Option<SessionFacts>) -> Self {
        let case = as_adk(case);
        let turns = case.turns();
        let responses = trace.invocations.iter().map(|it| it.final_response.as_deref());
        let recorded: Vec<Vec<Step<'_>>> = turns
            .iter()
            .zip(responses)
            .map(|(turn, response)| steps(turn, response.unwrap_or_default()))
            .collect();
        let confirmed = AdkMark::confirmed(&case);
        let requests = requests(turns, &recorded, trace, &confirmed);
        let answered = || turns.iter().flat_map(|turn| responses_in(&turn.user_content));
        let reader = Reader {
            confirmed,
            requests: &requests,
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
        let (mut messages, mut models, mut by_agent) = (Vec::new(), Vec::new(), Vec::new());
        let (mut asks_for_confirmation, mut ends_with_texts) = (false, true);
        let (mut answers, mut needed) = (BTreeMap::<_, Vec<_>>::new(), BTreeSet::new());
        for ((turn, traced), steps) in turns.iter().zip(&trace.invocations).zip(&recorded) {
            let reading = reader.turn(turn, traced, steps);
            messages.push(reading.message);
            let last = reading.model.last();
            ends_with_texts &= last.is_some_and(|last| {
                last.calls.is_empty()
                    && !last.text.is_empty()
                    && Some(&last.text) == traced.final_response.as_ref()
            });
            by_agent.push(of_agents(reading.authors, &reading.model));
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
        // Eval sets have lists of calls without their agents.
        let model = match &facts {
            None => GivenModel::Replay(models.into()),
            Some(SessionFacts { model: Some(model), .. }) => model.clone(),
            Some(_) => GivenModel::ReplayByAgent(by_agent.into()),
        };
        let ending = ending(turns, &recorded, &requests);
        Self {
            messages,
            answers,
            requests,
            ending,
            asks_for_confirmation,
            ends_with_texts,
            model,
            facts,
        }
    }
}

/// The responses by the agents that they are of.
fn of_agents(authors: Vec<String>, turns: &[ModelTurn]) -> BTreeMap<String, Vec<ModelTurn>> {
    let mut of_agents = BTreeMap::<_, Vec<_>>::new();
    for (author, turn) in authors.into_iter().zip(turns) {
        of_agents.entry(author).or_default().push(turn.clone());
    }
    of_agents
}

/// The calls with whose result the agent's turn ended, though nothing waited: google-adk asks the model after all others.
fn ending(
    turns: &[Turn],
    recorded: &[Vec<Step<'_>>],
    requests: &RecordedRequests,
) -> BTreeSet<String> {
    let turns = turns.iter().zip(recorded);
    turns.flat_map(|(turn, steps)| ending_in(turn, steps, requests)).collect()
}

fn ending_in(turn: &Turn, steps: &[Step<'_>], requests: &RecordedRequests) -> Vec<String> {
    let mut ending = Vec::new();
    let is_list = turn.intermediate_data.as_ref().is_none_or(|it| it.invocation_events.is_empty());
    let mut response = turn.final_response.iter().flat_map(responses_in);
    if is_list && response.next().is_none() {
        return ending;
    }
    for (at, step) in steps.iter().enumerate() {
        let Step::Model { calls, .. } = step else { continue };
        let made: Vec<&str> = calls.iter().filter_map(|call| call.id.as_deref()).collect();
        let mut returned = BTreeSet::new();
        let mut later = steps.iter().skip(at + 1).skip_while(|step| match step {
            Step::Model { .. } => false,
            Step::Asks(_) => true,
            // A second result of a call comes after the user's answer.
            Step::Returns(it) => {
                it.id.as_deref().is_some_and(|id| made.contains(&id) && returned.insert(id))
            }
        });
        let is_asked_again = later.next().is_some_and(Step::is_of_model);
        let waits = |id: &&str| {
            let result =
                results(Some(id), steps).next().and_then(|it| error(&AdkMark::result_of(it)));
            requests.contains_key(*id) || result.as_deref() == Some(AWAITS)
        };
        if !is_asked_again && !made.iter().any(waits) {
            ending.extend(returned.into_iter().map(str::to_owned));
        }
    }
    ending
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

impl Step<'_> {
    fn is_of_model(&self) -> bool {
        matches!(self, Self::Model { .. })
    }

    /// Whether the run may stop after it, until the user answers.
    fn may_stop(&self) -> bool {
        match self {
            Self::Model { calls, .. } => calls.is_empty(),
            Self::Asks(_) => true,
            Self::Returns(_) => false,
        }
    }

    /// Whether the model makes the call with this id.
    fn makes(&self, id: &str) -> bool {
        matches!(self, Self::Model { calls, .. } if calls.iter().any(|it| it.id.as_deref() == Some(id)))
    }
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
        // A turn that ends while a call waits has that call as its response, which is among the events.
        let calls = |content: &Content| content.parts().iter().any(|it| it.function_call.is_some());
        ends |= !is_list && response.is_some_and(calls);
        for (call, result) in data.calls_with_responses(response).filter(|_| is_list) {
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

/// What the code of tools asked the user.
fn requests(
    turns: &[Turn],
    recorded: &[Vec<Step<'_>>],
    trace: &Trace,
    confirmed: &BTreeSet<String>,
) -> RecordedRequests {
    let mut requests = RecordedRequests::new();
    for call in trace.invocations.iter().flat_map(|turn| &turn.tool_calls) {
        let Some(id) = &call.id else { continue };
        let is_confirmed = confirmed.contains(id);
        if is_confirmed || call.result.as_ref().is_some_and(is_denied_in_rehearsal) {
            // Nothing comes between in a rehearsal.
            let request =
                ConfirmationRequest { skip_summarization: true, ..ConfirmationRequest::default() };
            let (meanwhile, result) = (JsonText::null(), call.result.clone());
            let result = result.filter(|_| is_confirmed);
            let request = RecordedRequest { request, meanwhile, is_confirmed, result };
            requests.insert(id.clone(), request);
        }
    }
    let answers = || turns.iter().flat_map(|turn| responses_in(&turn.user_content));
    // Lists have one result for each call, and do not tell which.
    let is_list = |turn: &Turn| {
        turn.intermediate_data.as_ref().is_some_and(|data| data.invocation_events.is_empty())
    };
    for (turn, steps) in turns.iter().zip(recorded).filter(|(turn, _)| !is_list(turn)) {
        for (at, step) in steps.iter().enumerate() {
            let Some(asked) = asked(step) else { continue };
            let Some(id) = asked.call.clone() else { continue };
            let mut results = recorded.iter().flat_map(|steps| results(Some(&id), steps));
            let Some(meanwhile) = results.next().filter(|it| !asked.is_of_adk(it)) else {
                continue;
            };
            let is_of_answer =
                |it: &&FunctionResponse| it.id.is_some() && it.id.as_deref() == asked.id;
            let answer = answers().find(is_of_answer).and_then(|it| it.response.as_ref());
            let is_returned = |step: &Step<'_>| matches!(step, Step::Returns(it) if it.id.as_deref() == Some(&*id));
            let from = steps.iter().position(is_returned).unwrap_or_default().max(at);
            let later = steps.get(from + 1..).unwrap_or_default();
            let until_next = later.split(is_returned).next().unwrap_or_default();
            let made = steps.iter().rposition(|step| step.makes(&id)).unwrap_or_default();
            let is_of_earlier = |step: &Step<'_>| match step {
                Step::Returns(it) => it
                    .id
                    .as_deref()
                    .is_some_and(|id| steps.iter().take(made).any(|step| step.makes(id))),
                _ => false,
            };
            // An earlier call returns again once the user has answered it.
            let answered_first = until_next.iter().position(is_of_earlier);
            let mut before_answer = until_next.iter().take(answered_first.unwrap_or_default());
            let is_asked = match until_next.iter().rposition(Step::is_of_model) {
                None => false,
                Some(_) if answered_first.is_some() => before_answer.any(Step::is_of_model),
                Some(_) if until_next.len() < later.len() => true,
                // If another call was answered that waited at the same time, the model responds to that one, unless the
                // run stopped for it later.
                Some(last) => {
                    let is_made = |id: &str| steps.iter().skip(made).any(|step| step.makes(id));
                    let mut answered =
                        responses_in(&turn.user_content).filter_map(|it| it.id.as_deref());
                    !answered.any(is_made) || until_next.iter().take(last).any(Step::may_stop)
                }
            };
            let request = RecordedRequest {
                request: ConfirmationRequest {
                    hint: asked.hint,
                    payload: asked.payload,
                    skip_summarization: !is_asked,
                },
                meanwhile: AdkMark::result_of(meanwhile),
                is_confirmed: answer.is_none_or(is_confirmation),
                result: results.last().map(AdkMark::result_of),
            };
            requests.insert(id, request);
        }
    }
    requests
}

/// Whether an answer to a request for a confirmation confirms the call. Clients of google-adk may send it as a text.
fn is_confirmation(answer: &JsonText) -> bool {
    let document = JsonIndex::of(answer);
    let text = document.root().member("response").and_then(|text| text.to_json().decode().ok());
    let written = text.and_then(|text: String| JsonText::parse(&text).ok());
    let document = JsonIndex::of(written.as_ref().unwrap_or(answer));
    let confirmed = document.root().member("confirmed");
    confirmed.is_some_and(|it| it.to_json() == JsonText::from_value(&json!(true)))
}

/// Whether the turn is recorded in events, with what its calls returned.
fn has_results(turn: &Turn) -> bool {
    let events = turn.intermediate_data.iter().flat_map(|data| &data.invocation_events);
    let contents = events.filter_map(|event| event.content.as_ref()).chain(&turn.final_response);
    contents.flat_map(responses_in).next().is_some()
}

/// What every turn of a case is read with.
struct Reader<'a> {
    /// The ids of the calls that a person confirmed in a rehearsal.
    confirmed: BTreeSet<String>,
    requests: &'a RecordedRequests,
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
    /// The agents that the responses of the model are of.
    authors: Vec<String>,
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
    /// A call runs once it is confirmed.
    Confirmation {
        /// The id of the call.
        call: Option<String>,
        /// Whether the run stops for it at once. Otherwise the model is asked before.
        is_pause: bool,
    },
    /// It has returned nothing.
    Result,
    /// It has returned something, and the user may give another result.
    Interim,
}

impl<'a> Reader<'a> {
    fn turn(&self, turn: &'a Turn, traced: &Invocation, steps: &[Step<'a>]) -> Reading {
        let is_lost = is_answer_to(&turn.user_content, steps);
        let message = match (is_lost, Message::recorded(traced)) {
            (true, _) => RecordedMessage::Lost,
            (false, Ok(message)) => RecordedMessage::Kept(message),
            (false, Err(error)) => RecordedMessage::Unsendable(error.to_string()),
        };
        let (mut model, mut authors, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        let mut waiting: Vec<Waiting<'a>> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let Step::Model { author, text, calls } = step else { continue };
            let later = steps.get(at + 1..).unwrap_or_default();
            let until_next = later.split(Step::is_of_model).next().unwrap_or_default();
            let next = later.get(until_next.len());
            waiting.extend(calls.iter().filter_map(|call| self.waiting(call, steps)));
            waiting.extend(until_next.iter().filter_map(asked).map(|it| self.asking(it)));
            let is_asked_again = calls.is_empty()
                && is_lost
                && matches!(next, Some(Step::Model { author: then, .. }) if then == author);
            if is_asked_again && waiting.is_empty() {
                continue; // Nothing tells what it waited for.
            }
            model.push(model_turn(text, calls));
            authors.push((*author).to_owned());
            let has_returned = until_next.iter().any(|step| matches!(step, Step::Returns(_)));
            let waits_here = |it: &Waiting<'_>| match it.wait {
                Wait::Confirmation { is_pause, .. } => is_pause,
                Wait::Result => !has_returned,
                Wait::Interim => false,
            };
            let is_answered_here = |it: &Waiting<'_>| match &it.wait {
                Wait::Confirmation { call: Some(id), .. } => {
                    let before = steps.get(..at).unwrap_or_default();
                    results(Some(id), before).next().is_some()
                        && results(Some(id), until_next).next().is_some()
                }
                _ => false,
            };
            if next.is_none()
                || is_asked_again
                || waiting.iter().any(is_answered_here)
                || (!calls.is_empty() && waiting.iter().any(waits_here))
            {
                let waited = std::mem::take(&mut waiting);
                answers.extend(self.answers(&waited, turn, steps, later, next.is_some()));
            }
        }
        Reading { message, model, authors, answers }
    }

    /// The call, if it may wait for the user.
    fn waiting(&self, call: &'a FunctionCall, steps: &[Step<'a>]) -> Option<Waiting<'a>> {
        let (name, asked) = (call.name.as_deref()?, call.id.as_deref());
        let result = results(asked, steps).last();
        let is_confirmation = asked.is_some_and(|id| self.confirmed.contains(id))
            || result.is_some_and(is_denied_in_rehearsal);
        let has_waited = |id: &str| self.answered.contains(id) || self.left_waiting.contains(id);
        let wait = match result {
            _ if is_confirmation => {
                Wait::Confirmation { call: asked.map(str::to_owned), is_pause: true }
            }
            None if self.is_complete || asked.is_some_and(has_waited) => Wait::Result,
            Some(_) if self.answered_tools.contains(name) => Wait::Interim,
            _ => return None,
        };
        Some(Waiting { tool: name.to_owned(), asked, wait })
    }

    /// The call that is to be confirmed.
    fn asking(&self, asked: Asked<'a>) -> Waiting<'a> {
        let own = asked.call.as_ref().and_then(|id| self.requests.get(id));
        let is_pause = own.is_none_or(|it| it.request.skip_summarization);
        let wait = Wait::Confirmation { call: asked.call, is_pause };
        Waiting { tool: asked.tool, asked: asked.id, wait }
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
                (None, Wait::Confirmation { .. }) if is_lost => {
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
            let is_confirmation = matches!(it.wait, Wait::Confirmation { .. });
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
        let Wait::Confirmation { call, .. } = &waiting.wait else { return answered };
        let asked_apart = waiting.asked != call.as_deref();
        answered
            .or_else(|| results(waiting.asked, steps).last().filter(|_| asked_apart).cloned())
            .or_else(|| {
                let own = call.as_ref().and_then(|id| self.requests.get(id));
                if own.is_some() && asked_apart && results(call.as_deref(), steps).nth(1).is_none()
                {
                    return None; // It has returned only what it gave meanwhile.
                }
                let result = results(call.as_deref(), later).last()?;
                let text = error(result);
                let is_denied = own.is_some_and(|it| !it.is_confirmed)
                    || is_denied_in_rehearsal(result)
                    || text.as_deref() == Some(REJECTED);
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

/// A request for the confirmation of a call.
struct Asked<'a> {
    /// The id of the request.
    id: Option<&'a str>,
    tool: String,
    /// The id of the call.
    call: Option<String>,
    hint: String,
    payload: JsonText,
}

impl Asked<'_> {
    /// Whether google-adk asks it for a tool with `require_confirmation`, which then has this result.
    fn is_of_adk(&self, result: &JsonText) -> bool {
        let hint = format!("Please approve or reject the tool call {}()", self.tool);
        error(result).as_deref() == Some(AWAITS) && self.hint.starts_with(&hint)
    }
}

fn asked<'a>(step: &Step<'a>) -> Option<Asked<'a>> {
    let Step::Asks(call) = step else { return None };
    let document = JsonIndex::of(call.args.as_ref()?);
    let original = document.root().member("originalFunctionCall")?;
    let request = document.root().member("toolConfirmation");
    let text = |name| original.member(name)?.to_json().decode::<String>().ok();
    let asks = |name| request?.member(name).map(|it| it.to_json());
    let is_confirmation = call.name.as_deref() == Some(CONFIRMATION);
    is_confirmation.then_some(Asked {
        id: call.id.as_deref(),
        tool: text("name")?,
        call: text("id"),
        hint: asks("hint").and_then(|hint| hint.decode().ok()).unwrap_or_default(),
        payload: asks("payload").unwrap_or_else(JsonText::null),
    })
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

/// A response of a model.
pub(crate) fn model_turn(text: &str, calls: &[&FunctionCall]) -> ModelTurn {
    let calls = calls.iter().map(|call| {
        let args = call.args.clone().unwrap_or_else(|| JsonText::from_value(&json!({})));
        ModelCall::new(call.name.as_deref().unwrap_or_default(), args)
    });
    ModelTurn { text: text.to_owned(), calls: calls.collect() }
}
