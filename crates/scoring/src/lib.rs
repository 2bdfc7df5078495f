//! Scores an actual trace against an expected case.
//!
//! Pure functions over two [`Trace`]s. A metric gives an [`Outcome`]: a score with its evidence, or
//! unscored with a reason, which is neither passed nor failed nor a number.
//!
//! ```
//! use json_text::JsonText;
//! use scoring::adk::{MatchType, tool_trajectory};
//! use scoring::{Invocation, ToolCall, Trace};
//!
//! let args = JsonText::parse(r#"{"city": "Tokyo"}"#)?;
//! let turn = Invocation { tool_calls: vec![ToolCall::new("get_weather", args)], ..Invocation::default() };
//! let trace = Trace { invocations: vec![turn], ..Trace::default() };
//! let score = tool_trajectory(&trace, &trace, MatchType::Exact, false);
//! assert_eq!(score.map(|average| average.overall), Ok(1.0));
//! # Ok::<(), json_text::JsonTextError>(())
//! ```
//!
//! Left to others: reading eval sets and traces from files, asking a model to judge, drawing.
//! Why it works as it does: `docs/design/scoring.md`.

mod bounds;
mod evidence;
mod figure;
mod outcome;
mod parts;
mod trace;

pub mod adk;
pub mod judge;
pub mod measurements;
pub mod response;
pub mod state;
pub mod trajectory;

mod criterion;
mod rubrics;

pub mod config;
pub mod report;

pub mod rouge;

pub mod statistics;

pub mod json;

mod config_fault;
pub mod nearest;

pub use config_fault::ConfigFault;
pub use evidence::{Evidence, MissedResponse, MissedTurn};
pub use outcome::{Outcome, Reason, Score};
pub use parts::{part_for_people, parts_for_people};
pub use trace::{Invocation, ModelCall, Response, Timing, ToolCall, Trace, joined};
