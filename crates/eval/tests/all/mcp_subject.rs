//! Agents with a model and the tools of a real MCP server.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::time::Duration;

use eval::change_templates::ChangeTemplates;
use eval::fork::Given;
use eval::given_model::{GivenModel, ModelCall, ModelTurn};
use eval::ledger::{Event, Origin, Role};
use eval::mcp::{McpAgent, McpServer, McpSubject, McpTransport, record_declarations};
use eval::result::TokenUsage;
use eval::run_failure::AtFault;
use eval::subject::Input;
use eval::tool_fault::FaultEffect;
use eval::{
    EvalCase, EvalResult, Status, ToolFault, ToolMock, ToolUse, check_cases, create_eval_runner,
    run_eval, run_failure,
};
use json_text::JsonText;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fork_equality::first_difference;
use crate::wire::{Endpoint, calls, says};

fn value(json: &Value) -> JsonText {
    JsonText::from_value(json)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/library")
}

/// What the server declares.
fn declarations() -> JsonText {
    let text = std::fs::read_to_string(folder().join("tools.json")).expect("readable");
    JsonText::parse(&text).expect("JSON")
}

/// A library whose server notes its start and its calls.
struct Library {
    server: McpServer,
    folder: TempDir,
}

impl Library {
    fn new() -> Option<Self> {
        let python = test_needs::python()?;
        let folder = tempfile::tempdir().expect("a folder");
        let script = self::folder().join("server.py");
        let mut server =
            McpServer::stdio("library", python.to_string_lossy(), [script.to_string_lossy()]);
        if let McpTransport::Stdio { env, .. } = &mut server.transport {
            let log = folder.path().join("log").to_string_lossy().into_owned();
            env.insert("LIBRARY_LOG".to_owned(), log);
            env.insert("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned());
        }
        Some(Self { server, folder })
    }

    fn agent(&self) -> McpAgent {
        let mut agent = McpAgent::new("librarian").instruction("Help {reader}.");
        agent.model = Some("gemini-2.5-flash".to_owned());
        agent.server(self.server.clone())
    }

    fn subject(&self) -> McpSubject {
        McpSubject::new(self.agent()).declarations(&declarations()).expect("valid")
    }

    fn case(&self, subject: McpSubject, turns: Vec<ModelTurn>) -> EvalCase {
        case(subject).model(GivenModel::scripted(turns))
    }

    fn log(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("log"));
        log.map(|log| log.lines().map(str::to_owned).collect()).unwrap_or_default()
    }
}

/// A library whose server cannot be started.
fn closed_library() -> McpSubject {
    let server = McpServer::stdio("library", "/no/such/program", [""; 0]);
    let agent = McpAgent::new("librarian").instruction("Help.").server(server);
    McpSubject::new(agent).declarations(&declarations()).expect("valid")
}

fn case(subject: McpSubject) -> EvalCase {
    let mut case = EvalCase::new("emma", Arc::new(subject)).first_message("Where is Emma?");
    case.initial_state = value(&json!({ "reader": "Ada" }));
    case
}

fn search(title: &str) -> ModelTurn {
    ModelTurn::call("search", value(&json!({ "title": title })))
}

fn call(tool: &str) -> ModelTurn {
    ModelTurn::call(tool, value(&json!({})))
}

fn shelf(number: u32) -> ToolUse {
    ToolUse::Mock(ToolMock::Returns(value(&json!({ "shelf": number }))))
}

/// The results of tools, and where they came from.
fn results(result: &EvalResult) -> Vec<(String, Value, Origin)> {
    let of = |event: &Event| match event {
        Event::ToolResult { name, result, from, .. } => {
            Some((name.clone(), result.to_value().expect("JSON"), *from))
        }
        _ => None,
    };
    result.events.iter().filter_map(|entry| of(&entry.event)).collect()
}

fn message(result: &EvalResult) -> &str {
    result.error.as_ref().map_or("no error", |error| error.message.as_str())
}

#[tokio::test]
async fn a_case_that_mocks_its_tools_needs_no_server() {
    let turns = vec![search("Emma"), ModelTurn::text("On shelf 7")];
    let case = case(closed_library()).tool("search", shelf(7)).model(GivenModel::scripted(turns));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let found = json!({
        "content": [{ "type": "text", "text": r#"{"shelf":7}"# }],
        "structuredContent": { "shelf": 7 },
        "isError": false,
    });
    assert_eq!(results(&result), [("search".to_owned(), found, Origin::Mock)]);
    let names: Vec<&str> = result.events.iter().map(|entry| entry.event.name()).collect();
    assert_eq!(
        names.join(" "),
        "initial_state user_message model_request tool_call tool_result model_request message termination"
    );
}

#[tokio::test]
async fn a_mock_changes_the_state() {
    let turns = vec![search("Emma"), ModelTurn::text("On shelf 7")];
    let changes = json!({ "session": { "asked": "{{ args.title }}" } });
    let changes = ChangeTemplates::of(changes.as_object().expect("an object")).expect("templates");
    let ToolUse::Mock(mock) = shelf(7) else { panic!("a mock") };
    let mock = ToolUse::Mock(ToolMock::Changing(changes, Box::new(mock)));
    let case = case(closed_library()).tool("search", mock).model(GivenModel::scripted(turns));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let asked = value(&json!({ "asked": "Emma" }));
    let change = Event::StateChange { changes: asked, by: Role::Mock };
    assert!(result.events.iter().any(|entry| entry.event == change), "{:?}", result.events);
    let state = value(&json!({ "reader": "Ada", "asked": "Emma" }));
    let end = Event::Termination { reason: None, state };
    assert_eq!(result.events.last().map(|entry| &entry.event), Some(&end));
}

#[tokio::test]
async fn an_unmocked_tool_ends_the_run_before_a_server_starts() {
    let Some(library) = Library::new() else { return };
    let case = library.case(library.subject(), vec![search("Emma")]);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Error);
    assert!(
        message(&result).starts_with("EvalToolError: the tool search was called, and the case has"),
        "{result:?}"
    );
    assert_eq!(library.log(), [""; 0]);
}

#[tokio::test]
async fn a_real_tool_starts_the_server_once_for_each_case() {
    let Some(library) = Library::new() else { return };
    let lend = ModelTurn::call("lend", value(&json!({ "title": "Emma" })));
    let turns = vec![search("Emma"), lend, ModelTurn::text("It is yours")];
    let case = library
        .case(library.subject(), turns)
        .tool("search", ToolUse::Real)
        .tool("lend", ToolUse::Real);
    for _ in 0..2 {
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        let results = results(&result);
        assert_eq!(results[0].1["structuredContent"], json!({ "shelf": 7 }));
        assert_eq!(results[1].1["content"][0]["text"], "Emma is yours");
        assert!(results.iter().all(|(_, _, from)| *from == Origin::Real));
    }
    let once = ["started", "search Emma", "lend Emma"];
    assert_eq!(library.log(), [once, once].concat());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_ends_with_its_case() {
    let Some(library) = Library::new() else { return };
    // Once after a whole run, and once while a tool runs that never returns.
    for (turn, status) in [(search("Emma"), Status::Passed), (call("meet"), Status::Terminated)] {
        let mut case = library
            .case(library.subject(), vec![turn, ModelTurn::text("On shelf 7")])
            .tool("search", ToolUse::Real)
            .tool("meet", ToolUse::Real);
        if status == Status::Terminated {
            case.terminate_when.max_duration = Some(Duration::from_secs(5));
        }
        let result = run_eval(&case).await;
        assert_eq!(result.status, status, "{:?}", result.error);
        let pid = std::fs::read_to_string(library.folder.path().join("log.pid")).expect("started");
        let process = Path::new("/proc").join(pid);
        let gone = async {
            while process.exists() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), gone).await.expect("the server ends");
    }
}

#[tokio::test]
async fn listing_the_tools_of_a_server_has_to_be_allowed() {
    let Some(library) = Library::new() else { return };
    let turns = vec![search("Emma"), ModelTurn::text("On shelf 7")];
    let case = library.case(McpSubject::new(library.agent()), turns).tool("search", shelf(7));
    let result = run_eval(&case).await;
    expect_test::expect![[r#"
        EvalToolError: the MCP server library of librarian must be started to list its tools, which cannot be intercepted. It was not started.

        Record its tools with `rehearsal eval tools SUITE --output tools.json`, and name the file:
          subject:
            mcp: { declarations: tools.json, ... }

        Or let the case start the server:
          allow: [library]"#]]
    .assert_eq(message(&result));
    assert_eq!(library.log(), [""; 0]);

    let mut case = case;
    case.allow.insert("library".to_owned());
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(library.log(), ["started"]);
}

#[tokio::test]
async fn a_tool_that_the_case_names_must_be_declared() {
    let mut case = case(closed_library()).model(GivenModel::scripted(vec![]));
    case.named_tools.insert("serch".to_owned());
    let result = run_eval(&case).await;
    assert!(message(&result).ends_with("did you mean search?"), "{result:?}");
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_for_the_model() {
    let turns = vec![call("borrow"), ModelTurn::text("I cannot lend it")];
    let result = run_eval(&case(closed_library()).model(GivenModel::scripted(turns))).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let [(name, error, from)] = &results(&result)[..] else { panic!("one result") };
    assert_eq!((name.as_str(), *from), ("borrow", Origin::Framework));
    assert_eq!(
        *error,
        json!({ "content": [{ "type": "text", "text": "Unknown tool: borrow" }], "isError": true })
    );
}

#[tokio::test]
async fn errors_of_tools_are_given_to_the_model() {
    let Some(library) = Library::new() else { return };
    let raises = ToolUse::Mock(ToolMock::Raises("closed today".to_owned()));
    let turns = vec![search("Atlantis"), call("meet"), ModelTurn::text("Sorry")];
    let case =
        library.case(library.subject(), turns).tool("search", ToolUse::Real).tool("meet", raises);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let results = results(&result);
    assert_eq!((&results[0].1["isError"], results[0].2), (&json!(true), Origin::Real));
    let text = results[0].1["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("no such book"), "{text}");
    assert_eq!((&results[1].1["isError"], results[1].2), (&json!(true), Origin::Mock));
    assert_eq!(results[1].1["content"][0]["text"], "closed today");
}

#[tokio::test]
async fn a_server_that_dies_ends_the_run() {
    let Some(library) = Library::new() else { return };
    let case = library
        .case(library.subject(), vec![call("burn"), ModelTurn::text("Sorry")])
        .tool("burn", ToolUse::Real);
    let result = run_eval(&case).await;
    let error = result.error.expect("an error");
    assert_eq!(error.at_fault, AtFault::Infrastructure);
    let start = "The MCP server library ended with exit status 3 while it ran the tool.";
    assert!(error.message.starts_with(start), "{}", error.message);
    assert!(error.message.ends_with("the library burns"), "{}", error.message);
}

#[tokio::test]
async fn a_server_that_does_not_start_ends_the_run() {
    let case = case(closed_library())
        .tool("search", ToolUse::Real)
        .model(GivenModel::scripted(vec![search("Emma")]));
    let result = run_eval(&case).await;
    let error = result.error.expect("an error");
    assert_eq!(error.at_fault, AtFault::Infrastructure);
    let start = "The MCP server library cannot be started: there is no program `/no/such/program`";
    assert!(error.message.starts_with(start), "{}", error.message);
}

#[tokio::test]
async fn calls_of_one_response_run_at_the_same_time() {
    let Some(library) = Library::new() else { return };
    let meet = || ModelCall::new("meet", value(&json!({})));
    let both = ModelTurn { text: "Let us meet".to_owned(), calls: vec![meet(), meet()] };
    let case = library
        .case(library.subject(), vec![both, ModelTurn::text("Done")])
        .tool("meet", ToolUse::Real);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let texts: Vec<_> =
        results(&result).into_iter().map(|it| it.1["content"][0]["text"].clone()).collect();
    assert_eq!(texts, ["met", "met"]);
    let ids = result.events.iter().filter_map(|entry| match &entry.event {
        Event::ToolCall { call_id, .. } => Some(call_id.as_str()),
        _ => None,
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["call-1", "call-2"]);
}

#[tokio::test]
async fn questions_of_a_server_are_declined() {
    let Some(library) = Library::new() else { return };
    let case = library
        .case(library.subject(), vec![call("ask"), ModelTurn::text("No")])
        .tool("ask", ToolUse::Real);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(results(&result)[0].1["content"][0]["text"], "decline");
}

#[tokio::test]
async fn a_mock_must_match_the_output_schema() {
    let wrong = ToolUse::Mock(ToolMock::Returns(value(&json!({ "shelf": "top" }))));
    let case = case(closed_library())
        .tool("search", wrong)
        .model(GivenModel::scripted(vec![search("Emma")]));
    let result = run_eval(&case).await;
    let error = message(&result);
    assert!(error.starts_with("the mock of search failed: its answer is"), "{error}");
    assert!(error.contains("it does not match the tool's output schema. /shelf: "), "{error}");
}

#[tokio::test]
async fn a_result_that_is_cut_is_a_text() {
    let Some(library) = Library::new() else { return };
    let turns =
        vec![ModelTurn::call("lend", value(&json!({ "title": "Emma" }))), ModelTurn::text("?")];
    let cut = ToolFault {
        tool: "lend".to_owned(),
        args: eval::mock::ArgsMatch::default(),
        probability: 1.0,
        effect: FaultEffect::Truncates(4),
    };
    let case = library.case(library.subject(), turns).tool("lend", ToolUse::Real).fault(cut);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(
        results(&result)[0].1,
        json!({ "content": [{ "type": "text", "text": "Emma" }], "isError": false })
    );
}

#[tokio::test]
async fn a_model_that_calls_without_end_is_stopped() {
    let turns = vec![search("Emma"), search("Emma"), ModelTurn::text("On shelf 7")];
    let subject = closed_library().most_model_calls(2);
    let case = case(subject).tool("search", shelf(7)).model(GivenModel::scripted(turns));
    let result = run_eval(&case).await;
    let error = result.error.expect("an error");
    assert_eq!(error.at_fault, AtFault::Subject);
    assert!(error.message.starts_with("the model was asked 2 times in one turn"), "{error:?}");
    assert!(error.message.contains("raise `max_model_calls`"), "{error:?}");
}

#[tokio::test]
async fn the_model_of_each_service_is_asked() {
    for name in ["gemini-2.5-flash", "openai/gpt-5-mini", "anthropic/claude-sonnet-5"] {
        let endpoint = Endpoint::start(|request| match request.number {
            0 => calls(request, "search", &json!({ "title": "Emma" })),
            1 => says(request, "On shelf 7"),
            _ => says(request, "You are welcome"),
        })
        .await;
        let mut agent = McpAgent::new("librarian").instruction("Help {reader}.");
        agent.model = Some(name.to_owned());
        let agent = agent.server(McpServer::stdio("library", "/no/such/program", [""; 0]));
        let subject = McpSubject::new(agent).declarations(&declarations()).expect("valid");
        let case = case(subject.models(endpoint.models()))
            .tool("search", shelf(7))
            .user(Arc::new(eval::user_agent::ScriptedUser::saying(["Thanks"])));
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{name}: {:?}", result.error);
        let last = result.events.iter().rev().find_map(|entry| match &entry.event {
            Event::Message { agent, text, .. } => Some((agent.as_str(), text.as_str())),
            _ => None,
        });
        assert_eq!(last, Some(("librarian", "You are welcome")));
        let used = TokenUsage { input: 20, output: 10 };
        assert!(result.token_usage.input >= used.input, "{name}: {:?}", result.token_usage);

        let requests = endpoint.requests();
        assert_eq!(requests.len(), 3, "{name}");
        let first = requests[0].text();
        for sent in ["Help Ada.", "Where is Emma?", "Finds the shelf of a book.", "\"title\""] {
            assert!(first.contains(sent), "{name}: {sent} is not in {first}");
        }
        let second = requests[1].text();
        assert!(second.contains("structuredContent"), "{name}: {second}");
        let third = requests[2].text();
        for sent in ["structuredContent", "On shelf 7", "Thanks"] {
            assert!(third.contains(sent), "{name}: {sent} is not in {third}");
        }
    }
}

#[tokio::test]
async fn a_fork_changes_the_requests_of_an_agent_and_refuses_what_it_does_not_have() {
    let endpoint = Endpoint::start(|request| says(request, "On shelf 7")).await;
    let mut agent = McpAgent::new("librarian").instruction("Help {reader}.");
    agent.model = Some("openai/gpt-5-mini".to_owned());
    let agent = agent.server(McpServer::stdio("library", "/no/such/program", [""; 0]));
    let subject = McpSubject::new(agent).declarations(&declarations()).expect("valid");
    let source = case(subject.models(endpoint.models()));
    let changed = |changes: Value| {
        source.clone().request_changes(serde_json::from_value(changes).expect("changes"))
    };
    let all = changed(json!({
        "instructions": { "librarian": "Say the shelf to {reader}." },
        "tools": { "search": { "description": "Looks for a book.", "parameters": { "type": "object", "title": "book" } } },
        "temperature": 0.25,
    }));
    let cases = [&source, &all];
    assert!(check_cases(cases.into_iter(), 1).await.is_ok());
    for case in cases {
        assert_eq!(run_eval(case).await.status, Status::Passed);
    }
    let [before, after] = &endpoint.requests()[..] else { panic!("two requests") };
    let (before, after) = (before.text(), after.text());
    for (own, new) in [
        ("Help Ada.", "Say the shelf to Ada."),
        ("Finds the shelf of a book.", "Looks for a book."),
        ("searchArguments", "\"title\":\"book\""),
    ] {
        assert!(before.contains(own) && !before.contains(new), "{before}");
        assert!(after.contains(new) && !after.contains(own), "{after}");
    }
    assert!(after.contains("\"temperature\":0.25") && !before.contains("temperature"), "{after}");

    for (changes, reason) in [
        (
            json!({ "instructions": { "libarian": "x" } }),
            "it has no agent libarian; did you mean librarian?",
        ),
        (json!({ "tools": { "serch": {} } }), "it has no tool serch; did you mean search?"),
    ] {
        let case = changed(changes);
        let checked = check_cases([&case].into_iter(), 1).await;
        let Err((_, refused)) = checked else { panic!("refused") };
        assert!(refused.to_string().contains(reason), "{refused}");
    }
    assert_eq!(endpoint.requests().len(), 2);
}

#[tokio::test]
async fn a_model_that_fails_is_the_agents_fault() {
    let endpoint =
        Endpoint::start(|_| crate::wire::Reply::Status(400, "", r#"{"error":{}}"#.to_owned()))
            .await;
    let mut agent = McpAgent::new("librarian").instruction("Help.");
    agent.model = Some("gemini-2.5-flash".to_owned());
    let subject = McpSubject::new(agent).declarations(&value(&json!({}))).expect("valid");
    let result = run_eval(&case(subject.models(endpoint.models()))).await;
    let error = result.error.expect("an error");
    assert_eq!(error.at_fault, AtFault::Subject);
    assert!(error.message.contains("gemini-2.5-flash"), "{error:?}");

    let agent = McpAgent::new("librarian").instruction("Help.");
    let subject = McpSubject::new(agent).declarations(&value(&json!({}))).expect("valid");
    let result = run_eval(&case(subject)).await;
    assert!(message(&result).starts_with("the agent has no model; add `model: NAME`"));
}

#[tokio::test]
async fn a_replayed_model_responds_as_recorded_in_each_turn() {
    let turns =
        vec![vec![search("Emma"), ModelTurn::text("On shelf 7")], vec![ModelTurn::text("Bye")]];
    let case = case(closed_library())
        .tool("search", shelf(7))
        .user(Arc::new(eval::user_agent::ScriptedUser::saying(["Thanks"])))
        .model(GivenModel::Replay(Arc::new(turns)));
    let result = run_eval(&case).await;
    assert_eq!((result.status, result.turns), (Status::Passed, 1), "{:?}", result.error);
}

#[tokio::test]
async fn a_missing_key_of_the_instruction_is_an_error_with_the_remedy() {
    let Some(library) = Library::new() else { return };
    let mut case = library.case(library.subject(), vec![ModelTurn::text("Hi")]);
    case.initial_state = value(&json!({}));
    let result = run_eval(&case).await;
    assert!(message(&result).contains("reader"), "{result:?}");
    assert!(message(&result).ends_with("write {key?}"), "{result:?}");
}

#[tokio::test]
async fn a_runner_has_the_mocks_alone() {
    let turns = vec![search("Emma"), ModelTurn::text("On shelf 7"), call("meet")];
    let mocks = HashMap::from([("search".to_owned(), shelf(7))]);
    let model = Some(GivenModel::scripted(turns));
    let mut runner =
        create_eval_runner(Arc::new(closed_library()), mocks, model).await.expect("opens");
    let end = runner.run(Input::Message("Where is Emma?".into())).await.expect("runs");
    assert!(end.pending.is_empty());
    let ended = runner.run(Input::Message("And Ada?".into())).await;
    assert!(
        matches!(ended, Err(run_failure::RunFailure::UnmockedTool { tool, .. }) if tool == "meet")
    );
}

#[tokio::test]
async fn recorded_declarations_are_those_of_the_server() {
    let Some(library) = Library::new() else { return };
    let recorded = record_declarations(std::slice::from_ref(&library.server)).await;
    let recorded = recorded.unwrap_or_else(|fault| panic!("{fault}")).to_value().expect("JSON");
    assert_eq!(recorded, declarations().to_value().expect("JSON"));

    let mut other = library.server.clone();
    "other".clone_into(&mut other.name);
    let both = record_declarations(&[library.server.clone(), other.clone()]).await;
    let both = both.unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(both.to_value().expect("JSON")["other"], recorded);
    let agent = McpAgent::new("librarian").server(library.server).server(other);
    let error = McpSubject::new(agent).declarations(&both).err().expect("the same names");
    assert!(error.to_string().starts_with("the servers library and other both have a tool search"));
}

#[tokio::test]
async fn a_server_in_typescript_is_called() {
    let Some(programs) = test_needs::mcp_programs() else { return };
    let program = programs.join("mcp-server-everything");
    let server = McpServer::stdio("everything", program.to_string_lossy(), ["stdio"]);
    let agent = McpAgent::new("tester").instruction("Help.").server(server);
    let echo = ModelTurn::call("echo", value(&json!({ "message": "hi" })));
    let mut case = case(McpSubject::new(agent))
        .tool("echo", ToolUse::Real)
        .model(GivenModel::scripted(vec![echo, ModelTurn::text("Done")]));
    case.allow.insert("everything".to_owned());
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(results(&result)[0].1["content"][0]["text"], "Echo: hi");
}

#[tokio::test]
async fn a_fork_gives_the_run_again_and_another_model_goes_on() {
    let Some(library) = Library::new() else { return };
    let lend = || ModelTurn::call("lend", value(&json!({ "title": "Emma" })));
    let turns = vec![search("Emma"), lend(), ModelTurn::text("On shelf 7")];
    let case = library
        .case(library.subject(), turns)
        .tool("search", ToolUse::Real)
        .tool("lend", ToolUse::Real);
    let steps = first_difference(&case).await.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(steps, 6);
    // A model of a service gets what was given in its own format.
    for name in ["gemini-2.5-flash", "openai/gpt-5-mini", "anthropic/claude-sonnet-5"] {
        let endpoint = Endpoint::start(|request| says(request, "It is there.")).await;
        let source = run_eval(&case).await;
        let given = Given::before(&source.events, 6, None).expect("a fork");
        let mut case = case.clone().forked(given, Some(GivenModel::Named(name.to_owned())));
        case.subject = Arc::new(library.subject().models(endpoint.models()));
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{name}: {:?}", result.error);
        let [request] = &endpoint.requests()[..] else { panic!("{name}: one request") };
        let text = request.text();
        for wanted in ["Emma", "lend", "search"] {
            assert!(text.contains(wanted), "{name}: no {wanted} in {text}");
        }
    }
}
