//! Why a case cannot be written.

use crate::reading::Problem;

/// A value that Google ADK could not read back, found before anything is written.
///
/// `place` is the path inside the case, such as
/// `conversation[0].intermediate_data.tool_uses[2].args`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// ADK's models take an object here.
    #[error("{place} is {found}, but ADK requires an object; wrap the value in one")]
    NotAnObject {
        /// Where in the case.
        place: String,
        /// What is there instead, such as `a list`.
        found: &'static str,
    },
    /// A `\ud800`-style escape without its other half: JSON's grammar allows it, Unicode and ADK do
    /// not.
    #[error(
        "{place} has half of a surrogate pair ({escape}), which ADK cannot read; \
         replace that character"
    )]
    LoneSurrogate {
        /// Where in the case.
        place: String,
        /// The escape as written, such as `\ud83d`.
        escape: String,
    },
    /// ADK's JSON parser stops at [`crate::adk::DEPTH_LIMIT`] levels for the whole file.
    #[error(
        "{place} is nested {depth} levels deep in the file, and ADK reads {limit} at most; \
         flatten the value"
    )]
    TooDeep {
        /// Where in the case.
        place: String,
        /// How deep the value would reach, counted from the top of the file.
        depth: usize,
        /// What ADK reads.
        limit: usize,
    },
    /// Something else that ADK's models do not take.
    #[error("{place}: {problem}")]
    Refused {
        /// Where in the case.
        place: String,
        /// What is wrong there.
        problem: Problem,
    },
    /// ADK needs at least the user's message to replay a case.
    #[error("the case {eval_id:?} has an empty conversation; record at least one invocation")]
    EmptyConversation {
        /// The case.
        eval_id: String,
    },
}
