//! Converts messages to values. Every rule of `proto/rehearsal/v1` is checked here, and an error names
//! the field and the rule.

mod content;
mod event;
mod list;
#[cfg(test)]
mod tests;

pub use content::{decision, human_response, llm_request};
pub use event::{
    agent_name, description, event, invocation_id, person, recorded, required_person, stored_event,
};
pub use list::{cursor, cursor_to_wire, page_size};
