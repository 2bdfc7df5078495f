//! With a real worker: needs a Python that has google-adk, named by `REHEARSAL_TEST_PYTHON`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use json_text::JsonText;
use session::{CallId, RecordedTurn, SessionId, ToolError, ToolName};
use test_needs::python;
use tokio_util::sync::CancellationToken;

use super::AdkPythonSource;
use crate::{
    AgentLog, AgentSource, CallProgress, CallReport, Reporter, SessionPast, SessionSeed,
    SourceEvent, ToolFailure, ToolInvocation,
};

fn workspace(inside: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(inside)
}

fn seed() -> SessionSeed {
    SessionSeed { user_id: "user".to_owned(), ..SessionSeed::default() }
}

struct Stage {
    source: Arc<AdkPythonSource>,
    log: Arc<AgentLog>,
}

impl Stage {
    async fn new(agent: &str) -> Option<Self> {
        let source = Arc::new(AdkPythonSource::new(workspace(agent), Some(python()?)));
        let log = Arc::new(AgentLog::default());
        source.load(&seed(), Arc::clone(&log)).await.expect("the agent loads");
        Some(Self { source, log })
    }

    async fn smart_home() -> Option<Self> {
        Self::new("examples/smart_home/smart_home").await
    }

    async fn hazards() -> Option<Self> {
        Self::new("tests/python/fixtures/hazards").await
    }

    async fn open(&self, name: &str, state: &str) -> SessionId {
        let session = SessionId::parse(name).expect("valid");
        let state = JsonText::parse(state).expect("valid").decode().expect("an object");
        let seed = SessionSeed { user_id: "user".to_owned(), state, ..SessionSeed::default() };
        self.source.open_session(&session, &seed).await.expect("opens");
        session
    }

    async fn call(&self, session: &SessionId, tool: &str, arguments: &str) -> CallReport {
        let call = invocation(session, tool, arguments);
        self.source.call_tool(call, CancellationToken::new()).await
    }

    /// Starts a call that runs beside others.
    fn start(
        &self,
        session: &SessionId,
        tool: &str,
        arguments: &str,
    ) -> (tokio::task::JoinHandle<CallReport>, CancellationToken) {
        let (source, cancel) = (Arc::clone(&self.source), CancellationToken::new());
        let call = invocation(session, tool, arguments);
        let token = cancel.clone();
        (tokio::spawn(async move { source.call_tool(call, token).await }), cancel)
    }
}

fn invocation(session: &SessionId, tool: &str, arguments: &str) -> ToolInvocation {
    ToolInvocation {
        session: session.clone(),
        call_id: CallId::parse(&uuid::Uuid::new_v4().to_string()).expect("valid"),
        tool: ToolName::parse(tool).expect("valid"),
        arguments: JsonText::parse(arguments).expect("valid"),
    }
}

fn returned(report: CallReport) -> String {
    match report.progress {
        CallProgress::Returned(result) => result.as_str().to_owned(),
        other => panic!("not returned: {other:?}"),
    }
}

fn failed(report: CallReport) -> ToolFailure {
    match report.progress {
        CallProgress::Failed(failure) => failure,
        other => panic!("not failed: {other:?}"),
    }
}

async fn pause(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}

#[tokio::test]
async fn rehearses_an_agent_up_to_a_transfer() {
    let Some(stage) = Stage::smart_home().await else { return };
    let session = stage.open("s", r#"{"owner": "Ada"}"#).await;
    let view = stage.source.begin_invocation(&session, "Warm the kitchen.").await.expect("begins");
    assert!(view.instruction.starts_with("You run the smart home of Ada."), "{}", view.instruction);
    assert_eq!(view.agent.model.as_deref(), Some("gemini-2.5-flash"));
    let report = stage.call(&session, "remember_preference", r#"{"name":"tea","value":"é"}"#).await;
    assert_eq!(
        report.state.as_ref().expect("a state").as_str(),
        r#"{"owner":"Ada","preferences":{"tea":"é"}}"#
    );
    assert!(report.view.is_some_and(|view| view.instruction.contains("'tea': 'é'")));
    let failure = failed(stage.call(&session, "open_garage", r#"{"code":9007199254740993}"#).await);
    assert_eq!(failure.error_type, "PermissionError");
    assert_eq!(failure.message, "The garage refused the code 9007199254740993.");
    assert!(failure.traceback.is_some_and(|text| text.contains("in open_garage")));
    let report =
        stage.call(&session, "transfer_to_agent", r#"{"agent_name":"garage_agent"}"#).await;
    assert_eq!(report.view.expect("changed").agent.name, "garage_agent");
    stage.source.shut_down().await;
}

#[tokio::test]
async fn each_view_lists_the_unchecked_parts_of_its_schemas() {
    let Some(stage) = Stage::new("tests/python/fixtures/half_checked").await else { return };
    let session = SessionId::parse("s").expect("valid");
    let seed = SessionSeed { user_id: "user".to_owned(), ..SessionSeed::default() };
    let opened = stage.source.open_session(&session, &seed).await;
    let begun = stage.source.begin_invocation(&session, r#"{"city":"Oslo"}"#).await;
    for view in [opened, begun] {
        let warnings = view.expect("a view").warnings;
        for expected in [
            "The agent's input schema: The schema at /properties/city is not checked",
            "The input schema of measure: The schema at /properties/place is not checked",
        ] {
            let times = warnings.iter().filter(|it| it.contains(expected)).count();
            assert_eq!(times, 1, "{expected}: {warnings:?}");
        }
    }
    stage.source.shut_down().await;
}

#[tokio::test]
async fn continues_calls_with_a_confirmation_or_a_result() {
    let Some(stage) = Stage::smart_home().await else { return };
    let session = stage.open("s", "{}").await;
    let call = invocation(&session, "pay_bill", r#"{"amount":500}"#);
    let call_id = call.call_id.clone();
    let token = CancellationToken::new;
    let asked = stage.source.call_tool(call, token()).await;
    let CallProgress::AsksConfirmation { hint, payload } = asked.progress else {
        panic!("{asked:?}");
    };
    assert_eq!(hint, "Pay 500.00 euros?");
    let report = stage.source.confirm(&session, &call_id, true, payload, token()).await;
    assert_eq!(returned(report), r#"{"status":"paid","amount":500}"#);

    let call = invocation(&session, "unlock_door", r#"{"door":"front"}"#);
    let call_id = call.call_id.clone();
    stage.source.call_tool(call, token()).await;
    let report = stage.source.confirm(&session, &call_id, false, None, token()).await;
    assert_eq!(failed(report).error_type, ToolError::CONFIRMATION_DENIED);

    let call = invocation(&session, "order_part", r#"{"part":"bolt"}"#);
    let call_id = call.call_id.clone();
    let first = stage.source.call_tool(call, token()).await;
    assert!(matches!(first.progress, CallProgress::AwaitsResult { first: Some(_) }), "{first:?}");
    let typed = JsonText::parse(r#"{"price": 1.10}"#).expect("valid");
    let report = stage.source.supply_result(&session, &call_id, typed, token()).await;
    assert_eq!(returned(report), r#"{"price": 1.10}"#);
    stage.source.shut_down().await;
}

#[tokio::test]
async fn canceling_a_blocking_tool_keeps_the_calls_of_other_sessions() {
    let Some(stage) = Stage::hazards().await else { return };
    let (mine, theirs) = (stage.open("mine", "{}").await, stage.open("theirs", "{}").await);
    let (other, _) = stage.start(&theirs, "sleeps", r#"{"seconds":2}"#);
    let (stuck, cancel) = stage.start(&mine, "sleeps", r#"{"seconds":60}"#);
    pause(300).await;
    cancel.cancel();
    assert_eq!(failed(stuck.await.expect("ran")).error_type, ToolError::CANCELLED);
    assert_eq!(returned(stage.call(&mine, "bare", "{}").await), "5");
    assert_eq!(returned(other.await.expect("ran")), r#""slept""#);
    stage.source.shut_down().await;
}

#[tokio::test]
async fn drains_a_worker_that_ignores_a_cancellation() {
    let Some(stage) = Stage::hazards().await else { return };
    let (mine, theirs) = (stage.open("mine", "{}").await, stage.open("theirs", "{}").await);
    stage.call(&mine, "writes_state", r#"{"key":"kept","value":"yes"}"#).await;
    let (other, _) = stage.start(&theirs, "sleeps", r#"{"seconds":5}"#);
    pause(200).await;
    let (stubborn, cancel) = stage.start(&mine, "ignores_cancel", r#"{"seconds":60}"#);
    pause(300).await;
    cancel.cancel();
    assert_eq!(failed(stubborn.await.expect("ran")).error_type, ToolError::CANCELLED);
    // A fresh worker, with the session's state.
    let report = stage.call(&mine, "bare", "{}").await;
    assert_eq!(report.state.as_ref().expect("a state").as_str(), r#"{"kept":"yes"}"#);
    assert_eq!(returned(report), "5");
    assert_eq!(returned(other.await.expect("ran")), r#""slept""#);
    stage.source.shut_down().await;
}

#[tokio::test]
async fn replaces_a_worker_with_a_blocked_event_loop() {
    let Some(stage) = Stage::hazards().await else { return };
    let session = stage.open("s", "{}").await;
    let (stuck, cancel) = stage.start(&session, "blocks_the_loop", r#"{"seconds":600}"#);
    pause(300).await;
    cancel.cancel();
    assert_eq!(failed(stuck.await.expect("ran")).error_type, ToolError::CANCELLED);
    assert_eq!(returned(stage.call(&session, "bare", "{}").await), "5");
    stage.source.shut_down().await;
}

#[tokio::test]
async fn a_session_continues_after_its_worker_dies() {
    let Some(stage) = Stage::hazards().await else { return };
    let events = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&events);
    stage.source.report_to(Reporter::new(move |event| {
        listener.lock().expect("not poisoned").push(event);
    }));
    let session = stage.open("s", r#"{"start":1}"#).await;
    stage.source.begin_invocation(&session, "Go.").await.expect("begins");
    stage.call(&session, "writes_state", r#"{"key":"a","value":"b"}"#).await;
    assert_eq!(returned(stage.call(&session, "notes", "{}").await), "0");
    stage.call(&session, "prints", r#"{"text":"last words"}"#).await;
    let failure = failed(stage.call(&session, "exit_now", r#"{"code":7}"#).await);
    assert_eq!(failure.error_type, ToolError::WORKER_EXITED);
    for part in ["hazards (process ", "exit status 7", "last words"] {
        assert!(failure.message.contains(part), "{part}: {}", failure.message);
    }
    let report = stage.call(&session, "notes", "{}").await;
    assert_eq!(report.state.as_ref().expect("a state").as_str(), r#"{"a":"b","start":1}"#);
    assert_eq!(returned(report), "1");
    let taken_up = SourceEvent::TakenUp { session: session.clone() };
    assert_eq!(*events.lock().expect("not poisoned"), [taken_up]);
    assert!(stage.log.lines().iter().any(|line| line.text == "last words"));
    stage.source.shut_down().await;
}

#[tokio::test]
async fn a_session_of_an_earlier_host_is_restored_and_outlives_its_worker() {
    let Some(stage) = Stage::hazards().await else { return };
    let session = SessionId::parse("s").expect("valid");
    let history = r#"[{"type":"user_query","content":"Go.","timestamp":"2025-12-23T14:30:00Z"}]"#;
    let history = JsonText::parse(history).expect("valid").decode().expect("a history");
    let state = JsonText::parse(r#"{"start":1,"a":"b"}"#).expect("valid");
    let past = SessionPast {
        turns: RecordedTurn::from_history(history).expect("valid"),
        state: state.decode().expect("an object"),
        active_agent: "hazards".to_owned(),
    };
    let restored = stage.source.restore_session(&session, &seed(), &past).await;
    let view = restored.expect("restores").expect("can be restored");
    assert_eq!(view.state.as_str(), r#"{"a":"b","start":1}"#);
    let failure = failed(stage.call(&session, "exit_now", r#"{"code":7}"#).await);
    assert_eq!(failure.error_type, ToolError::WORKER_EXITED);
    let report = stage.call(&session, "writes_state", r#"{"key":"c","value":"d"}"#).await;
    let state = report.state.as_ref().expect("a state").as_str();
    assert_eq!(state, r#"{"a":"b","start":1,"c":"d"}"#);

    let unknown = SessionPast { active_agent: "nobody".to_owned(), ..past };
    let other = SessionId::parse("t").expect("valid");
    let fault = stage.source.restore_session(&other, &seed(), &unknown).await.expect_err("unknown");
    assert!(fault.to_string().contains("no longer in the tree"), "{fault}");
    stage.source.shut_down().await;
}

#[tokio::test]
async fn an_agent_is_played_on_after_its_worker_dies() {
    let Some(stage) = Stage::new("tests/python/fixtures/agent_tools").await else { return };
    let source = &stage.source;
    let session = stage.open("s", "{}").await;
    source.begin_invocation(&session, "Go.").await.expect("begins");
    let call = invocation(&session, "researcher", r#"{"request":"Why?"}"#);
    let (call_id, token) = (call.call_id.clone(), CancellationToken::new);
    source.call_tool(call, token()).await;
    let report = source.act_as_agent(&session, &call_id, token()).await;
    assert_eq!(report.progress, CallProgress::Acting { rejected: None });
    assert_eq!(report.view.expect("the agent's view").agent.name, "researcher");
    returned(stage.call(&session, "look_up", r#"{"topic":"Mars"}"#).await);
    let nested = invocation(&session, "assistant", r#"{"request":"How?"}"#);
    let nested_id = nested.call_id.clone();
    source.call_tool(nested, token()).await;
    source.act_as_agent(&session, &nested_id, token()).await;
    let report = source.respond_as_agent(&session, &nested_id, "So.", token()).await;
    assert_eq!(returned(report), r#""So.""#);

    let failure = failed(stage.call(&session, "crash", "{}").await);
    assert_eq!(failure.error_type, ToolError::WORKER_EXITED);
    let report = stage.call(&session, "look_up", r#"{"topic":"Venus"}"#).await;
    assert_eq!(report.state.as_ref().expect("a state").as_str(), r#"{"topic":"Venus"}"#);
    returned(report);
    let report = source.respond_as_agent(&session, &call_id, "Because.", token()).await;
    let state = report.state.as_ref().expect("a state").as_str();
    assert_eq!(state, r#"{"topic":"Venus","research":"Because."}"#);
    assert_eq!(report.view.as_ref().expect("the caller's view").agent.name, "boss");
    assert_eq!(returned(report), r#""Because.""#);

    let call = invocation(&session, "rater", r#"{"request":"Good?"}"#);
    let call_id = call.call_id.clone();
    source.call_tool(call, token()).await;
    source.act_as_agent(&session, &call_id, token()).await;
    let report = source.stop_acting(&session, &call_id).await;
    assert_eq!(report.view.as_ref().expect("the caller's view").agent.name, "boss");
    assert_eq!(failed(report).error_type, ToolError::CANCELLED);
    source.shut_down().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_killed_worker_ends_processes_that_its_tools_started() {
    use rustix::process::{Pid, Signal, kill_process, test_kill_process};

    let Some(stage) = Stage::hazards().await else { return };
    let session = stage.open("s", "{}").await;
    let [worker, child] = started(&stage, &session, "starts_a_child").await;
    let daemon = started(&stage, &session, "starts_a_daemon").await[1];
    let (running, _) = stage.start(&session, "sleeps", r#"{"seconds":60}"#);
    pause(300).await;
    kill_process(worker, Signal::KILL).expect("killed");
    let failure = failed(running.await.expect("ran"));
    assert_eq!(failure.error_type, ToolError::WORKER_EXITED);
    assert!(failure.message.contains("SIGKILL"), "{}", failure.message);
    ends(child).await;
    if cfg!(target_os = "linux") {
        ends(daemon).await;
    }
    assert_eq!(returned(stage.call(&session, "bare", "{}").await), "5");
    // Nothing is left running when the host stops.
    let mut left = started(&stage, &session, "starts_a_child").await.to_vec();
    if cfg!(target_os = "linux") {
        left.extend(started(&stage, &session, "starts_a_daemon").await);
        left.extend(started(&stage, &session, "starts_a_stranger").await);
    }
    assert!(left.iter().all(|id| is_alive(*id)), "{left:?}");
    stage.source.shut_down().await;
    for id in left {
        ends(id).await;
    }

    async fn started(stage: &Stage, session: &SessionId, tool: &str) -> [Pid; 2] {
        let ids = returned(stage.call(session, tool, "{}").await);
        let ids: [i32; 2] = JsonText::parse(&ids).expect("valid").decode().expect("two numbers");
        ids.map(|id| Pid::from_raw(id).expect("an id"))
    }

    async fn ends(id: Pid) {
        let until = Instant::now() + Duration::from_secs(5);
        while is_alive(id) {
            assert!(Instant::now() < until, "{id:?} still runs");
            pause(20).await;
        }
    }

    /// A zombie has ended, but its parent has not waited for it.
    fn is_alive(id: Pid) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero()));
        match stat {
            Ok(stat) => !stat.contains(") Z "),
            Err(_) => !cfg!(target_os = "linux") && test_kill_process(id).is_ok(),
        }
    }
}

#[tokio::test]
async fn faults_have_the_traceback_and_loading_can_be_retried() {
    let Some(python) = python() else { return };
    let log = || Arc::new(AgentLog::default());
    let load = |agent: &str| {
        let folder = workspace(&format!("tests/python/fixtures/{agent}"));
        AdkPythonSource::new(folder, Some(python.clone()))
    };
    let fault = load("import_error").load(&seed(), log()).await.expect_err("it cannot load");
    assert_eq!(fault.error_type.as_deref(), Some("ConnectionRefusedError"));
    assert!(fault.traceback.is_some_and(|text| text.contains("in connect")));

    let fault = load("toolset_down").load(&seed(), log()).await.expect_err("it cannot load");
    assert!(fault.reason.contains("WarehouseToolset"), "{}", fault.reason);

    let folder = tempfile::tempdir().expect("made");
    let agent = folder.path().join("repaired");
    std::fs::create_dir(&agent).expect("made");
    std::fs::write(agent.join("agent.py"), "import nothing_of_the_kind").expect("written");
    let source = AdkPythonSource::new(&agent, Some(python.clone()));
    let fault = source.load(&seed(), log()).await.expect_err("it cannot load");
    assert_eq!(fault.error_type.as_deref(), Some("ModuleNotFoundError"));
    let repaired = "from google.adk.agents import LlmAgent\n\
                  root_agent = LlmAgent(name='repaired', model='gemini-2.5-flash', description='Well.')\n";
    std::fs::write(agent.join("agent.py"), repaired).expect("written");
    let facts = source.load(&seed(), log()).await.expect("it loads");
    assert_eq!(facts.description, "Well.");
    assert!(facts.runtime.is_some_and(|runtime| runtime.contains("google-adk 2.")));
    source.shut_down().await;
}

#[tokio::test]
async fn a_session_stays_on_its_worker_when_the_agent_is_reloaded() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("made");
    let agent = folder.path().join("edited");
    std::fs::create_dir(&agent).expect("made");
    let write = |text: &str| {
        let code = format!(
            "import os\nfrom google.adk.agents import LlmAgent\n\
             def which() -> list:\n    return ['{text}', os.getpid()]\n\
             root_agent = LlmAgent(name='edited', model='m', instruction='{text}', tools=[which])\n"
        );
        std::fs::write(agent.join("agent.py"), code).expect("written");
    };
    write("first");
    let stage =
        Stage { source: Arc::new(AdkPythonSource::new(&agent, Some(python))), log: Arc::default() };
    stage.source.load(&seed(), Arc::clone(&stage.log)).await.expect("it loads");
    let before = stage.open("before", "{}").await;
    stage.source.begin_invocation(&before, "Go.").await.expect("begins");
    let which = async |session: &SessionId| -> (String, i32) {
        let text = returned(stage.call(session, "which", "{}").await);
        JsonText::parse(&text).expect("valid").decode().expect("a text and a number")
    };
    let (text, worker) = which(&before).await;
    assert_eq!(text, "first");

    write("second, longer");
    stage.source.load(&seed(), Arc::clone(&stage.log)).await.expect("it loads");
    let after = stage.open("after", "{}").await;
    assert_eq!(which(&before).await, ("first".to_owned(), worker));
    assert_eq!(which(&after).await.0, "second, longer");
    let view = stage.source.open_session(&before, &seed()).await.expect("it is open");
    assert!(view.instruction.contains("first"), "{}", view.instruction);

    // A reload that fails leaves it alone too.
    std::fs::write(agent.join("agent.py"), "import nothing_of_the_kind").expect("written");
    stage.source.load(&seed(), Arc::clone(&stage.log)).await.expect_err("it cannot load");
    assert_eq!(which(&before).await, ("first".to_owned(), worker));

    // The former worker ends with its last session.
    stage.source.close_session(&before).await;
    let until = Instant::now() + Duration::from_secs(10);
    while Path::new(&format!("/proc/{worker}")).exists() {
        assert!(Instant::now() < until, "the worker {worker} still runs");
        pause(20).await;
    }
    stage.source.shut_down().await;
}

#[tokio::test]
async fn loads_an_agent_with_the_initial_state_of_its_sessions() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("made");
    let agent = folder.path().join("tenants");
    std::fs::create_dir(&agent).expect("made");
    let code = "from google.adk.agents import LlmAgent\n\
                from google.adk.tools.base_toolset import BaseToolset\n\
                from google.adk.tools import FunctionTool\n\
                def rent() -> int:\n    return 1\n\
                class OfTenant(BaseToolset):\n\
                \x20   async def get_tools(self, readonly_context=None):\n\
                \x20       readonly_context.state['tenant']\n\
                \x20       return [FunctionTool(rent)]\n\
                \x20   async def close(self):\n        pass\n\
                root_agent = LlmAgent(name='tenants', model='gemini-2.5-flash', tools=[OfTenant()])\n";
    std::fs::write(agent.join("agent.py"), code).expect("written");
    let source = AdkPythonSource::new(&agent, Some(python));
    let fault = source.load(&seed(), Arc::default()).await.expect_err("no tenant");
    assert!(fault.reason.contains("tenant"), "{}", fault.reason);
    let state = JsonText::parse(r#"{"tenant":"t"}"#).expect("valid").decode().expect("an object");
    let with_tenant = SessionSeed { state, ..seed() };
    let facts = source.load(&with_tenant, Arc::default()).await.expect("it loads");
    assert_eq!(facts.tools, ["rent"]);
    source.shut_down().await;
}

#[tokio::test]
async fn a_file_beside_the_agent_seeds_new_sessions_as_in_adk_web() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("made");
    let agent = folder.path().join("desk");
    std::fs::create_dir(&agent).expect("made");
    let code = "from google.adk.agents import LlmAgent\n\
                root_agent = LlmAgent(name='desk', model='gemini-2.5-flash', \
                instruction='{city}, {user:tier}')\n";
    std::fs::write(agent.join("agent.py"), code).expect("written");
    let file = agent.join("initial_state.json");
    std::fs::write(&file, r#"{"city":"Oslo","user:tier":"gold"}"#).expect("written");
    let stage =
        Stage { source: Arc::new(AdkPythonSource::new(&agent, Some(python))), log: Arc::default() };
    stage.source.load(&seed(), Arc::clone(&stage.log)).await.expect("it loads");
    let instruction = async |session: &SessionId| {
        let view = stage.source.open_session(session, &seed()).await.expect("it is open");
        view.instruction
    };
    let seeded = stage.open("seeded", "{}").await;
    assert!(instruction(&seeded).await.contains("Oslo, gold"));
    let configured = stage.open("configured", r#"{"city":"Lisbon"}"#).await;
    assert!(instruction(&configured).await.contains("Lisbon, gold"));

    // An edit holds for the next session.
    std::fs::write(&file, r#"{"city":"Bergen","user:tier":"gold"}"#).expect("written");
    let edited = stage.open("edited", "{}").await;
    assert!(instruction(&edited).await.contains("Bergen, gold"));

    // A broken file is named, and open sessions go on.
    std::fs::write(&file, "{").expect("written");
    let session = SessionId::parse("broken").expect("valid");
    let error = stage.source.open_session(&session, &seed()).await.expect_err("it is broken");
    assert!(error.to_string().contains("initial_state.json is not JSON"), "{error}");
    let error = stage.source.load(&seed(), Arc::default()).await.expect_err("it is broken");
    assert!(error.reason.contains("initial_state.json is not JSON"), "{}", error.reason);
    assert!(instruction(&seeded).await.contains("Oslo, gold"));
    let state = JsonText::parse(r#"{"city":"Rome","user:tier":"none"}"#).expect("valid");
    let state = state.decode().expect("an object");
    let entered = SessionSeed { state, is_whole: true, ..seed() };
    let view = stage.source.open_session(&session, &entered).await.expect("it does not need it");
    assert!(view.instruction.contains("Rome, none"), "{}", view.instruction);
    stage.source.shut_down().await;
}

#[tokio::test]
async fn distinguishes_a_broken_agent_from_an_exception_of_a_tool() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("made");
    let agent = folder.path().join("fragile");
    std::fs::create_dir(&agent).expect("made");
    let code = "import os\nfrom google.adk.agents import LlmAgent\n\
                def leave():\n    os._exit(3)\n\
                root_agent = LlmAgent(name='fragile', model='gemini-2.5-flash', tools=[leave])\n";
    std::fs::write(agent.join("agent.py"), code).expect("written");
    let stage =
        Stage { source: Arc::new(AdkPythonSource::new(&agent, Some(python))), log: Arc::default() };
    stage.source.load(&seed(), Arc::clone(&stage.log)).await.expect("it loads");
    let session = stage.open("broken-meanwhile", "{}").await;
    std::fs::write(agent.join("agent.py"), "import nothing_of_the_kind").expect("written");
    let CallProgress::Failed(left) = stage.call(&session, "leave", "{}").await.progress else {
        panic!("the worker ends")
    };
    assert_eq!(left.error_type, ToolError::WORKER_EXITED);
    let report = stage.call(&session, "leave", "{}").await;
    let fault = report.fault.clone().expect("the agent is at fault");
    assert_eq!(fault.error_type.as_deref(), Some("ModuleNotFoundError"));
    let failure = failed(report);
    assert_eq!(failure.error_type, ToolError::WORKER_EXITED);
    assert!(failure.message.contains("ModuleNotFoundError"), "{}", failure.message);
    assert!(failure.message.contains("Fix the agent"), "{}", failure.message);
    stage.source.shut_down().await;
}

#[tokio::test]
async fn sends_the_final_response_to_the_agent_once() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("made");
    let agent = folder.path().join("ending");
    std::fs::create_dir(&agent).expect("made");
    let code = "from google.adk.agents import LlmAgent\n\
                def ended(callback_context):\n    \
                    callback_context.state['ends'] = callback_context.state.get('ends', 0) + 1\n\
                root_agent = LlmAgent(name='ending', model='gemini-2.5-flash', \
                output_key='answer', after_agent_callback=ended)\n";
    std::fs::write(agent.join("agent.py"), code).expect("written");
    let stage =
        Stage { source: Arc::new(AdkPythonSource::new(&agent, Some(python))), log: Arc::default() };
    stage.source.load(&seed(), Arc::clone(&stage.log)).await.expect("it loads");
    let session = stage.open("s", "{}").await;
    stage.source.begin_invocation(&session, "Go.").await.expect("begins");
    for _ in 0..2 {
        let view = stage.source.end_invocation(&session, "Done.").await.expect("ends");
        let state = view.expect("a view").state;
        assert_eq!(state.as_str(), r#"{"answer":"Done.","ends":1}"#);
    }
    stage.source.shut_down().await;
}

#[cfg(unix)]
#[tokio::test]
async fn distinguishes_an_agent_that_exits_from_a_program_that_is_not_python() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("made");
    let agent = folder.path().join("silent");
    std::fs::create_dir(&agent).expect("made");
    std::fs::write(agent.join("agent.py"), "import os\nos._exit(1)").expect("written");
    let log = Arc::new(AgentLog::default());
    let of = |program| AdkPythonSource::new(&agent, Some(program));
    let fault = of(python).load(&seed(), Arc::clone(&log)).await.expect_err("it ends");
    assert!(fault.reason.contains("exit status 1"), "{}", fault.reason);
    assert!(fault.reason.ends_with("and was importing the agent."), "{}", fault.reason);
    // Lines that the host adds are not output of the agent.
    assert_eq!(fault.traceback, None);
    let marks: Vec<_> = log.lines().into_iter().filter(|line| line.by_host).collect();
    assert!(matches!(&marks[..], [mark] if mark.text.contains("exit status 1")), "{marks:?}");
    let fault = of("false".into()).load(&seed(), Arc::default()).await.expect_err("it ends");
    assert!(fault.reason.contains("which must be Python 3.10 or newer"), "{}", fault.reason);
}

#[tokio::test]
async fn reports_a_missing_folder_before_the_interpreter() {
    let python = Some("no-such-python-anywhere".into());
    let source = AdkPythonSource::new("/no/such/agent", python);
    let fault = source.load(&seed(), Arc::default()).await.expect_err("it cannot load");
    assert!(fault.reason.starts_with("The folder /no/such/agent does not exist."), "{fault:?}");
}

#[tokio::test]
async fn reports_an_interpreter_that_cannot_start() {
    let fault = AdkPythonSource::new(
        workspace("examples/smart_home/smart_home"),
        Some("no-such-python-anywhere".into()),
    )
    .load(&seed(), Arc::new(AgentLog::default()))
    .await
    .expect_err("it cannot start");
    assert!(fault.reason.contains("no-such-python-anywhere"), "{}", fault.reason);
    assert!(fault.reason.contains("python = "), "{}", fault.reason);
}
