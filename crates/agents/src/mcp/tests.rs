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
    AgentLog, AgentSource, AnswerError, CallProgress, CallReport, Reporter, SessionSeed,
    ToolFailure, ToolInvocation,
};

/// The server to test with.
fn everything() -> Option<String> {
    let program = test_needs::mcp_programs()?.join("mcp-server-everything");
    Some(program.to_string_lossy().into_owned())
}

struct Stage {
    source: Arc<McpSource>,
    log: Arc<AgentLog>,
    told: Arc<Mutex<Vec<SourceEvent>>>,
    session: SessionId,
}

impl Stage {
    async fn everything() -> Option<Self> {
        let mut server = McpServer::stdio("everything", everything()?, ["stdio"]);
        server.roots = vec![std::env::temp_dir()];
        Some(Self::of(server).await)
    }

    async fn of(server: McpServer) -> Self {
        let agent = McpAgent::new("tester").instruction("Serve {owner}.").server(server);
        let source = Arc::new(McpSource::new(agent));
        let told: Arc<Mutex<Vec<SourceEvent>>> = Arc::default();
        let listener = Arc::clone(&told);
        source.report_to(Reporter::new(move |event| {
            listener.lock().expect("nobody panicked").push(event);
        }));
        let log = Arc::new(AgentLog::default());
        source.load(&SessionSeed::default(), Arc::clone(&log)).await.expect("the agent loads");
        let session = SessionId::parse("s").expect("valid");
        let seed = SessionSeed {
            user_id: "user".to_owned(),
            state: [("owner".to_owned(), JsonText::string("Ada"))].into(),
        };
        source.open_session(&session, &seed).await.expect("opens");
        Self { source, log, told, session }
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

    fn told(&self) -> Vec<SourceEvent> {
        self.told.lock().expect("nobody panicked").clone()
    }

    /// How far of four steps the tools said that they were.
    fn dones(&self) -> Vec<f64> {
        let told = self.told().into_iter();
        told.filter_map(|event| match event {
            SourceEvent::Progress(progress) => {
                assert_eq!(progress.total, Some(4.0));
                progress.done
            }
            _ => None,
        })
        .collect()
    }

    /// What the tools said that they were doing.
    fn messages(&self) -> Vec<String> {
        let told = self.told().into_iter();
        told.filter_map(|event| match event {
            SourceEvent::Progress(progress) => progress.message,
            _ => None,
        })
        .collect()
    }

    async fn until_told(&self, mut is_it: impl FnMut(&SourceEvent) -> bool) -> SourceEvent {
        loop {
            if let Some(event) = self.told().into_iter().find(|event| is_it(event)) {
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
async fn the_model_would_see_what_adk_declares() {
    let Some(stage) = Stage::everything().await else { return };
    let view = stage.source.open_session(&stage.session, &SessionSeed::default()).await;
    let view = view.expect("open already");
    assert_eq!(view.instruction, "Serve Ada.");
    let echo = view.tools.iter().find(|tool| tool.name.as_str() == "echo").expect("listed");
    assert_eq!(echo.provided_by, "everything");
    let declaration = echo.declaration.to_value().expect("JSON");
    assert_eq!(declaration["parameters_json_schema"]["required"], serde_json::json!(["message"]));
    let structured = view.tools.iter().find(|tool| tool.response_schema.is_some());
    assert!(structured.is_some(), "an output schema is passed on");
    assert!(view.tools.iter().any(|tool| tool.title.is_some()));
    stage.end().await;
}

#[tokio::test]
async fn results_of_every_kind_reach_the_model_whole() {
    let Some(stage) = Stage::everything().await else { return };
    let echo = returned(stage.call("echo", r#"{"message": "hällo"}"#).await);
    let echo = echo.to_value().expect("JSON");
    assert_eq!(echo["content"][0]["text"], "Echo: hällo");
    assert_eq!(echo["isError"], false);
    let image = returned(stage.call("get-tiny-image", "{}").await).to_value().expect("JSON");
    let image = image["content"].as_array().expect("a list").iter();
    let mut image = image.filter(|part| part["type"] == "image");
    assert_eq!(image.next().expect("an image")["mimeType"], "image/png");
    let links = returned(stage.call("get-resource-links", r#"{"count": 2}"#).await);
    assert!(links.as_str().contains("resource_link"));
    let reference = r#"{"resourceType": "Text", "resourceId": 1}"#;
    let resource = returned(stage.call("get-resource-reference", reference).await);
    assert!(resource.as_str().contains(r#""type":"resource""#));
    let structured =
        returned(stage.call("get-structured-content", r#"{"location": "New York"}"#).await);
    assert!(structured.to_value().expect("JSON")["structuredContent"]["temperature"].is_number());
    stage.end().await;
}

#[tokio::test]
async fn an_error_result_is_the_tools_failure() {
    let Some(stage) = Stage::everything().await else { return };
    let failure = failed(stage.call("get-sum", r#"{"a": "x"}"#).await);
    assert!(["ToolError", "McpError"].contains(&failure.error_type.as_str()), "{failure:?}");
    assert!(failure.message.contains("Invalid"), "{failure:?}");
    stage.end().await;
}

#[tokio::test]
async fn progress_is_told_and_a_cancel_reaches_the_server() {
    let Some(stage) = Stage::everything().await else { return };
    let steps = r#"{"duration": 0.4, "steps": 4}"#;
    returned(stage.call("trigger-long-running-operation", steps).await);
    let dones = stage.dones();
    assert!(dones.len() >= 3 && dones.is_sorted(), "{dones:?}");

    let cancel = CancellationToken::new();
    let call =
        stage.invocation("trigger-long-running-operation", r#"{"duration": 600, "steps": 600}"#);
    let running = stage.source.call_tool(call, cancel.clone());
    let ended = tokio::join!(running, async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancel.cancel();
    });
    assert_eq!(failed(ended.0).error_type, ToolError::CANCELLED);
    // The connection is as good as before.
    returned(stage.call("echo", r#"{"message": "again"}"#).await);
    stage.end().await;
}

#[tokio::test]
async fn a_tool_that_runs_as_a_task_only_is_followed_to_its_result() {
    let Some(stage) = Stage::everything().await else { return };
    let report = returned(stage.call("simulate-research-query", r#"{"topic": "tides"}"#).await);
    let report = report.to_value().expect("JSON");
    let text = report["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("# Research Report: tides"), "{text}");
    assert_eq!(report.get("meta"), None, "the task's name is chance");
    let messages = stage.messages();
    assert_eq!(messages.first().map(String::as_str), Some("Gathering sources..."), "{messages:?}");
    assert!(messages.contains(&"Generating report...".to_owned()), "{messages:?}");
    stage.end().await;
}

#[tokio::test]
async fn a_task_asks_the_person_and_goes_on_with_the_answer() {
    let Some(stage) = Stage::everything().await else { return };
    let answer = JsonText::parse(r#"{"interpretation": "snake"}"#).expect("JSON");
    let arguments = r#"{"topic": "python", "ambiguous": true}"#;
    let (question, report) =
        stage.asked("simulate-research-query", arguments, Answer::Accept(Some(answer))).await;
    let Asks::Form { message, schema, .. } = question.asks else { panic!("a form") };
    assert!(message.contains("multiple interpretations"), "{message}");
    assert!(schema.as_str().contains("Python snake species"), "{schema}");
    assert_eq!(question.call_id, CallId::parse("c1").ok());
    let report = returned(report);
    assert!(report.as_str().contains("Research Report: python (snake)"), "{report}");
    assert!(stage.messages().iter().any(|said| said.contains("Requesting clarification")));
    stage.end().await;
}

#[tokio::test]
async fn a_task_is_followed_over_http_as_well() {
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
    let stage =
        Stage::of(McpServer::http("everything", format!("http://127.0.0.1:{port}/mcp"))).await;
    let answer = JsonText::parse(r#"{"interpretation": "comedy"}"#).expect("JSON");
    let arguments = r#"{"topic": "python", "ambiguous": true}"#;
    let (_, report) =
        stage.asked("simulate-research-query", arguments, Answer::Accept(Some(answer))).await;
    let report = returned(report);
    assert!(report.as_str().contains("Research Report: python (comedy)"), "{report}");
    assert!(stage.messages().contains(&"Generating report...".to_owned()));
    stage.end().await;
    server.kill().await.expect("killed");
}

#[tokio::test]
async fn a_task_that_is_cancelled_is_called_off_and_takes_its_question_along() {
    let Some(stage) = Stage::everything().await else { return };
    let cancel = CancellationToken::new();
    let call = stage.invocation("simulate-research-query", r#"{"topic": "x", "ambiguous": true}"#);
    let (source, token) = (Arc::clone(&stage.source), cancel.clone());
    let running = tokio::spawn(async move { source.call_tool(call, token).await });
    let asked = stage.until_told(|event| matches!(event, SourceEvent::Asked(_))).await;
    let SourceEvent::Asked(question) = asked else { panic!("asked") };
    cancel.cancel();
    assert_eq!(failed(running.await.expect("runs")).error_type, ToolError::CANCELLED);
    assert!(stage.source.questions(&stage.session).await.is_empty());
    let number = question.number;
    stage
        .until_told(
            |event| matches!(event, SourceEvent::Withdrawn { number: it, .. } if *it == number),
        )
        .await;
    // The connection is as good as before.
    returned(stage.call("echo", r#"{"message": "again"}"#).await);
    stage.end().await;
}

#[tokio::test]
async fn a_server_asks_the_person_with_a_form() {
    let Some(stage) = Stage::everything().await else { return };
    let values = |text: &str| Answer::Accept(Some(JsonText::parse(text).expect("JSON")));
    let (question, report) =
        stage.asked("trigger-elicitation-request", "{}", values(r#"{"name": "Ada"}"#)).await;
    let Asks::Form { message, schema, .. } = question.asks else { panic!("a form") };
    assert!(!message.is_empty());
    assert_eq!(schema.to_value().expect("JSON")["required"], serde_json::json!(["name"]));
    assert!(returned(report).as_str().contains("Ada"));
    let (_, declined) = stage.asked("trigger-elicitation-request", "{}", Answer::Decline).await;
    assert!(returned(declined).as_str().contains("declined"));
    assert!(stage.source.questions(&stage.session).await.is_empty());
    let told = stage.told();
    let withdrawn = told.iter().filter(|event| matches!(event, SourceEvent::Withdrawn { .. }));
    assert_eq!(withdrawn.count(), 2, "every question is taken back once");
    stage.end().await;
}

#[tokio::test]
async fn an_answer_that_does_not_fit_leaves_the_question_open() {
    let Some(stage) = Stage::everything().await else { return };
    let cancel = CancellationToken::new();
    let (source, call) =
        (Arc::clone(&stage.source), stage.invocation("trigger-elicitation-request", "{}"));
    let token = cancel.clone();
    let running = tokio::spawn(async move { source.call_tool(call, token).await });
    let asked = stage.until_told(|event| matches!(event, SourceEvent::Asked(_))).await;
    let SourceEvent::Asked(question) = asked else { panic!("asked") };
    let empty = Answer::Accept(Some(JsonText::parse("{}").expect("JSON")));
    let refused = stage.source.answer(&stage.session, question.number, empty).await;
    let Err(AnswerError::Invalid(messages)) = refused else { panic!("{refused:?}") };
    assert_eq!(messages[0].pointer, "/name");
    assert_eq!(stage.source.questions(&stage.session).await.len(), 1);
    // A cancelled call takes its question with it.
    cancel.cancel();
    assert_eq!(failed(running.await.expect("runs")).error_type, ToolError::CANCELLED);
    let gone = stage.source.answer(&stage.session, question.number, Answer::Decline).await;
    assert!(gone.is_err() || stage.source.questions(&stage.session).await.is_empty());
    stage.end().await;
}

#[tokio::test]
async fn the_person_answers_as_the_model() {
    let Some(stage) = Stage::everything().await else { return };
    let (source, call) = (
        Arc::clone(&stage.source),
        stage.invocation("trigger-sampling-request", r#"{"prompt": "Who?", "maxTokens": 40}"#),
    );
    let running =
        tokio::spawn(async move { source.call_tool(call, CancellationToken::new()).await });
    let asked = stage.until_told(|event| matches!(event, SourceEvent::Asked(_))).await;
    let SourceEvent::Asked(question) = asked else { panic!("asked") };
    let Asks::Message(request) = question.asks else { panic!("a message") };
    assert_eq!(request.max_tokens, 40);
    assert!(
        request.messages.iter().any(|it| it.text.as_deref().is_some_and(|t| t.contains("Who?")))
    );
    let answer = Answer::Message("It was me, nonce 4711.".to_owned());
    stage.source.answer(&stage.session, question.number, answer).await.expect("taken");
    assert!(returned(running.await.expect("runs")).as_str().contains("nonce 4711"));
    stage.end().await;
}

#[tokio::test]
async fn roots_and_log_messages_reach_where_they_belong() {
    let Some(stage) = Stage::everything().await else { return };
    let roots = returned(stage.call("get-roots-list", "{}").await);
    assert!(roots.as_str().contains("file://"), "{roots}");
    returned(stage.call("toggle-simulated-logging", "{}").await);
    for _ in 0..800 {
        if stage.log_text().contains("[everything] ") && stage.log_text().contains("level") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(stage.log_text().contains("level"), "{}", stage.log_text());
    stage.end().await;
}

#[tokio::test]
async fn a_server_that_is_killed_fails_its_call_and_is_started_again() {
    let Some(program) = everything() else { return };
    let folder = tempfile::tempdir().expect("made");
    let pid = folder.path().join("pid");
    let text = format!("echo $$ > '{}'; exec '{program}' stdio", pid.display());
    let mut server = McpServer::stdio("everything", "sh", ["-c", &text]);
    server.patience = Duration::from_secs(30);
    let stage = Stage::of(server).await;
    for _ in 0..4 {
        returned(stage.call("echo", r#"{"message": "before"}"#).await);
    }
    let call =
        stage.invocation("trigger-long-running-operation", r#"{"duration": 600, "steps": 600}"#);
    let running = stage.source.call_tool(call, CancellationToken::new());
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
    returned(stage.call("echo", r#"{"message": "back"}"#).await);
    // The new connection counts its requests anew, which takes nothing from what they tell.
    stage.told.lock().expect("nobody panicked").clear();
    let steps = r#"{"duration": 0.4, "steps": 4}"#;
    returned(stage.call("trigger-long-running-operation", steps).await);
    let dones = stage.dones();
    assert!(dones.len() >= 3 && dones.is_sorted(), "{dones:?}");
    assert!(stage.log_text().contains("is started again"));
    stage.end().await;
}

#[tokio::test]
async fn a_filter_and_a_prefix_choose_and_name_the_tools() {
    let Some(program) = everything() else { return };
    let mut server = McpServer::stdio("everything", program, ["stdio"]);
    server.tools = Some(vec!["echo".to_owned(), "no-such".to_owned()]);
    server.tool_name_prefix = Some("ev".to_owned());
    let stage = Stage::of(server).await;
    let view = stage.source.open_session(&stage.session, &SessionSeed::default()).await;
    let view = view.expect("open already");
    let names: Vec<&str> = view.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["ev_echo"]);
    assert!(view.warnings.iter().any(|warning| warning.contains("no-such")), "{:?}", view.warnings);
    returned(stage.call("ev_echo", r#"{"message": "hi"}"#).await);
    stage.end().await;
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
async fn a_tool_nested_beyond_reading_keeps_the_others_and_says_why() {
    let folder = tempfile::tempdir().expect("made");
    let stage = Stage::of(deep_server(300, folder.path())).await;
    let view = stage.source.open_session(&stage.session, &SessionSeed::default()).await;
    let view = view.expect("open already");
    let names: Vec<&str> = view.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["flat", "deep"]);
    let reason = "The tool deep cannot be called: its `inputSchema` is nested 301 levels deep";
    assert!(view.tools[1].description.contains(reason), "{:?}", view.tools[1]);
    assert!(view.warnings.iter().any(|it| it.contains(reason)), "{:?}", view.warnings);
    let failure = failed(stage.call("deep", "{}").await);
    assert!(failure.message.contains(reason), "{failure:?}");
    // A response that is nested too deep fails its call. The connection stays.
    let failure = failed(stage.call("flat", "{}").await);
    assert!(failure.message.contains("nested deeper than 127 levels"), "{failure:?}");
    stage.end().await;
}

/// The same server over HTTP, which answers with one JSON document or with a stream of events.
async fn deep_over_http(levels: usize, as_events: bool) -> (McpServer, JoinHandle<()>) {
    let schema = format!("{}{{}}{}", r#"{"items":"#.repeat(levels), "}".repeat(levels));
    let listed = format!(
        r#"{{"tools":[{{"name":"flat","inputSchema":{{"type":"object"}}}},{{"name":"deep","inputSchema":{schema}}}]}}"#
    );
    over_http(listed, format!(r#"{{"content":[],"structuredContent":{schema}}}"#), as_events).await
}

/// A server over HTTP with the result of `tools/list` and that of `tools/call`.
async fn over_http(listed: String, called: String, as_events: bool) -> (McpServer, JoinHandle<()>) {
    let answer = move |body: String| {
        let asked: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        let result = match asked["method"].as_str() {
            Some("initialize") => r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"d","version":"1"}}"#.to_owned(),
            Some("tools/list") => listed.clone(),
            Some("tools/call") => called.clone(),
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
async fn over_http_a_deep_tool_keeps_the_others_as_well() {
    for as_events in [true, false] {
        let (server, serving) = deep_over_http(300, as_events).await;
        let stage = Stage::of(server).await;
        let view = stage.source.open_session(&stage.session, &SessionSeed::default()).await;
        let tools = view.expect("open already").tools;
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["flat", "deep"], "as events: {as_events}");
        assert!(tools[1].description.contains("nested 301 levels deep"), "{:?}", tools[1]);
        let failure = failed(stage.call("flat", "{}").await);
        assert!(
            failure.message.contains("nested deeper than 127 levels"),
            "as events: {as_events}: {failure:?}"
        );
        stage.end().await;
        serving.abort();
    }
}

type Headers = Vec<(&'static str, &'static str)>;

/// What a server over HTTP answers that is no answer: status, headers, body, and the reason told.
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
async fn over_http_a_call_and_the_greeting_tell_what_went_wrong_in_the_same_words() {
    for (status, headers, body, reason) in wrong_answers() {
        let (server, serving) =
            wrong_over_http("tools/call", status, headers.clone(), body.clone()).await;
        let stage = Stage::of(server).await;
        let failure = failed(promptly(stage.call("t", "{}")).await);
        assert!(failure.message.contains(reason), "{failure:?}");
        assert_ne!(failure.error_type, ToolError::SERVER_EXITED, "no process ended: {failure:?}");
        stage.end().await;
        serving.abort();

        let (server, serving) = wrong_over_http("initialize", status, headers, body).await;
        let fault = promptly(refused(server)).await;
        assert!(fault.reason.contains(reason), "{fault:?}");
        assert!(!fault.reason.contains("cannot be reached"), "{fault:?}");
        serving.abort();
    }
}

#[tokio::test]
async fn an_answer_to_what_nobody_asked_is_told() {
    let stray = "{\"jsonrpc\":\"2.0\",\"id\":999999,\"result\":{}";
    let listed = format!("\"result\":{ONE_TOOL}}}\n{stray}");
    let stage = Stage::of(polite(&listed, "\"result\":{\"content\":[]}")).await;
    returned(promptly(stage.call("t", "{}")).await);
    let expected = "sent a response with the unknown request id 999999";
    assert!(stage.log_text().contains(expected), "{}", stage.log_text());
    assert_eq!(
        stage.log_text().matches("unknown request id 999999").count(),
        2,
        "once a connection"
    );
    stage.end().await;
}

#[tokio::test]
async fn a_server_over_http_that_is_gone_is_told_as_at_the_greeting() {
    let result = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;
    let json = vec![("content-type", "application/json")];
    let (server, serving) = wrong_over_http("tools/call", 200, json, result.to_owned()).await;
    let stage = Stage::of(server).await;
    returned(stage.call("t", "{}").await);
    serving.abort();
    let _ = serving.await;
    let failure = failed(promptly(stage.call("t", "{}")).await);
    assert_eq!(failure.error_type, ToolError::SERVER_UNUSABLE, "{failure:?}");
    assert!(failure.message.contains("/mcp cannot be reached: Connection refused"), "{failure:?}");
    assert!(failure.message.ends_with("Is it running?"), "{failure:?}");
    stage.end().await;
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
    waited.expect("nobody waits without end")
}

#[tokio::test]
async fn an_answer_that_no_parser_reads_fails_its_call_with_the_reason() {
    for (called, reason) in BEYOND_READING {
        let listed = format!("\"result\":{ONE_TOOL}");
        let stage = Stage::of(polite(&listed, &format!("\"result\":{called}"))).await;
        let failure = failed(promptly(stage.call("t", "{}")).await);
        assert_eq!(failure.error_type, "McpError", "{failure:?}");
        assert!(failure.message.contains(reason), "{failure:?}");
        assert!(stage.log_text().contains(reason), "{}", stage.log_text());
        stage.end().await;
    }
}

#[tokio::test]
async fn over_http_it_says_the_reason_as_well() {
    for (called, reason) in BEYOND_READING {
        for as_events in [true, false] {
            let (server, serving) =
                over_http(ONE_TOOL.to_owned(), called.to_owned(), as_events).await;
            let stage = Stage::of(server).await;
            let failure = failed(promptly(stage.call("t", "{}")).await);
            assert_eq!(failure.error_type, "McpError", "as events: {as_events}: {failure:?}");
            assert!(
                failure.message.contains("The server's response cannot be read: "),
                "{failure:?}"
            );
            assert!(failure.message.contains(reason), "{failure:?}");
            assert!(stage.log_text().contains("cannot be read"), "{}", stage.log_text());
            stage.end().await;
            serving.abort();
        }
    }
}

#[tokio::test]
async fn a_text_cut_through_an_emoji_is_read_and_told() {
    // A line that is no message goes before.
    let listed = format!("\"result\":{ONE_TOOL}}}\n{{\"half\":");
    let stage = Stage::of(polite(&listed, &format!("\"result\":{CUT}"))).await;
    let result = returned(promptly(stage.call("t", "{}")).await);
    assert!(result.as_str().contains("a\u{fffd} b"), "{result}");
    assert!(stage.log_text().contains("contains a lone surrogate"), "{}", stage.log_text());
    assert!(stage.log_text().contains("not a message: {\"half\":}"), "{}", stage.log_text());
    stage.end().await;

    for as_events in [true, false] {
        let (server, serving) = over_http(ONE_TOOL.to_owned(), CUT.to_owned(), as_events).await;
        let stage = Stage::of(server).await;
        let result = returned(promptly(stage.call("t", "{}")).await);
        assert!(result.as_str().contains("a\u{fffd} b"), "{result}");
        stage.end().await;
        serving.abort();
    }
}

/// A server that greets, answers `tools/list` with `listed` and `tools/call` with `called`, each a
/// member of the message, and ends with its input, as servers do.
/// What a polite server does with each line.
const POLITE: &str = r#"
        while IFS= read -r line; do
            id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
            case "$line" in
                *'"initialize"'*) answer='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"p","version":"1"}}' ;;
                *'"tools/list"'*) answer="$1" ;;
                *'"tools/call"'*) answer="$2" ;;
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
async fn a_session_that_takes_long_to_open_keeps_no_other_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    let marker = folder.path().join("slow");
    let text = format!(r#"if [ -e "{}" ]; then sleep 60; fi; {POLITE}"#, marker.display());
    let listed = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let called = r#""result":{"content":[{"type":"text","text":"done"}]}"#;
    let mut server = McpServer::stdio("polite", "sh", ["-c", &text, "sh", listed, called]);
    server.patience = Duration::from_secs(40);
    let stage = Stage::of(server).await;
    std::fs::write(&marker, "").expect("written");
    let (source, slow) = (Arc::clone(&stage.source), SessionId::parse("slow").expect("valid"));
    let opening =
        tokio::spawn(async move { source.open_session(&slow, &SessionSeed::default()).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let called = tokio::time::timeout(Duration::from_secs(15), stage.call("t", "{}")).await;
    assert!(returned(called.expect("it waits for nobody")).as_str().contains("done"));
    assert!(!opening.is_finished(), "it was to take long");
    tokio::time::timeout(Duration::from_secs(15), stage.end()).await.expect("nor does the end");
    opening.abort();
}

#[tokio::test]
async fn the_reason_is_not_the_farewell_of_a_polite_server() {
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
}

#[tokio::test]
async fn what_a_server_wrote_before_it_ended_is_never_lost() {
    // More than a pipe holds, so that reading it takes longer than noticing the end.
    let text = "yes 'a line of a long complaint' | head -n 20000 >&2; echo no database >&2; exit 4";
    for _ in 0..10 {
        let fault = refused(script(text)).await;
        assert!(fault.reason.contains("exit status 4"), "{fault:?}");
        let said = fault.traceback.expect("it wrote something");
        assert!(said.ends_with("no database"), "{said}");
    }
}

#[tokio::test]
async fn a_tool_that_cannot_be_read_is_named_and_the_others_stay() {
    let listed = r#""result":{"tools":[{"name":"good","inputSchema":{"type":"object"}},
        {"name":"bool","inputSchema":true},{"name":"none"},{"name":5,"inputSchema":{}}]}"#;
    let stage = Stage::of(polite(&listed.replace('\n', " "), "")).await;
    let view = stage.source.open_session(&stage.session, &SessionSeed::default()).await;
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
    stage.end().await;
}

#[tokio::test]
async fn a_result_that_breaks_its_output_schema_is_kept_and_told() {
    let listed = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"g":{"type":"number"}},"required":["g","unit"]}}]}"#;
    let broken = r#""result":{"content":[],"structuredContent":{"g":"1"}}"#;
    let stage = Stage::of(polite(listed, broken)).await;
    let report = stage.call("t", "{}").await;
    let mut places: Vec<&str> = report.broken.iter().map(|it| it.pointer.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["/g", "/unit"]);
    assert!(returned(report).as_str().contains(r#""structuredContent":{"g":"1"}"#));
    stage.end().await;

    let kept = r#""result":{"content":[],"structuredContent":{"g":1,"unit":"g"}}"#;
    let stage = Stage::of(polite(listed, kept)).await;
    assert_eq!(stage.call("t", "{}").await.broken, []);
    stage.end().await;

    // What says that it failed promises nothing.
    let failing = r#""result":{"content":[{"type":"text","text":"no"}],"isError":true}"#;
    let stage = Stage::of(polite(listed, failing)).await;
    let report = stage.call("t", "{}").await;
    assert_eq!(report.broken, []);
    assert_eq!(failed(report).message, "no");
    stage.end().await;
}

#[tokio::test]
async fn the_protocol_that_is_offered_has_a_greeting() {
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
    let stage = Stage::of(polite(listed, &called)).await;
    let result = returned(stage.call("t", "{}").await);
    assert_eq!(
        result.as_str(),
        format!(r#"{{"content":[],"structuredContent":{exact},"isError":false}}"#)
    );
    stage.end().await;
}

#[tokio::test]
async fn a_root_that_is_not_there_is_told() {
    let mut server = polite(&format!("\"result\":{ONE_TOOL}"), "");
    server.roots = vec![std::env::temp_dir(), "/no/such/folder".into()];
    let stage = Stage::of(server).await;
    let view = stage.source.open_session(&stage.session, &SessionSeed::default()).await;
    let warnings = view.expect("open already").warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let expected = "The folder /no/such/folder in `roots` of polite does not exist";
    assert!(warnings[0].contains(expected), "{warnings:?}");
    stage.end().await;
}

#[tokio::test]
async fn what_of_a_schema_is_not_checked_is_told() {
    let listed = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"code":{"type":"string","pattern":"("},"n":{"type":"integer"}}}}]}"#;
    let stage = Stage::of(polite(listed, "")).await;
    let view = stage.source.open_session(&stage.session, &SessionSeed::default()).await;
    let warnings = view.expect("open already").warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let expected = "The input schema of t: The schema at /properties/code is not checked";
    assert!(warnings[0].contains(expected), "{warnings:?}");
    stage.end().await;
}

#[tokio::test]
async fn what_of_the_agents_own_schemas_is_not_checked_is_told() {
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
async fn a_question_keeps_what_the_library_drops_and_tells_what_is_not_checked() {
    let question = r#""method":"elicitation/create","params":{"message":"Which?","requestedSchema":
        {"type":"object","properties":{"z":{"type":"string","pattern":"^[A-Z]+$"},
        "a":{"type":"string","pattern":"("}}}}"#;
    let stage = Stage::of(asking(&question.replace('\n', " "))).await;
    let (source, call) = (Arc::clone(&stage.source), stage.invocation("ask", "{}"));
    let running =
        tokio::spawn(async move { source.call_tool(call, CancellationToken::new()).await });
    let asked = stage.until_told(|event| matches!(event, SourceEvent::Asked(_))).await;
    let SourceEvent::Asked(question) = asked else { panic!("asked") };
    let Asks::Form { schema, unchecked, .. } = question.asks else { panic!("a form") };
    let text = schema.as_str();
    assert!(text.find("\"z\"") < text.find("\"a\""), "in the server's order: {text}");
    assert_eq!(unchecked.len(), 1, "{unchecked:?}");
    assert!(unchecked[0].contains("/properties/a is not checked"), "{unchecked:?}");
    let answer = |text: &str| Answer::Accept(Some(JsonText::parse(text).expect("JSON")));
    let refused = stage.source.answer(&stage.session, question.number, answer(r#"{"z":"low"}"#));
    let Err(AnswerError::Invalid(messages)) = refused.await else { panic!("the pattern holds") };
    assert_eq!(messages[0].pointer, "/z");
    let taken = stage.source.answer(&stage.session, question.number, answer(r#"{"z":"UP"}"#));
    taken.await.expect("taken");
    assert!(returned(running.await.expect("runs")).as_str().contains("UP"));
    stage.end().await;
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
async fn a_question_that_cannot_be_put_is_answered_with_the_reason() {
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
        let stage = Stage::of(asking(&question)).await;
        let answered = returned(stage.call("ask", "{}").await).to_value().expect("JSON");
        let error = &answered["structuredContent"]["error"];
        assert_eq!(error["code"], -32602, "{question}: {answered}");
        let message = error["message"].as_str().expect("a reason");
        assert!(message.contains(reason), "{message}");
        assert!(stage.log_text().contains(reason), "{}", stage.log_text());
        stage.end().await;
    }
}

#[tokio::test]
async fn a_block_of_an_unknown_kind_does_not_take_the_others_away() {
    let listed = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let called = r#""result":{"content":[{"type":"text","text":"seen"},{"type":"hologram"}]}"#;
    let stage = Stage::of(polite(listed, called)).await;
    let result = returned(stage.call("t", "{}").await).to_value().expect("JSON");
    assert_eq!(result["content"][0]["text"], "seen");
    assert_eq!(result["content"][1]["type"], "hologram");
    stage.end().await;
}

#[tokio::test]
async fn a_server_that_cannot_be_used_says_why() {
    let missing = McpServer::stdio("none", "no-such-program-here", [""; 0]);
    assert!(refused(missing).await.reason.contains("there is no program `no-such-program-here`"));

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
