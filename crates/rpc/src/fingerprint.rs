//! [`fingerprint`]: distinguishes a repeated message from a different one.

use live::Fingerprint;
use sha2::{Digest, Sha256};

use crate::wire::session_event::Payload;

/// Of a payload and of the names that belong to it, such as the agent's or that of whoever answers.
///
/// The messages have no maps, so that equal ones have equal bytes; the kinds of payload differ in
/// their tags.
#[must_use]
pub fn fingerprint(names: &[&str], payload: &Payload) -> Fingerprint {
    let mut hash = Sha256::new();
    for name in names {
        // Lengths first: no two lists of names give the same bytes.
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
    fn names_and_content_count_and_do_not_run_into_each_other() {
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
            "the kinds differ even when there is nothing in them"
        );
    }
}
