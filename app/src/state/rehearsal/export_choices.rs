//! The person's choices for an export. What is left out is remembered for the agent.

use api::{ExportChoices, SetId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use session::{AgentId, CallId, Unmet};

use super::{Export, Rehearsal};
use crate::state::browser;

/// The file that the person chose to export to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportFile {
    /// Its eval set.
    pub set: SetId,
    /// Its name, with its path below a configured folder.
    pub name: String,
}

impl ExportFile {
    /// The name of the file without folders.
    #[must_use]
    pub fn file_name(&self) -> &str {
        last_part(&self.name)
    }
}

/// The last part of `path`.
#[must_use]
pub fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

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
            set: self.export_file.with(|file| file.as_ref().map(|file| file.set.clone())),
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

    /// Chooses the file to export to. What was said about another file is over.
    pub fn export_to(self, file: ExportFile) {
        self.export_file.set(Some(file));
        self.export.set(Export::NotYet);
    }

    /// Leaves these calls out of the export. What was said about it with them is over.
    pub fn leave_out_calls(self, calls: impl Iterator<Item = CallId>) {
        self.left_out.update(|left_out| {
            let calls = calls.filter(|call| !left_out.contains(call)).collect::<Vec<_>>();
            left_out.extend(calls);
        });
        self.export.set(Export::NotYet);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_is_the_last_part_of_a_path() {
        assert_eq!(last_part("evals/home.evalset.json"), "home.evalset.json");
        assert_eq!(last_part(r"C:\evals\home.json"), "home.json");
        assert_eq!(last_part("home.json"), "home.json");
        let file = ExportFile { set: SetId::new("a".to_owned()), name: "b/c.json".to_owned() };
        assert_eq!(file.file_name(), "c.json");
    }
}
