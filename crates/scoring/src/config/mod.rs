//! Configs: google-adk's `test_config.json` and AgentFlow's `EvalConfig`, with Rehearsal's additions.
//!
//! A mistyped name is a [`ConfigFault`] with the nearest known name, never a default.

mod fields;
mod judges;
mod metric;
mod read;
mod score;

pub use read::{Config, Name, Reading};
pub use score::Tools;

pub use crate::criterion::{Criterion, Metric};

#[cfg(doc)]
use crate::ConfigFault;

#[cfg(test)]
mod tests;
