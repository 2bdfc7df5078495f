//! [`fingerprint`]: distinguishes a repeated message from a different one.

use live::Fingerprint;
use sha2::{Digest, Sha256};

use crate::wire::session_event::Payload;

/// The fingerprint of a payload and of its names, such as the agent's or the person's.
///
/// The messages have no maps, so equal ones have equal bytes. The kinds of payload differ in their
/// tags.
#[must_use]
pub fn fingerprint(names: &[&str], payload: &Payload) -> Fingerprint {
    let mut hash = Sha256::new();
    for name in names {
        // With their lengths, so that no two lists of names give the same bytes.
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
    }
    let mut bytes = Vec::with_capacity(payload.encoded_len());
    payload.encode(&mut bytes);
    hash.update(&bytes);
    Fingerprint(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire;

    #[test]
    fn distinguishes_names_and_contents() {
        let payload = |model: &str| {
            let model = Some(model.to_owned());
            Payload::Request(wire::SimulatedLlmRequest { model, ..Default::default() })
        };
        let first = fingerprint(&["ab", "c"], &payload("m"));
        assert_eq!(first, fingerprint(&["ab", "c"], &payload("m")));
        assert_ne!(first, fingerprint(&["a", "bc"], &payload("m")));
        assert_ne!(first, fingerprint(&["ab", "c"], &payload("n")));
        let empty = wire::HumanResponse::default();
        assert_ne!(
            fingerprint(&[], &Payload::Response(empty)),
            fingerprint(&[], &Payload::Request(wire::SimulatedLlmRequest::default())),
            "empty payloads of different kinds differ"
        );
    }
}
