//! [`LedgerRequest`]: the messages to the ledger, and its replies.

use live::{
    Command, CommandReply, DisplayName, Fingerprint, LiveSession, LiveSessionId, PendingTurn,
    Sequence, TurnId,
};
use rpc::wire::session_event::Payload;
use tokio::sync::oneshot;

use super::active_session::{ActiveSession, Outcome};
use super::error::LiveError;
use super::feed::{QueueState, Watch};
use crate::access::{AttributedEntry, AuditEntry};

/// A message to the ledger.
pub(super) enum LedgerRequest {
    Open(LiveSession, ReplySender<LiveSession>),
    Apply(Box<Action>, ReplySender<ActionResult>),
    Wait(LiveSessionId, TurnId, ReplySender<Waited>),
    /// A client stopped waiting for the turn.
    Leave(LiveSessionId, TurnId),
    /// The turn's response has reached the client of a model endpoint.
    Deliver(TurnId),
    Watch(LiveSessionId, ReplySender<Watch>),
    /// Deletes a session in which no agent waits.
    Delete(LiveSessionId, AttributedEntry, ReplySender<()>),
    /// The status and the oldest pending turns of these sessions. Sessions without a pending turn
    /// are left out.
    Snapshot(Vec<LiveSessionId>, ReplySender<Vec<Option<QueueSnapshot>>>),
    /// The number of pending turns in all sessions.
    Depth(ReplySender<usize>),
    /// Store everything received before, and stop.
    Stop,
}

pub(super) type ReplySender<T> = oneshot::Sender<Result<T, LiveError>>;

/// A command and the content of the events that it creates.
pub(super) struct Action {
    pub(super) session_id: LiveSessionId,
    pub(super) command: Command,
    pub(super) payload: Option<Payload>,
    pub(super) by: Option<DisplayName>,
    /// Who sends a request, when authentication is on.
    pub(super) caller: Option<String>,
    /// The fingerprint of a request with a client that the host delivers the response to.
    pub(super) awaited: Option<Fingerprint>,
    /// The audit entry to write once the command is stored, because the caller may have
    /// disconnected.
    pub(super) audit_entry: Option<AttributedEntry>,
}

impl Action {
    /// A command without content.
    pub(super) fn new(session_id: LiveSessionId, command: Command) -> Self {
        Self {
            session_id,
            command,
            payload: None,
            by: None,
            caller: None,
            awaited: None,
            audit_entry: None,
        }
    }

    /// A person's command, or an agent's without a name: the audit log names its caller.
    pub(super) fn audited(self, entry: AuditEntry, by: Option<DisplayName>) -> Self {
        let entry = entry.by_optional(by.as_ref()).with_caller();
        Self { by, audit_entry: Some(entry), ..self }
    }
}

/// The outcome of a command.
#[derive(Debug, Clone)]
pub(super) struct ActionResult {
    pub(super) reply: CommandReply,
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
pub(crate) struct QueueSnapshot {
    pub(super) state: QueueState,
    pub(super) pending: Vec<(PendingTurn, bool)>,
}

/// How many pending turns a snapshot contains.
const SNAPSHOT_TURNS: usize = 20;

/// The reply to a request, sent once the batch is on disk.
pub(super) enum LedgerReply {
    Opened(LiveSession),
    Applied(ActionResult),
    Waited(Waited),
    Watched(Watch),
    Snapshots(Vec<Option<QueueSnapshot>>),
    Counted(usize),
    Deleted,
    Nothing,
}

impl LedgerRequest {
    /// Sends the reply.
    pub(super) fn reply(self, result: Result<LedgerReply, LiveError>) {
        // A caller that disconnected sends the request again and gets the same reply.
        match (self, result) {
            (Self::Open(_, reply), Ok(LedgerReply::Opened(session))) => {
                drop(reply.send(Ok(session)));
            }
            (Self::Apply(_, reply), Ok(LedgerReply::Applied(result))) => {
                drop(reply.send(Ok(result)));
            }
            (Self::Wait(_, _, reply), Ok(LedgerReply::Waited(waited))) => {
                drop(reply.send(Ok(waited)));
            }
            (Self::Watch(_, reply), Ok(LedgerReply::Watched(watch))) => drop(reply.send(Ok(watch))),
            (Self::Snapshot(_, reply), Ok(LedgerReply::Snapshots(snapshots))) => {
                drop(reply.send(Ok(snapshots)));
            }
            (Self::Depth(reply), Ok(LedgerReply::Counted(count))) => drop(reply.send(Ok(count))),
            (Self::Delete(_, _, reply), Ok(LedgerReply::Deleted)) => drop(reply.send(Ok(()))),
            (Self::Open(_, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Apply(_, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Wait(_, _, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Watch(_, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Snapshot(_, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Delete(_, _, reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Depth(reply), Err(error)) => drop(reply.send(Err(error))),
            // Each request gets the reply of its own kind.
            _ => {}
        }
    }
}

impl QueueSnapshot {
    pub(super) fn at(active: &ActiveSession) -> Self {
        let awaited = |turn: &PendingTurn| (turn.clone(), active.is_awaited(turn.turn_id));
        Self {
            state: active.state(),
            pending: active.queue.pending().take(SNAPSHOT_TURNS).map(awaited).collect(),
        }
    }
}
