//! [`Undo`]: the [`History`] of a form as a signal.

use leptos::prelude::*;
use schema_form::{Draft, Edit, History, Path};

/// The edits that can be undone.
#[derive(Clone, Copy)]
pub(super) struct Undo {
    done: RwSignal<History>,
}

impl Undo {
    pub(super) fn new() -> Self {
        Self { done: RwSignal::new(History::default()) }
    }

    /// Records `before`, the draft before `edit` at `path`.
    pub(super) fn remember(self, before: &Draft, path: &Path, edit: &Edit) {
        self.done.update(|done| done.remember(before, path, edit));
    }

    /// Drops typing that was undone in the input.
    pub(super) fn settle(self, now: &Draft) {
        self.done.update(|done| done.settle(now));
    }

    /// Removes the last edit and returns the draft before it.
    pub(super) fn undo(self) -> Option<Draft> {
        self.done.try_update(History::undo).flatten()
    }

    /// The name of the last edit. Tracked.
    pub(super) fn last_edit(self) -> Option<&'static str> {
        self.done.with(History::last_edit)
    }

    /// Whether the last edit switched the kind of value at `path`. Tracked.
    pub(super) fn switched(self, path: &Path) -> bool {
        self.done.with(|done| done.switched(path))
    }

    /// Whether the last edit was typing.
    pub(super) fn is_typing(self) -> bool {
        self.done.with_untracked(History::is_typing)
    }
}
