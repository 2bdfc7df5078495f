//! `rehearsal score --pair query` on the history that `adk eval` leaves: cases are paired by user
//! messages, and the scores equal google-adk's.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use acceptance::{binary, python, workspace};
use serde_json::{Value, json};

use crate::adk_eval;

/// A user message, and the expected response.
const CASES: [(&str, &str, &str); 3] = [
    ("Make the office warm.", "office", "The office will be at 21 degrees tonight."),
    ("Make the hall warm.", "hall", "The office will be at 21 degrees tonight."),
    ("Warm, please.", "office", "It is done."),
];

/// The cases under `ids`, in the order of `ids`.
fn set(ids: [(usize, &str); 3]) -> String {
    let cases = ids.map(|(case, eval_id)| {
        let (query, room, answer) = CASES[case];
        let content = |role: &str, text: &str| json!({"parts": [{"text": text}], "role": role});
        let calls = json!([
            {"name": "list_rooms", "args": {}},
            {"name": "set_temperature", "args": {"room": room, "degrees": 21, "tags": ["tonight"]}},
            {"name": "write_journal", "args": {"entry": "The office is warm.", "mood": "good"}},
        ]);
        json!({
            "eval_id": eval_id,
            "conversation": [{
                "invocation_id": eval_id,
                "user_content": content("user", query),
                "final_response": content("model", answer),
                "intermediate_data": {"tool_uses": calls, "intermediate_responses": []},
            }],
            "session_input": {"app_name": "home", "user_id": "ada", "state": {}},
        })
    });
    json!({"eval_set_id": "asked", "name": "asked", "eval_cases": cases}).to_string()
}

/// The smart home example, played by a script, as an agent's folder of its own.
fn agent_in(folder: &Path) {
    let fixture = workspace().join("tests/fixtures/adk/scripted_home");
    let example = workspace().join("examples/smart_home/smart_home/agent.py");
    std::fs::create_dir(folder).unwrap();
    for name in ["script.json", "test_config.json"] {
        std::fs::copy(fixture.join(name), folder.join(name)).unwrap();
    }
    std::fs::write(folder.join("__init__.py"), "from . import agent\n").unwrap();
    let script = folder.join("script.json");
    let agent = format!(
        "from pathlib import Path\nfrom scripted_model import scripted\n\
         root_agent = scripted(Path({:?}), Path({:?}))\n",
        example.to_str().unwrap(),
        script.to_str().unwrap()
    );
    std::fs::write(folder.join("agent.py"), agent).unwrap();
}

/// google-adk's scores by metric of the case with that id in its history.
fn scored_by_adk(history: &Path, eval_id: &str) -> BTreeMap<String, Option<f64>> {
    let file = std::fs::read_dir(history).unwrap().next().unwrap().unwrap().path();
    let mut read: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    if let Value::String(text) = &read {
        read = serde_json::from_str(text).unwrap();
    }
    let cases = read["eval_case_results"].as_array().unwrap();
    let case = cases.iter().find(|case| case["eval_id"] == eval_id).unwrap();
    let metrics = case["overall_eval_metric_results"].as_array().unwrap().iter();
    metrics
        .map(|it| (it["metric_name"].as_str().unwrap().to_owned(), it["score"].as_f64()))
        .collect()
}

#[test]
fn pairs_an_adk_history_with_other_ids_by_user_messages() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (agent, asked) = (folder.path().join("home"), folder.path().join("asked.evalset.json"));
    agent_in(&agent);
    std::fs::write(&asked, set([(2, "z"), (0, "x"), (1, "y")])).unwrap();
    let ran = adk_eval::by_fork(&python, &agent, &asked);
    let history = agent.join(".adk/eval_history");
    assert!(history.exists(), "{}", ran.stderr);

    let expected = folder.path().join("expected.evalset.json");
    std::fs::write(&expected, set([(0, "warm"), (1, "hall"), (2, "short")])).unwrap();
    let score = |more: &[&str]| {
        Command::new(&binary)
            .args(["score", "--format", "json", "--expected"])
            .arg(&expected)
            .arg("--actual")
            .arg(&history)
            .arg("--config")
            .arg(agent.join("test_config.json"))
            .args(more)
            .output()
            .unwrap()
    };
    // With --pair id, no case has a partner.
    let apart = score(&[]);
    let summary = String::from_utf8_lossy(&apart.stderr).into_owned();
    assert!(summary.contains("use --pair query to pair them by user message"), "{summary}");

    let paired = score(&["--pair", "query"]);
    let summary = String::from_utf8_lossy(&paired.stderr).into_owned();
    assert_eq!((paired.status.code(), summary.as_str()), (Some(1), ""));
    let report: Value = serde_json::from_slice(&paired.stdout).unwrap();
    let results = report["results"].as_array().unwrap();
    let passed: Vec<_> = results.iter().map(|it| (&it["eval_id"], &it["passed"])).collect();
    let (warm, hall, short) = (json!("warm"), json!("hall"), json!("short"));
    assert_eq!(passed, [(&warm, &json!(true)), (&hall, &json!(false)), (&short, &json!(false))]);
    for (result, own) in results.iter().zip(["x", "y", "z"]) {
        let ours: BTreeMap<String, Option<f64>> = result["criterion_results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (it["criterion"].as_str().unwrap().to_owned(), it["score"].as_f64()))
            .collect();
        // Newer versions also count calls that are not expected.
        let mut theirs = scored_by_adk(&history, own);
        theirs.retain(|metric, _| !metric.ends_with("_v1"));
        assert_eq!(ours, theirs, "{own}");
        assert_eq!(ours.len(), 2);
    }
}
