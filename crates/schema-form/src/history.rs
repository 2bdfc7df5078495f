//! [`History`]: what a draft was before each thing the person did to it.
//!
//! A person takes back the last thing, whatever it was: nothing that was entered meanwhile may be
//! lost with it. So every edit is remembered, and typing at one place counts as one.

use crate::{Content, Draft, Edit, Path, State};

/// How many edits can be taken back.
const MOST: usize = 60;

/// What typing is called.
const TYPING: &str = "typing";

/// The edits that can be taken back, the last one last.
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
/// assert_eq!(history.what(), Some("typing"));
/// assert_eq!(history.take(), Some(Draft::blank(&form)));
/// assert_eq!(history.what(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    done: Vec<Done>,
}

/// One edit that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Done {
    before: Draft,
    path: Path,
    what: &'static str,
}

impl History {
    /// Remembers `before`, the draft before `edit` at `path`.
    pub fn remember(&mut self, before: &Draft, path: &Path, edit: &Edit) {
        let what = name(edit);
        let goes_on = what == TYPING
            && self.done.last().is_some_and(|last| last.what == TYPING && last.path == *path);
        if goes_on {
            return;
        }
        self.done.push(Done { before: before.clone(), path: path.clone(), what });
        if self.done.len() > MOST {
            self.done.remove(0);
        }
    }

    /// Forgets typing that `now` shows nothing of any more: the person took it back in its input,
    /// and what was done before it is the last thing again.
    pub fn settle(&mut self, now: &Draft) {
        let is_back = |last: &mut Done| {
            last.what == TYPING && entered(now, &last.path) == entered(&last.before, &last.path)
        };
        self.done.pop_if(is_back);
    }

    /// The draft before the last edit, which is forgotten.
    pub fn take(&mut self) -> Option<Draft> {
        self.done.pop().map(|done| done.before)
    }

    /// What the last edit was, such as `switch`.
    #[must_use]
    pub fn what(&self) -> Option<&'static str> {
        self.done.last().map(|last| last.what)
    }

    /// Whether the last edit was typing.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.what() == Some(TYPING)
    }

    /// Whether the last edit switched the kind of value at `path`.
    #[must_use]
    pub fn switched(&self, path: &Path) -> bool {
        self.done.last().is_some_and(|last| last.what == "switch" && last.path == *path)
    }
}

/// What stands at `path`. An input without text is one that nobody typed into, sent or not.
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
    }
}
