//! [`Record`]: what the host keeps of a session, so that it can restore it in another worker.

use std::collections::BTreeMap;
use std::sync::Arc;

use json_text::JsonText;
use serde::Serialize;

use super::messages::Delta;
use crate::spill_store::{MemoryBound, SpillStore};

/// All changes to a session since it was opened, from the deltas of its calls.
///
/// Artifacts and events can be large and many, so they are in [`SpillStore`]s.
#[derive(Debug)]
pub(super) struct Record {
    state: BTreeMap<String, JsonText>,
    artifacts: SpillStore,
    events: SpillStore,
    user_text: Option<String>,
    agent: Option<String>,
}

/// The record as a worker takes it.
#[derive(Serialize)]
struct Restore<'a> {
    state: &'a BTreeMap<String, JsonText>,
    artifacts: Vec<JsonText>,
    events: Vec<JsonText>,
    user_text: Option<&'a str>,
    agent: Option<&'a str>,
}

impl Record {
    /// The record of a session that starts from this state.
    pub(super) fn new(state: BTreeMap<String, JsonText>, bound: &Arc<MemoryBound>) -> Self {
        Self {
            state,
            artifacts: SpillStore::new(Arc::clone(bound)),
            events: SpillStore::new(Arc::clone(bound)),
            user_text: None,
            agent: None,
        }
    }

    /// Adds what one call changed.
    ///
    /// # Errors
    /// The operating system's, when neither memory nor disk takes more. The session
    /// continues, but cannot be restored completely.
    pub(super) fn take(&mut self, delta: Delta) -> std::io::Result<()> {
        // A key that was removed stays as null: ADK's sessions know no other removal.
        self.state.extend(delta.state);
        for artifact in delta.artifacts {
            self.artifacts.put(artifact)?;
        }
        for event in delta.events {
            self.events.put(event)?;
        }
        Ok(())
    }

    /// Records the user's message.
    pub(super) fn record_user_content(&mut self, text: &str) {
        self.user_text = Some(text.to_owned());
    }

    /// Records the active agent.
    pub(super) fn set_active_agent(&mut self, agent: &str) {
        self.agent = Some(agent.to_owned());
    }

    /// The session as another worker restores it.
    ///
    /// # Errors
    /// The operating system's, when a file on disk cannot be read.
    pub(super) fn restore(&mut self) -> std::io::Result<JsonText> {
        let restore = Restore {
            state: &self.state,
            artifacts: all(&mut self.artifacts)?,
            events: all(&mut self.events)?,
            user_text: self.user_text.as_deref(),
            agent: self.agent.as_deref(),
        };
        JsonText::serialize(&restore).map_err(std::io::Error::other)
    }
}

fn all(store: &mut SpillStore) -> std::io::Result<Vec<JsonText>> {
    let mut texts = Vec::with_capacity(store.len());
    for number in 0..store.len() {
        texts.extend(store.whole(number)?);
    }
    Ok(texts)
}
