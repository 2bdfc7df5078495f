//! The formats of the model APIs that agent frameworks call: a vendor's request is parsed to a
//! [`ParsedRequest`], and a person's response is written in the vendor's format, whole or as a stream
//! of events.
//!
//! Each API has a module with the same functions: `read` parses a request, `whole` writes a
//! [`ModelResponse`], `opening` and `rest` stream one, and `fault` writes an error.
//! JSON passes as text, so numbers keep their digits.
//! [`RequestTarget`] parses the names of session, agent and run.
//!
//! Left to others: connections, waiting, and the lookup of sessions.

pub mod anthropic;
pub mod gemini;
pub mod openai_chat;
pub mod openai_responses;

mod address;
mod api_fault;
mod calls;
mod common;
mod custom;
mod event;
mod inline;
mod output;
mod parsed_request;
mod reader;
mod request_target;
mod response;

pub use address::{GeminiCall, Vendor};
pub use api_fault::{ApiFault, FaultKind};
pub use custom::FreeText;
pub use event::Event;
pub use parsed_request::ParsedRequest;
pub use request_target::{
    AGENT_HEADER, AGENT_SEGMENT, CANCEL_AFTER_HEADER, Name, RUN_HEADER, RequestTarget,
    SESSION_HEADER, SESSION_SEGMENT, SessionSelector,
};
pub use response::{ModelResponse, ResponseHead, made_ids};
