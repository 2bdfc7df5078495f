//! Says whether the model, the instructions, the tools or the case is at fault, from counted runs.
//!
//! A path that passes, such as that of a person, is given to the agent up to each of its steps, and the agent goes on from there several times: the
//! shares that pass are a [`Curve`]. Where it rises, the model leaves the path. What is tried there, each beside as many
//! runs without it, says why ([`verdict`]). The rules and their reasons: `docs/design/verdict.md`.
//!
//! Nothing here runs anything. Counts go in, and a cause with its reasons comes out.

mod curve;
mod rules;

pub use curve::{Curve, Jump, Point, ROOM};
pub use rules::{Cause, Evidence, PathEnd, Tried, TriedKind, Uncounted, Verdict, verdict};
