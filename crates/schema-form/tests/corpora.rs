//! Real declarations and the JSON Schema test suite, where the shared corpora are at hand: beside
//! the workspace in `shared/corpora`. Without them these tests say so and pass.

use std::collections::BTreeMap;
use std::path::PathBuf;

use json_text::JsonText;
use schema_form::{Draft, Extras, FieldKind, Form, Slot};
use serde_json::Value;

fn corpus(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("NOT TESTED: the corpus {name} is not beside the workspace");
    None
}

/// Counts fields by kind, JSON fields by reason; a schema within itself once.
fn count(slot: &Slot, depth: usize, counts: &mut BTreeMap<String, usize>) {
    let name = match &slot.field().kind {
        FieldKind::Text(_) => "text".to_owned(),
        FieldKind::Integer(_) => "integer".to_owned(),
        FieldKind::Number(_) => "number".to_owned(),
        FieldKind::Boolean => "boolean".to_owned(),
        FieldKind::Choice(_) => "choice".to_owned(),
        FieldKind::Object(_) => "object".to_owned(),
        FieldKind::List(_) => "list".to_owned(),
        FieldKind::Union(_) => "union".to_owned(),
        FieldKind::Json(reason) => format!("JSON, {}", reason.name()),
    };
    *counts.entry(name).or_default() += 1;
    if depth == 8 {
        return;
    }
    match &slot.field().kind {
        FieldKind::Object(object) => {
            for member in &object.members {
                count(member, depth + 1, counts);
            }
            if let Extras::Offered(slot) = &object.extras
                && !object.members.is_empty()
            {
                count(slot, depth + 1, counts);
            }
        }
        FieldKind::List(list) => {
            for slot in list.prefix.iter().chain(&list.rest) {
                count(slot, depth + 1, counts);
            }
        }
        // Any value may hold any values: there is no end to these.
        FieldKind::Union(branches) if branches.len() < 5 => {
            for branch in branches {
                count(&branch.slot, depth + 1, counts);
            }
        }
        _ => {}
    }
}

#[test]
fn every_declaration_of_the_leaderboard_makes_a_form() {
    let Some(path) = corpus("bfcl-functions.jsonl") else { return };
    let lines = std::fs::read_to_string(path).expect("readable");
    let mut counts = BTreeMap::new();
    let mut diagnostics = BTreeMap::<String, usize>::new();
    let mut declarations = 0;
    for line in lines.lines() {
        declarations += 1;
        let form = Form::of_declaration(&JsonText::parse(line).expect("JSON"));
        assert!(matches!(form.root().field().kind, FieldKind::Object(_)), "{line}");
        let _ = Draft::blank(&form).read(&form);
        count(form.root(), 0, &mut counts);
        for diagnostic in form.diagnostics() {
            *diagnostics.entry(diagnostic.reason.to_string()).or_default() += 1;
        }
    }
    let fields: usize = counts.values().sum();
    let json: usize =
        counts.iter().filter(|(name, _)| name.starts_with("JSON")).map(|(_, count)| count).sum();
    eprintln!("{declarations} declarations, {fields} fields, {json} of them JSON text");
    eprintln!("{counts:#?}\n{diagnostics:#?}");
    assert_eq!(json, 0, "every type of the corpus has a widget");
}

#[test]
fn every_captured_declaration_makes_a_form() {
    let Some(path) = corpus("adk-captures/declarations.json") else { return };
    let text = std::fs::read_to_string(path).expect("readable");
    let declarations: BTreeMap<String, Value> = serde_json::from_str(&text).expect("JSON");
    for (name, declaration) in &declarations {
        let form = Form::of_declaration(&JsonText::from_value(declaration));
        eprintln!("{name}\n{form}");
        assert_eq!(form.diagnostics(), []);
        assert_eq!(form.is_empty(), name == "list_rooms");
    }
    let form = Form::of_declaration(&JsonText::from_value(&declarations["set_temperature"]));
    expect_test::expect![[r#"
        .: object
          room*: one of "kitchen" "bedroom" "office"
          degrees*: number
          unit: one of "celsius" "fahrenheit" = "celsius"
          schedule: object or null = null
            start*: text
            days: list
              []: one of "mon" "tue" "wed" "thu" "fri" "sat" "sun"
            repeat: boolean = false
          tags: list = []
            []: text
    "#]]
    .assert_eq(&form.to_string());
}

/// What the suite calls valid is sent as it is, and comes back unchanged.
#[test]
fn the_form_never_contradicts_the_test_suite() {
    let Some(path) = corpus("json-schema-test-suite/tests/draft2020-12") else { return };
    let mut files: Vec<PathBuf> = std::fs::read_dir(path)
        .expect("readable")
        .map(|entry| entry.expect("entry").path())
        .collect();
    files.sort();
    let (mut valid, mut caught, mut invalid) = (0, 0, 0);
    let mut contradicted = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|name| name == "json")) {
        // Metaschemas that switch validation off are not read.
        if file.ends_with("vocabulary.json") {
            eprintln!("skipped: vocabulary.json");
            continue;
        }
        let groups: Vec<BTreeMap<String, JsonText>> =
            JsonText::parse(&std::fs::read_to_string(file).expect("readable"))
                .expect("JSON")
                .decode()
                .expect("groups");
        for group in &groups {
            let form = Form::of_schema(&group["schema"]);
            let tests: Vec<BTreeMap<String, JsonText>> = group["tests"].decode().expect("tests");
            for test in tests {
                let reading = form.fill(&test["data"]).read(&form);
                if test["valid"].as_str() == "true" {
                    valid += 1;
                    if reading.json().is_none() {
                        contradicted.push(format!(
                            "{} / {} / {}: {} in {}: {:?}",
                            file.file_name().unwrap_or_default().display(),
                            group["description"],
                            test["description"],
                            test["data"],
                            group["schema"].compact(),
                            reading.messages()
                        ));
                    }
                } else {
                    invalid += 1;
                    caught += usize::from(reading.json().is_none());
                }
            }
        }
    }
    eprintln!(
        "{valid} valid values pass; {caught} of {invalid} invalid ones are told as one types"
    );
    assert!(contradicted.is_empty(), "{}\n{}", contradicted.len(), contradicted.join("\n"));
}
