//! Eval sets: recorded cases as values, and the file formats they are written in.
//!
//! [`adk`] holds Google ADK's models and writes them as ADK itself does.
//! The names a recorded case goes by are made here ([`eval_id`], [`eval_set_id`]), and so is the
//! white space a case is laid out with ([`Layout`]), so that it can take on the style of a file it
//! joins.
//!
//! What this crate leaves to others: files, locks and clocks (`evalset-file`), and the making of a
//! case from a session (the host).
//!
//! ```
//! use evalset::adk::{Content, EvalCase, Invocation};
//! use evalset::{Layout, eval_id};
//!
//! let start = jiff::Timestamp::from_second(1_766_500_200).expect("a time");
//! let case = EvalCase {
//!     eval_id: eval_id("MathAgent", start),
//!     conversation: vec![Invocation::new("s1_inv_0", Content::user("What is 5 + 3?"))],
//!     session_input: None,
//!     creation_timestamp: evalset::seconds(start),
//! };
//! let text = case.to_json()?.laid_out(&Layout::two_spaces());
//! assert!(text.starts_with("{\n  \"eval_id\": \"math_agent_2025-12-23T14:30:00\",\n"));
//! # Ok::<(), evalset::CaseError>(())
//! ```

pub mod adk;
mod error;
mod ids;
mod layout;

pub use error::CaseError;
pub use ids::{eval_id, eval_set_id, numbered, seconds, snake_case};
pub use layout::{CaseText, Layout};
