//! From a live session to the [`EvalCase`] that ADK replays: each run, a user's message and all that
//! followed, becomes an invocation.
//!
//! What one agent did alone is steps as calls and responses, what several did as events that keep their
//! names (`runs` tells which belong together). Of the conversation of a request only what is needed is kept
//! ([`Openings`]): all of it where a run begins, else what came since the model last spoke.
//!
//! What tools answered is recorded by agents with the plugin. Other agents show it to the model alone, so
//! that it is read there; `calls` tells which call each answer belongs to.

mod calls;
mod parts;
mod runs;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use evalset::adk::{
    Content, EvalCase, IntermediateData, IntermediateResponse, Invocation, InvocationEvent, Part,
    SessionInput,
};
use evalset::{CaseText, Layout, Written, eval_id, seconds};
use jiff::Timestamp;
use json_text::JsonText;
use live::{Payload, SessionEvent};
use sha2::{Digest as _, Sha256};

pub use runs::{AnsweredTurn, LiveRun, Openings, root, runs};

use parts::{adk_parts, adk_response};
use runs::{Final, Returned, Run, RunStep, collect};

/// The case that the turns with these answers give; `None` when no answer is among them.
#[must_use]
pub fn live_case(
    agent_name: &str,
    session: &str,
    input: SessionInput,
    events: &[SessionEvent],
    chosen: &[u64],
) -> Option<EvalCase> {
    let mut runs = collect(events);
    for run in &mut runs {
        run.keep(chosen);
    }
    let is_cut = runs.iter().any(|run| run.is_cut);
    runs.retain(|run| !run.responses().is_empty());
    let start = time(runs.first()?.at);
    let cut = if is_cut { cut(&runs) } else { String::new() };
    let turns = runs.iter().map(|run| run.invocation(session, &cut)).collect();
    Some(EvalCase {
        session_input: Some(input),
        creation_timestamp: Some(seconds(start)),
        ..EvalCase::new(eval_id(agent_name, start), turns)
    })
}

/// What tells a case of these turns alone from one of all, for an export is known again by the ids of its
/// invocations.
fn cut(runs: &[Run<'_>]) -> String {
    let mut digest = Sha256::new();
    for (event, _) in runs.iter().flat_map(Run::responses) {
        digest.update(event.sequence.0.to_be_bytes());
    }
    let digest = digest.finalize();
    let short = digest.iter().take(4).map(|byte| format!("{byte:02x}"));
    format!("_cut_{}", short.collect::<String>())
}

fn time(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

impl Run<'_> {
    fn invocation(&self, session: &str, cut: &str) -> Invocation {
        let (last, answer) = match self.final_response() {
            Some(Final::Said(last, parts)) => (Some(last), Some(adk_parts(parts))),
            Some(Final::HandedIn(value)) => (None, Some(vec![Part::text(as_adk_writes(value))])),
            None => (None, None),
        };
        let agents: HashSet<&str> = self.events().map(|event| event.agent_name.as_str()).collect();
        let mut steps = TurnSteps::default();
        for step in &self.steps {
            match step {
                RunStep::Event(event) if Some(event.sequence) != last => {
                    steps.add_message(event, self)
                }
                RunStep::Returned(returned) if !self.is_inner(returned.event) => {
                    steps.add_tool_response(returned);
                }
                RunStep::Event(_) | RunStep::Returned(_) => {}
            }
        }
        let data = if agents.len() > 1 { steps.into_events() } else { steps.into_lists() };
        Invocation {
            final_response: answer.map(|parts| content("model", parts)),
            intermediate_data: Some(data),
            creation_timestamp: Some(seconds(time(self.at))),
            ..Invocation::new(
                format!("{session}_inv_{}{cut}", self.first),
                content("user", adk_parts(self.query.iter().copied())),
            )
        }
    }
}

/// Python's own way to write JSON.
fn as_adk_writes(value: &JsonText) -> String {
    let layout = Layout::OneLine { after_comma: " ", after_colon: " " };
    CaseText::unchecked(value).laid_out(&layout)
}

fn content(role: &str, parts: Vec<Part>) -> Content {
    Content { parts: Some(parts), role: Some(role.to_owned()), written: Written::default() }
}

/// What happened between the user's message and the answer, in order.
#[derive(Default)]
struct TurnSteps {
    steps: Vec<(String, Vec<Part>, &'static str)>,
}

impl TurnSteps {
    fn add_message(&mut self, event: &SessionEvent, run: &Run<'_>) {
        let Payload::Response(response) = &event.payload else { return };
        let Some(first) = response.candidates.first() else { return };
        let mut parts = adk_parts(&first.parts);
        if run.is_inner(event) {
            // Who evaluates the case sees no call that is made within a tool.
            parts.retain(|part| part.function_call.is_none());
        }
        let calls = parts.iter_mut().filter_map(|part| part.function_call.as_mut());
        for (place, call) in calls.enumerate() {
            if let Some(id) = run.ids.get(&(event.turn_id, place)) {
                call.id = Some(id.clone());
            }
        }
        if !parts.is_empty() {
            self.steps.push((event.agent_name.to_string(), parts, "model"));
        }
    }

    fn add_tool_response(&mut self, returned: &Returned<'_>) {
        let mut answered = adk_response(returned.response);
        answered.id.clone_from(&returned.id);
        let agent = returned.event.agent_name.to_string();
        self.steps.push((agent, vec![answered.into()], "user"));
    }

    /// Calls and responses, and what was said beside them.
    fn into_lists(self) -> IntermediateData {
        let mut data = IntermediateData::default();
        for (author, parts, _) in self.steps {
            let mut said = Vec::new();
            for mut part in parts {
                match (part.function_call.take(), part.function_response.take()) {
                    (Some(call), _) => data.tool_uses.push(call),
                    (_, Some(response)) => data.tool_responses.push(response),
                    (None, None) => said.push(part),
                }
            }
            if !said.is_empty() {
                data.intermediate_responses.push(IntermediateResponse { author, parts: said });
            }
        }
        data
    }

    fn into_events(self) -> IntermediateData {
        let event = |(author, parts, role): (String, Vec<Part>, &str)| InvocationEvent {
            author,
            content: Some(content(role, parts)),
            model_version: None,
            written: Written::default(),
        };
        IntermediateData {
            invocation_events: self.steps.into_iter().map(event).collect(),
            ..IntermediateData::default()
        }
    }
}
