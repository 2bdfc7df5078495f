//! Models of eval sets and recorded cases, with readers and writers of their file formats.
//!
//! Two formats are supported: Google ADK's ([`adk`], with its older lists) and AgentFlow's
//! ([`agentflow`]). [`read`] detects the format, and reports every fault with its position instead of
//! stopping at the first. A set that was read is written back with its unknown fields, digits, casing and
//! order. This crate also makes ids ([`eval_id`], [`eval_set_id`]) and whitespace ([`Layout`]).
//!
//! Left to others: files and locks (`evalset-file`), scores (`scoring`), and the creation of a case from
//! a session (`trace-export`).
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
mod loose_bool;
mod model;
mod number;
mod original_form;
mod reading;
mod tags_and_tools;

pub use document::{Case, EvalSet, Reading, read, read_as, read_case};
pub use edit::{EditError, NewCall};
pub use equality::same_value;
pub use error::CaseError;
pub use format::{DetectedFormat, Format, FormatDetector};
pub use ids::{eval_id, eval_set_id, numbered, seconds, selectable_id, snake_case};
pub use layout::{CaseText, Layout};
pub use loose_bool::LooseBool;
pub use number::Number;
pub use original_form::OriginalForm;
pub use reading::{CaseFault, CaseLocation, Origin, PathSegment, Problem, Severity, path_of};
