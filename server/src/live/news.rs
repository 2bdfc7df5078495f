//! [`PageNews`]: what one page is told of live sessions while it watches them.
//!
//! A page wants to know how its sessions stand now and not each step on the way, so that changes are
//! gathered for a moment and told as the sessions then are.

use std::collections::HashSet;
use std::time::Duration;

use app::api::{HostEvent, LiveNews, LiveWatch};
use live::LiveSessionId;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::crossing::summary;
use super::sessions::LiveSessions;

/// How long changes are gathered.
const GATHER: Duration = Duration::from_millis(30);
/// Of how many sessions a page is told at once; of more it fetches the list anew.
const MOST: usize = 100;
/// How many sessions a page may name.
const NAMED: usize = 16;

/// One page's view of the live sessions.
pub(crate) struct PageNews {
    sessions: LiveSessions,
    changes: broadcast::Receiver<LiveSessionId>,
    all: bool,
    named: HashSet<LiveSessionId>,
    changed: HashSet<LiveSessionId>,
    missed: bool,
    counts: bool,
}

impl PageNews {
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
        }
    }

    /// Takes in what the page wants to hear of. What it did not watch before is told soon.
    pub(crate) fn watch(&mut self, watch: &LiveWatch) {
        let ids = watch.sessions.iter().take(NAMED);
        let named: HashSet<_> =
            ids.filter_map(|id| LiveSessionId::parse(id.as_str()).ok()).collect();
        self.changed.extend(named.difference(&self.named));
        self.counts |= watch.all && !self.all;
        self.named = named;
        self.all = watch.all;
    }

    /// The next news; never without any. May be dropped and called again without losing any.
    pub(crate) async fn next(&mut self) -> HostEvent {
        loop {
            while !self.has_some() {
                let change = self.changes.recv().await;
                self.take_in(&change);
            }
            tokio::time::sleep(GATHER).await;
            while let Some(change) = match self.changes.try_recv() {
                Ok(id) => Some(Ok(id)),
                Err(broadcast::error::TryRecvError::Lagged(count)) => {
                    Some(Err(RecvError::Lagged(count)))
                }
                Err(_) => None,
            } {
                self.take_in(&change);
            }
            if let Some(news) = self.gather().await {
                return HostEvent::Live(Box::new(news));
            }
        }
    }

    fn has_some(&self) -> bool {
        self.missed || self.counts || !self.changed.is_empty()
    }

    fn take_in(&mut self, change: &Result<LiveSessionId, RecvError>) {
        match change {
            Ok(id) if self.all || self.named.contains(id) => {
                self.changed.insert(*id);
            }
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => {
                self.missed = self.all;
                self.changed.extend(&self.named);
            }
            // The sender lives in `sessions`, which this page holds.
            Err(RecvError::Closed) => {}
        }
    }

    async fn gather(&mut self) -> Option<LiveNews> {
        let mut wanted: Vec<LiveSessionId> = self.changed.iter().copied().collect();
        let mut more = self.missed;
        if wanted.len() > MOST {
            wanted.retain(|id| self.named.contains(id));
            more = true;
        }
        let mut sessions = Vec::with_capacity(wanted.len());
        for id in wanted {
            match self.sessions.session(id).await {
                Ok(found) => sessions.push(summary(&found)),
                // Unknown, or the store cannot be read: whoever opens the page is told why.
                Err(error) => tracing::debug!("a page watches {id}: {error}"),
            }
        }
        let waiting = match self.all {
            true => self.sessions.depth().await.ok().map(|depth| depth as u64),
            false => None,
        };
        // Only now, so that nothing is forgotten when this is dropped half way.
        self.changed.clear();
        self.missed = false;
        self.counts = false;
        let is_empty = sessions.is_empty() && waiting.is_none() && !more;
        (!is_empty).then_some(LiveNews { sessions, waiting, more })
    }
}
