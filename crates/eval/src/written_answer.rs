//! What a simulated user reads where the agent said nothing, and what its texts give as its answer: the response of a
//! tool that waits, or the end of the conversation.

use json_text::{JsonText, Kind};

use crate::model::{UnfitAnswer, beginning, read_json};
use crate::user_agent::{UserAgentError, Wanted};

/// What a simulated user writes to end the conversation. google-adk's write the same.
pub(crate) const END: &str = "</finished>";

/// Begins a conversation in which the user speaks first; services want a first message to the model.
pub(crate) const BEGINNING: &str = "(The conversation begins. The agent has said nothing yet.)";

/// Stands for a turn that the agent ended without a word.
pub(crate) const SILENCE: &str = "(The agent said nothing.)";

/// What these texts give the tool that waits: the last one as JSON, or else, where the tool wants a text, all of them.
pub(crate) fn response(texts: &[String], wanted: &Wanted<'_>) -> Result<JsonText, UnfitAnswer> {
    let last = texts.last().map_or("", String::as_str);
    let read = read_json(last, |json| match (wanted.refusal)(json) {
        None => Ok(json.clone()),
        Some(refusal) => Err(refusal.into()),
    });
    let error = match read {
        Ok(json) => return Ok(json),
        Err(error) => error,
    };
    let is_structure =
        read_json(last, |json| Ok(matches!(json.kind(), Kind::Object | Kind::Array)));
    if wanted.schema.is_none() || is_structure == Ok(true) {
        return Err(error);
    }
    let text = JsonText::string(&texts.join("\n\n"));
    if (wanted.refusal)(&text).is_none() { Ok(text) } else { Err(error) }
}

/// The error of a user agent whose last answer cannot be used either.
pub(crate) fn unusable_answer(name: &str, text: &str, reason: &UnfitAnswer) -> UserAgentError {
    let reason = reason.to_string();
    UserAgentError::Unusable { name: name.to_owned(), reason, shown: beginning(text) }
}

/// What of a text is said if it ends the conversation, which may be nothing; `None` if it does not. As in google-adk,
/// the mark ends it wherever it is and in whatever case.
pub(crate) fn said_at_the_end(text: &str) -> Option<String> {
    let mut rest = text;
    let mut said = String::new();
    while let Some(at) = rest.to_ascii_lowercase().find(END) {
        said.push_str(&rest[..at]);
        rest = &rest[at + END.len()..];
    }
    (rest.len() < text.len()).then(|| {
        said.push_str(rest);
        // Marks of Markdown around the end say nothing.
        let says = said.chars().any(|it| !it.is_whitespace() && !it.is_ascii_punctuation());
        if says { said.trim().to_owned() } else { String::new() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_ends_the_conversation_wherever_it_is() {
        let said = |text| said_at_the_end(text);
        assert_eq!(said("I am finished"), None);
        for nothing in ["</finished>", "**</Finished>**.", "`</finished>` </FINISHED>"] {
            assert_eq!(said(nothing).as_deref(), Some(""), "{nothing}");
        }
        assert_eq!(said("Thanks! </finished>").as_deref(), Some("Thanks!"));
        assert_eq!(said("</FINISHED> Grüße İ").as_deref(), Some("Grüße İ"));
        assert_eq!(said("👍</finished>").as_deref(), Some("👍"));
    }
}
