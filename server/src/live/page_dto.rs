//! Converts between live sessions and the page's types: ids and names in, sessions and errors out.

use api::{
    ApiError, LiveId, LiveLease, LiveLeaseId, LivePlace, LiveSummary, LiveTurnId, WaitingTurn,
};
use live::{LeaseId, LiveSessionId, Note, Refusal, SessionEvent, Status, TurnId};

use super::error::LiveError;
use super::sessions::Summary;
use live_store::StoreError;

/// A session for the page.
pub(super) fn summary(summary: &Summary) -> LiveSummary {
    let state = summary.state();
    let pending = summary.snapshot.iter().flat_map(|snapshot| &snapshot.pending);
    LiveSummary {
        id: LiveId::new(summary.session.id.to_string()),
        description: summary.session.description.as_ref().map(Note::to_string).unwrap_or_default(),
        created_ms: summary.session.created_at.0,
        is_completed: state.status == Status::Completed,
        events: state.last.0,
        depth: state.depth as u64,
        agents: summary.agents.clone(),
        waiting: pending
            .map(|(turn, is_awaited)| WaitingTurn {
                turn: LiveTurnId::new(turn.turn_id.to_string()),
                agent: turn.agent_name.to_string(),
                sequence: turn.sequence.0,
                since_ms: turn.since.0,
                is_awaited: *is_awaited,
            })
            .collect(),
        lease: state.lease.map(|lease| LiveLease {
            turn: LiveTurnId::new(lease.turn_id.to_string()),
            holder: lease.holder.to_string(),
            until_ms: lease.until.at.0,
            is_offered: lease.id.is_none(),
        }),
    }
}

/// A stored event, validated when it is decoded.
pub(super) fn checked(event: rpc::wire::SessionEvent) -> Result<SessionEvent, ApiError> {
    rpc::event(event).map_err(|fault| {
        tracing::error!("a stored event is not valid: {fault}");
        ApiError::Internal("read an event of this session".to_owned())
    })
}

pub(super) fn session_id(id: &LiveId) -> Result<LiveSessionId, ApiError> {
    LiveSessionId::parse(id.as_str())
        .map_err(|_| ApiError::UnknownLiveSession(id.as_str().chars().take(80).collect()))
}

pub(super) fn ids(place: &LivePlace) -> Result<(LiveSessionId, TurnId), ApiError> {
    let session = session_id(&place.session)?;
    let turn = TurnId::parse(place.turn.as_str()).map_err(|_| unknown_turn(place.turn.as_str()))?;
    Ok((session, turn))
}

fn unknown_turn(id: &str) -> ApiError {
    let id: String = id.chars().take(80).collect();
    ApiError::LiveRefused(format!("This session has no turn {id}."))
}

pub(super) fn lease_id(id: &LiveLeaseId) -> Result<LeaseId, ApiError> {
    LeaseId::parse(id.as_str()).map_err(|fault| refused(&fault.into()))
}

pub(super) fn refused(error: &LiveError) -> ApiError {
    match error {
        LiveError::UnknownSession(id) => ApiError::UnknownLiveSession(id.to_string()),
        LiveError::Refused(Refusal::LeaseHeld { holder, .. }) => {
            ApiError::LeaseHeld(holder.to_string())
        }
        LiveError::Refused(Refusal::TurnsPending { count }) => ApiError::LiveWaiting(*count as u64),
        LiveError::StillWaiting { waiting } => ApiError::LiveWaiting(*waiting as u64),
        LiveError::Refused(Refusal::UnknownTurn(turn)) => unknown_turn(&turn.to_string()),
        LiveError::Refused(Refusal::NotAtHead { ahead, .. }) => {
            let pending = if *ahead == 1 { "request is" } else { "requests are" };
            let reason = format!(
                "This request is not at the head of the queue. {ahead} earlier {pending} pending."
            );
            ApiError::LiveRefused(reason)
        }
        LiveError::Stopping => ApiError::Stopping,
        LiveError::Store(cause) => {
            match **cause {
                StoreError::Full | StoreError::InUse { .. } | StoreError::Unreachable { .. } => {}
                _ => tracing::error!("{error}"),
            }
            ApiError::LiveRefused(error.to_string())
        }
        _ => ApiError::LiveRefused(error.to_string()),
    }
}
