//! [`TakeOver`]: what a person does in a run that is under way, in place of the agent, the user or a tool.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::watch;

use crate::mock::ToolMock;
use crate::place::Place;
use crate::user_agent::UserAgent;

/// Who stands in for the user and for tools.
pub trait StandIns: Send + Sync {
    /// The user of a case.
    fn user(&self, case: &str) -> Arc<dyn UserAgent>;

    /// What answers for the tools of a case.
    fn tool(&self, case: &str) -> ToolMock;
}

/// What a person does in one run.
pub(crate) struct TakeOver {
    taken: watch::Sender<BTreeSet<Place>>,
    pub(crate) user: Arc<dyn UserAgent>,
    pub(crate) tool: ToolMock,
}

impl TakeOver {
    /// Of a run of a case, in which nothing is taken over yet.
    pub(crate) fn new(case: &str, people: &dyn StandIns) -> Self {
        Self { taken: watch::Sender::default(), user: people.user(case), tool: people.tool(case) }
    }

    /// Takes a place, or hands it back. Returns whether that changed anything.
    pub(crate) fn set(&self, place: &Place, is_taken: bool) -> bool {
        self.taken.send_if_modified(|taken| match is_taken {
            true => taken.insert(place.clone()),
            false => taken.remove(place),
        })
    }

    /// The places that are taken, with their changes.
    pub(crate) fn taken(&self) -> watch::Receiver<BTreeSet<Place>> {
        self.taken.subscribe()
    }

    /// Does `work` in this place; `None` if the place is not taken, or is handed back before the work is done.
    pub(crate) async fn instead<T>(
        &self,
        place: &Place,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let mut taken = self.taken();
        if !taken.borrow().contains(place) {
            return None;
        }
        tokio::select! {
            done = work => Some(done),
            // The sender lives as long as this.
            _ = taken.wait_for(|taken| !taken.contains(place)) => None,
        }
    }
}
