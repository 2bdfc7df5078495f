//! [`Place`]: a part of a run that a person can take over.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A part of a run that a person can take over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Place {
    /// The model of every agent.
    Agent,
    /// The user, in the conversation and for tools that wait.
    User,
    /// The tool of this name.
    Tool(String),
}

impl From<Place> for String {
    fn from(place: Place) -> Self {
        place.to_string()
    }
}

impl TryFrom<String> for Place {
    type Error = UnknownPlace;

    fn try_from(text: String) -> Result<Self, UnknownPlace> {
        text.parse()
    }
}

/// `agent`, `user` or `tool NAME`.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent => formatter.write_str("agent"),
            Self::User => formatter.write_str("user"),
            Self::Tool(name) => write!(formatter, "tool {name}"),
        }
    }
}

/// A text that names no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be taken over; name `agent`, `user` or `tool NAME`")]
pub struct UnknownPlace(String);

impl FromStr for Place {
    type Err = UnknownPlace;

    fn from_str(text: &str) -> Result<Self, UnknownPlace> {
        match (text, text.strip_prefix("tool ")) {
            ("agent", _) => Ok(Self::Agent),
            ("user", _) => Ok(Self::User),
            (_, Some(name)) if !name.is_empty() => Ok(Self::Tool(name.to_owned())),
            _ => Err(UnknownPlace(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_is_written() {
        for place in [Place::Agent, Place::User, Place::Tool("look up".to_owned())] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        assert!("tool ".parse::<Place>().is_err() && "model".parse::<Place>().is_err());
    }
}
