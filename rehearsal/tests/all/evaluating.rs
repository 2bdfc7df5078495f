//! `rehearsal eval` as a process.

#[cfg(target_os = "linux")]
mod interpreters;
#[cfg(unix)]
mod interrupted;
mod killed;
pub(crate) mod model_endpoint;
mod prices;
mod recordings;
mod refused;
mod several_models;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

pub(crate) fn agents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/eval/tests/agents")
}

/// A folder with a suite of the triage agent.
pub(crate) fn suite(cases: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let agent = agents().join("triage").canonicalize().unwrap();
    let text = format!("subject: {{ adk: {} }}\ncases:\n{cases}", agent.display());
    std::fs::write(folder.path().join("suite.yaml"), text).unwrap();
    folder
}

pub(crate) fn run(folder: &Path, arguments: &[&str], python: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.arg("eval").args(arguments).current_dir(folder);
    let is_of_machine = |name: &str| name.starts_with("REHEARSAL_") || name.ends_with("_API_KEY");
    for (name, _) in std::env::vars().filter(|(name, _)| is_of_machine(name)) {
        command.env_remove(name);
    }
    if let Some(python) = python {
        command.arg("--python").arg(python);
    }
    command.output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn each_verdict_has_its_words_and_exit_code() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(
        r#"
  - name: greets
    first_message: Hi
    model: { scripted: [Hello] }
    tags: [smoke]
  - name: fails
    first_message: Hi
    model: { scripted: [Hello] }
    metrics:
      - state: { name: escalated, key: escalation, is: { $exists: true } }
  - name: errs
    first_message: Hi
    model: { scripted: [{ calls: [{ tool: escalate, args: { urgency_level: a, reason: b } }] }] }
  - name: goes on
    first_message: Hi
    model: { scripted: [One, Two, Three] }
    user_agents: { loop: { script: [And, And, And] } }
    terminate_when: { max_turns: 1 }
"#,
    );
    let passed = run(folder.path(), &["suite.yaml", "--tag", "smoke"], Some(&python));
    assert_eq!(passed.status.code(), Some(0), "{}", text(&passed.stderr));
    let shown = text(&passed.stdout);
    assert!(shown.contains("\n1 case: 1 passed, 0 failed, 0 unscored."), "{shown}");
    let note = "passed    greets\n          note: the case has no metric, so nothing is measured\n";
    assert!(shown.starts_with(note), "{shown}");
    assert!(text(&passed.stderr).contains("passed      greets (0 turns, "));
    assert!(text(&passed.stderr).contains("note: each case runs in a process of its own\n"));

    let all = run(folder.path(), &["suite.yaml", "--jobs", "1"], Some(&python));
    assert_eq!(all.status.code(), Some(1), "{}", text(&all.stderr));
    let shown = text(&all.stdout);
    for line in [
        "failed    fails\n          escalated failed: escalation is missing; wanted: {\"$exists\":true}\n",
        "error     errs\n          EvalToolError: the tool escalate was called, and the case has no mock for it.",
        "            \"urgency_level\": \"a\",\n",
        "          At fault: mock (unmocked_tool)\n",
        "terminated goes on\n          ended by max_turns after 1 turn\n",
        "\n4 cases: 1 passed, 1 failed, 1 error, 1 terminated, 0 unscored. Pass rate 0.250 (1 of 4 cases), \
         95 % interval 0.028 to 0.716.\n",
    ] {
        assert!(shown.contains(line), "{line} is not in\n{shown}");
    }
    assert!(text(&all.stderr).ends_with("run 2 is stored in .rehearsal/eval.sqlite\n"));

    // The stored results of the same run, as the other reports.
    let resumed = |arguments: &[&str]| {
        let arguments = [&["suite.yaml", "--resume"], arguments].concat();
        let report = run(folder.path(), &arguments, None);
        assert_eq!(report.status.code(), Some(1), "{}", text(&report.stderr));
        text(&report.stdout)
    };
    let report = resumed(&["--format", "json"]);
    assert_valid(&report);
    let result: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(result["summary"]["failed_cases"], 3);
    assert_eq!(result["results"][1]["eval_run"]["status"], "failed");
    assert_eq!(result["results"][2]["eval_run"]["at_fault"], "mock");
    assert_eq!(result["results"][2]["eval_run"]["code"], "unmocked_tool");
    assert_eq!(result["results"][3]["eval_run"]["termination_reason"], "max_turns");
    let note = "the case has no metric, so nothing is measured";
    assert_eq!(result["results"][0]["eval_run"]["notes"], serde_json::json!([note]));
    assert!(result["results"][1]["eval_run"].get("notes").is_none(), "{report}");
    let events = result["results"][1]["eval_run"]["events"].as_array().unwrap();
    assert_eq!(events[0]["type"], "initial_state");
    assert_eq!(events[events.len() - 1]["type"], "termination");
    let results: serde_json::Value =
        serde_json::from_str(&resumed(&["--format", "results"])).unwrap();
    assert_eq!(results["summary"]["terminated"], 1);
    assert_eq!(results["results"][1]["status"], "failed");
    assert_eq!(results["results"][1]["metrics"]["escalated"]["passed"], false);
    assert_eq!(results["results"][1]["events"][0]["type"], "initial_state");
    let junit = resumed(&["--format", "junit"]);
    for part in [
        r#"<testsuites name="rehearsal eval" tests="4" skipped="0" failures="2" errors="1""#,
        r#"<failure message="ended by max_turns after 1 turn" type="terminated">"#,
        r#"<error message="EvalToolError: the tool escalate was called, and the case has no mock for it."#,
        r#" type="unmocked_tool">"#,
    ] {
        assert!(junit.contains(part), "{part} is not in\n{junit}");
    }
    let markdown = resumed(&["--format", "markdown"]);
    assert!(markdown.contains("| goes on | ended by max\\_turns after 1 turn |"), "{markdown}");
    let html = resumed(&["--format", "html"]);
    assert!(html.contains(r#""u":[null,"Hi"]"#), "the conversation is in the page");
    assert!(html.contains(r#""v":"t""#), "what a limit ended is a verdict of its own");
    assert!(html.contains(r#""turn","run","is ended by max_turns with the state""#), "{html}");
}

/// Whether a report has the form that is published.
fn assert_valid(report: &str) {
    use json_text::JsonText;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/eval-report.schema.json");
    let schema = JsonText::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let check = schema_check::Check::of(&schema).unwrap();
    assert_eq!(check.violations(&JsonText::parse(report.trim()).unwrap()), []);
}

fn report(folder: &Path, arguments: &[&str], python: Option<&Path>) -> serde_json::Value {
    let output = run(folder, &[arguments, &["--format", "json"]].concat(), python);
    let report = text(&output.stdout);
    assert!(!report.is_empty(), "{}", text(&output.stderr));
    assert_valid(&report);
    serde_json::from_str(&report).unwrap()
}

#[test]
fn repeats_differ_in_their_faults_and_give_pass_rates() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(
        r#"
  - name: flaky
    repeats: 2
    first_message: Hi
    tools: { read: { returns: { policy: Rest } } }
    faults: [{ tool: read, probability: 0.5, returns: { error: Not found } }]
    model: { scripted: [{ calls: [{ tool: read, args: { policy_id: a } }] }, Done] }
    metrics:
      - event_count: { name: undisturbed, event: tool_fault, is: 0 }
"#,
    );
    let passed = |report: &serde_json::Value| -> Vec<bool> {
        let results = report["results"].as_array().unwrap();
        results.iter().map(|result| result["passed"] == true).collect()
    };
    let once = report(folder.path(), &["suite.yaml"], Some(&python));
    assert_eq!(once["summary"]["repeats"]["runs"], 2);
    let report = report(folder.path(), &["suite.yaml", "--repeats", "6"], Some(&python));
    let verdicts = passed(&report);
    assert_eq!(verdicts.len(), 6);
    assert!(verdicts.contains(&true) && verdicts.contains(&false), "{verdicts:?}");
    assert_eq!(passed(&once), verdicts[..2], "the same repeat is disturbed in the same way");
    assert_eq!(report["results"][5]["run"], "run 6");
    let repeats = &report["summary"]["repeats"];
    assert_eq!(repeats["pass_hat"].as_array().unwrap().len(), 6);
    assert_eq!(repeats["pass_at"][5], 1.0);
    let text =
        text(&run(folder.path(), &["suite.yaml", "--resume=2", "--repeats", "6"], None).stdout);
    let line = "Repeated runs: 1 case, at least 6 runs each; mean pass rate of a case 0.";
    assert!(
        text.contains(line) && text.contains("; pass^1 0.") && text.contains("; pass@1 0."),
        "{text}"
    );
}

/// A suite with three cases, of which `--resume` and `--rescore` are tested.
fn three_cases(wanted: &str) -> String {
    let case = |name: &str| {
        format!(
            "  - name: {name}\n    first_message: Hi\n    model: {{ scripted: [Hello] }}\n    metrics:\n      \
             - event_count: {{ name: answers, event: message, is: {wanted} }}\n"
        )
    };
    ["one", "two", "three"].map(case).concat()
}

#[test]
fn a_resumed_run_runs_only_what_has_no_result_or_has_changed() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(&three_cases("1"));
    let first = run(folder.path(), &["suite.yaml", "--case", "t*"], Some(&python));
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let path = folder.path().join("suite.yaml");
    let changed = std::fs::read_to_string(&path)
        .unwrap()
        .replace("name: three\n    first_message: Hi", "name: three\n    first_message: Hello");
    std::fs::write(&path, changed).unwrap();
    let resumed = run(folder.path(), &["suite.yaml", "--resume"], Some(&python));
    let shown = text(&resumed.stderr);
    assert_eq!(resumed.status.code(), Some(0), "{shown}");
    assert!(shown.contains("note: three has changed since run 1, and is run again\n"), "{shown}");
    assert!(shown.contains("passed      one ") && shown.contains("passed      three "), "{shown}");
    assert!(!shown.contains("passed      two "), "{shown}");
    // The result of the case as it was is not replaced.
    assert!(shown.contains("note: run 1 stays as it is, and goes on as run 2\n"), "{shown}");
    assert!(shown.ends_with("run 2 is stored in .rehearsal/eval.sqlite\n"), "{shown}");
    assert!(text(&resumed.stdout).contains("3 cases: 3 passed"), "{}", text(&resumed.stdout));

    let unknown = run(folder.path(), &["suite.yaml", "--resume=9"], Some(&python));
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("has no run 9; the last run is 2"));
}

#[test]
fn a_resumed_run_names_the_files_that_have_changed() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(
        "  - name: one\n    first_message: Hi\n    tools: { read: { function: mocks.py:read } }\n    \
         model: { scripted: [Hello] }\n  - name: two\n    first_message: Hi\n    model: { scripted: [Hello] }\n",
    );
    let write = |path: &str, text: &str| std::fs::write(folder.path().join(path), text).unwrap();
    let agent = folder.path().join("triage");
    std::fs::create_dir(&agent).unwrap();
    for file in ["__init__.py", "agent.py"] {
        std::fs::copy(agents().join("triage").join(file), agent.join(file)).unwrap();
    }
    let text_of = std::fs::read_to_string(folder.path().join("suite.yaml")).unwrap();
    let subject = text_of.lines().find(|line| line.starts_with("subject")).unwrap();
    write("suite.yaml", &text_of.replace(subject, "subject: { adk: triage }"));
    write("mocks.py", "def read(policy_id: str) -> dict:\n    return {}\n");
    let resume = || {
        let resumed = run(folder.path(), &["suite.yaml", "--resume"], Some(&python));
        assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
        text(&resumed.stderr)
    };
    let first = run(folder.path(), &["suite.yaml"], Some(&python));
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    assert!(!resume().contains("has changed"));
    write("mocks.py", "def read(policy_id: str) -> dict:\n    return {'text': 'a'}\n");
    let shown = resume();
    assert!(shown.contains("note: mocks.py has changed since run 1; run again: one\n"), "{shown}");
    assert!(!shown.contains("passed      two "), "{shown}");
    for (run, path) in [(2, "triage/prompt.md"), (3, "triage/prices.csv"), (4, "triage/.env")] {
        write(path, "a=b");
        let shown = resume();
        let wanted =
            format!("note: the agent triage has changed since run {run}; run again: one, two\n");
        assert!(shown.contains(&wanted), "{path}: {shown}");
    }
}

#[test]
fn a_run_of_other_suites_and_one_without_its_errors_are_runs_of_their_own() {
    let Some(python) = test_needs::python() else { return };
    let case = |name: &str, model: &str| {
        format!("  - name: {name}\n    first_message: Hi\n    model: {{ scripted: {model} }}\n")
    };
    // The second case has no response.
    let folder = suite(&format!("{}{}", case("one", "[Hello]"), case("two", "[]")));
    let path = folder.path().join("suite.yaml");
    let ran = |arguments: &[&str], code: i32| {
        let ran = run(folder.path(), arguments, Some(&python));
        assert_eq!(ran.status.code(), Some(code), "{}", text(&ran.stderr));
        text(&ran.stderr)
    };
    ran(&["suite.yaml"], 1);
    let shown = ran(&["suite.yaml", "--retry-errors"], 1);
    assert!(
        shown.contains("note: 1 case that ended with an error in run 1 is run again\n"),
        "{shown}"
    );
    assert!(shown.contains("error       two ") && !shown.contains("passed      one "), "{shown}");
    assert!(shown.ends_with("run 2 is stored in .rehearsal/eval.sqlite\n"), "{shown}");
    std::fs::copy(&path, folder.path().join("other.yaml")).unwrap();
    let shown = ran(&["other.yaml", "--resume=1"], 1);
    assert!(shown.ends_with("run 3 is stored in .rehearsal/eval.sqlite\n"), "{shown}");
    let baseline = run(folder.path(), &["suite.yaml", "--resume=1", "--format", "results"], None);
    let baseline: serde_json::Value = serde_json::from_slice(&baseline.stdout).unwrap();
    assert_eq!(baseline["summary"]["total"], 2, "run 1 is as it was: {baseline}");
}

#[test]
fn a_run_goes_on_when_nobody_reads_its_progress() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(&three_cases("1"));
    let (reads, writes) = std::io::pipe().unwrap();
    drop(reads);
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["eval", "suite.yaml", "--python"]).arg(python).current_dir(folder.path());
    let ended = command.stderr(writes).output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert!(text(&ended.stdout).contains("3 cases: 3 passed"), "{}", text(&ended.stdout));
}

#[test]
fn a_run_of_which_cases_have_no_result_has_not_passed() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(&three_cases("1"));
    let part = run(folder.path(), &["suite.yaml", "--case", "t*"], Some(&python));
    assert_eq!(part.status.code(), Some(0), "{}", text(&part.stderr));
    let rescored = run(folder.path(), &["suite.yaml", "--rescore", "1"], None);
    let shown = text(&rescored.stderr);
    assert!(shown.ends_with("1 of 3 have no result\n"), "{shown}");
    assert_eq!(rescored.status.code(), Some(1));
    // One that was renamed has no result either, and the old one is named.
    let path = folder.path().join("suite.yaml");
    let renamed = std::fs::read_to_string(&path).unwrap().replace("name: two", "name: second");
    std::fs::write(&path, renamed).unwrap();
    let shown = text(&run(folder.path(), &["suite.yaml", "--rescore", "1"], None).stderr);
    let note =
        "note: run 1 has a result of two, and the suites have no case of that name any more;";
    assert!(shown.contains(note) && shown.ends_with("2 of 3 have no result\n"), "{shown}");
    let selected = ["suite.yaml", "--rescore", "1", "--case", "three"];
    let shown = text(&run(folder.path(), &selected, None).stderr);
    assert!(!shown.contains("note: run 1"), "{shown}");
}

#[test]
fn metrics_are_evaluated_again_without_the_agent_and_compared() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(&three_cases("1"));
    assert_eq!(run(folder.path(), &["suite.yaml"], Some(&python)).status.code(), Some(0));
    let path = folder.path().join("suite.yaml");
    let stricter = std::fs::read_to_string(&path).unwrap().replacen("is: 1", "is: 2", 1);
    std::fs::write(&path, stricter).unwrap();
    // Nothing could run without a Python.
    let nowhere = folder.path().join("no-python");
    let arguments = ["suite.yaml", "--rescore", "last", "--baseline", "1"];
    let rescored = run(folder.path(), &arguments, Some(&nowhere));
    assert_eq!(rescored.status.code(), Some(1), "{}", text(&rescored.stderr));
    let changed =
        "note: one has changed since it ran; its metrics are evaluated on what happened then\n";
    assert!(text(&rescored.stderr).contains(changed), "{}", text(&rescored.stderr));
    let shown = text(&rescored.stdout);
    let begin =
        "Since run 1: 1 regressed, 0 unscored in one report, 0 improved, 0 new, 0 removed, ";
    assert!(shown.starts_with(begin), "{shown}");
    assert!(shown.contains("in both: no difference shown (−"), "{shown}");
    assert!(shown.contains("\n  regressed one: passed → failed (answers 1 → 0)\n"), "{shown}");
    assert!(shown.contains("answers failed: 1 × message; wanted: 2"), "{shown}");
    let selected = ["suite.yaml", "--rescore", "1", "--case", "t*", "--baseline", "1"];
    let selected = text(&run(folder.path(), &selected, None).stdout);
    assert!(selected.starts_with("Since run 1: ") && selected.contains("0 removed"), "{selected}");
    // A report in a file is a baseline too.
    let written = ["suite.yaml", "--rescore", "1", "--format", "json", "--output", "report.json"];
    let printed = text(&run(folder.path(), &written, None).stdout);
    assert!(printed.ends_with("see report.json\n"), "{printed}");
    let against = ["suite.yaml", "--rescore", "1", "--baseline", "report.json"];
    let against = text(&run(folder.path(), &against, None).stdout);
    assert!(against.starts_with("Since report.json: 0 regressed, 0 unscored"), "{against}");
    // The run that was scored is as it was.
    let before = report(folder.path(), &["suite.yaml", "--rescore", "1", "--case", "t*"], None);
    assert_eq!(before["summary"]["passed_cases"], 2);
}

#[test]
fn results_are_written_for_adk() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(
        r#"
  - name: escalates
    first_message: { parts: [{ text: Hi }, { file_data: { file_uri: "gs://a/b", mime_type: text/plain } }] }
    tools: { escalate: real, read: { returns: { policy: Rest } } }
    model:
      scripted:
        - { calls: [{ tool: escalate, args: { urgency_level: high, reason: pain } }] }
        - Done
    metrics:
      - state: { name: escalated, key: escalation, is: { $exists: true } }
      - event_count: { name: reads, event: tool_fault, is: 1 }
"#,
    );
    let ran = run(folder.path(), &["suite.yaml", "--adk-results", "history"], Some(&python));
    assert_eq!(ran.status.code(), Some(1), "{}", text(&ran.stderr));
    let file = std::fs::read_dir(folder.path().join("history")).unwrap().next().unwrap().unwrap();
    assert!(file.file_name().to_str().unwrap().ends_with(".evalset_result.json"));
    let code = "import sys\n\
        from google.adk.evaluation._eval_set_results_manager_utils import parse_eval_set_result_json\n\
        [case] = parse_eval_set_result_json(open(sys.argv[1]).read()).eval_case_results\n\
        [turn] = case.eval_metric_result_per_invocation\n\
        call, response = turn.actual_invocation.intermediate_data.invocation_events\n\
        print(case.eval_id, case.final_eval_status.name, case.session_details.state['escalation']['reason'])\n\
        print([(it.metric_name, it.score, it.eval_status.name) for it in case.overall_eval_metric_results])\n\
        print(call.content.parts[0].function_call.args, response.content.parts[0].function_response.response)\n\
        print(turn.actual_invocation.final_response.parts[0].text)\n\
        print([part.text or part.file_data.file_uri for part in turn.actual_invocation.user_content.parts])\n";
    let read =
        Command::new(&python).args(["-W", "ignore", "-c", code]).arg(file.path()).output().unwrap();
    assert_eq!(
        text(&read.stdout),
        "escalates FAILED pain\n\
         [('escalated', 1.0, 'PASSED'), ('reads', 0.0, 'FAILED')]\n\
         {'urgency_level': 'high', 'reason': 'pain'} {'escalated': True}\n\
         Done\n\
         ['Hi', 'gs://a/b']\n",
        "{}",
        text(&read.stderr)
    );
}

#[test]
fn cases_that_were_not_run_are_in_every_report() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(
        r#"
  - name: fails
    first_message: Hi
    model: { scripted: [Done] }
    metrics: [{ event_count: { name: reads, event: tool_fault, is: 1 } }]
  - { name: later, first_message: Hi, model: { scripted: [Done] } }
"#,
    );
    let stopped = ["suite.yaml", "--jobs", "1", "--stop-on-first-failure"];
    let reason = "skipped: the case was not run";
    for format in ["text", "junit", "markdown", "json", "html"] {
        let arguments = [&stopped[..], &["--format", format]].concat();
        let shown = text(&run(folder.path(), &arguments, Some(&python)).stdout);
        assert!(shown.contains(reason), "{format}: {shown}");
    }
    run(folder.path(), &[&stopped[..], &["--adk-results", "history"]].concat(), Some(&python));
    let file = std::fs::read_dir(folder.path().join("history")).unwrap().next().unwrap().unwrap();
    let code = "import sys\n\
        from google.adk.evaluation._eval_set_results_manager_utils import parse_eval_set_result_json\n\
        for case in parse_eval_set_result_json(open(sys.argv[1]).read()).eval_case_results:\n\
        \x20   print(case.eval_id, case.final_eval_status.name)\n";
    let read =
        Command::new(&python).args(["-W", "ignore", "-c", code]).arg(file.path()).output().unwrap();
    let shown = text(&read.stdout);
    assert_eq!(shown, "fails FAILED\nlater NOT_EVALUATED\n", "{}", text(&read.stderr));
}

#[test]
fn eval_sets_are_reported_as_by_rehearsal_score() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let set = r#"{"eval_set_id": "home", "eval_cases": [{"eval_id": "temperature", "conversation": [{
        "user_content": {"role": "user", "parts": [{"text": "How warm is it?"}]},
        "final_response": {"role": "model", "parts": [{"text": "18 degrees"}]},
        "intermediate_data": {
            "tool_uses": [{"id": "1", "name": "get_temperature", "args": {"location": "Hall"}}],
            "tool_responses": [{"id": "1", "name": "get_temperature", "response": {"result": 18}}]}}]}]}"#;
    let path = folder.path().join("home.evalset.json");
    std::fs::write(&path, set).unwrap();
    let agent = agents().join("home");
    let arguments = ["home.evalset.json", "--agent", agent.to_str().unwrap(), "--model", "replay"];
    let ran = report(folder.path(), &arguments, Some(&python));
    assert_eq!(ran["summary"]["passed_cases"], 1, "{ran:#}");

    // Scored again against another response, without running the agent.
    std::fs::write(&path, set.replace("18 degrees", "It is cold")).unwrap();
    let rescored = |format: &str| {
        let arguments = [&arguments[..], &["--rescore", "1", "--format", format]].concat();
        text(&run(folder.path(), &arguments, None).stdout)
    };
    let shown = rescored("text");
    let line = "response_match_score 0, needs 0.8: the response scores 0.000: it lacks It, is, cold, and adds 18, degrees\n";
    assert!(shown.contains(line), "{shown}");
    let page = rescored("html");
    assert!(page.contains(r#""f":["It is cold","18 degrees"]"#), "both sides are in the page");
    let turns = [&arguments[..], &["--rescore", "1", "--adk-results", "history"]].concat();
    run(folder.path(), &turns, None);
    let file = std::fs::read_dir(folder.path().join("history")).unwrap().next().unwrap().unwrap();
    let history = std::fs::read_to_string(file.path()).unwrap();
    let history: serde_json::Value = serde_json::from_str(&history).unwrap();
    let turn = &history["eval_case_results"][0]["eval_metric_result_per_invocation"][0];
    let results = turn["eval_metric_results"].as_array().unwrap().iter();
    let scores: Vec<_> =
        results.map(|it| format!("{} {}", it["metric_name"], it["score"])).collect();
    assert_eq!(scores, [r#""tool_trajectory_avg_score" 1.0"#, r#""response_match_score" 0.0"#]);
}

#[test]
fn shards_are_merged_into_one_run() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(&three_cases("1"));
    for (shard, total) in [("1/2", 2), ("2/2", 1)] {
        let store = format!("{}.sqlite", &shard[..1]);
        let arguments = ["suite.yaml", "--shard", shard, "--store", &store];
        let report = report(folder.path(), &arguments, Some(&python));
        assert_eq!(report["summary"]["total_cases"], total);
    }
    let merge = |from: &[&str]| {
        let arguments = [&["merge", "suite.yaml", "--from"], from].concat();
        run(folder.path(), &arguments, None)
    };
    let merged = merge(&["1.sqlite", "2.sqlite"]);
    assert_eq!(merged.status.code(), Some(0), "{}", text(&merged.stderr));
    assert!(text(&merged.stdout).contains("\n3 cases: 3 passed, 0 failed, 0 unscored."));
    let resumed = report(folder.path(), &["suite.yaml", "--resume"], None);
    let names =
        resumed["results"].as_array().unwrap().iter().map(|it| it["eval_id"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["one", "two", "three"], "the merged run has all");

    let incomplete = merge(&["1.sqlite"]);
    assert_eq!(incomplete.status.code(), Some(1));
    assert!(text(&incomplete.stderr).contains("error: 1 of 3 have no result; is a shard missing?"));
    let missing = merge(&["1.sqlite", "3.sqlite"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("the store of eval runs 3.sqlite does not exist"));
    let invalid = run(folder.path(), &["suite.yaml", "--shard", "3/2"], None);
    assert!(text(&invalid.stderr).contains("expected I/N with I from 1 to N, such as 1/4"));
}

/// A suite of an agent with the library's server, whose program is `python`.
fn library_suite(python: &Path, declarations: &str, case: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let script = agents().join("library/server.py").canonicalize().unwrap();
    let mut suite = serde_json::json!({
        "subject": { "mcp": {
            "servers": { "library": {
                "command": python, "args": [script], "env": { "LIBRARY_LOG": "log", "PYTHONDONTWRITEBYTECODE": "1" },
            } },
            "instruction": "Help.",
        } },
        "cases": [{ "name": "emma", "first_message": "Where is Emma?" }],
    });
    if !declarations.is_empty() {
        suite["subject"]["mcp"]["declarations"] = declarations.into();
    }
    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_str(case).unwrap();
    suite["cases"][0].as_object_mut().unwrap().extend(members);
    std::fs::write(folder.path().join("suite.json"), suite.to_string()).unwrap();
    folder
}

#[test]
fn an_agent_with_mcp_servers_runs_with_the_tools_that_were_recorded() {
    let Some(python) = test_needs::python() else { return };
    let case = r#"{
        "model": { "scripted": [{ "calls": [{ "tool": "search", "args": { "title": "Emma" } }] }, "On shelf 7"] },
        "tools": { "search": { "returns": { "shelf": 7 } } },
        "metrics": [{ "event_count": { "name": "found", "event": "tool_result", "filter": { "from": "mock" }, "is": 1 } }]
    }"#;
    let folder = library_suite(&python, "tools.json", case);
    let log = || std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();

    let missing = run(folder.path(), &["suite.json"], None);
    assert_eq!(missing.status.code(), Some(2));
    let shown = text(&missing.stderr);
    let place = "suite.json: cases[0].subject.mcp.declarations: ";
    assert!(shown.contains(place) && shown.contains("tools.json: it cannot be read"), "{shown}");
    assert_eq!(log(), "");

    let recorded = run(folder.path(), &["tools", "suite.json", "--output", "tools.json"], None);
    assert_eq!(recorded.status.code(), Some(0), "{}", text(&recorded.stderr));
    let shown = text(&recorded.stdout);
    assert_eq!(shown, "tools.json is written. Name it in `declarations` of the suite\n");
    assert_eq!(log(), "started\n");

    let passed = run(folder.path(), &["suite.json"], None);
    assert_eq!(passed.status.code(), Some(0), "{}", text(&passed.stdout));
    assert_eq!(log(), "started\n", "a run that mocks the tools starts no server");

    std::fs::write(folder.path().join("tools.json"), "tools").unwrap();
    let garbage = run(folder.path(), &["suite.json"], None);
    assert_eq!(garbage.status.code(), Some(2));
    let shown = text(&garbage.stderr);
    assert!(shown.contains(place) && shown.contains("line 1"), "{shown}");
}

#[test]
fn the_tools_of_an_agents_mcp_toolset_are_recorded() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let suite = serde_json::json!({
        "subject": { "adk": { "folder": agents().join("reader"), "declarations": "tools.json" } },
        "tools": { "library_search": { "returns": { "shelf": 7 } } },
        "cases": [{
            "name": "searches",
            "first_message": "Where is Emma?",
            "model": { "scripted": [
                { "calls": [{ "tool": "library_search", "args": { "title": "Emma" } }] }, "On shelf 7",
            ]},
        }],
    });
    std::fs::write(folder.path().join("suite.json"), suite.to_string()).unwrap();
    let log = folder.path().join("log");
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_rehearsal"))
            .arg("eval")
            .args(arguments)
            .arg("--python")
            .arg(&python)
            .current_dir(folder.path())
            .env("LIBRARY_LOG", &log)
            .output()
            .unwrap()
    };
    let recorded = run(&["tools", "suite.json", "--output", "tools.json"]);
    assert_eq!(recorded.status.code(), Some(0), "{}", text(&recorded.stderr));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "started\n");
    let written = std::fs::read_to_string(folder.path().join("tools.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(written["tools"][0]["name"], "search");
    assert_eq!(written["tools"][0]["outputSchema"]["required"][0], "shelf");
    let passed = run(&["suite.json"]);
    assert_eq!(passed.status.code(), Some(0), "{}", text(&passed.stdout));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "started\n", "it did not start again");
}

#[test]
fn servers_that_list_their_tools_must_be_allowed() {
    let Some(python) = test_needs::python() else { return };
    let model = r#""model": { "scripted": ["Hello"] }"#;
    let folder = library_suite(&python, "", &format!("{{ {model} }}"));
    let refused = run(folder.path(), &["suite.json"], None);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
    let shown = text(&refused.stdout);
    assert!(
        shown.contains("EvalToolError: the MCP server library of assistant must be"),
        "{shown}"
    );
    assert!(!folder.path().join("log").exists());

    let folder = library_suite(&python, "", &format!(r#"{{ {model}, "allow": ["library"] }}"#));
    let passed = run(folder.path(), &["suite.json"], None);
    assert_eq!(passed.status.code(), Some(0), "{}", text(&passed.stdout));
    let unknown = run(folder.path(), &["tools", "none.json"], None);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("none.json cannot be read"));
}

#[test]
fn a_run_says_what_is_sealed() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite("  - { name: greets, first_message: Hi, model: { scripted: [Hello] } }\n");
    let ran = run(folder.path(), &["suite.yaml", "--require-seal"], Some(&python));
    let shown = text(&ran.stderr);
    if eval::python::seal_gaps().is_empty() {
        assert_eq!(ran.status.code(), Some(0), "{shown}");
        assert!(
            shown.contains("note: cases without a tool that is `real` are sealed: "),
            "{shown}"
        );
    } else {
        assert_eq!(ran.status.code(), Some(2), "{shown}");
        assert!(shown.contains("--require-seal: this kernel cannot refuse "), "{shown}");
        let ran = run(folder.path(), &["suite.yaml"], Some(&python));
        assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    }
}

#[test]
fn metrics_that_look_for_what_the_agent_did_not_have_are_not_evaluated_again() {
    let Some(python) = test_needs::python() else { return };
    let counts = "event_count: { name: none, event: tool_call, filter: { name: escalate }, is: 0 }";
    let folder = suite(&format!(
        "  - {{ name: a, first_message: Hi, model: {{ scripted: [Hello] }}, metrics: [{{ {counts} }}] }}\n"
    ));
    let ran = run(folder.path(), &["suite.yaml"], Some(&python));
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let path = folder.path().join("suite.yaml");
    let mistyped =
        std::fs::read_to_string(&path).unwrap().replace("name: escalate", "name: escalated");
    std::fs::write(&path, mistyped).unwrap();
    let rescored = run(folder.path(), &["suite.yaml", "--rescore", "last"], None);
    let shown = text(&rescored.stderr);
    assert_eq!(rescored.status.code(), Some(2), "{shown}");
    let wanted = "suite.yaml: case a: the metric none looks for the tool escalated, which the agent does not have; \
                  did you mean escalate?";
    assert!(shown.contains(wanted), "{shown}");
    let next = run(folder.path(), &["suite.yaml", "--case", "a", "--resume=2"], None);
    assert!(
        text(&next.stderr).contains("has no run 2"),
        "nothing was stored: {}",
        text(&next.stderr)
    );
}

/// The suite that the guide names to begin with.
#[test]
fn the_suite_of_the_smart_home_passes() {
    let Some(python) = test_needs::python() else { return };
    let store = tempfile::tempdir().unwrap();
    let store = store.path().join("eval.sqlite");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/smart_home");
    let arguments = ["smart_home.eval.yaml", "--store", store.to_str().unwrap()];
    let report = report(&folder, &arguments, Some(&python));
    assert_eq!(report["summary"]["passed_cases"], 1, "{report}");
    let run = &report["results"][0]["eval_run"];
    assert!(run.get("notes").is_none(), "{run}");
    let answered =
        run["events"].as_array().unwrap().iter().filter(|it| it["type"] == "tool_result");
    let answered: Vec<_> = answered.map(|it| (it["name"].as_str(), it["from"].as_str())).collect();
    let wanted = [("read_sensor", "mock"), ("set_temperature", "sealed")];
    assert_eq!(answered, wanted.map(|(tool, from)| (Some(tool), Some(from))));
}

#[test]
fn a_mock_of_a_suite_that_answers_no_case_is_noted() {
    let Some(python) = test_needs::python() else { return };
    let calls = "model: { scripted: [{ calls: [{ tool: read, args: { policy_id: a } }] }, Done] }";
    let folder = suite(&format!("  - {{ name: a, first_message: Hi, {calls} }}\n"));
    let path = folder.path().join("suite.yaml");
    let mocks = "tools: { read: { returns: {} }, page_doctor: { returns: {} } }\n";
    let suite = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{mocks}{suite}")).unwrap();
    let notes = |arguments: &[&str]| {
        let ran = run(folder.path(), &[&["suite.yaml"], arguments].concat(), Some(&python));
        let shown = text(&ran.stderr);
        let notes = shown.lines().filter(|line| line.contains("has a mock"));
        notes.map(str::to_owned).collect::<Vec<_>>()
    };
    let note = "note: no case of suite.yaml called page_doctor, for which the suite has a mock";
    assert_eq!(notes(&[]), [note]);
    assert!(notes(&["--case", "a"]).is_empty(), "another case may call it");
}

#[test]
fn the_schema_of_suites_is_printed() {
    let printed = run(Path::new("."), &["--schema"], None);
    assert_eq!(printed.status.code(), Some(0));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/eval-suite.schema.json");
    // UPDATE_EXPECT=1 updates the published one.
    expect_test::expect_file![path].assert_eq(&text(&printed.stdout));
    let schema: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert!(schema["properties"]["cases"].is_object());
}

#[test]
fn the_selected_cases_are_listed_without_running() {
    let folder = suite(
        "  - { name: one, first_message: Hi, tags: [smoke, fast] }\n  - { name: \"two\\u202e\", first_message: Hi }\n",
    );
    let listed = run(folder.path(), &["suite.yaml", "--list"], None);
    assert_eq!(
        text(&listed.stdout),
        "one  (smoke, fast)\ntwo\\u202e\n",
        "{}",
        text(&listed.stderr)
    );
    let json =
        run(folder.path(), &["suite.yaml", "--list", "--format", "json", "--case", "o*"], None);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let wanted =
        serde_json::json!([{ "name": "one", "suite": "suite.yaml", "tags": ["smoke", "fast"] }]);
    assert_eq!(json, wanted);
    assert!(!folder.path().join(".rehearsal").exists(), "nothing ran");
}

#[test]
fn a_suite_is_made_from_a_recorded_case() {
    let folder = tempfile::tempdir().unwrap();
    let content =
        |role: &str, text: &str| serde_json::json!({ "role": role, "parts": [{ "text": text }] });
    let call = serde_json::json!({ "id": "1", "name": "read", "args": { "policy_id": "a" } });
    let response =
        serde_json::json!({ "id": "1", "name": "read", "response": { "result": "Call 999." } });
    let turn = serde_json::json!({
        "user_content": content("user", "It hurts"),
        "final_response": content("model", "Call 999."),
        "intermediate_data": { "tool_uses": [call], "tool_responses": [response] },
    });
    let set = serde_json::json!({
        "eval_set_id": "triage", "eval_cases": [{ "eval_id": "pain", "conversation": [turn] }],
    });
    std::fs::write(folder.path().join("triage.evalset.json"), set.to_string()).unwrap();
    let agent = agents().join("triage").canonicalize().unwrap();
    let agent = agent.to_str().unwrap();
    let init = |output: &str| {
        let from = ["init", "triage.evalset.json", "--case", "pain", "--agent", agent];
        run(folder.path(), &[&from[..], &["--output", output]].concat(), None)
    };
    let made = init("triage.eval.yaml");
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let next = "triage.eval.yaml is written. Next: rehearsal eval triage.eval.yaml --model replay\n\
         Its tools are mocked. One that only changes the session's state can run: write `sealed` in place of its mock\n";
    assert_eq!(text(&made.stdout), next);
    let listed = run(folder.path(), &["triage.eval.yaml", "--list"], None);
    assert_eq!(text(&listed.stdout).trim(), "pain", "{}", text(&listed.stderr));
    if let Some(python) = test_needs::python() {
        // The agent responds as recorded: without a key and without its tools.
        let suite = std::fs::read_to_string(folder.path().join("triage.eval.yaml")).unwrap();
        let ran = run(folder.path(), &["triage.eval.yaml", "--model", "replay"], Some(&python));
        let (report, errors) = (text(&ran.stdout), text(&ran.stderr));
        // The tool returns an object, of which the recording could be the only member.
        assert_eq!(ran.status.code(), Some(0), "{suite}\n{report}\n{errors}");
    }
    let again = init("triage.eval.yaml");
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("it exists; remove it, or choose another --output"));
}

#[test]
fn a_judge_must_be_named_by_the_metric_or_by_the_run() {
    let folder = suite(
        "  - name: one\n    first_message: Hi\n    metrics: [{ llm_judge: { name: good, prompt: It is good. } }]\n",
    );
    let error = |arguments: &[&str]| {
        let refused = run(folder.path(), &[&["suite.yaml", "--list"], arguments].concat(), None);
        (refused.status.code(), text(&refused.stderr))
    };
    let (code, message) = error(&[]);
    assert_eq!(code, Some(2));
    let wanted =
        "cases[0].metrics[0].llm_judge: no judge is named; add `model`, or give one with --judge";
    assert!(message.contains(wanted), "{message}");
    let (code, message) = error(&["--judge", "opnai/x"]);
    assert_eq!(code, Some(2));
    assert!(
        message.contains("--judge: opnai/x does not name a service; did you mean openai?"),
        "{message}"
    );
    assert_eq!(error(&["--judge", "person"]).0, Some(0));
}

#[test]
fn the_seed_of_the_run_decides_which_calls_faults_hit() {
    let Some(python) = test_needs::python() else { return };
    let calls: Vec<String> = (0..12)
        .map(|number| format!("{{ calls: [{{ tool: read, args: {{ policy_id: p{number} }} }}] }}"))
        .collect();
    let folder = suite(&format!(
        "  - name: one\n    first_message: Hi\n    tools: {{ read: {{ returns: {{ policy: none }} }} }}\n    faults: [{{ tool: read, probability: 0.5, returns: {{ error: down }} }}]\n    model: {{ scripted: [{}, Done] }}\n",
        calls.join(", ")
    ));
    let hit = |seed: &str| {
        let arguments = ["suite.yaml", "--seed", seed, "--format", "results"];
        let ran = run(folder.path(), &arguments, Some(&python));
        let results: serde_json::Value = serde_json::from_slice(&ran.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", text(&ran.stderr)));
        let events = results["results"][0]["events"].as_array().unwrap().clone();
        let faults = events.iter().filter(|event| event["type"] == "tool_fault");
        // Ids of calls differ from run to run, so their places count.
        let ids: Vec<_> = faults.map(|event| event["call_id"].clone()).collect();
        let calls = events.iter().filter(|event| event["type"] == "tool_call");
        calls.map(|event| ids.contains(&event["call_id"])).collect::<Vec<bool>>()
    };
    let first = hit("1");
    assert_eq!(first.len(), 12);
    assert_eq!(hit("1"), first);
    assert_ne!(hit("2"), first);
}
