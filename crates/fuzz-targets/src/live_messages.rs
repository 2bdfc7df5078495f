//! Any bytes as the messages that agents and people send: checking them never panics, and an error names
//! its field and its rule.

use live::{DisplayName, EventId, LeaseId, LiveSessionId, Note, TurnId};
use prost::Message;
use rpc::wire;

/// Runs the checks on one input.
pub(crate) fn check(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    match kind % 6 {
        0 => {
            named(rpc::check_encoded_size::<wire::SubmitRequestRequest>(data));
            let Ok(message) = wire::SubmitRequestRequest::decode(data) else { return };
            named(rpc::agent_name(&message.agent_name));
            named(rpc::invocation_id(&message.invocation_id));
            named(rpc::llm_request(message.request.unwrap_or_default()));
        }
        1 => {
            named(rpc::check_encoded_size::<wire::SubmitDecisionRequest>(data));
            let Ok(message) = wire::SubmitDecisionRequest::decode(data) else { return };
            named(rpc::required_person("by", message.by));
            if let Some(response) = named(rpc::human_response(message.response.unwrap_or_default()))
            {
                assert!(response.candidates.iter().all(|candidate| !candidate.parts.is_empty()));
            }
        }
        2 => {
            let Ok(message) = wire::RecordEventRequest::decode(data) else { return };
            named(rpc::recorded(message.payload));
        }
        // Ids and names, which all messages contain.
        3 => {
            let Ok(text) = std::str::from_utf8(data) else { return };
            if let Some(id) = named(LiveSessionId::parse(text)) {
                assert_eq!(LiveSessionId::parse(&id.to_string()), Ok(id));
            }
            named(TurnId::parse(text));
            named(EventId::parse(text));
            named(LeaseId::parse(text));
            if let Some(name) = named(DisplayName::parse(text)) {
                assert!((1..=100).contains(&name.as_str().chars().count()));
            }
        }
        // Cursors of a list: only issued ones are accepted.
        4 => {
            let Ok(message) = wire::ListSessionsRequest::decode(data) else { return };
            if let Some(size) = named(rpc::page_size(message.page_size)) {
                assert!((1..=500).contains(&size));
            }
            if let Some(Some(number)) = named(rpc::cursor(&message.cursor)) {
                assert_eq!(rpc::cursor_to_wire(number), message.cursor);
            }
        }
        // Texts that are cut instead of rejected, and names.
        _ => {
            if let Ok(message) = wire::CreateSessionRequest::decode(data)
                && let Some(description) = rpc::description(message.description.as_deref())
            {
                assert!(description.as_str().chars().count() <= Note::MOST);
            }
            let Ok(message) = wire::CancelTurnRequest::decode(data) else { return };
            assert!(Note::cut(&message.reason).as_str().chars().count() <= Note::MOST);
            named(rpc::person(message.by));
        }
    }
}
fn named<T>(read: Result<T, impl std::fmt::Display>) -> Option<T> {
    match read {
        Ok(value) => Some(value),
        Err(refusal) => {
            let refusal = refusal.to_string();
            let (field, rule) = refusal.split_once(": ").expect("`field: rule`");
            assert!(!field.is_empty() && !rule.is_empty());
            None
        }
    }
}
