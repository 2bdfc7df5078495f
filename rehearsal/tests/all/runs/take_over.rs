//! A person takes parts of a case over while it runs, and hands them back.

use api::{CaseUnderWay, RunDetail};

use super::*;
use crate::eval_people::{Host, Response};

/// The host of these runs of the triage agent, and people at it.
async fn watched(cases: &str) -> Option<(Host, TempDir, StoredRuns)> {
    let folder = suite(cases);
    let path = folder.path().join("triage.eval.yaml");
    std::fs::rename(folder.path().join("suite.yaml"), path).unwrap();
    watched_in(folder).await
}

/// The same for the suite in a folder.
async fn watched_in(folder: TempDir) -> Option<(Host, TempDir, StoredRuns)> {
    let python = test_needs::python()?;
    let store = folder.path().join("eval.sqlite");
    let runs = StoredRuns::new(store, folder.path().to_owned(), Some(python));
    let host = Host::start().await;
    runs.address().set(host.url()).unwrap();
    Some((host, folder, runs))
}

async fn started(runs: &StoredRuns) -> i64 {
    let of = RunOf::Suite("triage.eval.yaml".to_owned());
    let request = RunRequest { of, cases: RunCases::All, repeats: None, model: None };
    runs.start_run(request).await.unwrap()
}

/// The only case that runs.
async fn under_way(runs: &StoredRuns, run: i64) -> CaseUnderWay {
    loop {
        if let Some(case) = runs.read_run(run).await.unwrap().under_way.into_iter().next() {
            return case;
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn ended(runs: &StoredRuns, run: i64) -> RunDetail {
    loop {
        let detail = runs.read_run(run).await.unwrap();
        if !detail.summary.is_running {
            return detail;
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn take(runs: &StoredRuns, case: &CaseUnderWay, place: &str, is_taken: bool) {
    let case = runs.take_over(case.id.clone(), place.to_owned(), is_taken).await.unwrap();
    let now = case.places.iter().find(|it| it.place == place).unwrap();
    assert_eq!(now.is_taken, is_taken, "{place}");
}

/// Hands the agent's place back while its request waits, which is canceled then. Returns when another one waits.
async fn hand_back_agent(host: &mut Host, runs: &StoredRuns, case: &CaseUnderWay) {
    let waiting = host.waiting().await;
    take(runs, case, "agent", false).await;
    while host.waiting().await == waiting {
        tokio::time::sleep(LOOK).await;
    }
}

/// A user who is a person begins, so that the case waits.
const CASES: &str = r#"
  - name: chest pain
    tools: { read: { returns: { policy: nothing } } }
    user_agents: { loop: { person: "" } }
    model: { scripted: [Not one, Not two, From the script] }
    metrics:
      - event_count: { name: read, event: tool_result, filter: { result.policy: Call 999. }, is: 1 }
      - event_count: { name: says, event: message, filter: { text: From the script }, is: 1 }
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_acts_as_the_agent_and_a_tool_and_hands_them_back() {
    let Some((mut host, _folder, runs)) = watched(CASES).await else { return };
    let run = started(&runs).await;
    under_way(&runs, run).await;
    host.waiting().await;
    // With the tools that the agent has shown since.
    let case = under_way(&runs, run).await;
    assert!(case.session.starts_with(&format!("chest pain, run {run}.")), "{}", case.session);
    let places: Vec<&str> = case.places.iter().map(|it| it.place.as_str()).collect();
    assert_eq!(places[..2], ["agent", "user"]);
    assert!(places.contains(&"tool read"), "{places:?}");

    let so_far = runs.read_case_run(run, "chest pain".to_owned(), None, None).await.unwrap();
    assert!(so_far.under_way.is_some() && so_far.events.as_str().contains("yield"), "{so_far:?}");
    take(&runs, &case, "agent", true).await;
    take(&runs, &case, "tool read", true).await;

    host.respond(&Response::Text("My chest hurts")).await;
    let asked = host.respond(&Response::Call("read", r#"{"policy_id": "chest"}"#)).await;
    assert!(asked.contains("You triage patients.") && asked.contains("My chest hurts"), "{asked}");
    let asked = host
        .respond(&Response::Call("return_result", r#"{"result": {"policy": "Call 999."}}"#))
        .await;
    assert!(asked.contains("called the tool read"), "{asked}");
    host.respond(&Response::Text("Help is coming")).await;
    // The agent waits for the user, and then for the person who acts as it: until it is handed back.
    host.respond(&Response::Text("Are you sure?")).await;
    take(&runs, &case, "tool read", false).await;
    hand_back_agent(&mut host, &runs, &case).await;
    host.respond(&Response::Call("end_conversation", "{}")).await;

    let detail = ended(&runs, run).await;
    assert_eq!(detail.summary.counts.passed, 1, "{detail:?}");
    assert_eq!(detail.under_way, []);
    let result = runs.read_case_run(run, "chest pain".to_owned(), None, None).await.unwrap();
    assert!(result.under_way.is_none());
    let note = "a person took over for a while: the agent, tool read".to_owned();
    assert!(result.notes.contains(&note), "{:?}", result.notes);
    let events = result.events.as_str();
    assert!(events.contains(r#""type":"taken_over","place":"tool read""#), "{events}");
    assert!(events.contains(r#""type":"handed_back","place":"agent""#), "{events}");
    // What the person did can be forked as what a model did.
    assert!(result.steps.len() >= 6, "{:?}", result.steps);

    let gone = runs.take_over(case.id.clone(), "agent".to_owned(), true).await.unwrap_err();
    let gone = gone.to_string();
    assert!(
        gone.ends_with("is not running here: it has ended, or another program runs it."),
        "{gone}"
    );
    let unknown = runs.take_over(case.id, "model".to_owned(), true).await.unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "Model cannot be taken over; name `agent`, `user` or `tool NAME`."
    );
}

/// A person answers for a tool, so that the case waits before it would end.
const ENDS: &str = r#"
  - name: goes on
    first_message: Hi
    tools: { read: { person: {} } }
    model: { scripted: [{ calls: [{ tool: read, args: { policy_id: chest } }] }, Hello, Goodbye] }
    metrics:
      - event_count: { name: says, event: user_message, filter: { text: Wait }, is: 1 }
      - event_count: { name: goes on, event: message, filter: { text: Goodbye }, is: 1 }
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_goes_on_as_the_user_where_the_case_has_none() {
    let Some((mut host, _folder, runs)) = watched(ENDS).await else { return };
    let run = started(&runs).await;
    let case = under_way(&runs, run).await;
    host.waiting().await;
    take(&runs, &case, "user", true).await;
    host.respond(&Response::Call("return_result", r#"{"result": {"policy": "Call 999."}}"#)).await;
    let asked = host.respond(&Response::Text("Wait")).await;
    assert!(asked.contains("You are the user") && asked.contains("Hello"), "{asked}");
    host.respond(&Response::Call("end_conversation", "{}")).await;
    let detail = ended(&runs, run).await;
    assert_eq!(detail.summary.counts.passed, 1, "{detail:?}");
}

/// The desk has a model of its own, and its tools run.
const DESK: &str = r#"
subject: { adk: desk }
cases:
  - name: refund
    initial_state: { session: { language: en } }
    user_agents: { loop: { person: "" } }
    tools: { find_order: real, refund: real }
    metrics:
      - event_count: { name: looks another one up, event: tool_call, filter: { args.order: 8 }, is: 1 }
      - event_count: { name: refunds, event: tool_result, filter: { name: refund, from: mock }, is: 1 }
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_acts_for_an_agent_with_a_model_of_its_own_and_for_a_tool_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let desk = folder.path().join("desk");
    std::fs::create_dir(&desk).unwrap();
    std::fs::write(desk.join("__init__.py"), "from . import agent\n").unwrap();
    std::fs::write(desk.join("agent.py"), super::recorded::AGENT).unwrap();
    std::fs::write(folder.path().join("triage.eval.yaml"), DESK).unwrap();
    let Some((mut host, _folder, runs)) = watched_in(folder).await else { return };
    let run = started(&runs).await;
    let case = under_way(&runs, run).await;
    host.waiting().await;
    take(&runs, &case, "agent", true).await;
    take(&runs, &case, "tool refund", true).await;
    host.respond(&Response::Text("Refund my order 8")).await;
    host.respond(&Response::Call("find_order", r#"{"order": 8}"#)).await;
    // The tool has run, and the agent waits for the person again.
    hand_back_agent(&mut host, &runs, &case).await;
    // The agent's own model calls the tool that the person answers for.
    let refunded = r#"{"result": {"refunded": 4200}}"#;
    let asked = host.respond(&Response::Call("return_result", refunded)).await;
    assert!(asked.contains("called the tool refund") && asked.contains("\"cents\": 42"), "{asked}");
    let asked = host.respond(&Response::Call("end_conversation", "{}")).await;
    assert!(asked.contains("Refunded 4200 cents"), "{asked}");
    let detail = ended(&runs, run).await;
    assert_eq!(detail.summary.counts.passed, 1, "{detail:?}");
    assert_eq!(std::fs::read_to_string(desk.join("looked_up")).unwrap(), "found\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_acts_for_an_agent_with_mcp_servers() {
    let folder = tempfile::tempdir().unwrap();
    let tools = agents().join("library/tools.json").canonicalize().unwrap();
    let suite = format!(
        r#"
subject:
  mcp:
    servers: {{ library: {{ command: never-started }} }}
    instruction: Help.
    declarations: {}
cases:
  - name: asks
    user_agents: {{ loop: {{ person: "" }} }}
    model: {{ scripted: [Not one, From the script] }}
    metrics:
      - event_count: {{ name: person, event: message, filter: {{ text: From a person }}, is: 1 }}
      - event_count: {{ name: script, event: message, filter: {{ text: From the script }}, is: 1 }}
"#,
        tools.display()
    );
    std::fs::write(folder.path().join("triage.eval.yaml"), suite).unwrap();
    let Some((mut host, _folder, runs)) = watched_in(folder).await else { return };
    let run = started(&runs).await;
    let case = under_way(&runs, run).await;
    host.waiting().await;
    take(&runs, &case, "agent", true).await;
    host.respond(&Response::Text("Hi")).await;
    let asked = host.respond(&Response::Text("From a person")).await;
    assert!(asked.contains("Help.") && asked.contains("Hi"), "{asked}");
    let asked = host.respond(&Response::Text("And?")).await;
    assert!(asked.contains("You are the user") && asked.contains("From a person"), "{asked}");
    hand_back_agent(&mut host, &runs, &case).await;
    host.respond(&Response::Call("end_conversation", "{}")).await;
    let detail = ended(&runs, run).await;
    assert_eq!(detail.summary.counts.passed, 1, "{detail:?}");
}
