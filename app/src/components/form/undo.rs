//! [`Undo`]: the [`History`] of a form, reactive.

use leptos::prelude::*;
use schema_form::{Draft, Edit, History, Path};

/// The edits that can be taken back.
#[derive(Clone, Copy)]
pub(super) struct Undo {
    done: RwSignal<History>,
}

impl Undo {
    pub(super) fn new() -> Self {
        Self { done: RwSignal::new(History::default()) }
    }

    /// Remembers `before`, the draft before `edit` at `path`.
    pub(super) fn remember(self, before: &Draft, path: &Path, edit: &Edit) {
        self.done.update(|done| done.remember(before, path, edit));
    }

    /// Forgets typing that its input took back.
    pub(super) fn settle(self, now: &Draft) {
        self.done.update(|done| done.settle(now));
    }

    /// The draft before the last edit, which is forgotten.
    pub(super) fn take(self) -> Option<Draft> {
        self.done.try_update(History::take).flatten()
    }

    /// What the last edit was. Tracked.
    pub(super) fn what(self) -> Option<&'static str> {
        self.done.with(History::what)
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
