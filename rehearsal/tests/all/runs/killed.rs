//! A host that is killed while the continuations of a fork run.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Mutex};

use api::host::RunHost as _;
use api::{CaseRunId, ForkRequest, ForkView};
use json_text::JsonText;
use rehearsal::runs::StoredRuns;
use serde_json::{Value, json};

use super::{LOOK, stored};
use crate::evaluating::model_endpoint::ModelEndpoint;
use crate::evaluating::{agents, run, text};
use crate::live_faults::host::{binary, spawn};

/// A host in a process of its own.
struct Host {
    child: Child,
    address: String,
}

impl Host {
    fn start(folder: &Path, environment: &[(&str, &OsStr)]) -> Self {
        let log = Arc::new(Mutex::new(String::new()));
        let mut command = binary();
        command.envs(environment.iter().copied());
        let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
        let child = spawn(command, folder, any_port, &log);
        let log = log.lock().unwrap();
        let (_, after) = log.split_once("serving at http://").unwrap();
        let address = after.split_whitespace().next().unwrap().to_owned();
        Self { child, address }
    }

    async fn asks(&self, function: &str, arguments: &Value) {
        let url = format!("http://{}/api/{function}", self.address);
        let answered = reqwest::Client::new().post(url).json(arguments).send().await.unwrap();
        assert!(answered.status().is_success(), "{}", answered.text().await.unwrap());
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The continuations by run and repeat, with how long each took.
fn results(fork: &ForkView) -> BTreeMap<(i64, u32), u64> {
    let sides = [Some(&fork.with), fork.without.as_ref()].into_iter().flatten();
    let results = sides.flat_map(|side| &side.results);
    results.map(|result| ((result.id.run, result.id.repeat), result.duration_ms)).collect()
}

/// Forks the only failed result of run 1 and kills the host `kills` times at random while it runs the continuations, each of
/// which is asked to go on by the next host. Checks that what had ended stays as it was, and returns the whole fork.
async fn killed_at_random(
    folder: &Path,
    runs: &StoredRuns,
    request: &ForkRequest,
    kills: u64,
    environment: &[(&str, &OsStr)],
) -> ForkView {
    let times = request.times;
    let mut host = Host::start(folder, environment);
    host.asks("start_fork", &json!({ "request": request })).await;
    let random = RandomState::new();
    let all = 2 * times as usize;
    let mut before = BTreeMap::new();
    for kill in 0..kills {
        // On average, the same share of what is left for each of them.
        let left = u64::try_from(all - before.len()).unwrap();
        let most = (2 * left / (kills + 1)).max(1);
        let more = usize::try_from(random.hash_one(kill) % most).unwrap() + 1;
        // A fast host may have ended all of them.
        let wanted = (before.len() + more).min(all);
        while results(&runs.read_fork(3).await.unwrap()).len() < wanted {
            tokio::time::sleep(LOOK).await;
        }
        drop(host);
        let fork = runs.read_fork(3).await.unwrap();
        assert!(!fork.is_running, "nobody runs it any more");
        let now = results(&fork);
        let is_kept = |(key, took): (&(i64, u32), &u64)| now.get(key) == Some(took);
        assert!(before.iter().all(is_kept), "what had ended is as it was");
        before = now;
        host = Host::start(folder, environment);
        host.asks("continue_fork", &json!({ "run": 3, "times": times })).await;
    }
    let fork = loop {
        let fork = runs.read_fork(3).await.unwrap();
        if results(&fork).len() == all && !fork.is_running {
            break fork;
        }
        tokio::time::sleep(LOOK).await;
    };
    let after = results(&fork);
    assert!(before.iter().all(|(key, took)| after.get(key) == Some(took)));
    assert_eq!(runs.list_runs().await.unwrap().runs.len(), 3, "it stays one fork");
    fork
}

/// A fork of this result at its first response, which is another one.
fn request(of: CaseRunId, response: &str, then: Option<&str>, times: u32) -> ForkRequest {
    ForkRequest {
        of,
        step: 2,
        edit: Some(JsonText::parse(response).unwrap()),
        changes: None,
        then: then.map(str::to_owned),
        times,
        tools: Vec::new(),
        by_person: false,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_continuation_in_python_is_lost_or_run_twice() {
    let Some(python) = test_needs::python() else { return };
    let (folder, runs) = stored(&python);
    let of = runs.read_case_run(1, "chest pain".to_owned(), None, None).await.unwrap().summary.id;
    let edit = r#"{"response": {"calls": [{"tool": "escalate", "args": {"urgency_level": "high", "reason": "chest"}}]}}"#;
    let environment = [("REHEARSAL_PYTHON", python.as_os_str())];
    let request = request(of, edit, None, 12);
    let fork = killed_at_random(folder.path(), &runs, &request, 3, &environment).await;
    assert_eq!((fork.with.passed, fork.with.counted), (12, 12));
    assert_eq!(fork.without.map(|side| (side.passed, side.counted)), Some((0, 12)));
}

/// An agent that lends a book with the edit, and does not without it. Its server is never started.
fn library(folder: &Path) {
    let declarations = agents().join("library/tools.json").canonicalize().unwrap();
    let lent = json!({ "delayed": { "ms": 50, "mock": { "returns": { "result": "lent" } } } });
    let suite = json!({
        "subject": { "mcp": {
            "servers": { "library": { "command": "never-started" } },
            "instruction": "Lend books.",
            "declarations": declarations,
        } },
        "cases": [{
            "name": "lends",
            "first_message": "I am case-1",
            "model": { "scripted": ["No"] },
            "tools": { "lend": lent },
            "metrics": [{ "event_count": { "name": "lends", "event": "tool_call", "is": 1 } }],
        }],
    });
    std::fs::write(folder.join("library.eval.yaml"), suite.to_string()).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_continuations_none_is_lost_or_run_twice() {
    const KILLS: u64 = 8;
    let folder = tempfile::tempdir().unwrap();
    library(folder.path());
    let ran = run(folder.path(), &["library.eval.yaml"], None);
    assert_eq!(ran.status.code(), Some(1), "{}", text(&ran.stderr));
    let store = folder.path().join(".rehearsal/eval.sqlite");
    let runs = StoredRuns::new(store, folder.path().to_owned(), None);
    let of = runs.read_case_run(1, "lends".to_owned(), None, None).await.unwrap().summary.id;
    let edit = r#"{"response": {"calls": [{"tool": "lend", "args": {"title": "Dune"}}]}}"#;
    // Each continuation asks it once.
    let model = ModelEndpoint::start();
    let address = format!("http://{}", model.address);
    let environment = [("OPENAI_BASE_URL", OsStr::new(&address))];
    let request = request(of, edit, Some("openai/judge"), 100);
    let fork = killed_at_random(folder.path(), &runs, &request, KILLS, &environment).await;
    assert_eq!((fork.with.passed, fork.with.counted), (100, 100));
    assert_eq!(fork.without.map(|side| (side.passed, side.counted)), Some((0, 100)));
    // Only what ran when its host was killed was begun again.
    let jobs = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let again = model.count() - 200;
    assert!(again <= usize::try_from(KILLS).unwrap() * jobs, "{again} ran again");
}
