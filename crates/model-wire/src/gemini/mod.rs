//! Gemini's API: `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`.
//!
//! As its proto3 JSON does, it takes names in `camelCase` and in `snake_case`.

mod request;
mod response;
#[cfg(test)]
mod tests;

pub use request::read;
pub use response::{fault, whole};
