//! [`Message`]: what the user sends, in the parts that google-adk sends.

use std::borrow::Cow;
use std::collections::HashMap;

use evalset::adk::{Content, FunctionResponse, InvalidParts};
use json_text::JsonText;
use scoring::{Invocation, Trace, parts_for_people};
use serde::{Deserialize, Serialize};

/// A message of the user: a text, or parts as google-adk has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Message(Content);

/// Parts, as files and user agents write them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    parts: Vec<JsonText>,
}

/// Why parts are not a message that can be sent.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// The parts are not those of a message.
    #[error(transparent)]
    Unreadable(#[from] InvalidParts),
    /// The parts cannot be listed.
    #[error(transparent)]
    Unlisted(#[from] serde_json::Error),
    /// There are no parts.
    #[error("the message has no parts; give it at least one")]
    NoParts,
    /// A part calls a function, as only an agent does.
    #[error("a message of the user cannot call a function; remove the part")]
    CallsFunction,
    /// It has responses of functions and a text.
    #[error(
        "google-adk does not send responses of functions and a text in one message; make two of it"
    )]
    ResponseBesideText,
    /// A response has neither a name nor an id.
    #[error("a response names no function; add its `name`, or the `id` of the call")]
    UnnamedResponse,
    /// A part is not a text, and the agent gets texts only.
    #[error("this agent gets texts only, and part {number} is {shown}")]
    NotText {
        /// Which part, from 1.
        number: usize,
        /// The part, for people.
        shown: String,
    },
}

impl<T: Into<String>> From<T> for Message {
    fn from(text: T) -> Self {
        Self(Content::user(text))
    }
}

impl Message {
    /// A message of these parts, such as `{"inline_data": {"mime_type": "image/png", "data": "..."}}`.
    ///
    /// # Errors
    /// [`MessageError`]: why google-adk does not send them.
    pub fn of_parts(parts: &[JsonText]) -> Result<Self, MessageError> {
        let content = Content::of_parts(JsonText::serialize(parts)?.as_str())?;
        let responses = || content.parts().iter().filter_map(|it| it.function_response.as_ref());
        if content.parts().is_empty() {
            return Err(MessageError::NoParts);
        }
        if content.parts().iter().any(|part| part.function_call.is_some()) {
            return Err(MessageError::CallsFunction);
        }
        if responses().next().is_some() && !content.text().is_empty() {
            return Err(MessageError::ResponseBesideText);
        }
        if responses().any(|it| it.id.is_none() && it.name.is_none()) {
            return Err(MessageError::UnnamedResponse);
        }
        Ok(Self(content))
    }

    /// Why it cannot be the first message; `None` if it can.
    #[must_use]
    pub fn refusal_as_first(&self) -> Option<String> {
        self.responses().next().map(|response| {
            let named = response.name.as_deref().or(response.id.as_deref()).unwrap_or_default();
            format!("the first message responds to a call of {named}, and no call waits yet")
        })
    }

    /// The message that a user agent gives: a text, or an object with `parts`. Anything else is a text of JSON.
    ///
    /// # Errors
    /// As [`Message::of_parts`].
    pub fn of_output(output: &JsonText) -> Result<Self, MessageError> {
        match (output.decode::<String>(), output.decode::<Parts>()) {
            (Ok(text), _) => Ok(text.into()),
            (Err(_), Ok(Parts { parts })) => Self::of_parts(&parts),
            (Err(_), Err(_)) => Ok(output.as_str().into()),
        }
    }

    /// The message of a recorded turn.
    ///
    /// # Errors
    /// As [`Message::of_parts`].
    pub fn recorded(turn: &Invocation) -> Result<Self, MessageError> {
        match &turn.user_parts {
            None => Ok(turn.user_text.as_str().into()),
            Some(parts) => Self::of_parts(parts),
        }
    }

    /// The message as a user agent gives it.
    #[must_use]
    pub fn output(&self) -> JsonText {
        match self.parts() {
            None => JsonText::string(&self.text()),
            Some(parts) => {
                JsonText::serialize(&Parts { parts }).unwrap_or_else(|_| JsonText::null())
            }
        }
    }

    /// Its texts, joined by line feeds.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.text()
    }

    /// Its parts; `None` for a single text.
    #[must_use]
    pub fn parts(&self) -> Option<Vec<JsonText>> {
        self.0.other_than_text()
    }

    /// The message for people: its text, and a line about each other part.
    #[must_use]
    pub fn for_people(&self) -> String {
        self.parts().map_or_else(|| self.text(), |parts| parts_for_people(&parts))
    }

    /// The texts of its parts, for an agent that gets nothing else.
    ///
    /// # Errors
    /// [`MessageError::NotText`] of the first part that is not a text.
    pub fn texts(&self) -> Result<Vec<&str>, MessageError> {
        let texts = self.0.parts().iter().enumerate().map(|(at, part)| match &part.text {
            Some(text) if part.is_text() => Ok(text.as_str()),
            _ => {
                let shown = self.parts().and_then(|parts| parts.get(at).cloned());
                let shown = shown.map(|part| parts_for_people(&[part])).unwrap_or_default();
                Err(MessageError::NotText { number: at + 1, shown })
            }
        });
        texts.collect()
    }

    /// The responses of functions in it.
    pub fn responses(&self) -> impl Iterator<Item = &FunctionResponse> {
        self.0.parts().iter().filter_map(|part| part.function_response.as_ref())
    }

    /// The tools to which it responds. What google-adk asks under names of its own belongs to no tool.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &str> {
        let names = self.responses().filter_map(|response| response.name.as_deref());
        names.filter(|name| !name.starts_with("adk_request_"))
    }

    /// The message with each response addressed to the call, by id and name, that `call_of` gives for it.
    ///
    /// # Errors
    /// What `call_of` fails with.
    pub(crate) fn addressed<E>(
        mut self,
        mut call_of: impl FnMut(&FunctionResponse) -> Result<(String, String), E>,
    ) -> Result<Self, E> {
        for part in self.0.parts.iter_mut().flatten() {
            if let Some(response) = &mut part.function_response {
                let (id, name) = call_of(response)?;
                (response.id, response.name) = (Some(id), Some(name));
            }
        }
        Ok(self)
    }
}

/// The calls of a recording by their ids: the tool, and how many calls of it came before.
///
/// In a run, calls have other ids. A recorded response goes to the call with the same place among those of its tool.
pub type RecordedCalls = HashMap<String, (String, usize)>;

/// The calls of a recording by their ids.
#[must_use]
pub fn recorded_calls(trace: &Trace) -> RecordedCalls {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut calls = RecordedCalls::new();
    for call in trace.invocations.iter().flat_map(|turn| &turn.tool_calls) {
        let name = call.name.as_deref().unwrap_or_default();
        let count = counts.entry(name).or_default();
        if let Some(id) = &call.id {
            calls.insert(id.clone(), (name.to_owned(), *count));
        }
        *count += 1;
    }
    calls
}

/// The text that people see for what a user agent gave.
pub(crate) fn output_for_people(output: &JsonText) -> Cow<'_, str> {
    match Message::of_output(output) {
        Ok(message) => Cow::Owned(message.for_people()),
        Err(_) => Cow::Borrowed(output.as_str()),
    }
}
