//! [`Record`]: what the host keeps of a session, so that it can restore it in another worker.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use json_text::JsonText;
use serde::{Deserialize, Serialize};

use super::messages::{Delta, PlayedDelta};
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
    /// The agent that is played for a call of the session.
    played: Option<Box<Played>>,
}

/// An agent that the person acts as.
#[derive(Debug)]
struct Played {
    call_id: String,
    record: Record,
}

/// The record as a worker takes it.
#[derive(Serialize)]
struct Restore<'a> {
    state: &'a BTreeMap<String, JsonText>,
    artifacts: Vec<JsonText>,
    events: Vec<JsonText>,
    user_text: Option<&'a str>,
    agent: Option<&'a str>,
    played: Option<RestorePlayed<'a>>,
}

#[derive(Serialize)]
struct RestorePlayed<'a> {
    call_id: &'a str,
    restore: Box<Restore<'a>>,
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
            played: None,
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
        let Some(delta) = delta.played else {
            self.played = None;
            return Ok(());
        };
        let PlayedDelta { call_id, agent, delta } = *delta;
        let known = self.played.take().filter(|played| played.call_id == call_id);
        let played = self.played.insert(known.unwrap_or_else(|| {
            let record = Self::new(BTreeMap::new(), self.artifacts.bound());
            Box::new(Played { call_id, record })
        }));
        played.record.agent = Some(agent);
        played.record.take(delta)
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

    /// Forgets the agent that was played for a call, if it is still recorded: the call has ended without
    /// an outcome.
    pub(super) fn end_played(&mut self, call_id: &str) {
        match &mut self.played {
            Some(played) if played.call_id == call_id => self.played = None,
            Some(played) => played.record.end_played(call_id),
            None => {}
        }
    }

    /// Records the active agent, while no agent is played.
    pub(super) fn set_active_agent(&mut self, agent: &str) {
        if self.played.is_none() {
            self.agent = Some(agent.to_owned());
        }
    }

    /// The session as another worker restores it.
    ///
    /// # Errors
    /// The operating system's, when a file on disk cannot be read.
    pub(super) fn restore(&mut self) -> std::io::Result<JsonText> {
        let restore = self.as_restore()?;
        JsonText::serialize(&restore).map_err(std::io::Error::other)
    }

    fn as_restore(&mut self) -> std::io::Result<Restore<'_>> {
        let played = match self.played.as_deref_mut() {
            Some(Played { call_id, record }) => {
                Some(RestorePlayed { call_id, restore: Box::new(record.as_restore()?) })
            }
            None => None,
        };
        Ok(Restore {
            state: &self.state,
            artifacts: all(&mut self.artifacts)?,
            events: all(&mut self.events)?,
            user_text: self.user_text.as_deref(),
            agent: self.agent.as_deref(),
            played,
        })
    }
}

fn all(store: &mut SpillStore) -> std::io::Result<Vec<JsonText>> {
    let mut texts = Vec::with_capacity(store.len());
    for number in 0..store.len() {
        texts.extend(store.whole(number)?);
    }
    Ok(texts)
}
