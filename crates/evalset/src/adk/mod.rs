//! Google ADK's eval models, as `google/adk/evaluation` declares them.
//!
//! Fields stand in the order of ADK's own models, keys are snake_case, and what is unset, default or
//! `None` is left out: written here and rewritten by ADK, a file keeps its bytes.
//! Arguments, responses and state are [`json_text::JsonText`] and keep their digits.

mod case;
mod check;
mod content;
mod set;

pub use case::{EvalCase, IntermediateData, Invocation, SessionInput};
pub use check::DEPTH_LIMIT;
pub use content::{Content, FunctionCall, FunctionResponse, Part, Role};
pub use set::EvalSetHeader;
