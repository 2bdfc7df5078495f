//! Every test of the JSON Schema test suite for draft 2020-12, if the suite is beside the workspace:
//! the host agrees with the suite, and the form never contradicts it. Optional tests are run as well,
//! and their differences are printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use json_text::JsonText;
use schema_check::Check;
use schema_form::Form;

fn suite() -> Option<PathBuf> {
    test_needs::corpus("json-schema-test-suite")
}

fn json_files(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("readable")
        .map(|entry| entry.expect("entry").path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            json_files(&entry, into);
        } else if entry.extension().is_some_and(|name| name == "json") {
            into.push(entry);
        }
    }
}

fn read(path: &Path) -> JsonText {
    JsonText::parse(&std::fs::read_to_string(path).expect("readable")).expect("JSON")
}

/// The documents that the suite's references lead to, at the address it serves them at.
fn remotes(suite: &Path) -> Vec<(String, JsonText)> {
    let root = suite.join("remotes");
    let mut files = Vec::new();
    json_files(&root, &mut files);
    files
        .iter()
        .filter_map(|file| {
            let place = file.strip_prefix(&root).ok()?.to_string_lossy().replace('\\', "/");
            // Documents of other drafts belong to the tests of those.
            let other = place.starts_with("draft") && !place.starts_with("draft2020-12/");
            (!other && !place.starts_with("v1/"))
                .then(|| (format!("http://localhost:1234/{place}"), read(file)))
        })
        .collect()
}

struct Case {
    name: String,
    /// Its file, below the folder.
    file: String,
    schema: JsonText,
    data: JsonText,
    valid: bool,
}

/// The tests in `folder`, and in its subfolders if `deeply`.
fn cases(folder: &Path, deeply: bool) -> Vec<Case> {
    let mut files = Vec::new();
    json_files(folder, &mut files);
    files.retain(|file| deeply || file.parent() == Some(folder));
    let mut cases = Vec::new();
    for file in files {
        let place = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let groups: Vec<BTreeMap<String, JsonText>> = read(&file).decode().expect("groups");
        for group in &groups {
            let about: String = group["description"].decode().expect("text");
            let tests: Vec<BTreeMap<String, JsonText>> = group["tests"].decode().expect("tests");
            for test in tests {
                cases.push(Case {
                    name: format!("{place} / {about} / {}", test["description"]),
                    file: place.clone(),
                    schema: group["schema"].clone(),
                    data: test["data"].clone(),
                    valid: test["valid"].as_str() == "true",
                });
            }
        }
    }
    cases
}

/// The tests that every implementation must pass.
fn required(suite: &Path) -> Vec<Case> {
    cases(&suite.join("tests/draft2020-12"), false)
}

/// The optional tests.
fn optional(suite: &Path) -> Vec<Case> {
    cases(&suite.join("tests/draft2020-12/optional"), true)
}

/// The host's verdict on each case; `None` if the schema cannot be used.
fn verdicts(cases: &[Case], remotes: &[(String, JsonText)]) -> Vec<Option<bool>> {
    let mut checks: BTreeMap<&str, Option<Check>> = BTreeMap::new();
    cases
        .iter()
        .map(|case| {
            let check = checks.entry(case.schema.as_str()).or_insert_with(|| {
                let alone = Check::of(&case.schema);
                alone.or_else(|_| Check::with_documents(&case.schema, remotes)).ok()
            });
            Some(check.as_ref()?.violations(&case.data).is_empty())
        })
        .collect()
}

#[test]
fn the_host_agrees_with_the_suite() {
    let Some(suite) = suite() else { return };
    let cases = required(&suite);
    let verdicts = verdicts(&cases, &remotes(&suite));
    let differs: Vec<&str> = cases
        .iter()
        .zip(verdicts)
        .filter(|(case, verdict)| *verdict != Some(case.valid))
        .map(|(case, _)| case.name.as_str())
        .collect();
    eprintln!("{} tests, {} differ", cases.len(), differs.len());
    assert!(cases.len() > 1_000, "only {} tests were found", cases.len());
    assert!(differs.is_empty(), "{}", differs.join("\n"));
}

/// Why the host differs in a file of the folder `optional`.
///
/// Each is a choice that the standard leaves to an implementation; a file that is not named here
/// agrees in every test.
const CHOICES: [(&str, &str); 2] = [
    ("format", "`format` is an annotation: a mismatch is shown and may be sent"),
    ("cross-draft.json", "other editions are not mixed into one schema"),
];

/// Optional tests: differences are printed by file, with the reason.
#[test]
fn the_host_differs_only_in_listed_optional_files() {
    let Some(suite) = suite() else { return };
    let cases = optional(&suite);
    let verdicts = verdicts(&cases, &remotes(&suite));
    let mut by_file: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    let mut unexplained = Vec::new();
    for (case, verdict) in cases.iter().zip(verdicts) {
        let (all, differ, unusable) = by_file.entry(&case.file).or_default();
        *all += 1;
        *unusable += usize::from(verdict.is_none());
        if verdict != Some(case.valid) {
            *differ += 1;
            if !CHOICES.iter().any(|(file, _)| case.file.starts_with(file)) {
                unexplained.push(format!("{}: {verdict:?}", case.name));
            }
        }
    }
    let sum = |of: fn(&(usize, usize, usize)) -> usize| by_file.values().map(of).sum::<usize>();
    eprintln!("{} optional tests in {} files", sum(|it| it.0), by_file.len());
    for (file, (all, differ, unusable)) in &by_file {
        let why = CHOICES.iter().find(|(choice, _)| file.starts_with(choice));
        let why = why.map_or("", |(_, why)| why);
        if *differ > 0 {
            eprintln!("{file}: {differ} of {all} differ ({unusable} cannot be used): {why}");
        }
    }
    eprintln!("{} differ in all", sum(|it| it.1));
    assert!(cases.len() > 800, "only {} tests were found", cases.len());
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
}

/// The form never contradicts the host, in optional tests too.
#[test]
fn the_form_never_contradicts_the_host_in_optional_tests() {
    let Some(suite) = suite() else { return };
    let cases = optional(&suite);
    let verdicts = verdicts(&cases, &remotes(&suite));
    let (mut decided, mut reported, mut undecided, mut skipped) = (0, 0, 0, 0);
    let mut contradicted = Vec::new();
    for (case, verdict) in cases.iter().zip(verdicts) {
        let Some(valid) = verdict else {
            skipped += 1;
            eprintln!("skipped, the host cannot use the schema: {}", case.name);
            continue;
        };
        let form = Form::of_schema(&case.schema);
        let admitted = form.admits(&case.data);
        match admitted {
            Some(answer) if answer != valid => contradicted.push(format!("judged: {}", case.name)),
            Some(_) => decided += 1,
            None => undecided += 1,
        }
        let reading = form.fill(&case.data).read(&form);
        if reading.json().is_none() {
            reported += 1;
            if valid {
                contradicted.push(format!("refused: {}: {:?}", case.name, reading.messages()));
            }
        }
    }
    eprintln!(
        "{} tests: {decided} decided as the host does, {undecided} left to it, {skipped} skipped; \
         {reported} values get a message while typing",
        cases.len()
    );
    assert!(contradicted.is_empty(), "{}\n{}", contradicted.len(), contradicted.join("\n"));
}

/// What the form decides in required tests agrees with the suite.
#[test]
fn the_forms_decisions_agree_with_the_suite() {
    let Some(suite) = suite() else { return };
    let cases = required(&suite);
    let mut undecided: BTreeMap<&str, usize> = BTreeMap::new();
    let mut decided = 0;
    let mut contradicted = Vec::new();
    for case in &cases {
        // Metaschemas that switch validation off are not read by the form.
        if case.file == "vocabulary.json" {
            eprintln!("the form does not read metaschemas: {}", case.name);
            continue;
        }
        match Form::of_schema(&case.schema).admits(&case.data) {
            Some(answer) if answer != case.valid => contradicted.push(case.name.as_str()),
            Some(_) => decided += 1,
            None => *undecided.entry(&case.file).or_default() += 1,
        }
    }
    let left: usize = undecided.values().sum();
    eprintln!(
        "{} tests: {decided} decided as the suite does, {left} left to the host",
        cases.len()
    );
    for (file, count) in &undecided {
        eprintln!("{file}: {count} left to the host");
    }
    assert!(contradicted.is_empty(), "{}\n{}", contradicted.len(), contradicted.join("\n"));
    assert!(decided > 500, "only {decided} of {} are decided", cases.len());
}

/// Values that the suite calls valid are sent unchanged.
#[test]
fn the_form_never_contradicts_the_suite() {
    let Some(suite) = suite() else { return };
    let (mut valid, mut caught, mut invalid) = (0, 0, 0);
    let mut contradicted = Vec::new();
    for case in required(&suite) {
        // Metaschemas that switch validation off are not read by the form.
        if case.name.starts_with("vocabulary.json") {
            eprintln!("the form does not read metaschemas: {}", case.name);
            continue;
        }
        let form = Form::of_schema(&case.schema);
        let reading = form.fill(&case.data).read(&form);
        if case.valid {
            valid += 1;
            let sent = reading.json().map(JsonText::to_value);
            if sent != Some(case.data.to_value()) {
                contradicted.push(format!(
                    "{}: {} in {}: {:?}",
                    case.name,
                    case.data,
                    case.schema.compact(),
                    reading.messages()
                ));
            }
        } else {
            invalid += 1;
            caught += usize::from(reading.json().is_none());
        }
    }
    eprintln!(
        "{valid} valid values pass; {caught} of {invalid} invalid ones get a message while typing"
    );
    assert!(contradicted.is_empty(), "{}\n{}", contradicted.len(), contradicted.join("\n"));
}
