//! The state machine of a session's queue.
//!
//! [`Queue::decide`] judges a [`Command`] and gives [`Fact`]s; [`Queue::apply`] moves the queue by a
//! fact and never refuses. Replaying the facts gives the queue again.

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
