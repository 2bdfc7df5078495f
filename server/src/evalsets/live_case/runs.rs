//! The runs of a session: which event belongs to which, and what is known of each.
//!
//! A run is what the agent calls one; where it has no name for it, a request that ends in the user's
//! words begins one.

use std::collections::{HashMap, HashSet};

use app::api::{AnsweredTurn, LiveRun};
use live::{Content, LlmRequest, Part as LivePart, Payload, Role, SessionEvent, TurnId};
use rpc::wire;

use super::calls::Calls;
use super::parts::left_out;

/// How much of what was said names a run or a turn, in characters.
const NAME: usize = 200;

/// Takes out of requests what a case does not need of them, for each holds a whole conversation.
#[derive(Default)]
pub(crate) struct Openings {
    named: HashSet<String>,
}

impl Openings {
    /// Leaves a request its conversation where it opens a run, else what came since the model last
    /// spoke. Each event is given once and in order.
    pub(crate) fn trim(&mut self, event: &mut wire::SessionEvent) {
        let opens = self.opens(event);
        if let Some(wire::session_event::Payload::Request(request)) = &mut event.payload {
            let contents = std::mem::take(&mut request.contents);
            let spoke = contents.iter().rposition(|it| it.role() == wire::Role::Model);
            let first = if opens { 0 } else { spoke.map_or(0, |at| at + 1) };
            let contents = contents.into_iter().skip(first).collect();
            *request = wire::SimulatedLlmRequest { contents, ..Default::default() };
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

/// A run as it is collected.
pub(super) struct Run<'a> {
    pub(super) first: u64,
    pub(super) at: i64,
    pub(super) agent: &'a str,
    /// What the user said.
    pub(super) query: Vec<&'a LivePart>,
    pub(super) steps: Vec<Step<'a>>,
    /// The ids of its calls that a tool has answered, by turn and place.
    pub(super) ids: HashMap<(TurnId, usize), String>,
    /// Whether some of its turns were left out.
    pub(super) is_cut: bool,
}

/// What happened in a run.
pub(super) enum Step<'a> {
    /// An event.
    Event(&'a SessionEvent),
    /// A tool answered.
    Returned(Returned<'a>),
}

/// What a tool answered.
pub(super) struct Returned<'a> {
    /// The event that tells of it.
    pub(super) event: &'a SessionEvent,
    /// The turn that called the tool.
    pub(super) turn: TurnId,
    /// The id of the call.
    pub(super) id: Option<String>,
    pub(super) response: &'a live::FunctionResponse,
}

/// The runs of a session, in order of time.
pub(crate) fn runs(events: &[SessionEvent]) -> Vec<LiveRun> {
    let described = |run: &Run<'_>| {
        let responses = run.responses();
        let said = responses.iter().flat_map(|(_, parts)| *parts);
        let turn = |(event, parts): &(&SessionEvent, &[LivePart])| AnsweredTurn {
            answer: event.sequence.0,
            agent: event.agent_name.to_string(),
            calls: calls(parts).map(|call| call.name.clone()).collect(),
            text: texts(*parts).chars().take(NAME).collect(),
        };
        LiveRun {
            agent: run.agent.to_owned(),
            query: named(&run.query).chars().take(NAME).collect(),
            turns: responses.iter().map(turn).collect(),
            left_out: left_out(run.query.iter().copied().chain(said)),
        }
    };
    collect(events).iter().map(described).collect()
}

/// The agent that the first user spoke to.
pub(crate) fn root(events: &[SessionEvent]) -> Option<&str> {
    let is_request = |event: &&SessionEvent| matches!(event.payload, Payload::Request(_));
    events.iter().find(is_request).map(|event| event.agent_name.as_str())
}

pub(super) fn collect(events: &[SessionEvent]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    // By the agent's name for the run; without one, the last of each agent.
    let mut named: HashMap<(&str, &str), usize> = HashMap::new();
    let mut turns = HashMap::new();
    let mut calls = Calls::default();
    for event in events {
        let name = match event.invocation_id.as_str() {
            "" => ("", event.agent_name.as_str()),
            run => (run, ""),
        };
        let place = match &event.payload {
            Payload::Request(request) => {
                // Also where the user goes on in the same breath: the results end what was before.
                calls.shown(&event.agent_name, results(request), |call, response| {
                    let (turn, id) = (call.turn, call.id.clone());
                    let returned = Returned { event, turn, id, response };
                    if let Some(run) = runs.get_mut(call.run) {
                        run.steps.push(Step::Returned(returned));
                    }
                });
                let begins = name.0.is_empty() && ends_in_the_users_words(request);
                let place = match named.get(&name) {
                    Some(place) if !begins => *place,
                    _ => {
                        runs.push(Run {
                            first: event.sequence.0,
                            at: event.at.0,
                            agent: event.agent_name.as_str(),
                            query: query(request),
                            steps: Vec::new(),
                            ids: HashMap::new(),
                            is_cut: false,
                        });
                        named.insert(name, runs.len() - 1);
                        runs.len() - 1
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
                Step::Returned(Returned { event, turn: event.turn_id, id, response })
            }
            Payload::Response(response) => {
                calls.called(event, response, place);
                Step::Event(event)
            }
            Payload::Request(_) | Payload::Cancelled(_) | Payload::RunEnded(_) => {
                Step::Event(event)
            }
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

/// What the user said last before the model was asked, as it stands there; where they said nothing,
/// what they handed in of a tool.
fn query(request: &LlmRequest) -> Vec<&LivePart> {
    // Some agents begin the model's answer for it.
    let until = request.contents.iter().rposition(|content| content.role != Role::Model);
    let contents = request.contents.get(..until.map_or(0, |at| at + 1)).unwrap_or_default();
    let last = since_the_model(contents);
    let by = |role: Role| {
        let of = last.iter().filter(move |content| content.role == role);
        of.flat_map(|content| &content.parts).collect::<Vec<_>>()
    };
    let said = by(Role::User);
    if said.is_empty() { by(Role::Function) } else { said }
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

impl Run<'_> {
    /// Leaves out the answers that are not `chosen`, and what tools answered to them.
    pub(super) fn keep(&mut self, chosen: &[u64]) {
        let is_left = |event: &SessionEvent| {
            matches!(event.payload, Payload::Response(_)) && !chosen.contains(&event.sequence.0)
        };
        let left: HashSet<_> =
            self.events().filter(|event| is_left(event)).map(|event| event.turn_id).collect();
        self.is_cut = !left.is_empty();
        self.steps.retain(|step| match step {
            Step::Event(event) => !left.contains(&event.turn_id),
            Step::Returned(returned) => !left.contains(&returned.turn),
        });
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &SessionEvent> {
        self.steps.iter().filter_map(|step| match step {
            Step::Event(event) => Some(*event),
            Step::Returned(_) => None,
        })
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

    /// The last answer, where it calls nothing.
    pub(super) fn final_response(&self) -> Option<(&SessionEvent, &[LivePart])> {
        let (event, parts) = *self.responses().last()?;
        calls(parts).next().is_none().then_some((event, parts))
    }
}
