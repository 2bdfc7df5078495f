//! Agents that use libraries as their docs show it run without a false alarm.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use eval::given_model::{GivenModel, ModelTurn};
use eval::python::AdkPythonSubject;
use eval::{EvalCase, EvalResult, Status, ToolUse, run_eval};
use futures::StreamExt as _;
use json_text::JsonText;
use serde::Deserialize;
use serde_json::json;

/// How many cases run at a time.
const JOBS: usize = 4;

/// After this time, something waits for ever.
const LONGEST: Duration = Duration::from_secs(60);

/// A module of the agent, which uses a library.
#[derive(Debug, Clone, Deserialize)]
struct Library {
    name: String,
    /// What it needs and is not there.
    missing: Vec<String>,
    /// What its case allows, with `{folder}` for that of the test.
    allow: Vec<String>,
    /// What the message says with which its case ends.
    refused: Option<String>,
    /// Whether it is imported in a process of its own.
    is_alone: bool,
}

fn agent() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/ordinary")
}

/// The libraries that are there. Files of theirs are made in `folder`.
fn libraries(python: &Path, folder: &Path) -> Vec<Library> {
    let listed = Command::new(python)
        .args(["-m", "libraries"])
        .arg(folder)
        .current_dir(agent())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("a Python");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let all: Vec<Library> = serde_json::from_slice(&listed.stdout).expect("the libraries");
    assert!(all.len() >= 50, "{}", all.len());
    let missing: BTreeMap<&String, &String> =
        all.iter().flat_map(|it| it.missing.iter().map(move |name| (name, &it.name))).collect();
    for (missing, library) in missing {
        test_needs::absent(&format!("{missing}, for the ordinary agent {library},"));
    }
    all.into_iter().filter(|it| it.missing.is_empty()).collect()
}

/// The agent with these modules.
fn subject(python: &Path, folder: &Path, names: &[&str]) -> Arc<AdkPythonSubject> {
    let subject = AdkPythonSubject::new(&agent(), Some(python))
        .environment("ORDINARY", names.join(","))
        .environment("ORDINARY_FOLDER", folder.to_string_lossy());
    Arc::new(subject)
}

fn case(library: &Library, subject: Arc<AdkPythonSubject>, folder: &Path) -> EvalCase {
    let args = JsonText::from_value(&json!({ "name": library.name }));
    let turns = vec![ModelTurn::call("use_library", args), ModelTurn::text("done")];
    let state = json!({ "library": library.name });
    let mut case = EvalCase::new(&library.name, subject)
        .first_message("Use it")
        .initial_state(JsonText::from_value(&state))
        .model(GivenModel::scripted(turns))
        .tool("use_library", ToolUse::Sealed);
    case.terminate_when.max_duration = Some(LONGEST);
    let folder = folder.to_string_lossy();
    library.allow.iter().fold(case, |case, name| case.allow(name.replace("{folder}", &folder)))
}

/// What is wrong with the result.
fn fault(library: &Library, result: &EvalResult) -> Option<String> {
    let message = result.error.as_ref().map(|error| &error.message);
    match (&library.refused, message) {
        (Some(refused), Some(message)) => {
            let is_named = message.contains(refused) && message.contains("allow");
            (!is_named).then(|| format!("does not name {refused}: {message}"))
        }
        (Some(refused), None) => Some(format!("reached {refused}")),
        (None, _) if result.status == Status::Passed => None,
        (None, _) => Some(format!("is {:?}: {:?}", result.status, result.error)),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ordinary_agents_run_without_a_false_alarm() {
    let Some(python) = test_needs::python() else { return };
    let gaps = eval::python::seal_gaps();
    if !gaps.is_empty() {
        test_needs::absent(&format!("a kernel that refuses {}", gaps.join(" and ")));
        return;
    }
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let libraries = libraries(&python, folder);
    let together: Vec<_> =
        libraries.iter().filter(|it| !it.is_alone).map(|it| it.name.as_str()).collect();
    let together = subject(&python, folder, &together);
    let cases = libraries.iter().map(|library| {
        let subject = match library.is_alone {
            true => subject(&python, folder, &[&library.name]),
            false => Arc::clone(&together),
        };
        async move { (library, run_eval(&case(library, subject, folder)).await) }
    });
    let results: Vec<_> = futures::stream::iter(cases).buffered(JOBS).collect().await;
    let mut faults = String::new();
    for (library, result) in results {
        if let Some(fault) = fault(library, &result) {
            let _ = writeln!(faults, "{} {fault}", library.name);
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
    let logged = std::fs::read_to_string(folder.join("logs/agent.log")).expect("a log");
    assert!(logged.contains("This is line 19"), "{logged}");
    let home = std::env::home_dir().expect("a home");
    let name = folder.file_name().expect("a name");
    assert!(!home.join(name).exists(), "a file was left in the home");
}
