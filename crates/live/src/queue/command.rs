//! [`Command`]: a request to change a session.

use crate::{AgentName, DisplayName, EventId, Fingerprint, InvocationId, LeaseId, TurnId};

/// A request to change a session. The payloads stay with the host; their fingerprints tell a repeated message
/// from a different one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// An agent asks.
    Submit {
        /// The agent's name for this call.
        turn_id: TurnId,
        /// Who asks.
        agent_name: AgentName,
        /// In which run.
        invocation_id: InvocationId,
        /// Of the names above and the request.
        fingerprint: Fingerprint,
    },
    /// A person answers.
    Respond {
        /// The turn.
        turn_id: TurnId,
        /// Of the person's name and the response.
        fingerprint: Fingerprint,
        /// Under which lease, where there is one.
        lease_id: Option<LeaseId>,
    },
    /// The agent gives up, or a person refuses to answer.
    Cancel {
        /// The turn.
        turn_id: TurnId,
        /// The fingerprint of the canceling person's name, if any, and the reason.
        fingerprint: Fingerprint,
    },
    /// No further requests.
    Complete {
        /// Cancels pending turns instead of rejecting the command.
        cancel_pending: bool,
    },
    /// What else the run showed.
    Record {
        /// The sender's name for this event.
        event_id: EventId,
        /// The turn that it is about.
        turn_id: TurnId,
        /// Whose run.
        agent_name: AgentName,
        /// Which run.
        invocation_id: InvocationId,
        /// Of the names above and the payload.
        fingerprint: Fingerprint,
    },
    /// Takes the turn that is up, or keeps it.
    TakeLease {
        /// The turn.
        turn_id: TurnId,
        /// The holder's secret.
        lease_id: LeaseId,
        /// Who.
        by: DisplayName,
        /// For how long without a further word, in milliseconds.
        length_ms: i64,
    },
    /// Hands the lease over to another person.
    HandOver {
        /// The turn.
        turn_id: TurnId,
        /// The holder's secret.
        lease_id: LeaseId,
        /// To whom.
        to: DisplayName,
        /// How long it stays reserved, in milliseconds.
        length_ms: i64,
    },
    /// Lets go of the turn.
    Release {
        /// The turn.
        turn_id: TurnId,
        /// The holder's secret.
        lease_id: LeaseId,
    },
    /// Time has passed: a lease may have run out.
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
