//! The host as a process: rejected options, leftover processes, and failures.

use std::process::Command;
use std::time::{Duration, Instant};

use acceptance::{Host, binary, python, runs, signal, workspace};
use rustix::process::Signal;
use serde_json::json;
use session::{Answer, ToolError};
use test_support::{Page, arguments};

fn smart_home() -> String {
    workspace().join("examples/smart_home/smart_home").display().to_string()
}

#[tokio::test]
async fn copied_binary_serves_the_page() {
    let Some(binary) = binary() else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("rehearsal");
    std::fs::copy(binary, &copy).unwrap();
    let host = Host::start_in(folder, &copy, None, &[], &[]);
    let get = async |path: &str| {
        let url = format!("http://{}{path}", host.address());
        test_support::http_client()
            .get(url)
            .send()
            .await
            .unwrap()
            .error_for_status()
            .unwrap()
            .text()
            .await
            .unwrap()
    };
    assert!(get("/").await.contains("Math Agent"));
    assert!(get("/pkg/rehearsal.js").await.contains("hydrate"));
    assert!(!get("/pkg/rehearsal.css").await.is_empty());
}

#[test]
fn rejects_public_addresses_with_the_reason() {
    let Some(binary) = binary() else { return };
    let output = Command::new(binary).args(["serve", "--listen", "0.0.0.0:0"]).output().unwrap();
    assert!(!output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("requires a login"), "{stderr}");
    assert!(stderr.contains("rehearsal user add") && stderr.contains("127.0.0.1:0"), "{stderr}");
}

#[tokio::test]
async fn rejects_requests_of_a_foreign_page() {
    let Some(binary) = binary() else { return };
    let host = Host::start(&binary, None, &[]);
    let client = test_support::http_client();
    let ask = async |name: &str, value: &str| {
        let url = format!("http://{}/api/list_agents", host.address());
        let request = client.post(url).header("content-type", "application/json").body("{}");
        request.header(name, value).send().await.unwrap().status()
    };
    assert_eq!(ask("host", "rebound.example:4180").await, 403);
    assert_eq!(ask("origin", "https://evil.example").await, 403);
    assert_eq!(ask("accept", "application/json").await, 200);
}

#[tokio::test]
async fn page_of_another_version_gets_a_message() {
    let Some(binary) = binary() else { return };
    let host = Host::start(&binary, None, &[]);
    let asked =
        test_support::http_client().post(format!("http://{}/api/long_gone", host.address()));
    let answered = asked.body("{}").send().await.unwrap();
    assert_eq!(answered.status(), 404);
    let body = answered.text().await.unwrap();
    assert!(body.contains("unknown_function") || body.contains("UnknownFunction"), "{body}");
}

#[tokio::test]
async fn killed_worker_fails_only_its_call() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let host = Host::start(&binary, Some(&python), &[&smart_home()]);
    let mut page = Page::rehearse(host.address(), "smart_home", "Warm the office.").await;
    let warm = arguments(&json!({ "room": "office", "degrees": 21 }));
    page.call("set_temperature", &warm).await;
    page.call("save_floor_plan", &arguments(&json!({ "title": "Ground floor" }))).await;

    let call = page.start("calibrate_heating", &arguments(&json!({ "seconds": 30 }))).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let workers = host.children();
    assert_eq!(workers.len(), 1, "one worker serves the agent");
    signal(workers[0], Signal::KILL);
    page.news(&call).await;
    let Answer::Error(error) = page.last_answer() else { panic!("the call went on") };
    assert_eq!(error.error_type, ToolError::WORKER_EXITED);

    let Answer::Output(drawings) = page.call("list_drawings", &arguments(&json!({}))).await else {
        panic!("the session did not go on");
    };
    assert!(format!("{:?}", drawings.result).contains("floor_plan.svg"), "{drawings:?}");
    assert!(page.view.state.as_str().contains("temperatures"), "{}", page.view.state);
}

/// Tools that ignore their cancellation in different ways.
#[tokio::test]
async fn stuck_tool_fails_only_its_call() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let hazards = workspace().join("tests/python/fixtures/hazards").display().to_string();
    let host = Host::start(&binary, Some(&python), &[&hazards]);
    let mut page = Page::rehearse(host.address(), "hazards", "Try.").await;
    let long = arguments(&json!({ "seconds": 600 }));
    for tool in ["ignores_cancel", "blocks_the_loop", "ignores_cancel", "blocks_the_loop"] {
        let call = page.start(tool, &long).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        let Answer::Error(error) = page.cancel(&call).await else { panic!("{tool} returned") };
        assert_eq!(error.error_type, ToolError::CANCELLED, "{tool}");
        // A new session starts while the stuck worker is being ended.
        Page::open(host.address(), "hazards").await;
        let Answer::Output(output) = page.call("bare", &arguments(&json!({}))).await else {
            panic!("after {tool} the session does not go on: {:?}", page.last_answer());
        };
        assert!(format!("{:?}", output.result).contains('5'), "{output:?}");
    }
}

#[tokio::test]
async fn hanging_import_of_an_agent_does_not_block_others() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let hangs = ["one", "two"].map(|name| {
        let agent = folder.path().join(name);
        std::fs::create_dir(&agent).unwrap();
        std::fs::write(agent.join("agent.py"), "import time\ntime.sleep(600)\n").unwrap();
        agent.display().to_string()
    });
    let host = Host::start(&binary, Some(&python), &[&hangs[0], &hangs[1], &smart_home()]);
    let url = format!("http://{}/api/list_agents", host.address());
    let loaded = async || {
        let request =
            test_support::http_client().post(&url).header("content-type", "application/json");
        let listed = request.body("{}").send().await.unwrap().text().await.unwrap();
        let listed: Vec<serde_json::Value> = serde_json::from_str(&listed).unwrap();
        listed.iter().any(|agent| agent["id"] == "smart_home" && !agent["runtime"].is_null())
    };
    while !loaded().await {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn stop_ends_all_processes() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let mut host = Host::start(&binary, Some(&python), &[&smart_home()]);
    let mut page = Page::rehearse(host.address(), "smart_home", "Wait.").await;
    page.start("calibrate_heating", &arguments(&json!({ "seconds": 60 }))).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let workers = host.children();
    assert_eq!(workers.len(), 1);
    assert!(host.stop(), "it ends by itself, with status 0");
    assert!(!runs(workers[0]), "the worker still runs");
}

/// An orphaned process with its own session and environment, whose server has ended too.
#[cfg(target_os = "linux")]
#[test]
fn unmarked_orphan_ends_with_the_host() {
    let Some(binary) = binary() else { return };
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("orphan");
    // It ends when the process is an orphan: until then both are in one group.
    let start = "env -i setsid -f sh -c 'echo $$ > orphan.part; mv orphan.part orphan; exec sleep 300'; \
                 while [ ! -e orphan ]; do sleep 0.05; done";
    let config = format!(
        "[[agent]]\nname = \"Orphans\"\nsource = \"mcp\"\ninstruction = \"None.\"\n\
         [[agent.server]]\nname = \"gone\"\ncommand = \"sh\"\nargs = [\"-c\", \"{start}\"]\n"
    );
    std::fs::write(folder.path().join("rehearsal.toml"), config).unwrap();
    let mut host = Host::start_in(folder, &binary, None, &[], &[]);
    let until = Instant::now() + Duration::from_secs(60);
    while !note.exists() {
        assert!(Instant::now() < until, "the server did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    let orphan = std::fs::read_to_string(&note).unwrap().trim().parse().unwrap();
    assert!(runs(orphan), "it has not ended by itself");
    assert!(host.stop(), "it ends by itself, with status 0");
    assert!(!runs(orphan), "the orphan still runs");
}
