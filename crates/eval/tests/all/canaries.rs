//! An agent that tries to change something: nothing happens unless the case allows the tool.
//!
//! Each place at which an agent can have a tool is tried twice: without a mock, and with the tool allowed,
//! which shows that the canary would fire.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eval::given_model::{GivenModel, ModelTurn};
use eval::python::{AdkPythonSubject, Isolation};
use eval::{EvalCase, EvalResult, Status, ToolUse, run_eval};
use json_text::JsonText;
use serde_json::json;

/// What an effect would leave behind.
struct Canary {
    folder: tempfile::TempDir,
    listener: TcpListener,
}

impl Canary {
    fn new() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        listener.set_nonblocking(true).expect("a socket");
        Self { folder: tempfile::tempdir().expect("a folder"), listener }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("canary")
    }

    fn args(&self) -> JsonText {
        let port = self.listener.local_addr().expect("bound").port();
        JsonText::from_value(&json!({ "path": self.path(), "port": port }))
    }

    /// What was left behind, in order.
    fn effects(&self) -> Vec<&'static str> {
        let exists = |name: &str| self.folder.path().join(name).exists();
        let mut effects = Vec::new();
        effects.extend(exists("canary").then_some("file"));
        effects.extend(exists("canary.process").then_some("process"));
        effects.extend(exists("canary.thread").then_some("thread"));
        effects.extend(self.listener.accept().is_ok().then_some("network"));
        effects
    }
}

fn subject(name: &str, python: &Path) -> Arc<AdkPythonSubject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(name);
    Arc::new(AdkPythonSubject::new(&folder, Some(python)))
}

/// The agent whose tools try to change something, kept apart in every way that runs cases in other orders.
fn canaries(python: &Path) -> [Arc<AdkPythonSubject>; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/canary");
    [Isolation::Process, Isolation::Shared].map(|isolation| {
        Arc::new(AdkPythonSubject::new(&folder, Some(python)).isolation(isolation))
    })
}

fn says(text: &str) -> ModelTurn {
    ModelTurn::text(text)
}

/// The turns of a model that reach the tool at one place, and the tool's name.
fn places(args: &JsonText) -> Vec<(&'static str, &'static str, Vec<ModelTurn>)> {
    let touch = || ModelTurn::call("touch", args.clone());
    let request = || JsonText::from_value(&json!({ "request": "touch it" }));
    let below = JsonText::from_value(&json!({ "agent_name": "below" }));
    vec![
        ("the root's function", "touch", vec![touch(), says("done")]),
        (
            "a class of tools",
            "touch_class",
            vec![ModelTurn::call("touch_class", args.clone()), says("done")],
        ),
        (
            "a sub-agent",
            "touch",
            vec![ModelTurn::call("transfer_to_agent", below), touch(), says("done")],
        ),
        (
            "an agent that is a tool",
            "touch",
            vec![ModelTurn::call("helper", request()), touch(), says("inner"), says("done")],
        ),
        (
            "one that excludes plugins",
            "touch",
            vec![ModelTurn::call("shy", request()), touch(), says("inner"), says("done")],
        ),
    ]
}

async fn run(case: &EvalCase) -> EvalResult {
    run_eval(case).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_tool_runs_at_any_depth_unless_it_is_allowed() {
    let Some(python) = test_needs::python() else { return };
    let subjects = canaries(&python);
    for (place, tool, _) in places(&JsonText::null()) {
        for (subject, is_allowed) in subjects.iter().flat_map(|it| [(it, false), (it, true)]) {
            let canary = Canary::new();
            let turns = places(&canary.args()).into_iter().find(|it| it.0 == place);
            let (_, _, turns) = turns.expect("the place");
            let mut case = EvalCase::new(place, subject.clone())
                .first_message("Touch it")
                .model(GivenModel::scripted(turns));
            if is_allowed {
                case = case.tool(tool, ToolUse::Real);
            }
            let result = run(&case).await;
            if is_allowed {
                assert_eq!(result.status, Status::Passed, "{place}: {:?}", result.error);
                assert_eq!(canary.effects(), ["file", "process", "thread", "network"], "{place}");
            } else {
                assert_eq!(canary.effects(), [""; 0], "{place}");
                assert_eq!(result.status, Status::Error, "{place}");
                let message = result.error.expect("an error").message;
                let begin = format!("EvalToolError: the tool {tool} was called");
                assert!(message.starts_with(&begin), "{place}: {message}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_runner_within_an_allowed_tool_may_do_what_the_tool_may() {
    let Some(python) = test_needs::python() else { return };
    let subject = subject("canary", &python);
    let canary = Canary::new();
    let turns = vec![
        ModelTurn::call("nested", canary.args()),
        ModelTurn::call("touch", canary.args()),
        says("inner"),
        says("done"),
    ];
    let case = EvalCase::new("nested", subject)
        .first_message("Touch it")
        .model(GivenModel::scripted(turns));
    let refused = run(&case).await;
    assert_eq!(refused.status, Status::Error);
    assert_eq!(canary.effects(), [""; 0]);
    let result = run(&case.tool("nested", ToolUse::Real)).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(canary.effects(), ["file", "process", "thread", "network"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn effects_outside_tools_are_stopped_with_their_place() {
    let Some(python) = test_needs::python() else { return };
    let subjects = canaries(&python);
    let keys = [
        ("write_in_callback", "tried to write"),
        ("write_in_thread", "tried to write"),
        ("process_in_callback", "tried to start a process"),
        ("network_in_callback", "tried to use the network"),
    ];
    for (subject, (key, tried)) in subjects.iter().flat_map(|it| keys.map(|key| (it, key))) {
        let canary = Canary::new();
        let mut case = EvalCase::new(key, subject.clone())
            .first_message("Hi")
            .model(GivenModel::scripted(vec![says("Hello")]));
        let args = canary.args().to_value().expect("JSON");
        let value = if key.starts_with("network") { &args["port"] } else { &args["path"] };
        case.initial_state = JsonText::from_value(&json!({ key: value }));
        let result = run(&case).await;
        assert_eq!(canary.effects(), [""; 0], "{key}");
        let error = result.error.expect("an error");
        let begin = format!("in the case {key}, the agent {tried}");
        assert!(error.message.starts_with(&begin), "{}", error.message);
        assert!(error.message.contains("canary/agent.py:"), "{}", error.message);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_that_belongs_to_no_case_calls_no_tool() {
    let Some(python) = test_needs::python() else { return };
    let [_, shared] = canaries(&python);
    let canary = Canary::new();
    let mut case = EvalCase::new("thread", shared)
        .first_message("Hi")
        .model(GivenModel::scripted(vec![says("Hello")]))
        .tool("touch", ToolUse::Real);
    case.initial_state = JsonText::from_value(&json!({ "call_in_thread": canary.path() }));
    let result = run(&case).await;
    assert_eq!(canary.effects(), [""; 0]);
    let message = result.error.expect("an error").message;
    let begin =
        "in the case thread, the agent called the tool touch in code that belongs to no case";
    assert!(message.starts_with(begin), "{message}");
    assert!(message.contains("canary/agent.py:"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_node_is_intercepted_by_its_name() {
    let Some(python) = test_needs::python() else { return };
    let canary = Canary::new();
    let path = canary.path().display().to_string();
    let case = EvalCase::new("flow", subject("flow", &python)).first_message(path);
    let refused = run(&case).await;
    assert_eq!(canary.effects(), [""; 0]);
    let message = refused.error.expect("an error").message;
    assert!(message.starts_with("EvalToolError: the tool write_file was called"), "{message}");
    let result = run(&case.tool("write_file", ToolUse::Real)).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(canary.effects(), ["file"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_intercepted_is_refused_until_the_case_allows_it() {
    let Some(python) = test_needs::python() else { return };
    let (refused, passed) = refused_until_allowed("unseen", &python).await;
    let wanted = [
        "EvalToolError: BuiltInCodeExecutor of coder runs code that the model writes",
        "EvalToolError: McpToolset of librarian starts or calls an MCP server to list its tools",
        "EvalToolError: google_search of searcher is a tool that the model's service runs",
    ];
    assert_eq!(refused, wanted);
    assert_eq!(passed.status, Status::Passed);
}

/// What an agent is refused for, in order, until the case allows all of it, and the result then.
async fn refused_until_allowed(agent: &str, python: &Path) -> (Vec<String>, EvalResult) {
    let mut case = EvalCase::new("unseen", subject(agent, python))
        .first_message("Hi")
        .model(GivenModel::scripted(vec![says("Hello")]));
    let mut refused = Vec::new();
    loop {
        let result = run(&case).await;
        let Some(error) = &result.error else {
            refused.sort();
            return (refused, result);
        };
        let (begin, _) = error.message.split_once(", which").expect("the reason");
        refused.push(begin.to_owned());
        let name = error.message.rsplit(['[', ']']).nth(1).expect("the name").to_owned();
        assert!(case.allow.insert(name), "{}", error.message);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_that_run_elsewhere_are_refused_by_name() {
    let Some(python) = test_needs::python() else { return };
    let (refused, passed) = refused_until_allowed("elsewhere", &python).await;
    let everywhere = [
        "EvalToolError: graph of graph is an agent of another framework",
        "EvalToolError: remote of remote is an agent on another machine",
    ];
    // Newer versions of google-adk have these.
    let newer = [
        "EvalToolError: harness of harness is an agent of another framework",
        "EvalToolError: managed of managed is an agent that a service runs",
    ];
    for wanted in everywhere {
        assert!(refused.iter().any(|it| it == wanted), "{wanted} is not in {refused:?}");
    }
    for refused in &refused {
        assert!(everywhere.iter().chain(&newer).any(|it| it == refused), "{refused}");
    }
    assert_eq!(passed.status, Status::Passed, "{:?}", passed.error);
}

/// An agent with this callback, which runs before its model is asked.
fn agent_with(callback: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let agent = folder.path().join("opens_databases");
    std::fs::create_dir(&agent).expect("made");
    std::fs::write(agent.join("__init__.py"), "from . import agent\n").expect("written");
    let code = format!(
        "import os\nimport sqlite3\n\nfrom google.adk.agents import LlmAgent\n\n\n\
         def before(callback_context):\n    {callback}\n\n\n\
         root_agent = LlmAgent(name=\"opens\", model=\"none\", before_agent_callback=before)\n"
    );
    std::fs::write(agent.join("agent.py"), code).expect("written");
    folder
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_is_a_file_that_is_written() {
    let Some(python) = test_needs::python() else { return };
    let run = async |callback: &str| {
        let folder = agent_with(callback);
        let subject = AdkPythonSubject::new(&folder.path().join("opens_databases"), Some(&python))
            .environment("DATABASE", folder.path().join("canary.db").to_string_lossy());
        let case = EvalCase::new("database", Arc::new(subject))
            .first_message("Hi")
            .model(GivenModel::scripted(vec![says("Hello")]));
        let result = run_eval(&case).await;
        (result, folder.path().join("canary.db").exists())
    };
    let (result, exists) = run("sqlite3.connect(os.environ['DATABASE'])").await;
    assert!(!exists);
    let message = result.error.expect("an error").message;
    let begin = "in the case database, the agent tried to open the database ";
    assert!(message.starts_with(begin), "{message}");
    assert!(message.contains("agent.py:8"), "{message}");
    let (result, _) = run("sqlite3.connect(':memory:').execute('create table t(x)')").await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_is_called_while_the_agent_is_imported_does_not_run() {
    let Some(python) = test_needs::python() else { return };
    let folder = agent_with("return None");
    let agent = folder.path().join("opens_databases");
    let canary = folder.path().join("canary.txt");
    let code = format!(
        "import asyncio\n\nfrom google.adk.agents import LlmAgent\n\
         from google.adk.tools import FunctionTool\n\n\n\
         def write():\n    open({canary:?}, \"w\").close()\n\n\n\
         tool = FunctionTool(write)\n\
         asyncio.run(tool.run_async(args={{}}, tool_context=None))\n\
         root_agent = LlmAgent(name=\"early\", model=\"none\", tools=[tool])\n"
    );
    std::fs::write(agent.join("agent.py"), code).expect("written");
    let case = EvalCase::new("early", Arc::new(AdkPythonSubject::new(&agent, Some(&python))))
        .first_message("Hi")
        .model(GivenModel::scripted(vec![says("Hello")]))
        .tool("write", ToolUse::Real);
    let result = run_eval(&case).await;
    assert!(!canary.exists());
    let message = result.error.expect("an error").message;
    let cause = "called the tool write in code that belongs to no case";
    assert!(message.contains(cause), "{message}");
    assert!(message.contains("agent.py:12"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_happens_while_the_agent_is_imported() {
    let Some(python) = test_needs::python() else { return };
    for (effect, tried) in [
        ("open(PATH, 'w').close()", "tried to write"),
        (
            "with __import__('contextlib').suppress(Exception): open(PATH, 'w').close()",
            "tried to write",
        ),
        ("subprocess.run([sys.executable, '-c', f'open({PATH!r}, \"w\")'])", "start a process"),
        ("socket.create_connection(('127.0.0.1', PORT))", "tried to use the network"),
    ] {
        let canary = Canary::new();
        let args = canary.args().to_value().expect("JSON");
        let folder = agent_with("return None");
        let agent = folder.path().join("opens_databases");
        let code = format!(
            "import socket\nimport subprocess\nimport sys\n\n\
             from google.adk.agents import LlmAgent\n\n\
             PATH, PORT = {}, {}\n{effect}\nroot_agent = LlmAgent(name=\"early\", model=\"none\")\n",
            args["path"], args["port"]
        );
        std::fs::write(agent.join("agent.py"), code).expect("written");
        let case = EvalCase::new("early", Arc::new(AdkPythonSubject::new(&agent, Some(&python))))
            .first_message("Hi")
            .model(GivenModel::scripted(vec![says("Hello")]));
        let message = run_eval(&case).await.error.expect("an error").message;
        assert_eq!(canary.effects(), [""; 0], "{effect}");
        assert!(message.contains(tried) && message.contains("agent.py:8"), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_run_is_refused() {
    let Some(python) = test_needs::python() else { return };
    let folder = agent_with(
        "from google.adk.runners import InMemoryRunner\n    \
         InMemoryRunner(agent=LlmAgent(name='x', model='none'), app_name='x')\
         .run_live(user_id='u', session_id='s', live_request_queue=None)",
    );
    let subject = AdkPythonSubject::new(&folder.path().join("opens_databases"), Some(&python));
    let case = EvalCase::new("live", Arc::new(subject))
        .first_message("Hi")
        .model(GivenModel::scripted(vec![says("Hello")]));
    let message = run_eval(&case).await.error.expect("an error").message;
    assert!(message.contains("eval runs have no live (bidirectional) mode"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_engines_package_comes_before_one_that_is_installed() {
    let Some(python) = test_needs::python() else { return };
    let installed = tempfile::tempdir().expect("a folder");
    let package = installed.path().join("rehearsal_adk");
    std::fs::create_dir(&package).expect("made");
    std::fs::write(package.join("__init__.py"), "raise ImportError('another version')\n")
        .expect("written");
    let folder = agent_with("return None");
    let subject = AdkPythonSubject::new(&folder.path().join("opens_databases"), Some(&python))
        .environment("PYTHONPATH", installed.path().to_string_lossy());
    let case = EvalCase::new("installed", Arc::new(subject))
        .first_message("Hi")
        .model(GivenModel::scripted(vec![says("Hello")]));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_models_request_reaches_only_what_the_model_is_configured_for() {
    let Some(python) = test_needs::python() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/gateway");
    let run = async |way: &str, allowed: Option<&str>| {
        let (gateway, canary) = (Canary::new(), Canary::new());
        let port = |of: &Canary| of.listener.local_addr().expect("bound").port();
        let subject = AdkPythonSubject::new(&folder, Some(&python))
            .environment("GATEWAY_PORT", port(&gateway).to_string())
            .environment("CANARY_PORT", port(&canary).to_string())
            .environment("CANARY_WAY", way);
        let mut case = EvalCase::new(way, Arc::new(subject)).first_message("Hi");
        if let Some(host) = allowed {
            case = case.allow(host.replace("PORT", &port(&canary).to_string()));
        }
        let result = run_eval(&case).await;
        assert_eq!(gateway.effects(), ["network"], "{way}: {:?}", result.error);
        (result, canary.effects(), port(&canary))
    };
    let (result, effects, _) = run("", None).await;
    assert_eq!((result.status, effects), (Status::Passed, vec![]), "{:?}", result.error);
    for way in ["await", "by name", "block", "thread"] {
        let (result, effects, port) = run(way, None).await;
        assert_eq!(effects, [""; 0], "{way}");
        let message = result.error.expect("an error").message;
        let tried = format!("tried to reach 127.0.0.1:{port} within a model's request");
        let remedy = format!("`allow: [\"127.0.0.1:{port}\"]`");
        assert!(message.contains(&tried) && message.contains(&remedy), "{way}: {message}");
        let place = "gateway/agent.py:";
        assert!(way == "await" || way == "by name" || message.contains(place), "{way}: {message}");
        let (result, effects, _) = run(way, Some("127.0.0.1:PORT")).await;
        assert_eq!(effects, ["network"], "{way}: {:?}", result.error);
        assert_eq!(result.status, Status::Passed, "{way}: {:?}", result.error);
    }
    for (way, tried, allowed) in [
        ("datagram", "reach 127.0.0.1:", "127.0.0.1"),
        ("look up", "look up secret.canary.invalid", "secret.canary.invalid"),
    ] {
        let (result, _, _) = run(way, None).await;
        let message = result.error.expect("an error").message;
        assert!(message.contains(&format!("tried to {tried}")), "{way}: {message}");
        let (result, _, _) = run(way, Some(allowed)).await;
        let message = result.error.map_or_else(String::new, |error| error.message);
        assert!(!message.contains("tried to"), "{way}: {message}");
    }
}
