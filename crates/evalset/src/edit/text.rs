//! Replaces the text of a message.

use crate::agentflow::{MessageBody, MessageContent};
use crate::{LooseBool, adk};

/// Replaces the texts of the message, including thoughts, with `text`; other parts stay. ADK reads them as
/// one text.
pub(super) fn set_text(content: &mut adk::Content, text: &str) {
    let parts = content.parts.get_or_insert_default();
    let is_text = |part: &adk::Part| part.text.is_some();
    let is_thought = |part: &adk::Part| part.thought.as_ref().is_some_and(LooseBool::is_true);
    let is_answer = |part: &adk::Part| is_text(part) && !is_thought(part);
    let first = parts.iter().position(is_answer).or_else(|| parts.iter().position(is_text));
    match first {
        Some(first) => {
            let mut position = 0;
            parts.retain(|part| {
                position += 1;
                position - 1 == first || !is_text(part)
            });
            if let Some(part) = parts.get_mut(first) {
                part.text = Some(text.to_owned());
                part.thought = None;
            }
        }
        None => parts.push(adk::Part::text(text)),
    }
}

pub(super) fn set_agentflow_text(message: &mut MessageContent, text: &str) {
    message.content = MessageBody::Text(text.to_owned());
}
