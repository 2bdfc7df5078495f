//! Configs: google-adk's `test_config.json` and AgentFlow's `EvalConfig`, with Rehearsal's additions.
//!
//! A mistyped name is a [`ConfigFault`] with the nearest known name, never a default.

mod criterion;
mod fields;
mod judges;
mod metric;
mod read;

pub use criterion::{Criterion, Metric, Tools};
pub use read::{Config, Name, Reading};

pub(crate) use criterion::details;

#[cfg(doc)]
use crate::ConfigFault;

#[cfg(test)]
mod tests;
