//! Any schema, any value, any edits: a form never panics, never hangs, and loses nothing.
//!
//! The input is a schema, a line end, a value, a line end, and bytes that choose edits.

use json_text::{JsonText, Node};
use schema_form::{Content, Draft, Edit, Entered, Form, Path, PathStep};

/// Runs the checks on one input.
pub(crate) fn check(data: &[u8]) {
    let mut parts = data.splitn(3, |byte| *byte == b'\n');
    let schema = parts.next().and_then(text);
    let value = parts.next().and_then(text);
    let choices = parts.next().unwrap_or_default();
    let Some(schema) = schema else { return };
    let form = Form::of_schema(&schema);
    let _ = Form::of_declaration(&schema).diagnostics();
    let mut draft = Draft::blank(&form);
    let reading = draft.read(&form);
    assert_eq!(reading.json().is_some(), reading.messages().is_empty());
    if let Some(value) = value {
        draft = form.fill(&value);
        let reading = draft.read(&form);
        // The form keeps the value, valid or not, in its order.
        let back = JsonText::parse(reading.text()).expect("a filled draft reads as JSON");
        assert_eq!(ordered(&back), ordered(&value), "{value} in {schema}");
        // The sent value is the shown one.
        if let Some(sent) = reading.json() {
            assert_eq!(ordered(sent), ordered(&value));
        }
        // Filling it in again keeps it.
        let again = form.fill(&back);
        assert_eq!(again.read(&form).text(), reading.text());
    }
    for choice in choices.chunks(2).take(64) {
        let (place, edit) = (choice[0], choice.get(1).copied().unwrap_or(0));
        let paths = places(&draft);
        let Some(path) = paths.get(usize::from(place) % paths.len().max(1)) else { return };
        let before = draft.clone();
        if draft.edit(&form, path, edit_of(edit, &draft, path)).is_err() {
            assert_eq!(draft, before, "an edit that is refused changes nothing");
        }
        let reading = draft.read(&form);
        assert_eq!(reading.json().is_some(), reading.messages().is_empty());
        let pieces: String = reading.pieces().map(|(piece, _)| piece).collect();
        assert_eq!(pieces, reading.text());
    }
}
fn text(bytes: &[u8]) -> Option<JsonText> {
    JsonText::parse(std::str::from_utf8(bytes).ok()?).ok()
}

/// The value with its members in one order and its strings in one spelling; numbers as they are
/// written, for a form must not respell them.
fn ordered(value: &JsonText) -> String {
    // Deeper values are compared as they are written: a form takes them as text.
    written(&value.compact(), DEEPEST)
}

/// How many levels of a value are looked into.
const DEEPEST: usize = 200;

fn written(value: &JsonText, levels: usize) -> String {
    if levels == 0 {
        return value.as_str().to_owned();
    }
    match value.open() {
        Node::String(content) => JsonText::string(&content).as_str().to_owned(),
        Node::Array(items) => {
            let items = items.into_iter().map(|it| written(&it.into(), levels - 1));
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        Node::Object(mut members) => {
            // Duplicate names keep their order.
            members.sort_by(|left, right| left.0.cmp(&right.0));
            let members = members.into_iter().map(|(name, it)| {
                format!("{}:{}", JsonText::string(&name), written(&it.into(), levels - 1))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        _ => value.as_str().to_owned(),
    }
}

fn edit_of(choice: u8, draft: &Draft, path: &Path) -> Edit {
    let number = usize::from(choice / 16);
    let item = match draft.at(path).and_then(Entered::content) {
        Some(Content::List(items)) => items.get(number).map(|item| item.id),
        Some(Content::Object { entries, .. }) => entries.get(number).map(|entry| entry.id),
        _ => None,
    };
    let texts = ["", "1", "1.", "-", "1e", "tea", "{\"a\":1}", "[", "null", "\u{1f375}"];
    match (choice % 16, item) {
        (0, _) => Edit::SetText(texts[number % texts.len()].to_owned()),
        (1, _) => Edit::SetBool(number > 0),
        (2, _) => Edit::Choose(number),
        (3, _) => Edit::ChooseBranch(number),
        (4, _) => Edit::SetNull,
        (5, _) => Edit::Unset,
        (6, _) => Edit::SetValue,
        (7, _) => Edit::AddItem,
        (8, Some(id)) => Edit::RemoveItem(id),
        (9, Some(id)) => Edit::MoveItem(id, 0),
        (10, _) => Edit::AddEntry,
        (11, Some(id)) => Edit::RenameEntry(id, "a".to_owned()),
        (12, Some(id)) => Edit::RemoveEntry(id),
        (13, _) => Edit::AsJson,
        (14, _) => Edit::AsWidgets,
        _ => Edit::Reset,
    }
}

/// The first few hundred entered places, including those that the schema forbids.
fn places(draft: &Draft) -> Vec<Path> {
    let mut found = Vec::new();
    if let Some(entered) = draft.at(&Path::root()) {
        walk(entered, &Path::root(), &mut found);
    }
    found
}

fn walk(entered: &Entered, path: &Path, found: &mut Vec<Path>) {
    if found.len() > 300 {
        return;
    }
    found.push(path.clone());
    match entered.content() {
        Some(Content::Object { members, entries, .. }) => {
            for (position, entered) in members.iter().enumerate() {
                walk(entered, &path.then(PathStep::Member(position)), found);
            }
            for entry in entries {
                walk(&entry.entered, &path.then(PathStep::Entry(entry.id)), found);
            }
        }
        Some(Content::List(items)) => {
            for item in items {
                walk(&item.entered, &path.then(PathStep::Item(item.id)), found);
            }
        }
        Some(Content::Union { visited, .. }) => {
            for (position, entered) in visited {
                walk(entered, &path.then(PathStep::Branch(*position)), found);
            }
        }
        _ => {}
    }
}
