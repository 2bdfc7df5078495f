//! google-adk's own `adk eval` as the oracle: Google's eval files give the same scores in both.
//!
//! The agents are in `tests/agents/googles`: their tools are real, and their models answer as a script says.
//! One script answers as the eval file expects; the others differ from it, so that scores below 1 are compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use eval::file::{EvalSetOptions, ModelChoice, read_eval_set};
use eval::golden::Golden;
use eval::python::AdkPythonSubject;
use eval::run_eval;
use scoring::Invocation;
use serde_json::{Value, json};

/// Each agent: its folder, which part of a file's name is its own, and its tools.
const AGENTS: [(&str, &str, &[&str]); 7] = [
    ("home_automation", "home_automation_agent", &["get_device_info", "set_device_info"]),
    (
        "ecommerce",
        "ecommerce_customer_service_agent",
        &["get_order_status", "get_order_ids_for_user", "cancel_order", "send_email"],
    ),
    ("trip_planner", "trip_planner_agent", &[]),
    (
        "travel_concierge",
        "travel-concierge",
        &["memorize", "flight_status_check", "event_booking_check", "weather_impact_check"],
    ),
    ("data_science", "data-science", &["call_db_agent"]),
    ("llm_auditor", "llm-auditor", &[]),
    ("personalized_shopping", "personalized-shopping", &["search"]),
];

const METRICS: [&str; 2] = ["tool_trajectory_avg_score", "response_match_score"];

/// How the model differs from what the eval file expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    AsExpected,
    OtherWords,
    OtherArguments,
    /// The last call of each turn is missing.
    FewerCalls,
    /// All calls in one response, with a text beside them.
    CallsAtOnce,
    /// A call more, and then no text.
    Silent,
}

const SCRIPTS: [Script; 6] = [
    Script::AsExpected,
    Script::OtherWords,
    Script::OtherArguments,
    Script::FewerCalls,
    Script::CallsAtOnce,
    Script::Silent,
];

impl Script {
    /// The responses of the model in one turn.
    fn steps(self, turn: &Invocation) -> Vec<Value> {
        let calls = turn.tool_calls.iter().map(|call| {
            let args = call.args.as_ref().expect("arguments").to_value().expect("JSON");
            json!({ "name": call.name, "args": args })
        });
        let mut calls: Vec<Value> = calls.collect();
        let mut text = turn.final_response.clone().unwrap_or_default();
        match self {
            Self::AsExpected | Self::CallsAtOnce => {}
            Self::OtherWords => {
                let words = text.split_whitespace().enumerate();
                text = words
                    .filter(|(at, _)| at % 3 != 1)
                    .map(|(_, word)| word)
                    .collect::<Vec<_>>()
                    .join(" ");
                text.push_str(" Indeed.");
            }
            Self::OtherArguments => {
                let call = calls.iter_mut().find(|call| !is_transfer(call));
                if let Some(args) = call.and_then(|call| call["args"].as_object_mut()) {
                    for value in args.values_mut().take(1) {
                        *value = json!("1");
                    }
                }
            }
            Self::FewerCalls => drop(calls.pop_if(|call| !is_transfer(call))),
            Self::Silent => {
                calls.push(
                    json!({ "name": "not_a_tool", "args": { "why": "no tool has this name" } }),
                );
                text.clear();
            }
        }
        let mut steps = Vec::new();
        if self == Self::CallsAtOnce {
            for together in calls.chunk_by(|a, b| !is_transfer(a) && !is_transfer(b)) {
                steps.push(json!({ "text": "One moment.", "calls": together }));
            }
        } else {
            steps.extend(calls.into_iter().map(|call| json!({ "calls": [call] })));
        }
        steps.push(json!({ "text": text }));
        steps
    }
}

/// What comes after it is another agent's.
fn is_transfer(call: &Value) -> bool {
    call["name"] == "transfer_to_agent"
}

/// An eval file with an agent and a script for its model.
struct Run {
    agent: usize,
    eval_set: PathBuf,
    script: Script,
    /// The file with the script.
    path: PathBuf,
}

/// The scores of each case by metric.
type Scores = Vec<BTreeMap<String, Option<f64>>>;

/// Every file with every script.
fn runs(corpus: &Path, folder: &Path) -> Vec<Run> {
    let files = std::fs::read_dir(corpus).expect("the folder");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut runs = Vec::new();
    for eval_set in files {
        let name = eval_set.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let agent = AGENTS.iter().position(|(_, part, _)| name.contains(part));
        let agent = agent.unwrap_or_else(|| panic!("{name} has no agent"));
        let expected = Golden::read(&eval_set, None).expect("one case").trace;
        for script in SCRIPTS {
            let turns = expected.invocations.iter();
            let turns: Vec<Value> = turns
                .map(|turn| json!({ "user": turn.user_text, "steps": script.steps(turn) }))
                .collect();
            let path = folder.join(format!("{}.json", runs.len()));
            std::fs::write(&path, json!(turns).to_string()).expect("written");
            runs.push(Run { agent, eval_set: eval_set.clone(), script, path });
        }
    }
    runs
}

fn agents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/googles")
}

/// A copy of the agents, because `adk eval` writes into their folders.
fn copied_agents(folder: &Path) -> PathBuf {
    let copy = folder.join("agents");
    let files = |folder: &Path| {
        std::fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry").path())
    };
    std::fs::create_dir(&copy).expect("made");
    std::fs::copy(agents().join("scripted.py"), copy.join("scripted.py")).expect("copied");
    for (name, ..) in AGENTS {
        std::fs::create_dir(copy.join(name)).expect("made");
        for file in
            files(&agents().join(name)).filter(|path| path.extension().is_some_and(|it| it == "py"))
        {
            let to = copy.join(name).join(file.file_name().expect("a name"));
            std::fs::copy(&file, to).expect("copied");
        }
    }
    copy
}

/// What `adk eval` gives for each run, all in one process.
fn scores_of_adk(python: &Path, folder: &Path, runs: &[Run]) -> Vec<Scores> {
    let agents = copied_agents(folder);
    let listed = runs.iter().map(|run| {
        json!({ "agent": agents.join(AGENTS[run.agent].0), "eval_set": run.eval_set, "script": run.path })
    });
    let list = folder.join("runs.json");
    std::fs::write(&list, Value::from_iter(listed).to_string()).expect("written");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adk_eval.py");
    let output = Command::new(python)
        .args(["-W", "ignore"])
        .arg(program)
        .arg(&list)
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("scores")).collect()
}

/// What the engine gives for each run of one agent, by the run's number.
async fn scores_of_engine(
    python: &Path,
    folder: &Path,
    runs: &[Run],
    agent: usize,
) -> Vec<(usize, Scores)> {
    let (name, _, tools) = AGENTS[agent];
    let script = folder.join(format!("{name}.json"));
    let subject = AdkPythonSubject::new(&agents().join(name), Some(python))
        .environment("SCRIPTED_MODEL", script.to_string_lossy());
    let options = EvalSetOptions {
        subject: Arc::new(subject),
        model: ModelChoice::Own,
        config: None,
        real_tools: tools.iter().map(ToString::to_string).collect(),
        sealed_tools: Vec::new(),
        simulated_by: None,
        only: None,
    };
    let mut all = Vec::new();
    for (number, run) in runs.iter().enumerate().filter(|(_, run)| run.agent == agent) {
        std::fs::copy(&run.path, &script).expect("copied");
        let mut scores = Scores::new();
        for case in read_eval_set(&run.eval_set, &options).unwrap_or_else(|error| panic!("{error}"))
        {
            let result = run_eval(&case).await;
            assert!(result.error.is_none(), "{:?} of {name}: {:?}", run.script, result.error);
            scores.push(
                result.metrics.into_iter().map(|(name, metric)| (name, metric.score)).collect(),
            );
        }
        all.push((number, scores));
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn googles_eval_files_are_scored_as_by_adk_eval() {
    let Some(python) = test_needs::python() else { return };
    let Some(corpus) = test_needs::corpus("adk-evalsets") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = corpus.canonicalize().expect("it exists");
    let runs = Arc::new(runs(&corpus, folder.path()));
    let theirs = tokio::task::spawn_blocking({
        let (python, folder, runs) =
            (python.clone(), folder.path().to_path_buf(), Arc::clone(&runs));
        move || scores_of_adk(&python, &folder, &runs)
    });
    let mut ours: BTreeMap<usize, Scores> = BTreeMap::new();
    for agent in 0..AGENTS.len() {
        ours.extend(scores_of_engine(&python, folder.path(), &runs, agent).await);
    }
    let theirs = theirs.await.expect("it ends");
    assert_eq!((ours.len(), theirs.len()), (runs.len(), runs.len()));

    let (mut cases, mut below, mut differences) = (0, [0; METRICS.len()], Vec::new());
    for (run, (ours, theirs)) in runs.iter().zip(ours.values().zip(&theirs)) {
        assert_eq!(ours.len(), theirs.len(), "{}", run.eval_set.display());
        for (ours, theirs) in ours.iter().zip(theirs) {
            cases += 1;
            for (at, metric) in METRICS.into_iter().enumerate() {
                let (ours, theirs) = (ours[metric], theirs[metric]);
                let is_same = match (ours, theirs) {
                    (Some(ours), Some(theirs)) => (ours - theirs).abs() < 1e-9,
                    _ => ours == theirs,
                };
                if !is_same {
                    let name = run.eval_set.file_name().unwrap_or_default().to_string_lossy();
                    differences.push(format!(
                        "{metric} of {name}, {:?}: {ours:?} and not {theirs:?}",
                        run.script
                    ));
                }
                below[at] += usize::from(theirs < Some(1.0 - 1e-9));
            }
        }
    }
    assert!(differences.is_empty(), "adk eval scores otherwise:\n{}", differences.join("\n"));
    assert_eq!((runs.len() / SCRIPTS.len(), cases), (14, 14 * SCRIPTS.len()));
    assert!(below.iter().all(|below| *below > 20), "{below:?} of {cases} scores are below 1");
    eprintln!(
        "{cases} cases of {} files scored as by adk eval, of which {} and {} below 1 in {METRICS:?}",
        runs.len() / SCRIPTS.len(),
        below[0],
        below[1]
    );
}
