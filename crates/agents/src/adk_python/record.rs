//! [`Record`]: what the host keeps of a session, so that it can restore it in another worker.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use json_text::JsonText;
use serde::{Deserialize, Serialize};

use super::messages::Delta;
use crate::ArtifactContent;
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

/// An artifact as the worker writes it.
#[derive(Deserialize)]
struct ArtifactRecord {
    mime_type: Option<String>,
    data_base64: Option<String>,
    part: Option<TextPart>,
}

#[derive(Deserialize)]
struct TextPart {
    text: Option<String>,
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

    /// The content of an artifact, by its index; `None` if there is none, or if it cannot be read.
    pub(super) fn artifact(&mut self, index: usize) -> Option<ArtifactContent> {
        let recorded = self.artifacts.whole(index).ok()??;
        let ArtifactRecord { mime_type, data_base64, part } = recorded.decode().ok()?;
        let bytes = match (data_base64, part) {
            (Some(data), _) => STANDARD.decode(data).ok()?,
            (None, Some(part)) => match part.text {
                Some(text) => text.into_bytes(),
                None => recorded.as_str().as_bytes().to_vec(),
            },
            (None, None) => return None,
        };
        Some(ArtifactContent { mime_type: mime_type.unwrap_or_default(), bytes })
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
