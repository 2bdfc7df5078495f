//! Reads entries of a stored ledger.
//!
//! By hand, because serde's tagged enums read their members into a buffer that does not keep the text of JSON values.

use std::collections::HashMap;

use json_text::JsonText;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};

use super::{EVENT_NAMES, Entry, Event};
use crate::yields::{YieldInfo, YieldKind};
use scoring::nearest::nearest;

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members(HashMap::deserialize(deserializer)?);
        let entry =
            || Ok::<_, String>(Self { at_ms: members.get("at_ms")?, event: event(&members)? });
        entry().map_err(D::Error::custom)
    }
}

struct Members(HashMap<String, JsonText>);

impl Members {
    fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        let value = self.0.get(name).ok_or_else(|| format!("an event without `{name}`"))?;
        value.decode().map_err(|error| format!("the member `{name}` of an event: {error}"))
    }

    /// A member that is left out where it has its default.
    fn get_or_default<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, String> {
        if self.0.contains_key(name) { self.get(name) } else { Ok(T::default()) }
    }
}

fn event(members: &Members) -> Result<Event, String> {
    let name: String = members.get("type")?;
    Ok(match name.as_str() {
        "initial_state" => Event::InitialState { state: members.get("state")? },
        "user_message" => Event::UserMessage {
            text: members.get("text")?,
            parts: members.get_or_default("parts")?,
        },
        "message" => Event::Message {
            agent: members.get("agent")?,
            text: members.get("text")?,
            is_intermediate: members.get_or_default("is_intermediate")?,
            is_inner: members.get_or_default("is_inner")?,
        },
        "tool_call" => Event::ToolCall {
            call_id: members.get("call_id")?,
            name: members.get("name")?,
            args: members.get("args")?,
            agent: members.get("agent")?,
            is_inner: members.get_or_default("is_inner")?,
        },
        "tool_result" => Event::ToolResult {
            call_id: members.get("call_id")?,
            name: members.get("name")?,
            result: members.get("result")?,
            from: members.get("from")?,
        },
        "node_output" => {
            Event::NodeOutput { node: members.get("node")?, output: members.get("output")? }
        }
        "tool_fault" => Event::ToolFault {
            call_id: members.get("call_id")?,
            name: members.get("name")?,
            effect: members.get("effect")?,
        },
        "state_change" => {
            Event::StateChange { changes: members.get("changes")?, by: members.get("by")? }
        }
        "state_conflict" => Event::StateConflict {
            pointer: members.get("pointer")?,
            kept: members.get("kept")?,
            replaced: members.get("replaced")?,
        },
        "value_replaced" => Event::ValueReplaced {
            r#in: members.get("in")?,
            place: members.get("place")?,
            value: members.get("value")?,
        },
        "effect_refused" => {
            Event::EffectRefused { what: members.get("what")?, place: members.get("place")? }
        }
        "yield" => Event::Yield(yield_info(members)?),
        "user_agent_prompt" => Event::UserAgentPrompt { text: members.get("text")? },
        "user_agent_call" => Event::UserAgentCall {
            agent: members.get("agent")?,
            name: members.get("name")?,
            args: members.get("args")?,
            result: members.get("result")?,
            changes: members.get("changes")?,
        },
        "user_agent_response" => Event::UserAgentResponse {
            response: members.get("response")?,
            call_id: members.get_or_default("call_id")?,
        },
        "model_request" => Event::ModelRequest { agent: members.get("agent")? },
        "taken_over" => Event::TakenOver { place: members.get("place")? },
        "handed_back" => Event::HandedBack { place: members.get("place")? },
        "request_apart" => Event::RequestApart {
            agent: members.get("agent")?,
            asked_by: members.get("asked_by")?,
            response: members.get("response")?,
        },
        "model_usage" => Event::ModelUsage {
            role: members.get("role")?,
            agent: members.get("agent")?,
            model: members.get("model")?,
            input: members.get("input")?,
            output: members.get("output")?,
        },
        "fault" => Event::Failure {
            at_fault: members.get("at_fault")?,
            code: members.get_or_default("code")?,
            message: members.get("message")?,
        },
        "termination" => Event::Termination {
            reason: members.get_or_default("reason")?,
            state: members.get("state")?,
        },
        name => return Err(format!("there are no events {name}; {}", nearest(name, EVENT_NAMES))),
    })
}

fn yield_info(members: &Members) -> Result<YieldInfo, String> {
    let kind: String = members.get("kind")?;
    Ok(YieldInfo {
        kind: match kind.as_str() {
            "loop" => YieldKind::Loop,
            _ => YieldKind::Tool { tool_name: members.get("tool_name")? },
        },
        invocation_id: members.get("invocation_id")?,
        awaiting_input: members.get("awaiting_input")?,
        call_id: members.get_or_default("call_id")?,
        args: members.get_or_default("args")?,
        interim: members.get_or_default("interim")?,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::ledger::{Origin, Role, TerminationReason, members_of};
    use crate::place::Place;
    use crate::run_failure::AtFault;
    use crate::tool_fault::FaultEffect;

    /// An event of each type, whose values lose nothing: neither digits nor the order of members.
    fn events() -> Vec<Event> {
        let json = || JsonText::parse(r#"{"z":1.10,"a":123456789012345678901}"#).expect("valid");
        let text = || "text".to_owned();
        let wait = |kind, args: Option<JsonText>| YieldInfo {
            kind,
            invocation_id: text(),
            awaiting_input: true,
            call_id: Some(text()),
            interim: args.clone(),
            args,
        };
        let fault = |effect| Event::ToolFault { call_id: text(), name: text(), effect };
        vec![
            Event::InitialState { state: json() },
            Event::UserMessage { text: text(), parts: None },
            Event::UserMessage { text: text(), parts: Some(vec![json()]) },
            Event::Message { agent: text(), text: text(), is_intermediate: true, is_inner: true },
            Event::ToolCall {
                call_id: text(),
                name: text(),
                args: json(),
                agent: text(),
                is_inner: false,
            },
            Event::ToolResult {
                call_id: text(),
                name: text(),
                result: json(),
                from: Origin::UserAgent,
            },
            Event::NodeOutput { node: text(), output: json() },
            fault(FaultEffect::Returns(json())),
            fault(FaultEffect::Latency(Duration::from_millis(5))),
            fault(FaultEffect::Truncates(5)),
            fault(FaultEffect::Raises(text())),
            Event::StateChange { changes: json(), by: Role::UserAgent },
            Event::StateConflict { pointer: text(), kept: json(), replaced: json() },
            Event::ValueReplaced { r#in: text(), place: text(), value: text() },
            Event::EffectRefused { what: text(), place: text() },
            Event::Yield(wait(YieldKind::Loop, None)),
            Event::Yield(wait(YieldKind::Tool { tool_name: text() }, Some(json()))),
            Event::UserAgentPrompt { text: text() },
            Event::UserAgentCall {
                agent: text(),
                name: text(),
                args: json(),
                result: json(),
                changes: json(),
            },
            Event::UserAgentResponse { response: json(), call_id: None },
            Event::UserAgentResponse { response: json(), call_id: Some(text()) },
            Event::ModelRequest { agent: text() },
            Event::TakenOver { place: Place::Tool(text()) },
            Event::HandedBack { place: Place::Agent },
            Event::ModelUsage {
                role: Role::Judge,
                agent: text(),
                model: text(),
                input: 1,
                output: 2,
            },
            Event::RequestApart { agent: text(), asked_by: text(), response: text() },
            Event::Failure { at_fault: AtFault::Mock, code: text(), message: text() },
            Event::Termination { reason: None, state: json() },
            Event::Termination { reason: Some(TerminationReason::MaxTurns), state: json() },
        ]
    }

    #[test]
    fn every_event_is_read_as_it_was_written() {
        let entries: Vec<Entry> =
            events().into_iter().map(|event| Entry { at_ms: 7, event }).collect();
        for name in EVENT_NAMES {
            assert!(entries.iter().any(|entry| entry.event.name() == name), "no {name}");
        }
        let written = serde_json::to_string(&entries).expect("serializes");
        let read: Vec<Entry> = serde_json::from_str(&written).expect("reads");
        assert_eq!(read, entries);
        assert_eq!(serde_json::to_string(&read).expect("serializes"), written);
    }

    #[test]
    fn every_member_of_an_event_is_listed() {
        for name in EVENT_NAMES {
            let mut found = std::collections::BTreeSet::new();
            for event in events().iter().filter(|event| event.name() == name) {
                let event = serde_json::to_value(event).expect("serializes");
                let members = event.as_object().expect("an object").keys();
                found.extend(members.filter(|member| *member != "type").cloned());
            }
            let listed = members_of(name).iter().map(|(member, _)| (*member).to_owned());
            assert_eq!(found, listed.collect(), "{name}");
        }
    }

    #[test]
    fn an_unknown_event_is_named() {
        let read = serde_json::from_str::<Entry>(r#"{"at_ms":1,"type":"tool_cal"}"#);
        let error = read.expect_err("unknown").to_string();
        assert!(error.contains("there are no events tool_cal; did you mean tool_call?"), "{error}");
    }
}
