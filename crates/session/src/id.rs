//! The names of things, each a type of its own, checked once where they come in.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that cannot be the id or name it was given as.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} cannot be a {what}: {reason}")]
pub struct InvalidId {
    /// What it was meant to be.
    pub what: &'static str,
    /// The text as it came, at most 80 characters of it.
    pub text: String,
    /// The rule it breaks.
    pub reason: &'static str,
}

fn refuse(what: &'static str, text: &str, reason: &'static str) -> InvalidId {
    InvalidId { what, text: text.chars().take(80).collect(), reason }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Checks the text.
            ///
            /// # Errors
            /// [`InvalidId`] with the rule that the text breaks.
            pub fn parse(text: &str) -> Result<Self, InvalidId> {
                let check: fn(&str) -> Option<&'static str> = $check;
                match check(text) {
                    None => Ok(Self(text.to_owned())),
                    Some(reason) => Err(refuse($what, text, reason)),
                }
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    };
}

fn token(text: &str) -> Option<&'static str> {
    if text.is_empty() || text.len() > 128 {
        Some("it must have 1 to 128 characters")
    } else if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
        Some("only ASCII letters, digits, - and _ are allowed")
    } else {
        None
    }
}

fn name(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        Some("it must not be empty")
    } else if text.len() > 512 {
        Some("it must have at most 512 bytes")
    } else if text.chars().any(char::is_control) {
        Some("control characters are not allowed")
    } else {
        None
    }
}

id! {
    /// One rehearsal. Made by the page, unique across pages.
    SessionId, "session id", token
}
id! {
    /// One tool call, unique in its session.
    CallId, "call id", token
}
id! {
    /// An agent registered with the host: the short name in a page's URL.
    AgentId, "agent id", token
}
id! {
    /// A tool's name as its declaration gives it.
    ToolName, "tool name", name
}

impl AgentId {
    /// The id of an agent with this display name: lower case, everything but letters and digits
    /// turned into single dashes. A name without either becomes `agent`.
    ///
    /// ```
    /// # use session::AgentId;
    /// assert_eq!(AgentId::from_display_name("Smart home (beta)").as_str(), "smart-home-beta");
    /// ```
    #[must_use]
    pub fn from_display_name(name: &str) -> Self {
        let mut id = String::new();
        for character in name.chars() {
            if character.is_ascii_alphanumeric() || character == '_' {
                id.push(character.to_ascii_lowercase());
            } else if !id.is_empty() && !id.ends_with('-') {
                id.push('-');
            }
        }
        id.truncate(120);
        let id = id.trim_end_matches('-');
        Self(if id.is_empty() { "agent".to_owned() } else { id.to_owned() })
    }

    /// The same id with a number behind it, for the second agent of one name.
    #[must_use]
    pub fn numbered(&self, number: usize) -> Self {
        Self(format!("{}-{number}", self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_reject_paths_and_markup() {
        for text in ["", "a/b", "..", "a b", "<b>", "é", &"x".repeat(129)] {
            assert!(SessionId::parse(text).is_err(), "{text}");
        }
        assert!(SessionId::parse("0b9c-41_Z").is_ok());
        assert!(ToolName::parse("weird name.v2").is_ok());
        assert!(ToolName::parse("line\nbreak").is_err());
    }

    #[test]
    fn display_names_become_ids() {
        let id = |name| AgentId::from_display_name(name).as_str().to_owned();
        assert_eq!(id("MathAgent"), "mathagent");
        assert_eq!(id("  Travel / desk  "), "travel-desk");
        assert_eq!(id("家"), "agent");
        assert!(AgentId::parse(&id("x".repeat(900).as_str())).is_ok());
    }
}
