//! [`Ask`]: what the ledger is asked, and what is answered.

use live::{
    Answer, Command, DisplayName, LiveSession, LiveSessionId, PendingTurn, Sequence, TurnId,
};
use rpc::wire::session_event::Payload;
use tokio::sync::oneshot;

use super::active_session::{ActiveSession, Outcome};
use super::error::LiveError;
use super::feed::{Standing, Watch};
use crate::access::Noted;

/// What the ledger is asked.
pub(super) enum Ask {
    Open(LiveSession, Reply<LiveSession>),
    Act(Box<Act>, Reply<Acted>),
    Wait(LiveSessionId, TurnId, Reply<Waited>),
    /// One who waited for the turn has gone.
    Leave(LiveSessionId, TurnId),
    Watch(LiveSessionId, Reply<Watch>),
    /// The standing and the oldest pending turns of these sessions, where anything is pending.
    Look(Vec<LiveSessionId>, Reply<Vec<Option<Look>>>),
    /// How many turns are pending, of all sessions.
    Depth(Reply<usize>),
    /// Keep what came before, and end.
    Stop,
}

pub(super) type Reply<T> = oneshot::Sender<Result<T, LiveError>>;

/// A command and what the events that come of it hold.
pub(super) struct Act {
    pub(super) session_id: LiveSessionId,
    pub(super) command: Command,
    pub(super) payload: Option<Payload>,
    pub(super) by: Option<DisplayName>,
    /// What the audit says of a decision once it is kept: whoever sent it may be gone by then.
    pub(super) noted: Option<Noted>,
}

/// What came of a command.
#[derive(Debug, Clone)]
pub(super) struct Acted {
    pub(super) answer: Answer,
    pub(super) session: LiveSession,
}

/// What somebody who wants to wait is told.
pub(super) enum Waited {
    Pending {
        ahead: usize,
        outcome: oneshot::Receiver<Outcome>,
    },
    /// The event with this place has it.
    Closed(Sequence),
}

/// A session's queue, looked at.
pub(crate) struct Look {
    pub(super) standing: Standing,
    pub(super) pending: Vec<(PendingTurn, bool)>,
}

/// How many pending turns a look shows.
const LOOK: usize = 20;

/// What an ask comes to, told once the batch is on disk.
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
    /// Tells whoever asked.
    pub(super) fn answer(self, judged: Result<Judged, LiveError>) {
        // Whoever no longer listens asks again and gets the same answer.
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
            // Each ask is judged as what it is.
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
