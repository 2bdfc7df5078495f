//! A host that is killed while the continuations of a fork run.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Mutex};

use api::host::RunHost as _;
use api::{ForkRequest, ForkView};
use json_text::JsonText;
use serde_json::{Value, json};

use super::{LOOK, stored};
use crate::live_faults::host::{binary, spawn};

/// Continuations of each side.
const TIMES: u32 = 12;

/// A host in a process of its own.
struct Host {
    child: Child,
    address: String,
}

impl Host {
    fn start(folder: &Path, python: &Path) -> Self {
        let log = Arc::new(Mutex::new(String::new()));
        let mut command = binary();
        command.env("REHEARSAL_PYTHON", python);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_continuation_is_lost_or_run_twice() {
    let Some(python) = test_needs::python() else { return };
    let (folder, runs) = stored(&python);
    let of = runs.read_case_run(1, "chest pain".to_owned(), None, None).await.unwrap().summary.id;
    let edit = r#"{"response": {"calls": [{"tool": "escalate", "args": {"urgency_level": "high", "reason": "chest"}}]}}"#;
    let edit = Some(JsonText::parse(edit).unwrap());
    let request = ForkRequest {
        of,
        step: 2,
        edit,
        changes: None,
        then: None,
        times: TIMES,
        tools: Vec::new(),
        by_person: false,
    };

    let mut host = Host::start(folder.path(), &python);
    host.asks("start_fork", &json!({ "request": request })).await;
    let random = RandomState::new();
    let all = 2 * TIMES as usize;
    let mut before = BTreeMap::new();
    for kill in 0..3 {
        let left = u64::try_from(all - before.len()).unwrap();
        let more = usize::try_from(random.hash_one(kill) % (left / 2).max(1)).unwrap() + 1;
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
        host = Host::start(folder.path(), &python);
        host.asks("continue_fork", &json!({ "run": 3, "times": TIMES })).await;
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
    assert_eq!((fork.with.passed, fork.with.counted), (12, 12));
    assert_eq!(fork.without.map(|side| (side.passed, side.counted)), Some((0, 12)));
    assert_eq!(runs.list_runs().await.unwrap().runs.len(), 3, "it stays one fork");
}
