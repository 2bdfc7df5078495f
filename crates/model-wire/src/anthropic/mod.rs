//! Anthropic's Messages: `POST /v1/messages`.

mod own_tools;
mod request;
mod response;
#[cfg(test)]
mod tests;

pub use request::read;
pub use response::{fault, opening, ping, rest, whole};
