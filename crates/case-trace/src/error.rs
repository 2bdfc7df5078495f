//! Why a case gives no trace.

use evalset::{PathSegment, path_of};

/// Something in a case that is read for scoring alone, and cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "case {eval_id:?} at {}: {fault}{}",
    path_of(path),
    remedy.map(|remedy| format!("; {remedy}")).unwrap_or_default()
)]
pub struct Misread {
    /// The case.
    pub eval_id: String,
    /// The way from the case to it. In a case that was converted it leads through the other format.
    pub path: Vec<PathSegment<'static>>,
    /// What is wrong.
    pub fault: String,
    /// What to do, where the fault does not say so.
    pub remedy: Option<&'static str>,
}
