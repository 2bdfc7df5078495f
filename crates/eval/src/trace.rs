//! [`trace`]: the ledger of a run as the trace that the criteria of `scoring` compare.

use scoring::{Invocation, Response, ToolCall, Trace};

use crate::ledger::{Entry, Event, Role};

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
}
