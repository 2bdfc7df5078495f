//! From a live session to the [`EvalCase`] that ADK replays: each run, a user's message and all that
//! followed, becomes an invocation.
//!
//! A run is what the agent calls one; where it has no name for it, a request that ends in the user's
//! words begins one. What one agent did alone is told as calls and responses, what several did as
//! events that keep their names. Requests come without their conversation unless they open a run
//! ([`Openings`]).

use std::collections::{HashMap, HashSet};

use app::api::LiveRun;
use evalset::adk::{
    Content, EvalCase, FunctionCall, FunctionResponse, IntermediateData, Invocation,
    InvocationEvent, Part, SessionInput,
};
use evalset::{Written, eval_id, seconds};
use jiff::Timestamp;
use json_text::{JsonText, Kind};
use live::{LlmRequest, Part as LivePart, Payload, Role, SessionEvent};
use rpc::wire;

/// How much of what the user said names a run, in characters.
const QUERY: usize = 200;

/// Tells which requests open a run: of the others the conversation need not be kept.
#[derive(Default)]
pub(crate) struct Openings {
    named: HashSet<String>,
}

impl Openings {
    /// Whether this event opens a run; each is asked once and in order.
    pub(crate) fn opens(&mut self, event: &wire::SessionEvent) -> bool {
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
struct Run<'a> {
    first: u64,
    at: i64,
    agent: &'a str,
    query: String,
    events: Vec<&'a SessionEvent>,
}

/// The runs of a session, in order of time.
pub(crate) fn runs(events: &[SessionEvent]) -> Vec<LiveRun> {
    let described = |run: &Run<'_>| {
        let responses = run.responses();
        LiveRun {
            first: run.first,
            agent: run.agent.to_owned(),
            query: run.query.chars().take(QUERY).collect(),
            turns: responses.len() as u64,
            calls: responses.iter().map(|(_, parts)| calls(parts).count() as u64).sum(),
            is_answered: run.final_response().is_some(),
        }
    };
    collect(events).iter().map(described).collect()
}

/// The agent that the first user spoke to.
pub(crate) fn root(events: &[SessionEvent]) -> Option<&str> {
    let is_request = |event: &&SessionEvent| matches!(event.payload, Payload::Request(_));
    events.iter().find(is_request).map(|event| event.agent_name.as_str())
}

/// The case that the runs with these first requests give; `None` when none of them was answered.
pub(crate) fn live_case(
    agent_name: &str,
    session: &str,
    input: SessionInput,
    events: &[SessionEvent],
    chosen: &[u64],
) -> Option<EvalCase> {
    let mut runs = collect(events);
    runs.retain(|run| chosen.contains(&run.first) && !run.responses().is_empty());
    let start = time(runs.first()?.at);
    let turns = runs.iter().map(|run| run.invocation(session)).collect();
    Some(EvalCase {
        session_input: Some(input),
        creation_timestamp: Some(seconds(start)),
        ..EvalCase::new(eval_id(agent_name, start), turns)
    })
}

fn collect(events: &[SessionEvent]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    // By the agent's name for the run; without one, the last of each agent.
    let mut named: HashMap<(&str, &str), usize> = HashMap::new();
    let mut turns = HashMap::new();
    for event in events {
        let name = match event.invocation_id.as_str() {
            "" => ("", event.agent_name.as_str()),
            run => (run, ""),
        };
        let place = match &event.payload {
            Payload::Request(request) => {
                // A request that was emptied does not end in the user's words.
                let begins = name.0.is_empty() && ends_in_the_users_words(request);
                let place = match named.get(&name) {
                    Some(place) if !begins => *place,
                    _ => {
                        runs.push(Run {
                            first: event.sequence.0,
                            at: event.at.0,
                            agent: event.agent_name.as_str(),
                            query: query(request),
                            events: Vec::new(),
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
        if let Some(run) = place.and_then(|place| runs.get_mut(place)) {
            run.events.push(event);
        }
    }
    runs
}

fn ends_in_the_users_words(request: &LlmRequest) -> bool {
    request.contents.last().is_some_and(|last| last.role == Role::User)
}

/// What the user said last in a request.
fn query(request: &LlmRequest) -> String {
    let said = |content: &live::Content| {
        let text = texts(&content.parts);
        (content.role == Role::User && !text.is_empty()).then_some(text)
    };
    request.contents.iter().rev().find_map(said).unwrap_or_default()
}

fn texts(parts: &[LivePart]) -> String {
    let text = |part: &LivePart| match part {
        LivePart::Text(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    };
    parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

fn calls(parts: &[LivePart]) -> impl Iterator<Item = &live::FunctionCall> {
    parts.iter().filter_map(|part| match part {
        LivePart::FunctionCall(call) => Some(call),
        _ => None,
    })
}

fn time(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

impl Run<'_> {
    /// The first candidates, in order of time.
    fn responses(&self) -> Vec<(&SessionEvent, &[LivePart])> {
        self.events
            .iter()
            .filter_map(|event| match &event.payload {
                Payload::Response(it) => it.candidates.first().map(|it| (*event, &*it.parts)),
                _ => None,
            })
            .collect()
    }

    /// The last answer, where it calls nothing.
    fn final_response(&self) -> Option<(&SessionEvent, String)> {
        let (event, parts) = *self.responses().last()?;
        calls(parts).next().is_none().then(|| (event, texts(parts)))
    }

    fn invocation(&self, session: &str) -> Invocation {
        let answer = self.final_response();
        let last = answer.as_ref().map(|(event, _)| event.sequence);
        let agents: HashSet<&str> =
            self.events.iter().map(|event| event.agent_name.as_str()).collect();
        let mut told = Told::default();
        for event in self.events.iter().filter(|event| Some(event.sequence) != last) {
            told.take_in(event);
        }
        let data = if agents.len() > 1 { told.into_events() } else { told.into_lists() };
        Invocation {
            final_response: answer.map(|(_, text)| Content::model(text)),
            intermediate_data: Some(data),
            creation_timestamp: Some(seconds(time(self.at))),
            ..Invocation::new(
                format!("{session}_inv_{}", self.first),
                Content::user(self.query.clone()),
            )
        }
    }
}

/// What happened between the user's message and the answer, in order.
#[derive(Default)]
struct Told {
    steps: Vec<(String, Vec<Part>, &'static str)>,
}

impl Told {
    fn take_in(&mut self, event: &SessionEvent) {
        let author = event.agent_name.to_string();
        match &event.payload {
            Payload::Response(response) => {
                let Some(first) = response.candidates.first() else { return };
                let parts: Vec<Part> = first.parts.iter().filter_map(said).collect();
                if !parts.is_empty() {
                    self.steps.push((author, parts, "model"));
                }
            }
            Payload::ToolResult(result) => {
                let response = answer(result.response.response.as_ref());
                let mut answered =
                    FunctionResponse::new("", result.response.name.clone(), response);
                answered.id.clone_from(&result.response.id);
                let mut part = Part::text("");
                part.text = None;
                part.function_response = Some(answered);
                self.steps.push((author, vec![part], "user"));
            }
            Payload::Request(_) | Payload::Cancelled(_) | Payload::RunEnded(_) => {}
        }
    }

    /// Calls and responses, and what was said beside them.
    fn into_lists(self) -> IntermediateData {
        let mut data = IntermediateData::default();
        for (author, parts, _) in self.steps {
            let mut texts = Vec::new();
            for part in parts {
                match (part.function_call, part.function_response, part.text) {
                    (Some(call), _, _) => data.tool_uses.push(call),
                    (_, Some(response), _) => data.tool_responses.push(response),
                    (_, _, Some(text)) => texts.push(Part::text(text)),
                    _ => {}
                }
            }
            if !texts.is_empty() {
                data.intermediate_responses
                    .push(evalset::adk::IntermediateResponse { author, parts: texts });
            }
        }
        data
    }

    fn into_events(self) -> IntermediateData {
        let event = |(author, parts, role): (String, Vec<Part>, &str)| InvocationEvent {
            author,
            content: Some(Content {
                parts: Some(parts),
                role: Some(role.to_owned()),
                written: Written::default(),
            }),
            model_version: None,
            written: Written::default(),
        };
        IntermediateData {
            invocation_events: self.steps.into_iter().map(event).collect(),
            ..IntermediateData::default()
        }
    }
}

fn said(part: &LivePart) -> Option<Part> {
    match part {
        LivePart::Text(text) if !text.is_empty() => Some(Part::text(text.clone())),
        LivePart::FunctionCall(call) => {
            let mut called = FunctionCall::new("", call.name.clone(), JsonText::null());
            called.id.clone_from(&call.id);
            called.args.clone_from(&call.args);
            let mut part = Part::text("");
            part.text = None;
            part.function_call = Some(called);
            Some(part)
        }
        _ => None,
    }
}

/// A response as ADK keeps it: an object, and what is none within one, as ADK's runner does.
fn answer(response: Option<&JsonText>) -> JsonText {
    match response {
        Some(response) if response.kind() == Kind::Object => response.clone(),
        other => {
            let inner = other.cloned().unwrap_or_else(JsonText::null);
            let members: indexmap::IndexMap<_, _> = [("result", inner)].into_iter().collect();
            // Text keys and JSON always serialise.
            JsonText::serialize(&members).unwrap_or_else(|_| JsonText::null())
        }
    }
}

#[cfg(test)]
mod tests {
    use live::{
        AgentName, EventId, HumanResponse, InvocationId, LiveSessionId, Sequence, ToolOutcome,
        TurnId,
    };

    use super::*;

    const SESSION: &str = "936da01f-9abd-4d9d-80c7-02af85c822a8";

    /// A session in the making: each thing that happens is the next event.
    #[derive(Default)]
    struct Recording(Vec<SessionEvent>);

    impl Recording {
        fn add(mut self, turn: u8, agent: &str, run: &str, payload: Payload) -> Self {
            let sequence = self.0.len() as u64 + 1;
            self.0.push(SessionEvent {
                event_id: EventId::from_random([u8::try_from(sequence).expect("few"); 16]),
                session_id: LiveSessionId::parse(SESSION).expect("valid"),
                sequence: Sequence(sequence),
                at: live::Timestamp(1_766_500_200_000 + i64::try_from(sequence).expect("few")),
                turn_id: TurnId::from_random([turn; 16]),
                agent_name: AgentName::parse(agent).expect("valid"),
                invocation_id: InvocationId::parse(run).expect("valid"),
                by: None,
                payload,
            });
            self
        }

        fn asks(self, turn: u8, agent: &str, run: &str, said: &str) -> Self {
            let parts = vec![LivePart::Text(said.to_owned())];
            let contents = vec![live::Content { role: Role::User, parts }];
            let request = LlmRequest { contents, ..LlmRequest::default() };
            self.add(turn, agent, run, Payload::Request(request))
        }

        fn goes_on(self, turn: u8, agent: &str, run: &str) -> Self {
            self.add(turn, agent, run, Payload::Request(LlmRequest::default()))
        }

        fn answered(self, turn: u8, agent: &str, run: &str, parts: Vec<LivePart>) -> Self {
            let candidates = vec![live::Content { role: Role::Model, parts }];
            self.add(turn, agent, run, Payload::Response(HumanResponse { candidates }))
        }

        fn returned(self, turn: u8, agent: &str, run: &str, id: &str, text: &str) -> Self {
            let response = live::FunctionResponse {
                id: Some(id.to_owned()),
                name: "f".to_owned(),
                response: Some(json(text)),
            };
            let outcome = ToolOutcome { response, failed: false, duration_ms: None };
            self.add(turn, agent, run, Payload::ToolResult(outcome))
        }
    }

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("JSON")
    }

    fn text(words: &str) -> LivePart {
        LivePart::Text(words.to_owned())
    }

    fn call(id: &str, args: &str) -> LivePart {
        let (id, args) = (Some(id.to_owned()), Some(json(args)));
        LivePart::FunctionCall(live::FunctionCall { id, name: "f".to_owned(), args })
    }

    fn conversation(events: &[SessionEvent], chosen: &[u64]) -> serde_json::Value {
        let input = SessionInput::new("a", "user", json("{}"));
        let case = live_case("a", SESSION, input, events, chosen).expect("answered");
        let text = case.to_json().expect("ADK reads it");
        let text = text.laid_out(&evalset::Layout::two_spaces());
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        value["conversation"].clone()
    }

    #[test]
    fn several_messages_become_several_invocations_with_calls_by_their_ids() {
        let events = Recording::default()
            .asks(1, "a", "run1", "first")
            .answered(1, "a", "run1", vec![call("c1", r#"{"n": 9007199254740993}"#)])
            .returned(1, "a", "run1", "c1", "7")
            .goes_on(2, "a", "run1")
            .answered(2, "a", "run1", vec![text("seven")])
            .asks(3, "a", "run2", "second")
            .answered(3, "a", "run2", vec![text("done")])
            .0;
        let told = runs(&events);
        let told: Vec<_> =
            told.iter().map(|it| (it.first, it.query.as_str(), it.turns, it.calls)).collect();
        assert_eq!(told, [(1, "first", 2, 1), (6, "second", 1, 0)]);
        let turns = conversation(&events, &[1, 6]);
        assert_eq!(turns[0]["invocation_id"], format!("{SESSION}_inv_1"));
        let data = &turns[0]["intermediate_data"];
        assert_eq!(data["tool_uses"][0]["id"], "c1");
        assert_eq!(data["tool_uses"][0]["args"]["n"], 9_007_199_254_740_993_u64);
        assert_eq!(
            data["tool_responses"][0]["response"]["result"], 7,
            "an object, as ADK keeps it"
        );
        assert_eq!(turns[0]["final_response"]["parts"][0]["text"], "seven");
        assert_eq!(turns[1]["user_content"]["parts"][0]["text"], "second");
        assert_eq!(conversation(&events, &[6]).as_array().expect("a list").len(), 1);
        let none = SessionInput::new("a", "user", json("{}"));
        assert!(live_case("a", SESSION, none, &events, &[99]).is_none());
    }

    #[test]
    fn sub_agents_keep_their_names() {
        let events = Recording::default()
            .asks(1, "root", "r", "hi")
            .answered(1, "root", "r", vec![text("I pass you on."), call("c1", "{}")])
            .returned(1, "root", "r", "c1", "{}")
            .goes_on(2, "helper", "r")
            .answered(2, "helper", "r", vec![text("hello")])
            .0;
        let turns = conversation(&events, &[1]);
        let told = turns[0]["intermediate_data"]["invocation_events"].as_array().expect("events");
        let authors: Vec<_> = told.iter().map(|it| it["author"].as_str().expect("text")).collect();
        assert_eq!(authors, ["root", "root"]);
        assert_eq!(told[0]["content"]["parts"][0]["text"], "I pass you on.");
        assert_eq!(turns[0]["final_response"]["parts"][0]["text"], "hello");
        assert_eq!(root(&events), Some("root"));
    }

    #[test]
    fn an_agent_without_names_for_its_runs_begins_one_with_the_users_words() {
        let events = Recording::default()
            .asks(1, "a", "", "one")
            .answered(1, "a", "", vec![call("c1", "{}")])
            .goes_on(2, "a", "")
            .answered(2, "a", "", vec![text("1")])
            .asks(3, "a", "", "two")
            .0;
        let told: Vec<_> =
            runs(&events).into_iter().map(|it| (it.query, it.turns, it.is_answered)).collect();
        assert_eq!(told, [("one".to_owned(), 2, true), ("two".to_owned(), 0, false)]);
        assert_eq!(conversation(&events, &[1, 5]).as_array().expect("a list").len(), 1);
    }
}
