//! [`Feedback`]: which violations of a form are shown. Invalid values are shown at once, missing
//! ones after the person has left their field or tried to send.

use std::collections::{HashMap, HashSet};

use api::FieldMessage;
use schema_form::{Draft, Form, MessageKind, Path, Reading};

/// The person's actions in a form, and the host's messages about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Feedback {
    touched: HashSet<Path>,
    edited: bool,
    /// The places that were invalid when the person tried to send.
    attempted: HashSet<Path>,
    found: Vec<HostViolation>,
}

/// A violation that the host found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HostViolation {
    message: FieldMessage,
    /// The place at which it is shown.
    path: Path,
    /// The shown text: in JSON text it begins with line and column.
    text: String,
}

impl HostViolation {
    fn place(message: FieldMessage, form: &Form, draft: &Draft) -> Self {
        let path = draft.locate(form, &message.pointer);
        let text = match draft.within_json(form, &message.pointer) {
            Some(place) => format!("{place}: {}", message.text),
            None => message.text.clone(),
        };
        Self { message, path, text }
    }
}

impl Feedback {
    /// The messages to show at each place. `paused` is whether typing has paused.
    pub(super) fn shown(&self, reading: &Reading, paused: bool) -> HashMap<Path, Vec<String>> {
        let mut shown: HashMap<Path, Vec<String>> = HashMap::new();
        for message in reading.messages() {
            let waits = match message.kind {
                MessageKind::Missing | MessageKind::Unfinished => true,
                // The next key may complete it.
                MessageKind::NotJson(_) => !(self.edited && paused),
                _ => false,
            };
            let was_left = self.edited && self.touched.contains(&message.path);
            if !waits || was_left || self.attempted.contains(&message.path) {
                shown.entry(message.path.clone()).or_default().push(message.text.clone());
            }
        }
        for HostViolation { path, text, .. } in &self.found {
            let texts = shown.entry(path.clone()).or_default();
            if !texts.contains(text) {
                texts.push(text.clone());
            }
        }
        shown
    }

    /// Whether anything was entered. Until then, leaving a field shows no missing value.
    pub(super) fn is_edited(&self) -> bool {
        self.edited
    }

    /// Whether the person has left `path`.
    pub(super) fn is_touched(&self, path: &Path) -> bool {
        self.touched.contains(path)
    }

    /// The person has left `path`: a missing value there is shown.
    pub(super) fn touch(&mut self, path: Path) {
        self.touched.insert(path);
    }

    /// The person has returned to `path`.
    pub(super) fn untouch(&mut self, path: &Path) {
        self.touched.remove(path);
    }

    /// The person tried to send: everything that is wrong now is shown. What they add later, such as an
    /// item, is empty at first and has no message yet.
    pub(super) fn attempt(&mut self, reading: &Reading) {
        self.attempted = reading.messages().iter().map(|message| message.path.clone()).collect();
    }

    /// Something was entered.
    pub(super) fn edit(&mut self) {
        self.edited = true;
    }

    /// The host found `messages`, each shown at its field until that is changed.
    pub(super) fn find(&mut self, messages: Vec<FieldMessage>, form: &Form, draft: &Draft) {
        let placed = messages.into_iter().map(|message| HostViolation::place(message, form, draft));
        self.found = placed.collect();
    }

    /// Whether the host found anything.
    pub(super) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Removes the host's messages at `path`, around it and within it.
    pub(super) fn forget_at(&mut self, path: &Path) {
        self.found
            .retain(|HostViolation { path: at, .. }| !at.contains(path) && !path.contains(at));
    }

    /// Moves the host's messages to their places after a switch between widgets and JSON text.
    pub(super) fn place_again(&mut self, form: &Form, draft: &Draft) {
        let messages = std::mem::take(&mut self.found).into_iter().map(|found| found.message);
        self.find(messages.collect(), form, draft);
    }
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;
    use schema_form::Edit;

    use super::*;

    fn form() -> Form {
        let schema = r#"{"type": "object", "required": ["city", "days"], "properties":
            {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}}}"#;
        Form::of_schema(&JsonText::parse(schema).expect("the schema is JSON"))
    }

    fn filled(form: &Form, value: &str) -> Draft {
        form.fill(&JsonText::parse(value).expect("the value is JSON"))
    }

    /// The places with a message, such as `days`.
    fn places(feedback: &Feedback, form: &Form, draft: &Draft) -> Vec<String> {
        let shown = feedback.shown(&draft.read(form), false);
        let mut places: Vec<String> = shown.keys().map(|path| draft.name(form, path)).collect();
        places.sort();
        places
    }

    fn path_of(form: &Form, draft: &Draft, pointer: &str) -> Path {
        draft.locate(form, pointer)
    }

    #[test]
    fn a_missing_value_is_shown_after_the_field_was_left() {
        let form = form();
        let draft = filled(&form, r#"{"city": "Oslo"}"#);
        let mut feedback = Feedback::default();
        assert_eq!(places(&feedback, &form, &draft), [""; 0]);
        feedback.touch(path_of(&form, &draft, "/days"));
        assert_eq!(places(&feedback, &form, &draft), [""; 0], "nothing was entered yet");
        feedback.edit();
        assert_eq!(places(&feedback, &form, &draft), ["days"]);
        feedback.untouch(&path_of(&form, &draft, "/days"));
        assert_eq!(places(&feedback, &form, &draft), [""; 0]);
    }

    #[test]
    fn an_attempt_shows_everything() {
        let form = form();
        let draft = Draft::blank(&form);
        let mut feedback = Feedback::default();
        feedback.attempt(&draft.read(&form));
        assert_eq!(places(&feedback, &form, &draft), ["city", "days"]);
    }

    #[test]
    fn an_item_that_is_added_after_an_attempt_has_no_message_yet() {
        let schema = r#"{"type": "object", "required": ["city"], "properties": {"city":
            {"type": "string"}, "days": {"type": "array", "items": {"type": "integer"}}}}"#;
        let form = Form::of_schema(&JsonText::parse(schema).expect("the schema is JSON"));
        let mut draft = filled(&form, r#"{"days": [1]}"#);
        let mut feedback = Feedback::default();
        feedback.edit();
        feedback.attempt(&draft.read(&form));
        let days = path_of(&form, &draft, "/days");
        draft.edit(&form, &days, Edit::AddItem).expect("a list takes an item");
        assert_eq!(places(&feedback, &form, &draft), ["city"]);
        feedback.attempt(&draft.read(&form));
        assert_eq!(places(&feedback, &form, &draft), ["city", "days[1]"]);
    }

    #[test]
    fn an_invalid_value_is_shown_at_once() {
        let form = form();
        let draft = filled(&form, r#"{"city": "Oslo", "days": 0}"#);
        assert_eq!(places(&Feedback::default(), &form, &draft), ["days"]);
    }

    #[test]
    fn a_violation_from_the_host_is_shown_until_its_field_changes() {
        let form = form();
        let mut draft = filled(&form, r#"{"city": "Oslo", "days": 2}"#);
        let mut feedback = Feedback::default();
        let message = FieldMessage { pointer: "/city".to_owned(), text: "No such city".to_owned() };
        feedback.find(vec![message], &form, &draft);
        assert_eq!(places(&feedback, &form, &draft), ["city"]);
        feedback.forget_at(&path_of(&form, &draft, "/days"));
        assert_eq!(places(&feedback, &form, &draft), ["city"]);
        // In JSON text, it is shown at the root.
        draft.edit(&form, &Path::root(), Edit::AsJson).expect("any form can be text");
        feedback.place_again(&form, &draft);
        assert_eq!(places(&feedback, &form, &draft), [""]);
        feedback.forget_at(&Path::root());
        assert!(!feedback.has_found());
    }
}
