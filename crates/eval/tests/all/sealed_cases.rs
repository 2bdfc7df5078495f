//! Cases that allow no effect are closed by the kernel, and what they may do nevertheless.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eval::given_model::{GivenModel, ModelTurn};
use eval::ledger::{Event, Origin};
use eval::mock::ToolUse;
use eval::python::{AdkPythonSubject, seal_gaps};
use eval::result::EvalResult;
use eval::{EvalCase, Status, run_eval};
use json_text::JsonText;
use serde_json::{Value, json};

/// An agent, and a folder with a path at which there is nothing.
struct World {
    subject: Arc<AdkPythonSubject>,
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Option<Self> {
        let python = test_needs::python()?;
        let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/sealed");
        let subject = Arc::new(AdkPythonSubject::new(&agent, Some(&python)));
        Some(Self { subject, folder: tempfile::tempdir().expect("a folder") })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("canary")
    }

    /// A case whose agent does this before its model is asked.
    fn in_callback(&self, way: &str) -> EvalCase {
        let mut case = EvalCase::new(way, self.subject.clone())
            .first_message("Go")
            .model(GivenModel::scripted(vec![ModelTurn::text("Done")]));
        case.initial_state = JsonText::from_value(&json!({ "way": way, "path": self.path() }));
        case
    }

    /// A case whose model calls a tool that does this.
    fn in_tool(&self, way: &str) -> EvalCase {
        let args = JsonText::from_value(&json!({ "way": way, "path": self.path() }));
        EvalCase::new(way, self.subject.clone()).first_message("Go").model(GivenModel::scripted(
            vec![ModelTurn::call("act", args), ModelTurn::text("Done")],
        ))
    }

    fn folder(&self) -> String {
        format!("{}/", self.folder.path().display())
    }
}

fn message(result: &EvalResult) -> &str {
    &result.error.as_ref().expect("an error").message
}

/// The state at the end of the run.
fn state(result: &EvalResult) -> Value {
    let mut states = result.events.iter().filter_map(|entry| match &entry.event {
        Event::Termination { state, .. } => state.to_value().ok(),
        _ => None,
    });
    states.next_back().expect("an end")
}

fn has_passed(result: &EvalResult) {
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
}

/// Whether this kernel closes everything. If not, what is seen in C is not tested.
fn is_closed() -> bool {
    let gaps = seal_gaps();
    if !gaps.is_empty() {
        eprintln!("NOT TESTED: this kernel cannot refuse {}", gaps.join(", "));
    }
    gaps.is_empty()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_python_does_not_see_the_kernel_refuses() {
    let Some(world) = World::new() else { return };
    if !is_closed() {
        return;
    }
    for way in ["creat", "vacuum"] {
        let result = run_eval(&world.in_callback(way)).await;
        assert_eq!(result.status, Status::Error, "{way}");
        let result = run_eval(&world.in_tool(way).tool("act", ToolUse::Sealed)).await;
        assert_eq!(result.status, Status::Error, "{way}");
        assert!(!world.path().exists(), "{way}");
    }
    // The agent has no such part.
    for name in ["McpToolset", "google_search", "mistyped"] {
        let result = run_eval(&world.in_callback("creat").allow(name)).await;
        assert!(message(&result).contains("The kernel refuses effects in this case"), "{name}");
        assert!(!world.path().exists(), "{name}");
    }
    let result = run_eval(&world.in_tool("creat").tool("act", ToolUse::Real)).await;
    has_passed(&result);
    assert!(world.path().exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sealed_tool_changes_its_session_only() {
    let Some(world) = World::new() else { return };
    let args = JsonText::from_value(&json!({ "text": "hello" }));
    let case = EvalCase::new("note", world.subject.clone())
        .first_message("Go")
        .model(GivenModel::scripted(vec![ModelTurn::call("note", args), ModelTurn::text("Done")]))
        .tool("note", ToolUse::Sealed);
    let result = run_eval(&case).await;
    has_passed(&result);
    let state = state(&result);
    assert_eq!(state["noted"], "hello");
    let from = result.events.iter().find_map(|entry| match &entry.event {
        Event::ToolResult { from, .. } => Some(*from),
        _ => None,
    });
    assert_eq!(from, Some(Origin::Sealed));
    let result = run_eval(&world.in_tool("write").tool("act", ToolUse::Sealed)).await;
    let begin = format!("in the case write, the agent tried to write {}", world.path().display());
    assert!(message(&result).starts_with(&begin), "{}", message(&result));
    assert!(!world.path().exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cases_may_do_what_they_allow_by_name() {
    let Some(world) = World::new() else { return };
    if !is_closed() {
        return;
    }
    let result = run_eval(&world.in_callback("write").allow(world.folder())).await;
    has_passed(&result);
    std::fs::remove_file(world.path()).expect("it is there");
    let result = run_eval(&world.in_callback("run")).await;
    let tried = "the agent tried to start a process (subprocess.Popen touch)";
    assert!(message(&result).contains(tried), "{}", message(&result));
    // Nothing of the sort is heard of a program that multiprocessing starts, but for this.
    let result = run_eval(&world.in_callback("spawn")).await;
    let tried = "the agent tried to start a process (multiprocessing ";
    assert!(message(&result).contains(tried), "{}", message(&result));
    let result = run_eval(&world.in_callback("datagram")).await;
    let tried = "the agent tried to use the network, with a socket for datagrams";
    assert!(message(&result).contains(tried), "{}", message(&result));
    // A program is closed like the agent.
    let result = run_eval(&world.in_callback("run").allow("touch")).await;
    assert_eq!((result.status, world.path().exists()), (Status::Error, false));
    let result = run_eval(&world.in_callback("run").allow("touch").allow(world.folder())).await;
    has_passed(&result);
    assert!(world.path().exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn temporary_files_and_caches_are_no_effects() {
    let Some(world) = World::new() else { return };
    if !is_closed() {
        return;
    }
    std::fs::create_dir(world.path()).expect("made");
    for case in [world.in_callback("keep"), world.in_tool("keep").tool("act", ToolUse::Sealed)] {
        let result = run_eval(&case).await;
        has_passed(&result);
        let state = state(&result);
        let temporary = state["temporary"].as_str().expect("a path");
        assert!(temporary.contains("rehearsal-eval-"), "{temporary}");
        let home = std::env::var_os("HOME").expect("set");
        assert!(!Path::new(&home).join(".cache/rehearsal-test").exists());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_library_can_do_without_is_refused_and_noted() {
    let Some(python) = test_needs::python() else { return };
    if !is_closed() {
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let cache = home.path().join(".cache/cautious");
    std::fs::create_dir_all(&cache).expect("made");
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/sealed");
    let subject = AdkPythonSubject::new(&agent, Some(&python));
    let mut world = World::new().expect("Python");
    world.subject = Arc::new(subject.environment("HOME", home.path().to_string_lossy()));
    let result = run_eval(&world.in_callback("ask")).await;
    has_passed(&result);
    let refused = result.events.iter().filter_map(|entry| match &entry.event {
        Event::EffectRefused { what, .. } => Some(what.as_str()),
        _ => None,
    });
    let refused: Vec<_> = refused.collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused[0].starts_with("tried to write "), "{refused:?}");
    assert_eq!(refused[1], "tried to start a process (subprocess.Popen git)");
    assert_eq!(
        result.notes.iter().filter(|note| note.starts_with("a library of the agent ")).count(),
        2
    );
    assert_eq!(std::fs::read_dir(&cache).expect("a folder").count(), 0);
}
