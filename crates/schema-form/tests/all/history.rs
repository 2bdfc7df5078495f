//! What can be undone, and in which order.

use json_text::JsonText;
use schema_form::{Draft, Edit, Form, History, Path};

const SHAPE: &str = r#"{"type": "object", "required": ["shape"], "properties": {"shape": {"oneOf": [
    {"title": "circle", "type": "object", "required": ["r"], "properties": {"r": {"type": "number"}}},
    {"title": "square", "type": "object", "required": ["side"],
     "properties": {"side": {"type": "number"}}}]}}}"#;

struct Person {
    form: Form,
    draft: Draft,
    history: History,
}

impl Person {
    fn at(schema: &str) -> Self {
        let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
        let (draft, history) = (Draft::blank(&form), History::default());
        Self { form, draft, history }
    }

    fn edit(&mut self, pointer: &str, edit: Edit) {
        let path = self.place(pointer);
        self.history.remember(&self.draft, &path, &edit);
        self.draft.edit(&self.form, &path, edit).expect("it fits");
        self.history.settle(&self.draft);
    }

    /// The innermost place of a pointer; for a union without that member, the union.
    fn place(&self, pointer: &str) -> Path {
        let path = self.draft.locate(&self.form, pointer);
        let is_branch =
            |path: &Path| matches!(path.steps().last(), Some(schema_form::PathStep::Branch(_)));
        if !is_branch(&path) {
            return path;
        }
        let of_slot = &path.steps()[..path.steps().len() - 1];
        of_slot.iter().fold(Path::root(), |path, step| path.then(*step))
    }

    fn type_text(&mut self, pointer: &str, text: &str) {
        self.edit(pointer, Edit::SetText(text.into()));
    }

    fn take(&mut self) -> Option<&'static str> {
        let what = self.history.last_edit()?;
        self.draft = self.history.undo().expect("there is one");
        Some(what)
    }

    fn text(&self) -> String {
        self.draft.read(&self.form).text().to_owned()
    }
}

#[test]
fn typing_does_not_hide_earlier_edits() {
    let mut person = Person::at(SHAPE);
    person.edit("/shape", Edit::ChooseBranch(0));
    person.type_text("/shape/r", "2");
    person.type_text("/shape/r", "2.5");
    person.edit("/shape", Edit::ChooseBranch(1));
    let place = person.place("/shape");
    assert!(person.history.switched(&place));
    person.type_text("/shape/side", "9");
    assert!(person.history.is_typing());
    assert_eq!(person.take(), Some("typing"));
    assert!(person.history.switched(&place), "as before the typing");
    assert_eq!(person.take(), Some("type change"));
    assert_eq!(person.text(), r#"{"shape":{"r":2.5}}"#);
    assert_eq!(person.take(), Some("typing"), "the whole of it is one");
    assert_eq!(person.take(), Some("type change"));
    assert_eq!(person.take(), None);
}

#[test]
fn typing_undone_in_the_input_is_dropped() {
    let mut person = Person::at(SHAPE);
    person.edit("/shape", Edit::ChooseBranch(1));
    person.type_text("/shape/side", "9");
    person.type_text("/shape/side", "");
    assert_eq!(person.history.last_edit(), Some("type change"));
    // A required text is then sent empty, and the switch is still the last edit.
    let mut person = Person::at(&SHAPE.replace("number", "string"));
    person.edit("/shape", Edit::ChooseBranch(1));
    person.type_text("/shape/side", "9");
    person.type_text("/shape/side", "");
    assert_eq!(person.history.last_edit(), Some("type change"));
    // Typing in another text, or naming an entry, is a separate edit.
    person.type_text("/shape/side", "8");
    person.type_text("/shape/side", "7");
    assert!(person.history.is_typing());
    let mut person = Person::at(r#"{"type": "object"}"#);
    person.edit("", Edit::Fill(JsonText::parse(r#"{"a":1}"#).expect("JSON")));
    let Some(schema_form::Content::Object { entries, .. }) =
        person.draft.at(&Path::root()).and_then(|entered| entered.content())
    else {
        panic!("an object");
    };
    let id = entries[0].id;
    person.edit("", Edit::RenameEntry(id, "b".into()));
    assert!(person.history.is_typing());
    assert_eq!(person.take(), Some("typing"));
    assert_eq!(person.text(), r#"{"a":1}"#);
}
