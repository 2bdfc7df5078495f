//! [`PageUpdates`]: the updates that one page receives while it watches live sessions.
//!
//! A page needs the current status of its sessions rather than each step, so changes are collected
//! for a moment and sent as the status at that time.

use std::collections::HashSet;
use std::time::Duration;

use api::{HostEvent, LiveId, LiveUpdate, LiveWatch};
use futures::future::BoxFuture;
use live::LiveSessionId;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use super::error::LiveError;
use super::page_dto::summary;
use super::sessions::LiveSessions;

/// How long changes are collected.
const GATHER: Duration = Duration::from_millis(30);
/// The most sessions in one update; after more changes the page fetches the list again.
const MOST: usize = 100;
/// How many sessions a page may watch.
const NAMED: usize = 16;

/// One page's subscription.
pub(crate) struct PageUpdates {
    sessions: LiveSessions,
    changes: broadcast::Receiver<LiveSessionId>,
    all: bool,
    named: HashSet<LiveSessionId>,
    changed: HashSet<LiveSessionId>,
    missed: bool,
    counts: bool,
    /// When the collected changes are sent.
    due: Option<Instant>,
    /// The lookup of the changed sessions.
    lookup: Option<BoxFuture<'static, Option<LiveUpdate>>>,
}

impl PageUpdates {
    /// A page that watches nothing yet.
    pub(crate) fn new(sessions: LiveSessions) -> Self {
        let changes = sessions.changes();
        Self {
            sessions,
            changes,
            all: false,
            named: HashSet::new(),
            changed: HashSet::new(),
            missed: false,
            counts: false,
            due: None,
            lookup: None,
        }
    }

    /// Sets what the page watches. Newly watched sessions are sent soon.
    pub(crate) fn watch(&mut self, watch: &LiveWatch) {
        let ids = watch.sessions.iter().take(NAMED);
        let named: HashSet<_> =
            ids.filter_map(|id| LiveSessionId::parse(id.as_str()).ok()).collect();
        self.changed.extend(named.difference(&self.named));
        self.counts |= watch.all && !self.all;
        self.named = named;
        self.all = watch.all;
    }

    /// The next update; pending while there is none. Cancel-safe.
    pub(crate) async fn next(&mut self) -> HostEvent {
        loop {
            if self.lookup.is_none() {
                while !self.has_changes() {
                    let change = self.changes.recv().await;
                    self.take(&change);
                }
                let due = *self.due.get_or_insert_with(|| Instant::now() + GATHER);
                if Instant::now() < due {
                    tokio::time::sleep_until(due).await;
                }
                self.take_received();
                self.due = None;
            }
            let lookup = match &mut self.lookup {
                Some(lookup) => lookup,
                None => {
                    let looked_up = self.look_up();
                    self.lookup.insert(looked_up)
                }
            };
            let update = lookup.await;
            self.lookup = None;
            if let Some(update) = update {
                return HostEvent::Live(Box::new(update));
            }
        }
    }

    fn take_received(&mut self) {
        while let Some(change) = match self.changes.try_recv() {
            Ok(id) => Some(Ok(id)),
            Err(broadcast::error::TryRecvError::Lagged(count)) => {
                Some(Err(RecvError::Lagged(count)))
            }
            Err(_) => None,
        } {
            self.take(&change);
        }
    }

    fn has_changes(&self) -> bool {
        self.missed || self.counts || !self.changed.is_empty()
    }

    fn take(&mut self, change: &Result<LiveSessionId, RecvError>) {
        match change {
            Ok(id) if self.all || self.named.contains(id) => {
                self.changed.insert(*id);
            }
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => {
                self.missed = self.all;
                self.changed.extend(&self.named);
            }
            // The sender is in `sessions`, which this value owns.
            Err(RecvError::Closed) => {}
        }
    }

    /// Looks up the changed sessions and starts to collect again.
    fn look_up(&mut self) -> BoxFuture<'static, Option<LiveUpdate>> {
        let mut wanted: Vec<LiveSessionId> = self.changed.drain().collect();
        let mut more = std::mem::take(&mut self.missed);
        self.counts = false;
        if wanted.len() > MOST {
            wanted.retain(|id| self.named.contains(id));
            more = true;
        }
        Box::pin(update(self.sessions.clone(), wanted, self.all, more))
    }
}

async fn update(
    live: LiveSessions,
    wanted: Vec<LiveSessionId>,
    all: bool,
    mut more: bool,
) -> Option<LiveUpdate> {
    let mut sessions = Vec::with_capacity(wanted.len());
    let mut deleted = Vec::new();
    for id in wanted {
        match live.session(id).await {
            Ok(found) => sessions.push(summary(&found)),
            Err(LiveError::UnknownSession(_)) => {
                deleted.push(LiveId::new(id.to_string()));
                // A list is fetched again.
                more |= all;
            }
            // The store failed: opening the session's page shows the reason.
            Err(error) => tracing::debug!("a page watches {id}: {error}"),
        }
    }
    let waiting = match all {
        true => live.depth().await.ok().map(|depth| depth as u64),
        false => None,
    };
    let is_empty = sessions.is_empty() && deleted.is_empty() && waiting.is_none() && !more;
    (!is_empty).then_some(LiveUpdate { sessions, deleted, waiting, more })
}
