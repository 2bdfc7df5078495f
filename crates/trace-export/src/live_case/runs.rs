//! Groups the events of a session into runs.
//!
//! The agent names its runs. Without a name, a request that ends with a user message begins a run. The
//! events of an agent that another one calls as a tool are in the run of the caller.

use std::collections::{HashMap, HashSet};

use api::{AnsweredTurn, LiveRun};
use json_text::JsonText;
use live::{Content, LlmRequest, Part as LivePart, Payload, Role, Sequence, SessionEvent, TurnId};
use rpc::wire;
use session::{SET_MODEL_RESPONSE, accepts_model_response};

use super::calls::Calls;
use super::parts::left_out;

/// The length of the excerpt that names a run or a turn, in characters.
const NAME: usize = 200;

/// Takes out of requests what a case does not need of them, for each holds a whole conversation.
#[derive(Debug, Default)]
pub struct Openings {
    named: HashSet<String>,
}

impl Openings {
    /// Leaves a request its conversation where it opens a run, else what came since the model last
    /// spoke. Each event is given once and in order.
    pub fn trim(&mut self, event: &mut wire::SessionEvent) {
        let opens = self.opens(event);
        if let Some(wire::session_event::Payload::Request(request)) = &mut event.payload {
            let contents = std::mem::take(&mut request.contents);
            let spoke = contents.iter().rposition(|it| it.role() == wire::Role::Model);
            let first = if opens { 0 } else { spoke.map_or(0, |at| at + 1) };
            let contents = contents.into_iter().skip(first).collect();
            let user_content = request.user_content.take();
            *request = wire::SimulatedLlmRequest { contents, user_content, ..Default::default() };
        }
    }

    fn opens(&mut self, event: &wire::SessionEvent) -> bool {
        let Some(wire::session_event::Payload::Request(request)) = &event.payload else {
            return false;
        };
        if event.invocation_id.is_empty() {
            return request.contents.last().is_some_and(|last| last.role() == wire::Role::User);
        }
        self.named.insert(event.invocation_id.clone())
    }
}

/// An agent's name for a run, and where it has none, the agent.
type Name<'a> = (&'a str, &'a str);

fn name(event: &SessionEvent) -> Name<'_> {
    match event.invocation_id.as_str() {
        "" => ("", event.agent_name.as_str()),
        run => (run, ""),
    }
}

/// A run as it is collected.
pub(super) struct Run<'a> {
    pub(super) first: u64,
    pub(super) at: i64,
    pub(super) agent: &'a str,
    /// The user message.
    pub(super) query: Vec<&'a LivePart>,
    pub(super) steps: Vec<RunStep<'a>>,
    /// What agents within it, called as tools, name their own runs.
    inner: HashSet<Name<'a>>,
    /// The ids of its calls that a tool has answered, by turn and place.
    pub(super) ids: HashMap<(TurnId, usize), String>,
    /// Whether some of its turns were left out.
    pub(super) is_cut: bool,
}

/// What happened in a run.
pub(super) enum RunStep<'a> {
    /// An event.
    Event(&'a SessionEvent),
    /// A tool answered.
    Returned(Returned<'a>),
}

/// What a tool answered.
pub(super) struct Returned<'a> {
    /// Its event.
    pub(super) event: &'a SessionEvent,
    /// The turn that called the tool.
    pub(super) turn: TurnId,
    /// The id of the call.
    pub(super) id: Option<String>,
    pub(super) response: &'a live::FunctionResponse,
}

/// What a run ends with.
pub(super) enum Final<'a> {
    /// This event, which says this.
    Said(Sequence, &'a [LivePart]),
    /// A value that ADK took for the answer.
    HandedIn(&'a JsonText),
}

impl<'a> Returned<'a> {
    /// The value that ADK ends the run with, where this is its word that it was taken.
    fn handed_in(&self) -> Option<&'a JsonText> {
        let failed = matches!(&self.event.payload, Payload::ToolResult(result) if result.failed);
        if failed || self.response.name != SET_MODEL_RESPONSE {
            return None;
        }
        self.response.response.as_ref().filter(|value| accepts_model_response(value))
    }
}

/// The runs of a session, in order of time.
#[must_use]
pub fn runs(events: &[SessionEvent]) -> Vec<LiveRun> {
    let described = |run: &Run<'_>| {
        let responses = run.responses();
        let response_parts = responses.iter().flat_map(|(_, parts)| *parts);
        let turn = |(event, parts): &(&SessionEvent, &[LivePart])| AnsweredTurn {
            answer: event.sequence.0,
            agent: event.agent_name.to_string(),
            calls: calls(parts).map(|call| call.name.clone()).collect(),
            text: texts(*parts).chars().take(NAME).collect(),
            ends: run.ends(event, parts).is_some(),
        };
        LiveRun {
            agent: run.agent.to_owned(),
            query: named(&run.query).chars().take(NAME).collect(),
            turns: responses.iter().map(turn).collect(),
            left_out: left_out(run.query.iter().copied().chain(response_parts)),
            later_user_messages: run.later_user_messages(),
        }
    };
    collect(events).iter().map(described).collect()
}

/// The agent that the first user spoke to: the one whose run has ended, for an agent that only has others
/// work asks no model; else the first that asked.
#[must_use]
pub fn root(events: &[SessionEvent]) -> Option<&str> {
    let first = events.iter().find(|event| matches!(event.payload, Payload::Request(_)))?;
    let run = &first.invocation_id;
    let is_its_end = |event: &&SessionEvent| {
        matches!(event.payload, Payload::RunEnded(_)) && event.invocation_id == *run
    };
    let end = events.iter().find(is_its_end).filter(|_| !run.as_str().is_empty());
    Some(end.unwrap_or(first).agent_name.as_str())
}

pub(super) fn collect(events: &[SessionEvent]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    // Without a name, the last of each agent.
    let mut named: HashMap<Name<'_>, usize> = HashMap::new();
    let mut turns = HashMap::new();
    let mut calls = Calls::default();
    for event in events {
        let name = name(event);
        let place = match &event.payload {
            Payload::Request(request) => {
                // Also where the user goes on in the same breath: the results end what was before.
                calls.shown(&event.agent_name, results(request), |call, response| {
                    let (turn, id) = (call.turn, call.id.clone());
                    let returned = Returned { event, turn, id, response };
                    if let Some(run) = runs.get_mut(call.run) {
                        run.steps.push(RunStep::Returned(returned));
                    }
                });
                calls.goes_on(event);
                let begins = name.0.is_empty() && ends_in_the_users_words(request);
                let place = match named.get(&name) {
                    Some(place) if !begins => *place,
                    _ => {
                        let caller = calls.caller(&event.agent_name);
                        let place = caller.unwrap_or(runs.len());
                        match runs.get_mut(place) {
                            Some(run) => drop(run.inner.insert(name)),
                            None => runs.push(Run::begun(event, request)),
                        }
                        named.insert(name, place);
                        place
                    }
                };
                turns.insert(event.turn_id, place);
                Some(place)
            }
            _ => turns.get(&event.turn_id).copied(),
        };
        let Some(place) = place else { continue };
        let step = match &event.payload {
            Payload::ToolResult(result) => {
                let response = &result.response;
                let call = calls.recorded(event, response);
                let id = call.map_or_else(|| response.id.clone(), |call| call.id.clone());
                RunStep::Returned(Returned { event, turn: event.turn_id, id, response })
            }
            Payload::Response(response) => {
                calls.called(event, response, place);
                RunStep::Event(event)
            }
            Payload::RunEnded(_) => {
                calls.ended(event);
                RunStep::Event(event)
            }
            Payload::Request(_) | Payload::Cancelled(_) => RunStep::Event(event),
        };
        if let Some(run) = runs.get_mut(place) {
            run.steps.push(step);
        }
    }
    for call in calls.iter() {
        if let (Some(run), Some(id)) = (runs.get_mut(call.run), &call.id) {
            run.ids.insert((call.turn, call.place), id.clone());
        }
    }
    runs
}

fn ends_in_the_users_words(request: &LlmRequest) -> bool {
    request.contents.last().is_some_and(|last| last.role == Role::User)
}

/// What tools answered since the model last spoke.
fn results(request: &LlmRequest) -> impl Iterator<Item = &live::FunctionResponse> {
    since_the_model(&request.contents).iter().flat_map(|content| &content.parts).filter_map(
        |part| match part {
            LivePart::FunctionResponse(response) => Some(response),
            _ => None,
        },
    )
}

/// What came after the model last spoke.
fn since_the_model(contents: &[Content]) -> &[Content] {
    let spoke = contents.iter().rposition(|content| content.role == Role::Model);
    contents.get(spoke.map_or(0, |at| at + 1)..).unwrap_or_default()
}

/// The user message that the agent reports; else the last one in the request; else the last tool
/// response in it.
fn query(request: &LlmRequest) -> Vec<&LivePart> {
    if let Some(content) = &request.user_content {
        return content.parts.iter().collect();
    }
    // Some agents begin the model's answer for it.
    let until = request.contents.iter().rposition(|content| content.role != Role::Model);
    let contents = request.contents.get(..until.map_or(0, |at| at + 1)).unwrap_or_default();
    let last = since_the_model(contents);
    let by = |role: Role| {
        let of = last.iter().filter(move |content| content.role == role);
        of.flat_map(|content| &content.parts).collect::<Vec<_>>()
    };
    let message = by(Role::User);
    if message.is_empty() { by(Role::Function) } else { message }
}

/// What a message is called: its texts, else what it shows.
fn named(parts: &[&LivePart]) -> String {
    let texts = texts(parts.iter().copied());
    if !texts.is_empty() {
        return texts;
    }
    let shown = parts.iter().filter_map(|part| match part {
        LivePart::InlineData(data) => Some(data.display_name.as_ref().unwrap_or(&data.mime_type)),
        LivePart::FunctionResponse(response) => Some(&response.name),
        LivePart::Other(other) => Some(&other.kind),
        LivePart::Text(_) | LivePart::Thought(_) | LivePart::FunctionCall(_) => None,
    });
    shown.map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn texts<'a>(parts: impl IntoIterator<Item = &'a LivePart>) -> String {
    let text = |part: &'a LivePart| match part {
        LivePart::Text(text) if !text.is_empty() => Some(text.as_str()),
        _ => None,
    };
    parts.into_iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

fn calls(parts: &[LivePart]) -> impl Iterator<Item = &live::FunctionCall> {
    parts.iter().filter_map(|part| match part {
        LivePart::FunctionCall(call) => Some(call),
        _ => None,
    })
}

impl<'a> Run<'a> {
    fn begun(event: &'a SessionEvent, request: &'a LlmRequest) -> Self {
        Self {
            first: event.sequence.0,
            at: event.at.0,
            agent: event.agent_name.as_str(),
            query: query(request),
            steps: Vec::new(),
            inner: HashSet::new(),
            ids: HashMap::new(),
            is_cut: false,
        }
    }

    /// Whether this is the work of an agent that another one called as a tool.
    pub(super) fn is_inner(&self, event: &SessionEvent) -> bool {
        self.inner.contains(&name(event))
    }

    /// Leaves out the answers that are not `chosen`, and what tools answered to them.
    pub(super) fn keep(&mut self, chosen: &[u64]) {
        let is_left = |event: &SessionEvent| {
            matches!(event.payload, Payload::Response(_)) && !chosen.contains(&event.sequence.0)
        };
        let left: HashSet<_> =
            self.events().filter(|event| is_left(event)).map(|event| event.turn_id).collect();
        self.is_cut = !left.is_empty();
        self.steps.retain(|step| match step {
            RunStep::Event(event) => !left.contains(&event.turn_id),
            RunStep::Returned(returned) => !left.contains(&returned.turn),
        });
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &SessionEvent> {
        self.steps.iter().filter_map(|step| match step {
            RunStep::Event(event) => Some(*event),
            RunStep::Returned(_) => None,
        })
    }

    /// How often its agent, having answered without a call, asked on with something in the user's words:
    /// an invocation has room for the first message only. ADK words as the user's what other agents
    /// did, so of the plugin's runs, which tell of their end, nothing is counted.
    fn later_user_messages(&self) -> usize {
        if self.events().any(|event| matches!(event.payload, Payload::RunEnded(_))) {
            return 0;
        }
        let mut has_answered = false;
        self.events()
            .filter(|event| event.agent_name.as_str() == self.agent)
            .filter(|event| match &event.payload {
                Payload::Response(response) => {
                    let first = response.candidates.first();
                    has_answered = first.is_some_and(|it| calls(&it.parts).next().is_none());
                    false
                }
                Payload::Request(request) => {
                    std::mem::take(&mut has_answered) && ends_in_the_users_words(request)
                }
                Payload::Cancelled(_) | Payload::ToolResult(_) | Payload::RunEnded(_) => false,
            })
            .count()
    }

    /// The first candidates, in order of time.
    pub(super) fn responses(&self) -> Vec<(&SessionEvent, &[LivePart])> {
        self.events()
            .filter_map(|event| match &event.payload {
                Payload::Response(it) => it.candidates.first().map(|it| (event, &*it.parts)),
                _ => None,
            })
            .collect()
    }

    /// What the run ends with: its last answer, where that is one.
    pub(super) fn final_response(&self) -> Option<Final<'_>> {
        let responses = self.responses();
        let (event, parts) = responses.iter().rfind(|(event, _)| !self.is_inner(event))?;
        self.ends(event, parts)
    }

    /// Whether a run may end with this response, and the text for the user.
    fn ends<'b>(&'b self, event: &'b SessionEvent, parts: &'b [LivePart]) -> Option<Final<'b>> {
        if self.is_inner(event) {
            return None;
        }
        if calls(parts).next().is_none() {
            return Some(Final::Said(event.sequence, parts));
        }
        let handed_in = self.steps.iter().find_map(|step| match step {
            RunStep::Returned(returned) if returned.turn == event.turn_id => returned.handed_in(),
            _ => None,
        });
        handed_in.map(Final::HandedIn)
    }
}
