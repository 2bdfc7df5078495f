//! [`Ledger`]: the one task that writes live sessions.
//!
//! It takes the requests that have arrived, decides each by the rules, stores all their events in one
//! transaction, and only then replies. The next batch gathers while the disk works, so concurrent
//! requests share one wait for the disk and a single request does not wait for others. `decide` decides
//! the requests, `active_sessions` holds the queues.

mod active_sessions;
mod decide;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use live::{Command, Fact, LiveSession, LiveSessionId, PendingTurn};
use tokio::sync::{broadcast, mpsc};

use super::active_session::{ActiveSession, Outcome};
use super::clock::moment;
use super::error::LiveError;
use super::ledger_requests::LedgerRequest;
use crate::access::AttributedEntry;
use live_store::{Change, LiveStore};

/// The most requests in one transaction.
const BATCH: usize = 512;
/// How often expired leases, disconnected clients and unused sessions are removed.
pub(super) const SWEEP: Duration = Duration::from_millis(500);

/// An event to store.
struct Draft {
    session_id: LiveSessionId,
    fact: Fact,
    event: Outcome,
    bytes: usize,
}

pub(super) struct Ledger {
    store: Arc<dyn LiveStore>,
    active_sessions: HashMap<LiveSessionId, ActiveSession>,
    /// Changes of the current batch.
    changes: Vec<Change>,
    drafts: Vec<Draft>,
    /// Written to the audit log once the changes are stored.
    audit_entries: Vec<AttributedEntry>,
    opened: HashMap<LiveSessionId, LiveSession>,
    touched: HashSet<LiveSessionId>,
    /// The session that the current batch deletes.
    deleted: Option<LiveSessionId>,
    /// Why the last changes were not stored.
    not_stored: Option<String>,
    /// Receives the id of every changed session.
    changed_sessions: broadcast::Sender<LiveSessionId>,
}

impl Ledger {
    /// A ledger that has loaded every pending turn; `changed_sessions` receives the id of every changed
    /// session.
    pub(super) async fn restore(
        store: Arc<dyn LiveStore>,
        changed_sessions: broadcast::Sender<LiveSessionId>,
    ) -> Result<Self, LiveError> {
        let mut ledger = Self {
            store,
            active_sessions: HashMap::new(),
            changes: Vec::new(),
            drafts: Vec::new(),
            audit_entries: Vec::new(),
            opened: HashMap::new(),
            touched: HashSet::new(),
            deleted: None,
            not_stored: None,
            changed_sessions,
        };
        let mut queues: HashMap<LiveSessionId, Vec<PendingTurn>> = HashMap::new();
        for (session_id, turn) in ledger.store.pending().await? {
            queues.entry(session_id).or_default().push(turn);
        }
        for (session_id, pending) in queues {
            ledger.load(session_id, pending).await?;
        }
        Ok(ledger)
    }

    /// Runs until all senders are dropped.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<LedgerRequest>) {
        let mut sweep = tokio::time::interval(SWEEP);
        sweep.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            tokio::select! {
                biased;
                taken = requests.recv_many(&mut batch, BATCH) => {
                    if taken == 0 {
                        break;
                    }
                    let stop = batch.iter().position(|request| matches!(request, LedgerRequest::Stop));
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

    /// Decides, stores and replies to a batch. If it cannot be stored as a whole, each request is
    /// stored alone, so that one that is too large for a full disk does not fail the others.
    async fn take(&mut self, batch: Vec<LedgerRequest>) {
        let alone = batch.len() == 1;
        // The requests after it meet a deleted session.
        if !alone && batch.iter().any(|request| matches!(request, LedgerRequest::Delete(..))) {
            for request in batch {
                Box::pin(self.take(vec![request])).await;
            }
            return;
        }
        let mut replies = Vec::with_capacity(batch.len());
        for request in &batch {
            replies.push(self.decide(request).await);
        }
        match self.keep().await {
            Ok(()) => {
                batch.into_iter().zip(replies).for_each(|(request, reply)| request.reply(reply));
            }
            Err(error) if alone => {
                batch.into_iter().for_each(|request| request.reply(Err(error.clone())));
            }
            Err(_) => {
                for request in batch {
                    Box::pin(self.take(vec![request])).await;
                }
            }
        }
    }

    /// Stores the batch, then replies and notifies. If storing fails, nobody is notified.
    async fn keep(&mut self) -> Result<(), LiveError> {
        let changes = std::mem::take(&mut self.changes);
        let drafts = std::mem::take(&mut self.drafts);
        let audit_entries = std::mem::take(&mut self.audit_entries);
        let touched = std::mem::take(&mut self.touched);
        let opened = std::mem::take(&mut self.opened);
        let deleted = self.deleted.take();
        if !changes.is_empty()
            && let Err(error) = self.store.commit(&changes).await
        {
            let reason = error.to_string();
            // Once, and not at each of the requests that an agent repeats meanwhile.
            if self.not_stored.as_ref() != Some(&reason) {
                tracing::warn!("a batch of {} changes was not stored: {reason}", changes.len());
                self.not_stored = Some(reason);
            }
            let error = LiveError::from(error);
            self.unwind(&touched).await;
            return Err(error);
        }
        if !changes.is_empty() && self.not_stored.take().is_some() {
            tracing::info!("changes are stored again");
        }
        audit_entries.into_iter().for_each(AttributedEntry::write);
        if let Some(session_id) = deleted {
            if let Some(active) = self.active_sessions.remove(&session_id) {
                active.feed.end();
            }
            self.notify_change(session_id);
        }
        for draft in drafts {
            if let Some(active) = self.active_sessions.get_mut(&draft.session_id) {
                active.publish(&draft.fact, &draft.event, draft.bytes);
            }
        }
        for session_id in &touched {
            if let Some(active) =
                self.active_sessions.get_mut(session_id).filter(|active| !active.stale)
            {
                active.queue.forget();
                active.feed.set_state(active.state());
            }
        }
        for session_id in touched.into_iter().chain(opened.into_keys()) {
            self.notify_change(session_id);
        }
        Ok(())
    }

    /// Does nothing without a receiver.
    fn notify_change(&self, session_id: LiveSessionId) {
        let _ = self.changed_sessions.send(session_id);
    }

    /// Ends expired leases, removes clients that disconnected, and drops unused sessions from
    /// memory.
    fn sweep(&mut self) {
        let now = moment();
        let mut changed = Vec::new();
        self.active_sessions.retain(|session_id, active| {
            let mut changes = active.prune();
            if let Ok(transition) = active.queue.decide(&Command::Tick, now)
                && !transition.facts.is_empty()
            {
                transition.facts.iter().for_each(|fact| active.queue.apply(fact));
                changes = true;
            }
            if changes && !active.stale {
                active.feed.set_state(active.state());
                changed.push(*session_id);
            }
            !active.is_idle()
        });
        changed.into_iter().for_each(|session_id| self.notify_change(session_id));
    }
}
