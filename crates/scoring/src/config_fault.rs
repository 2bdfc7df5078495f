//! [`ConfigFault`]: an error in a config or an expectation.

use std::fmt;

/// What is wrong in a document, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigFault {
    /// The place, as a JSON pointer; empty for the whole document.
    pub place: String,
    /// What is wrong and the remedy, in one sentence without a full stop.
    pub message: String,
}

impl ConfigFault {
    /// A fault at a place.
    #[must_use]
    pub fn new(place: &str, message: impl Into<String>) -> Self {
        Self { place: place.to_owned(), message: message.into() }
    }
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            formatter.write_str(&self.message)
        } else {
            write!(formatter, "{}: {}", self.place, self.message)
        }
    }
}
