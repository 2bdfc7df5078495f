//! Rehearsals of native agents against a real host on a free port.

#![expect(clippy::print_stdout, reason = "one of the tools prints")]

use std::net::SocketAddr;

use api::{
    AgentSummary, ApiError, CallProgress, ExportChoices, FieldMessage, LostResult, RestoreRequest,
    Restored, RestoredSession, ResultSlice, ValueTarget,
};
use json_text::JsonText;
use rehearsal::{LiveSessions, Running, SimulatedAgentConfig, Simulator, examples};
use serde_json::json;
use session::{Answer, ToolError, ToolName, ToolResult};
use test_support::{Page, arguments};

async fn host() -> (Running, SocketAddr, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (running, address) = host_in(&folder).await;
    (running, address, folder)
}

async fn host_in(folder: &tempfile::TempDir) -> (Running, SocketAddr) {
    let at = |name: &str| folder.path().join(name);
    let travel =
        SimulatedAgentConfig::native("Travel desk", examples::travel_agent(), at("travel.json"));
    let running = Simulator::new()
        .agent(SimulatedAgentConfig::native("Maths", examples::math_agent(), at("maths.json")))
        .agent(travel)
        .agent(SimulatedAgentConfig::native("Poet", examples::poet_agent(), at("poet.json")))
        .agent(SimulatedAgentConfig::native("Trouble", trouble::agent(), at("trouble.json")))
        .live(LiveSessions::at(at("live.sqlite")))
        .listen(SocketAddr::from(([127, 0, 0, 1], 0)))
        .start()
        .await
        .unwrap();
    let address = running.address();
    (running, address)
}

fn output(answer: &Answer) -> &str {
    match answer {
        Answer::Output(output) => match &output.result {
            ToolResult::Whole(result) => result.as_str(),
            ToolResult::Stored(held) => &held.head,
        },
        Answer::Error(error) => panic!("{}: {}", error.error_type, error.error_message),
    }
}

fn error(answer: &Answer) -> &ToolError {
    match answer {
        Answer::Error(error) => error,
        Answer::Output(output) => panic!("no error: {output:?}"),
    }
}

#[tokio::test]
async fn errors_have_matching_status_codes() {
    let (running, address, _folder) = host().await;
    let ask = async |function: &str, body: &str| {
        let request = test_support::http_client().post(format!("http://{address}/api/{function}"));
        let request = request.header("content-type", "application/json");
        request.body(body.to_owned()).send().await.unwrap().status().as_u16()
    };
    assert_eq!(ask("open_session", "{}").await, 400);
    assert_eq!(ask("open_session", "no JSON").await, 400);
    let unknown = r#"{"session":"s1","agent":"nobody"}"#;
    assert_eq!(ask("open_session", unknown).await, 404);
    assert_eq!(ask("list_agents", "{}").await, 200);
    running.stop().await;
}

#[tokio::test]
async fn add_gives_8() {
    let (running, address, _folder) = host().await;
    let mut page = Page::rehearse(address, "maths", "What is 5 + 3?").await;
    let answer = page.call("add", &arguments(&json!({ "a": 5, "b": 3 }))).await;
    assert_eq!(output(&answer), "8");
    let exact = JsonText::parse(r#"{"a":9007199254740993,"b":0}"#).unwrap();
    assert_eq!(output(&page.call("add", &exact).await), "9007199254740993");
    running.stop().await;
}

#[tokio::test]
async fn invalid_arguments_do_not_reach_the_tool() {
    let (running, address, _folder) = host().await;
    let mut page = Page::rehearse(address, "maths", "What is 5 + 3?").await;
    let wrong = arguments(&json!({ "a": "five" }));
    let request = json!({
        "session": page.session.id(),
        "target": ValueTarget::Arguments(ToolName::parse("add").unwrap()),
        "value": wrong,
    });
    let messages: Vec<FieldMessage> = page.ask("check_value", &request).await.unwrap();
    let places: Vec<_> = messages.iter().map(|message| message.pointer.as_str()).collect();
    assert_eq!(places.len(), 2, "{messages:?}");
    assert!(places.contains(&"/a") && places.contains(&"/b"), "{messages:?}");
    let answer = page.call("add", &wrong).await;
    assert_eq!(error(&answer).error_type, ToolError::INVALID_ARGUMENTS);
    running.stop().await;
}

#[tokio::test]
async fn reports_unchecked_parts_of_a_schema_and_checks_the_rest() {
    let (running, address, _folder) = host().await;
    let mut page = Page::rehearse(address, "trouble", "Label it.").await;
    let expected = "The input schema of label: The schema at /properties/label is not checked";
    let warnings = &page.view.warnings;
    assert!(warnings.iter().any(|it| it.contains(expected)), "{warnings:?}");
    let answer = page.call("label", &arguments(&json!({ "label": "x", "size": "large" }))).await;
    assert_eq!(error(&answer).error_type, ToolError::INVALID_ARGUMENTS);
    running.stop().await;
}

#[tokio::test]
async fn state_of_a_call_is_visible_to_later_calls_and_the_instruction() {
    let (running, address, _folder) = host().await;
    let mut page = Page::rehearse(address, "travel-desk", r#"{"query":"Lisbon"}"#).await;
    assert!(page.view.instruction.contains("travel desk of Far & Away"));
    let trip = arguments(&json!({
        "from": "OSL", "to": "LIS", "travelers": [{ "name": "Ada", "age": 36 }]
    }));
    assert!(output(&page.call("quote_trip", &trip).await).contains(r#""euros":120.0"#));
    assert!(page.view.instruction.contains("OSLLIS-1"), "{}", page.view.instruction);
    assert!(page.view.state.as_str().contains("OSLLIS-1"));

    let hold = arguments(&json!({ "fare": "OSLLIS-1" }));
    let call_id = page.start("hold_fare", &hold).await;
    let asked = page.news(&call_id).await;
    assert!(matches!(asked.progress, CallProgress::AsksConfirmation { .. }));
    assert_eq!(output(&page.confirm(&call_id, true).await), r#""OSLLIS-1 is held for 1 h.""#);

    let call_id = page.start("hold_fare", &hold).await;
    page.news(&call_id).await;
    let denied = page.confirm(&call_id, false).await;
    assert_eq!(error(&denied).error_type, ToolError::CONFIRMATION_DENIED);

    let failed = page.call("book_hotel", &arguments(&json!({ "query": "pool" }))).await;
    assert_eq!(error(&failed).error_type, "Unavailable");
    running.stop().await;
}

#[tokio::test]
async fn cancels_a_slow_tool_that_waits_or_blocks() {
    let (running, address, _folder) = host().await;
    let mut page = Page::rehearse(address, "travel-desk", "{}").await;
    let call_id = page.start("slow_timetable", &arguments(&json!({}))).await;
    let answer = page.cancel(&call_id).await;
    assert_eq!(error(&answer).error_type, ToolError::CANCELLED);

    let mut page = Page::rehearse(address, "trouble", "Block!").await;
    let call_id = page.start("block", &arguments(&json!({}))).await;
    let answer = page.cancel(&call_id).await;
    assert_eq!(error(&answer).error_type, ToolError::CANCELLED);
    // The session continues while the blocked thread sleeps.
    assert_eq!(output(&page.call("print", &arguments(&json!({}))).await), "null");
    running.stop().await;
}

#[tokio::test]
async fn panic_of_a_tool_is_an_error_and_the_host_continues() {
    let (running, address, _folder) = host().await;
    let mut page = Page::rehearse(address, "trouble", "Panic!").await;
    let answer = page.call("panic", &arguments(&json!({}))).await;
    assert_eq!(error(&answer).error_type, "Panic");
    let flood = page.call("flood", &arguments(&json!({}))).await;
    assert_eq!(error(&flood).error_type, ToolError::INVALID_OUTPUT);
    assert!(error(&answer).error_message.contains("on purpose"));
    assert_eq!(output(&page.call("print", &arguments(&json!({}))).await), "null");
    running.stop().await;
}

#[tokio::test]
async fn large_result_is_stored_and_read_in_parts() {
    let (running, address, _folder) = host().await;
    let mut page = Page::rehearse(address, "travel-desk", "{}").await;
    let answer = page.call("flight_archive", &arguments(&json!({}))).await;
    let Answer::Output(output) = &answer else { panic!("no output: {answer:?}") };
    let ToolResult::Stored(held) = &output.result else { panic!("not held") };
    assert!(held.bytes > 4_000_000, "{}", held.bytes);
    let mut text = held.head.clone();
    while (text.len() as u64) < held.bytes {
        let request = json!({
            "session": page.session.id(), "call_id": output.call_id, "offset": text.len(),
        });
        let slice: ResultSlice = page.ask("read_stored_result", &request).await.unwrap();
        text.push_str(&slice.text);
    }
    assert!(JsonText::parse(&text).is_ok());
    running.stop().await;
}

const LISBON: &str = r#"{"query":"Lisbon","max_results":1}"#;
const BOOKED: &str = r#"{"answer":"OSLLIS-1","confidence":0.9}"#;

/// The first part of the result of the last call.
async fn stored(page: &Page) -> Result<ResultSlice, ApiError> {
    let Answer::Output(output) = page.last_answer() else { panic!("no output") };
    let request = json!({ "session": page.session.id(), "call_id": output.call_id, "offset": 0 });
    page.ask("read_stored_result", &request).await
}

#[tokio::test]
async fn a_large_result_survives_a_restart_of_the_host_until_it_is_exported() {
    let (running, address, folder) = host().await;
    let mut page = Page::rehearse(address, "travel-desk", LISBON).await;
    page.call("flight_archive", &arguments(&json!({}))).await;
    let before = stored(&page).await.unwrap();
    page.respond(BOOKED);
    running.stop().await;

    let (running, address) = host_in(&folder).await;
    page.move_to(address);
    assert_eq!(stored(&page).await.unwrap().text, before.text);
    let receipt = page.export().await.unwrap();
    let set = std::fs::read(&receipt.path).unwrap();
    assert!(set.len() > 4_000_000, "it has the whole result: {}", set.len());
    // The host does not have the session, so nobody reads its results any more.
    assert!(matches!(stored(&page).await, Err(ApiError::ResultGone(_))));
    running.stop().await;
}

#[tokio::test]
async fn an_exported_session_that_is_open_keeps_its_large_result_until_it_ends() {
    let (running, address, folder) = host().await;
    let mut page = Page::rehearse(address, "travel-desk", LISBON).await;
    page.call("flight_archive", &arguments(&json!({}))).await;
    page.respond(BOOKED);
    page.export().await.unwrap();
    assert!(stored(&page).await.is_ok(), "its history shows it");
    assert!(page.export().await.unwrap().already_there);
    running.stop().await;
    let (running, address) = host_in(&folder).await;
    page.move_to(address);
    assert!(matches!(stored(&page).await, Err(ApiError::ResultGone(_))));
    running.stop().await;
}

#[tokio::test]
async fn starting_over_deletes_a_large_result() {
    let (running, address, folder) = host().await;
    let mut page = Page::rehearse(address, "travel-desk", LISBON).await;
    page.call("flight_archive", &arguments(&json!({}))).await;
    running.stop().await;
    // Also if the host has lost the session.
    let (running, address) = host_in(&folder).await;
    page.move_to(address);
    let closed = json!({ "session": page.session.id() });
    page.ask::<()>("close_session", &closed).await.unwrap();
    assert!(matches!(stored(&page).await, Err(ApiError::ResultGone(_))));
    running.stop().await;
}

#[tokio::test]
async fn a_session_whose_large_result_is_gone_is_exported_without_that_call() {
    let (running, address, folder) = host().await;
    let mut page = Page::rehearse(address, "travel-desk", LISBON).await;
    page.call("flight_archive", &arguments(&json!({}))).await;
    let Answer::Output(output) = page.last_answer() else { panic!("no output") };
    page.respond(BOOKED);
    std::fs::remove_dir_all(folder.path().join("live.sqlite-results")).unwrap();
    let refused = page.preview(ExportChoices::default()).await.unwrap_err();
    let tool = ToolName::parse("flight_archive").unwrap();
    let lost = LostResult { call_id: output.call_id.clone(), tool };
    assert_eq!(refused, ApiError::ResultsLost(vec![lost]));
    assert_eq!(page.export().await.unwrap_err(), refused);
    let choices = ExportChoices { left_out: vec![output.call_id], ..ExportChoices::default() };
    let preview = page.preview(choices).await.unwrap();
    assert!(!preview.case.contains("flight_archive"), "{}", preview.case);
    running.stop().await;
}

#[tokio::test]
async fn errors_name_the_unknown_item() {
    let (running, address, _folder) = host().await;
    let page = Page::open(address, "poet").await;
    assert_eq!(page.view.tools, []);
    let request = json!({ "session": "nobody", "agent": "maths" });
    let _opened: api::SessionView = page.ask("open_session", &request).await.unwrap();
    let unknown = json!({ "session": "s", "agent": "chef" });
    let refused = page.ask::<api::SessionView>("open_session", &unknown).await.unwrap_err();
    assert!(matches!(&refused, ApiError::UnknownAgent { known, .. } if known.len() == 4));
    let request = json!({ "session": "gone", "call_id": "c" });
    let refused = page.ask::<()>("cancel_call", &request).await.unwrap_err();
    assert!(matches!(refused, ApiError::UnknownSession(_)));
    let path = json!({ "session": "s", "agent": "../../etc/passwd" });
    assert!(page.ask::<api::SessionView>("open_session", &path).await.is_err());
    let agents: Vec<AgentSummary> = page.ask("list_agents", &json!({})).await.unwrap();
    assert_eq!(agents.len(), 4);
    running.stop().await;
}

#[tokio::test]
async fn a_session_opens_again_with_another_initial_state_until_it_begins() {
    let (running, address, _folder) = host().await;
    let page = Page::open(address, "travel-desk").await;
    assert_eq!(page.view.state.as_str(), r#"{"agency":"Far & Away"}"#);
    let session = page.session.id().clone();
    let with = |state| json!({ "session": session, "agent": "travel-desk", "state": state });
    let view: api::SessionView = page
        .ask("open_session", &with(json!({ "agency": "Near & Dear", "vip": true })))
        .await
        .unwrap();
    assert!(view.instruction.contains("the travel desk of Near & Dear"), "{}", view.instruction);
    assert_eq!(view.state.as_str(), r#"{"agency":"Near & Dear","vip":true}"#);
    // Without the agent's own member.
    let view: api::SessionView =
        page.ask("open_session", &with(json!({ "vip": true }))).await.unwrap();
    assert_eq!(view.state.as_str(), r#"{"vip":true}"#);
    let refused = page.ask::<api::SessionView>("open_session", &with(json!([1]))).await;
    let Err(ApiError::Invalid(messages)) = refused else { panic!("{refused:?}") };
    assert!(messages[0].text.ends_with("Found an array."), "{messages:?}");

    let query = r#"{"query":"Lisbon","max_results":1}"#;
    let begun = json!({ "session": session, "content": query });
    page.ask::<api::SessionView>("begin_invocation", &begun).await.unwrap();
    let view: api::SessionView =
        page.ask("open_session", &with(json!({ "late": 1 }))).await.unwrap();
    assert_eq!(view.state.as_str(), r#"{"vip":true}"#, "it has begun");
    running.stop().await;
}

#[tokio::test]
async fn another_host_goes_on_in_the_state_of_a_session() {
    let (running, address, _folder) = host().await;
    let mut page =
        Page::rehearse(address, "travel-desk", r#"{"query":"Lisbon","max_results":1}"#).await;
    let initial_state = JsonText::parse(r#"{"agency":"Far & Away"}"#).unwrap();
    let trip = arguments(&json!({
        "from": "OSL", "to": "LIS", "travelers": [{ "name": "Ada", "age": 36 }]
    }));
    page.call("quote_trip", &trip).await;
    let request = RestoreRequest {
        session: page.session.id().clone(),
        agent: page.session.agent().unwrap().clone(),
        history: page.history(),
        initial_state,
        state: page.view.state.clone(),
        active_agent: page.view.agent.name.clone(),
    };
    running.stop().await;

    let (running, address, _folder) = host().await;
    page.move_to(address);
    // Not through `json!`: the texts must keep their digits.
    let request = std::collections::BTreeMap::from([("request", request)]);
    let restored: RestoredSession = page.ask("restore_session", &request).await.unwrap();
    assert_eq!(restored.restored, Restored::State);
    assert_eq!(restored.view, page.view, "it has the quoted fare");
    page.respond(r#"{"answer":"OSLLIS-1","confidence":0.9}"#);
    let preview = page.preview(ExportChoices::default()).await.unwrap();
    let case: serde_json::Value = serde_json::from_str(&preview.case).unwrap();
    assert_eq!(case["session_input"]["state"], json!({ "agency": "Far & Away" }));
    running.stop().await;
}

#[tokio::test]
async fn early_cancellation_is_stored_and_a_session_keeps_its_agent() {
    let (running, address, _folder) = host().await;
    let mut page = Page::rehearse(address, "maths", "What is 5 + 3?").await;
    let session = page.session.id().clone();
    let cancel = json!({ "session": session, "call_id": "late" });
    page.ask::<()>("cancel_call", &cancel).await.unwrap();
    let late = json!({ "request": {
        "session": session, "call_id": "late", "tool": "add", "arguments": { "a": 1, "b": 2 }
    } });
    let refused = page.ask::<()>("start_call", &late).await.unwrap_err();
    assert!(refused.to_string().contains("was canceled before it started"), "{refused}");
    let answer = page.call("add", &arguments(&json!({ "a": 5, "b": 3 }))).await;
    assert_eq!(output(&answer), "8");

    let other = json!({ "session": session, "agent": "poet" });
    let refused = page.ask::<api::SessionView>("open_session", &other).await.unwrap_err();
    assert!(matches!(refused, ApiError::UnknownSession(_)), "{refused}");
    running.stop().await;
}

#[tokio::test]
async fn two_pages_run_independently() {
    let (running, address, _folder) = host().await;
    let mut slow = Page::rehearse(address, "travel-desk", "{}").await;
    let mut quick = Page::rehearse(address, "travel-desk", "{}").await;
    let wait = slow.start("slow_timetable", &arguments(&json!({ "seconds": 1 }))).await;
    let answer = quick.call("search_places", &arguments(&json!({ "query": "lis" }))).await;
    assert!(output(&answer).contains("Lisbon"));
    slow.news(&wait).await;
    assert_eq!(output(&slow.last_answer()), r#""The timetable answered after 1 s.""#);
    running.stop().await;
}

mod trouble {
    //! An agent whose tools misbehave.

    use std::sync::Arc;
    use std::time::Duration;

    use adk_core::{Tool, ToolContext};
    use rehearsal::agents::native::NativeAgent;
    use serde_json::{Value, json};

    enum Trouble {
        Panic,
        Block,
        Print,
        Label,
        Flood,
    }

    #[adk_core::async_trait]
    impl Tool for Trouble {
        fn name(&self) -> &str {
            match self {
                Self::Panic => "panic",
                Self::Block => "block",
                Self::Print => "print",
                Self::Label => "label",
                Self::Flood => "flood",
            }
        }

        fn description(&self) -> &str {
            ""
        }

        /// A label's pattern is not a valid regular expression.
        fn parameters_schema(&self) -> Option<Value> {
            matches!(self, Self::Label).then(|| {
                json!({"type": "object", "properties": {
                    "label": {"type": "string", "pattern": "("}, "size": {"type": "integer"}
                }})
            })
        }

        async fn execute(&self, _: Arc<dyn ToolContext>, _: Value) -> adk_core::Result<Value> {
            match self {
                Self::Label => {}
                Self::Panic => panic!("on purpose"),
                Self::Block => std::thread::sleep(Duration::from_secs(20)),
                Self::Print => println!("a tool prints what it likes"),
                Self::Flood => return Ok(Value::String("x".repeat(128 * 1024 * 1024))),
            }
            Ok(Value::Null)
        }
    }

    pub(crate) fn agent() -> NativeAgent {
        [Trouble::Block, Trouble::Print, Trouble::Label, Trouble::Flood]
            .into_iter()
            .fold(NativeAgent::new("trouble").tool(Trouble::Panic), NativeAgent::tool)
    }
}
