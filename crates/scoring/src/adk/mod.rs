//! google-adk's deterministic metrics, bit for bit: `tool_trajectory_avg_score` and
//! `response_match_score` as version 2.13 computes them.
//!
//! What else one may want of a trajectory or a response is in [`crate::trajectory`] and
//! [`crate::response`]; nothing here is more lenient or more strict than ADK.

mod average;
mod response;
mod trajectory;

pub use average::Average;
pub(crate) use average::paired;
pub(crate) use response::response;
pub use response::response_match;
pub use trajectory::{MatchType, calls_match, tool_trajectory};
