//! Fingerprints: what tells a message that is sent again from a different one.

use live::Fingerprint;
use prost::Message;
use sha2::{Digest, Sha256};

use crate::wire;

/// Of everything in a request but the session that it goes to.
#[must_use]
pub fn fingerprint_of_request(message: &wire::SubmitRequestRequest) -> Fingerprint {
    let names = [message.agent_name.as_str(), message.invocation_id.as_str()];
    let request = message.request.as_ref().map(Message::encode_to_vec);
    of("request", &names, &request.unwrap_or_default())
}

/// Of a response and of whoever gives it: the same words of somebody else are another decision.
#[must_use]
pub fn fingerprint_of_decision(message: &wire::SubmitDecisionRequest) -> Fingerprint {
    let by = message.by.as_ref().map_or("", |by| by.display_name.trim());
    let response = message.response.as_ref().map(Message::encode_to_vec);
    of("decision", &[by], &response.unwrap_or_default())
}

/// Of a recorded event, with the turn that it is about.
#[must_use]
pub fn fingerprint_of_record(message: &wire::RecordEventRequest) -> Fingerprint {
    let bare = wire::RecordEventRequest {
        session_id: String::new(),
        event_id: String::new(),
        turn_id: message.turn_id.to_ascii_lowercase(),
        ..message.clone()
    };
    of("record", &[], &bare.encode_to_vec())
}

/// The messages have no maps, so that equal ones have equal bytes.
fn of(kind: &str, names: &[&str], content: &[u8]) -> Fingerprint {
    let mut hash = Sha256::new();
    for name in [kind].iter().chain(names) {
        // Lengths first: no two lists of names give the same bytes.
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
    }
    hash.update(content);
    Fingerprint(hash.finalize().into())
}
