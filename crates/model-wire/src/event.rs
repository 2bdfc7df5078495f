//! [`Event`]: one server-sent event.

use std::fmt;

use json_text::JsonText;

/// Characters that end a line for some clients, such as google-genai's, and may be in a JSON string.
const LINE_ENDS: [(char, &str); 3] =
    [('\u{85}', "\\u0085"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")];

/// One server-sent event; `Display` writes it as it is sent.
///
/// ```
/// use json_text::JsonText;
/// use model_wire::Event;
/// let event = Event::named("ping", &JsonText::parse(r#"{"type": "ping"}"#)?);
/// assert_eq!(event.to_string(), "event: ping\ndata: {\"type\":\"ping\"}\n\n");
/// # Ok::<(), json_text::JsonTextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    name: Option<&'static str>,
    data: String,
}

impl Event {
    /// An event with a name.
    #[must_use]
    pub fn named(name: &'static str, data: &JsonText) -> Self {
        Self { name: Some(name), data: line(data) }
    }

    /// An event without a name.
    #[must_use]
    pub fn of(data: &JsonText) -> Self {
        Self { name: None, data: line(data) }
    }

    /// The mark at the end of OpenAI's streams, which is not JSON.
    #[must_use]
    pub fn done() -> Self {
        Self { name: None, data: "[DONE]".to_owned() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// Its data, on one line.
    #[must_use]
    pub fn data(&self) -> &str {
        &self.data
    }
}

/// The JSON on one line: without white space between tokens, and with other line ends escaped.
fn line(json: &JsonText) -> String {
    LINE_ENDS.iter().fold(json.compact().as_str().to_owned(), |text, (end, escape)| {
        if text.contains(*end) { text.replace(*end, escape) } else { text }
    })
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.name {
            writeln!(formatter, "event: {name}")?;
        }
        write!(formatter, "data: {}\n\n", self.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_never_breaks_an_event_line() {
        let text = JsonText::string("a\u{85}b\u{2028}c\u{2029}d\ne\u{b}");
        let event = Event::of(&text);
        assert!(!event.data().contains(|one: char| "\u{85}\u{2028}\u{2029}\n\u{b}".contains(one)));
        let read: String = serde_json::from_str(event.data()).expect("JSON");
        assert_eq!(read, "a\u{85}b\u{2028}c\u{2029}d\ne\u{b}");
    }
}
