//! What `rehearsal eval init` writes for recorded cases, passes when the model responds as recorded.

use std::path::{Path, PathBuf};
use std::process::Command;

use eval::file::{ReadOptions, read, suite_of};
use eval::golden::Golden;
use eval::{EvalCase, Status, run_eval};
use serde_json::{Value, json};

/// How many cases google-adk records.
const SEEDS: usize = 60;

/// Seeds of cases in which the user answers a request after the model has responded to what its tool gave meanwhile.
const ANSWERED_LATER: &str = "1002 1003 2124 2125";

fn agents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents")
}

/// The cases of google-adk's recorder with these seeds: FIRST END, and further pairs of these.
pub(crate) fn recorded(python: &Path, seeds: &str) -> Vec<Value> {
    runs(python, seeds, "eval_cases", None)
}

/// What google-adk records of runs with these seeds: `eval_cases` or `sessions`, and conformance tests in a folder.
pub(crate) fn runs(
    python: &Path,
    seeds: &str,
    form: &str,
    conformance: Option<&Path>,
) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/record_cases.py");
    let recorded = Command::new(python)
        .arg(script)
        .arg(agents())
        .args(seeds.split(' '))
        .envs(conformance.map(|folder| ("CONFORMANCE", folder)))
        .output();
    let recorded = recorded.expect("Python starts");
    assert!(recorded.status.success(), "{}", String::from_utf8_lossy(&recorded.stderr));
    let mut set: Value = serde_json::from_slice(&recorded.stdout).expect("an eval set");
    let Value::Array(runs) = set[form].take() else { panic!("no {form}") };
    runs
}

/// The suites of these cases of the agent `clerk`, whose models respond as recorded.
pub(crate) fn replayed(cases: &[Value], python: &Path) -> Vec<EvalCase> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("clerk.evalset.json");
    let set = json!({ "eval_set_id": "clerk", "eval_cases": cases });
    std::fs::write(&path, set.to_string()).expect("written");
    let mut suite = json!({ "subject": { "adk": agents().join("clerk") }, "cases": [] });
    for case in cases {
        let golden = Golden::read(&path, case["eval_id"].as_str()).expect("a case");
        let made = suite_of(&golden, &path, Path::new("clerk")).expect("a suite");
        let mut made: Value = serde_saphyr::from_str(&made).expect("YAML");
        made["cases"][0]["model"] = json!("replay");
        suite["cases"].as_array_mut().expect("cases").push(made["cases"][0].take());
    }
    let path = folder.path().join("clerk.eval.yaml");
    std::fs::write(&path, suite.to_string()).expect("written");
    let options = ReadOptions { python: Some(python.to_owned()), ..ReadOptions::default() };
    read(&path, &options).expect("a suite")
}

/// The first failure of the suites of these cases of the agent `clerk`; `None` if all pass.
async fn first_failure(cases: &[Value], python: &Path) -> Option<String> {
    for (case, made) in replayed(cases, python).iter().zip(cases) {
        let result = run_eval(case).await;
        if result.status != Status::Passed {
            let failed: Vec<_> = result.metrics.iter().collect();
            return Some(format!("{made:#}\n{:?}\n{failed:#?}", result.error));
        }
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suites_of_cases_that_google_adk_records_pass() {
    let Some(python) = test_needs::python() else { return };
    let seeds = std::env::var("REHEARSAL_TEST_SEEDS")
        .unwrap_or_else(|_| format!("0 {SEEDS} {ANSWERED_LATER}"));
    let cases = recorded(&python, &seeds);
    assert!(cases.len() >= SEEDS, "{} cases", cases.len());
    assert_eq!(first_failure(&cases, &python).await, None);
}

/// A call with its result as the export of a rehearsal has it, and whether a person confirmed it.
fn outcomes() -> [(&'static str, Value, Value, bool); 13] {
    let failed = |kind: &str| json!({ "error": { "type": kind, "message": "It failed." } });
    [
        ("measure", json!({ "site": "hall" }), json!({ "result": 4.0 }), false),
        ("measure", json!({ "site": "cellar" }), failed("ConnectionError"), false),
        (
            "find",
            json!({ "city": "Rome" }),
            json!({ "result": { "city": "Rome", "limit": 3 } }),
            false,
        ),
        ("note", json!({ "text": "a" }), json!({ "result": null }), false),
        ("names", json!({ "count": 1 }), json!({ "result": ["Ada"] }), false),
        ("wipe", json!({ "disk": "a" }), json!({ "result": { "wiped": "a" } }), true),
        ("wipe", json!({ "disk": "a" }), failed("ConfirmationDenied"), false),
        ("refund", json!({ "euros": 5 }), json!({ "result": { "refunded": 5 } }), false),
        ("refund", json!({ "euros": 20 }), json!({ "result": { "refunded": 20 } }), true),
        ("refund", json!({ "euros": 20 }), failed("ConfirmationDenied"), false),
        ("unlock", json!({ "door": "gate" }), json!({ "result": "unlocked gate" }), true),
        ("order", json!({ "item": "lamp" }), json!({ "result": { "status": "approved" } }), false),
        ("ask", json!({ "question": "Who?" }), json!({ "result": "Ada" }), false),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suites_of_cases_of_rehearsals_pass() {
    let Some(python) = test_needs::python() else { return };
    let mut cases = Vec::new();
    for first in outcomes() {
        for second in outcomes() {
            let calls = [("1", &first), ("2", &second)];
            let confirmed = calls.iter().filter(|(_, it)| it.3).map(|(id, _)| *id);
            let data = json!({
                "tool_uses": calls.map(|(id, it)| json!({ "id": id, "name": it.0, "args": it.1 })),
                "tool_responses":
                    calls.map(|(id, it)| json!({ "id": id, "name": it.0, "response": it.2 })),
            });
            cases.push(json!({
                "eval_id": format!("case-{}", cases.len()),
                "conversation": [{
                    "user_content": { "role": "user", "parts": [{ "text": "Go on." }] },
                    "final_response": { "role": "model", "parts": [{ "text": "Done." }] },
                    "intermediate_data": data,
                }],
                "rehearsal": { "confirmed": confirmed.collect::<Vec<_>>() },
            }));
        }
    }
    assert_eq!(first_failure(&cases, &python).await, None);
}
