//! Recorded cases as sources of forks: sessions of `adk web`, cases of eval sets, rehearsals.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use api::host::RunHost as _;
use api::{
    ActRequest, ActedTools, CaseRunId, ForkRequest, RecordedKind, RecordedRequest, RunCases, RunOf,
    RunRequest,
};
use json_text::JsonText;
use rehearsal::config::{AgentConfig, AgentSourceConfig};
use rehearsal::runs::StoredRuns;
use serde_json::{Value, json};
use session::AgentId;
use tempfile::TempDir;

use super::ended;

/// A desk that refunds 42 cents of 42 euros. Its model is a rule; looking an order up leaves a line in a file.
pub(super) const AGENT: &str = r#"
import pathlib

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.tools import ToolContext
from google.genai import types


def find_order(order: int) -> dict:
    """Finds an order."""
    with open(pathlib.Path(__file__).with_name("looked_up"), "a") as file:
        file.write("found\n")
    return {"order": order, "cents": 4200}


def refund(order: int, cents: int, tool_context: ToolContext) -> dict:
    """Refunds an order."""
    tool_context.state["refunded"] = cents
    return {"refunded": cents, "language": tool_context.state.get("language")}


class Rule(BaseLlm):
    model: str = "rule"

    async def generate_content_async(self, llm_request, stream=False):
        last = llm_request.contents[-1].parts[-1].function_response
        call = lambda name, args: types.Part(function_call=types.FunctionCall(name=name, args=args))
        if last is None:
            part = call("find_order", {"order": 7})
        elif last.name == "find_order":
            part = call("refund", {"order": 7, "cents": 42})
        else:
            part = types.Part(text=f"Refunded {last.response['refunded']} cents")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


root_agent = LlmAgent(name="desk", model=Rule(), tools=[find_order, refund])
"#;

/// Has google-adk run the agent, in sessions that it keeps where `adk web` does. The last one begins with what the agent says,
/// as no session of a person does.
const SESSIONS: &str = r#"
import asyncio, sys

from google.adk.cli.utils.local_storage import create_local_database_session_service
from google.adk.events import Event
from google.adk.runners import Runner
from google.genai import types

import desk.agent


async def main():
    sessions = create_local_database_session_service(base_dir="desk")
    runner = Runner(app_name="desk", agent=desk.agent.root_agent, session_service=sessions)
    said = types.Content(role="user", parts=[types.Part(text="Refund my order 7")])
    state = {"language": "en", "user:tier": "gold"}
    for name in ["wrong-amount", "another"]:
        await sessions.create_session(app_name="desk", user_id="user", session_id=name, state=state)
        async for _ in runner.run_async(user_id="user", session_id=name, new_message=said):
            pass
    broken = await sessions.create_session(app_name="desk", user_id="user", session_id="broken")
    text = types.Content(role="model", parts=[types.Part(text="Hello")])
    await sessions.append_event(broken, Event(author="desk", invocation_id="one", content=text))


asyncio.run(main())
"#;

struct Desk {
    folder: TempDir,
    python: PathBuf,
}

impl Desk {
    /// The agent, with sessions that it had.
    fn new() -> Option<Self> {
        let python = test_needs::python()?;
        let folder = tempfile::tempdir().unwrap();
        let desk = folder.path().join("desk");
        std::fs::create_dir(&desk).unwrap();
        std::fs::write(desk.join("__init__.py"), "from . import agent\n").unwrap();
        std::fs::write(desk.join("agent.py"), AGENT).unwrap();
        let mut command = Command::new(&python);
        let ran = command.args(["-c", SESSIONS]).current_dir(folder.path()).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let desk = Self { folder, python };
        assert_eq!(desk.looked_up(), 2, "google-adk has run the tool");
        Some(desk)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// How often the tool ran.
    fn looked_up(&self) -> usize {
        std::fs::read_to_string(self.path().join("desk/looked_up")).unwrap().lines().count()
    }

    fn fork(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        command.arg("fork").args(arguments).current_dir(self.path());
        let ended = command.env("REHEARSAL_PYTHON", &self.python).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (ended.status.code(), text(ended.stdout), text(ended.stderr))
    }

    fn runs(&self) -> StoredRuns {
        let store = self.path().join(".rehearsal/eval.sqlite");
        let folder = self.path().join("desk");
        let agent = AgentConfig {
            name: "Desk".to_owned(),
            eval_set_path: folder.join("desk_evals.evalset.json"),
            source: AgentSourceConfig::AdkPython { folder, python: None },
            user_id: "user".to_owned(),
            state: BTreeMap::new(),
            found_in: None,
        };
        StoredRuns::new(store, self.path().to_owned(), Some(self.python.clone()))
            .agents(vec![agent])
    }
}

const EDIT: &str =
    r#"{"response": {"calls": [{"tool": "refund", "args": {"order": 7, "cents": 4200}}]}}"#;
const DATABASE: &str = "desk/.adk/session.db";

#[test]
fn a_session_of_adk_web_is_forked_and_a_person_decides() {
    let Some(desk) = Desk::new() else { return };
    let (code, out, _) = desk.fork(&[DATABASE, "--case", "wrong-amount", "--format", "json"]);
    assert_eq!(code, Some(0));
    let steps: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(steps["run"], 1);
    let kinds: Vec<&str> =
        steps["steps"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["message", "response", "result", "response", "result", "response"]);
    let (code, out, said) = desk.fork(&[
        DATABASE,
        "--case",
        "wrong-amount",
        "--step",
        "4",
        "--edit",
        EDIT,
        "--times",
        "2",
        "--tool",
        "refund=sealed",
    ]);
    assert_eq!(code, Some(3), "{said}");
    assert!(out.ends_with("4 continuations wait for your verdict.\n"), "{out}");
    assert!(!said.contains("was given again"), "the store has the session already: {said}");
    let (_, out, _) = desk.fork(&["3", "--pass", "1,2", "--note", "the whole amount"]);
    assert_eq!(out, "2 continuations wait for your verdict.\n");
    let (_, out, _) = desk.fork(&["2", "--fail", "1,2"]);
    assert!(
        out.starts_with("Step 4 was the cause: with your call 2 of 2 pass, without it 0 of 2"),
        "{out}"
    );
    // More of them go on, and what was said stays.
    let (code, out, said) = desk.fork(&["3", "--resume", "--times", "3"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(out.contains("with the edit  2 of 2 pass"), "{out}");
    assert!(out.ends_with(" 2 continuations wait for your verdict.\n"), "{out}");
    assert_eq!(desk.looked_up(), 2, "no tool runs before the step");
}

/// What the desk should do, with a response that it never gives, as an eval set and as a suite whose case names it.
fn write_golden(desk: &Desk) {
    let call = |name: &str, args: Value| json!({ "id": name, "name": name, "args": args });
    let result =
        |name: &str, response: Value| json!({ "id": name, "name": name, "response": response });
    let text = |role: &str, text: &str| json!({ "role": role, "parts": [{ "text": text }] });
    let set = json!({
        "eval_set_id": "golden",
        "eval_cases": [{
            "eval_id": "whole",
            "conversation": [{
                "invocation_id": "one",
                "user_content": text("user", "Refund my order 7"),
                "final_response": text("model", "All your money is on its way to you"),
                "intermediate_data": {
                    "tool_uses": [
                        call("find_order", json!({ "order": 7 })),
                        call("refund", json!({ "order": 7, "cents": 4200 })),
                    ],
                    "tool_responses": [
                        result("find_order", json!({ "order": 7, "cents": 4200 })),
                        result("refund", json!({ "refunded": 4200 })),
                    ],
                },
            }],
        }],
    });
    std::fs::write(desk.path().join("desk/golden.evalset.json"), set.to_string()).unwrap();
    let suite = "
subject: { adk: desk }
cases:
  - name: refunds
    first_message: Refund my order 7
    golden: { eval_set: desk/golden.evalset.json }
    tools: { find_order: { recorded: {} }, refund: sealed }
";
    std::fs::write(desk.path().join("desk.eval.yaml"), suite).unwrap();
}

#[test]
fn without_metrics_the_golden_path_decides_from_the_step_on() {
    let Some(desk) = Desk::new() else { return };
    write_golden(&desk);
    let set = "desk/golden.evalset.json";
    let forked = |source: &str, more: &[&str]| {
        let step = ["--step", "4", "--times", "1", "--tool", "refund=sealed"];
        let arguments = [&[source], &step[..], more].concat();
        let (code, out, said) = desk.fork(&[&arguments[..], &["--format", "json"]].concat());
        let outcome: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{said}"));
        (code, outcome)
    };
    // The agent refunds 42 cents again, and with the move the whole amount.
    let (code, outcome) = forked(set, &["--edit", EDIT]);
    assert_eq!(outcome["decided_by"], json!(["golden_path"]), "{outcome}");
    let passed =
        |outcome: &Value| (outcome["with"]["passed"].clone(), outcome["without"]["passed"].clone());
    assert_eq!((code, passed(&outcome)), (Some(0), (1.into(), 0.into())), "{outcome}");
    let (_, out, _) = desk.fork(&[set, "--step", "6", "--times", "1", "--tool", "refund=sealed"]);
    assert!(
        out.contains("\n  decided by     the calls of the golden path from step 6 on\n"),
        "{out}"
    );
    assert!(out.contains("  continuations  1 of 1 pass "), "{out}");

    let criteria = json!({ "criteria": { "response_match_score": 0.8 } });
    std::fs::write(desk.path().join("criteria.json"), criteria.to_string()).unwrap();
    let (code, outcome) = forked(set, &["--edit", EDIT, "--config", "criteria.json"]);
    assert_eq!(outcome["decided_by"], json!(["response_match_score"]));
    assert_eq!((code, passed(&outcome)), (Some(1), (0.into(), 0.into())), "{outcome}");
    let (code, outcome) = forked(set, &["--by-person"]);
    assert_eq!((code, &outcome["decided_by"]), (Some(3), &json!(["verdict"])));

    // A run of a case that names the path.
    let mut eval = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    eval.args(["eval", "desk.eval.yaml"]).current_dir(desk.path());
    let ran = eval.env("REHEARSAL_PYTHON", &desk.python).output().unwrap();
    assert_eq!(
        ran.status.code(),
        Some(0),
        "nothing is measured: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let runs = desk.fork(&["last"]).1;
    assert!(runs.contains("refunds, repeat 1 of run "), "{runs}");
    let (code, outcome) = forked("last", &["--edit", EDIT]);
    assert_eq!(outcome["decided_by"], json!(["golden_path"]));
    assert_eq!((code, passed(&outcome)), (Some(0), (1.into(), 0.into())), "{outcome}");
    assert_eq!(desk.looked_up(), 2, "no tool runs unless it is chosen");
}

#[test]
fn what_cannot_be_forked_is_named() {
    let Some(desk) = Desk::new() else { return };
    let refused = |arguments: &[&str]| {
        let (code, out, said) = desk.fork(arguments);
        assert_eq!((code, &*out), (Some(2), ""), "{arguments:?}: {said}");
        said
    };
    let said = refused(&[DATABASE, "--case", "broken"]);
    assert!(said.contains("broken: events[0]: desk begins the session"), "{said}");
    let said = refused(&[DATABASE, "--case", "gone"]);
    assert!(said.contains("has no such case in which something was sent"), "{said}");
    let said = refused(&["desk/agent.py"]);
    assert!(said.contains("desk/agent.py has no recorded cases; run a suite"), "{said}");
    let said = refused(&["nothing.json"]);
    assert!(said.contains("expected the number of a run, last, or a file"), "{said}");
    let said = refused(&[DATABASE, "--case", "another", "--step", "9"]);
    assert!(said.contains("the run has no step 9; it has the steps 1 to 6"), "{said}");
    let at_4 = [DATABASE, "--case", "another", "--step", "4", "--times", "1"];
    let said = refused(&[&at_4[..], &["--tool", "refnd=real"]].concat());
    assert!(said.contains("did you mean refund?"), "{said}");
    let said = refused(&[&at_4[..], &["--tool", "refund=open"]].concat());
    assert!(said.contains("choose real, sealed, recorded, refused or simulated:MODEL"), "{said}");
    let said = refused(&[&at_4[..], &["--tool", "refund=simulated:gemini-2.5-flash"]].concat());
    assert!(said.contains("the tool refund: "), "{said}");
    let said = refused(&["1", "--pass", "1"]);
    assert!(said.contains("run 1 has no repeat 1 of another that waits for the verdict"), "{said}");
    // The store of runs is a database too.
    let said = refused(&[".rehearsal/eval.sqlite", "--agent", "desk"]);
    assert!(said.contains("not one in which `adk web` keeps sessions"), "{said}");
    assert_eq!(desk.looked_up(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_forks_sessions_and_cases() {
    let Some(desk) = Desk::new() else { return };
    let runs = desk.runs();
    let list = runs.list_adk_sessions().await.unwrap();
    assert_eq!(list.faults, [""; 0]);
    let sessions: Vec<_> = list
        .sessions
        .iter()
        .map(|it| (it.session.as_str(), it.events, it.message.as_str()))
        .collect();
    let said = "Refund my order 7";
    assert_eq!(sessions, [("broken", 1, "Hello"), ("another", 6, said), ("wrong-amount", 6, said)]);

    let agent = AgentId::from_display_name("Desk");
    let session = |session: &str| RecordedRequest::Session {
        agent: agent.clone(),
        session: session.to_owned(),
    };
    let id = runs.give_again(session("wrong-amount")).await.unwrap();
    assert_eq!(id, runs.give_again(session("wrong-amount")).await.unwrap(), "once");
    let given = runs.read_case_run(id.run, id.case.clone(), None, None).await.unwrap();
    assert_eq!((given.recorded, given.is_fork), (Some(RecordedKind::AdkSession), false));
    assert_eq!(given.tools, ["find_order", "refund"]);
    let events: Vec<Value> = serde_json::from_str(given.events.as_str()).unwrap();
    let state = &events[0]["state"];
    assert_eq!((&state["language"], &state["user:tier"]), (&"en".into(), &"gold".into()));
    let changes = events.iter().filter(|event| event["type"] == "state_change");
    let changes: Vec<&Value> = changes.map(|event| &event["changes"]["refunded"]).collect();
    assert_eq!(changes, [42]);

    // Run again, the case has the agent's own model, and the agent is known from the recording.
    let again = RunRequest {
        of: RunOf::Run(id.run),
        cases: RunCases::All,
        repeats: None,
        model: Some("replay".to_owned()),
    };
    let plan = runs.plan_run(again).await.unwrap();
    assert_eq!((plan.cases, plan.results), (1, 1));

    let request = |of: CaseRunId, by_person| ForkRequest {
        of,
        step: 4,
        edit: Some(JsonText::parse(EDIT).unwrap()),
        changes: None,
        then: None,
        times: 1,
        tools: vec![("refund".to_owned(), "sealed".to_owned())],
        by_person,
    };
    let begun = runs.start_fork(request(id, true)).await.unwrap();
    let fork = ended(&runs, &begun).await;
    assert_eq!(fork.sentence.as_deref(), Some("2 continuations wait for your verdict."));
    assert_eq!(fork.fork.tools, [("refund".to_owned(), "sealed".to_owned())]);
    let right = fork.with.results[0].clone();
    assert!(right.waits_for_verdict);
    runs.set_verdict(right.id.clone(), true, "the whole amount".to_owned()).await.unwrap();
    let fork = runs.read_fork(begun.with.run).await.unwrap();
    assert_eq!((fork.with.passed, fork.with.counted), (1, 1));
    assert_eq!(fork.with.results[0].metrics[0].evidence, ["the whole amount"]);

    // What was right becomes a case of the agent, which is given again in its turn. Its forks are measured by its criteria.
    let kept = runs.keep_result(right.id).await.unwrap();
    let set: Value = serde_json::from_slice(&std::fs::read(&kept.path).unwrap()).unwrap();
    let case = |text: &Value| RecordedRequest::Case {
        agent: agent.clone(),
        kind: RecordedKind::Case,
        text: JsonText::from_value(text),
    };
    let id = runs.give_again(case(&set["eval_cases"][0])).await.unwrap();
    let given = runs.read_case_run(id.run, id.case.clone(), None, None).await.unwrap();
    assert_eq!(given.summary.status.label(), "passed", "{given:?}");
    let wrong = ForkRequest { edit: None, ..request(id.clone(), false) };
    let fork = ended(&runs, &runs.start_fork(wrong).await.unwrap()).await;
    let sentence = fork.sentence.unwrap();
    assert!(sentence.starts_with("From step 4 on, 0 of 1 pass"), "{sentence}");
    std::fs::remove_file(&kept.path).unwrap();
    let begun = runs.start_fork(request(id, false)).await.unwrap();
    let fork = ended(&runs, &begun).await;
    let sentence = fork.sentence.unwrap();
    assert!(sentence.contains("with your call 1 of 1 pass, without it 0 of 1"), "{sentence}");

    let act = async |agent: &AgentId, message: &str| {
        let (agent, message) = (agent.clone(), message.to_owned());
        let request = ActRequest { agent, message, state: None, tools: ActedTools::Real };
        runs.act_through_runner(request).await.unwrap_err().to_string()
    };
    assert_eq!(act(&agent, " ").await, "Write the user's message first.");
    let nobody = AgentId::from_display_name("Nobody");
    assert_eq!(act(&nobody, "Hi").await, "This host serves no agent nobody; reload the page.");

    let refused = async |request| runs.give_again(request).await.unwrap_err().to_string();
    let unknown = RecordedRequest::Session { agent: nobody, session: "another".to_owned() };
    assert_eq!(refused(unknown).await, "This host serves no agent nobody; reload the page.");
    let error = refused(case(&serde_json::json!({ "eval_id": 5 }))).await;
    assert!(error.starts_with("The case cannot be read: "), "{error}");
    let error = refused(session("broken")).await;
    assert!(error.contains("desk begins the session"), "{error}");
    assert_eq!(desk.looked_up(), 2, "no tool runs unless it is chosen");
}
