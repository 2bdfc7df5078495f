//! [`History`]: the undo history of a draft.
//!
//! Undo must not lose other edits, so every edit is recorded; typing at one place counts as one edit.

use crate::{Content, Draft, Edit, Path, State};

/// The most edits that can be undone.
const MAX_EDITS: usize = 60;

/// The name of a typing edit.
const TYPING: &str = "typing";

/// The name of the choice of another kind of value.
const SWITCH: &str = "type change";

/// The edits that can be undone, the latest last.
///
/// ```
/// use json_text::JsonText;
/// use schema_form::{Draft, Edit, Form, History, Path};
/// let form = Form::of_schema(&JsonText::parse(r#"{"type": "string"}"#)?);
/// let (mut draft, mut history) = (Draft::blank(&form), History::default());
/// for text in ["a", "ab"] {
///     let edit = Edit::SetText(text.into());
///     history.remember(&draft, &Path::root(), &edit);
///     draft.edit(&form, &Path::root(), edit)?;
/// }
/// assert_eq!(history.last_edit(), Some("typing"));
/// assert_eq!(history.undo(), Some(Draft::blank(&form)));
/// assert_eq!(history.last_edit(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    done: Vec<UndoStep>,
}

/// One edit that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
struct UndoStep {
    before: Draft,
    path: Path,
    what: &'static str,
}

impl History {
    /// Records `before`, the draft before `edit` at `path`.
    pub fn remember(&mut self, before: &Draft, path: &Path, edit: &Edit) {
        let what = name(edit);
        let goes_on = what == TYPING
            && self.done.last().is_some_and(|last| last.what == TYPING && last.path == *path);
        if goes_on {
            return;
        }
        self.done.push(UndoStep { before: before.clone(), path: path.clone(), what });
        if self.done.len() > MAX_EDITS {
            self.done.remove(0);
        }
    }

    /// Drops typing that left no difference in `now`, because the person undid it in the input.
    pub fn settle(&mut self, now: &Draft) {
        let is_back = |last: &mut UndoStep| {
            last.what == TYPING && entered(now, &last.path) == entered(&last.before, &last.path)
        };
        self.done.pop_if(is_back);
    }

    /// Removes the last edit and returns the draft before it.
    pub fn undo(&mut self) -> Option<Draft> {
        self.done.pop().map(|done| done.before)
    }

    /// The name of the last edit, such as `switch`.
    #[must_use]
    pub fn last_edit(&self) -> Option<&'static str> {
        self.done.last().map(|last| last.what)
    }

    /// Whether the last edit was typing.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.last_edit() == Some(TYPING)
    }

    /// Whether the last edit switched the kind of value at `path`.
    #[must_use]
    pub fn switched(&self, path: &Path) -> bool {
        self.done.last().is_some_and(|last| last.what == SWITCH && last.path == *path)
    }
}

/// The state and content at `path`. An input without text counts as not sent.
fn entered<'d>(draft: &'d Draft, path: &Path) -> Option<(State, Option<&'d Content>)> {
    let entered = draft.at(path)?;
    let is_empty = |content: &Content| match content {
        Content::Text(text) | Content::Json { text, before: None } => text.is_empty(),
        _ => false,
    };
    let content = entered.content().filter(|content| !is_empty(content));
    match (entered.state(), content) {
        (State::Value, None) => Some((State::NotSent, None)),
        other => Some(other),
    }
}

fn name(edit: &Edit) -> &'static str {
    match edit {
        Edit::SetText(_) | Edit::RenameEntry(..) => TYPING,
        Edit::ChooseBranch(_) => SWITCH,
        Edit::Fill(_) => "fill",
        Edit::Reset => "clear",
        Edit::RemoveItem(_) | Edit::RemoveEntry(_) => "removal",
        Edit::MoveItem(..) => "move",
        Edit::AddMany(_) => "add",
        Edit::AddItem | Edit::AddFilled(_) | Edit::AddEntry => "add",
        Edit::AsJson | Edit::AsWidgets => "view change",
        Edit::SetBool(_) | Edit::Choose(_) => "choice",
        Edit::SetNull | Edit::Unset | Edit::SetValue => "change",
    }
}
