//! Eval sets: recorded cases as values, and the file formats they are written in.
//!
//! Two formats are read and written: Google ADK's ([`adk`], with its older lists) and AgentFlow's
//! ([`agentflow`]). [`read`] tells them apart by their content, names the place of every fault and
//! goes on; what was read is written as it stood, with its unknown fields, digits, casing and order.
//!
//! This crate makes the ids of recorded cases ([`eval_id`], [`eval_set_id`]), and so is the white
//! space a case is laid out with ([`Layout`]), so that it can take on the style of a file it joins.
//!
//! What this crate leaves to others: files, locks and clocks (`evalset-file`), scores (`scoring`),
//! and the making of a case from a session (the host).
//!
//! ```
//! use evalset::adk::{Content, EvalCase, Invocation};
//! use evalset::{Layout, eval_id};
//!
//! let start = jiff::Timestamp::from_second(1_766_500_200).expect("a time");
//! let turn = Invocation::new("s1_inv_0", Content::user("What is 5 + 3?"));
//! let case = EvalCase::new(eval_id("MathAgent", start), vec![turn]);
//! let text = case.to_json()?.laid_out(&Layout::two_spaces());
//! assert!(text.starts_with("{\n  \"eval_id\": \"math_agent_2025-12-23T14:30:00\",\n"));
//! # Ok::<(), evalset::CaseError>(())
//! ```

pub mod adk;
pub mod agentflow;
mod convert;
mod document;
mod edit;
mod equality;
mod error;
mod format;
mod ids;
mod layout;
mod model;
mod number;
mod reading;
mod traits;
mod truth;
mod written;

pub use document::{Case, EvalSet, Reading, read, read_as, read_case};
pub use edit::{EditError, NewCall};
pub use equality::same_value;
pub use error::CaseError;
pub use format::{Format, FormatDetector};
pub use ids::{eval_id, eval_set_id, numbered, seconds, snake_case};
pub use layout::{CaseText, Layout};
pub use number::Number;
pub use reading::{CaseLocation, Fault, Origin, PathSegment, Problem, Severity, path_of};
pub use truth::Truth;
pub use written::Written;
