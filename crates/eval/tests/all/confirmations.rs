//! Tools whose own code asks for a confirmation, and mocks that ask in their place.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use eval::confirmation::ConfirmationRequest;
use eval::file::{ReadOptions, read};
use eval::mock::{MockContext, MockFailure, MockFunction};
use eval::python::Isolation;
use eval::{EvalSuite, JsonText, Status, ToolMock, ToolUse, check_cases, run_eval, run_eval_suite};
use serde_json::{Value, json};

use crate::played_by_models::says_in_turn;

/// What the tool `refund` of the agent does.
const MOCKS: &str = r#"
def refund(euros, context):
    if euros <= 10:
        return {"refunded": euros}
    confirmation = context.tool_confirmation
    if confirmation is None:
        context.request_confirmation(hint=f"How much of {euros} euros?", payload={"euros": 0})
        return {"status": "A manager looks at it."}
    if not confirmation.confirmed:
        return {"refused": euros}
    context.state["refunded"] = min(euros, (confirmation.payload or {}).get("euros", euros))
    return {"refunded": context.state["refunded"]}


def quote(share, context):
    context.actions.skip_summarization = True
    return {"share": share, "euros": 12}
"#;

/// A mock with which a refund of 20 euros does the same.
fn declared() -> Value {
    json!({ "table": {
        "rows": [{ "args": { "euros": { "$gt": 10 } }, "mock": {
            "returns": { "refunded": 20 },
            "changes": { "session": { "refunded": 20 } },
            "asks_confirmation": {
                "hint": "How much of 20 euros?",
                "payload": { "euros": 0 },
                "returns": { "status": "A manager looks at it." },
                "if_denied": { "returns": { "refused": 20 } },
            },
        } }],
        "otherwise": { "template": "{\"refunded\": {{ args.euros }}}" },
    } })
}

fn case(name: &str, tools: &Value, calls: &Value, answers: &Value, texts: usize) -> Value {
    let texts = (0..texts).map(|at| json!(format!("text {at}")));
    let model: Vec<_> = std::iter::once(json!({ "calls": calls })).chain(texts).collect();
    let users: serde_json::Map<_, _> = answers
        .as_object()
        .expect("users")
        .iter()
        .map(|(tool, said)| (tool.clone(), json!({ "script": said })))
        .collect();
    json!({
        "name": name,
        "first_message": "Go on.",
        "tools": tools,
        "model": { "scripted": model },
        "user_agents": { "tools": users },
    })
}

/// The events of each case, without what differs from run to run and by what answered.
async fn happened(cases: &[Value], isolation: Isolation) -> Option<Vec<Vec<Value>>> {
    let python = test_needs::python()?;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("mocks.py"), MOCKS).expect("written");
    let clerk = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/clerk");
    let suite = json!({ "subject": { "adk": clerk }, "cases": cases });
    let path = folder.path().join("clerk.eval.yaml");
    std::fs::write(&path, suite.to_string()).expect("written");
    let options = ReadOptions { python: Some(python), isolation, ..ReadOptions::default() };
    let cases = read(&path, &options).unwrap_or_else(|error| panic!("{error}"));
    let suite = EvalSuite { cases, jobs: 4, stop_on_first_failure: false };
    let result = run_eval_suite(&suite, |_| ()).await;
    let runs = result.results.iter().map(|result| {
        assert_eq!(result.status, Status::Passed, "{}: {:?}", result.name, result.error);
        // It has the ids of calls.
        let events = result.events.iter().filter(|it| it.event.name() != "user_agent_prompt");
        let events = events.map(|entry| {
            let event = serde_json::to_value(&entry.event).expect("serializes");
            json!([
                entry.event.name(),
                event["name"],
                event["result"],
                event["changes"],
                event["text"],
                event["args"]["toolConfirmation"],
                event["state"],
            ])
        });
        events.collect()
    });
    Some(runs.collect())
}

fn results(events: &[Value]) -> Vec<Value> {
    let results = events.iter().filter(|event| event[0] == "tool_result");
    results.map(|event| event[2].clone()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mock_asks_as_the_tools_own_code_does() {
    let confirmed = json!({ "confirmed": true });
    let denied = json!({ "confirmed": false });
    let part = json!({ "confirmed": true, "payload": { "euros": 5 } });
    let tools = |how: Value| json!({ "refund": how });
    let calls = |euros: u64| json!([{ "tool": "refund", "args": { "euros": euros } }]);
    let all = [("confirmed", &confirmed, 20), ("denied", &denied, 20), ("small", &confirmed, 5)];
    for isolation in [Isolation::Process, Isolation::Batch, Isolation::Shared] {
        let mut cases = Vec::new();
        for (name, answer, euros) in all {
            let (users, texts) = match euros {
                20 => (json!({ "refund": [{ "says": answer }] }), 2),
                _ => (json!({}), 1),
            };
            for how in [json!("sealed"), json!({ "function": "mocks.py:refund" }), declared()] {
                let name = format!("{name} {how}");
                cases.push(case(&name, &tools(how), &calls(euros), &users, texts));
            }
        }
        let of_payload = json!({ "refund": [{ "says": part }] });
        for how in [json!("sealed"), json!({ "function": "mocks.py:refund" })] {
            let name = format!("part {how}");
            cases.push(case(&name, &tools(how), &calls(20), &of_payload, 2));
        }
        let Some(happened) = happened(&cases, isolation).await else { return };
        // By who changed it: the tool or the mock.
        for run in happened[..9].chunks(3).chain(happened[9..].chunks(2)) {
            for mocked in &run[1..] {
                assert_eq!(run[0], *mocked, "{isolation:?}");
            }
        }
        let waits = json!({ "status": "A manager looks at it." });
        assert_eq!(results(&happened[0]), [waits.clone(), json!({ "refunded": 20 })]);
        assert_eq!(results(&happened[3]), [waits.clone(), json!({ "refused": 20 })]);
        assert_eq!(results(&happened[9]), [waits, json!({ "refunded": 5 })]);
        let asked = &happened[1].iter().find(|event| event[1] == "adk_request_confirmation");
        let asked = &asked.expect("it asks")[5];
        assert_eq!(
            (&asked["hint"], &asked["payload"]),
            (&json!("How much of 20 euros?"), &json!({ "euros": 0 }))
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_turn_ends_with_the_request_where_the_tool_skips_the_summary() {
    let asks = json!({ "hint": "Unlock the gate?", "skip_summarization": true });
    let mock = json!({ "returns": "unlocked gate", "asks_confirmation": asks });
    let calls = json!([{ "tool": "unlock", "args": { "door": "gate" } }]);
    let users = json!({ "unlock": [{ "says": { "confirmed": true } }] });
    let cases = ["sealed".into(), mock]
        .map(|how: Value| case(&how.to_string(), &json!({ "unlock": how }), &calls, &users, 1));
    let Some(happened) = happened(&cases, Isolation::Process).await else { return };
    assert_eq!(happened[0], happened[1]);
    let wanted = [json!({ "result": null }), json!({ "result": "unlocked gate" })];
    assert_eq!(results(&happened[1]), wanted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_turn_ends_with_a_result_where_the_tool_skips_the_summary() {
    let declared = json!({ "returns": { "share": "A", "euros": 12 }, "skip_summarization": true });
    let calls = json!([{ "tool": "quote", "args": { "share": "A" } }]);
    // The model has no response to the result.
    let mut cases = ["sealed".into(), json!({ "function": "mocks.py:quote" }), declared]
        .map(|how: Value| case(&how.to_string(), &json!({ "quote": how }), &calls, &json!({}), 0))
        .to_vec();
    let advice = json!([{ "tool": "adviser", "args": { "request": "What now?" } }]);
    let tools = json!({ "adviser": { "returns": "Wait." } });
    cases.push(case("of an agent that is a tool", &tools, &advice, &json!({}), 0));
    let Some(happened) = happened(&cases, Isolation::Process).await else { return };
    assert_eq!(results(&happened[0]), [json!({ "share": "A", "euros": 12 })]);
    assert_eq!(happened[0], happened[1]);
    assert_eq!(happened[0], happened[2]);
    assert_eq!(results(&happened[3]), [json!({ "result": "Wait." })]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_confirmed_call_is_one_call_of_a_sequence_and_google_adk_asks_for_its_own_tools() {
    let asks =
        |refunded: u64| json!({ "returns": { "refunded": refunded }, "asks_confirmation": {} });
    let tools = json!({
        "refund": { "sequence": [asks(1), asks(2)] },
        "wipe": { "returns": { "wiped": "a" }, "asks_confirmation": { "hint": "never said" } },
    });
    let refund = json!({ "tool": "refund", "args": { "euros": 20 } });
    let calls = json!([refund, refund, { "tool": "wipe", "args": { "disk": "a" } }]);
    let users = json!({
        "refund": [{ "says": { "confirmed": true } }, { "says": { "confirmed": false } }],
        "wipe": [{ "says": { "confirmed": true } }],
    });
    let cases = [case("it", &tools, &calls, &users, 1)];
    let Some(happened) = happened(&cases, Isolation::Process).await else { return };
    let wanted = [
        json!({ "result": null }),
        json!({ "result": null }),
        json!({ "error": "This tool call requires confirmation, please approve or reject." }),
        json!({ "refunded": 1 }),
        json!({ "error": "This tool call is rejected." }),
        json!({ "wiped": "a" }),
    ];
    assert_eq!(results(&happened[0]), wanted);
}

#[tokio::test]
async fn a_mock_that_asks_is_refused_where_no_tool_is_called_again() {
    let mock = ToolMock::Confirmed {
        request: ConfirmationRequest::default(),
        meanwhile: JsonText::null(),
        mock: Box::new(ToolMock::Returns(JsonText::null())),
        denied: None,
    };
    let table = ToolMock::Sequence(vec![mock]);
    let case = eval::EvalCase::new("it", says_in_turn(["Hi"])).first_message("Hi");
    let case = case.tool("pay", ToolUse::Mock(table));
    let (_, fault) = check_cases(std::iter::once(&case), 1).await.expect_err("refused");
    let wanted = "the mock of pay cannot ask for a confirmation: only agents of google-adk call a tool again when it is confirmed. Leave out `asks_confirmation`, and let the mock give the result of the confirmed call";
    assert_eq!(fault.to_string(), wanted);
}

/// A mock in Rust that asks.
struct Asks;

#[async_trait]
impl MockFunction for Asks {
    async fn answer(&self, _: &JsonText, context: &MockContext) -> Result<JsonText, MockFailure> {
        if let Some(confirmation) = &context.confirmation {
            return Ok(JsonText::from_value(&json!({ "confirmed": confirmation.confirmed })));
        }
        context.request_confirmation(ConfirmationRequest::default());
        Ok(JsonText::null())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mock_in_rust_asks() {
    use eval::given_model::{GivenModel, ModelTurn};
    use eval::python::AdkPythonSubject;
    use eval::user_agent::{ScriptedUser, UserAnswer};

    let Some(python) = test_needs::python() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/clerk");
    let args = JsonText::from_value(&json!({ "euros": 20 }));
    let turns = vec![ModelTurn::call("refund", args), ModelTurn::text("a"), ModelTurn::text("b")];
    let answer = UserAnswer::says(JsonText::from_value(&json!({ "confirmed": true })));
    let case = eval::EvalCase::new("it", Arc::new(AdkPythonSubject::new(&folder, Some(&python))))
        .first_message("Hi")
        .model(GivenModel::scripted(turns))
        .tool("refund", ToolUse::Mock(ToolMock::Function(Arc::new(Asks))))
        .user_for_tool("refund", Arc::new(ScriptedUser::new(vec![answer])));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let last = result.events.iter().rfind(|entry| entry.event.name() == "tool_result");
    let last = serde_json::to_value(&last.expect("a result").event).expect("serializes");
    assert_eq!(last["result"], json!({ "confirmed": true }));
}
