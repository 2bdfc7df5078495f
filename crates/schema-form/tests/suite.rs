//! Every test of the JSON Schema test suite for draft 2020-12, where the suite is at hand beside the
//! workspace: the host's verdict is the suite's, and the form never contradicts it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use json_text::JsonText;
use schema_check::Check;
use schema_form::Form;

fn suite() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpora/json-schema-test-suite");
    if path.exists() {
        return Some(path);
    }
    eprintln!("NOT TESTED: the JSON Schema test suite is not beside the workspace");
    None
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
            // Documents in the words of other drafts are for the tests of those.
            let other = place.starts_with("draft") && !place.starts_with("draft2020-12/");
            (!other && !place.starts_with("v1/"))
                .then(|| (format!("http://localhost:1234/{place}"), read(file)))
        })
        .collect()
}

struct Case {
    name: String,
    schema: JsonText,
    data: JsonText,
    valid: bool,
}

/// The required tests; the folder `optional` is what the standard leaves open, and is printed as
/// left out.
fn cases(suite: &Path) -> Vec<Case> {
    let root = suite.join("tests/draft2020-12");
    let mut files = Vec::new();
    json_files(&root, &mut files);
    let optional = root.join("optional");
    let (left_out, files): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| file.starts_with(&optional));
    eprintln!("left out: the {} files of the folder `optional`", left_out.len());
    let mut cases = Vec::new();
    for file in files {
        let file_name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let groups: Vec<BTreeMap<String, JsonText>> = read(&file).decode().expect("groups");
        for group in &groups {
            let about: String = group["description"].decode().expect("text");
            let tests: Vec<BTreeMap<String, JsonText>> = group["tests"].decode().expect("tests");
            for test in tests {
                cases.push(Case {
                    name: format!("{file_name} / {about} / {}", test["description"]),
                    schema: group["schema"].clone(),
                    data: test["data"].clone(),
                    valid: test["valid"].as_str() == "true",
                });
            }
        }
    }
    cases
}

#[test]
fn the_hosts_verdict_is_the_suites() {
    let Some(suite) = suite() else { return };
    let remotes = remotes(&suite);
    let cases = cases(&suite);
    let mut differs = Vec::new();
    let mut checks: BTreeMap<String, Check> = BTreeMap::new();
    for case in &cases {
        let check = checks.entry(case.schema.as_str().to_owned()).or_insert_with(|| {
            Check::of(&case.schema)
                .or_else(|_| Check::with_documents(&case.schema, &remotes))
                .unwrap_or_else(|error| panic!("{}: {error}", case.name))
        });
        if check.complaints(&case.data).is_empty() != case.valid {
            differs.push(case.name.as_str());
        }
    }
    eprintln!("{} tests, {} differ", cases.len(), differs.len());
    assert!(cases.len() > 1_000, "only {} tests were found", cases.len());
    assert!(differs.is_empty(), "{}", differs.join("\n"));
}

/// What the suite calls valid is sent as it is, and comes back unchanged.
#[test]
fn the_form_never_contradicts_the_suite() {
    let Some(suite) = suite() else { return };
    let (mut valid, mut caught, mut invalid) = (0, 0, 0);
    let mut contradicted = Vec::new();
    for case in cases(&suite) {
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
        "{valid} valid values pass; {caught} of {invalid} invalid ones are told as one types"
    );
    assert!(contradicted.is_empty(), "{}\n{}", contradicted.len(), contradicted.join("\n"));
}
