//! google-adk's scopes, whose keys are in the state with a prefix, and lists that are appended to.

use std::path::Path;

use eval::file::{ReadOptions, read, read_text};
use eval::ledger::Event;
use eval::model::Models;
use eval::result::TerminationReason;
use eval::run_failure::AtFault;
use eval::{EvalResult, run_eval};
use serde_json::{Value, json};

fn agents() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents")
}

async fn run(name: &str) -> Option<EvalResult> {
    let options = ReadOptions { python: Some(test_needs::python()?), ..ReadOptions::default() };
    let cases = read(&agents().join("club.eval.yaml"), &options);
    let cases = cases.unwrap_or_else(|error| panic!("{error}"));
    Some(run_eval(cases.iter().find(|case| case.name == name).expect("the case")).await)
}

/// The last result of a tool.
fn last(result: &EvalResult) -> Value {
    let mut results = result.events.iter().rev().filter_map(|entry| match &entry.event {
        Event::ToolResult { result, .. } => Some(result.to_value().expect("a result")),
        _ => None,
    });
    results.next().expect("a result")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scopes_are_what_instructions_and_tools_read() {
    for (case, card) in [
        ("read", json!({ "user:tier": "gold", "app:limit": 3, "guests": { "Ada": 1 } })),
        (
            "script",
            json!({ "user:tier": "silver", "user:visits": ["Monday", "Tuesday"], "app:limit": 4 }),
        ),
        ("mocks", json!({ "user:tier": "gold", "user:visits": ["Friday"], "app:limit": 4 })),
        ("declared", json!({ "user:tier": "gold", "user:visits": ["Monday", "Friday", "Sunday"] })),
    ] {
        let Some(result) = run(case).await else { return };
        result.assert_passed();
        assert_eq!(last(&result), card, "{case}");
    }
    let Some(result) = run("matches").await else { return };
    result.assert_passed();
    assert_eq!(result.termination_reason, Some(TerminationReason::StateMatches));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_a_list_is_not_appended_to() {
    let Some(result) = run("not-a-list").await else { return };
    let error = result.error.expect("an error");
    assert_eq!(error.at_fault, AtFault::Mock);
    let wanted = "the mock of visit failed: it appends to user:visits, which is 2 and not a list";
    assert_eq!(error.message, wanted);
}

fn faults(members: &str) -> String {
    let suite = format!(
        "subject: {{ adk: {} }}\ncases:\n- name: a\n  first_message: Hi\n  {members}\n",
        agents().join("club").display()
    );
    let read =
        read_text(&suite, Path::new("."), &ReadOptions::default(), &Models::of_environment());
    let faults = read.err().unwrap_or_default();
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_nobody_would_read_is_refused() {
    for (members, place, message) in [
        (
            "initial_state: { city: Rome }",
            "cases[0].initial_state.city: ",
            "a scope is an object, such as `{ age: 55 }`; for a key of the state itself, write `session: { city: \"Rome\" }`",
        ),
        (
            "initial_state: { temp: { step: 1 } }",
            "cases[0].initial_state.temp: ",
            "google-adk keeps the scope temp for one turn",
        ),
        (
            "metrics: [{ state: { name: a, scope: temp, key: step, is: 1 } }]",
            "cases[0].metrics[0].temp: ",
            "keeps the scope temp",
        ),
        (
            "terminate_when: { state_matches: { user: { $exists: true } } }",
            "cases[0].terminate_when.state_matches: ",
            "user is a scope; write conditions on its keys",
        ),
        (
            "terminate_when: { state_matches: { $or: [{ usr: { tier: gold } }] } }",
            "cases[0].terminate_when.state_matches: ",
            "did you mean user?",
        ),
        (
            "tools: { visit: { returns: 1, changes: { user: { visits: { $append: Friday } } } } }",
            "cases[0].tools.visit.changes: ",
            "user.visits appends \"Friday\", which is not a list; write `{ $append: [\"Friday\"] }`",
        ),
        (
            "user_agents: { loop: { script: [{ says: a, changes: { user: { visits: { $push: b } } } }] } }",
            "cases[0].user_agents.loop.script[0].changes: ",
            "user.visits has `$push`, and the only operator of changes is `$append`",
        ),
    ] {
        let faults = faults(members);
        assert!(faults.contains(place) && faults.contains(message), "{faults}");
    }
    let lasts = "tools: { visit: { returns: 1, changes: { temp: { visits: { $append: \"{{ args.days }}\" } } } } }";
    assert_eq!(faults(lasts), "");
}
