//! What a case is scored by: google-adk's `test_config.json` and AgentFlow's `EvalConfig`, as they
//! are, with what Rehearsal adds.
//!
//! A mistyped name never falls back to a default: it is a [`Fault`] that names the nearest.

mod criterion;
mod fields;
mod judges;
mod metric;
mod read;

pub use criterion::{Criterion, Metric, Tools};
pub use read::{Config, Name, Reading};

pub(crate) use criterion::details;

#[cfg(doc)]
use crate::Fault;

#[cfg(test)]
mod tests;
