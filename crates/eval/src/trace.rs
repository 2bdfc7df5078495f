//! [`trace`]: the ledger of a run as the trace that the criteria of `scoring` compare.

use scoring::{Invocation, Response, ToolCall, Trace};

use crate::ledger::{Entry, Event, Role};
use crate::yields::{YieldInfo, YieldKind};

/// The trace of a run. As in google-adk, what agents that are used as tools do by themselves is not in it, and a turn takes
/// the time from the user's message to its end. While a user agent answers a call, the agent waits, and no time counts.
#[must_use]
pub fn trace(events: &[Entry]) -> Trace {
    let mut trace = Trace::default();
    let mut clock = Clock::default();
    for entry in events {
        let ran_ms = clock.ran_ms(entry);
        if let (Some(turn), Some(ran_ms)) = (trace.invocations.last_mut(), ran_ms) {
            #[expect(clippy::cast_precision_loss, reason = "no run takes 2^53 ms")]
            turn.timing.total.replace(ran_ms as f64 / 1000.0);
        }
        match &entry.event {
            Event::UserMessage { text, parts } => trace.invocations.push(Invocation {
                id: format!("turn-{}", trace.invocations.len()),
                user_text: text.clone(),
                user_parts: parts.clone(),
                ..Invocation::default()
            }),
            Event::Termination { state, .. } => trace.final_state = Some(state.clone()),
            event => {
                if let Some(turn) = trace.invocations.last_mut() {
                    add(turn, event);
                }
            }
        }
    }
    trace
}

/// How long the agent has been at work in a turn.
#[derive(Default)]
struct Clock {
    earlier_ms: u64,
    /// When it went on, unless it waits.
    since_ms: Option<u64>,
    /// Whether it waits for what a tool gives back.
    is_in_turn: bool,
}

impl Clock {
    /// The time of the turn so far, where the agent stops.
    fn ran_ms(&mut self, entry: &Entry) -> Option<u64> {
        let at_ms = entry.at_ms;
        match &entry.event {
            Event::UserMessage { .. } => *self = Self { since_ms: Some(at_ms), ..Self::default() },
            // All that are asked at the same time have answered after the last response.
            Event::UserAgentResponse { .. } if self.is_in_turn => self.since_ms = Some(at_ms),
            Event::Yield(YieldInfo { kind, .. }) => {
                self.is_in_turn = matches!(kind, YieldKind::Tool { .. });
                return self.stop(at_ms);
            }
            Event::Termination { .. } => return self.stop(at_ms),
            _ => {}
        }
        None
    }

    fn stop(&mut self, at_ms: u64) -> Option<u64> {
        self.earlier_ms += at_ms.saturating_sub(self.since_ms.take()?);
        Some(self.earlier_ms)
    }
}

fn add(turn: &mut Invocation, event: &Event) {
    match event {
        Event::Message { agent, text, is_intermediate: true, is_inner: false } => {
            let author = Some(agent.clone());
            turn.intermediate_responses.push(Response { author, text: text.clone() });
        }
        Event::Message { agent, text, is_inner: false, .. } => {
            // The last one is the final response, even if another agent then calls tools and says nothing.
            if let Some(earlier) = turn.final_response.replace(text.clone()) {
                let author = Some(agent.clone());
                turn.intermediate_responses.push(Response { author, text: earlier });
            }
        }
        Event::ToolCall { call_id, name, args, agent, is_inner: false } => {
            turn.tool_calls.push(ToolCall {
                name: Some(name.clone()),
                args: Some(args.clone()),
                id: Some(call_id.clone()),
                author: Some(agent.clone()),
                result: None,
            });
        }
        Event::ToolResult { call_id, result, .. } => {
            let id = Some(call_id.as_str());
            let call = turn.tool_calls.iter_mut().rev().find(|call| call.id.as_deref() == id);
            if let Some(call) = call {
                call.result = Some(result.clone());
            }
        }
        Event::ModelUsage { role: Role::Subject, model, input, output, .. } => {
            turn.model_calls.get_or_insert_default().push(scoring::ModelCall {
                model: Some(model.clone()),
                input: Some(*input),
                output: Some(*output),
                ..scoring::ModelCall::default()
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;

    #[test]
    fn turns_begin_with_the_users_messages() {
        let json = |text: &str| JsonText::parse(text).expect("valid");
        let at = |event| Entry { at_ms: 0, event };
        let said = |text: &str, is_intermediate| {
            let (agent, text) = ("a".to_owned(), text.to_owned());
            at(Event::Message { agent, text, is_intermediate, is_inner: false })
        };
        let message = |text| said(text, false);
        let call = |is_inner| {
            at(Event::ToolCall {
                call_id: "1".to_owned(),
                name: "read".to_owned(),
                args: json("{}"),
                agent: "a".to_owned(),
                is_inner,
            })
        };
        let events = [
            at(Event::InitialState { state: json("{}") }),
            at(Event::UserMessage { text: "Hi".to_owned(), parts: None }),
            said("Let me look.", true),
            call(false),
            call(true),
            message("Found."),
            call(false),
            at(Event::UserMessage { text: "Thanks".to_owned(), parts: None }),
            at(Event::Termination { reason: None, state: json(r#"{"x":1}"#) }),
        ];
        let trace = trace(&events);
        assert_eq!(trace.invocations.len(), 2);
        let first = &trace.invocations[0];
        assert_eq!((first.user_text.as_str(), first.tool_calls.len()), ("Hi", 2));
        assert_eq!(first.final_response.as_deref(), Some("Found."));
        assert_eq!(first.intermediate_responses[0].text, "Let me look.");
        assert_eq!(trace.invocations[1].final_response, None);
        assert_eq!(trace.final_state, Some(json(r#"{"x":1}"#)));
    }

    #[test]
    fn a_turn_takes_the_time_in_which_the_agent_does_not_wait() {
        let json = |text: &str| JsonText::parse(text).expect("valid");
        let message = || Event::UserMessage { text: "Hi".to_owned(), parts: None };
        let response = || Event::UserAgentResponse { response: json("1"), call_id: None };
        let waits = |kind| {
            Event::Yield(YieldInfo {
                kind,
                invocation_id: "i".to_owned(),
                awaiting_input: true,
                call_id: None,
                args: None,
                interim: None,
            })
        };
        let tool = || waits(YieldKind::Tool { tool_name: "ask".to_owned() });
        let end = || Event::Termination { reason: None, state: json("{}") };
        let seconds = |events: Vec<(u64, Event)>| {
            let entry = |(at_ms, event)| Entry { at_ms, event };
            let events: Vec<Entry> = events.into_iter().map(entry).collect();
            let turns = trace(&events).invocations;
            turns.iter().map(|turn| turn.timing.total).collect::<Vec<_>>()
        };
        // Two calls that wait at the same time, then the user's next message, and a turn that ends the run.
        let run = vec![
            (50, message()),
            (150, tool()),
            (150, tool()),
            (1150, response()),
            (3150, response()),
            (3650, waits(YieldKind::Loop)),
            (9000, response()),
            (9100, message()),
            (9850, end()),
        ];
        assert_eq!(seconds(run), [Some(0.6), Some(0.75)]);
        // The time limit passes while a user agent answers, and a user agent has left.
        let limit = vec![(0, message()), (200, tool()), (7000, end())];
        assert_eq!(seconds(limit), [Some(0.2)]);
        let left =
            vec![(0, message()), (300, waits(YieldKind::Loop)), (4000, response()), (4005, end())];
        assert_eq!(seconds(left), [Some(0.3)]);
    }
}
