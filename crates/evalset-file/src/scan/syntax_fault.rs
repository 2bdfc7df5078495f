//! [`SyntaxFault`]: why a file is not an eval set that can be appended to.

/// What is wrong, and at which byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyntaxFault {
    /// Bytes from the start of the file.
    pub(crate) at: u64,
    /// What is wrong there.
    pub(crate) kind: SyntaxFaultKind,
}

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyntaxFaultKind {
    /// Not JSON, or not UTF-8.
    Invalid(&'static str),
    /// A list, ADK's older format.
    LegacyList,
    /// JSON, but not ADK's `EvalSet`.
    NotAnEvalSet(&'static str),
    /// `eval_cases` appears twice; readers disagree on which one counts.
    CasesTwice {
        /// The offset of the first list.
        first: u64,
    },
}

impl SyntaxFault {
    pub(super) fn invalid(at: u64, reason: &'static str) -> Self {
        Self { at, kind: SyntaxFaultKind::Invalid(reason) }
    }

    pub(super) fn not_an_eval_set(at: u64, reason: &'static str) -> Self {
        Self { at, kind: SyntaxFaultKind::NotAnEvalSet(reason) }
    }
}
