//! Every known way in which code has an effect, at each place where an agent's code runs: it leaves a trace only in a
//! tool that is `real`, which shows that it would leave one elsewhere.
//!
//! With `--no-capture`, the test prints which layer stopped each: the guide's table is made from that.

mod canary;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use eval::given_model::{GivenModel, ModelTurn};
use eval::ledger::Event;
use eval::python::AdkPythonSubject;
use eval::{EvalCase, EvalResult, ToolMock, ToolUse, run_eval};
use futures::StreamExt as _;
use json_text::JsonText;
use serde::Deserialize;
use serde_json::{Value, json};

use self::canary::Canary;

/// How many cases run at a time.
const JOBS: usize = 4;

/// How many calls of a mocked tool a case has.
const MOCKED: usize = 20;

/// What gets through where the kernel refuses all that it can, and why.
const KNOWN: &[(&str, &str)] =
    &[("cffi_chmod", "a filter of system calls does not see which file a mode is changed of")];

/// What gets through as well where a case may reach a host: Landlock knows ports of TCP, and no datagrams.
const KNOWN_WITH_NETWORK: &[&str] = &["ctypes_sendto"];

/// Ways whose code has the permission of no tool, not even in one that is real.
const NOT_CARRIED: &[&str] =
    &["raw_thread", "threading_excepthook", "empty_context", "task_in_an_empty_context"];

/// What only the kernel can stop: effects of native code, and some of Python's own of which it raises no event.
const UNSEEN_BY_PYTHON: &[&str] = &[
    "sqlite_attach",
    "sqlite_vacuum_into",
    "os_mknod",
    "os_mkfifo",
    "os_mknod_of_device",
    "fork_exec_without_subprocess",
    "multiprocessing_spawn",
    "multiprocessing_forkserver",
    "multiprocessing_shared_memory",
    "pidfd_send_signal",
    "os_setpriority",
    "os_sched_setscheduler",
    "os_sched_setaffinity",
    "barrier_switched_off",
];

/// What the message of a case says that the audit hook ended.
const STOPPED: &str = "the agent tried to";

/// What the outcome of a way begins with whose code did not run.
const NOT_TRIED: &str = "not tried";

/// A way in which code has an effect.
#[derive(Debug, Clone, Deserialize)]
struct Way {
    name: String,
    kind: String,
    /// What is watched besides a folder.
    watched: Vec<String>,
    /// What it needs and is not there.
    missing: Vec<String>,
}

impl Way {
    /// Whether Python's audit hook could stop it.
    fn is_seen_by_python(&self) -> bool {
        !self.kind.starts_with("native") && !UNSEEN_BY_PYTHON.contains(&self.name.as_str())
    }
}

/// Where the agent's code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Import,
    Callback,
    /// In a case that may reach a host.
    CallbackWithNetwork,
    /// In a case with a tool that is real, which the kernel does not close, and in a folder that may be written to.
    CallbackBesideRealTool,
    MockedTool,
    SealedTool,
    RealTool,
}

/// What came of a way at a place.
struct Tried {
    way: String,
    /// What it left behind.
    traces: Vec<&'static str>,
    /// What stopped it, as far as the code saw that, or the result of the case.
    outcome: String,
}

fn agent() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/effects")
}

/// The ways that can be tried here.
fn ways(python: &Path) -> Vec<Way> {
    let listed = Command::new(python)
        .args(["-m", "ways"])
        .current_dir(agent())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("a Python");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let all: Vec<Way> = serde_json::from_slice(&listed.stdout).expect("the ways");
    assert!(all.len() >= 100, "{}", all.len());
    let missing: BTreeMap<&String, &String> =
        all.iter().flat_map(|way| way.missing.iter().map(move |it| (it, &way.name))).collect();
    for (missing, way) in missing {
        test_needs::absent(&format!("{missing}, for the effect {way},"));
    }
    all.into_iter().filter(|way| way.missing.is_empty()).collect()
}

fn subject(python: &Path) -> AdkPythonSubject {
    AdkPythonSubject::new(&agent(), Some(python))
}

/// A case in which a way is tried at a place.
fn case(
    subject: &Arc<AdkPythonSubject>,
    place: Place,
    tries: impl IntoIterator<Item = Value>,
) -> EvalCase {
    let mut turns: Vec<_> =
        tries.into_iter().map(|it| ModelTurn::call("touch", JsonText::from_value(&it))).collect();
    turns.push(ModelTurn::text("done"));
    let case = EvalCase::new("effect", subject.clone())
        .first_message("Touch it")
        .model(GivenModel::scripted(turns));
    match place {
        Place::Import | Place::Callback => case,
        Place::CallbackWithNetwork => case.allow("127.0.0.1:9"),
        Place::MockedTool => case.tool("touch", ToolUse::Mock(ToolMock::Returns(JsonText::null()))),
        Place::SealedTool => case.tool("touch", ToolUse::Sealed),
        Place::CallbackBesideRealTool | Place::RealTool => case.tool("touch", ToolUse::Real),
    }
}

/// The value of a key of the state, at the end of the run.
fn state(result: &EvalResult, key: &str) -> Value {
    let mut changes = result.events.iter().filter_map(|entry| match &entry.event {
        Event::StateChange { changes, .. } => {
            changes.to_value().ok()?.get_mut(key).map(Value::take)
        }
        _ => None,
    });
    changes.next_back().unwrap_or_default()
}

/// What a case says about what stopped its way.
fn outcome(result: &EvalResult) -> String {
    let message = result.error.as_ref().map(|error| error.message.as_str()).unwrap_or_default();
    match state(result, "outcome") {
        _ if message.contains(STOPPED) => message.to_owned(),
        Value::String(outcome) => outcome,
        _ => format!("{NOT_TRIED}: {message}"),
    }
}

/// Tries each way in a case of its own.
async fn in_cases(subject: &Arc<AdkPythonSubject>, place: Place, ways: &[Way]) -> Vec<Tried> {
    let tries = ways.iter().map(|way| async move {
        let canary = Canary::new(&way.watched);
        let args = json!({ "way": way.name, "canary": canary.to_value() });
        let is_in_callback = matches!(
            place,
            Place::Callback | Place::CallbackWithNetwork | Place::CallbackBesideRealTool
        );
        let result = if is_in_callback {
            let mut state = args;
            state["in_writable_folder"] = (place == Place::CallbackBesideRealTool).into();
            let state = JsonText::from_value(&state);
            run_eval(&case(subject, place, []).initial_state(state)).await
        } else {
            run_eval(&case(subject, place, [args])).await
        };
        let traces = match should_leave_trace(way, place) {
            true => canary.wait_for_traces().await,
            false => canary.traces(),
        };
        Tried { way: way.name.clone(), traces, outcome: outcome(&result) }
    });
    futures::stream::iter(tries).buffered(JOBS).collect().await
}

/// Calls a tool that has a mock once for each way, in a few cases.
async fn in_mocked_tools(subject: &Arc<AdkPythonSubject>, ways: &[Way]) -> Vec<Tried> {
    let cases = ways.chunks(MOCKED).map(|ways| async move {
        let canaries: Vec<_> = ways.iter().map(|way| (way, Canary::new(&way.watched))).collect();
        let calls = canaries
            .iter()
            .map(|(way, canary)| json!({ "way": way.name, "canary": canary.to_value() }));
        run_eval(&case(subject, Place::MockedTool, calls)).await.assert_passed();
        tried(canaries, |_| "its code does not run".to_owned())
    });
    let tried: Vec<_> = futures::stream::iter(cases).buffered(JOBS).collect().await;
    tried.into_iter().flatten().collect()
}

/// Tries all ways when the agent is imported, in one process.
async fn at_import(python: &Path, ways: &[Way]) -> Vec<Tried> {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = folder.path().join("canaries.json");
    let canaries: Vec<_> = ways.iter().map(|way| (way, Canary::new(&way.watched))).collect();
    let json: BTreeMap<_, _> =
        canaries.iter().map(|(way, canary)| (&way.name, canary.to_value())).collect();
    std::fs::write(&listed, serde_json::to_vec(&json).expect("JSON")).expect("written");
    let subject = subject(python).environment("EFFECTS_AT_IMPORT", listed.to_string_lossy());
    let result = run_eval(&case(&Arc::new(subject), Place::Import, [])).await;
    let error = result.error.as_ref().expect("the import tried something");
    assert!(error.message.contains(STOPPED), "{}", error.message);
    let outcomes = error.traceback.rsplit_once("at_import ").map(|(_, outcomes)| outcomes);
    let outcomes = serde_json::Deserializer::from_str(outcomes.unwrap_or("null"));
    let outcomes = outcomes.into_iter::<Value>().next().and_then(Result::ok).unwrap_or_default();
    tried(canaries, |way| match outcomes[&way.name].as_str() {
        Some(outcome) => outcome.to_owned(),
        None => format!("{NOT_TRIED}: {error:?}"),
    })
}

fn tried(canaries: Vec<(&Way, Canary)>, outcome: impl Fn(&Way) -> String) -> Vec<Tried> {
    let tried = canaries.into_iter().map(|(way, canary)| Tried {
        way: way.name.clone(),
        traces: canary.traces(),
        outcome: outcome(way),
    });
    tried.collect()
}

/// The layer that an outcome speaks of.
fn layer(outcome: &str) -> &'static str {
    let refused = ["ermission", "not permitted", "unable to open database", "readonly database"];
    if outcome.starts_with("ForbiddenEffect") || outcome.contains(STOPPED) {
        "hook"
    } else if refused.iter().any(|it| outcome.contains(it)) {
        "kernel"
    } else {
        "silent"
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stdout, reason = "the guide's table is made from it")]
async fn no_way_of_an_effect_leaves_a_trace_outside_of_real_tools() {
    let Some(python) = test_needs::python() else { return };
    let gaps = eval::python::seal_gaps();
    for gap in &gaps {
        test_needs::absent(&format!("a kernel that refuses {gap}"));
    }
    let ways = ways(&python);
    let subject = Arc::new(subject(&python));
    let mut faults = String::new();
    let mut table: BTreeMap<&String, Vec<&str>> = BTreeMap::new();
    for place in [
        Place::Import,
        Place::Callback,
        Place::CallbackWithNetwork,
        Place::CallbackBesideRealTool,
        Place::MockedTool,
        Place::SealedTool,
        Place::RealTool,
    ] {
        let begin = std::time::Instant::now();
        let tried = match place {
            Place::Import => at_import(&python, &ways).await,
            Place::MockedTool => in_mocked_tools(&subject, &ways).await,
            _ => in_cases(&subject, place, &ways).await,
        };
        println!("{place:?}: {} ways in {:?}", tried.len(), begin.elapsed());
        assert_eq!(tried.len(), ways.len());
        for (way, Tried { way: name, traces, outcome }) in ways.iter().zip(tried) {
            assert_eq!(way.name, name);
            let layer = if traces.is_empty() { layer(&outcome) } else { "fires" };
            table.entry(&way.name).or_default().push(layer);
            if let Some(fault) = fault(way, place, &traces, &outcome, gaps.is_empty()) {
                let _ = writeln!(
                    faults,
                    "{name} ({}) {fault} at {place:?} {traces:?}: {outcome}",
                    way.kind
                );
            }
        }
    }
    println!("{:<46}{:<26}import callb. host   beside mocked sealed real", "way", "kind");
    for way in &ways {
        let layers: String = table[&way.name].iter().map(|it| format!("{it:<7}")).collect();
        println!("{:<46}{:<26}{layers}", way.name, way.kind);
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Whether a way has its effect at a place, as far as that is known.
fn should_leave_trace(way: &Way, place: Place) -> bool {
    match place {
        Place::MockedTool => false,
        Place::RealTool => !NOT_CARRIED.contains(&way.name.as_str()),
        Place::CallbackWithNetwork if KNOWN_WITH_NETWORK.contains(&way.name.as_str()) => true,
        _ => KNOWN.iter().any(|(known, _)| *known == way.name),
    }
}

/// What is wrong with what a way left behind at a place.
fn fault(
    way: &Way,
    place: Place,
    traces: &[&'static str],
    outcome: &str,
    is_sealed: bool,
) -> Option<&'static str> {
    if outcome.starts_with(NOT_TRIED) {
        return Some("did not run");
    }
    let is_any_stopped = matches!(place, Place::MockedTool | Place::RealTool);
    let is_sealed = is_sealed && place != Place::CallbackBesideRealTool;
    if !is_any_stopped && !is_sealed && !way.is_seen_by_python() {
        return None;
    }
    match (should_leave_trace(way, place), traces.is_empty()) {
        (true, true) => Some("left no trace"),
        (false, false) => Some("left a trace"),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_effect_of_a_forked_process_ends_the_case() {
    let Some(python) = test_needs::python() else { return };
    let names = ["os_fork", "os_spawnv", "os_exec_after_fork", "multiprocessing_fork"];
    let ways: Vec<_> =
        ways(&python).into_iter().filter(|way| names.contains(&way.name.as_str())).collect();
    assert_eq!(ways.len(), names.len());
    let subject = Arc::new(subject(&python));
    for place in [Place::Callback, Place::SealedTool] {
        for Tried { way, traces, outcome } in in_cases(&subject, place, &ways).await {
            assert_eq!(traces, [""; 0], "{way}");
            assert!(outcome.contains(STOPPED), "{way} at {place:?}: {outcome}");
            assert!(outcome.contains("effects/ways/programs.py:"), "{way}: {outcome}");
        }
    }
}
