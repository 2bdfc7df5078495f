//! [`Ledger`]: the one task that writes.
//!
//! It takes what has come in meanwhile, judges each by the rules, keeps all that comes of it in one
//! transaction, and only then tells anyone. While the disk works the next batch gathers, so that many
//! who ask at once share one wait for the disk, and one who asks alone does not wait for others.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use live::{
    Command, Entry, EventId, Fact, Fingerprint, LiveSession, LiveSessionId, PayloadType,
    PendingTurn, Queue, Refusal, Status, Timestamp, TurnId,
};
use prost::Message;
use rpc::wire;
use rpc::wire::session_event::Payload;
use tokio::sync::{broadcast, mpsc};

use super::ask::{Act, Acted, Ask, Judged, Look, Waited};
use super::error::LiveError;
use super::feed::{Feed, Standing};
use super::room::{Outcome, Room};
use super::store::{Change, LiveStore, NewEvent};

/// How many asks one transaction may hold.
const BATCH: usize = 512;
/// How often leases that ran out and rooms that nobody uses are looked for.
pub(super) const SWEEP: Duration = Duration::from_millis(500);

/// An event that is about to be kept.
struct Draft {
    session_id: LiveSessionId,
    fact: Fact,
    event: Outcome,
    bytes: usize,
}

pub(super) struct Ledger {
    store: Arc<dyn LiveStore>,
    rooms: HashMap<LiveSessionId, Room>,
    /// Of the batch under way.
    changes: Vec<Change>,
    drafts: Vec<Draft>,
    opened: HashMap<LiveSessionId, LiveSession>,
    touched: HashSet<LiveSessionId>,
    /// Hears of every session that stands otherwise.
    told: broadcast::Sender<LiveSessionId>,
}

impl Ledger {
    /// A ledger that knows every turn that is pending; `told` hears of every session that stands
    /// otherwise.
    pub(super) async fn restore(
        store: Arc<dyn LiveStore>,
        told: broadcast::Sender<LiveSessionId>,
    ) -> Result<Self, LiveError> {
        let mut ledger = Self {
            store,
            rooms: HashMap::new(),
            changes: Vec::new(),
            drafts: Vec::new(),
            opened: HashMap::new(),
            touched: HashSet::new(),
            told,
        };
        let mut queues: HashMap<LiveSessionId, Vec<PendingTurn>> = HashMap::new();
        for (session_id, turn) in ledger.store.pending().await? {
            queues.entry(session_id).or_default().push(turn);
        }
        for (session_id, pending) in queues {
            ledger.furnish(session_id, pending).await?;
        }
        Ok(ledger)
    }

    /// Works until nobody can ask any more.
    pub(super) async fn run(mut self, mut asks: mpsc::Receiver<Ask>) {
        let mut sweep = tokio::time::interval(SWEEP);
        sweep.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            tokio::select! {
                biased;
                taken = asks.recv_many(&mut batch, BATCH) => {
                    if taken == 0 {
                        break;
                    }
                    let stop = batch.iter().position(|ask| matches!(ask, Ask::Stop));
                    batch.truncate(stop.unwrap_or(batch.len()));
                    self.take(std::mem::take(&mut batch)).await;
                    if stop.is_some() {
                        break;
                    }
                }
                _ = sweep.tick() => self.sweep(),
            }
        }
        self.store.close().await;
    }

    /// Judges a batch, keeps it, tells. When it cannot be kept as a whole, each ask stands alone, so
    /// that one that is too large for a full disk does not take the others with it.
    async fn take(&mut self, batch: Vec<Ask>) {
        let alone = batch.len() == 1;
        let mut judged = Vec::with_capacity(batch.len());
        for ask in &batch {
            judged.push(self.judge(ask).await);
        }
        match self.keep().await {
            Ok(()) => batch.into_iter().zip(judged).for_each(|(ask, judged)| ask.answer(judged)),
            Err(error) if alone => {
                batch.into_iter().for_each(|ask| ask.answer(Err(error.clone())));
            }
            Err(_) => {
                for ask in batch {
                    Box::pin(self.take(vec![ask])).await;
                }
            }
        }
    }

    async fn judge(&mut self, ask: &Ask) -> Result<Judged, LiveError> {
        match ask {
            Ask::Open(session, _) => self.open(session).await.map(Judged::Opened),
            Ask::Act(act, _) => self.act(act).await.map(Judged::Acted),
            Ask::Wait(session_id, turn_id, _) => {
                self.wait(*session_id, *turn_id).await.map(Judged::Waited)
            }
            Ask::Leave(session_id, turn_id) => {
                if let Some(room) = self.rooms.get_mut(session_id) {
                    room.leave(*turn_id);
                    self.touched.insert(*session_id);
                }
                Ok(Judged::Left)
            }
            Ask::Watch(session_id, _) => {
                let room = self.room(*session_id).await?;
                Ok(Judged::Watched(room.feed.watch()))
            }
            Ask::Depth(_) => {
                Ok(Judged::Counted(self.rooms.values().map(|room| room.queue.depth()).sum()))
            }
            Ask::Stop => Ok(Judged::Left),
            Ask::Look(sessions, _) => {
                let look =
                    |id: &LiveSessionId| self.rooms.get(id).filter(|it| !it.stale).map(Look::at);
                Ok(Judged::Looked(sessions.iter().map(look).collect()))
            }
        }
    }

    async fn open(&mut self, session: &LiveSession) -> Result<LiveSession, LiveError> {
        let known = match self.opened.get(&session.id) {
            Some(known) => Some(known.clone()),
            None => self.store.session(session.id).await?.map(|known| known.session),
        };
        match known {
            Some(known) if known.description == session.description => Ok(known),
            Some(_) => Err(LiveError::SessionTaken(session.id)),
            None => {
                self.changes.push(Change::Open(session.clone()));
                self.opened.insert(session.id, session.clone());
                Ok(session.clone())
            }
        }
    }

    async fn act(&mut self, act: &Act) -> Result<Acted, LiveError> {
        self.recall(act.session_id, &act.command).await?;
        let now = now();
        let room = self.room(act.session_id).await?;
        let step = room.queue.decide(&act.command, now)?;
        for fact in &step.facts {
            room.queue.apply(fact);
            if matches!(fact, Fact::Completed) {
                room.session.status = Status::Completed;
            }
        }
        let acted = Acted { answer: step.answer, session: room.session.clone() };
        for fact in step.facts {
            self.draft(act, fact);
        }
        self.touched.insert(act.session_id);
        Ok(acted)
    }

    /// Tells the room's queue what it has forgotten and `command` needs.
    async fn recall(
        &mut self,
        session_id: LiveSessionId,
        command: &Command,
    ) -> Result<(), LiveError> {
        let unknown = self.room(session_id).await?.queue.unknown_to(command);
        if let Some(turn_id) = unknown.turn
            && let Some(turn) = self.store.turn(turn_id).await?
        {
            match (command, turn.closed) {
                (_, Some(closed)) if turn.session_id == session_id => {
                    self.room(session_id).await?.queue.recall_turn(turn_id, closed);
                }
                (Command::Submit { .. }, _) => return Err(Refusal::TurnTaken(turn_id).into()),
                _ => {}
            }
        }
        if let Some(event_id) = unknown.event
            && let Some((home, recorded)) = self.store.recorded(event_id).await?
        {
            if home != session_id {
                return Err(Refusal::EventTaken(event_id).into());
            }
            self.room(session_id).await?.queue.recall_event(event_id, recorded);
        }
        Ok(())
    }

    /// Makes the event of a fact, where it is one.
    fn draft(&mut self, act: &Act, fact: Fact) {
        let (kind, event_id, fingerprint) = match &fact {
            Fact::Requested(_, fingerprint) => {
                (PayloadType::Request, new_event_id(), Some(*fingerprint))
            }
            Fact::Answered(_, fingerprint) => {
                (PayloadType::Response, new_event_id(), Some(*fingerprint))
            }
            Fact::Cancelled(_) => (PayloadType::Cancelled, new_event_id(), None),
            Fact::Recorded(_, event_id, fingerprint) => {
                let kind = match act.payload {
                    Some(Payload::RunEnded(_)) => PayloadType::RunEnded,
                    _ => PayloadType::ToolResult,
                };
                (kind, *event_id, Some(*fingerprint))
            }
            Fact::Completed => {
                self.changes.push(Change::Complete(act.session_id));
                return;
            }
            Fact::Leased(_) | Fact::Freed => return,
        };
        if let Some(entry) = fact.entry() {
            let (event, kept) = sealed(act, entry, event_id, kind, fingerprint);
            let bytes = kept.bytes.len();
            self.changes.push(Change::Append(kept));
            self.drafts.push(Draft { session_id: act.session_id, fact, event, bytes });
        }
    }

    async fn wait(
        &mut self,
        session_id: LiveSessionId,
        turn_id: TurnId,
    ) -> Result<Waited, LiveError> {
        let room = self.room(session_id).await?;
        if let Some(ahead) = room.queue.ahead(turn_id) {
            let outcome = room.wait(turn_id);
            self.touched.insert(session_id);
            return Ok(Waited::Pending { ahead, outcome });
        }
        // Closed within this batch, or before.
        let draft = self.drafts.iter().find(|draft| match &draft.fact {
            Fact::Answered(entry, _) | Fact::Cancelled(entry) => entry.turn_id == turn_id,
            _ => false,
        });
        if let Some(entry) = draft.and_then(|draft| draft.fact.entry()) {
            return Ok(Waited::Closed(entry.sequence));
        }
        match self.store.turn(turn_id).await? {
            Some(turn) if turn.session_id == session_id => match turn.closed {
                Some(closed) => Ok(Waited::Closed(closed.closed)),
                None => Err(Refusal::UnknownTurn(turn_id).into()),
            },
            _ => Err(Refusal::UnknownTurn(turn_id).into()),
        }
    }

    /// Keeps what the batch came to, then tells. Nothing is told when it cannot be kept.
    async fn keep(&mut self) -> Result<(), LiveError> {
        let changes = std::mem::take(&mut self.changes);
        let drafts = std::mem::take(&mut self.drafts);
        let touched = std::mem::take(&mut self.touched);
        let opened = std::mem::take(&mut self.opened);
        if !changes.is_empty()
            && let Err(error) = self.store.commit(&changes).await
        {
            tracing::warn!("a batch of {} changes was not kept: {error}", changes.len());
            let error = LiveError::from(error);
            self.unwind(&touched).await;
            return Err(error);
        }
        for draft in drafts {
            if let Some(room) = self.rooms.get_mut(&draft.session_id) {
                room.tell(&draft.fact, &draft.event, draft.bytes);
            }
        }
        for session_id in &touched {
            if let Some(room) = self.rooms.get_mut(session_id).filter(|room| !room.stale) {
                room.queue.forget();
                room.feed.stands(room.standing());
            }
        }
        for session_id in touched.into_iter().chain(opened.into_keys()) {
            self.tell_change(session_id);
        }
        Ok(())
    }

    /// Takes back what the batch did to the queues: the store says how they stand. Leases stay with
    /// the heartbeats of their holders, and those who wait or watch stay where they are.
    async fn unwind(&mut self, touched: &HashSet<LiveSessionId>) {
        for session_id in touched {
            if let Some(room) = self.rooms.get_mut(session_id) {
                room.stale = true;
            }
            if let Err(error) = self.refresh(*session_id).await {
                tracing::warn!(
                    "session {session_id} is read back when it is next asked for: {error}"
                );
            }
        }
    }

    /// Reads the queue of a room again that does not say what the store does.
    async fn refresh(&mut self, session_id: LiveSessionId) -> Result<(), LiveError> {
        let Some(stored) = self.store.session(session_id).await? else {
            // It was opened in the batch that was not kept.
            self.rooms.remove(&session_id);
            return Ok(());
        };
        let pending = self.store.pending_of(session_id).await?;
        if let Some(room) = self.rooms.get_mut(&session_id) {
            let status = stored.session.status;
            room.queue = Queue::restored(status, stored.last, stored.last_at, pending);
            room.session = stored.session;
            room.stale = false;
            room.feed.stands(room.standing());
        }
        Ok(())
    }

    async fn room(&mut self, session_id: LiveSessionId) -> Result<&mut Room, LiveError> {
        match (self.rooms.get(&session_id), self.opened.get(&session_id)) {
            (Some(room), _) if room.stale => self.refresh(session_id).await?,
            (Some(_), _) => {}
            (None, Some(session)) => {
                let feed = self.feed(session_id, Standing::default());
                self.rooms.insert(session_id, Room::new(session.clone(), Queue::new(), feed));
                self.touched.insert(session_id);
            }
            (None, None) => {
                let pending = self.store.pending_of(session_id).await?;
                self.furnish(session_id, pending).await?;
            }
        }
        self.rooms.get_mut(&session_id).ok_or(LiveError::UnknownSession(session_id))
    }

    async fn furnish(
        &mut self,
        session_id: LiveSessionId,
        pending: Vec<PendingTurn>,
    ) -> Result<(), LiveError> {
        let Some(stored) = self.store.session(session_id).await? else {
            return Err(LiveError::UnknownSession(session_id));
        };
        let status = stored.session.status;
        let queue = Queue::restored(status, stored.last, stored.last_at, pending);
        let feed = self.feed(session_id, Standing::of(&queue, |_| false));
        self.rooms.insert(session_id, Room::new(stored.session, queue, feed));
        Ok(())
    }

    fn feed(&self, session_id: LiveSessionId, standing: Standing) -> Arc<Feed> {
        Arc::new(Feed::new(session_id, Arc::clone(&self.store), standing))
    }

    /// Nobody may be listening.
    fn tell_change(&self, session_id: LiveSessionId) {
        let _ = self.told.send(session_id);
    }

    /// Ends leases that ran out, and leaves rooms that nobody uses to the store.
    fn sweep(&mut self) {
        let now = now();
        let mut freed = Vec::new();
        self.rooms.retain(|session_id, room| {
            if let Ok(step) = room.queue.decide(&Command::Tick, now)
                && !step.facts.is_empty()
            {
                step.facts.iter().for_each(|fact| room.queue.apply(fact));
                if !room.stale {
                    room.feed.stands(room.standing());
                    freed.push(*session_id);
                }
            }
            !room.is_idle()
        });
        freed.into_iter().for_each(|session_id| self.tell_change(session_id));
    }
}

/// The event as it is told, and as it is kept.
fn sealed(
    act: &Act,
    entry: &Entry,
    event_id: EventId,
    kind: PayloadType,
    fingerprint: Option<Fingerprint>,
) -> (Outcome, NewEvent) {
    let event = wire::SessionEvent {
        event_id: event_id.to_string(),
        session_id: act.session_id.to_string(),
        timestamp_ms: entry.at.0,
        turn_id: entry.turn_id.to_string(),
        agent_name: entry.agent_name.to_string(),
        sequence: entry.sequence.0,
        invocation_id: entry.invocation_id.to_string(),
        by: act.by.as_ref().map(rpc::person_to_wire),
        payload: act.payload.clone(),
    };
    let kept = NewEvent {
        event_id,
        session_id: act.session_id,
        sequence: entry.sequence,
        at: entry.at,
        turn_id: entry.turn_id,
        agent_name: entry.agent_name.to_string(),
        invocation_id: entry.invocation_id.clone(),
        kind,
        fingerprint,
        bytes: event.encode_to_vec(),
    };
    (Arc::new(event), kept)
}

fn new_event_id() -> EventId {
    EventId::from_random(uuid::Uuid::new_v4().into_bytes())
}

pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
