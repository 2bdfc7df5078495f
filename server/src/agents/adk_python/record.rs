//! [`Record`]: what the host keeps of a session so that another worker can take it over.

use std::collections::BTreeMap;

use json_text::JsonText;
use serde::Serialize;

use super::messages::Delta;

/// Everything a session has become since it was opened, from the deltas of its calls.
#[derive(Debug, Default, Serialize)]
pub(super) struct Record {
    state: BTreeMap<String, JsonText>,
    artifacts: Vec<JsonText>,
    events: Vec<JsonText>,
    user_text: Option<String>,
    agent: Option<String>,
}

impl Record {
    /// The record of a session that starts from this state.
    pub(super) fn new(state: BTreeMap<String, JsonText>) -> Self {
        Self { state, ..Self::default() }
    }

    /// Adds what one call changed.
    pub(super) fn take(&mut self, delta: Delta) {
        // A key that was removed stays as null: ADK's sessions know no other removal.
        self.state.extend(delta.state);
        self.artifacts.extend(delta.artifacts);
        self.events.extend(delta.events);
    }

    /// Notes what the user asked.
    pub(super) fn said(&mut self, text: &str) {
        self.user_text = Some(text.to_owned());
    }

    /// Notes the agent now in charge.
    pub(super) fn in_charge(&mut self, agent: &str) {
        self.agent = Some(agent.to_owned());
    }
}
