//! [`Event`]: one server-sent event.

use std::fmt;

use json_text::JsonText;

/// One server-sent event, as it is put on the wire by `Display`.
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

    /// The mark at the end of OpenAI's streams, which is no JSON.
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

/// White space between tokens may hold line breaks, which would end the field.
fn line(json: &JsonText) -> String {
    json.compact().as_str().to_owned()
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.name {
            writeln!(formatter, "event: {name}")?;
        }
        write!(formatter, "data: {}\n\n", self.data)
    }
}
