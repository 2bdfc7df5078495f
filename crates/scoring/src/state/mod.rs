//! The final state of a session held against a query in MongoDB's style.
//!
//! No crate evaluates such queries over JSON that keeps its digits: those that exist work on
//! parsed numbers, know a few operators, or are databases. See `docs/design/scoring.md`.

mod condition;
mod metric;
mod parse;
mod query;

pub use metric::{StateCondition, StateMeasure, state};
pub use query::Query;
