//! The state, the artifacts and the conversation of a native agent's session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adk_core::{Artifacts, Content, Part, State};
use async_trait::async_trait;
use serde_json::{Map, Value};

/// One session's memory, shared by the contexts of its calls.
#[derive(Default)]
pub(super) struct Stored {
    pub(super) user_id: String,
    state: Mutex<Map<String, Value>>,
    artifacts: Mutex<HashMap<String, Vec<Part>>>,
    user_contents: Mutex<Vec<Content>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Plain data, which a tool that panicked leaves complete.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stored {
    pub(super) fn new(user_id: String, state: Map<String, Value>) -> Self {
        Self { user_id, state: Mutex::new(state), ..Self::default() }
    }

    pub(super) fn snapshot(&self) -> Map<String, Value> {
        locked(&self.state).clone()
    }

    pub(super) fn apply(&self, delta: HashMap<String, Value>) {
        let mut state = locked(&self.state);
        let mut delta: Vec<_> = delta.into_iter().collect();
        delta.sort_by(|left, right| left.0.cmp(&right.0));
        for (key, value) in delta {
            // ADK's `temp:` keys live for one invocation only and are not stored.
            if !key.starts_with("temp:") {
                state.insert(key, value);
            }
        }
    }

    /// Begins the next turn.
    pub(super) fn add_user_content(&self, text: &str) {
        locked(&self.user_contents).push(Content::new("user").with_text(text));
    }

    /// The user message of the current turn.
    pub(super) fn user_content(&self) -> Content {
        locked(&self.user_contents).last().cloned().unwrap_or_else(|| Content::new("user"))
    }

    /// The user messages of all turns.
    pub(super) fn user_contents(&self) -> Vec<Content> {
        locked(&self.user_contents).clone()
    }
}

/// The session's state as one call sees it: a copy, whose writes go to the call's delta.
#[derive(Clone)]
pub(super) struct StateCopy(pub(super) Map<String, Value>);

impl State for StateCopy {
    fn get(&self, key: &str) -> Option<Value> {
        self.0.get(key).cloned()
    }

    fn set(&mut self, key: String, value: Value) {
        self.0.insert(key, value);
    }

    fn all(&self) -> HashMap<String, Value> {
        self.0.clone().into_iter().collect()
    }
}

/// The session's artifacts, versioned from 0.
pub(super) struct StoredArtifacts(pub(super) Arc<Stored>);

#[async_trait]
impl Artifacts for StoredArtifacts {
    async fn save(&self, name: &str, data: &Part) -> adk_core::Result<i64> {
        let mut artifacts = locked(&self.0.artifacts);
        let versions = artifacts.entry(name.to_owned()).or_default();
        versions.push(data.clone());
        Ok(i64::try_from(versions.len()).unwrap_or(i64::MAX) - 1)
    }

    async fn load(&self, name: &str) -> adk_core::Result<Part> {
        let artifacts = locked(&self.0.artifacts);
        artifacts.get(name).and_then(|versions| versions.last()).cloned().ok_or_else(|| {
            adk_core::AdkError::tool(format!("no artifact is named {name}: save it first"))
        })
    }

    async fn list(&self) -> adk_core::Result<Vec<String>> {
        let mut names: Vec<_> = locked(&self.0.artifacts).keys().cloned().collect();
        names.sort();
        Ok(names)
    }
}
