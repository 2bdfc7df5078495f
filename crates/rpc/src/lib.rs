//! The wire format of live sessions: `proto/rehearsal/v1` as generated types, and conversions to and
//! from the values of `live`.
//!
//! `read` validates messages, and its errors name the field and the rule. `write` converts values to
//! messages, which read back as the same values. The features `client` and `server` add the transport.

#[cfg(any(feature = "client", feature = "server"))]
mod codec;
mod encoded_size;
mod fingerprint;
mod read;
mod write;

#[cfg(any(feature = "client", feature = "server"))]
pub use codec::{MessageCodec, MessageDecoder};
pub use encoded_size::check_encoded_size;
pub use fingerprint::fingerprint;
pub use read::{
    agent_name, cursor, cursor_to_wire, decision, description, event, human_response,
    invocation_id, llm_request, page_size, person, recorded, required_person, stored_event,
};
pub use write::{event_to_wire, payload_to_wire, person_to_wire, status_to_wire};

/// The messages, the client and the server, generated from `proto/`; `tests/contract.rs` checks that
/// they are current.
pub mod wire {
    #![allow(
        missing_docs,
        unreachable_pub,
        clippy::needless_pass_by_value,
        clippy::allow_attributes_without_reason,
        clippy::semicolon_if_nothing_returned,
        reason = "generated; the comments of the .proto files are its documentation"
    )]
    include!("generated/rehearsal.v1.rs");
}
