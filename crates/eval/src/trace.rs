//! [`trace`]: the ledger of a run as the trace that the criteria of `scoring` compare; [`recorded_events`]: the reverse,
//! for the metrics of recorded runs.

use json_text::JsonText;
use scoring::{Invocation, Response, ToolCall, Trace};

use crate::ledger::{Entry, Event, Origin, Role};

/// The trace of a run. As in google-adk, what agents that are used as tools do by themselves is not in it.
#[must_use]
pub fn trace(events: &[Entry]) -> Trace {
    let mut trace = Trace::default();
    for entry in events {
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

/// A recorded run, such as a rehearsal or a production trace, as the ledger that metrics read. It has what the trace
/// has: messages, calls, results, the use of models and the final state. `initial_state` is empty where it is not known.
#[must_use]
pub fn recorded_events(trace: &Trace, initial_state: Option<&JsonText>) -> Vec<Entry> {
    let empty = || JsonText::from_value(&serde_json::json!({}));
    let mut events =
        vec![Event::InitialState { state: initial_state.cloned().unwrap_or_else(empty) }];
    for (turn, invocation) in trace.invocations.iter().enumerate() {
        add_turn(&mut events, turn, invocation);
    }
    let state = trace.final_state.clone().or_else(|| initial_state.cloned());
    events.push(Event::Termination { reason: None, state: state.unwrap_or_else(empty) });
    events.into_iter().map(|event| Entry { at_ms: 0, event }).collect()
}

fn add_turn(events: &mut Vec<Event>, turn: usize, invocation: &Invocation) {
    events.push(Event::UserMessage {
        text: invocation.user_text.clone(),
        parts: invocation.user_parts.clone(),
    });
    let message = |agent: Option<&String>, text: &str, is_intermediate| Event::Message {
        agent: agent.cloned().unwrap_or_default(),
        text: text.to_owned(),
        is_intermediate,
        is_inner: false,
    };
    let responses = invocation.intermediate_responses.iter();
    events.extend(responses.map(|it| message(it.author.as_ref(), &it.text, true)));
    for (at, call) in invocation.tool_calls.iter().enumerate() {
        let call_id = call.id.clone().unwrap_or_else(|| format!("call-{turn}-{at}"));
        let name = call.name.clone().unwrap_or_default();
        events.push(Event::ToolCall {
            call_id: call_id.clone(),
            name: name.clone(),
            args: call.args.clone().unwrap_or_else(JsonText::null),
            agent: call.author.clone().unwrap_or_default(),
            is_inner: false,
        });
        if let Some(result) = call.result.clone() {
            events.push(Event::ToolResult { call_id, name, result, from: Origin::Real });
        }
    }
    for used in invocation.model_calls.iter().flatten() {
        events.push(Event::ModelUsage {
            role: Role::Subject,
            agent: String::new(),
            model: used.model.clone().unwrap_or_default(),
            input: used.input.unwrap_or_default(),
            output: used.output.unwrap_or_default(),
        });
    }
    let author = invocation.tool_calls.last().and_then(|call| call.author.as_ref());
    events.extend(invocation.final_response.as_ref().map(|text| message(author, text, false)));
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use crate::metric::{Assertion, EventCountMetric, Metric, StateMetric};

    use super::*;

    #[tokio::test]
    async fn metrics_apply_to_recorded_runs() {
        let json = |text: &str| JsonText::parse(text).expect("valid");
        let mut call = ToolCall::new("escalate", json(r#"{"urgency":"high"}"#));
        call.result = Some(json(r#"{"done":true}"#));
        let turn = Invocation {
            user_text: "It hurts".to_owned(),
            user_parts: Some(vec![json(r#"{"text":"It hurts"}"#), json(r#"{"file_data":{}}"#)]),
            tool_calls: vec![call],
            intermediate_responses: vec![Response { author: None, text: "Wait.".to_owned() }],
            final_response: Some("Call 999.".to_owned()),
            ..Invocation::default()
        };
        let recorded = Trace {
            invocations: vec![turn],
            final_state: Some(json(r#"{"escalation":{"urgency":"high"}}"#)),
        };
        let events = recorded_events(&recorded, None);
        assert_eq!(events[0].event.name(), "initial_state");
        let is = |text: &str| Assertion::parse(&json(text)).expect("an assertion");
        let escalated = StateMetric {
            name: "escalated".to_owned(),
            scope: "escalation".to_owned(),
            key: "urgency".to_owned(),
            assertion: is(r#""high""#),
        };
        let count = |event: &str, number: &str| EventCountMetric {
            name: event.to_owned(),
            event: event.to_owned(),
            filter: None,
            assertion: is(number),
        };
        assert_eq!(escalated.evaluate(&events).await.passed, Some(true));
        assert_eq!(count("tool_result", "1").evaluate(&events).await.passed, Some(true));
        assert_eq!(count("message", "1").evaluate(&events).await.passed, Some(false));
        let mut again = trace(&events);
        let turn = &mut again.invocations[0];
        turn.tool_calls[0].id = None;
        turn.tool_calls[0].author = None;
        turn.intermediate_responses[0].author = None;
        turn.id.clear();
        assert_eq!(again, recorded);
    }

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
}
