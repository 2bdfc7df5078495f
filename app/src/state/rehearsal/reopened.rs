//! What differs when the host opens a session again: after "Start over", or after a restart.

use api::{CatalogChange, SessionView, ToolView};
use leptos::prelude::*;
use session::{SessionId, ToolName};

use super::Rehearsal;
use crate::state::rows::rows;

/// A restart in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restart {
    /// What was restarted.
    pub of: Restarted,
    /// The number of rows before it.
    pub rows: usize,
    /// The names of the artifacts that were lost.
    pub lost: Vec<String>,
}

/// What was restarted while a session went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restarted {
    /// The host, or the session on it: state and artifacts are lost, and the first agent is active again.
    Host,
    /// The agent's process: state and artifacts are kept, and the agent's files were read again.
    Process,
}

impl Rehearsal {
    /// Marks in the history that another process of the agent goes on from here.
    pub fn note_new_process(self) {
        let (calls, rows) = self.session.with_untracked(|session| {
            // The call that runs already is the new process's.
            let running = usize::from(session.pending().is_some());
            (session.calls().len(), rows(session).len() - running)
        });
        if !is_new(calls, rows, &self.restarts.read_untracked()) {
            return;
        }
        let of = Restarted::Process;
        self.restarts.update(|restarts| restarts.push(Restart { of, rows, lost: Vec::new() }));
        let text =
            "The agent's process ended. A new one goes on, with the agent's files as they are now.";
        self.announcement.set(text.to_owned());
    }

    /// Remembers what the model saw, to show what differs when the session is opened again.
    pub(super) fn remember_view(self) {
        self.earlier.set_value(self.view.get_untracked());
    }

    /// Shows how the tools differ from those that were remembered.
    pub(super) fn compare_tools(self, now: &SessionView) {
        let Some(before) = self.earlier.try_update_value(Option::take).flatten() else { return };
        let id = self.session.read_untracked().id().clone();
        if let Some(change) = change(&id, &before, now) {
            self.tools_changed(change);
        }
    }

    /// Marks in the history that the tools lost their state, and notifies the person. The next step
    /// clears the notice.
    pub(super) fn note_restart(self, why: &str) {
        let (calls, rows) =
            self.session.with_untracked(|session| (session.calls().len(), rows(session).len()));
        if !is_new(calls, rows, &self.restarts.read_untracked()) {
            return;
        }
        let mut lost: Vec<String> = self.view.with_untracked(|view| {
            let artifacts = view.iter().flat_map(|view| &view.artifacts);
            artifacts.map(|artifact| artifact.filename.clone()).collect()
        });
        lost.sort();
        lost.dedup();
        self.restarts.update(|restarts| restarts.push(Restart { of: Restarted::Host, rows, lost }));
        self.notice.set(Some(format!("{why} The history is kept. The tools' state is reset.")));
    }
}

/// Whether a restart after `rows` rows is to be marked: there were calls, and it is not marked yet.
fn is_new(calls: usize, rows: usize, restarts: &[Restart]) -> bool {
    calls > 0 && restarts.last().is_none_or(|last| last.rows != rows)
}

/// How the tools of the same agent differ; `None` if they do not.
fn change(id: &SessionId, before: &SessionView, now: &SessionView) -> Option<CatalogChange> {
    let missing = |from: &[ToolView], there: &[ToolView]| -> Vec<ToolName> {
        let is_there = |tool: &ToolView| there.iter().any(|other| other.name == tool.name);
        from.iter().filter(|tool| !is_there(tool)).map(|tool| tool.name.clone()).collect()
    };
    let is_changed =
        |tool: &&ToolView| before.tools.iter().any(|old| old.name == tool.name && old != *tool);
    let change = CatalogChange {
        session: id.clone(),
        view: now.clone(),
        added: missing(&now.tools, &before.tools),
        removed: missing(&before.tools, &now.tools),
        changed: now.tools.iter().filter(is_changed).map(|tool| tool.name.clone()).collect(),
    };
    let is_empty =
        change.added.is_empty() && change.removed.is_empty() && change.changed.is_empty();
    (before.agent.name == now.agent.name && !is_empty).then_some(change)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_is_marked_once_and_only_after_calls() {
        let marked = |rows| Restart { of: Restarted::Host, rows, lost: Vec::new() };
        assert!(!is_new(0, 1, &[]), "no tool has a state yet");
        assert!(is_new(2, 3, &[]));
        assert!(!is_new(2, 3, &[marked(3)]));
        assert!(is_new(2, 5, &[marked(3)]), "the next turn has begun");
    }

    #[test]
    fn tools_are_compared_for_one_agent() {
        let view = |agent: &str, tools: &[(&str, &str)]| -> SessionView {
            let tool = |(name, description): &(&str, &str)| serde_json::json!({ "name": name, "description": description, "declaration": {} });
            let tools: Vec<_> = tools.iter().map(tool).collect();
            let agent = serde_json::json!({ "name": agent, "description": "", "kind": "LlmAgent" });
            let rest = serde_json::json!({});
            let view = serde_json::json!({
                "app_name": "a", "agent": agent, "instruction": "", "tools": tools, "state": rest,
            });
            serde_json::from_value(view).expect("a view")
        };
        let id = SessionId::parse("s1").expect("valid");
        let before = view("home", &[("a", ""), ("b", ""), ("c", "")]);
        let now = view("home", &[("b", ""), ("c", "new"), ("d", "")]);
        let change = change(&id, &before, &now).expect("a change");
        let names = |names: &[ToolName]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let found = [names(&change.added), names(&change.removed), names(&change.changed)];
        assert_eq!(found, [["d"], ["a"], ["c"]]);
        assert_eq!(super::change(&id, &before, &before), None);
        assert_eq!(super::change(&id, &before, &view("other", &[])), None);
    }
}
