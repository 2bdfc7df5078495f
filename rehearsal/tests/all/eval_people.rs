//! `rehearsal eval` with people in place of tools, users and models, at a host of its own.

use std::fmt::Write as _;

use rpc::wire::part::Kind;
use rpc::wire::session_event::Payload;
use rpc::wire::{self, SimulatedLlmRequest};

use crate::evaluating::{suite, text};
use crate::live::stage::{Client, SOON, Stage, Watcher, person};

/// A host, and a person who responds to whatever waits.
pub(crate) struct Host {
    stage: Stage,
    client: Client,
}

/// What the person responds.
pub(crate) enum Response {
    Text(&'static str),
    Call(&'static str, &'static str),
}

impl Host {
    pub(crate) async fn start() -> Self {
        let stage = Stage::open().await;
        Self { client: stage.client().await, stage }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.stage.address())
    }

    /// The session and the id of the turn that waits.
    pub(crate) async fn waiting(&mut self) -> (String, String) {
        let until = tokio::time::Instant::now() + SOON;
        loop {
            assert!(tokio::time::Instant::now() < until, "nobody asked");
            let asked = wire::ListSessionsRequest::default();
            let sessions = self.client.list_sessions(asked).await.unwrap().into_inner().sessions;
            let up = sessions
                .into_iter()
                .find_map(|summary| Some((summary.session?.id, summary.queue?.up?.turn_id)));
            if let Some(up) = up {
                return up;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    /// Responds to the next request, and returns what it says.
    pub(crate) async fn respond(&mut self, response: &Response) -> String {
        let (session_id, turn_id) = self.waiting().await;
        let mut watcher = Watcher::open(&mut self.client, &session_id, 0).await;
        watcher.until(|it| it.history.is_some()).await;
        let request = watcher.events.iter().find_map(|event| match &event.payload {
            Some(Payload::Request(request)) if event.turn_id == turn_id => Some(shown(request)),
            _ => None,
        });
        let kind = match response {
            Response::Text(text) => Kind::Text((*text).to_owned()),
            Response::Call(name, args) => Kind::FunctionCall(wire::FunctionCall {
                id: None,
                name: (*name).to_owned(),
                args: Some((*args).to_owned()),
            }),
        };
        let parts = vec![wire::Part { kind: Some(kind) }];
        let candidate = wire::Content { role: wire::Role::Model.into(), parts };
        let decision = wire::SubmitDecisionRequest {
            session_id,
            turn_id,
            response: Some(wire::HumanResponse { candidates: vec![candidate] }),
            by: person("Ann"),
            lease_id: None,
        };
        self.client.submit_decision(decision).await.unwrap();
        request.expect("the request of the turn")
    }
}

/// The instruction and the texts of a request.
fn shown(request: &SimulatedLlmRequest) -> String {
    let mut shown = request.system_instruction.clone().unwrap_or_default();
    for part in request.contents.iter().flat_map(|content| &content.parts) {
        if let Some(Kind::Text(text)) = &part.kind {
            write!(shown, "\n{text}").unwrap();
        }
    }
    shown
}

/// A suite in which everything that can be asked of a person is.
const CASES: &str = r#"
  - name: asks people
    first_message: Hi
    tools: { read: { person: { instructions: "The policies are in the drawer." } } }
    user_agents:
      loop: { person: "Ada, 55, in pain" }
      tools: { ask: { person: "" } }
    model:
      scripted:
        - { calls: [{ tool: read, args: { policy_id: chest } }] }
        - { calls: [{ tool: ask, args: { question: "Where?" } }] }
        - Are you alone?
        - Goodbye
        - Are you there?
    metrics:
      - event_count: { name: returned, event: tool_result, filter: { result.policy: Call 999. }, is: 1 }
      - event_count: { name: answered, event: user_agent_response, is: 2 }
      - event_count: { name: said, event: user_message, filter: { text: "Yes, alone" }, is: 1 }
  - name: fails as a person says
    first_message: Hi
    tools: { read: { person: {} } }
    model: { scripted: [{ calls: [{ tool: read, args: { policy_id: missing } }] }] }
  - name: is a person
    first_message: Hello?
    model: person
    metrics:
      - event_count: { name: said, event: message, filter: { text: "I am a person" }, is: 1 }
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_answer_in_live_sessions() {
    let Some(python) = test_needs::python() else { return };
    let mut host = Host::start().await;
    let folder = suite(CASES);
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command
        .args(["eval", "suite.yaml", "--jobs", "1", "--python"])
        .arg(&python)
        .current_dir(folder.path())
        .env("REHEARSAL_SERVER_URL", host.url())
        .env_remove("REHEARSAL_TOKEN")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .kill_on_drop(true);
    let running = command.spawn().unwrap();
    let policy = r#"{"result": {"policy": "Call 999."}}"#;
    let asked = host.respond(&Response::Call("return_result", policy)).await;
    assert!(asked.contains("The policies are in the drawer."), "{asked}");
    assert!(asked.contains("read({"), "{asked}");
    let asked = host.respond(&Response::Text("In the chest")).await;
    assert!(asked.contains("Where?"), "{asked}");
    let asked = host.respond(&Response::Text(r#"{"answer": "In the chest"}"#)).await;
    assert!(asked.contains("The answer cannot be used: "), "{asked}");
    assert!(asked.contains("Call return_result, or write JSON."), "{asked}");
    let asked = host.respond(&Response::Text("Yes, alone")).await;
    assert!(asked.contains("Ada, 55, in pain") && asked.contains("Are you alone?"), "{asked}");
    host.respond(&Response::Call("end_conversation", "{}")).await;
    host.respond(&Response::Call("raise_error", r#"{"message": "no such policy"}"#)).await;
    let asked = host.respond(&Response::Text("I am a person")).await;
    assert!(asked.contains("You triage patients."), "{asked}");
    let output = running.wait_with_output().await.unwrap();
    let (report, progress) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{report}\n{progress}");
    assert!(
        report.contains(
            "error     fails as a person says\n          the tool read raised the error "
        ) && report.contains("handled it: no such policy\n"),
        "{report}"
    );
    assert!(report.contains("\n3 cases: 2 passed, 0 failed, 1 error, "), "{report}");
    let page = format!("waiting for a person; respond at {}/live\n", host.url());
    assert!(progress.contains(&page), "{progress}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_comes_too_late_is_given_to_no_later_run() {
    let Some(python) = test_needs::python() else { return };
    let mut host = Host::start().await;
    let folder = suite(
        r#"
  - name: asks
    user_agents: { loop: { person: "" } }
    model: { scripted: [Hello] }
    terminate_when: { max_duration_ms: 4000 }
    metrics: [{ event_count: { name: said, event: user_message, filter: { text: In time }, is: 1 } }]
"#,
    );
    let url = host.url();
    let run = || {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        command
            .args(["eval", "suite.yaml", "--python"])
            .arg(&python)
            .current_dir(folder.path())
            .env("REHEARSAL_SERVER_URL", &url)
            .env_remove("REHEARSAL_TOKEN")
            .kill_on_drop(true);
        command
    };
    let first = run().output().await.unwrap();
    assert!(text(&first.stdout).contains("1 terminated"), "{}", text(&first.stdout));
    assert_eq!(first.status.code(), Some(1));
    host.respond(&Response::Text("Too late")).await;
    let second =
        run().stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
    let second = second.unwrap();
    host.respond(&Response::Text("In time")).await;
    host.respond(&Response::Call("end_conversation", "{}")).await;
    let output = second.wait_with_output().await.unwrap();
    let (report, progress) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{report}\n{progress}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_is_the_judge_of_recorded_runs() {
    let mut host = Host::start().await;
    let folder = tempfile::tempdir().unwrap();
    let set = |response: &str| {
        let content = |role: &str, text: &str| serde_json::json!({ "role": role, "parts": [{ "text": text }] });
        let turn = serde_json::json!({
            "user_content": content("user", "How warm?"), "final_response": content("model", response),
        });
        let case = serde_json::json!({ "eval_id": "a", "conversation": [turn] });
        serde_json::json!({ "eval_set_id": "home", "eval_cases": [case] }).to_string()
    };
    let options = serde_json::json!({ "judge_model": "gpt-4o-mini", "num_samples": 1 });
    let criteria = serde_json::json!({ "criteria": {
        "final_response_match_v2": { "threshold": 1, "judge_model_options": options },
    }});
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("expected.json", &set("18 degrees"));
    write("actual.json", &set("It is 18 degrees warm."));
    write("test_config.json", &criteria.to_string());
    let score = |judge: &str| {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        command
            .args(["score", "--expected", "expected.json", "--actual", "actual.json", judge])
            .args(["--format", "json"])
            .current_dir(folder.path())
            .env("REHEARSAL_SERVER_URL", host.url())
            .env_remove("REHEARSAL_TOKEN")
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .kill_on_drop(true);
        command
    };
    let running = score("--judge=person").spawn().unwrap();
    let unknown = score("--judge=opnai/x").output().await.unwrap();
    let verdict = r#"{"reasoning": "The same.", "verdict": "yes"}"#;
    let asked = host.respond(&Response::Text(verdict)).await;
    assert!(asked.contains("It is 18 degrees warm."), "{asked}");
    let output = running.wait_with_output().await.unwrap();
    let (report, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{report}\n{errors}");
    assert!(
        report.contains(r#""model": "person""#) || report.contains(r#""model":"person""#),
        "{report}"
    );
    assert_eq!(unknown.status.code(), Some(2));
    let error = text(&unknown.stderr);
    assert!(
        error.contains("--judge: opnai/x does not name a service; did you mean openai?"),
        "{error}"
    );
}
