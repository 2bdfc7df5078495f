//! [`LiveSessions`]: the interface to live sessions, in the types of `live`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use live::{LiveSession, LiveSessionId, Note, Refusal, Sequence, Status, TurnId};
use rpc::wire;
use tokio::sync::{OnceCell, broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;

use super::clock::now;
use super::error::LiveError;
use super::feed::{QueueState, Watch, decoded};
use super::ledger::Ledger;
use super::ledger_requests::{LedgerRequest, QueueSnapshot, ReplySender, Waited};
use crate::access;
use live_store::SqliteStore;
use live_store::{LiveStore, StoredSession};

/// The default database path, relative to the working directory.
pub const DEFAULT_DATABASE: &str = ".rehearsal/live.sqlite";

/// How many changes a page may fall behind before it misses some.
const CHANGES: usize = 4096;

/// How many requests may wait for the ledger before senders wait.
const REQUESTS: usize = 1024;

/// The live sessions of a host.
///
/// The host opens or creates the database when it starts. Clones share the same sessions.
#[derive(Clone)]
pub struct LiveSessions {
    shared: Arc<Shared>,
}

struct Shared {
    database: PathBuf,
    lease: Duration,
    keep_alive: Duration,
    opened: OnceCell<Opened>,
    ledger: Mutex<Option<JoinHandle<()>>>,
    changes: broadcast::Sender<LiveSessionId>,
}

struct Opened {
    requests: mpsc::Sender<LedgerRequest>,
    store: Arc<dyn LiveStore>,
}

/// A page of the list.
pub(crate) struct Listed {
    pub(crate) sessions: Vec<Summary>,
    /// The start of the next page; `None` on the last one.
    pub(crate) next: Option<i64>,
}

/// A session with its queue.
pub(crate) struct Summary {
    pub(crate) session: LiveSession,
    pub(crate) last: Sequence,
    /// The first agents that sent requests.
    pub(crate) agents: Vec<String>,
    pub(crate) snapshot: Option<QueueSnapshot>,
}

/// The keep-alive interval is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a stream cannot send a keep-alive every {keep_alive:?}: set the keep-alive to {:?} or more, \
     such as 15 s",
    Self::LEAST
)]
pub struct PaceError {
    /// The requested interval.
    pub keep_alive: Duration,
}

impl PaceError {
    /// The shortest interval between two keep-alives.
    pub const LEAST: Duration = Duration::from_millis(10);
}

impl Default for LiveSessions {
    fn default() -> Self {
        Self::at(DEFAULT_DATABASE)
    }
}

impl LiveSessions {
    /// Stores sessions in this file; relative paths start at the working directory.
    #[must_use]
    pub fn at(database: impl Into<PathBuf>) -> Self {
        Self::with_intervals(database.into(), Duration::from_secs(30), Duration::from_secs(15))
    }

    /// As [`LiveSessions::at`], with another lease duration and keep-alive interval.
    ///
    /// # Errors
    /// [`PaceError`] if the keep-alive interval is too short.
    pub fn with_pace(
        database: impl Into<PathBuf>,
        lease: Duration,
        keep_alive: Duration,
    ) -> Result<Self, PaceError> {
        if keep_alive < PaceError::LEAST {
            return Err(PaceError { keep_alive });
        }
        Ok(Self::with_intervals(database.into(), lease, keep_alive))
    }

    fn with_intervals(database: PathBuf, lease: Duration, keep_alive: Duration) -> Self {
        let shared = Shared {
            database,
            lease,
            keep_alive,
            opened: OnceCell::new(),
            ledger: Mutex::new(None),
            changes: broadcast::channel(CHANGES).0,
        };
        Self { shared: Arc::new(shared) }
    }

    /// The database file.
    #[must_use]
    pub fn database(&self) -> &Path {
        &self.shared.database
    }

    /// The path beside the database file whose name ends in `suffix`.
    pub(crate) fn beside(&self, suffix: &str) -> PathBuf {
        let mut path = self.database().as_os_str().to_owned();
        path.push(suffix);
        path.into()
    }

    pub(crate) fn keep_alive(&self) -> Duration {
        self.shared.keep_alive
    }

    pub(super) fn lease_ms(&self) -> i64 {
        i64::try_from(self.shared.lease.as_millis()).unwrap_or(i64::MAX)
    }

    /// Opens the database. If that may succeed later, because another host uses it or the disk is
    /// full, the next request opens it.
    ///
    /// # Errors
    /// The store's error, if somebody has to change the file, the folder or the configuration.
    pub(crate) async fn open(&self) -> Result<(), LiveError> {
        match self.opened().await {
            Ok(_) => Ok(()),
            Err(error) if error.is_temporary() => {
                tracing::warn!("{error}");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    async fn opened(&self) -> Result<&Opened, LiveError> {
        let open = async || {
            let store: Arc<dyn LiveStore> =
                Arc::new(SqliteStore::open(&self.shared.database).await?);
            self.open_with_store(store).await
        };
        self.shared.opened.get_or_try_init(open).await
    }

    pub(super) async fn store(&self) -> Result<&Arc<dyn LiveStore>, LiveError> {
        Ok(&self.opened().await?.store)
    }

    async fn open_with_store(&self, store: Arc<dyn LiveStore>) -> Result<Opened, LiveError> {
        let changes = self.shared.changes.clone();
        let ledger = Ledger::restore(Arc::clone(&store), changes).await?;
        let (requests, received) = mpsc::channel(REQUESTS);
        let task = tokio::spawn(ledger.run(received));
        *self.shared.ledger.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
        let durability = store.durability().await?;
        tracing::info!(
            "live sessions are stored in {}, {durability}",
            self.shared.database.display()
        );
        Ok(Opened { requests, store })
    }

    /// Stores sessions in `store`.
    #[cfg(test)]
    pub(super) async fn with_store(store: Arc<dyn LiveStore>) -> Result<Self, LiveError> {
        let sessions = Self::default();
        let opened = sessions.open_with_store(store).await?;
        let _ = sessions.shared.opened.set(opened);
        Ok(sessions)
    }

    pub(super) async fn request<T>(
        &self,
        request: impl FnOnce(ReplySender<T>) -> LedgerRequest,
    ) -> Result<T, LiveError> {
        let opened = self.opened().await?;
        let (reply, answer) = oneshot::channel();
        opened.requests.send(request(reply)).await.map_err(|_| LiveError::Stopping)?;
        answer.await.map_err(|_| LiveError::Stopping)?
    }

    /// The ledger's channel, once the database is open.
    pub(super) fn requests(&self) -> Option<&mpsc::Sender<LedgerRequest>> {
        self.shared.opened.get().map(|opened| &opened.requests)
    }

    /// Stops the ledger after it has stored all requests, and closes the file.
    pub(crate) async fn close(&self) {
        let task = self.shared.ledger.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(task) = task else { return };
        if let Some(requests) = self.requests() {
            let _ = requests.send(LedgerRequest::Stop).await;
        }
        let _ = task.await;
    }

    /// Checks that the current request may act on the session.
    ///
    /// # Errors
    /// As [`permitted`]. For people and without authentication, the session need not exist.
    pub(super) async fn permit(&self, id: LiveSessionId) -> Result<(), LiveError> {
        if access::token_scope().is_none() {
            return Ok(());
        }
        let stored = self.store().await?.session(id).await?;
        let stored = stored.ok_or(LiveError::UnknownSession(id))?;
        permitted(id, stored.session.owner.as_deref())
    }

    /// Creates a session. With an id, a repeated call has no effect.
    pub(crate) async fn create(
        &self,
        id: Option<LiveSessionId>,
        description: Option<Note>,
    ) -> Result<LiveSession, LiveError> {
        let fresh = || LiveSessionId::from_random(uuid::Uuid::new_v4().into_bytes());
        let session = LiveSession {
            id: id.unwrap_or_else(fresh),
            created_at: now(),
            description,
            owner: access::caller().map(|caller| caller.identity()),
            status: Status::Active,
        };
        let session = self.request(|reply| LedgerRequest::Open(session, reply)).await?;
        // If somebody else has opened it before, nothing was changed.
        permitted(session.id, session.owner.as_deref())
            .map_err(|_| LiveError::SessionTaken(session.id))?;
        Ok(session)
    }

    /// One session with its queue.
    pub(crate) async fn session(&self, id: LiveSessionId) -> Result<Summary, LiveError> {
        let stored = self.opened().await?.store.session(id).await?;
        let stored = stored.ok_or(LiveError::UnknownSession(id))?;
        permitted(id, stored.session.owner.as_deref())?;
        let mut summaries = self.summarize(vec![stored]).await?;
        summaries.pop().ok_or(LiveError::UnknownSession(id))
    }

    /// Whether the current request may be added to the session with this id: it is active and the
    /// caller's, or not open yet.
    pub(crate) async fn accepts_requests(&self, id: LiveSessionId) -> Result<bool, LiveError> {
        let stored = self.store().await?.session(id).await?;
        Ok(stored.is_none_or(|StoredSession { session, .. }| {
            session.status == Status::Active && permitted(id, session.owner.as_deref()).is_ok()
        }))
    }

    /// At most `count` sessions that the current request may act on, created before the one with this
    /// number, newest first.
    pub(crate) async fn list(
        &self,
        before: Option<i64>,
        search: &str,
        count: u32,
    ) -> Result<Listed, LiveError> {
        let store = &self.opened().await?.store;
        let owners = access::token_scope().map(|scope| scope.owners());
        // One extra row shows whether another page follows.
        let asked = count.saturating_add(1);
        let mut stored = store.sessions(before, search, owners.as_deref(), asked).await?;
        let more = stored.len() > count as usize;
        stored.truncate(count as usize);
        let next = stored.last().filter(|_| more).map(|last| last.number);
        Ok(Listed { sessions: self.summarize(stored).await?, next })
    }

    async fn summarize(&self, stored: Vec<StoredSession>) -> Result<Vec<Summary>, LiveError> {
        let ids = stored.iter().map(|stored| stored.session.id).collect();
        let snapshots = self.request(|reply| LedgerRequest::Snapshot(ids, reply)).await?;
        let summary = |(stored, snapshot): (StoredSession, Option<QueueSnapshot>)| Summary {
            session: stored.session,
            last: stored.last,
            agents: stored.agents,
            snapshot,
        };
        Ok(stored.into_iter().zip(snapshots).map(summary).collect())
    }

    /// The id of every session that changes from now on.
    pub(crate) fn changes(&self) -> broadcast::Receiver<LiveSessionId> {
        self.shared.changes.subscribe()
    }

    /// The number of pending turns in all sessions.
    pub(crate) async fn depth(&self) -> Result<usize, LiveError> {
        self.request(LedgerRequest::Depth).await
    }

    /// The sequence numbers of a turn's request and of the event that closed it.
    pub(crate) async fn places_of(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
    ) -> Result<(Sequence, Option<Sequence>), LiveError> {
        let turn = self.opened().await?.store.turn(turn_id).await?;
        let turn = turn.filter(|turn| turn.session_id == session_id);
        let turn = turn.ok_or(Refusal::UnknownTurn(turn_id))?;
        Ok((turn.requested, turn.closed.map(|closed| closed.closed)))
    }

    /// Subscribes to the events of a session.
    pub(crate) async fn watch(&self, id: LiveSessionId) -> Result<Watch, LiveError> {
        self.permit(id).await?;
        self.request(|reply| LedgerRequest::Watch(id, reply)).await
    }

    /// Waits for a turn to end, or returns where its end is stored.
    pub(super) async fn wait(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
    ) -> Result<Waited, LiveError> {
        self.permit(session_id).await?;
        self.request(|reply| LedgerRequest::Wait(session_id, turn_id, reply)).await
    }

    /// Reports that a client stopped waiting. Does not block: unreported clients are found later.
    pub(super) fn leave(&self, session_id: LiveSessionId, turn_id: TurnId) {
        if let Some(requests) = self.requests() {
            let _ = requests.try_send(LedgerRequest::Leave(session_id, turn_id));
        }
    }

    /// The events that were recorded for a turn, in order.
    pub(crate) async fn recorded_of(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
    ) -> Result<Vec<wire::SessionEvent>, LiveError> {
        let kept = self.store().await?.recorded_of(session_id, turn_id).await?;
        Ok(kept.iter().map(|bytes| decoded(bytes)).collect::<Result<_, _>>()?)
    }

    /// The event at this sequence number.
    pub(crate) async fn event(
        &self,
        session_id: LiveSessionId,
        sequence: Sequence,
    ) -> Result<wire::SessionEvent, LiveError> {
        let feed = self.watch(session_id).await?.feed;
        let before = Sequence(sequence.0.saturating_sub(1));
        let event = feed.after(before).await?.into_iter().next();
        event.map(Arc::unwrap_or_clone).ok_or(LiveError::Stopping)
    }
}

/// Checks that the current request may act on the session with this id and owner.
///
/// # Errors
/// [`LiveError::UnknownSession`] if it is a token's that does not see the session, as if the session
/// did not exist, and [`LiveError::Denied`] if the token sees it and may not do this to it.
pub(super) fn permitted(id: LiveSessionId, owner: Option<&str>) -> Result<(), LiveError> {
    match access::token_scope() {
        Some(scope) if !scope.sees(owner) => Err(LiveError::UnknownSession(id)),
        Some(scope) => Ok(scope.check(owner)?),
        None => Ok(()),
    }
}

impl Summary {
    /// The status of the queue; empty for a session that is not in memory.
    pub(crate) fn state(&self) -> QueueState {
        match &self.snapshot {
            Some(snapshot) => snapshot.state.clone(),
            None => {
                QueueState { last: self.last, status: self.session.status, ..QueueState::default() }
            }
        }
    }
}
