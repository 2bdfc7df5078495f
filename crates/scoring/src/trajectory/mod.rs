//! The comparison of trajectories beyond ADK's: matchers for single arguments, alternative
//! trajectories, and partial credit by optimal alignment.
//!
//! ADK's own metric is [`crate::adk::tool_trajectory`].

mod align;
mod call_similarity;
#[cfg(feature = "json-schema")]
mod keywords;
mod matcher;
mod metric;
mod rules;
#[cfg(feature = "json-schema")]
mod schema;

pub use align::align;
pub use matcher::{Matcher, NoSchemas, SchemaCheck, Schemas, UnusableSchema};
pub(crate) use matcher::{distances, pattern};
pub use metric::{Credit, Matching, Measure, trajectory};
pub use rules::ArgumentRules;
#[cfg(feature = "json-schema")]
pub use schema::JsonSchemas;

pub use crate::evidence::{Alignment, CallSeen, Row, RowKind, TurnScore};
