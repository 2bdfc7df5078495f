//! The person's choices for an export. What is left out is remembered for the agent.

use api::ExportChoices;
use leptos::prelude::*;
use session::{AgentId, Unmet};

use super::Rehearsal;
use crate::state::browser;

fn key(agent: &AgentId) -> String {
    format!("rehearsal.leave-out.{agent}")
}

/// The reasons for which exports of `agent` leave calls out.
pub(super) fn remembered(agent: &AgentId) -> Vec<Unmet> {
    let stored = browser::stored(&key(agent));
    stored.and_then(|stored| serde_json::from_str(&stored).ok()).unwrap_or_default()
}

impl Rehearsal {
    /// The person's choices. Tracked.
    #[must_use]
    pub fn export_choices(self) -> ExportChoices {
        ExportChoices {
            set: self.export_set.get(),
            eval_id: self.case_id.get(),
            adk_tool_responses: self.adk_tool_responses.get(),
            tags: self.tags.get(),
            note: self.note.get(),
            left_out: self.left_out.get(),
            left_out_turns: self.left_out_turns.get(),
            left_out_responses: self.left_out_responses.get(),
            leave_out: self.leave_out.get(),
        }
    }

    /// Whether the export leaves out the calls that a model could not repeat for this reason. Tracked.
    #[must_use]
    pub fn leaves_out(self, reason: Unmet) -> bool {
        self.leave_out.read().contains(&reason)
    }

    /// Leaves those calls out of exports of this agent, or keeps them.
    pub fn set_leaves_out(self, reason: Unmet, leaves_out: bool) {
        self.leave_out.update(|all| {
            all.retain(|other| *other != reason);
            all.extend(leaves_out.then_some(reason));
        });
        let stored = serde_json::to_string(&*self.leave_out.read_untracked()).ok();
        browser::store(&key(&self.agent()), stored.as_deref());
    }
}
