//! [`Undo`]: what the form was before each thing the person did to it.
//!
//! A person takes back the last thing, whatever it was: nothing that was entered meanwhile may be
//! lost with it. So every edit is remembered, and typing at one place counts as one.

use leptos::prelude::*;
use schema_form::{Draft, Edit, Path};

/// How many edits can be taken back.
const MOST: usize = 60;

/// One edit that can be taken back.
#[derive(Clone)]
struct Done {
    before: Draft,
    path: Path,
    /// What was done, for the button; `None` for typing, which the input itself takes back.
    what: Option<&'static str>,
}

/// The edits that can be taken back, the last one last.
#[derive(Clone, Copy)]
pub(super) struct Undo {
    done: RwSignal<Vec<Done>>,
}

impl Undo {
    pub(super) fn new() -> Self {
        Self { done: RwSignal::new(Vec::new()) }
    }

    /// Remembers `before`, the draft before `edit` at `path`.
    pub(super) fn remember(self, before: &Draft, path: &Path, edit: &Edit) {
        let what = name(edit);
        let goes_on = what.is_none()
            && self.done.with_untracked(|done| {
                done.last().is_some_and(|last| last.what.is_none() && last.path == *path)
            });
        if goes_on {
            return;
        }
        let done = Done { before: before.clone(), path: path.clone(), what };
        self.done.update(|all| {
            all.push(done);
            if all.len() > MOST {
                all.remove(0);
            }
        });
    }

    /// The draft before the last edit, which is forgotten.
    pub(super) fn take(self) -> Option<Draft> {
        self.done.try_update(Vec::pop).flatten().map(|done| done.before)
    }

    /// What the last edit was, unless it was typing. Tracked.
    pub(super) fn what(self) -> Option<&'static str> {
        self.done.with(|done| done.last().and_then(|last| last.what))
    }

    /// Whether the last edit switched the kind of value at `path`. Tracked.
    pub(super) fn switched(self, path: &Path) -> bool {
        self.done.with(|done| {
            done.last().is_some_and(|last| last.what == Some("switch") && last.path == *path)
        })
    }

    /// Whether the last edit was typing.
    pub(super) fn is_typing(self) -> bool {
        self.done.with_untracked(|done| done.last().is_none_or(|last| last.what.is_none()))
    }
}

fn name(edit: &Edit) -> Option<&'static str> {
    Some(match edit {
        Edit::SetText(_) | Edit::RenameEntry(..) => return None,
        Edit::ChooseBranch(_) => "switch",
        Edit::Fill(_) => "filling in",
        Edit::Reset => "clearing",
        Edit::RemoveItem(_) | Edit::RemoveEntry(_) => "removal",
        Edit::MoveItem(..) => "move",
        Edit::AddMany(_) => "adding",
        Edit::AddItem | Edit::AddFilled(_) | Edit::AddEntry => "adding",
        Edit::AsJson | Edit::AsWidgets => "change of view",
        Edit::SetBool(_) | Edit::Choose(_) => "choice",
        Edit::SetNull | Edit::Unset | Edit::SetValue => "change",
    })
}
