//! The time of a keystroke and of building a form, for very large schemas.

use std::fmt::Write as _;
use std::hint::black_box;

use json_text::JsonText;
use schema_form::{Draft, Edit, Form};

fn main() {
    divan::main();
}

/// 86 branches of 15 members each: some 6,000 lines when laid out.
fn union_of_86() -> JsonText {
    let mut branches = String::new();
    for branch in 0..86 {
        let mut members = format!(r#""kind": {{"const": "kind{branch}"}}"#);
        for member in 0..14 {
            let _ = write!(
                members,
                r#", "m{member}": {{"type": "string", "description": "Member {member}", "maxLength": 80}}"#
            );
        }
        let comma = if branch == 0 { "" } else { "," };
        let _ = write!(
            branches,
            r#"{comma}{{"type": "object", "required": ["kind"], "properties": {{{members}}}}}"#
        );
    }
    json(&format!(r#"{{"oneOf": [{branches}]}}"#))
}

/// An object of 1,000 members.
fn thousand_fields() -> JsonText {
    let members: Vec<_> =
        (0..1_000).map(|n| format!(r#""f{n}": {{"type": "integer", "maximum": {n}}}"#)).collect();
    json(&format!(r#"{{"type": "object", "properties": {{{}}}}}"#, members.join(",")))
}

fn json(text: &str) -> JsonText {
    JsonText::parse(text).unwrap_or(JsonText::null())
}

#[divan::bench]
fn build_union_of_86(bencher: divan::Bencher<'_, '_>) {
    let schema = union_of_86();
    bencher.bench_local(|| Draft::blank(&Form::of_schema(black_box(&schema))));
}

#[divan::bench]
fn build_thousand_fields(bencher: divan::Bencher<'_, '_>) {
    let schema = thousand_fields();
    bencher.bench_local(|| Draft::blank(&Form::of_schema(black_box(&schema))));
}

#[divan::bench]
fn keystroke_in_union_of_86(bencher: divan::Bencher<'_, '_>) {
    keystroke(bencher, &union_of_86(), r#"{"kind": "kind85", "m3": "x"}"#, "/m3");
}

#[divan::bench]
fn keystroke_in_thousand_fields(bencher: divan::Bencher<'_, '_>) {
    let value: Vec<_> = (0..1_000).map(|n| format!(r#""f{n}": {n}"#)).collect();
    keystroke(bencher, &thousand_fields(), &format!("{{{}}}", value.join(",")), "/f500");
}

fn keystroke(bencher: divan::Bencher<'_, '_>, schema: &JsonText, value: &str, pointer: &str) {
    let form = Form::of_schema(schema);
    let mut draft = form.fill(&json(value));
    let path = draft.locate(&form, pointer);
    bencher.bench_local(|| {
        let edited = draft.edit(&form, &path, Edit::SetText("12".into()));
        (edited.is_ok(), draft.read(&form))
    });
}
