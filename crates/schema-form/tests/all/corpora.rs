//! Real declarations, if the shared corpora are available.

use std::collections::BTreeMap;

use json_text::JsonText;
use schema_form::{Draft, Extras, FieldKind, Form, Slot};
use serde_json::Value;
use test_needs::corpus;

use crate::typist::Typist;

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
        // Any value may hold any values, without end.
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
    eprintln!("by kind: {counts:?}; oddities: {diagnostics:?}");
    assert_eq!(json, 0, "every type of the corpus has a widget");
}

#[test]
fn every_captured_declaration_makes_a_form() {
    let Some(path) = corpus("adk-captures/declarations.json") else { return };
    let text = std::fs::read_to_string(path).expect("readable");
    let declarations: BTreeMap<String, Value> = serde_json::from_str(&text).expect("JSON");
    for (name, declaration) in &declarations {
        let form = Form::of_declaration(&JsonText::from_value(declaration));
        assert_eq!(form.diagnostics(), [], "{name}\n{form}");
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

/// What happened to the values of many declarations.
#[derive(Default)]
struct Typing {
    declarations: usize,
    values: usize,
    places: usize,
    json_mode: BTreeMap<String, usize>,
    without_values: Vec<String>,
}

impl Typing {
    /// Enters several valid values of one declaration and expects exactly them back.
    fn add(&mut self, name: &str, declaration: &Value) {
        self.declarations += 1;
        let form = Form::of_declaration(&JsonText::from_value(declaration));
        let parameters = ["parameters_json_schema", "parameters"]
            .iter()
            .find_map(|keyword| declaration.get(keyword))
            .cloned()
            .unwrap_or_else(|| serde_json::json!({"type": "object", "maxProperties": 0}));
        let schema = JsonText::from_value(&parameters);
        let check = schema_check::Check::of(&schema).expect("a schema");
        let values = schema_check::values(&schema, &check, 8);
        if values.is_empty() {
            self.without_values.push(name.to_owned());
        }
        for value in values {
            let mut typist = Typist::new(&form);
            typist.enter(&value).unwrap_or_else(|error| panic!("{name}: {value}: {error}"));
            let reading = typist.draft.read(&form);
            let sent = reading
                .json()
                .unwrap_or_else(|| panic!("{name}: {value}: {:?} in\n{form}", reading.messages()));
            assert_eq!(sent.to_value(), value.to_value(), "{name}");
            assert_eq!(check.violations(sent), [], "{name}: {sent}");
            self.values += 1;
            self.places += typist.places;
            for reason in typist.json_mode {
                *self.json_mode.entry(reason).or_default() += 1;
            }
        }
    }

    fn report(&self, corpus: &str) {
        let json: usize = self.json_mode.values().sum();
        eprintln!(
            "{corpus}: {} values of {} declarations typed into {} places, {json} of them in JSON \
             mode {:?}; no value: {:?}",
            self.values, self.declarations, self.places, self.json_mode, self.without_values
        );
    }
}

/// Values generated without the form go through its widgets unchanged.
#[test]
fn values_of_the_leaderboard_go_through_the_widgets() {
    let Some(path) = corpus("bfcl-functions.jsonl") else { return };
    let mut typing = Typing::default();
    for line in std::fs::read_to_string(path).expect("readable").lines() {
        let declaration: Value = serde_json::from_str(line).expect("JSON");
        typing.add(declaration["name"].as_str().unwrap_or_default(), &declaration);
    }
    typing.report("bfcl-functions");
    assert_eq!(typing.without_values, [""; 0]);
    assert_eq!(typing.json_mode, BTreeMap::new());
}

#[test]
fn values_of_captured_declarations_go_through_the_widgets() {
    let Some(path) = corpus("adk-captures/declarations.json") else { return };
    let text = std::fs::read_to_string(path).expect("readable");
    let declarations: BTreeMap<String, Value> = serde_json::from_str(&text).expect("JSON");
    let mut typing = Typing::default();
    for (name, declaration) in &declarations {
        typing.add(name, declaration);
    }
    typing.report("adk-captures");
    assert_eq!(typing.without_values, [""; 0]);
    assert_eq!(typing.json_mode, BTreeMap::new());
}
