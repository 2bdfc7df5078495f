use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const TRIP: &str = r#"{"type": "object", "required": ["city", "days"], "properties":
    {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}}}"#;

fn json(text: &str) -> JsonText {
    JsonText::parse(text).expect("the text is JSON")
}

/// The owner of a test's signals.
fn owner() -> Owner {
    let owner = Owner::new();
    owner.set();
    owner
}

fn form_of(schema: &str) -> FormState {
    use_form(Form::of_schema(&json(schema)), None)
}

fn filled(schema: &str, value: &str) -> FormState {
    use_form(Form::of_schema(&json(schema)), Some(&json(value)))
}

fn path(state: FormState, pointer: &str) -> Path {
    state.draft.read_untracked().locate(&state.form(), pointer)
}

fn type_at(state: FormState, pointer: &str, text: &str) {
    state.edit(&path(state, pointer), Edit::SetText(text.to_owned()));
}

fn value(state: FormState) -> Option<String> {
    state.reading.read_untracked().json().map(|json| json.compact().to_string())
}

/// The names of the places with a fault, such as `days`.
fn names_of_faults(state: FormState) -> Vec<String> {
    let name = |fault: String| fault.split(':').next().unwrap_or_default().to_owned();
    untrack(|| state.faults()).into_iter().map(name).collect()
}

fn message(pointer: &str, text: &str) -> FieldMessage {
    FieldMessage { pointer: pointer.to_owned(), text: text.to_owned() }
}

#[test]
fn edits_are_undone_in_reverse_order() {
    let _owner = owner();
    let state = form_of(TRIP);
    assert_eq!(untrack(|| state.undoable()), None);
    type_at(state, "/city", "Oslo");
    type_at(state, "/days", "2");
    assert_eq!(value(state).as_deref(), Some(r#"{"city":"Oslo","days":2}"#));
    assert_eq!(untrack(|| state.undoable()), Some("typing"));
    assert!(state.was_typing() && untrack(|| state.is_edited()));
    assert!(state.restore());
    assert_eq!(value(state), None);
    type_at(state, "/days", "3");
    assert_eq!(value(state).as_deref(), Some(r#"{"city":"Oslo","days":3}"#));
    assert!(state.restore() && state.restore());
    assert!(!state.restore(), "nothing is left to undo");
    assert!(!untrack(|| state.is_edited()));
}

#[test]
fn an_attempt_to_send_shows_missing_values() {
    let _owner = owner();
    let state = form_of(TRIP);
    assert_eq!(names_of_faults(state), [""; 0]);
    assert_eq!(state.attempt(), None);
    assert_eq!(names_of_faults(state), ["city", "days"]);
    assert_eq!(untrack(|| state.violation_count()), 2);
    assert_eq!(state.first_fault(), Some(path(state, "/city")));
    type_at(state, "/city", "Oslo");
    assert_eq!(state.first_fault(), Some(path(state, "/days")));
    type_at(state, "/days", "2");
    assert_eq!(state.attempt().map(|it| it.compact().to_string()), value(state));
    assert_eq!(value(state).as_deref(), Some(r#"{"city":"Oslo","days":2}"#));
    assert_eq!(state.first_fault(), None);
}

#[test]
fn a_message_of_the_host_is_shown_until_its_field_changes() {
    let _owner = owner();
    let state = filled(TRIP, r#"{"city": "Oslo", "days": 2}"#);
    state.place_messages(vec![message("/city", "No such city.")]);
    assert_eq!(untrack(|| state.faults()), ["city: No such city."]);
    assert_eq!(untrack(|| state.faults_at(&path(state, "/city"))), ["No such city."]);
    type_at(state, "/days", "3");
    assert_eq!(names_of_faults(state), ["city"]);
    type_at(state, "/city", "Bergen");
    assert_eq!(names_of_faults(state), [""; 0]);
}

#[test]
fn a_message_of_the_host_moves_into_json_text() {
    let _owner = owner();
    let state = filled(TRIP, r#"{"city": "Oslo", "days": 2}"#);
    state.place_messages(vec![message("/days", "Too short.")]);
    state.edit(&Path::root(), Edit::AsJson);
    assert_eq!(state.first_fault(), Some(Path::root()));
    let faults = untrack(|| state.faults_at(&Path::root()));
    assert!(faults.len() == 1 && faults[0].ends_with("Too short."), "{faults:?}");
    state.edit(&Path::root(), Edit::AsWidgets);
    assert_eq!(untrack(|| state.faults()), ["days: Too short."]);
}

#[test]
fn clearing_restores_the_first_draft_and_can_be_undone() {
    let _owner = owner();
    let state = filled(TRIP, r#"{"city": "Oslo", "days": 2}"#);
    type_at(state, "/days", "0");
    assert_eq!(names_of_faults(state), ["days"]);
    state.clear();
    assert_eq!(value(state).as_deref(), Some(r#"{"city":"Oslo","days":2}"#));
    assert_eq!(untrack(|| state.undoable()), Some("clear"));
    assert!(!untrack(|| state.is_edited()));
    assert!(state.restore());
    assert_eq!(names_of_faults(state), ["days"]);
}

#[test]
fn showing_json_text_cannot_be_undone() {
    let _owner = owner();
    let state = filled(TRIP, r#"{"city": "Oslo", "days": 2}"#);
    assert!(!untrack(|| state.is_json()));
    state.show_json();
    assert!(untrack(|| state.is_json()));
    assert_eq!(untrack(|| state.undoable()), None);
    type_at(state, "", r#"{"city": "Bergen", "days": 1}"#);
    assert_eq!(value(state).as_deref(), Some(r#"{"city":"Bergen","days":1}"#));
}

#[test]
fn invalid_json_text_stays_text_and_is_reported() {
    let _owner = owner();
    let state = form_of(TRIP);
    state.show_json();
    type_at(state, "", "{");
    assert_eq!(names_of_faults(state), [""; 0], "the next key may complete it");
    state.edit(&Path::root(), Edit::AsWidgets);
    assert!(untrack(|| state.is_json()));
    assert_eq!(untrack(|| state.violation_count()), 1);
    assert_eq!(untrack(|| state.undoable()), Some("typing"), "the rejected edit is not recorded");
}

#[test]
fn a_changed_schema_keeps_the_input() {
    let _owner = owner();
    let before = form_of(TRIP);
    type_at(before, "/city", "Oslo");
    type_at(before, "/days", "2");
    let schema = r#"{"type": "object", "required": ["city", "country"], "properties":
        {"country": {"type": "string"}, "city": {"type": "string"}, "days": {"type": "integer"}}}"#;
    let after = form_of(schema);
    after.take_over(before);
    assert_eq!(after.notice.get_untracked(), "The parameters changed. Your input is kept.");
    assert!(untrack(|| after.is_edited()));
    type_at(after, "/country", "Norway");
    let value = value(after).and_then(|it| serde_json::from_str::<serde_json::Value>(&it).ok());
    let expected = serde_json::json!({"city": "Oslo", "days": 2, "country": "Norway"});
    assert_eq!(value, Some(expected));
    assert_eq!(after.notice.get_untracked(), "", "an edit removes the notice");
}

#[test]
fn a_blank_form_leaves_nothing_to_take_over() {
    let _owner = owner();
    let after = form_of(TRIP);
    after.take_over(form_of(TRIP));
    assert_eq!(after.notice.get_untracked(), "");
    assert!(!untrack(|| after.is_edited()));
}

#[test]
fn an_edit_at_a_removed_place_changes_nothing() {
    let _owner = owner();
    let larger = form_of(
        r#"{"type": "object", "properties":
        {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}}"#,
    );
    let removed = path(larger, "/c");
    let state = filled(TRIP, r#"{"city": "Oslo", "days": 2}"#);
    let before = state.draft.get_untracked();
    assert_eq!(state.edit(&removed, Edit::SetText("x".to_owned())), None);
    assert_eq!(state.draft.get_untracked(), before);
    assert_eq!(untrack(|| state.undoable()), None);
}

#[test]
fn a_switch_of_kind_is_the_last_edit_until_the_next() {
    let _owner = owner();
    let state = form_of(r#"{"anyOf": [{"type": "string"}, {"type": "integer"}]}"#);
    let root = Path::root();
    assert!(!untrack(|| state.switched(&root)));
    state.edit(&root, Edit::ChooseBranch(1));
    assert!(untrack(|| state.switched(&root)));
    assert!(state.restore());
    assert!(!untrack(|| state.switched(&root)));
}

#[test]
fn a_place_is_looked_at_only_after_edits_around_it() {
    let _owner = owner();
    let state = form_of(TRIP);
    let looks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&looks);
    let city = state.follow(&path(state, "/city"), move |entered| {
        counted.fetch_add(1, Ordering::Relaxed);
        entered.text().unwrap_or_default().to_owned()
    });
    assert_eq!(city.get_untracked().as_deref(), Some(""));
    type_at(state, "/days", "2");
    assert_eq!(city.get_untracked().as_deref(), Some(""));
    assert_eq!(looks.load(Ordering::Relaxed), 1);
    type_at(state, "/city", "Oslo");
    assert_eq!(city.get_untracked().as_deref(), Some("Oslo"));
    assert_eq!(looks.load(Ordering::Relaxed), 2);
    state.clear();
    assert_eq!(city.get_untracked().as_deref(), Some(""));
}

#[test]
fn an_added_item_is_returned_and_counted() {
    let _owner = owner();
    let state = form_of(r#"{"type": "array", "items": {"type": "string"}}"#);
    let root = Path::root();
    assert_eq!(state.count_items(&root), 0);
    let first = state.edit(&root, Edit::AddItem);
    assert!(first.is_some());
    assert_ne!(state.edit(&root, Edit::AddItem), first);
    assert_eq!(state.count_items(&root), 2);
}

#[test]
fn a_pasted_call_fills_in_its_arguments() {
    let _owner = owner();
    let state = form_of(TRIP);
    let call = r#"{"name": "book", "args": {"city": "Oslo", "days": 2, "note": "late"}}"#;
    assert_eq!(state.paste(call), Ok(()));
    assert_eq!(value(state).as_deref(), Some(r#"{"city":"Oslo","days":2,"note":"late"}"#));
    assert_eq!(
        state.notice.get_untracked(),
        "Filled in from a call to `book`. The schema does not define the property `note`. It was added."
    );
    assert!(state.restore());
    assert_eq!(state.notice.get_untracked(), "");
    assert_eq!(state.paste(r#"{"city": "Oslo"}"#), Ok(()));
    assert_eq!(state.notice.get_untracked(), "Pasted values filled in.");
}

#[test]
fn text_that_is_not_arguments_is_not_pasted() {
    let _owner = owner();
    let state = filled(TRIP, r#"{"city": "Oslo", "days": 2}"#);
    for text in ["", "Oslo", "[1, 2]", "3"] {
        assert!(state.paste(text).is_err(), "{text:?}");
    }
    assert_eq!(value(state).as_deref(), Some(r#"{"city":"Oslo","days":2}"#));
    assert_eq!(untrack(|| state.undoable()), None);
    assert_eq!(state.notice.get_untracked(), "");
}
