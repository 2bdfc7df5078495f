//! [`InvalidField`]: why a case has no trace.

use evalset::{PathSegment, path_of};

/// An invalid field that only scoring reads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "case {eval_id:?} at {}: {fault}{}",
    path_of(path),
    remedy.map(|remedy| format!("; {remedy}")).unwrap_or_default()
)]
pub struct InvalidField {
    /// The case.
    pub eval_id: String,
    /// The path in the case. In a converted case it is a path of the other format.
    pub path: Vec<PathSegment<'static>>,
    /// The problem.
    pub fault: String,
    /// What to do, if `fault` does not include it.
    pub remedy: Option<&'static str>,
}
