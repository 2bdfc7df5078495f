//! The wheel in an empty virtual environment, far from the checkout: a person's first minute with it, and how it is
//! removed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use acceptance::{Host, workspace};
use rpc::wire;
use rpc::wire::live_service_client::LiveServiceClient;
use rpc::wire::part::Kind;
use serde_json::json;
use session::Answer;
use test_support::{Page, arguments};

/// An agent whose model is asked by nobody but the plugin.
const AGENT: &str = r#"
from google.adk.agents import LlmAgent


def forecast(city: str) -> dict:
    """Gives the weather.

    Args:
      city: Where.
    """
    return {"city": city, "sky": "clear"}


root_agent = LlmAgent(
    name="weather", model="gemini-2.5-flash", instruction="Answer about the weather.", tools=[forecast]
)
"#;

/// The agent with a model that makes the calls of the exported case.
const SCRIPTED: &str = r#"
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from .weather import root_agent


class Script(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        if llm_request.contents[-1].parts[-1].function_response:
            part = types.Part(text="Clear.")
        else:
            part = types.Part.from_function_call(name="forecast", args={"city": "Oslo"})
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


root_agent.model = Script(model="script")
"#;

/// Runs the agent with the plugin, and prints what a person responded.
const WITH_PLUGIN: &str = r#"
import asyncio

from google.adk.runners import InMemoryRunner
from google.genai import types
from rehearsal_adk import RehearsalPlugin

from weather.agent import root_agent


async def main():
    runner = InMemoryRunner(agent=root_agent, app_name="weather", plugins=[RehearsalPlugin()])
    session = await runner.session_service.create_session(app_name="weather", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="Will it rain?")])
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        print("".join(part.text or "" for part in event.content.parts))


asyncio.run(main())
"#;

/// An environment and a folder to work in, with nothing of the checkout on any path.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The variables of a new shell whose `PATH` begins with the environment.
    fn variables(&self) -> [(&'static str, String); 3] {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("env/bin").display());
        let home = self.path("home").display().to_string();
        [("PATH", path), ("HOME", home.clone()), ("XDG_CACHE_HOME", format!("{home}/.cache"))]
    }

    fn run(&self, program: &str, arguments: &[&str], more: &[(&str, &str)]) -> Output {
        Command::new(self.path("env/bin").join(program))
            .args(arguments)
            .current_dir(self.path("work"))
            .env_clear()
            .envs(self.variables())
            .envs(more.iter().copied())
            .output()
            .unwrap()
    }

    fn succeeds(&self, program: &str, arguments: &[&str]) -> String {
        let ran = self.run(program, arguments, &[]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(ran.status.success(), "{}\n{}", text(&ran.stdout), text(&ran.stderr));
        text(&ran.stdout)
    }

    /// The files of the environment.
    fn installed(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.path("env")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() && !path.is_symlink() {
                    true => folders.push(path),
                    false => files.push(path),
                }
            }
        }
        files.retain(|path| !path.components().any(|part| part.as_os_str() == "__pycache__"));
        files.sort();
        files
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wheel_is_installed_used_and_removed() {
    let Some(wheel) = test_needs::given("REHEARSAL_TEST_WHEEL", "the wheel") else { return };
    let desk = Desk { folder: tempfile::tempdir().unwrap() };
    for name in ["home", "work", "work/weather"] {
        std::fs::create_dir(desk.path(name)).unwrap();
    }
    let venv = Command::new("python3").args(["-m", "venv"]).arg(desk.path("env")).output().unwrap();
    assert!(venv.status.success(), "{}", String::from_utf8_lossy(&venv.stderr));
    let empty = desk.installed();

    // The agent's own environment has google-adk before.
    let pins = workspace().join("xtask/requirements/tests.txt");
    let pins = pins.to_str().unwrap();
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"];
    let google = ["--constraint", pins, "google-adk[eval]", "grpcio", "protobuf"];
    let cache = std::env::var("HOME").map(|home| format!("{home}/.cache/pip")).unwrap_or_default();
    let ran = desk.run("python", &[&pip[..], &google[..]].concat(), &[("PIP_CACHE_DIR", &cache)]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let with_adk = desk.installed();
    assert!(with_adk.len() > empty.len());

    std::fs::write(desk.path("work/weather/__init__.py"), "from . import agent\n").unwrap();
    std::fs::write(desk.path("work/weather/agent.py"), AGENT).unwrap();
    let begin = Instant::now();
    let of_wheel = format!("{}[adk]", wheel.display());
    desk.succeeds("python", &[&pip[..], &["--no-index", &of_wheel]].concat());
    assert!(desk.succeeds("rehearsal", &["--version"]).starts_with("rehearsal "));

    let variables = desk.variables();
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let agent = desk.path("work/weather").display().to_string();
    let program = desk.path("env/bin/rehearsal");
    let empty_folder = tempfile::tempdir().unwrap();
    let mut host = Host::start_in(empty_folder, &program, None, &[&agent], &variables);
    let get = async |path: &str| {
        let found = test_support::http_client().get(format!("http://{}{path}", host.address()));
        found.send().await.unwrap().error_for_status().unwrap().text().await.unwrap()
    };
    let page = get("/").await;
    let took = begin.elapsed().as_secs_f64();
    let _ = writeln!(std::io::stderr(), "from pip install to the page: {took:.1} s");
    assert!(page.contains("weather"), "{page}");
    assert!(get("/pkg/rehearsal.js").await.contains("hydrate"), "the page is in the program");

    let mut weather = Page::rehearse(host.address(), "weather", "Will it rain in Oslo?").await;
    let call = weather.call("forecast", &arguments(&json!({ "city": "Oslo" }))).await;
    assert!(matches!(call, Answer::Output(_)), "{call:?}");
    weather.respond("Clear.");
    let exported = weather.export().await.unwrap();
    evaluates(&desk, Path::new(&exported.path));
    a_person_responds(&desk, &host).await;
    let plugin = format!("rehearsal_adk-{}-py3-none-any.whl", env!("CARGO_PKG_VERSION"));
    let address = format!("http://{}/python/{plugin}", host.address());
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-index", &address];
    desk.succeeds("python", &download);
    assert!(desk.path("work").join(plugin).is_file());
    assert!(host.stop());

    desk.succeeds("python", &["-m", "pip", "uninstall", "--quiet", "--yes", "rehearsal"]);
    let left: Vec<_> =
        desk.installed().into_iter().filter(|path| !with_adk.contains(path)).collect();
    assert_eq!(left, [""; 0].map(PathBuf::from), "nothing is left behind");
}

/// `adk eval` of the environment on the exported case.
fn evaluates(desk: &Desk, exported: &Path) {
    let scripted = desk.path("work/scripted");
    std::fs::create_dir(&scripted).unwrap();
    std::fs::write(scripted.join("__init__.py"), "from . import agent\n").unwrap();
    std::fs::write(scripted.join("weather.py"), AGENT).unwrap();
    std::fs::write(scripted.join("agent.py"), SCRIPTED).unwrap();
    let exported = exported.display().to_string();
    let shown = desk.succeeds("adk", &["eval", "scripted", &exported]);
    assert!(shown.contains("Tests passed: 1"), "{shown}");
}

/// An agent elsewhere sends its model call to the host, and gets what a person responds.
async fn a_person_responds(desk: &Desk, host: &Host) {
    let url = format!("http://{}", host.address());
    let mut agent = Command::new(desk.path("env/bin/python"));
    agent
        .args(["-c", WITH_PLUGIN])
        .current_dir(desk.path("work"))
        .env_clear()
        .envs(desk.variables())
        .env("REHEARSAL_SERVER_URL", &url)
        .stdout(std::process::Stdio::piped());
    let running = agent.spawn().unwrap();
    let channel = tonic::transport::Endpoint::from_shared(url).unwrap().connect().await.unwrap();
    let mut person = LiveServiceClient::new(channel);
    let until = Instant::now() + Duration::from_secs(60);
    let (session_id, turn_id) = loop {
        assert!(Instant::now() < until, "nobody asked");
        let asked = wire::ListSessionsRequest::default();
        let sessions = person.list_sessions(asked).await.unwrap().into_inner().sessions;
        let waiting = |it: wire::SessionSummary| Some((it.session?.id, it.queue?.up?.turn_id));
        if let Some(waiting) = sessions.into_iter().find_map(waiting) {
            break waiting;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let parts = vec![wire::Part { kind: Some(Kind::Text("It will be clear.".to_owned())) }];
    let candidate = wire::Content { role: wire::Role::Model.into(), parts };
    let decision = wire::SubmitDecisionRequest {
        session_id,
        turn_id,
        response: Some(wire::HumanResponse { candidates: vec![candidate] }),
        by: Some(wire::Person { display_name: "Ann".to_owned() }),
        lease_id: None,
    };
    person.submit_decision(decision).await.unwrap();
    let ended = running.wait_with_output().unwrap();
    // The address of the session comes first.
    let printed = String::from_utf8_lossy(&ended.stdout);
    assert!(printed.ends_with("\nIt will be clear.\n"), "{printed}");
}
