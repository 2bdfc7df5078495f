//! Converts queues, leases and sessions to their protobuf messages.

use live::{Lease, LiveSession, Note, PendingTurn};
use rpc::wire;

use super::feed::QueueState;
use super::sessions::Summary;

pub(super) fn session(session: &LiveSession) -> wire::SimulatorSession {
    wire::SimulatorSession {
        id: session.id.to_string(),
        created_at_ms: session.created_at.0,
        description: session.description.as_ref().map(Note::to_string),
        status: rpc::status_to_wire(session.status).into(),
    }
}

pub(super) fn summary(summary: &Summary) -> wire::SessionSummary {
    let pending = summary.snapshot.iter().flat_map(|snapshot| &snapshot.pending);
    wire::SessionSummary {
        session: Some(session(&summary.session)),
        queue: Some(queue(&summary.state())),
        pending: pending.map(|(turn, awaited)| pending_turn(turn, *awaited)).collect(),
        last_sequence: summary.last.0,
    }
}

pub(super) fn state(state: &QueueState) -> wire::StateChange {
    wire::StateChange {
        status: rpc::status_to_wire(state.status).into(),
        queue: Some(queue(state)),
    }
}

fn queue(state: &QueueState) -> wire::Queue {
    wire::Queue {
        depth: u32::try_from(state.depth).unwrap_or(u32::MAX),
        up: state.head.as_ref().map(|(turn, awaited)| pending_turn(turn, *awaited)),
        lease: state.lease.as_ref().map(|held| lease(held, false)),
    }
}

fn pending_turn(turn: &PendingTurn, awaited: bool) -> wire::PendingTurn {
    wire::PendingTurn {
        turn_id: turn.turn_id.to_string(),
        agent_name: turn.agent_name.to_string(),
        sequence: turn.sequence.0,
        since_ms: turn.since.0,
        awaited,
    }
}

/// Only the holder receives the lease's id, because the id authorizes a response.
pub(super) fn lease(lease: &Lease, to_its_holder: bool) -> wire::Lease {
    wire::Lease {
        turn_id: lease.turn_id.to_string(),
        lease_id: lease.id.filter(|_| to_its_holder).map(|id| id.to_string()),
        holder: Some(rpc::person_to_wire(&lease.holder)),
        until_ms: lease.until.at.0,
        offered: lease.id.is_none(),
    }
}
