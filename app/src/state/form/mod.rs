//! [`FormState`]: a form being filled in, as signals. `in_browser` holds what needs the focus or a
//! timer; everything else runs without a browser.

mod feedback;
mod in_browser;
mod paste;
#[cfg(test)]
mod tests;
mod undo;

use std::collections::HashMap;

use api::FieldMessage;
use json_text::JsonText;
use leptos::prelude::*;
use schema_form::{Content, Draft, Edit, FieldKind, Form, ItemId, Path, Reading, Slot};

use feedback::Feedback;
use in_browser::use_pause;
use undo::Undo;

/// A form being filled in. Copies share its signals.
#[derive(Clone, Copy)]
pub struct FormState {
    form: StoredValue<Form>,
    /// The input so far.
    pub draft: RwSignal<Draft>,
    /// The value that would be sent, or the messages about why it is invalid.
    pub reading: Memo<Reading>,
    begin: StoredValue<Draft>,
    feedback: RwSignal<Feedback>,
    edited: Memo<bool>,
    shown: Memo<HashMap<Path, Vec<String>>>,
    /// The faults of each drawn place. If places followed `shown` itself, every place would be
    /// updated for each fault that appears or disappears.
    faults: StoredValue<HashMap<Path, ArcRwSignal<Vec<String>>>>,
    /// What each drawn place listens to, so that an edit updates the places around it and not every
    /// field of the form.
    listeners: StoredValue<HashMap<Path, ArcRwSignal<()>>>,
    /// The prefix of the ids in the document, once the form is drawn.
    drawn_as: StoredValue<&'static str>,
    undo: Undo,
    /// The place that is to be focused, even if it is not drawn yet.
    pub wanted: RwSignal<Option<Path>>,
    /// The result of the last paste, for the status line.
    pub notice: RwSignal<String>,
}

/// A form to fill in, with `begin` filled in or blank.
#[must_use]
pub fn use_form(form: Form, begin: Option<&JsonText>) -> FormState {
    let start = begin.map_or_else(|| Draft::blank(&form), |value| form.fill(value));
    use_form_from(form, start)
}

/// A form to fill in that starts with `start`.
#[must_use]
pub fn use_form_from(form: Form, start: Draft) -> FormState {
    let draft = RwSignal::new(start.clone());
    let form = StoredValue::new(form);
    let reading = Memo::new(move |_| form.with_value(|form| draft.read().read(form)));
    let feedback = RwSignal::new(Feedback::default());
    let edited = Memo::new(move |_| feedback.read().is_edited());
    let paused = use_pause(reading);
    let shown = Memo::new(move |_| feedback.read().shown(&reading.read(), paused.get()));
    let begin = StoredValue::new(start);
    let listeners = StoredValue::new(HashMap::new());
    let drawn_as = StoredValue::new("");
    let faults = StoredValue::new(HashMap::<Path, ArcRwSignal<Vec<String>>>::new());
    // Updates only the places whose faults changed, as the doc of `faults` explains.
    Effect::new(move |before: Option<HashMap<Path, Vec<String>>>| {
        let now = shown.get();
        let before = before.unwrap_or_default();
        faults.with_value(|faults| {
            for (path, signal) in faults {
                if before.get(path) != now.get(path) {
                    signal.set(now.get(path).cloned().unwrap_or_default());
                }
            }
        });
        now
    });
    let (undo, notice) = (Undo::new(), RwSignal::new(String::new()));
    FormState {
        form,
        draft,
        reading,
        begin,
        feedback,
        edited,
        shown,
        faults,
        listeners,
        drawn_as,
        undo,
        wanted: RwSignal::new(None),
        notice,
    }
}

impl FormState {
    /// The value to send. If it is invalid, shows all violations.
    fn attempt(self) -> Option<JsonText> {
        let reading = self.reading.read_untracked();
        let json = reading.json().cloned();
        if json.is_none() {
            self.feedback.update(|feedback| feedback.attempt(&reading));
        }
        json
    }

    /// Shows the host's messages, each at its field until that is changed.
    fn place_messages(self, messages: Vec<FieldMessage>) {
        let draft = self.draft.read_untracked();
        self.form.with_value(|form| {
            self.feedback.update(|feedback| feedback.find(messages, form, &draft));
        });
    }

    /// The number of fields with a shown violation. Tracked.
    #[must_use]
    pub fn violation_count(self) -> usize {
        self.shown.read().len()
    }

    /// The shown faults in the form's order, each with the name of its place. Tracked.
    #[must_use]
    pub fn faults(self) -> Vec<String> {
        let shown = self.shown.read();
        let mut paths: Vec<&Path> = shown.keys().collect();
        paths.sort();
        let draft = self.draft.read();
        self.form.with_value(|form| {
            let of_place = |path: &Path| {
                let name = draft.name(form, path);
                let named = move |text: &String| match name.as_str() {
                    "" => text.clone(),
                    name => format!("{name}: {text}"),
                };
                shown.get(path).into_iter().flatten().map(named).collect::<Vec<_>>()
            };
            paths.into_iter().flat_map(of_place).collect()
        })
    }

    /// The address of the first field with a shown fault, within the page. Tracked.
    #[must_use]
    pub fn first_fault_link(self) -> String {
        let path = self.shown.read().keys().min().cloned().unwrap_or_else(Path::root);
        format!("#{}", input_id(self.drawn_as.get_value(), &path))
    }

    /// The first place with a shown fault.
    fn first_fault(self) -> Option<Path> {
        self.shown.read_untracked().keys().min().cloned()
    }

    /// Whether the form is still on the page.
    pub fn is_there(self) -> bool {
        self.draft.try_with_untracked(|_| ()).is_some()
    }

    /// Records the prefix of the form's ids in the document.
    pub fn is_drawn_as(self, id: &'static str) {
        self.drawn_as.set_value(id);
    }

    /// Restores the draft that the form started with. Can be undone.
    pub fn clear(self) {
        self.undo.remember(&self.draft.read_untracked(), &Path::root(), &Edit::Reset);
        self.show(self.begin.get_value());
    }

    /// Takes the last edit back; false when there is none.
    fn restore(self) -> bool {
        let Some(before) = self.undo.undo() else { return false };
        self.show(before);
        true
    }

    /// The name of the last edit, such as `switch`; `None` when there is none to take back.
    /// Tracked.
    #[must_use]
    pub fn undoable(self) -> Option<&'static str> {
        self.undo.last_edit()
    }

    /// Whether the last edit switched the kind of value at `path`. Tracked.
    pub fn switched(self, path: &Path) -> bool {
        self.undo.switched(path)
    }

    /// Whether the last edit was typing, which an input undoes by itself.
    pub fn was_typing(self) -> bool {
        self.undo.is_typing()
    }

    /// Shows another draft, with no field edited or left yet.
    fn show(self, draft: Draft) {
        self.feedback.set(Feedback::default());
        self.notice.set(String::new());
        self.draft.set(draft);
        self.notify(&Path::root());
    }

    /// Switches to JSON text. Cannot be undone, and does not count as input.
    pub fn show_json(self) {
        let was_edited = self.feedback.read_untracked().is_edited();
        self.edit(&Path::root(), Edit::AsJson);
        self.undo.undo();
        if !was_edited {
            self.feedback.set(Feedback::default());
        }
    }

    /// Replaces the whole draft with `value`.
    pub fn fill(self, value: &JsonText) {
        self.edit(&Path::root(), Edit::Fill(value.clone()));
    }

    /// Takes up input that was kept: `text` is JSON as far as it was entered. Cannot be undone.
    pub fn take_up(self, text: &str, is_json: bool) {
        match JsonText::parse(text) {
            Ok(value) if !is_json => self.fill(&value),
            _ => {
                self.show_json();
                self.edit(&Path::root(), Edit::SetText(text.to_owned()));
            }
        }
        self.undo.undo();
    }

    /// Takes over the input of `before`, the form for an earlier schema of the same value.
    pub fn take_over(self, before: Self) {
        if self.copy(before) {
            self.notice.set("The parameters changed. Your input is kept.".to_owned());
        }
    }

    /// Copies the input of `before`, a form for the same value. Returns whether there was any.
    pub fn copy(self, before: Self) -> bool {
        if before.begin.with_value(|begin| *begin == *before.draft.read_untracked()) {
            return false;
        }
        let migrated = before.form.with_value(|from| {
            self.form.with_value(|to| before.draft.read_untracked().migrated(from, to))
        });
        let Some(migrated) = migrated else { return false };
        self.draft.set(migrated);
        self.feedback.update(Feedback::edit);
        true
    }

    /// Whether anything was entered. Tracked.
    #[must_use]
    pub fn is_edited(self) -> bool {
        self.edited.get()
    }

    /// The form.
    #[must_use]
    pub fn form(self) -> Form {
        self.form.get_value()
    }

    /// Whether the whole is edited as JSON text. Tracked.
    #[must_use]
    pub fn is_json(self) -> bool {
        let draft = self.draft.read();
        let root = draft.at(&Path::root());
        matches!(root.and_then(|entered| entered.content()), Some(Content::Json { .. }))
    }

    /// Applies an edit of the person at `path`, and returns the item or entry that it added. Does
    /// nothing when the place is gone.
    pub fn edit(self, path: &Path, edit: Edit) -> Option<ItemId> {
        let leaves_json = edit == Edit::AsWidgets;
        let changes_view = leaves_json || edit == Edit::AsJson;
        let shapes = self.shapes(path);
        self.undo.remember(&self.draft.read_untracked(), path, &edit);
        let mut added = None;
        let mut rejected = false;
        self.draft.update(|draft| {
            let result = self.form.with_value(|form| draft.edit(form, path, edit));
            rejected = result.is_err();
            added = result.ok().flatten();
        });
        if rejected {
            self.undo.undo();
        } else {
            self.undo.settle(&self.draft.read_untracked());
        }
        if !self.feedback.read_untracked().is_edited() {
            self.feedback.update(Feedback::edit);
        }
        if !self.notice.read_untracked().is_empty() {
            self.notice.set(String::new());
        }
        // The edit may change the result of a condition, and so the members of an object around it.
        let after = self.shapes(path);
        let other = shapes.iter().zip(&after).find(|(before, after)| before.1 != after.1);
        self.notify(other.map_or(path, |(before, _)| &before.0));
        if rejected && leaves_json {
            // The text is not JSON: its fault is shown even while the person is still in the field.
            self.feedback.update(|feedback| feedback.touch(path.clone()));
        }
        if self.feedback.read_untracked().has_found() {
            self.feedback.update(|feedback| {
                if changes_view {
                    let draft = self.draft.read_untracked();
                    self.form.with_value(|form| feedback.place_again(form, &draft));
                } else {
                    feedback.forget_at(path);
                }
            });
        }
        added
    }

    /// The number of items in the list at `path`.
    pub fn count_items(self, path: &Path) -> usize {
        match self.draft.read_untracked().at(path).and_then(|entered| entered.content()) {
            Some(Content::List(items)) => items.len(),
            _ => 0,
        }
    }

    /// The objects around `path` with members that depend on the input, with their shapes.
    fn shapes(self, path: &Path) -> Vec<(Path, Slot)> {
        let draft = self.draft.read_untracked();
        self.form.with_value(|form| {
            let mut around = Path::root();
            let mut shapes = Vec::new();
            for at in 0..=path.steps().len() {
                if let Some(shape) = draft.shape(form, &around)
                    && matches!(&shape.field().kind, FieldKind::Object(it) if it.is_conditional())
                {
                    shapes.push((around.clone(), shape));
                }
                if let Some(step) = path.steps().get(at) {
                    around = around.then(*step);
                }
            }
            shapes
        })
    }

    /// The field at `path` with its present members. Follows the conditions at `path`.
    pub fn shape(self, path: &Path) -> Memo<Option<Slot>> {
        let cases = self.follow(path, |entered| match entered.content() {
            Some(Content::Object { conditions, .. }) => Some(conditions.clone()),
            _ => None,
        });
        let at = path.clone();
        Memo::new(move |_| {
            // A memo runs, and notifies, only if it is read.
            cases.with(|_| ());
            self.form.with_value(|form| self.draft.read_untracked().shape(form, &at))
        })
    }

    /// The person types at `path` again: a missing value there is not reported until they leave it.
    pub fn untouch(self, path: &Path) {
        if self.feedback.with_untracked(|feedback| feedback.is_touched(path)) {
            self.feedback.update(|feedback| feedback.untouch(path));
        }
    }

    /// The faults shown at `path`. Tracked.
    pub fn faults_at(self, path: &Path) -> Vec<String> {
        let now = || self.shown.with_untracked(|shown| shown.get(path).cloned());
        let signal = self.faults.try_update_value(|faults| {
            faults
                .entry(path.clone())
                .or_insert_with(|| ArcRwSignal::new(now().unwrap_or_default()))
                .clone()
        });
        signal.map(|signal| signal.get()).unwrap_or_default()
    }

    /// What `look` returns for the place at `path`, after each edit around it; `None` while there
    /// is no such place.
    pub fn follow<T>(
        self,
        path: &Path,
        look: impl Fn(&schema_form::Entered) -> T + Send + Sync + 'static,
    ) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        let path = path.clone();
        let listener = self.listeners.try_update_value(|listeners| {
            listeners.entry(path.clone()).or_insert_with(|| ArcRwSignal::new(())).clone()
        });
        Memo::new(move |_| {
            match &listener {
                Some(listener) => listener.track(),
                None => self.draft.track(),
            }
            self.draft.read_untracked().at(&path).map(&look)
        })
    }

    /// Updates what is drawn at `path`, around it and within it.
    fn notify(self, path: &Path) {
        let is_near = |at: &Path| at.contains(path) || path.contains(at);
        let near: Vec<ArcRwSignal<()>> = self.listeners.with_value(|listeners| {
            listeners
                .iter()
                .filter(|(at, _)| is_near(at))
                .map(|(_, signal)| signal.clone())
                .collect()
        });
        for signal in near {
            signal.notify();
        }
    }
}

/// The id of the input for `path` in the document, in a form whose ids begin with `prefix`.
#[must_use]
pub fn input_id(prefix: &str, path: &Path) -> String {
    if path.steps().is_empty() { format!("{prefix}-root") } else { format!("{prefix}-{path}") }
}
