//! [`Ask`]: the messages to the ledger, and its replies.

use live::{
    Answer, Command, DisplayName, LiveSession, LiveSessionId, PendingTurn, Sequence, TurnId,
};
use rpc::wire::session_event::Payload;
use tokio::sync::oneshot;

use super::active_session::{ActiveSession, Outcome};
use super::error::LiveError;
use super::feed::{Standing, Watch};
use crate::access::Noted;

/// A message to the ledger.
pub(super) enum Ask {
    Open(LiveSession, Reply<LiveSession>),
    Act(Box<Act>, Reply<Acted>),
    Wait(LiveSessionId, TurnId, Reply<Waited>),
    /// A client stopped waiting for the turn.
    Leave(LiveSessionId, TurnId),
    Watch(LiveSessionId, Reply<Watch>),
    /// The status and the oldest pending turns of these sessions. Sessions without a pending turn
    /// are left out.
    Look(Vec<LiveSessionId>, Reply<Vec<Option<Look>>>),
    /// The number of pending turns in all sessions.
    Depth(Reply<usize>),
    /// Store everything received before, and stop.
    Stop,
}

pub(super) type Reply<T> = oneshot::Sender<Result<T, LiveError>>;

/// A command and the content of the events that it creates.
pub(super) struct Act {
    pub(super) session_id: LiveSessionId,
    pub(super) command: Command,
    pub(super) payload: Option<Payload>,
    pub(super) by: Option<DisplayName>,
    /// The audit entry to write once the decision is stored, because the caller may have
    /// disconnected.
    pub(super) noted: Option<Noted>,
}

/// The outcome of a command.
#[derive(Debug, Clone)]
pub(super) struct Acted {
    pub(super) answer: Answer,
    pub(super) session: LiveSession,
}

/// The reply to a client that waits for a turn.
pub(super) enum Waited {
    Pending {
        ahead: usize,
        outcome: oneshot::Receiver<Outcome>,
    },
    /// The turn ended with the event at this sequence number.
    Closed(Sequence),
}

/// A snapshot of a session's queue.
pub(crate) struct Look {
    pub(super) standing: Standing,
    pub(super) pending: Vec<(PendingTurn, bool)>,
}

/// How many pending turns a snapshot contains.
const LOOK: usize = 20;

/// The reply to an ask, sent once the batch is on disk.
pub(super) enum Judged {
    Opened(LiveSession),
    Acted(Acted),
    Waited(Waited),
    Watched(Watch),
    Looked(Vec<Option<Look>>),
    Counted(usize),
    Left,
}

impl Ask {
    /// Sends the reply.
    pub(super) fn answer(self, judged: Result<Judged, LiveError>) {
        // A caller that disconnected asks again and gets the same reply.
        match (self, judged) {
            (Self::Open(_, reply), Ok(Judged::Opened(session))) => drop(reply.send(Ok(session))),
            (Self::Act(_, reply), Ok(Judged::Acted(acted))) => drop(reply.send(Ok(acted))),
            (Self::Wait(_, _, reply), Ok(Judged::Waited(waited))) => drop(reply.send(Ok(waited))),
            (Self::Watch(_, reply), Ok(Judged::Watched(watch))) => drop(reply.send(Ok(watch))),
            (Self::Look(_, reply), Ok(Judged::Looked(looks))) => drop(reply.send(Ok(looks))),
            (Self::Depth(reply), Ok(Judged::Counted(count))) => drop(reply.send(Ok(count))),
            (Self::Open(_, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Act(_, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Wait(_, _, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Watch(_, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Look(_, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Depth(reply), Err(error)) => drop(reply.send(Err(error))),
            // Each ask gets the reply of its own kind.
            _ => {}
        }
    }
}

impl Look {
    pub(super) fn at(active: &ActiveSession) -> Self {
        let awaited = |turn: &PendingTurn| (turn.clone(), active.is_awaited(turn.turn_id));
        Self {
            standing: active.standing(),
            pending: active.queue.pending().take(LOOK).map(awaited).collect(),
        }
    }
}
