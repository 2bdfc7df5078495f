//! [`Key`]: the keys on the path to the cases and their ids.

use std::borrow::Cow;

use super::structure::Level;

/// The longest string that is read, in bytes. A longer id cannot equal an id of this program.
pub(super) const LONGEST: usize = 16 << 10;

/// The meaning of the latest key at the watched depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Key {
    /// Leads to the next [`Level`].
    Leads,
    /// Holds the id of the place.
    Id,
    /// Holds what a case has in place of a conversation.
    Scenario,
    /// The list of cases in a casing that ADK does not read.
    CamelCaseList,
    /// The cases of a run.
    History,
    #[default]
    Other,
}

impl Key {
    /// The meaning of a key in a set.
    pub(super) fn in_set(level: Level, key: &str) -> Self {
        match (level, key) {
            (Level::Set, "eval_cases") | (Level::Case, "conversation") => Self::Leads,
            (Level::Set, "eval_set_id")
            | (Level::Case, "eval_id" | "evalId")
            | (Level::Invocation, "invocation_id" | "invocationId") => Self::Id,
            (Level::Case, "conversation_scenario" | "conversationScenario") => Self::Scenario,
            (Level::Set, "eval_case_results" | "evalCaseResults") => Self::History,
            (Level::Set, "evalCases") => Self::CamelCaseList,
            _ => Self::Other,
        }
    }

    /// The meaning of a key in one of ADK's older lists.
    pub(super) fn in_older_list(level: Level, key: &str) -> Self {
        match (level, key) {
            (Level::Case, "data") => Self::Leads,
            (Level::Case, "name") => Self::Id,
            _ => Self::Other,
        }
    }
}

/// The text of a string, given without its quotes; `None` if it is too long.
pub(super) fn unescaped(raw: &[u8]) -> Option<Cow<'_, str>> {
    if raw.len() > LONGEST {
        return None;
    }
    let text = std::str::from_utf8(raw).ok()?;
    if !raw.contains(&b'\\') {
        return Some(Cow::Borrowed(text));
    }
    serde_json::from_str(&format!("\"{text}\"")).ok().map(Cow::Owned)
}
