//! Google ADK's eval models, as `google/adk/evaluation` declares them.
//!
//! Fields are in the order of ADK's own models, keys are snake_case, and what is unset, default or
//! `None` is left out: a new file stays the same when ADK rewrites it. A file that was read keeps its
//! form.
//! Arguments, responses and state are [`json_text::JsonText`] and keep their digits.

mod case;
mod check;
mod content;
mod intermediate;
mod legacy;
mod mark;
mod opaque_fields;
mod result;
mod set;

pub use case::{ConversationScenario, EvalCase, Invocation, Rubric, RubricContent, SessionInput};
pub use content::{Content, FunctionCall, FunctionResponse, InvalidParts, Part};
pub use intermediate::{
    IntermediateData, IntermediateResponse, InvocationEvent, responses_of_calls,
};
pub use legacy::{
    LegacyQuery, LegacyResponse, LegacySession, LegacySet, LegacyStart, LegacyToolUse,
};
pub use mark::AdkMark;
pub use result::{EvalCaseResult, EvalSetResult, InvocationResult};
pub use set::{EvalSet, EvalSetHeader};

pub use crate::reading::DEPTH_LIMIT;
