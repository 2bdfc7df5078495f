//! [`Command`]: a request to change a session.

use crate::{AgentName, DisplayName, EventId, Fingerprint, InvocationId, LeaseId, TurnId};

/// A request to change a session. The payloads stay with the host; their fingerprints distinguish a
/// repeated message from a different one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// An agent sends a request.
    Submit {
        /// The turn, a new id from the agent.
        turn_id: TurnId,
        /// The agent.
        agent_name: AgentName,
        /// The agent's run.
        invocation_id: InvocationId,
        /// The fingerprint of the names above and the request.
        fingerprint: Fingerprint,
    },
    /// A person responds.
    Respond {
        /// The turn.
        turn_id: TurnId,
        /// The fingerprint of the person's name and the response.
        fingerprint: Fingerprint,
        /// The person's lease, if any.
        lease_id: Option<LeaseId>,
    },
    /// The agent gives up, or a person declines to respond.
    Cancel {
        /// The turn.
        turn_id: TurnId,
        /// The fingerprint of the canceling person's name, if any, and the reason.
        fingerprint: Fingerprint,
    },
    /// Completes the session: it accepts no more requests.
    Complete {
        /// Cancels pending turns instead of rejecting the command.
        cancel_pending: bool,
    },
    /// Records a tool result or the end of a run.
    Record {
        /// The event, a new id from the sender.
        event_id: EventId,
        /// The turn that it is about.
        turn_id: TurnId,
        /// The agent.
        agent_name: AgentName,
        /// The agent's run.
        invocation_id: InvocationId,
        /// The fingerprint of the names above and the payload.
        fingerprint: Fingerprint,
    },
    /// Takes or renews the lease of the head of the queue.
    TakeLease {
        /// The turn.
        turn_id: TurnId,
        /// The lease.
        lease_id: LeaseId,
        /// The holder.
        by: DisplayName,
        /// How long it lasts unless it is renewed, in milliseconds.
        length_ms: i64,
    },
    /// Hands the lease over to another person.
    HandOver {
        /// The turn.
        turn_id: TurnId,
        /// The lease.
        lease_id: LeaseId,
        /// The new holder.
        to: DisplayName,
        /// How long it stays reserved, in milliseconds.
        length_ms: i64,
    },
    /// Releases the lease.
    Release {
        /// The turn.
        turn_id: TurnId,
        /// The lease.
        lease_id: LeaseId,
    },
    /// Time has passed: a lease may have expired.
    Tick,
}

impl Command {
    /// The turn that it names.
    #[must_use]
    pub fn turn_id(&self) -> Option<TurnId> {
        match self {
            Self::Submit { turn_id, .. }
            | Self::Respond { turn_id, .. }
            | Self::Cancel { turn_id, .. }
            | Self::Record { turn_id, .. }
            | Self::TakeLease { turn_id, .. }
            | Self::HandOver { turn_id, .. }
            | Self::Release { turn_id, .. } => Some(*turn_id),
            Self::Complete { .. } | Self::Tick => None,
        }
    }
}
