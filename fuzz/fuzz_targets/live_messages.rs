//! Any bytes as the messages that agents and people send: checking them never panics, and a refusal
//! names its field and its rule.

#![no_main]

use libfuzzer_sys::fuzz_target;
use prost::Message;
use rpc::wire;

fuzz_target!(|data: &[u8]| {
    let Some((kind, data)) = data.split_first() else { return };
    match kind % 3 {
        0 => {
            let Ok(message) = wire::SubmitRequestRequest::decode(data) else { return };
            named(rpc::agent_name(&message.agent_name));
            named(rpc::invocation_id(&message.invocation_id));
            named(rpc::llm_request(message.request.unwrap_or_default()));
        }
        1 => {
            let Ok(message) = wire::SubmitDecisionRequest::decode(data) else { return };
            named(rpc::required_person("by", message.by));
            if let Some(response) = named(rpc::human_response(message.response.unwrap_or_default()))
            {
                assert!(response.candidates.iter().all(|candidate| !candidate.parts.is_empty()));
            }
        }
        _ => {
            let Ok(message) = wire::RecordEventRequest::decode(data) else { return };
            named(rpc::recorded(message.payload));
        }
    }
});

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
