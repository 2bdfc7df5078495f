//! A model that does exactly what an exported case says passes it under `adk eval`, with a trajectory
//! and a response of 1.0.

use std::path::{Path, PathBuf};

use acceptance::{Ended, Host, binary, python, workspace};
use api::{ExportChoices, ExportReceipt};
use json_text::JsonText;
use serde_json::{Value, json};
use session::{Answer, ToolResult, Unmet};
use test_support::{Page, arguments};

use crate::adk_eval;

const CONFIG: &str = r#"{ "criteria": {
  "tool_trajectory_avg_score": { "threshold": 1.0, "match_type": "EXACT" },
  "response_match_score": 1.0
} }"#;

/// The scores of the only case, in order of the metrics, or what `adk eval` printed instead.
fn scores(ran: &Ended, agent: &Path) -> Result<Vec<f64>, String> {
    let printed = || format!("{}\n{}", ran.stdout, ran.stderr);
    let history = std::fs::read_dir(agent.join(".adk/eval_history")).map_err(|_| printed())?;
    let result = history.map(|entry| entry.unwrap().path()).next().ok_or_else(printed)?;
    let mut read: Value = serde_json::from_slice(&std::fs::read(result).unwrap()).unwrap();
    if let Value::String(text) = &read {
        read = serde_json::from_str(text).unwrap();
    }
    let metrics = read["eval_case_results"][0]["overall_eval_metric_results"].as_array().cloned();
    let scores: Vec<f64> = metrics
        .unwrap_or_default()
        .iter()
        .filter(|it| !it["threshold"].is_null())
        .filter_map(|it| it["score"].as_f64())
        .collect();
    if scores.is_empty() { Err(printed()) } else { Ok(scores) }
}

/// Plays the case of `file` back. `agent` is the module of the agent; without one, a stand-in has the
/// tools of the case.
fn play_back(python: &Path, file: &Path, agent: Option<&Path>) -> Result<Vec<f64>, String> {
    play_back_case(python, file, None, agent)
}

/// As [`play_back`], with the case selected by its id.
fn play_back_case(
    python: &Path,
    file: &Path,
    id: Option<&str>,
    agent: Option<&Path>,
) -> Result<Vec<f64>, String> {
    let folder = tempfile::tempdir().unwrap();
    let played = folder.path().join("played");
    std::fs::create_dir(&played).unwrap();
    let file = file.canonicalize().unwrap();
    let root = match agent {
        Some(agent) => format!("played(Path({agent:?}), Path({file:?}))"),
        None => format!("stand_in(Path({file:?}))"),
    };
    let module = format!(
        "from pathlib import Path\nfrom scripted_model import played, stand_in\nroot_agent = {root}\n"
    );
    std::fs::write(played.join("__init__.py"), "from . import agent\n").unwrap();
    std::fs::write(played.join("agent.py"), module).unwrap();
    std::fs::write(played.join("test_config.json"), CONFIG).unwrap();
    let selected = match id {
        Some(id) => PathBuf::from(format!("{}:{id}", file.display())),
        None => file,
    };
    scores(&adk_eval::by_fork(python, &played, &selected), &played)
}

fn assert_passes(python: &Path, receipt: &ExportReceipt, agent: Option<&Path>) {
    let scores = play_back(python, Path::new(&receipt.path), agent);
    assert_eq!(scores, Ok(vec![1.0, 1.0]), "{}", receipt.preview);
}

/// A copy of an agent's folder in `folder`, and the path of its module.
fn copied(from: &str, folder: &Path) -> (PathBuf, PathBuf) {
    let from = workspace().join(from);
    let copy = folder.join(from.file_name().unwrap());
    std::fs::create_dir(&copy).unwrap();
    for name in ["__init__.py", "agent.py"] {
        std::fs::copy(from.join(name), copy.join(name)).unwrap();
    }
    let module = copy.join("agent.py");
    (copy, module)
}

fn leave_out(reasons: &[Unmet]) -> ExportChoices {
    ExportChoices { leave_out: reasons.to_vec(), ..ExportChoices::default() }
}

#[tokio::test]
async fn calls_that_a_model_cannot_repeat_are_left_out() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (agent, module) = copied("tests/fixtures/adk/front_desk", folder.path());
    let host = Host::start(&binary, Some(&python), &[agent.to_str().unwrap()]);
    let mut desk = Page::rehearse(host.address(), "front_desk", "Open my room.").await;
    desk.call("look_up", &arguments(&json!({ "guest": "Ada" }))).await;
    let charged = desk.call("charge", &arguments(&json!({ "amount": 1.5 }))).await;
    assert!(matches!(charged, Answer::Error(_)));
    let call = desk.start("unlock", &arguments(&json!({ "room": 12 }))).await;
    desk.news(&call).await;
    desk.confirm(&call, true).await;
    // Without a first result, google-adk ends the run.
    let call = desk.start("call_manager", &arguments(&json!({ "reason": "card" }))).await;
    desk.news(&call).await;
    desk.supply(&call, &JsonText::parse(r#"{"ok":true}"#).unwrap()).await;
    // With one, it goes on.
    let call = desk.start("order_taxi", &arguments(&json!({ "time": "9:00" }))).await;
    desk.news(&call).await;
    desk.supply(&call, &JsonText::parse(r#"{"ordered":true}"#).unwrap()).await;
    desk.respond("Your taxi comes at nine.");

    let preview = desk.preview(ExportChoices::default()).await.unwrap();
    let unmet: Vec<_> = preview.unmet.iter().map(|it| (it.reason, it.tools.join(" "))).collect();
    assert_eq!(
        unmet,
        [(Unmet::Failed, "charge".to_owned()), (Unmet::Waited, "unlock call_manager".to_owned())]
    );
    let kept = desk.export().await.unwrap();
    let whole = std::fs::read_to_string(&kept.path).unwrap();
    let not_met = play_back(&python, Path::new(&kept.path), Some(&module));
    assert_ne!(not_met, Ok(vec![1.0, 1.0]));

    std::fs::remove_file(&kept.path).unwrap();
    let reduced = desk.export_with(leave_out(&[Unmet::Failed, Unmet::Waited])).await.unwrap();
    assert!(!reduced.preview.contains("charge") && whole.contains("charge"));
    assert_passes(&python, &reduced, Some(&module));

    // `adk eval FILE:ID` selects the id that the panel offers.
    std::fs::remove_file(&reduced.path).unwrap();
    let eval_id = preview.selectable_id.clone();
    assert!(eval_id.as_ref().is_some_and(|id| !id.contains(':')), "{eval_id:?}");
    let choices = ExportChoices { eval_id, ..leave_out(&[Unmet::Failed, Unmet::Waited]) };
    let named = desk.export_with(choices).await.unwrap();
    let file = Path::new(&named.path);
    let scores = play_back_case(&python, file, Some(&named.eval_id), Some(&module));
    assert_eq!(scores, Ok(vec![1.0, 1.0]));
}

#[tokio::test]
async fn turns_and_transfers_are_played_back() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (agent, module) = copied("tests/fixtures/adk/front_desk", folder.path());
    let host = Host::start(&binary, Some(&python), &[agent.to_str().unwrap()]);
    let mut desk = Page::rehearse(host.address(), "front_desk", "Where is Ada?").await;
    let clerk = arguments(&json!({ "agent_name": "clerk" }));
    desk.call("transfer_to_agent", &clerk).await;
    desk.call("look_up", &arguments(&json!({ "guest": "Ada" }))).await;
    desk.respond("In room 12.");
    let one_turn = desk.export().await.unwrap();
    assert_passes(&python, &one_turn, Some(&module));

    desk.continue_with("And Bob?").await;
    assert_eq!(desk.view.agent.name, "clerk", "google-adk continues with the agent that responded");
    assert!(desk.view.state.as_str().contains("Ada"));
    desk.call("look_up", &arguments(&json!({ "guest": "Bob" }))).await;
    desk.respond("In room 12 too.");
    let added = desk.export().await.unwrap();
    assert_eq!((added.already_there, added.cases), (false, 2));

    std::fs::remove_file(&added.path).unwrap();
    let two_turns = desk.export().await.unwrap();
    assert_passes(&python, &two_turns, Some(&module));
}

#[tokio::test]
async fn a_response_with_a_schema_is_played_back() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (agent, module) = copied("tests/python/fixtures/structured", folder.path());
    let host = Host::start(&binary, Some(&python), &[agent.to_str().unwrap()]);
    let query = r#"{"city":"Oslo","days":1}"#;
    let mut forecaster = Page::rehearse(host.address(), "structured", query).await;
    forecaster.call("measure", &arguments(&json!({ "city": "Oslo" }))).await;
    let value = arguments(&json!({ "summary": "Mild." }));
    let Answer::Output(output) = forecaster.call("set_model_response", &value).await else {
        panic!("{:?}", forecaster.last_answer())
    };
    let ToolResult::Whole(value) = output.result else { panic!("it is small") };
    assert_eq!(value.compact().as_str(), r#"{"summary":"Mild.","degrees":[]}"#);
    forecaster.respond(value.compact().as_str());
    let receipt = forecaster.export().await.unwrap();
    assert!(receipt.preview.contains(r#""text": "{\"summary\": \"Mild.\", \"degrees\": []}""#));
    assert_passes(&python, &receipt, Some(&module));
}

#[tokio::test]
async fn an_mcp_agent_responds_as_its_adk_folder_does() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let config = format!(
        r#"
        [[agent]]
        name = "Clock Desk"
        source = "mcp"
        instruction = "Tell the time."
        model = "gemini-2.5-flash"
        output_schema = {{ type = "object", properties = {{ time = {{ type = "string" }} }}, required = ["time"] }}
        [[agent.server]]
        name = "time"
        command = {python:?}
        args = ["-m", "mcp_server_time"]
        "#
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rehearsal.toml"), config).unwrap();
    let host = Host::start_in(folder, &binary, Some(&python), &[], &[]);
    let query = "09:00 in Lisbon is what in Tokyo?";
    let mut desk = Page::rehearse(host.address(), "clock-desk", query).await;
    let call = json!({
        "source_timezone": "Europe/Lisbon", "time": "09:00", "target_timezone": "Asia/Tokyo",
    });
    desk.call("convert_time", &arguments(&call)).await;
    let value = arguments(&json!({ "response": { "time": "17:00" } }));
    assert!(matches!(desk.call("set_model_response", &value).await, Answer::Output(_)));
    desk.respond(r#"{"time":"17:00"}"#);
    let receipt = desk.export().await.unwrap();
    assert!(receipt.preview.contains(r#""text": "{\"time\": \"17:00\"}""#), "{}", receipt.preview);

    let written = std::process::Command::new(&binary)
        .args(["adk-folder", "Clock Desk", "--out", "agents"])
        .current_dir(host.folder())
        .output()
        .unwrap();
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let path = host.folder().join(&receipt.path);
    let receipt = ExportReceipt { path: path.to_string_lossy().into_owned(), ..receipt };
    assert_passes(&python, &receipt, Some(&host.folder().join("agents/clock_desk/agent.py")));
}

#[tokio::test]
async fn an_agent_that_is_a_tool_is_played_back() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (agent, module) = copied("tests/python/fixtures/agent_tools", folder.path());
    let host = Host::start(&binary, Some(&python), &[agent.to_str().unwrap()]);
    let mut boss = Page::rehearse(host.address(), "agent_tools", "How far is Mars?").await;
    let call = boss.start("researcher", &arguments(&json!({ "request": "Mars" }))).await;
    boss.news(&call).await;
    boss.play(&call).await;
    boss.call("look_up", &arguments(&json!({ "topic": "Mars" }))).await;
    boss.respond_as_agent(&call, "Mars is far away.").await;
    let call = boss.start("expert", &arguments(&json!({ "request": "Is that so?" }))).await;
    boss.news(&call).await;
    boss.play(&call).await;
    boss.respond_as_agent(&call, "It is.").await;
    boss.respond("It is far away.");
    let receipt = boss.export().await.unwrap();
    assert!(
        !receipt.preview.contains("look_up"),
        "as google-adk, which records its own calls only"
    );
    assert_passes(&python, &receipt, Some(&module));
}

#[tokio::test]
async fn every_example_is_played_back() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let host = Host::start(&binary, Some(&python), &[]);
    let mut maths = Page::rehearse(host.address(), "math-agent", "What is 2+2?").await;
    maths.call("add", &arguments(&json!({ "a": 2, "b": 2 }))).await;
    maths.respond("It is 4.");
    maths.continue_with("And 3 more?").await;
    maths.call("add", &arguments(&json!({ "a": 4, "b": 3 }))).await;
    maths.respond("It is 7.");
    assert_passes(&python, &maths.export().await.unwrap(), None);

    let mut poet = Page::rehearse(host.address(), "poet", "Spring?").await;
    poet.respond("buds\non bare boughs");
    assert_passes(&python, &poet.export().await.unwrap(), None);

    let query = r#"{"query":"Lisbon","max_results":3}"#;
    let mut desk = Page::rehearse(host.address(), "travel-desk", query).await;
    desk.call("flight_archive", &arguments(&json!({ "megabytes": 1 }))).await;
    desk.respond(r#"{"answer":"Here it is.","confidence":1.0}"#);
    assert_passes(&python, &desk.export().await.unwrap(), None);

    let mut clock = Page::rehearse(host.address(), "world-clock", "What time is it?").await;
    clock.call("get_current_time", &arguments(&json!({ "timezone": "Asia/Tokyo" }))).await;
    clock.respond("It is late.");
    assert_passes(&python, &clock.export().await.unwrap(), None);

    let servers = workspace().join("end2end/node_modules/.bin");
    let path = format!("{}:{}", servers.display(), std::env::var("PATH").unwrap_or_default());
    let empty = tempfile::tempdir().unwrap();
    let host = Host::start_in(empty, &binary, Some(&python), &[], &[("PATH", &path)]);
    let mut files = Page::rehearse(host.address(), "files", "Which folders are there?").await;
    files.call("list_allowed_directories", &arguments(&json!({}))).await;
    files.respond("One, with your notes.");
    assert_passes(&python, &files.export().await.unwrap(), None);

    let folder = tempfile::tempdir().unwrap();
    let (agent, module) = copied("examples/smart_home/smart_home", folder.path());
    let host = Host::start(&binary, Some(&python), &[agent.to_str().unwrap()]);
    let mut home = Page::rehearse(host.address(), "smart_home", "Warm the office.").await;
    home.call("list_rooms", &arguments(&json!({}))).await;
    home.call("set_temperature", &arguments(&json!({ "room": "office", "degrees": 21 }))).await;
    home.respond("The office will be warm.");
    assert_passes(&python, &home.export().await.unwrap(), Some(&module));
}
