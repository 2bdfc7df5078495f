//! [`FormState`]: a form being filled in, reactive.

mod feedback;
mod paste;
mod undo;

use std::collections::HashMap;
use std::time::Duration;

use api::FieldMessage;
use gloo_timers::future::TimeoutFuture;
use json_text::JsonText;
use leptos::prelude::*;
use leptos::task::spawn_local;
use schema_form::{
    Content, Draft, Edit, FieldKind, Form, ItemId, Message, MessageKind, Path, Reading, Slot,
};

use crate::state::browser;
use crate::state::latest::use_latest;
use feedback::Feedback;
use undo::Undo;

/// A form being filled in, as small as its handles.
#[derive(Clone, Copy)]
pub struct FormState {
    form: StoredValue<Form>,
    /// What is entered.
    pub draft: RwSignal<Draft>,
    /// What would be sent, and what stands in its way.
    pub reading: Memo<Reading>,
    begin: StoredValue<Draft>,
    feedback: RwSignal<Feedback>,
    edited: Memo<bool>,
    shown: Memo<HashMap<Path, Vec<String>>>,
    /// The faults of each place that is drawn. Were `shown` followed itself, each fault that comes
    /// or goes would have every place of the form look whether it is meant.
    faults: StoredValue<HashMap<Path, ArcRwSignal<Vec<String>>>>,
    /// What each place that is drawn listens to, so that an edit wakes its own surroundings and not
    /// every field of the form.
    heard: StoredValue<HashMap<Path, ArcRwSignal<()>>>,
    /// The prefix of the ids in the document, once the form is drawn.
    drawn_as: StoredValue<&'static str>,
    undo: Undo,
    /// The place that must have the focus, drawn yet or not.
    pub wanted: RwSignal<Option<Path>>,
    /// The result of the last paste, to be announced.
    pub notice: RwSignal<String>,
}

/// A form to fill in, starting from `begin` or untouched.
#[must_use]
pub fn use_form(form: Form, begin: Option<&JsonText>) -> FormState {
    let start = begin.map_or_else(|| Draft::blank(&form), |value| form.fill(value));
    let draft = RwSignal::new(start.clone());
    let form = StoredValue::new(form);
    let reading = Memo::new(move |_| form.with_value(|form| draft.read().read(form)));
    let feedback = RwSignal::new(Feedback::default());
    let edited = Memo::new(move |_| feedback.read().is_edited());
    let paused = use_pause(reading);
    let shown = Memo::new(move |_| feedback.read().shown(&reading.read(), paused.get()));
    let begin = StoredValue::new(start);
    let heard = StoredValue::new(HashMap::new());
    let drawn_as = StoredValue::new("");
    let faults = StoredValue::new(HashMap::<Path, ArcRwSignal<Vec<String>>>::new());
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
        heard,
        drawn_as,
        undo,
        wanted: RwSignal::new(None),
        notice,
    }
}

/// How long typing pauses before invalid JSON is reported, in milliseconds.
const PAUSE_MS: u32 = 1_000;

/// Whether nothing was entered for a while, where there is a text that is no JSON.
fn use_pause(reading: Memo<Reading>) -> RwSignal<bool> {
    let paused = RwSignal::new(false);
    let latest = use_latest();
    Effect::new(move |_| {
        let is_no_json = |message: &Message| matches!(message.kind, MessageKind::NotJson(_));
        if !reading.read().messages().iter().any(is_no_json) {
            return;
        }
        let asked = latest.ask();
        paused.set(false);
        spawn_local(async move {
            TimeoutFuture::new(PAUSE_MS).await;
            if asked.is_wanted() {
                paused.try_set(true);
            }
        });
    });
    paused
}

impl FormState {
    /// The value to send. If it is invalid, shows the violations at their fields and focuses the first.
    pub fn read(self) -> Option<JsonText> {
        let json = self.reading.read_untracked().json().cloned();
        if json.is_none() {
            self.feedback.update(Feedback::attempt);
            self.focus_first_fault();
        }
        json
    }

    /// Shows what the host found wrong, each at its field until that is changed.
    pub fn tell(self, messages: Vec<FieldMessage>) {
        let draft = self.draft.read_untracked();
        self.form.with_value(|form| {
            self.feedback.update(|feedback| feedback.find(messages, form, &draft));
        });
        drop(draft);
        self.focus_first_fault();
    }

    /// How many fields have a violation that is shown. Tracked.
    #[must_use]
    pub fn violation_count(self) -> usize {
        self.shown.read().len()
    }

    /// The faults that are shown, in the form's order, each with its place's name. Tracked.
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

    fn focus_first_fault(self) {
        let Some(path) = self.shown.read_untracked().keys().min().cloned() else { return };
        let id = input_id(self.drawn_as.get_value(), &path);
        self.wanted.set(Some(path));
        browser::after_drawing(move || {
            // A list has no input of its own; its button stands for it.
            let _ = browser::focus(&id) || browser::focus(&format!("{id}-add"));
            // The message under the field is scrolled into view with it.
            browser::reveal(&format!("{id}-fault"));
        });
    }

    /// Whether the form is still on the page.
    pub fn is_there(self) -> bool {
        self.draft.try_with_untracked(|_| ()).is_some()
    }

    /// Remembers under which ids the form is drawn.
    pub fn is_drawn_as(self, id: &'static str) {
        self.drawn_as.set_value(id);
    }

    /// Starts over. What was entered can be had back.
    pub fn clear(self) {
        self.undo.remember(&self.draft.read_untracked(), &Path::root(), &Edit::Reset);
        self.show(self.begin.get_value());
    }

    /// Takes the last edit back; false when there is none.
    pub fn undo(self) -> bool {
        let Some(before) = self.undo.undo() else { return false };
        browser::keep_focus();
        self.show(before);
        true
    }

    /// What the last edit was, such as `switch`, if there is one to take back. Tracked.
    #[must_use]
    pub fn undoable(self) -> Option<&'static str> {
        self.undo.last_edit()
    }

    /// Whether the last thing done was to switch the kind of value at `path`. Tracked.
    pub fn switched(self, path: &Path) -> bool {
        self.undo.switched(path)
    }

    /// Whether the last thing done was typing, which an input takes back by itself.
    pub fn was_typing(self) -> bool {
        self.undo.is_typing()
    }

    /// Shows another draft, as if nobody had been at its fields.
    fn show(self, draft: Draft) {
        self.feedback.set(Feedback::default());
        self.notice.set(String::new());
        self.draft.set(draft);
        self.notify(&Path::root());
    }

    /// Goes over to JSON text.
    pub fn show_json(self) {
        self.edit(&Path::root(), Edit::AsJson);
        // The form begins so: there is nothing to go back to.
        self.undo.undo();
    }

    /// Puts a value, whatever was there.
    pub fn fill(self, value: &JsonText) {
        self.edit(&Path::root(), Edit::Fill(value.clone()));
    }

    /// Takes over what was entered in a form of the same thing, whose schema was another.
    pub fn take_over(self, before: Self) {
        let migrated = before.form.with_value(|from| {
            self.form.with_value(|to| before.draft.read_untracked().migrated(from, to))
        });
        if let Some(migrated) = migrated {
            self.draft.set(migrated);
            self.feedback.update(Feedback::edit);
            self.notice.set("The parameters changed. Your input is kept.".to_owned());
        }
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

    /// Does what the person did at `path`, and gives the item or entry that it made. A place that
    /// is gone meanwhile takes no edit.
    pub fn edit(self, path: &Path, edit: Edit) -> Option<ItemId> {
        let leaves_json = edit == Edit::AsWidgets;
        let changes_view = leaves_json || edit == Edit::AsJson;
        let shapes = self.shapes(path);
        self.undo.remember(&self.draft.read_untracked(), path, &edit);
        let mut made = None;
        let mut refused = false;
        self.draft.update(|draft| {
            let result = self.form.with_value(|form| draft.edit(form, path, edit));
            refused = result.is_err();
            made = result.ok().flatten();
        });
        if refused {
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
        // A condition that is decided otherwise gives an object around the place other members.
        let after = self.shapes(path);
        let other = shapes.iter().zip(&after).find(|(before, after)| before.1 != after.1);
        self.notify(other.map_or(path, |(before, _)| &before.0));
        if refused && leaves_json {
            // The text is not JSON: its fault says where, also to who is still in it.
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
        made
    }

    /// How many items the list at `path` has.
    pub fn count_items(self, path: &Path) -> usize {
        match self.draft.read_untracked().at(path).and_then(|entered| entered.content()) {
            Some(Content::List(items)) => items.len(),
            _ => 0,
        }
    }

    /// The objects around `path` whose members depend on what is entered, with their shapes.
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

    /// The field at `path` with the members it has now. Tracked, but for the form itself.
    pub fn shape(self, path: &Path) -> Memo<Option<Slot>> {
        let cases = self.follow(path, |entered| match entered.content() {
            Some(Content::Object { conditions, .. }) => Some(conditions.clone()),
            _ => None,
        });
        let at = path.clone();
        Memo::new(move |_| {
            // Read, for a memo that nobody reads is never run and never wakes anybody.
            cases.with(|_| ());
            self.form.with_value(|form| self.draft.read_untracked().shape(form, &at))
        })
    }

    /// The person has left `path`: a missing value may be reported. A moment later, so that
    /// the message does not push away the button that the person is about to press.
    pub fn touch(self, path: &Path) {
        // A field that leaves the page with the focus is left once the form is gone.
        if self.feedback.try_with_untracked(|feedback| feedback.is_touched(path)) != Some(false) {
            return;
        }
        let path = path.clone();
        let say = move || {
            // If the field has the focus again, the next blur reports it.
            let input = self.drawn_as.try_get_value().map(|id| input_id(id, &path));
            if input.is_some_and(|input| input != browser::focused_id()) {
                self.feedback.try_update(|feedback| feedback.touch(path.clone()));
            }
        };
        set_timeout(say, Duration::from_millis(180));
    }

    /// The person is typing at `path` what may become a value: nothing is missing there until the
    /// place is left again.
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

    /// A value that follows one place of the draft; `None` while the place is not there.
    pub fn follow<T>(
        self,
        path: &Path,
        look: impl Fn(&schema_form::Entered) -> T + Send + Sync + 'static,
    ) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        let path = path.clone();
        let heard = self.heard.try_update_value(|heard| {
            heard.entry(path.clone()).or_insert_with(|| ArcRwSignal::new(())).clone()
        });
        Memo::new(move |_| {
            match &heard {
                Some(heard) => heard.track(),
                None => self.draft.track(),
            }
            self.draft.read_untracked().at(&path).map(&look)
        })
    }

    /// Wakes what is drawn at `path`, around it and within it.
    fn notify(self, path: &Path) {
        let woken: Vec<ArcRwSignal<()>> = self.heard.with_value(|heard| {
            let concerned = |at: &Path| at.contains(path) || path.contains(at);
            heard.iter().filter(|(at, _)| concerned(at)).map(|(_, signal)| signal.clone()).collect()
        });
        for signal in woken {
            signal.notify();
        }
    }
}

/// The id of the input for `path` in the document, in a form whose ids begin with `prefix`.
#[must_use]
pub fn input_id(prefix: &str, path: &Path) -> String {
    if path.steps().is_empty() { format!("{prefix}-root") } else { format!("{prefix}-{path}") }
}
