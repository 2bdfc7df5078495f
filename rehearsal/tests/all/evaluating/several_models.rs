//! Suites of which each case runs with several models.

use std::path::Path;
use std::process::Output;

use api::host::RunHost as _;
use api::{RunCases, RunOf, RunRequest};
use rehearsal::runs::StoredRuns;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::model_endpoint::ModelEndpoint;
use super::text;

/// A suite with these members. The model `openai/judge` says something else than the scripted one.
fn suite(members: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), members);
    folder
}

fn write(folder: &Path, members: &str) {
    let tools = super::agents().join("library/tools.json").canonicalize().unwrap();
    let suite = format!(
        "{members}
subject:
  mcp:
    servers: {{ library: {{ command: never-started }} }}
    instruction: Help.
    declarations: {}
cases:
  - name: one
    first_message: I am case-1
    repeats: 2
    metrics: [{{ event_count: {{ name: greets, event: message, filter: {{ text: Hello }}, is: 1 }} }}]
  - name: two
    first_message: I am case-2
    model: {{ scripted: [Bye] }}
",
        tools.display()
    );
    std::fs::write(folder.join("suite.yaml"), suite).unwrap();
}

fn run(folder: &Path, model: &ModelEndpoint, arguments: &[&str]) -> Output {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["eval", "suite.yaml"]).args(arguments).current_dir(folder);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REHEARSAL_")) {
        command.env_remove(name);
    }
    command.env("OPENAI_BASE_URL", format!("http://{}", model.address)).output().unwrap()
}

fn names(folder: &Path, model: &ModelEndpoint, arguments: &[&str]) -> Vec<String> {
    let listed = run(folder, model, &[&["--list"], arguments].concat());
    assert_eq!(listed.status.code(), Some(0), "{}", text(&listed.stderr));
    text(&listed.stdout).lines().map(str::to_owned).collect()
}

/// What the report says of each result: its id, its run and whether it passed.
fn verdicts(report: &Output) -> Vec<Value> {
    let report: Value = serde_json::from_slice(&report.stdout).unwrap_or_default();
    let results = report["results"].as_array().unwrap();
    results.iter().map(|it| json!([it["eval_id"], it["run"], it["passed"]])).collect()
}

const TWO: &str = "models: [openai/judge, { scripted: [Hello] }]";

#[test]
fn each_case_runs_with_each_model_and_its_results_are_told_apart() {
    let model = ModelEndpoint::start();
    let folder = suite(TWO);
    let folder = folder.path();
    let all = ["one [openai/judge]", "one [scripted]", "two"];
    assert_eq!(names(folder, &model, &[]), all);
    assert_eq!(names(folder, &model, &["--case", "one*"]), all[..2]);
    assert_eq!(names(folder, &model, &["--case", "one [scripted]"]), all[1..2]);
    assert_eq!(
        names(folder, &model, &["--case", "one [openai/judge]", "--case", "tw?"]),
        [all[0], all[2]]
    );

    let report = run(folder, &model, &["--format", "json"]);
    assert_eq!(report.status.code(), Some(1), "{}", text(&report.stderr));
    let verdicts = verdicts(&report);
    assert_eq!(
        verdicts,
        [
            json!(["one [openai/judge]", "run 1", false]),
            json!(["one [openai/judge]", "run 2", false]),
            json!(["one [scripted]", "run 1", true]),
            json!(["one [scripted]", "run 2", true]),
            json!(["two", null, true]),
        ]
    );
    let junit = text(&run(folder, &model, &["--resume", "--format", "junit"]).stdout);
    for name in all {
        assert!(junit.contains(&format!("name=\"{name}")), "{name} is not in\n{junit}");
    }
    assert_eq!(model.count(), 2, "nothing ran again");

    // Each result is compared with that of the same model.
    let since = text(&run(folder, &model, &["--resume", "--baseline", "1"]).stdout);
    assert!(
        since.contains(
            "0 regressed, 0 unscored in one report, 0 improved, 0 new, 0 removed, 5 unchanged"
        ),
        "{since}"
    );

    // A further model runs by itself, and the results of the others stay.
    write(folder, "models: { each: [openai/judge, openai/third, { scripted: [Hello] }] }");
    let resumed = run(folder, &model, &["--resume=1", "--format", "json"]);
    assert_eq!(model.count(), 4, "{}", text(&resumed.stderr));
    let ids: Vec<Value> = self::verdicts(&resumed).iter().map(|it| it[0].clone()).collect();
    assert_eq!(ids.iter().filter(|id| **id == json!("one [openai/third]")).count(), 2, "{ids:?}");

    // Metrics are evaluated again on the results of each.
    let rescored = run(folder, &model, &["--rescore", "1", "--format", "json"]);
    assert_eq!(self::verdicts(&rescored).len(), 7, "{}", text(&rescored.stderr));
    assert_eq!(model.count(), 4);
}

#[test]
fn a_model_on_the_command_line_is_the_only_one() {
    let model = ModelEndpoint::start();
    let folder = suite("models: [openai/judge, openai/third]");
    let names = |arguments: &[&str]| names(folder.path(), &model, arguments);
    assert_eq!(names(&["--model", "openai/third"]), ["one [openai/third]", "two"]);
    assert_eq!(names(&["--model", "openai/fourth"]), ["one [openai/fourth]", "two"]);
    let ran = run(folder.path(), &model, &["--model", "openai/third", "--case", "one*"]);
    assert_eq!((ran.status.code(), model.count()), (Some(1), 2), "{}", text(&ran.stderr));
    // It is the result of that model in a run with all.
    let resumed = run(folder.path(), &model, &["--resume=1", "--case", "one*"]);
    assert_eq!(model.count(), 4, "only the other model is asked: {}", text(&resumed.stderr));
}

#[test]
fn several_models_on_the_command_line_are_a_list_of_models() {
    let model = ModelEndpoint::start();
    let folder = suite("");
    let both = ["--model", "openai/judge", "--model", "openai/third"];
    let all =
        ["one [openai/judge]", "one [openai/third]", "two [openai/judge]", "two [openai/third]"];
    assert_eq!(names(folder.path(), &model, &both), all);
    let ran = run(folder.path(), &model, &[&both[..], &["--format", "json"]].concat());
    assert_eq!((ran.status.code(), model.count()), (Some(1), 6), "{}", text(&ran.stderr));
    let ids: Vec<Value> = verdicts(&ran).iter().map(|it| it[0].clone()).collect();
    assert_eq!(ids, [all[0], all[0], all[1], all[1], all[2], all[3]]);
    let resumed = run(folder.path(), &model, &[&both[..], &["--resume"]].concat());
    assert_eq!(model.count(), 6, "nothing ran again: {}", text(&resumed.stderr));

    // A list in the suite gives way, and what it has in common with the options is the same.
    write(folder.path(), "models: [openai/third, openai/fourth]");
    assert_eq!(names(folder.path(), &model, &both), all);
    let twice = run(folder.path(), &model, &[&both[..2], &both[..2], &["--list"]].concat());
    let wanted = "--model openai/judge is given twice; leave it out once, or use --repeats";
    assert_eq!(twice.status.code(), Some(2));
    assert!(text(&twice.stderr).contains(wanted), "{}", text(&twice.stderr));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_of_models_of_the_command_line_fork_and_run_again_with_them() {
    let model = ModelEndpoint::start();
    let folder = suite("");
    let both = ["--model", "openai/judge", "--model", "openai/third", "--case", "one*"];
    let ran = run(folder.path(), &model, &both);
    assert_eq!((ran.status.code(), model.count()), (Some(1), 4), "{}", text(&ran.stderr));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["fork", "last", "--case", "one [openai/third]", "--step", "2", "--times", "3"]);
    command.env("OPENAI_BASE_URL", format!("http://{}", model.address));
    let forked = command.current_dir(folder.path()).output().unwrap();
    assert_eq!(forked.status.code(), Some(1), "{}", text(&forked.stderr));
    assert!(text(&forked.stdout).contains("0 of 3 pass"), "{}", text(&forked.stdout));
    assert_eq!(model.count(), 7, "that model goes on");

    let store = folder.path().join(".rehearsal/eval.sqlite");
    let runs = StoredRuns::new(store, folder.path().to_owned(), None);
    let plan = async |of, cases| {
        let request = RunRequest { of, cases, repeats: None, model: None };
        let plan = runs.plan_run(request).await.unwrap();
        (plan.cases, plan.results, plan.models)
    };
    let models = ["openai/judge", "openai/third"].map(str::to_owned).to_vec();
    assert_eq!(plan(RunOf::Run(1), RunCases::NotPassed).await, (2, 4, models));
}

#[test]
fn wrong_models_are_refused_with_their_places() {
    let model = ModelEndpoint::start();
    for (members, fault) in [
        (
            "model: { named: openai/judge }\nmodels: [openai/third]",
            "models: `model` and `models` are both given; write all models in `models`, or one in `model`",
        ),
        ("models: []", "models: there are no models; add one, or remove `models`"),
        ("models: [a, b, { named: a }]", "models[2]: a is in the list already; remove one of them"),
        ("models: [\"\"]", "models[0]: the name of the model is empty"),
        ("models: [replay]", "cases[0].model: "),
        ("models: [4]", "the name of a model, or an object such as `scripted: [...]`"),
        ("models: fast", "a list of models, or an object with the settings of models"),
    ] {
        let folder = suite(members);
        let refused = run(folder.path(), &model, &["--list"]);
        let error = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{error}");
        assert!(error.contains(fault), "{fault} is not in\n{error}");
        // Errors of YAML have their text in the excerpt too.
        if fault.starts_with("models") {
            assert_eq!(error.matches(fault).count(), 1, "once: {error}");
        }
    }
    assert_eq!(model.count(), 0);
}
