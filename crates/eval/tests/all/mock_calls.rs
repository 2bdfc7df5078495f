//! What mocks get of a call, and the changes of the state that they make.

use std::path::Path;

use eval::file::{ReadOptions, read, suite_of};
use eval::golden::Golden;
use eval::ledger::{Event, Role};
use eval::run_failure::AtFault;

use eval::{EvalResult, Status, run_eval};
use serde_json::{Value, json};

async fn run(name: &str) -> Option<EvalResult> {
    let python = test_needs::python()?;
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/cinema.eval.yaml");
    let cases = read(&suite, &ReadOptions { python: Some(python), ..ReadOptions::default() });
    let cases = cases.unwrap_or_else(|error| panic!("{error}"));
    Some(run_eval(cases.iter().find(|case| case.name == name).expect("the case")).await)
}

/// The results of a case that passes, and the changes of the state, in order.
async fn happened(name: &str) -> Option<Vec<Value>> {
    let result = run(name).await?;
    assert_eq!(result.status, Status::Passed, "{name}: {:?}", result.error);
    let events = result.events.iter().filter_map(|entry| match &entry.event {
        Event::ToolResult { result, .. } => Some(result.to_value().expect("a result")),
        Event::StateChange { changes, by } => {
            let by = if *by == Role::Mock { "mock" } else { "others" };
            Some(json!({ by: changes.to_value().expect("changes") }))
        }
        _ => None,
    });
    Some(events.collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mock_gets_what_the_tools_code_would_get() {
    for (case, wanted) in [
        ("undeclared", json!({ "row": "A", "seats": 3 })),
        ("default", json!({ "row": "A", "seats": 2 })),
        ("whole-number", json!({ "row": "A", "seats": 3 })),
        ("template", json!({ "row": "A", "seats": 2 })),
        ("model", json!({ "snack": "popcorn", "salted": true, "seats": 5 })),
        ("context-given", json!({ "said": "full", "tool": "announce" })),
        ("context-default", json!({ "said": "doors open", "tool": "announce" })),
    ] {
        let Some(happened) = happened(case).await else { return };
        assert_eq!(happened, [wanted], "{case}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_template_over_an_argument_that_the_tool_does_not_declare_is_the_mocks_fault() {
    let Some(result) = run("undeclared-template").await else { return };
    let error = result.error.expect("an error");
    assert_eq!(error.at_fault, AtFault::Mock, "{}", error.message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mock_reads_and_changes_the_state_of_the_session() {
    let Some(happened_first) = happened("state").await else { return };
    let (first, second) =
        (json!({ "tier": "silver", "rows": 1 }), json!({ "tier": "silver", "rows": 2 }));
    let wanted = json!([
        { "rows": 1 },
        { "mock": { "seats": ["A"], "customer": first } },
        { "rows": 2 },
        { "mock": { "seats": ["A", "B"], "customer": second } },
        { "seats": ["A", "B"], "customer": second },
    ]);
    assert_eq!(json!(happened_first), wanted);
    let failed = happened("state-and-error").await;
    let wanted = json!([
        { "error": "no such row" },
        { "mock": { "seats": ["Z"], "customer": first } },
        { "seats": ["Z"], "customer": first },
    ]);
    assert_eq!(json!(failed), wanted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mock_changes_the_state_by_scope() {
    let Some(happened_by_scope) = happened("by-scope").await else { return };
    let customer = json!({ "name": "Ada", "tier": "gold" });
    let changed = |row: &str| json!({ "mock": { "seats": [row], "customer": customer } });
    let wanted = json!([
        { "row": "A" }, changed("A"), { "row": "B" }, changed("B"),
        { "seats": ["B"], "customer": customer },
    ]);
    assert_eq!(json!(happened_by_scope), wanted);
    let declared = happened("declared").await;
    let wanted = json!([
        { "row": "A" },
        { "mock": { "seats": ["A"], "customer": { "name": "Ada", "guests": 2 } } },
        { "error": "sold out" },
        { "mock": { "customer": { "name": "Ada", "guests": 2, "refused": "B" } } },
        { "seats": ["A"], "customer": { "name": "Ada", "guests": 2, "refused": "B" } },
    ]);
    assert_eq!(json!(declared), wanted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_the_session_cannot_make_is_the_mocks_fault() {
    for (case, shown) in [
        ("lost", "it changes the scope custommer, which the case does not have"),
        ("removes", "a session keeps the keys of its state"),
    ] {
        let Some(result) = run(case).await else { return };
        let error = result.error.expect("an error");
        assert_eq!(error.at_fault, AtFault::Mock, "{}", error.message);
        assert!(error.message.contains(shown), "{}", error.message);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_are_called_at_the_same_time() {
    let called = |row: &str| json!({ "row": row, "tool": "reserve", "began": true });
    // Each of two calls waits for the other.
    for (case, wanted) in [
        ("at-once", json!([{ "row": "A" }, { "row": "B" }])),
        ("with-context", json!([called("A"), called("B")])),
        ("on-a-loop", json!([{ "said": "A" }, { "said": "B" }])),
        ("users", json!(["yes: Tool: ask", "yes: Tool: ask_friend"])),
    ] {
        let Some(happened) = happened(case).await else { return };
        // Users answer in any order.
        let mut results = happened;
        results.sort_by_key(Value::to_string);
        assert_eq!(json!(results), wanted, "{case}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mocks_that_are_called_together_change_the_state_in_the_order_of_the_calls() {
    let Some(happened) = happened("in-order").await else { return };
    let results = [json!({ "count": 1 }), json!({ "count": 2 }), json!({ "last": true })];
    assert_eq!(happened[..3], results, "{happened:?}");
    let changes: Vec<_> = happened.iter().filter_map(|it| it.get("mock")).collect();
    assert_eq!(changes, [&json!({ "count": 2, "rows": ["C", "D"] })]);
}

#[test]
fn changes_of_a_mock_are_checked_before_anything_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let suite = folder.path().join("suite.eval.yaml");
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/cinema");
    let error = |tools: &str| {
        let text = format!(
            "subject: {{ adk: {} }}\ncases:\n  - name: a\n    first_message: Hi\n    tools: {tools}\n",
            agent.display()
        );
        std::fs::write(&suite, text).expect("written");
        read(&suite, &ReadOptions::default()).err().expect("an error").to_string()
    };
    for (tools, shown) in [
        (
            "{ pay: { returns: 1, changes: { custmer: { a: 1 } } } }",
            "the case has no scope custmer",
        ),
        ("{ pay: { returns: 1, changes: { session: 1 } } }", "a scope is an object"),
        ("{ pay: { returns: 1, changes: { session: { a: \"{{ args\" } } } }", "pay.changes: "),
        ("{ pay: { sequence: [{ returns: 1, changes: { x: {} } }] } }", "pay.sequence[0].changes"),
    ] {
        let error = error(tools);
        assert!(error.contains(shown), "{tools}: {error}");
    }
}

/// A recorded turn of the cinema agent with these calls and what they returned.
fn turn(calls: &[(&str, Value, Value)]) -> Value {
    let calls = calls.iter().enumerate();
    let uses = calls
        .clone()
        .map(|(id, (name, args, _))| json!({ "id": id.to_string(), "name": name, "args": args }));
    let responses = calls.map(|(id, (name, _, response))| {
        json!({ "id": id.to_string(), "name": name, "response": response })
    });
    json!({
        "invocation_id": "i",
        "user_content": { "role": "user", "parts": [{ "text": "Hi" }] },
        "final_response": { "role": "model", "parts": [{ "text": "Done" }] },
        "intermediate_data": {
            "tool_uses": uses.collect::<Vec<_>>(),
            "tool_responses": responses.collect::<Vec<_>>(),
        },
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_made_from_a_recorded_case_passes_as_recorded() {
    let Some(python) = test_needs::python() else { return };
    let failed = |message: &str| json!({ "error": { "type": "OSError", "message": message } });
    let denied = json!({ "error": { "type": "ConfirmationDenied", "message": "no" } });
    let unknown = "Invoking `paay()` failed as no tool with that name is available.";
    let recorded = [
        ("paid", turn(&[("pay", json!({ "amount": 9 }), json!({ "result": 9.0 }))])),
        ("failed", turn(&[("pay", json!({ "amount": 9 }), json!({ "error": "no funds" }))])),
        ("failed-in-a-rehearsal", turn(&[("pay", json!({ "amount": 9 }), failed("no funds"))])),
        (
            "failed-at-times",
            turn(&[
                ("pay", json!({ "amount": 9 }), failed("no funds")),
                ("pay", json!({ "amount": 8, "tip": 1 }), json!({ "result": 8.0 })),
            ]),
        ),
        (
            "changed-by-a-callback",
            turn(&[
                ("pay", json!({ "amount": 9.6 }), json!({ "result": 10.0 })),
                ("pay", json!({ "amount": 8.4 }), json!({ "result": "eight" })),
            ]),
        ),
        ("denied", turn(&[("cancel", json!({ "row": "A" }), denied)])),
        ("made-up", turn(&[("paay", json!({ "amount": 9 }), json!({ "error": unknown }))])),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let set = folder.path().join("set.evalset.json");
    let cases = recorded.iter().map(|(id, turn)| json!({ "eval_id": id, "conversation": [turn] }));
    let text = json!({ "eval_set_id": "set", "eval_cases": cases.collect::<Vec<_>>() });
    std::fs::write(&set, text.to_string()).expect("written");
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/cinema");
    for (id, _) in &recorded {
        let golden = Golden::read(&set, Some(id)).expect("the case");
        let path = folder.path().join(format!("{id}.eval.yaml"));
        let suite = suite_of(&golden, &set, &agent).expect("a suite");
        std::fs::write(&path, &suite).expect("written");
        let options = ReadOptions { python: Some(python.clone()), ..ReadOptions::default() };
        let cases = read(&path, &options).unwrap_or_else(|error| panic!("{suite}{error}"));
        let mut case = cases.into_iter().next().expect("a case");
        case.model = Some(golden.session.model.clone());
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{suite}{:?}\n{:?}", result.error, result.events);
    }
}
