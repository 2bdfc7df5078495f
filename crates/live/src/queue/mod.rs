//! The state machine of a session's queue.
//!
//! [`Queue::decide`] checks a [`Command`] and returns [`Fact`]s; [`Queue::apply`] changes the queue by
//! a fact and cannot fail. Replaying the facts restores the queue.

mod command;
mod decide;
mod fact;
mod lease;
mod refusal;
mod state;
#[cfg(test)]
mod tests;

pub use command::Command;
pub use decide::{CommandReply, Transition};
pub use fact::{Entry, Fact, Fingerprint, Sequence};
pub use lease::Lease;
pub use refusal::Refusal;
pub use state::{ClosedTurn, Closing, PendingTurn, Queue, Recorded, Status, Unknown};
