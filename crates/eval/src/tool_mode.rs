//! [`ToolMode`]: what a tool does from the step on at which a run forks.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a tool does from the step on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum ToolMode {
    /// Its code runs, with all its effects.
    Real,
    /// Its code runs and can change its session, and nothing else.
    Sealed,
    /// It returns what it returned in the run to equal arguments.
    Recorded,
    /// A call of it ends the continuation.
    Refused,
    /// This model plays it.
    Simulated(String),
}

/// A text that names no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not what a tool can do; choose real, sealed, recorded, refused or simulated:MODEL")]
pub struct UnknownToolMode(String);

/// How a mode with a model begins.
const SIMULATED: &str = "simulated:";

impl FromStr for ToolMode {
    type Err = UnknownToolMode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "real" => Ok(Self::Real),
            "sealed" => Ok(Self::Sealed),
            "recorded" => Ok(Self::Recorded),
            "refused" => Ok(Self::Refused),
            other => match other.strip_prefix(SIMULATED) {
                Some(model) if !model.trim().is_empty() => Ok(Self::Simulated(model.to_owned())),
                _ => Err(UnknownToolMode(other.to_owned())),
            },
        }
    }
}

impl TryFrom<String> for ToolMode {
    type Error = UnknownToolMode;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ToolMode> for String {
    fn from(mode: ToolMode) -> Self {
        mode.to_string()
    }
}

impl fmt::Display for ToolMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real => formatter.write_str("real"),
            Self::Sealed => formatter.write_str("sealed"),
            Self::Recorded => formatter.write_str("recorded"),
            Self::Refused => formatter.write_str("refused"),
            Self::Simulated(model) => write!(formatter, "{SIMULATED}{model}"),
        }
    }
}

/// What each tool does, by its name.
pub type ToolModes = BTreeMap<String, ToolMode>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_written_as_they_are_read() {
        for text in ["real", "sealed", "recorded", "refused", "simulated:openai/gpt-5-mini"] {
            assert_eq!(text.parse::<ToolMode>().map(|mode| mode.to_string()).as_deref(), Ok(text));
        }
        let error = "simulated:".parse::<ToolMode>().expect_err("no model");
        assert!(error.to_string().starts_with("simulated: is not what a tool can do"), "{error}");
    }
}
