//! The conversation up to a response, for a request that continues it.

use live::{Content, Part};

use crate::custom::FreeText;
use crate::response::{CALL, PartIndex, ResponseHead};

/// The conversation of the turn with these digits, with the call ids that the client received.
#[must_use]
pub fn history(turn: &str, mut asked: Vec<Content>, mut answer: Content) -> Vec<Content> {
    let head = ResponseHead {
        turn: turn.to_owned(),
        model: String::new(),
        created: 0,
        echo: None,
        free_text: FreeText::default(),
        include_usage: false,
    };
    for (part, content) in answer.parts.iter_mut().enumerate() {
        if let Part::FunctionCall(call) = content {
            call.id = Some(head.call_id(call, CALL, &PartIndex { candidate: 0, part }));
        }
    }
    asked.push(answer);
    asked
}
