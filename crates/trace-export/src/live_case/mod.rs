//! Converts a live session to an [`EvalCase`] that ADK replays: each run, which is a user message and all
//! that follows, becomes an invocation.
//!
//! A run of one agent becomes lists of calls and responses, a run of several agents becomes events with
//! their names (`runs` groups them). Only the needed part of a request's conversation is kept
//! ([`Openings`]): all of it at the beginning of a run, else the part since the model's last message.
//!
//! Agents with the plugin record tool results. Other agents only show them to the model, so they are read
//! from the next request; `calls` matches each to its call.

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
use evalset::{OriginalForm, eval_id, seconds};
use jiff::Timestamp;
use live::{Payload, SessionEvent};
use sha2::{Digest as _, Sha256};

pub use runs::{Openings, root, runs};

use crate::python_json::as_adk_writes;
use parts::{adk_parts, adk_response};
use runs::{Final, Returned, Run, RunStep, collect};

/// The case of the turns with these responses; `None` without any response.
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

/// A suffix for invocation ids, which identify an export: it distinguishes a case of some turns from one of
/// all turns.
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
                    steps.add_message(event, self);
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

fn content(role: &str, parts: Vec<Part>) -> Content {
    Content { parts: Some(parts), role: Some(role.to_owned()), written: OriginalForm::default() }
}

/// The steps between the user message and the final response, in order.
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
            // Calls within a tool are not visible in an evaluation.
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

    /// The calls, the responses and the other messages.
    fn into_lists(self) -> IntermediateData {
        let mut data = IntermediateData::default();
        for (author, parts, _) in self.steps {
            let mut texts = Vec::new();
            for mut part in parts {
                match (part.function_call.take(), part.function_response.take()) {
                    (Some(call), _) => data.tool_uses.push(call),
                    (_, Some(response)) => data.tool_responses.push(response),
                    (None, None) => texts.push(part),
                }
            }
            if !texts.is_empty() {
                data.intermediate_responses.push(IntermediateResponse { author, parts: texts });
            }
        }
        data
    }

    fn into_events(self) -> IntermediateData {
        let event = |(author, parts, role): (String, Vec<Part>, &str)| InvocationEvent {
            author,
            content: Some(content(role, parts)),
            model_version: None,
            written: OriginalForm::default(),
        };
        IntermediateData {
            invocation_events: self.steps.into_iter().map(event).collect(),
            ..IntermediateData::default()
        }
    }
}
