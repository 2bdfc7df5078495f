//! What differs when the host opens a session again: after "Start over", or after a restart.

use api::{CatalogChange, Restored, SessionView, ToolView};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use session::{SessionId, ToolName};

use super::Rehearsal;
use super::confirmed::{Confirmed, artifact_names};
use crate::state::rows::rows;

/// A restart in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restart {
    /// What was restarted.
    pub of: Restarted,
    /// The number of rows before it.
    pub rows: usize,
    /// The names of the artifacts that were lost.
    pub lost: Vec<String>,
}

/// What was restarted while a session went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Restarted {
    /// The host, or the session on it: state and artifacts are lost, and the first agent is active again.
    Host,
    /// The host, or the session on it: state, conversation and active agent were restored.
    HostRestored,
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
        let text = "The agent's process ended. A new process with the agent's current files continues the \
                    session.";
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

    /// Ends what the host has lost with the session, and remembers it until the host has the session again.
    pub(super) fn lose_session(self, why: &'static str, why_calls_ended: &str) {
        let artifacts = self.view.with_untracked(|view| view.as_ref().map(artifact_names));
        // After a reload of the page, the view is not known.
        let artifacts =
            artifacts.unwrap_or_else(|| self.confirmed.with_value(Confirmed::artifacts));
        self.end_pending(why_calls_ended);
        self.remember_view();
        let (calls, rows) =
            self.session.with_untracked(|session| (session.calls().len(), rows(session).len()));
        if is_new(calls, rows, &self.restarts.read_untracked()) {
            self.lost.set_value(Some(LostSession { why, rows, artifacts }));
            self.notice.set(Some(format!("{why} The history is kept.")));
        }
    }

    /// Marks in the history what the host has restored, and notifies the person. The next step clears the
    /// notice.
    pub(super) fn note_restart(self, restored: Restored) {
        let Some(lost) = self.lost.try_update_value(Option::take).flatten() else { return };
        if restored != Restored::Open {
            // The session runs the code that the host has loaded now.
            self.loads.set(None);
        }
        let notice = notice(lost.why, restored);
        if let Some(restart) = lost.restart(restored) {
            self.restarts.update(|restarts| restarts.push(restart));
        }
        self.notice.set(notice);
    }
}

/// A session that the host has lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LostSession {
    /// The sentence for the person.
    why: &'static str,
    /// The number of rows of the history then.
    rows: usize,
    /// The names of its artifacts.
    artifacts: Vec<String>,
}

impl LostSession {
    /// The mark in the history; `None` if nothing was lost.
    fn restart(self, restored: Restored) -> Option<Restart> {
        let of = match restored {
            Restored::Open => return None,
            Restored::State => Restarted::HostRestored,
            Restored::Nothing => Restarted::Host,
        };
        Some(Restart { of, rows: self.rows, lost: self.artifacts })
    }
}

/// What the person reads after a restart.
fn notice(why: &str, restored: Restored) -> Option<String> {
    let now = match restored {
        Restored::Open => return None,
        Restored::State => {
            "The session continues with its state, conversation and active agent. The tools' memory is reset."
        }
        Restored::Nothing => "The history is kept. The tools' state is reset.",
    };
    Some(format!("{why} {now}"))
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
    fn a_mark_claims_as_lost_only_what_was_lost() {
        let lost = || LostSession {
            why: "The host was restarted.",
            rows: 3,
            artifacts: vec!["plan.txt".to_owned()],
        };
        let of = |restored| lost().restart(restored).map(|restart| restart.of);
        assert_eq!(of(Restored::Open), None);
        assert_eq!(of(Restored::State), Some(Restarted::HostRestored));
        assert_eq!(of(Restored::Nothing), Some(Restarted::Host));
        let restart = lost().restart(Restored::State).expect("a mark");
        assert_eq!((restart.rows, restart.lost), (3, vec!["plan.txt".to_owned()]));
        let read = |restored| notice("The host was restarted.", restored).unwrap_or_default();
        assert!(read(Restored::State).contains("continues with its state"));
        assert!(!read(Restored::State).contains("state is reset"));
        assert!(read(Restored::Nothing).ends_with("The tools' state is reset."));
        assert_eq!(read(Restored::Open), "");
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
