//! The model APIs that agent frameworks call, as values: a vendor's request becomes what a person is
//! shown, and the person's answer becomes the vendor's response, whole or as a stream of events.
//!
//! One module for each API, each with the same words: `read` and then, of an [`Answer`], `whole`, or
//! `opening` at once and `rest` once there is an answer; `fault` is an error in the vendor's shape.
//! Numbers keep their digits: JSON passes as text.
//! What a request says of its session is read here too ([`RequestTarget`]).
//! What this crate leaves to others: connections, waiting, and which session that is.

pub mod anthropic;
pub mod gemini;
pub mod openai_chat;
pub mod openai_responses;

mod address;
mod answer;
mod asked;
mod calls;
mod custom;
mod event;
mod fault;
mod inline;
mod output;
mod pieces;
mod reader;
mod request_target;

pub use address::{GeminiCall, Vendor};
pub use answer::{Answer, Head, made_ids};
pub use asked::Asked;
pub use custom::FreeText;
pub use event::Event;
pub use fault::{Fault, FaultKind};
pub use request_target::{
    AGENT_HEADER, AGENT_SEGMENT, RUN_HEADER, RequestTarget, SESSION_HEADER, SESSION_SEGMENT,
    SessionSelector, Word,
};
