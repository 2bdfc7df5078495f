//! OpenAI's Chat Completions: `POST /v1/chat/completions`.
//!
//! Many other vendors and frameworks use it, too. Thoughts are sent as `reasoning_content`, which OpenAI
//! itself does not have.

mod request;
mod response;
#[cfg(test)]
mod tests;

pub use request::read;
pub(crate) use response::{code, error};
pub use response::{fault, opening, rest, whole};
