//! Why a case cannot be written.

/// A value that Google ADK could not read back, found before anything is written.
///
/// `place` is the path inside the case, such as
/// `conversation[0].intermediate_data.tool_uses[2].args`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// ADK's models take an object here.
    #[error(
        "{place} is a JSON {found}, and ADK reads an object there; wrap the value in an object"
    )]
    NotAnObject {
        /// Where in the case.
        place: String,
        /// The JSON type found.
        found: &'static str,
    },
    /// A `\ud800`-style escape without its other half: JSON's grammar allows it, Unicode and ADK do
    /// not.
    #[error(
        "{place} holds half of a surrogate pair ({escape}), which ADK cannot read; \
         replace that character in the value"
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
    /// A time that is not a finite number has no JSON form.
    #[error(
        "{place} is {value}, which JSON cannot hold; give seconds since 1970 as a finite number"
    )]
    TimeNotFinite {
        /// Where in the case.
        place: String,
        /// The value as Rust shows it.
        value: String,
    },
    /// ADK needs at least the user's message to replay a case.
    #[error("the case {eval_id:?} has an empty conversation; record at least one invocation")]
    EmptyConversation {
        /// The case.
        eval_id: String,
    },
}
