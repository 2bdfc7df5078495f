//! Why a case gives no trace.

use evalset::{Step, path_of};

/// Something in a case that is read for scoring alone, and cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("case {eval_id:?} at {}: {fault}; {remedy}", path_of(path))]
pub struct Misread {
    /// The case.
    pub eval_id: String,
    /// The way from the case to it. In a case that was converted it leads through the other format.
    pub path: Vec<Step<'static>>,
    /// What is wrong.
    pub fault: String,
    /// What to do.
    pub remedy: &'static str,
}
