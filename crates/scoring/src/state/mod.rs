//! The metric `state`: queries in MongoDB's style over the final state of a session.
//!
//! No crate evaluates such queries over JSON that keeps its digits: those that exist work on
//! parsed numbers, know a few operators, or are databases. See `docs/design/scoring.md`.

mod condition;
mod metric;
mod parse;
mod query;

pub use metric::{StateMeasure, state};
pub use parse::operator;
pub use query::Query;

pub use crate::evidence::StateCondition;
