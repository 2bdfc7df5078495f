//! [`Fault`]: why a file is not an eval set that a case can join.

/// What is wrong, and at which byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Bytes from the start of the file.
    pub(crate) at: u64,
    /// What is wrong there.
    pub(crate) kind: FaultKind,
}

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// Not JSON, or not UTF-8.
    Invalid(&'static str),
    /// JSON, but a list: ADK's older form.
    LegacyList,
    /// JSON, but not ADK's `EvalSet`.
    NotAnEvalSet(&'static str),
    /// `eval_cases` appears twice; readers disagree on which one counts.
    CasesTwice {
        /// Where the first one's list opens.
        first: u64,
    },
}

impl Fault {
    pub(super) fn invalid(at: u64, reason: &'static str) -> Self {
        Self { at, kind: FaultKind::Invalid(reason) }
    }

    pub(super) fn not_an_eval_set(at: u64, reason: &'static str) -> Self {
        Self { at, kind: FaultKind::NotAnEvalSet(reason) }
    }
}
