//! With real servers: `REHEARSAL_TEST_MCP` names the folder that holds `mcp-server-everything`, and
//! servers that misbehave are small shell scripts.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::{AgentFault, Answer, Asks, Question, SourceEvent};
use http::StatusCode;
use json_text::JsonText;
use session::{CallId, SessionId, ToolError, ToolName};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{McpAgent, McpServer, McpSource, McpTransport};
use crate::{
    AgentLog, AgentSource, AnswerError, CallProgress, CallReport, Reporter, ServerInstructions,
    SessionSeed, ToolFailure, ToolInvocation,
};

mod model_response;
mod resources;

/// The server to test with.
fn everything() -> Option<String> {
    let program = test_needs::mcp_programs()?.join("mcp-server-everything");
    Some(program.to_string_lossy().into_owned())
}

struct TestSession {
    source: Arc<McpSource>,
    log: Arc<AgentLog>,
    events: Arc<Mutex<Vec<SourceEvent>>>,
    session: SessionId,
}

impl TestSession {
    async fn everything() -> Option<Self> {
        let mut server = McpServer::stdio("everything", everything()?, ["stdio"]);
        server.roots = vec![std::env::temp_dir()];
        Some(Self::of(server).await)
    }

    async fn of(server: McpServer) -> Self {
        Self::of_agent(McpAgent::new("tester").instruction("Serve {owner}.").server(server)).await
    }

    async fn of_agent(agent: McpAgent) -> Self {
        let source = Arc::new(McpSource::new(agent));
        let events: Arc<Mutex<Vec<SourceEvent>>> = Arc::default();
        let listener = Arc::clone(&events);
        source.report_to(Reporter::new(move |event| {
            listener.lock().expect("no panic").push(event);
        }));
        let log = Arc::new(AgentLog::default());
        source.load(&SessionSeed::default(), Arc::clone(&log)).await.expect("the agent loads");
        let session = SessionId::parse("s").expect("valid");
        let seed = SessionSeed {
            user_id: "user".to_owned(),
            state: [("owner".to_owned(), JsonText::string("Ada"))].into(),
            is_whole: false,
        };
        source.open_session(&session, &seed).await.expect("opens");
        Self { source, log, events, session }
    }

    async fn call(&self, tool: &str, arguments: &str) -> CallReport {
        self.source.call_tool(self.invocation(tool, arguments), CancellationToken::new()).await
    }

    fn invocation(&self, tool: &str, arguments: &str) -> ToolInvocation {
        ToolInvocation {
            session: self.session.clone(),
            call_id: CallId::parse("c1").expect("valid"),
            tool: ToolName::parse(tool).expect("valid"),
            arguments: JsonText::parse(arguments).expect("valid"),
        }
    }

    /// Calls a tool that asks, and answers it.
    async fn asked(&self, tool: &str, arguments: &str, answer: Answer) -> (Question, CallReport) {
        let (source, call) = (Arc::clone(&self.source), self.invocation(tool, arguments));
        let running =
            tokio::spawn(async move { source.call_tool(call, CancellationToken::new()).await });
        let question = loop {
            if let Some(question) = self.source.questions(&self.session).await.pop() {
                break question;
            }
            assert!(!running.is_finished(), "it ended without asking");
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        let number = question.number;
        self.source.answer(&self.session, number, answer).await.expect("taken");
        (question, running.await.expect("runs"))
    }

    fn events(&self) -> Vec<SourceEvent> {
        self.events.lock().expect("no panic").clone()
    }

    /// The reported progress, in steps of four.
    fn dones(&self) -> Vec<f64> {
        self.events()
            .into_iter()
            .filter_map(|event| match event {
                SourceEvent::Progress(progress) => {
                    assert_eq!(progress.total, Some(4.0));
                    progress.done
                }
                _ => None,
            })
            .collect()
    }

    /// The reported progress messages.
    fn messages(&self) -> Vec<String> {
        self.events()
            .into_iter()
            .filter_map(|event| match event {
                SourceEvent::Progress(progress) => progress.message,
                _ => None,
            })
            .collect()
    }

    async fn wait_for_event(&self, mut is_it: impl FnMut(&SourceEvent) -> bool) -> SourceEvent {
        loop {
            if let Some(event) = self.events().into_iter().find(|event| is_it(event)) {
                return event;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn log_text(&self) -> String {
        let lines = self.log.lines();
        lines.iter().map(|line| format!("{}\n", line.text)).collect()
    }

    async fn end(self) {
        self.source.shut_down().await;
    }
}

fn returned(report: CallReport) -> JsonText {
    match report.progress {
        CallProgress::Returned(result) => result,
        other => panic!("not returned: {other:?}"),
    }
}

fn failed(report: CallReport) -> ToolFailure {
    match report.progress {
        CallProgress::Failed(failure) => failure,
        other => panic!("not failed: {other:?}"),
    }
}

fn script(text: &str) -> McpServer {
    let mut server = McpServer::stdio("odd", "sh", ["-c", text]);
    server.patience = Duration::from_secs(2);
    server
}

async fn refused(server: McpServer) -> AgentFault {
    let agent = McpAgent::new("tester").server(server);
    McpSource::new(agent)
        .load(&SessionSeed::default(), Arc::default())
        .await
        .expect_err("it cannot be used")
}

#[tokio::test]
async fn declares_tools_as_adk_does() {
    let Some(test) = TestSession::everything().await else { return };
    let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
    let view = view.expect("open already");
    assert_eq!(view.instruction, "Serve Ada.");
    let echo = view.tools.iter().find(|tool| tool.name.as_str() == "echo").expect("listed");
    assert_eq!(echo.provided_by, "everything");
    let declaration = echo.declaration.to_value().expect("JSON");
    assert_eq!(declaration["parameters_json_schema"]["required"], serde_json::json!(["message"]));
    let structured = view.tools.iter().find(|tool| tool.response_schema.is_some());
    assert!(structured.is_some(), "an output schema is passed on");
    assert!(view.tools.iter().any(|tool| tool.title.is_some()));
    test.end().await;
}

#[tokio::test]
async fn passes_on_results_of_every_kind() {
    let Some(test) = TestSession::everything().await else { return };
    let echo = returned(test.call("echo", r#"{"message": "hällo"}"#).await);
    let echo = echo.to_value().expect("JSON");
    assert_eq!(echo["content"][0]["text"], "Echo: hällo");
    assert_eq!(echo["isError"], false);
    let image = returned(test.call("get-tiny-image", "{}").await).to_value().expect("JSON");
    let image = image["content"].as_array().expect("a list").iter();
    let mut image = image.filter(|part| part["type"] == "image");
    assert_eq!(image.next().expect("an image")["mimeType"], "image/png");
    let links = returned(test.call("get-resource-links", r#"{"count": 2}"#).await);
    assert!(links.as_str().contains("resource_link"));
    let reference = r#"{"resourceType": "Text", "resourceId": 1}"#;
    let resource = returned(test.call("get-resource-reference", reference).await);
    assert!(resource.as_str().contains(r#""type":"resource""#));
    let structured =
        returned(test.call("get-structured-content", r#"{"location": "New York"}"#).await);
    assert!(structured.to_value().expect("JSON")["structuredContent"]["temperature"].is_number());
    test.end().await;
}

#[tokio::test]
async fn an_error_result_is_a_failure_of_the_tool() {
    let Some(test) = TestSession::everything().await else { return };
    let failure = failed(test.call("get-sum", r#"{"a": "x"}"#).await);
    assert!(["ToolError", "McpError"].contains(&failure.error_type.as_str()), "{failure:?}");
    assert!(failure.message.contains("Invalid"), "{failure:?}");
    test.end().await;
}

#[tokio::test]
async fn reports_progress_and_sends_a_cancellation() {
    let Some(test) = TestSession::everything().await else { return };
    let steps = r#"{"duration": 0.4, "steps": 4}"#;
    returned(test.call("trigger-long-running-operation", steps).await);
    let dones = test.dones();
    assert!(dones.len() >= 3 && dones.is_sorted(), "{dones:?}");

    let cancel = CancellationToken::new();
    let call =
        test.invocation("trigger-long-running-operation", r#"{"duration": 600, "steps": 600}"#);
    let running = test.source.call_tool(call, cancel.clone());
    let ended = tokio::join!(running, async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancel.cancel();
    });
    assert_eq!(failed(ended.0).error_type, ToolError::CANCELLED);
    // The connection is as good as before.
    returned(test.call("echo", r#"{"message": "again"}"#).await);
    test.end().await;
}

#[tokio::test]
async fn waits_for_the_result_of_a_task() {
    let Some(test) = TestSession::everything().await else { return };
    let report = returned(test.call("simulate-research-query", r#"{"topic": "tides"}"#).await);
    let report = report.to_value().expect("JSON");
    let text = report["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("# Research Report: tides"), "{text}");
    assert_eq!(report.get("meta"), None, "the task's name is chance");
    let messages = test.messages();
    assert_eq!(messages.first().map(String::as_str), Some("Gathering sources..."), "{messages:?}");
    assert!(messages.contains(&"Generating report...".to_owned()), "{messages:?}");
    test.end().await;
}

#[tokio::test]
async fn a_task_continues_after_an_answer() {
    let Some(test) = TestSession::everything().await else { return };
    let answer = JsonText::parse(r#"{"interpretation": "snake"}"#).expect("JSON");
    let arguments = r#"{"topic": "python", "ambiguous": true}"#;
    let (question, report) =
        test.asked("simulate-research-query", arguments, Answer::Accept(Some(answer))).await;
    let Asks::Form { message, schema, .. } = question.asks else { panic!("a form") };
    assert!(message.contains("multiple interpretations"), "{message}");
    assert!(schema.as_str().contains("Python snake species"), "{schema}");
    assert_eq!(question.call_id, CallId::parse("c1").ok());
    let report = returned(report);
    assert!(report.as_str().contains("Research Report: python (snake)"), "{report}");
    assert!(test.messages().iter().any(|message| message.contains("Requesting clarification")));
    test.end().await;
}

#[tokio::test]
async fn waits_for_the_result_of_a_task_over_http() {
    let Some(program) = everything() else { return };
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = free.local_addr().expect("bound").port();
    drop(free);
    let mut command = tokio::process::Command::new(program);
    command.arg("streamableHttp").env("PORT", port.to_string()).kill_on_drop(true);
    let mut server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        assert!(server.try_wait().expect("a child").is_none(), "the server ended");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let test =
        TestSession::of(McpServer::http("everything", format!("http://127.0.0.1:{port}/mcp")))
            .await;
    let answer = JsonText::parse(r#"{"interpretation": "comedy"}"#).expect("JSON");
    let arguments = r#"{"topic": "python", "ambiguous": true}"#;
    let (_, report) =
        test.asked("simulate-research-query", arguments, Answer::Accept(Some(answer))).await;
    let report = returned(report);
    assert!(report.as_str().contains("Research Report: python (comedy)"), "{report}");
    assert!(test.messages().contains(&"Generating report...".to_owned()));
    test.end().await;
    server.kill().await.expect("killed");
}

#[tokio::test]
async fn canceling_a_task_withdraws_its_question() {
    let Some(test) = TestSession::everything().await else { return };
    let cancel = CancellationToken::new();
    let call = test.invocation("simulate-research-query", r#"{"topic": "x", "ambiguous": true}"#);
    let (source, token) = (Arc::clone(&test.source), cancel.clone());
    let running = tokio::spawn(async move { source.call_tool(call, token).await });
    let asked = test.wait_for_event(|event| matches!(event, SourceEvent::Asked(_))).await;
    let SourceEvent::Asked(question) = asked else { panic!("asked") };
    cancel.cancel();
    assert_eq!(failed(running.await.expect("runs")).error_type, ToolError::CANCELLED);
    assert!(test.source.questions(&test.session).await.is_empty());
    let number = question.number;
    test.wait_for_event(
        |event| matches!(event, SourceEvent::Withdrawn { number: it, .. } if *it == number),
    )
    .await;
    // The connection is as good as before.
    returned(test.call("echo", r#"{"message": "again"}"#).await);
    test.end().await;
}

#[tokio::test]
async fn a_server_asks_the_person_with_a_form() {
    let Some(test) = TestSession::everything().await else { return };
    let values = |text: &str| Answer::Accept(Some(JsonText::parse(text).expect("JSON")));
    let (question, report) =
        test.asked("trigger-elicitation-request", "{}", values(r#"{"name": "Ada"}"#)).await;
    let Asks::Form { message, schema, .. } = question.asks else { panic!("a form") };
    assert!(!message.is_empty());
    assert_eq!(schema.to_value().expect("JSON")["required"], serde_json::json!(["name"]));
    assert!(returned(report).as_str().contains("Ada"));
    let (_, declined) = test.asked("trigger-elicitation-request", "{}", Answer::Decline).await;
    assert!(returned(declined).as_str().contains("declined"));
    assert!(test.source.questions(&test.session).await.is_empty());
    let events = test.events();
    let withdrawn = events.iter().filter(|event| matches!(event, SourceEvent::Withdrawn { .. }));
    assert_eq!(withdrawn.count(), 2, "every question is withdrawn once");
    test.end().await;
}

#[tokio::test]
async fn an_invalid_answer_leaves_the_question_open() {
    let Some(test) = TestSession::everything().await else { return };
    let cancel = CancellationToken::new();
    let (source, call) =
        (Arc::clone(&test.source), test.invocation("trigger-elicitation-request", "{}"));
    let token = cancel.clone();
    let running = tokio::spawn(async move { source.call_tool(call, token).await });
    let asked = test.wait_for_event(|event| matches!(event, SourceEvent::Asked(_))).await;
    let SourceEvent::Asked(question) = asked else { panic!("asked") };
    let empty = Answer::Accept(Some(JsonText::parse("{}").expect("JSON")));
    let refused = test.source.answer(&test.session, question.number, empty).await;
    let Err(AnswerError::Invalid(messages)) = refused else { panic!("{refused:?}") };
    assert_eq!(messages[0].pointer, "/name");
    assert_eq!(test.source.questions(&test.session).await.len(), 1);
    // A cancelled call takes its question with it.
    cancel.cancel();
    assert_eq!(failed(running.await.expect("runs")).error_type, ToolError::CANCELLED);
    let gone = test.source.answer(&test.session, question.number, Answer::Decline).await;
    assert!(gone.is_err() || test.source.questions(&test.session).await.is_empty());
    test.end().await;
}

#[tokio::test]
async fn the_person_responds_in_place_of_the_model() {
    let Some(test) = TestSession::everything().await else { return };
    let (source, call) = (
        Arc::clone(&test.source),
        test.invocation("trigger-sampling-request", r#"{"prompt": "Who?", "maxTokens": 40}"#),
    );
    let running =
        tokio::spawn(async move { source.call_tool(call, CancellationToken::new()).await });
    let asked = test.wait_for_event(|event| matches!(event, SourceEvent::Asked(_))).await;
    let SourceEvent::Asked(question) = asked else { panic!("asked") };
    let Asks::Message(request) = question.asks else { panic!("a message") };
    assert_eq!(request.max_tokens, 40);
    assert!(
        request.messages.iter().any(|it| it.text.as_deref().is_some_and(|t| t.contains("Who?")))
    );
    let answer = Answer::Message("It was me, nonce 4711.".to_owned());
    test.source.answer(&test.session, question.number, answer).await.expect("taken");
    assert!(returned(running.await.expect("runs")).as_str().contains("nonce 4711"));
    test.end().await;
}

#[tokio::test]
async fn sends_roots_and_logs_messages() {
    let Some(test) = TestSession::everything().await else { return };
    let roots = returned(test.call("get-roots-list", "{}").await);
    assert!(roots.as_str().contains("file://"), "{roots}");
    returned(test.call("toggle-simulated-logging", "{}").await);
    for _ in 0..800 {
        if test.log_text().contains("[everything] ") && test.log_text().contains("level") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(test.log_text().contains("level"), "{}", test.log_text());
    test.end().await;
}

#[tokio::test]
async fn restarts_a_server_after_it_was_killed() {
    let Some(program) = everything() else { return };
    let folder = tempfile::tempdir().expect("made");
    let pid = folder.path().join("pid");
    let text = format!("echo $$ > '{}'; exec '{program}' stdio", pid.display());
    let mut server = McpServer::stdio("everything", "sh", ["-c", &text]);
    server.patience = Duration::from_secs(30);
    let test = TestSession::of(server).await;
    for _ in 0..4 {
        returned(test.call("echo", r#"{"message": "before"}"#).await);
    }
    let call =
        test.invocation("trigger-long-running-operation", r#"{"duration": 600, "steps": 600}"#);
    let running = test.source.call_tool(call, CancellationToken::new());
    let killed = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let id = std::fs::read_to_string(&pid).expect("it runs");
        let status = std::process::Command::new("kill").args(["-9", id.trim()]).status();
        assert!(status.expect("kill runs").success());
    };
    let (report, ()) = tokio::join!(running, killed);
    let failure = failed(report);
    assert_eq!(failure.error_type, ToolError::SERVER_EXITED, "{failure:?}");
    assert!(failure.message.contains("signal 9"), "{failure:?}");
    returned(test.call("echo", r#"{"message": "back"}"#).await);
    // The new connection has its own request numbers, and reports progress all the same.
    test.events.lock().expect("no panic").clear();
    let steps = r#"{"duration": 0.4, "steps": 4}"#;
    returned(test.call("trigger-long-running-operation", steps).await);
    let dones = test.dones();
    assert!(dones.len() >= 3 && dones.is_sorted(), "{dones:?}");
    assert!(test.log_text().contains("is started again"));
    test.end().await;
}

#[tokio::test]
async fn applies_the_tool_filter_and_prefix() {
    let Some(program) = everything() else { return };
    let mut server = McpServer::stdio("everything", program, ["stdio"]);
    server.tools = Some(vec!["echo".to_owned(), "no-such".to_owned()]);
    server.tool_name_prefix = Some("ev".to_owned());
    let test = TestSession::of(server).await;
    let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
    let view = view.expect("open already");
    let names: Vec<&str> = view.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["ev_echo"]);
    assert!(view.warnings.iter().any(|warning| warning.contains("no-such")), "{:?}", view.warnings);
    returned(test.call("ev_echo", r#"{"message": "hi"}"#).await);
    test.end().await;
}

/// A server with two tools, of which one takes a schema of so many levels and answers as deep.
fn deep_server(levels: usize, folder: &Path) -> McpServer {
    let schema = format!("{}{{}}{}", r#"{"items":"#.repeat(levels), "}".repeat(levels));
    let listed = format!(
        r#"{{"tools":[{{"name":"flat","inputSchema":{{"type":"object"}}}},
            {{"name":"deep","inputSchema":{schema},"execution":{{"taskSupport":"forbidden"}}}}]}}"#
    );
    let answered = format!(r#"{{"content":[],"structuredContent":{schema}}}"#);
    std::fs::write(folder.join("listed"), listed.replace('\n', " ")).expect("written");
    std::fs::write(folder.join("answered"), answered).expect("written");
    let greeting = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"d","version":"1"}}"#;
    std::fs::write(folder.join("greeting"), greeting).expect("written");
    let text = r#"
        while IFS= read -r line; do
            id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
            case "$line" in
                *'"initialize"'*) answer=greeting ;;
                *'"tools/list"'*) answer=listed ;;
                *'"tools/call"'*) answer=answered ;;
                *) answer= ;;
            esac
            if [ -n "$answer" ]; then
                printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$(cat "$answer")"
            elif [ -n "$id" ]; then
                printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id"
            fi
        done"#;
    let mut server = script(text);
    server.patience = Duration::from_secs(20);
    if let McpTransport::Stdio { cwd, .. } = &mut server.transport {
        *cwd = Some(folder.to_owned());
    }
    server
}

#[tokio::test]
async fn lists_a_tool_nested_too_deep_with_its_error_and_keeps_the_others() {
    let folder = tempfile::tempdir().expect("made");
    let test = TestSession::of(deep_server(300, folder.path())).await;
    let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
    let view = view.expect("open already");
    let names: Vec<&str> = view.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["flat", "deep"]);
    let reason = "The tool deep cannot be called: its `inputSchema` is nested 301 levels deep";
    assert!(view.tools[1].description.contains(reason), "{:?}", view.tools[1]);
    assert!(view.warnings.iter().any(|it| it.contains(reason)), "{:?}", view.warnings);
    let failure = failed(test.call("deep", "{}").await);
    assert!(failure.message.contains(reason), "{failure:?}");
    // A response that is nested too deep fails its call. The connection stays.
    let failure = failed(test.call("flat", "{}").await);
    assert!(failure.message.contains("nested deeper than 127 levels"), "{failure:?}");
    test.end().await;
}

/// The same server over HTTP, which responds with one JSON document or with a stream of events.
async fn deep_over_http(levels: usize, as_events: bool) -> (McpServer, JoinHandle<()>) {
    let schema = format!("{}{{}}{}", r#"{"items":"#.repeat(levels), "}".repeat(levels));
    let listed = format!(
        r#"{{"tools":[{{"name":"flat","inputSchema":{{"type":"object"}}}},{{"name":"deep","inputSchema":{schema}}}]}}"#
    );
    over_http(listed, format!(r#"{{"content":[],"structuredContent":{schema}}}"#), as_events).await
}

/// A server over HTTP with the result of `tools/list` and that of `tools/call`, in which `REQUEST` is the
/// request.
async fn over_http(listed: String, called: String, as_events: bool) -> (McpServer, JoinHandle<()>) {
    let answer = move |body: String| {
        let asked: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        let result = match asked["method"].as_str() {
            Some("initialize") => r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"d","version":"1"}}"#.to_owned(),
            Some("tools/list") => listed.clone(),
            Some("tools/call") => called.replace("REQUEST", &body),
            _ if asked["id"].is_null() => return (StatusCode::ACCEPTED, "text/plain", String::new()),
            _ => return (StatusCode::NOT_FOUND, "text/plain", String::new()),
        };
        let message = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked["id"]);
        match as_events {
            true => (StatusCode::OK, "text/event-stream", format!("data: {message}\n\n")),
            false => (StatusCode::OK, "application/json", message),
        }
    };
    let post = move |body: String| {
        let (status, kind, text) = answer(body);
        std::future::ready((status, [(http::header::CONTENT_TYPE, kind)], text))
    };
    let routes = axum::Router::new().route("/mcp", axum::routing::post(post));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let serving = tokio::spawn(async move {
        axum::serve(listener, routes).await.expect("serves");
    });
    let mut server = McpServer::http("deep", format!("http://{address}/mcp"));
    server.patience = Duration::from_secs(20);
    (server, serving)
}

#[tokio::test]
async fn lists_a_tool_nested_too_deep_over_http() {
    for as_events in [true, false] {
        let (server, serving) = deep_over_http(300, as_events).await;
        let test = TestSession::of(server).await;
        let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
        let tools = view.expect("open already").tools;
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["flat", "deep"], "as events: {as_events}");
        assert!(tools[1].description.contains("nested 301 levels deep"), "{:?}", tools[1]);
        let failure = failed(test.call("flat", "{}").await);
        assert!(
            failure.message.contains("nested deeper than 127 levels"),
            "as events: {as_events}: {failure:?}"
        );
        test.end().await;
        serving.abort();
    }
}

type Headers = Vec<(&'static str, &'static str)>;

/// Invalid responses of a server over HTTP: status, headers, body, and the expected reason.
fn wrong_answers() -> Vec<(u16, Headers, String, &'static str)> {
    let text = ("content-type", "text/plain");
    let json = ("content-type", "application/json");
    let events = ("content-type", "text/event-stream");
    let long =
        format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"x":"{}"}}}}"#, "x".repeat(17 << 20));
    vec![
        (
            500,
            vec![text],
            "database is\n down".to_owned(),
            "returned HTTP 500 Internal Server Error: database is down.",
        ),
        (
            429,
            vec![text, ("retry-after", "7")],
            "slow down".to_owned(),
            "returned HTTP 429 Too Many Requests, `Retry-After: 7`: slow down.",
        ),
        (
            401,
            vec![text, ("www-authenticate", "Bearer")],
            "expired".to_owned(),
            "requires authentication (HTTP 401 Unauthorized: expired). Name the variable with its \
             token in `bearer_token_env`",
        ),
        (
            200,
            vec![("content-type", "text/html")],
            "<html>login</html>".to_owned(),
            "returned `text/html` instead of `application/json` or `text/event-stream`: \
             `<html>login</html>`.",
        ),
        (202, vec![text], String::new(), "returned HTTP 202 Accepted without a body"),
        (204, vec![], String::new(), "returned HTTP 204 No Content without a body"),
        (200, vec![json], String::new(), "returned HTTP 200 OK without a body"),
        (
            200,
            vec![json],
            "hello".to_owned(),
            "returned a body that is not an MCP message (hello is not a number",
        ),
        (
            200,
            vec![json],
            r#"{"jsonrpc":"2.0","id":999999,"result":{}}"#.to_owned(),
            "returned a response with the wrong id 999999.",
        ),
        (
            200,
            vec![events],
            "data: {\"jsonrpc\": nonsense\n\n".to_owned(),
            "ended its event stream without a response. A message of the server is skipped: ",
        ),
        (
            200,
            vec![events],
            ": nothing\n\n".to_owned(),
            "ended its event stream without a response.",
        ),
        (200, vec![json], long.clone(), "The server's response is longer than 16 MB"),
        (
            200,
            vec![events],
            format!("data: {long}\n\n"),
            "The server's response is longer than 16 MB",
        ),
    ]
}

/// A server over HTTP that is polite but for its answer to one method.
async fn wrong_over_http(
    method: &'static str,
    status: u16,
    headers: Headers,
    body: String,
) -> (McpServer, JoinHandle<()>) {
    let answer = move |asked: String| {
        let asked: serde_json::Value = serde_json::from_str(&asked).expect("JSON");
        let response = http::Response::builder();
        let response = match asked["method"].as_str() {
            Some(it) if it == method => {
                let response =
                    headers.iter().fold(response.status(status), |response, (name, value)| {
                        response.header(*name, *value)
                    });
                response.body(body.replacen("ID", &asked["id"].to_string(), 1))
            }
            _ if asked["id"].is_null() => response.status(202).body(String::new()),
            it => {
                let result = match it {
                    Some("initialize") => {
                        r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"w","version":"1"}}"#
                    }
                    _ => ONE_TOOL,
                };
                let message =
                    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked["id"]);
                response.header("content-type", "application/json").body(message)
            }
        };
        std::future::ready(response.expect("a response"))
    };
    let routes = axum::Router::new().route("/mcp", axum::routing::post(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let serving = tokio::spawn(async move {
        axum::serve(listener, routes).await.expect("serves");
    });
    let mut server = McpServer::http("wrong", format!("http://{address}/mcp"));
    server.patience = Duration::from_secs(20);
    (server, serving)
}

#[tokio::test]
async fn calls_and_initialize_report_http_errors_alike() {
    for (status, headers, body, reason) in wrong_answers() {
        let (server, serving) =
            wrong_over_http("tools/call", status, headers.clone(), body.clone()).await;
        let test = TestSession::of(server).await;
        let failure = failed(promptly(test.call("t", "{}")).await);
        assert!(failure.message.contains(reason), "{failure:?}");
        assert_ne!(failure.error_type, ToolError::SERVER_EXITED, "no process ended: {failure:?}");
        test.end().await;
        serving.abort();

        let (server, serving) = wrong_over_http("initialize", status, headers, body).await;
        let fault = promptly(refused(server)).await;
        assert!(fault.reason.contains(reason), "{fault:?}");
        assert!(!fault.reason.contains("cannot be reached"), "{fault:?}");
        serving.abort();
    }
}

#[tokio::test]
async fn logs_a_response_that_matches_no_request() {
    let stray = "{\"jsonrpc\":\"2.0\",\"id\":999999,\"result\":{}";
    let listed = format!("\"result\":{ONE_TOOL}}}\n{stray}");
    let test = TestSession::of(polite(&listed, "\"result\":{\"content\":[]}")).await;
    returned(promptly(test.call("t", "{}")).await);
    let expected = "sent a response with the unknown request id 999999";
    assert!(test.log_text().contains(expected), "{}", test.log_text());
    assert_eq!(
        test.log_text().matches("unknown request id 999999").count(),
        2,
        "once a connection"
    );
    test.end().await;
}

#[tokio::test]
async fn reports_an_http_server_that_is_gone() {
    let result = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;
    let json = vec![("content-type", "application/json")];
    let (server, serving) = wrong_over_http("tools/call", 200, json, result.to_owned()).await;
    let test = TestSession::of(server).await;
    returned(test.call("t", "{}").await);
    serving.abort();
    let _ = serving.await;
    let failure = failed(promptly(test.call("t", "{}")).await);
    assert_eq!(failure.error_type, ToolError::SERVER_UNUSABLE, "{failure:?}");
    assert!(failure.message.contains("/mcp cannot be reached: Connection refused"), "{failure:?}");
    assert!(failure.message.ends_with("Is it running?"), "{failure:?}");
    test.end().await;
}

const ONE_TOOL: &str = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
/// Answers that no parser reads, each with the reason.
const BEYOND_READING: [(&str, &str); 3] = [
    (r#"{"content":[],"structuredContent":{"e":NaN}}"#, "NaN is not a number"),
    (r#"{"content":[],"structuredContent":{"e":1e400}}"#, "this number is out of range"),
    (r#"{"content":"#, "expected a value"),
];
/// A text that was cut through an emoji.
const CUT: &str = r#"{"content":[{"type":"text","text":"a\ud83d b"}]}"#;

async fn promptly<T>(waiting: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(Duration::from_secs(30), waiting).await;
    waited.expect("every request ends")
}

#[tokio::test]
async fn an_unreadable_response_fails_its_call() {
    for (called, reason) in BEYOND_READING {
        let listed = format!("\"result\":{ONE_TOOL}");
        let test = TestSession::of(polite(&listed, &format!("\"result\":{called}"))).await;
        let failure = failed(promptly(test.call("t", "{}")).await);
        assert_eq!(failure.error_type, "McpError", "{failure:?}");
        assert!(failure.message.contains(reason), "{failure:?}");
        assert!(test.log_text().contains(reason), "{}", test.log_text());
        test.end().await;
    }
}

#[tokio::test]
async fn an_unreadable_response_over_http_fails_its_call() {
    for (called, reason) in BEYOND_READING {
        for as_events in [true, false] {
            let (server, serving) =
                over_http(ONE_TOOL.to_owned(), called.to_owned(), as_events).await;
            let test = TestSession::of(server).await;
            let failure = failed(promptly(test.call("t", "{}")).await);
            assert_eq!(failure.error_type, "McpError", "as events: {as_events}: {failure:?}");
            assert!(
                failure.message.contains("The server's response cannot be read: "),
                "{failure:?}"
            );
            assert!(failure.message.contains(reason), "{failure:?}");
            assert!(test.log_text().contains("cannot be read"), "{}", test.log_text());
            test.end().await;
            serving.abort();
        }
    }
}

#[tokio::test]
async fn replaces_lone_surrogates_and_logs_it() {
    // A line that is not a message precedes it.
    let listed = format!("\"result\":{ONE_TOOL}}}\n{{\"half\":");
    let test = TestSession::of(polite(&listed, &format!("\"result\":{CUT}"))).await;
    let result = returned(promptly(test.call("t", "{}")).await);
    assert!(result.as_str().contains("a\u{fffd} b"), "{result}");
    assert!(test.log_text().contains("contains a lone surrogate"), "{}", test.log_text());
    assert!(test.log_text().contains("not a message: {\"half\":}"), "{}", test.log_text());
    test.end().await;

    for as_events in [true, false] {
        let (server, serving) = over_http(ONE_TOOL.to_owned(), CUT.to_owned(), as_events).await;
        let test = TestSession::of(server).await;
        let result = returned(promptly(test.call("t", "{}")).await);
        assert!(result.as_str().contains("a\u{fffd} b"), "{result}");
        test.end().await;
        serving.abort();
    }
}

/// What a polite server does with each line: it greets, answers `tools/list`, `tools/call` and
/// `resources/read` with its arguments, each a member of the message, and ends with its input, as servers do.
const POLITE: &str = r#"
        while IFS= read -r line; do
            id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
            case "$line" in
                *'"initialize"'*) answer='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"p","version":"1"}}' ;;
                *'"tools/list"'*) answer="$1" ;;
                *'"tools/call"'*) answer="$2" ;;
                *'"resources/read"'*) answer="$3" ;;
                *) answer= ;;
            esac
            if [ -n "$answer" ]; then printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$answer"; fi
        done"#;

fn polite(listed: &str, called: &str) -> McpServer {
    let mut server = McpServer::stdio("polite", "sh", ["-c", POLITE, "sh", listed, called]);
    server.patience = Duration::from_secs(20);
    server
}

#[tokio::test]
async fn a_slow_session_does_not_delay_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let marker = folder.path().join("slow");
    let text = format!(r#"if [ -e "{}" ]; then sleep 60; fi; {POLITE}"#, marker.display());
    let listed = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let called = r#""result":{"content":[{"type":"text","text":"done"}]}"#;
    let mut server = McpServer::stdio("polite", "sh", ["-c", &text, "sh", listed, called]);
    server.patience = Duration::from_secs(40);
    let test = TestSession::of(server).await;
    std::fs::write(&marker, "").expect("written");
    let (source, slow) = (Arc::clone(&test.source), SessionId::parse("slow").expect("valid"));
    let opening =
        tokio::spawn(async move { source.open_session(&slow, &SessionSeed::default()).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let called = tokio::time::timeout(Duration::from_secs(15), test.call("t", "{}")).await;
    assert!(
        returned(called.expect("it does not wait for other sessions")).as_str().contains("done")
    );
    assert!(!opening.is_finished(), "it was to take long");
    tokio::time::timeout(Duration::from_secs(15), test.end()).await.expect("nor does the end");
    opening.abort();
}

#[tokio::test]
async fn reports_the_reason_and_not_the_shutdown_of_a_server() {
    // Ends with its input, with status 0.
    let fault = refused(script("cat > /dev/null")).await;
    assert!(fault.reason.contains("did not respond within 2 s"), "{fault:?}");

    let boom = r#""error":{"code":-32603,"message":"boom"}"#;
    let fault = refused(polite(boom, "")).await;
    assert!(fault.reason.contains("its tools cannot be listed: boom (code -32603)"), "{fault:?}");

    let round = r#""result":{"tools":[{"name":"t","inputSchema":{}}],"nextCursor":"c"}"#;
    let fault = refused(polite(round, "")).await;
    assert!(fault.reason.contains("it repeats the `nextCursor` \"c\""), "{fault:?}");

    let fault = refused(polite(r#""result":{"tools":5}"#, "")).await;
    assert!(fault.reason.contains("is not a list of tools"), "{fault:?}");

    // It greets, but never lists its tools.
    let mut hanging = polite("", "");
    hanging.patience = Duration::from_secs(3);
    let fault = refused(hanging).await;
    assert!(fault.reason.contains("but not to `tools/list` within 3 s"), "{fault:?}");
}

#[tokio::test]
async fn lists_the_tools_that_adk_does_not_see() {
    // The second page is requested with the cursor of the first.
    let paged = r#"
        case "$line" in *'"cursor"'*) set -- "$2" "$2" ;; esac
        answer="$1""#;
    let text = POLITE.replace(r#"answer="$1""#, paged);
    let page = |names: &[&str], rest: &str| {
        let tools = names.iter().map(|name| format!(r#"{{"name":"{name}","inputSchema":{{}}}}"#));
        format!(r#""result":{{"tools":[{}]{rest}}}"#, tools.collect::<Vec<_>>().join(","))
    };
    let first =
        page(&["a", "transfer_to_agent", "set_model_response", "a"], r#","nextCursor":"c""#);
    let second = page(&["b", "c"], "");
    let mut server = McpServer::stdio("paged", "sh", ["-c", &text, "sh", &first, &second]);
    server.patience = Duration::from_secs(20);
    server.tools = Some(["a", "b", "transfer_to_agent"].map(str::to_owned).to_vec());
    let source = McpSource::new(McpAgent::new("tester").server(server));
    let unseen = source.unseen_by_adk().await.expect("the server can be used");
    let expected = [
        "the tool transfer_to_agent of paged: ADK reserves its name",
        "the tool a of paged: the server lists it twice; ADK declares both, which model providers reject",
        "the tool b of paged: ADK reads only the first page of a server's tools",
    ];
    assert_eq!(unseen, expected);
}

#[tokio::test]
async fn shows_what_a_server_says_about_its_use() {
    let said = POLITE.replace(r#""serverInfo""#, r#""instructions":"Read {first}. ","serverInfo""#);
    let mut server =
        McpServer::stdio("polite", "sh", ["-c", &said, "sh", r#""result":{"tools":[]}"#]);
    server.patience = Duration::from_secs(20);
    for is_included in [false, true] {
        server.include_instructions = is_included;
        let test = TestSession::of(server.clone()).await;
        let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
        let view = view.expect("open already");
        let expected = ServerInstructions {
            server: "polite".into(),
            text: "Read {first}.".into(),
            is_included,
        };
        assert_eq!(view.server_instructions, [expected]);
        assert_eq!(view.instruction.ends_with("\n\nRead {first}."), is_included, "{view:?}");
        assert_eq!(view.warnings, [""; 0]);
        test.end().await;
    }
}

#[tokio::test]
async fn warns_of_a_tool_that_a_server_lists_more_than_once() {
    let tool = r#"{"name":"t","description":"first","inputSchema":{"type":"object"}}"#;
    let listed = format!(r#""result":{{"tools":[{tool},{}]}}"#, tool.replace("first", "second"));
    let test = TestSession::of(polite(&listed, "")).await;
    let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
    let view = view.expect("open already");
    let warning = "The server polite lists the tool t more than once. Only the first one is used.";
    assert_eq!(view.warnings, [warning]);
    assert_eq!(view.tools.len(), 1);
    assert_eq!(view.tools[0].description, "first");
    test.end().await;
}

#[tokio::test]
async fn keeps_the_last_output_of_a_server_that_ended() {
    // More than a pipe holds, so that reading it takes longer than noticing the end.
    let text = "yes 'a line of a long complaint' | head -n 20000 >&2; echo no database >&2; exit 4";
    for _ in 0..10 {
        let fault = refused(script(text)).await;
        assert!(fault.reason.contains("exit status 4"), "{fault:?}");
        let output = fault.traceback.expect("it wrote something");
        assert!(output.ends_with("no database"), "{output}");
    }
}

#[tokio::test]
async fn leaves_out_invalid_tools_with_a_warning() {
    let listed = r#""result":{"tools":[{"name":"good","inputSchema":{"type":"object"}},
        {"name":"bool","inputSchema":true},{"name":"none"},{"name":5,"inputSchema":{}}]}"#;
    let test = TestSession::of(polite(&listed.replace('\n', " "), "")).await;
    let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
    let view = view.expect("open already");
    let names: Vec<&str> = view.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["good"]);
    for expected in
        ["The tool bool of polite is left out: its `inputSchema`", "The tool none of polite"]
    {
        assert!(
            view.warnings.iter().any(|it| it.contains(expected)),
            "{expected}: {:?}",
            view.warnings
        );
    }
    assert_eq!(view.warnings.len(), 3, "{:?}", view.warnings);
    test.end().await;
}

#[tokio::test]
async fn keeps_a_result_with_output_schema_violations() {
    let listed = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"g":{"type":"number"}},"required":["g","unit"]}}]}"#;
    let broken = r#""result":{"content":[],"structuredContent":{"g":"1"}}"#;
    let test = TestSession::of(polite(listed, broken)).await;
    let report = test.call("t", "{}").await;
    let mut places: Vec<&str> = report.broken.iter().map(|it| it.pointer.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["/g", "/unit"]);
    assert!(returned(report).as_str().contains(r#""structuredContent":{"g":"1"}"#));
    test.end().await;

    let kept = r#""result":{"content":[],"structuredContent":{"g":1,"unit":"g"}}"#;
    let test = TestSession::of(polite(listed, kept)).await;
    assert_eq!(test.call("t", "{}").await.broken, []);
    test.end().await;

    // A failed result is not checked.
    let failing = r#""result":{"content":[{"type":"text","text":"no"}],"isError":true}"#;
    let test = TestSession::of(polite(listed, failing)).await;
    let report = test.call("t", "{}").await;
    assert_eq!(report.broken, []);
    assert_eq!(failed(report).message, "no");
    test.end().await;
}

#[tokio::test]
async fn offers_a_protocol_version_with_initialize() {
    let text = r#"
        while IFS= read -r line; do
            case "$line" in
                *'"initialize"'*)
                    printf '%s\n' "$line" | sed 's/.*"protocolVersion":"\([0-9-]*\)".*/offered \1/' >&2
                    exit 3 ;;
            esac
        done"#;
    let fault = refused(script(text)).await;
    let actual = format!("{fault:?}");
    assert!(actual.contains("offered 2025-11-25"), "{actual}");
}

#[tokio::test]
async fn structured_content_keeps_its_digits() {
    let listed = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let exact =
        r#"{"big":123456789012345678901234567890,"fine":0.12345678901234567890,"price":1.10}"#;
    let called = format!(r#""result":{{"content":[],"structuredContent":{exact}}}"#);
    let test = TestSession::of(polite(listed, &called)).await;
    let result = returned(test.call("t", "{}").await);
    assert_eq!(
        result.as_str(),
        format!(r#"{{"content":[],"structuredContent":{exact},"isError":false}}"#)
    );
    test.end().await;
}

#[tokio::test]
async fn numbers_reach_a_server_with_their_digits() {
    let Some(program) = everything() else { return };
    let folder = tempfile::tempdir().expect("made");
    let received = folder.path().join("received");
    // Written to the file first, so that a line which the server responds to is in it. `tee` does it the other way.
    let text = format!(
        r#"while IFS= read -r line; do printf '%s\n' "$line" >>'{0}'; printf '%s\n' "$line"; done | '{program}' stdio"#,
        received.display()
    );
    let mut server = McpServer::stdio("everything", "sh", ["-c", &text]);
    server.patience = Duration::from_secs(30);
    let test = TestSession::of(server).await;
    let arguments = r#"{"a":3.14159265358979323846,"b":1e-400}"#;
    let sum = returned(test.call("get-sum", arguments).await);
    assert!(sum.as_str().contains("3.141592653589793"), "{sum}");
    let values = r#"{"name":"Ada","number":1.10}"#;
    let answer = Answer::Accept(Some(JsonText::parse(values).expect("JSON")));
    let (_, report) = test.asked("trigger-elicitation-request", "{}", answer).await;
    assert!(returned(report).as_str().contains("Favorite Number: 1.1"));
    let received = std::fs::read_to_string(&received).expect("written");
    assert!(received.contains(&format!(r#""arguments":{arguments}"#)), "{received}");
    assert!(received.contains(&format!(r#""content":{values}"#)), "{received}");
    test.end().await;
}

#[tokio::test]
async fn numbers_reach_a_server_over_http_with_their_digits() {
    let listed = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let called = r#"{"content":[],"structuredContent":{"received":REQUEST}}"#;
    let (server, serving) = over_http(listed.to_owned(), called.to_owned(), false).await;
    let test = TestSession::of(server).await;
    let arguments = r#"{"n":[3.14159265358979323846,1e-400,123456789012345678901,1.10]}"#;
    let received = returned(test.call("t", arguments).await);
    assert!(received.as_str().contains(&format!(r#""arguments":{arguments}"#)), "{received}");
    test.end().await;
    serving.abort();
}

#[tokio::test]
async fn warns_about_a_missing_root() {
    let mut server = polite(&format!("\"result\":{ONE_TOOL}"), "");
    server.roots = vec![std::env::temp_dir(), "/no/such/folder".into()];
    let test = TestSession::of(server).await;
    let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
    let warnings = view.expect("open already").warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let expected = "The folder /no/such/folder in `roots` of polite does not exist";
    assert!(warnings[0].contains(expected), "{warnings:?}");
    test.end().await;
}

#[tokio::test]
async fn warns_about_unchecked_parts_of_a_schema() {
    let listed = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"code":{"type":"string","pattern":"("},"n":{"type":"integer"}}}}]}"#;
    let test = TestSession::of(polite(listed, "")).await;
    let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
    let warnings = view.expect("open already").warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let expected = "The input schema of t: The schema at /properties/code is not checked";
    assert!(warnings[0].contains(expected), "{warnings:?}");
    test.end().await;
}

#[tokio::test]
async fn warns_about_unchecked_parts_of_the_agents_schemas() {
    let listed = r#""result":{"tools":[]}"#;
    let odd = r#"{"type":"object","properties":{"code":{"type":"string","pattern":"("}}}"#;
    let mut agent = McpAgent::new("odd").server(polite(listed, ""));
    agent.input_schema = Some(JsonText::parse(odd).expect("JSON"));
    agent.output_schema = Some(JsonText::parse(r#"{"type":"string"}"#).expect("JSON"));
    let source = McpSource::new(agent);
    source
        .load(&SessionSeed::default(), Arc::new(AgentLog::default()))
        .await
        .expect("the agent loads");
    let session = SessionId::parse("s").expect("valid");
    let view = source.open_session(&session, &SessionSeed::default()).await.expect("opens");
    let expected = "The agent's input schema: The schema at /properties/code is not checked";
    assert_eq!(view.warnings.len(), 1, "{:?}", view.warnings);
    assert!(view.warnings[0].contains(expected), "{:?}", view.warnings);
    source.close_session(&session).await;
    source.shut_down().await;
}

#[tokio::test]
async fn a_form_keeps_its_schema_and_lists_unchecked_parts() {
    let question = r#""method":"elicitation/create","params":{"message":"Which?","requestedSchema":
        {"type":"object","properties":{"z":{"type":"string","pattern":"^[A-Z]+$"},
        "a":{"type":"string","pattern":"("}}}}"#;
    let test = TestSession::of(asking(&question.replace('\n', " "))).await;
    let (source, call) = (Arc::clone(&test.source), test.invocation("ask", "{}"));
    let running =
        tokio::spawn(async move { source.call_tool(call, CancellationToken::new()).await });
    let asked = test.wait_for_event(|event| matches!(event, SourceEvent::Asked(_))).await;
    let SourceEvent::Asked(question) = asked else { panic!("asked") };
    let Asks::Form { schema, unchecked, .. } = question.asks else { panic!("a form") };
    let text = schema.as_str();
    assert!(text.find("\"z\"") < text.find("\"a\""), "in the server's order: {text}");
    assert_eq!(unchecked.len(), 1, "{unchecked:?}");
    assert!(unchecked[0].contains("/properties/a is not checked"), "{unchecked:?}");
    let answer = |text: &str| Answer::Accept(Some(JsonText::parse(text).expect("JSON")));
    let refused = test.source.answer(&test.session, question.number, answer(r#"{"z":"low"}"#));
    let Err(AnswerError::Invalid(messages)) = refused.await else { panic!("the pattern holds") };
    assert_eq!(messages[0].pointer, "/z");
    let taken = test.source.answer(&test.session, question.number, answer(r#"{"z":"UP"}"#));
    taken.await.expect("taken");
    assert!(returned(running.await.expect("runs")).as_str().contains("UP"));
    test.end().await;
}

/// A server that answers a call with a question, and the call with what it was answered.
fn asking(question: &str) -> McpServer {
    let text = r#"
        while IFS= read -r line; do
            id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
            case "$line" in
                *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"p","version":"1"}}}\n' "$id" ;;
                *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
                *'"tools/call"'*) call=$id; printf '{"jsonrpc":"2.0","id":"q",%s}\n' "$1" ;;
                *'"id":"q"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":%s}}\n' "$call" "$line" ;;
            esac
        done"#;
    let mut server = McpServer::stdio("asking", "sh", ["-c", text, "sh", question]);
    server.patience = Duration::from_secs(20);
    server
}

#[tokio::test]
async fn rejects_invalid_questions_with_the_reason() {
    let form = |schema: &str| {
        format!(
            r#""method":"elicitation/create","params":{{"message":"Which?","requestedSchema":{schema}}}"#
        )
    };
    let nested = r#"{"type":"object","properties":{"home":{"type":"object","properties":{"no":{"type":"string"}}}}}"#;
    let empty = r#"{"type":"object","properties":{"kind":{"type":"string","enum":[]}}}"#;
    let alien = r#""method":"sampling/createMessage","params":{"maxTokens":9,"messages":[{"role":"alien","content":{"type":"text","text":"?"}}]}"#;
    for (question, reason) in [
        (form(nested), "the property `home`"),
        (form(empty), "the property `kind`"),
        (r#""method":"elicitation/create","params":{"message":"?"}"#.to_owned(), "requestedSchema"),
        (alien.to_owned(), "alien"),
    ] {
        let test = TestSession::of(asking(&question)).await;
        let answered = returned(test.call("ask", "{}").await).to_value().expect("JSON");
        let error = &answered["structuredContent"]["error"];
        assert_eq!(error["code"], -32602, "{question}: {answered}");
        let message = error["message"].as_str().expect("a reason");
        assert!(message.contains(reason), "{message}");
        assert!(test.log_text().contains(reason), "{}", test.log_text());
        test.end().await;
    }
}

#[tokio::test]
async fn keeps_blocks_of_unknown_types() {
    let listed = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let called = r#""result":{"content":[{"type":"text","text":"seen"},{"type":"hologram"}]}"#;
    let test = TestSession::of(polite(listed, called)).await;
    let result = returned(test.call("t", "{}").await).to_value().expect("JSON");
    assert_eq!(result["content"][0]["text"], "seen");
    assert_eq!(result["content"][1]["type"], "hologram");
    test.end().await;
}

/// A server in Python, with the SDK that google-adk uses, over HTTP with SSE.
const SSE_SERVER: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/python/fixtures/sse_server.py");

#[tokio::test]
async fn a_server_over_http_with_sse_is_used() {
    let Some(python) = test_needs::python() else { return };
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr();
    let port = free.expect("an address").port();
    let mut program = tokio::process::Command::new(python);
    program.args([SSE_SERVER, &port.to_string()]).kill_on_drop(true);
    let mut running = program.spawn().expect("starts");
    let begun = std::time::Instant::now();
    while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the server does not start");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut server = McpServer::http("clock", format!("http://127.0.0.1:{port}/sse"));
    if let McpTransport::Http { sse, .. } = &mut server.transport {
        *sse = true;
    }
    let test = TestSession::of(server.clone()).await;
    let result = returned(test.call("wait", r#"{"seconds":3}"#).await).to_value().expect("JSON");
    assert_eq!(result["content"][0]["text"], "waited 3 s");
    let progress = test.events.lock().expect("no panic").iter().any(|event| {
        matches!(event, SourceEvent::Progress(progress) if progress.message.as_deref() == Some("half"))
    });
    assert!(progress, "progress comes over the stream");
    let tool = ToolName::parse("wait").expect("valid");
    let read = test.source.read_resource(&test.session, &tool, "clock://dial").await;
    let read = read.expect("a resource");
    assert_eq!((read[0].mime_type.as_str(), read[0].is_text), ("image/svg+xml", false));
    assert!(read[0].bytes.starts_with(b"<svg "), "{read:?}");

    // A response beyond the limit ends its call, and the next call connects again.
    let failure = failed(promptly(test.call("write", r#"{"characters":17000000}"#)).await);
    assert!(failure.message.contains("longer than 16 MB, the limit"), "{failure:?}");
    let short = returned(promptly(test.call("write", r#"{"characters":3}"#)).await);
    assert!(short.as_str().contains("xxx"), "{short}");

    // The wrong transport, and a server that is gone.
    let mut elsewhere = server;
    if let McpTransport::Http { url, .. } = &mut elsewhere.transport {
        *url = format!("http://127.0.0.1:{port}/none");
    }
    elsewhere.patience = Duration::from_secs(5);
    let fault = refused(elsewhere).await;
    assert!(fault.reason.contains("returned HTTP 404 Not Found"), "{fault:?}");
    running.kill().await.expect("ends");
    let CallProgress::Failed(failure) = test.call("wait", r#"{"seconds":3}"#).await.progress else {
        panic!("the server is gone")
    };
    assert_eq!(failure.error_type, ToolError::SERVER_UNUSABLE, "{failure:?}");
    test.end().await;
}

#[tokio::test]
async fn reports_why_a_server_cannot_be_used() {
    let missing = McpServer::stdio("none", "no-such-program-here", [""; 0]);
    assert!(refused(missing).await.reason.contains("there is no program `no-such-program-here`"));

    let with_arguments = McpServer::stdio("none", "no-such-program-here -y \"a b\"", [""; 0]);
    let expected = "write `command = \"no-such-program-here\"` and `args = [\"-y\", ";
    let fault = refused(with_arguments).await;
    assert!(fault.reason.contains(expected), "{fault:?}");

    let with_path = McpServer::stdio("none", "/bin/sh -c true", [""; 0]);
    let fault = refused(with_path).await;
    assert!(fault.reason.contains("write `command = \"/bin/sh\"`"), "{fault:?}");

    let fault = refused(script("echo 'no key' >&2; exit 3")).await;
    assert!(fault.reason.contains("exit status 3"), "{fault:?}");
    assert_eq!(fault.traceback.as_deref(), Some("no key"));

    let fault = refused(script("echo Welcome to my server!; sleep 60")).await;
    assert!(
        fault.reason.contains("not an MCP message: `Welcome to my server!`. Write"),
        "{fault:?}"
    );

    let fault = refused(script("sleep 60")).await;
    assert!(fault.reason.contains("did not respond within 2 s"), "{fault:?}");

    let mut elsewhere = script("true");
    if let McpTransport::Stdio { cwd, .. } = &mut elsewhere.transport {
        *cwd = Some("/no/such/folder".into());
    }
    assert!(refused(elsewhere).await.reason.contains("/no/such/folder"));

    let mut closed = McpServer::http("gone", "http://127.0.0.1:9/mcp");
    closed.patience = Duration::from_secs(5);
    let fault = refused(closed).await;
    let expected = "http://127.0.0.1:9/mcp cannot be reached: Connection refused";
    assert!(fault.reason.contains(expected), "{fault:?}");

    let mut locked = McpServer::http("locked", "http://127.0.0.1:9/mcp");
    if let McpTransport::Http { bearer_token_env, .. } = &mut locked.transport {
        *bearer_token_env = Some("REHEARSAL_NO_SUCH_TOKEN".to_owned());
    }
    assert!(refused(locked).await.reason.contains("REHEARSAL_NO_SUCH_TOKEN is not set"));
}

#[tokio::test]
async fn an_instruction_file_is_watched_and_read_at_each_load() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("instruction.md");
    std::fs::write(&file, "Be brief.").expect("written");
    let agent = McpAgent { instruction_file: Some(file.clone()), ..McpAgent::new("tester") };
    let (source, seed) = (McpSource::new(agent), SessionSeed::default());
    let load = || source.load(&seed, Arc::new(AgentLog::default()));
    let (old, new) = (SessionId::parse("old"), SessionId::parse("new"));
    let (old, new) = (old.expect("valid"), new.expect("valid"));
    load().await.expect("loads");
    let before = source.fingerprint(Path::new("none"));
    assert_eq!(source.open_session(&old, &seed).await.expect("opens").instruction, "Be brief.");
    assert!(before.is_some() && source.fingerprint(Path::new("none")) == before);

    std::fs::write(&file, "Be thorough.").expect("written");
    assert_ne!(source.fingerprint(Path::new("none")), before);
    load().await.expect("loads");
    assert_eq!(source.open_session(&new, &seed).await.expect("opens").instruction, "Be thorough.");
    let kept = source.begin_invocation(&old, "Hello").await.expect("begins");
    assert_eq!(kept.instruction, "Be brief.", "an open session keeps its instruction");

    std::fs::remove_file(&file).expect("removed");
    let fault = load().await.expect_err("it cannot be read").reason;
    assert!(fault.contains(&file.display().to_string()), "{fault}");
    source.shut_down().await;
}
