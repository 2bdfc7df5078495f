//! What was said up to a response, for a request that goes on from it.

use live::{Content, Part};

use crate::answer::{CALL, Head, PartIndex};
use crate::custom::FreeText;

/// The conversation of the turn with these digits, its calls under the ids that the client was told.
#[must_use]
pub fn history(turn: &str, mut asked: Vec<Content>, mut answer: Content) -> Vec<Content> {
    let head = Head {
        turn: turn.to_owned(),
        model: String::new(),
        created: 0,
        echo: None,
        free_text: FreeText::default(),
    };
    for (part, said) in answer.parts.iter_mut().enumerate() {
        if let Part::FunctionCall(call) = said {
            call.id = Some(head.call_id(call, CALL, &PartIndex { candidate: 0, part }));
        }
    }
    asked.push(answer);
    asked
}
