//! `rehearsal score` as a process.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use json_text::JsonText;
use scoring::report::EvalReport;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::evaluating::model_endpoint::ModelEndpoint;

const CONFIG: &str =
    r#"{"criteria": {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}}"#;

fn case(eval_id: &str, room: &str, response: &str) -> Value {
    json!({
        "eval_id": eval_id,
        "conversation": [{
            "user_content": {"parts": [{"text": "Lights off."}], "role": "user"},
            "final_response": {"parts": [{"text": response}], "role": "model"},
            "intermediate_data": {"tool_uses": [{"name": "set_lights", "args": {"room": room}}]}
        }]
    })
}

fn write(folder: &Path, name: &str, cases: &[Value]) {
    let set = json!({"eval_set_id": "home", "name": "Home", "eval_cases": cases});
    std::fs::write(folder.join(name), serde_json::to_string_pretty(&set).unwrap()).unwrap();
}

/// A folder with expected cases, passing and failing runs, and configs.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (hall, attic) =
        (case("hall", "hall", "It is dark."), case("attic", "attic", "It is dark."));
    write(at, "home.evalset.json", &[hall.clone(), attic.clone()]);
    write(at, "good.evalset.json", &[attic, hall.clone()]);
    write(at, "bad.evalset.json", &[hall, case("attic", "cellar", "It is dark.")]);
    std::fs::write(at.join("config.json"), CONFIG).unwrap();
    let judged = r#"{"criteria": {"tool_trajectory_avg_score": 1.0, "safety_v1": 0.5}}"#;
    std::fs::write(at.join("judged.json"), judged).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.arg("score").args(arguments).current_dir(folder);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REHEARSAL_")) {
        command.env_remove(name);
    }
    command.output().unwrap()
}

const HOME: [&str; 4] = ["--expected", "home.evalset.json", "--config", "config.json"];

fn ran(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(folder, &[&HOME[..], arguments].concat());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn exit_code_reflects_the_result() {
    let folder = folder();
    let (code, out, err) = ran(folder.path(), &["--actual", "good.evalset.json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("2 cases: 2 passed, 0 failed, 0 unscored."), "{out}");
    let (code, out, _) = ran(folder.path(), &["--actual", "bad.evalset.json"]);
    assert_eq!(code, Some(1));
    let wanted = "set_lights was called with room \"cellar\", not \"attic\"";
    assert!(out.contains("failed    attic\n") && out.contains(wanted), "{out}");
    let output = run(
        folder.path(),
        &[
            "--expected",
            "home.evalset.json",
            "--actual",
            "good.evalset.json",
            "--config",
            "judged.json",
        ],
    );
    assert_eq!(output.status.code(), Some(3));
    // Failed has precedence over unscored.
    let output = run(
        folder.path(),
        &[
            "--expected",
            "home.evalset.json",
            "--actual",
            "bad.evalset.json",
            "--config",
            "judged.json",
        ],
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn format_of_the_sets_can_be_given() {
    let folder = folder();
    // It fits both formats.
    write(folder.path(), "set.evalset.json", &[json!({"eval_id": "a", "conversation": []})]);
    let score = |more: &[&str]| {
        let both = ["--expected", "set.evalset.json", "--actual", "set.evalset.json"];
        let output = run(folder.path(), &[&both[..], more].concat());
        String::from_utf8(output.stderr).unwrap()
    };
    let adk = "scored by tool_trajectory_avg_score, response_match_score, ";
    assert!(score(&[]).starts_with(adk));
    assert!(score(&["--format-is", "adk"]).starts_with(adk));
    let given = score(&["--format-is", "agentflow"]);
    assert!(given.starts_with("scored by trajectory_match, "), "{given}");
}

#[test]
fn reads_either_side_from_a_pipe() {
    let folder = folder();
    let made = Command::new("mkfifo").args(["e", "a"]).current_dir(folder.path()).status();
    assert!(made.unwrap().success());
    for (feeds, sides) in [
        ("cat home.evalset.json |", "--expected /dev/stdin --actual good.evalset.json"),
        ("cat home.evalset.json > e & cat good.evalset.json > a &", "--expected e --actual a"),
    ] {
        let binary = env!("CARGO_BIN_EXE_rehearsal");
        let line = format!("{feeds} {binary} score {sides} --config config.json");
        let output = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output();
        let output = output.unwrap();
        let summary = String::from_utf8(output.stdout).unwrap();
        assert!(summary.contains("2 cases: 2 passed, 0 failed, 0 unscored."), "{summary}");
    }
}

#[test]
fn suggests_the_nearest_name_for_a_misspelled_one() {
    let folder = folder();
    let at = folder.path();
    let reports = |arguments: &[&str], reports: &str| {
        let output = run(at, arguments);
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(err.contains(reports), "{arguments:?}: {err}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    };
    let both = |expected, actual| ["--expected", expected, "--actual", actual];
    reports(&both("hme.evalset.json", "good.evalset.json"), "did you mean home.evalset.json?");
    reports(&both("home.evalset.json", "god.evalset.json"), "did you mean good.evalset.json?");
    reports(&both("home.evalset.json", "nothing/*.json"), "no file matches nothing/*.json");
    let good = both("home.evalset.json", "good.evalset.json");
    reports(&[&good[..], &["--config", "confg.json"]].concat(), "did you mean config.json?");
    reports(&[&good[..], &["--case", "hal"]].concat(), "did you mean \"hall\"?");
    reports(&[&good[..], &["--tag", "x"]].concat(), "the cases have no tags");
    reports(&[&good[..], &["--format", "jsn"]].concat(), "json");
    reports(
        &[&good[..], &["--output", "home.evalset.json"]].concat(),
        "one of the files that are read",
    );
    reports(&both("home.evalset.json", "config.json"), "config.json");
    for (config, near) in [
        (r#"{"criteria": {"tool_trajectory_average": 1.0}}"#, "tool_trajectory_avg_score"),
        (r#"{"criteria": {"response_match_score": {"treshold": 1.0}}}"#, "threshold"),
        (r#"{"criteria": {}}"#, "no criteria; add one"),
        ("{", "not JSON"),
    ] {
        std::fs::write(at.join("broken.json"), config).unwrap();
        reports(&[&good[..], &["--config", "broken.json"]].concat(), near);
    }
    assert!(std::fs::read_to_string(at.join("home.evalset.json")).unwrap().contains("eval_cases"));
}

#[test]
fn writes_a_report_file_atomically() {
    let folder = folder();
    let (code, out, _) = ran(
        folder.path(),
        &["--actual", "bad.evalset.json", "--format", "html", "-o", "new/report.html"],
    );
    assert_eq!(code, Some(1));
    assert_eq!(out, "2 cases: 1 passed, 1 failed, 0 unscored; see new/report.html\n");
    let page = std::fs::read_to_string(folder.path().join("new/report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let text = std::fs::read_to_string(folder.path().join("bad.evalset.json")).unwrap();
    std::fs::write(folder.path().join("cut.json"), &text[..text.len() / 2]).unwrap();
    let (code, _, err) =
        ran(folder.path(), &["--actual", "cut.json", "--format", "html", "-o", "new/report.html"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("cut.json"), "{err}");
    assert_eq!(std::fs::read_to_string(folder.path().join("new/report.html")).unwrap(), page);
    assert_eq!(
        std::fs::read_dir(folder.path().join("new")).unwrap().count(),
        1,
        "no draft is left"
    );
}

#[test]
fn uses_the_config_beside_the_cases_or_the_formats_default() {
    let folder = folder();
    let both = ["--expected", "home.evalset.json", "--actual", "good.evalset.json"];
    let output = run(folder.path(), &both);
    assert_eq!(output.status.code(), Some(0));
    let summary =
        "scored by tool_trajectory_avg_score, response_match_score, because no config is given\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), summary);
    let beside = r#"{"criteria": {"calls": {"metric": "count", "event": "tool_call", "max": 0}}}"#;
    std::fs::write(folder.path().join("test_config.json"), beside).unwrap();
    let output = run(folder.path(), &both);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "scored by test_config.json\n");
}

#[test]
fn json_report_round_trips_with_the_configs_names() {
    let folder = folder();
    let report = |jobs: &str| -> EvalReport {
        let (_, out, _) = ran(
            folder.path(),
            &["--actual", "bad.evalset.json", "--format", "json", "--jobs", jobs],
        );
        serde_json::from_str(&out).unwrap()
    };
    let one = report("1");
    assert_eq!((one.eval_set_id.as_str(), one.eval_set_name.as_deref()), ("home", Some("Home")));
    let names: Vec<&str> = one.summary.criterion_stats.keys().map(String::as_str).collect();
    assert_eq!(names, ["tool_trajectory_avg_score", "response_match_score"]);
    assert_eq!(one.config_used.compact(), JsonText::parse(CONFIG).unwrap().compact());
    let scores = |report: &EvalReport| -> Vec<_> {
        let results = report.results.iter();
        results.flat_map(|case| case.criterion_results.clone()).collect()
    };
    assert_eq!(scores(&one), scores(&report("3")));
}

#[test]
fn writes_the_other_report_formats() {
    let folder = folder();
    let form = |form| ran(folder.path(), &["--actual", "bad.evalset.json", "--format", form]).1;
    let junit = form("junit");
    assert!(junit.contains("<testcase name=\"attic\" classname=\"home\""), "{junit}");
    assert!(junit.contains("failures=\"1\""), "{junit}");
    assert!(form("markdown").starts_with("### Home\n\n2 cases: 1 passed, 1 failed"));
}

/// google-adk's own results, through files, the command line and the JSON report, bit for bit.
#[test]
fn adk_vectors_get_the_same_scores() {
    let (mut scored, mut refused) = (0, Vec::new());
    for file in ["trajectory_vectors.jsonl", "rouge_vectors.jsonl"] {
        let Some(path) = test_needs::corpus(&format!("vectors/{file}")) else { continue };
        let text = std::fs::read_to_string(path).unwrap();
        // Vectors of one criterion make one run.
        let mut runs: BTreeMap<String, Vec<Vector>> = BTreeMap::new();
        for line in text.lines() {
            let vector = Vector::of(line);
            runs.entry(vector.config()).or_default().push(vector);
        }
        for (config, vectors) in runs {
            match check(&config, &vectors) {
                Some(count) => scored += count,
                None => refused.push(config),
            }
        }
    }
    if scored > 0 {
        // 423 and 323, without the two whose expected side ADK itself needs and misses, and the two
        // whose configs are rejected.
        assert_eq!(scored, 423 + 323 - 2 - 2);
        let actual = refused.join("\n");
        assert_eq!(refused.len(), 2, "{actual}");
        for key in ["\"matchtype\"", "null"] {
            assert!(actual.contains(key), "{actual}");
        }
    }
}

/// A line of the vectors, its parts unchanged: numbers keep their digits.
struct Vector {
    metric: String,
    criterion: String,
    expected: Option<String>,
    actual: String,
    score: Option<f64>,
    status: Option<String>,
    raises: bool,
}

impl Vector {
    fn of(line: &str) -> Self {
        let text = JsonText::parse(line).unwrap();
        let parts: BTreeMap<String, JsonText> = text.decode().unwrap();
        let result: BTreeMap<String, JsonText> = parts["adk_result"].decode().unwrap();
        let known = |text: &JsonText| (*text != JsonText::null()).then(|| text.as_str().to_owned());
        Self {
            metric: parts["metric"].decode().unwrap(),
            criterion: parts["criterion"].as_str().to_owned(),
            expected: parts.get("expected_invocations").and_then(known),
            actual: parts["actual_invocations"].as_str().to_owned(),
            // Rust reads the nearest number; serde_json may be off by the last bit.
            score: result.get("overall_score").and_then(known).map(|text| text.parse().unwrap()),
            status: result.get("overall_status").and_then(|status| status.decode().ok()),
            raises: result.get("error").and_then(known).is_some(),
        }
    }

    fn config(&self) -> String {
        format!(r#"{{"criteria":{{"{}":{}}}}}"#, self.metric, self.criterion)
    }
}

/// The number of compared vectors; `None` if the config is rejected, which is required for two of them,
/// which ADK scores with its default.
fn check(config: &str, vectors: &[Vector]) -> Option<usize> {
    let folder = tempfile::tempdir().unwrap();
    let set = |side: fn(&Vector) -> Option<&String>| {
        let cases = vectors.iter().enumerate().filter_map(|(place, vector)| {
            vector.expected.as_ref()?;
            Some(format!(r#"{{"eval_id":"{place}","conversation":{}}}"#, side(vector)?))
        });
        let cases: Vec<String> = cases.collect();
        format!(r#"{{"eval_set_id":"s","eval_cases":[{}]}}"#, cases.join(","))
    };
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("expected.json", &set(|vector| vector.expected.as_ref()));
    put("actual.json", &set(|vector| Some(&vector.actual)));
    put("config.json", config);
    let output = run(
        folder.path(),
        &[
            "--expected",
            "expected.json",
            "--actual",
            "actual.json",
            "--config",
            "config.json",
            "--format",
            "json",
        ],
    );
    let err = String::from_utf8(output.stderr).unwrap();
    if output.status.code() == Some(2) {
        assert!(err.contains("/criteria/tool_trajectory_avg_score/"), "{config}: {err}");
        return None;
    }
    let report: EvalReport = serde_json::from_slice(&output.stdout).unwrap();
    let mut compared = 0;
    for case in &report.results {
        let vector = &vectors[case.eval_id.parse::<usize>().unwrap()];
        if let Some(error) = &case.error {
            assert!(vector.raises && error.ends_with("the run ended early"), "{config}: {case:?}");
            compared += 1;
            continue;
        }
        let [result] = case.criterion_results.as_slice() else { panic!("{config}: {case:?}") };
        assert_eq!(result.criterion, vector.metric);
        let adk = if vector.raises { None } else { vector.score };
        assert_eq!(result.score.map(f64::to_bits), adk.map(f64::to_bits), "{config}: {case:?}");
        let status = match (vector.raises, vector.status.as_deref()) {
            (false, Some("PASSED")) => Some(true),
            (false, Some("FAILED")) => Some(false),
            _ => None,
        };
        assert_eq!(result.passed, status, "{config}: {case:?}");
        compared += 1;
    }
    Some(compared)
}

#[test]
fn scores_adks_history_and_gives_reasons_in_json() {
    let folder = folder();
    let invocation = |room: &str| {
        json!({
            "actual_invocation": {
                "user_content": {"parts": [{"text": "Lights off."}], "role": "user"},
                "final_response": {"parts": [{"text": "It is dark."}], "role": "model"},
                "intermediate_data": {"tool_uses": [{"name": "set_lights", "args": {"room": room}}]}
            }
        })
    };
    let result = |eval_id: &str, room: &str| json!({"eval_id": eval_id, "eval_metric_result_per_invocation": [invocation(room)]});
    let history = json!({
        "eval_set_result_id": "r", "eval_set_id": "home",
        "eval_case_results": [result("hall", "hall"), result("attic", "cellar")]
    });
    let below = folder.path().join("agent/.adk/eval_history");
    std::fs::create_dir_all(&below).unwrap();
    std::fs::write(below.join("r.evalset_result.json"), history.to_string()).unwrap();
    let file = "agent/.adk/eval_history/r.evalset_result.json";
    for actual in [file, "agent/.adk/eval_history"] {
        let (code, out, error) = ran(folder.path(), &["--actual", actual, "--format", "json"]);
        assert_eq!(code, Some(1), "{error}");
        let report: EvalReport = serde_json::from_str(&out).unwrap();
        let [hall, attic] = &report.results[..] else { panic!("{out}") };
        assert_eq!((hall.passed, attic.passed), (Some(true), Some(false)));
        let details = attic.criterion_results[0].details.to_value().unwrap();
        assert_eq!(details["why"], "set_lights was called with room \"cellar\", not \"attic\"");
    }
}

#[test]
fn pairs_cases_with_other_ids_by_order_or_query() {
    let folder = folder();
    let exported = [case("home_agent_1", "hall", "It is dark."), case("home_agent_2", "attic", "")];
    write(folder.path(), "exported.evalset.json", &exported);
    let (code, _, err) = ran(folder.path(), &["--actual", "exported.evalset.json"]);
    assert_eq!(code, Some(1));
    assert_eq!(
        err,
        "note: 2 of the expected cases and 2 of the actual cases have no partner; if their ids differ, \
         use --pair query to pair them by user message, or --pair order by position\n"
    );
    let (code, out, err) =
        ran(folder.path(), &["--actual", "exported.evalset.json", "--pair", "order"]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert!(out.contains("2 cases: 1 passed, 1 failed, 0 unscored."), "{out}");
    let (code, _, err) = ran(folder.path(), &["--actual", "exported.evalset.json", "--pair", "x"]);
    assert!(code == Some(2) && err.contains("[possible values: id, order, query]"), "{err}");
}

#[test]
fn warns_about_names_that_only_the_config_has() {
    let folder = folder();
    let config = json!({"criteria": {
        "none": {"metric": "count", "event": "tool_call", "name": "set_ligths", "max": 0},
        "some": {"metric": "count", "event": "tool_call", "name": "set_lights", "max": 9},
        "hers": {"metric": "count", "event": "tool_call", "author": "hom", "max": 9},
        "alike": {"metric": "trajectory", "threshold": 0.0, "arguments": {
            "set_lights": {"rom": "ignore", "room": "ignore"}, "*": {"/brightnes/0": "ignore"}}}}});
    std::fs::write(folder.path().join("mistyped.json"), config.to_string()).unwrap();
    let arguments =
        "--expected home.evalset.json --actual good.evalset.json --config mistyped.json";
    let output = run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "note: the config names the tool \"set_ligths\", which no case calls; did you mean \
         \"set_lights\"?\n\
         note: the config names the argument \"brightnes\" of any tool, which no call has\n\
         note: the config names the argument \"rom\" of \"set_lights\", which no call has; did you mean \
         \"room\"?\n\
         note: the config names the author \"hom\", which no case has\n"
    );
}

#[test]
fn invalid_expected_state_is_an_error_of_its_case() {
    let folder = folder();
    let ends = |eval_id: &str, state: Value| {
        let mut case = case(eval_id, "hall", "It is dark.");
        case["final_session_state"] = state;
        case
    };
    let (expected, actual) = (json!({"n": {"$exist": true}}), json!({"n": {"$exist": true}}));
    let sound = ends("attic", json!({"n": 1}));
    write(folder.path(), "e.json", &[ends("hall", expected), sound.clone()]);
    write(folder.path(), "a.json", &[ends("hall", actual), sound]);
    let config = r#"{"criteria": {"state": {}}}"#;
    std::fs::write(folder.path().join("state.json"), config).unwrap();
    let arguments = ["--expected", "e.json", "--actual", "a.json", "--config", "state.json"];
    let output = run(folder.path(), &arguments);
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{out}");
    assert!(out.contains("e.json: case \"hall\" at final_session_state.n.$exist: "), "{out}");
    assert!(out.contains("2 cases: 1 passed, 0 failed, 1 error, 0 unscored."), "{out}");
    // An actual case may have such a state.
    write(folder.path(), "e.json", &[ends("hall", json!({"n": {"$eq": {"$exist": true}}}))]);
    let output = run(folder.path(), &arguments);
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("1 passed"), "{out}");
}

#[test]
fn reports_an_item_that_is_not_an_object_and_scores_the_others() {
    let folder = folder();
    let hall = case("hall", "hall", "It is dark.");
    let attic = case("attic", "attic", "It is dark.");
    write(folder.path(), "e.json", &[hall.clone(), json!(7), attic.clone()]);
    write(folder.path(), "a.json", &[json!([[]]), hall, attic]);
    for pair in ["id", "query"] {
        let output = run(
            folder.path(),
            &[
                "--expected",
                "e.json",
                "--actual",
                "a.json",
                "--config",
                "config.json",
                "--pair",
                pair,
            ],
        );
        let out = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{out}");
        assert!(out.contains("4 cases: 2 passed, 0 failed, 2 errors, 0 unscored."), "{out}");
        let at = "the case at index 1: expected an eval case, found a number";
        assert!(out.contains("e.json: line ") && out.contains(at), "{out}");
        let at = "the case at index 0: expected an eval case, found a list";
        assert!(out.contains("a.json: line ") && out.contains(at), "{out}");
    }
}

#[test]
fn warns_about_a_threshold_of_an_adk_metric_that_nothing_meets() {
    let folder = folder();
    let config = json!({"criteria": {"tool_trajectory_avg_score": 80, "response_match_score": 1}});
    std::fs::write(folder.path().join("high.json"), config.to_string()).unwrap();
    let arguments = "--expected home.evalset.json --actual good.evalset.json --config high.json";
    let output = run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "note: tool_trajectory_avg_score needs 80, but no score is above 1; 80% is 0.8\n"
    );
    let config = json!({"criteria": {"tool_trajectory_avg_score": -1}});
    std::fs::write(folder.path().join("high.json"), config.to_string()).unwrap();
    let output = run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "note: tool_trajectory_avg_score needs -1, but no score is below 0, so every score passes\n"
    );
}

#[test]
fn agentflow_set_without_a_config_says_how_to_score_it() {
    let folder = tempfile::tempdir().unwrap();
    let set = r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [{
        "invocation_id": "i", "user_content": {"role": "user", "content": "Hi"},
        "expected_final_response": {"role": "assistant", "content": "Hello"}}]}]}"#;
    std::fs::write(folder.path().join("a.json"), set).unwrap();
    let score = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_rehearsal"))
            .args(["score", "--expected", "a.json", "--actual", "a.json"])
            .args(more)
            .env_remove("GEMINI_API_KEY")
            .env_remove("GOOGLE_API_KEY")
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let output = score(&[]);
    assert_eq!(output.status.code(), Some(3));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("Add --judge, or --judge=MODEL."), "{error}");
    let judged = String::from_utf8(score(&["--judge"]).stderr).unwrap();
    assert!(judged.contains("because no config is given"), "{judged}");
    assert!(!judged.contains("no case can pass"), "{judged}");
    let (_, rest) = error.split_once("To score without it, write ").expect(&error);
    let (config, _) = rest.split_once(" to a file").expect(&error);
    std::fs::write(folder.path().join("config.json"), config).unwrap();
    assert_eq!(score(&["--config", "config.json"]).status.code(), Some(0));
}

/// The case `id` with a call of `tool`, tagged in AgentFlow's format.
fn tagged(id: &str, tag: &str, tool: &str) -> String {
    format!(
        r#"{{"eval_id": "{id}", "tags": ["{tag}"], "conversation": [{{"invocation_id": "i",
        "user_content": {{"role": "user", "content": "Hi"}},
        "expected_tool_trajectory": [{{"name": "{tool}"}}]}}]}}"#
    )
}

#[test]
fn repeats_tags_baseline_and_minimum_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let set = |a: &str, b: &str| {
        let cases = [tagged("a", "first", a), tagged("b", "second", b)].join(",");
        format!(r#"{{"eval_set_id": "s", "eval_cases": [{cases}]}}"#)
    };
    write("expected.json", &set("f", "f"));
    write("run1.json", &set("f", "f"));
    write("run2.json", &set("f", "g"));
    write("config.json", r#"{"criteria": {"trajectory_match": 1}}"#);
    let score = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_rehearsal"))
            .args(["score", "--expected", "expected.json", "--config", "config.json"])
            .args(more)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let base = ["--actual", "run1.json", "--format", "json", "--output", "base.json"];
    assert_eq!(score(&base).status.code(), Some(0));
    let both = ["--actual", "run1.json", "run2.json"];
    let output = score(&both);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let counts = "4 runs: 3 passed, 1 failed, 0 unscored. Pass rate 0.750 (3 of 4 runs), 95 % interval \
                  0.225 to 0.980.";
    assert!(text.contains(counts), "{text}");
    assert!(text.contains("failed    b (run2.json)\n"), "{text}");
    let repeats = "Repeated runs: 2 cases, at least 2 runs each; mean pass rate of a case 0.750";
    assert!(text.contains(repeats), "{text}");
    let junit = score(&[&both[..], &["--format", "junit"]].concat()).stdout;
    let junit = String::from_utf8(junit).unwrap();
    assert!(junit.contains(r#"<testcase name="b (run2.json)""#), "{junit}");
    assert!(text.contains("pass^1 0.750, pass^2 0.500"), "{text}");
    assert!(text.contains("second       1       1         0      0.500"), "{text}");
    // The list of the page names the run of each case.
    let page = score(&[&both[..], &["--format", "html"]].concat()).stdout;
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains(r#""i":"a","r":"run1.json""#), "{page}");
    assert!(page.contains(r#""i":"b","r":"run2.json""#), "{page}");
    assert_eq!(score(&[&both[..], &["--min-pass-rate", "0.75"]].concat()).status.code(), Some(0));
    assert_eq!(score(&[&both[..], &["--min-pass-rate", "0.8"]].concat()).status.code(), Some(1));
    assert_eq!(score(&[&both[..], &["--min-pass-rate", "80"]].concat()).status.code(), Some(2));
    // A run that ended early lacks a case.
    let one = tagged("a", "first", "f");
    write("run3.json", &format!(r#"{{"eval_set_id": "s", "eval_cases": [{one}]}}"#));
    let output = score(&["--actual", "run1.json", "run3.json"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("4 runs: 3 passed, 0 failed, 1 error"), "{text}");
    let output = score(&["--actual", "run2.json", "--baseline", "base.json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let since = "Since base.json: 1 regressed, 0 unscored in one report, 0 improved, 0 new, 0 removed, 1 \
        unchanged.\nPass rate 1.000 → 0.500 over 2 cases in both: no difference shown (−0.500, 95 % interval \
        −0.939 to +0.298, p 1). About 10 more cases would show one as large.\n  \
        regressed b: passed → failed (trajectory_match 1 → 0)\n\nfailed    b\n";
    assert!(text.starts_with(since), "the changes come first: {text}");
    let output = score(&["--actual", "run2.json", "--baseline", "expected.json"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("the baseline expected.json cannot be read"), "{error}");
}

/// Runs `rehearsal score` on cases of two turns with rubrics of their own, and returns its report and how often
/// the judge was asked.
fn judged(case_rubrics: &Value, turn_rubrics: &Value) -> (EvalReport, usize) {
    let model = ModelEndpoint::start();
    let folder = tempfile::tempdir().unwrap();
    let mut case = case("case-1", "hall", "It is dark.");
    case["conversation"][0]["user_content"]["parts"][0]["text"] = json!("I am case-1");
    let turn = case["conversation"][0].clone();
    write(
        folder.path(),
        "actual.evalset.json",
        &[{
            let mut case = case.clone();
            case["conversation"] = json!([turn, turn]);
            case
        }],
    );
    let mut second = turn.clone();
    second["rubrics"] = turn_rubrics.clone();
    case["conversation"] = json!([turn, second]);
    case["rubrics"] = case_rubrics.clone();
    write(folder.path(), "expected.evalset.json", &[case]);
    let options = json!({ "judge_model": "openai/judge", "num_samples": 1 });
    let criterion = json!({ "threshold": 1, "judge_model_options": options });
    let config = json!({ "criteria": { "rubric_based_final_response_quality_v1": criterion } });
    std::fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["score", "--expected", "expected.evalset.json", "--config", "config.json"]);
    command.args(["--actual", "actual.evalset.json", "--judge", "--format", "json"]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REHEARSAL_")) {
        command.env_remove(name);
    }
    command.env("OPENAI_BASE_URL", format!("http://{}", model.address)).current_dir(folder.path());
    let output = command.output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    (serde_json::from_str(&report).unwrap_or_else(|_| panic!("{errors}")), model.count())
}

fn rubric(id: &str, kind: &str) -> Value {
    json!({ "rubric_id": id, "type": kind, "rubric_content": { "text_property": "It is brief." } })
}

#[test]
fn rubrics_of_cases_and_turns_are_judged() {
    const QUALITY: &str = "FINAL_RESPONSE_QUALITY";
    let of_case = json!([rubric("brief", QUALITY), rubric("tools", "TOOL_USE_QUALITY")]);
    let (report, asked) = judged(&of_case, &json!([rubric("polite", QUALITY)]));
    let result = &report.results[0].criterion_results[0];
    assert_eq!((result.passed, result.score), (Some(true), Some(1.0)), "{result:?}");
    assert_eq!(asked, 3, "the case's rubric in both turns, and the second turn's own");

    let (report, asked) = judged(&json!(null), &json!([rubric("polite", QUALITY)]));
    let result = &report.results[0].criterion_results[0];
    assert_eq!((result.passed, asked), (None, 0), "google-adk evaluates no turn then: {result:?}");
    assert!(result.details.as_str().contains("turn 1 has no rubric"), "{result:?}");

    // google-adk compares ids of all types.
    let (report, asked) = judged(&of_case, &json!([rubric("tools", QUALITY)]));
    let result = &report.results[0].criterion_results[0];
    assert_eq!((result.passed, asked), (None, 0), "{result:?}");
    assert!(result.details.as_str().contains("have the id tools"), "{result:?}");
}
