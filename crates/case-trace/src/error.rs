//! Why a case gives no trace.

/// Something in a case that is read for scoring alone, and cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("case {eval_id:?} at {place}: {fault}; {remedy}")]
pub struct Misread {
    /// The case.
    pub eval_id: String,
    /// The place inside it.
    pub place: String,
    /// What is wrong.
    pub fault: String,
    /// What to do.
    pub remedy: &'static str,
}
