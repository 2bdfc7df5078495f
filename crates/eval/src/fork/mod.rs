//! Forks: a run is given again up to a step, something else may happen there, and the agent goes on from it.
//!
//! [`steps`] are the places of a run at which it can fork. [`Given`] is what happened before one of them, with an
//! [`Edit`] at it. [`EvalCase::forked`] makes a case of it, which runs as any other.
//!
//! [`EvalCase::forked`]: crate::EvalCase::forked

mod edit;
mod fork_of;
mod given;
mod step;

pub use edit::{Edit, Move, MoveError};
pub use fork_of::ForkOf;
pub use given::{ForkError, Given};
pub(crate) use given::{GivenAnswer, GivenOutcome};
pub use step::{Step, StepKind, steps};
