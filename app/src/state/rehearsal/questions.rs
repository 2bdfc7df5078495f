//! The messages of an MCP server: progress, questions and changes of its tools, which a reload of an
//! agent reports too.

use api::{Asks, CallProgressed, CatalogChange, Question};
use leptos::prelude::*;

use super::Rehearsal;

impl Rehearsal {
    /// Stores the progress of the pending call. Progress of other calls is ignored.
    pub fn progressed(self, progress: CallProgressed) {
        let is_pending = self
            .session
            .read_untracked()
            .pending()
            .is_some_and(|pending| pending.call.call_id == progress.call_id);
        if is_pending {
            self.progress.set(Some(progress));
        }
    }

    /// Adds a question. The host repeats it when the page reconnects.
    pub fn asked(self, question: Question) {
        let is_known =
            self.questions.read_untracked().iter().any(|known| known.number == question.number);
        if is_known {
            return;
        }
        let wants = match &question.asks {
            Asks::Form { message, .. } | Asks::Visit { message, .. } => message.clone(),
            Asks::Message(_) => "A model response.".to_owned(),
        };
        self.announcement.set(format!("{} requests: {wants}", question.asked_by));
        self.questions.update(|questions| questions.push(question));
    }

    /// Removes a question that needs no answer.
    pub fn withdrawn(self, number: u64) {
        self.questions.update(|questions| questions.retain(|it| it.number != number));
        self.forms.forget_question(number);
    }

    /// Stores a change of the tools. A reload reports the view even if the tools are the same.
    pub fn tools_changed(self, change: CatalogChange) {
        let summary = summary(&change);
        self.see(change.view.clone());
        if summary.is_empty() {
            self.announcement.set("The agent was reloaded.".to_owned());
        } else {
            self.announcement.set(format!("The tools changed: {summary}."));
            self.catalog_change.set(Some(change));
        }
    }
}

/// What changed, such as `2 added, 1 removed`.
fn summary(change: &CatalogChange) -> String {
    let counts = [
        (change.added.len(), "added"),
        (change.removed.len(), "removed"),
        (change.changed.len(), "changed"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    parts.join(", ")
}
