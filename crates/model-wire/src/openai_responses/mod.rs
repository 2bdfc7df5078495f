//! OpenAI's Responses: `POST /v1/responses`.
//!
//! A response's id is `resp_` and its turn, so that a request with `previous_response_id` continues that
//! conversation.

mod events;
mod history;
mod request;
mod response;
#[cfg(test)]
mod tests;

pub use events::{failed, opening, rest};
pub use history::history;
pub use request::{previous_turn, read};
pub use response::whole;

pub use crate::openai_chat::fault;
