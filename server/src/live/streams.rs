//! The two long-running calls: of a watcher, and of a waiting agent.
//!
//! Both end only with an outcome, with the client, or with the host. A client with a broken stream
//! calls again and continues where it was.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt, once, unfold};
use live::{Invalid, LiveSessionId, Sequence, TurnId};
use rpc::wire;
use rpc::wire::await_decision_response::Update as AwaitUpdate;
use rpc::wire::session_event::Payload;
use rpc::wire::subscribe_response::Update;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::active_session::Outcome;
use super::error::LiveError;
use super::feed::Watch;
use super::ledger_requests::Waited;
use super::proto;
use super::sessions::LiveSessions;
use super::turn::Presence;

/// How many updates may be buffered for a watcher.
const UNDER_WAY: usize = 2;

/// Sends the events after a sequence number, a marker at the end of the stored ones, then new ones.
pub(super) fn watch(
    watch: Watch,
    after: Sequence,
    keep_alive: Duration,
    stop: CancellationToken,
) -> Result<BoxStream<'static, Result<wire::SubscribeResponse, Status>>, LiveError> {
    let last = watch.states.borrow().last;
    if after > last {
        let rule = format!("must be at most the last event's, {}", last.0);
        return Err(Invalid::new("after_sequence", rule).into());
    }
    let (sender, receiver) = mpsc::channel(UNDER_WAY);
    tokio::spawn(async move {
        let ended = tokio::select! {
            ended = follow(watch, after, keep_alive, &sender) => ended,
            () = stop.cancelled() => Err(LiveError::Stopping),
            // The watcher has disconnected.
            () = sender.closed() => return,
        };
        if let Err(error) = ended {
            let _ = sender.send(Err(error.into())).await;
        }
    });
    Ok(ReceiverStream::new(receiver).boxed())
}

type Updates = mpsc::Sender<Result<wire::SubscribeResponse, Status>>;

async fn follow(
    watch: Watch,
    mut place: Sequence,
    keep_alive: Duration,
    updates: &Updates,
) -> Result<(), LiveError> {
    let Watch { feed, mut states } = watch;
    let mut shown = None;
    loop {
        let state = states.borrow_and_update().clone();
        if state.is_deleted {
            return Err(LiveError::UnknownSession(feed.session_id()));
        }
        while place < state.last {
            let events = feed.after(place).await?;
            let Some(last) = events.last() else { break };
            place = Sequence(last.sequence);
            let events = events.into_iter().map(Arc::unwrap_or_clone).collect();
            send(updates, Update::Events(wire::EventBatch { events })).await?;
        }
        if shown.is_none() {
            send(updates, Update::HistoryEnd(wire::HistoryEnd { sequence: place.0 })).await?;
        }
        if !shown.as_ref().is_some_and(|shown| state.equals_except_last(shown)) {
            send(updates, Update::State(proto::state(&state))).await?;
            shown = Some(state);
        }
        tokio::select! {
            changed = states.changed() => changed.map_err(|_| LiveError::Stopping)?,
            () = tokio::time::sleep(keep_alive) => {
                send(updates, Update::KeepAlive(wire::KeepAlive {})).await?;
            }
        }
    }
}

async fn send(updates: &Updates, update: Update) -> Result<(), LiveError> {
    let update = wire::SubscribeResponse { update: Some(update) };
    updates.send(Ok(update)).await.map_err(|_| LiveError::Stopping)
}

/// Sends keep-alives until the turn ends, then its outcome.
pub(super) fn wait(
    sessions: LiveSessions,
    session_id: LiveSessionId,
    turn_id: TurnId,
    waited: Waited,
    stop: CancellationToken,
) -> BoxStream<'static, Result<wire::AwaitDecisionResponse, Status>> {
    match waited {
        Waited::Closed(sequence) => once(async move {
            let event = sessions.event(session_id, sequence).await?;
            Ok(update(outcome(event)))
        })
        .boxed(),
        Waited::Pending { ahead, outcome } => {
            let ahead = u32::try_from(ahead).unwrap_or(u32::MAX);
            let waiting = Waiting {
                outcome,
                stop,
                keep_alive: sessions.keep_alive(),
                ahead: Some(ahead),
                _presence: Presence { sessions, session_id, turn_id },
            };
            unfold(Some(waiting), Waiting::next).boxed()
        }
    }
}

/// A waiting client.
struct Waiting {
    outcome: oneshot::Receiver<Outcome>,
    stop: CancellationToken,
    keep_alive: Duration,
    /// `None` after the outcome was sent.
    ahead: Option<u32>,
    _presence: Presence,
}

impl Waiting {
    async fn next(
        waiting: Option<Self>,
    ) -> Option<(Result<wire::AwaitDecisionResponse, Status>, Option<Self>)> {
        let mut waiting = waiting?;
        if let Some(ahead) = waiting.ahead.take() {
            return Some((Ok(update(still_waiting(ahead))), Some(waiting)));
        }
        let ended = tokio::select! {
            biased;
            ended = &mut waiting.outcome => match ended {
                Ok(event) => Ok(update(outcome(Arc::unwrap_or_clone(event)))),
                Err(_) => Err(LiveError::Stopping.into()),
            },
            () = waiting.stop.cancelled() => Err(LiveError::Stopping.into()),
            () = tokio::time::sleep(waiting.keep_alive) => {
                return Some((Ok(update(AwaitUpdate::KeepAlive(wire::KeepAlive {}))), Some(waiting)));
            }
        };
        Some((ended, None))
    }
}

fn still_waiting(ahead: u32) -> AwaitUpdate {
    AwaitUpdate::Waiting(wire::Waiting { ahead })
}

fn update(update: AwaitUpdate) -> wire::AwaitDecisionResponse {
    wire::AwaitDecisionResponse { update: Some(update) }
}

/// The outcome for the agent, from the event that ended the turn.
fn outcome(event: wire::SessionEvent) -> AwaitUpdate {
    let (sequence, by) = (event.sequence, event.by);
    match event.payload {
        Some(Payload::Cancelled(cancelled)) => {
            AwaitUpdate::Cancelled(wire::Cancelled { sequence, reason: cancelled.reason, by })
        }
        Some(Payload::Response(response)) => {
            AwaitUpdate::Answered(wire::Answered { sequence, response: Some(response), by })
        }
        // Only these two end a turn.
        _ => AwaitUpdate::KeepAlive(wire::KeepAlive {}),
    }
}
