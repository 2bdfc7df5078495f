//! The comparison of final responses: by words, as text, by pattern, as JSON, or by numbers.
//!
//! ADK's own metric, bit for bit, is [`crate::adk::response_match`]; [`Comparison::Rouge1`] differs
//! from it in one point: a turn that expects no response is left out and not scored 0.

mod compare;
mod numbers;
mod text;

pub use compare::{Comparison, response};
pub use numbers::numbers_in;
pub use text::normalized;

pub use crate::evidence::ResponseTurn;
