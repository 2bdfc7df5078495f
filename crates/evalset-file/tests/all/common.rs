//! What the tests of this crate share: cases, files, and the reading back of both.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use evalset::Number;
use evalset::adk::{
    Content, EvalCase, EvalSetHeader, FunctionCall, FunctionResponse, IntermediateData, Invocation,
    SessionInput,
};
use evalset_file::{AppendError, Appended, EvalSetFiles};
use json_text::JsonText;
use serde_json::Value;

pub(crate) fn json(text: &str) -> JsonText {
    JsonText::parse(text).expect("JSON")
}

/// A recording of `session`, which wants to be called `eval_id`.
pub(crate) fn case(session: &str, eval_id: &str) -> EvalCase {
    let args = r#"{"a": 9007199254740993, "b": 3, "list": [], "deep": {"x": [1, {}]}}"#;
    let turn = Invocation {
        final_response: Some(Content::model("8")),
        intermediate_data: Some(IntermediateData {
            tool_uses: vec![FunctionCall::new("c1", "add", json(args))],
            tool_responses: vec![FunctionResponse::new("c1", "add", json(r#"{"result":8.50}"#))],
            ..IntermediateData::default()
        }),
        creation_timestamp: Number::parse("1766500200.25"),
        ..Invocation::new(
            format!("{session}_inv_0"),
            Content::user("What is 5 + 3?\n\"quoted\" \\ {[,:]} é 😀"),
        )
    };
    EvalCase {
        session_input: Some(SessionInput::new("math_agent", "user", json("{}"))),
        creation_timestamp: Number::parse("1766500200.25"),
        ..EvalCase::new(eval_id, vec![turn])
    }
}

pub(crate) fn header() -> EvalSetHeader {
    EvalSetHeader {
        eval_set_id: "math_agent_evals".to_owned(),
        name: "MathAgent".to_owned(),
        creation_timestamp: Number::parse("1766500200.0").expect("a number"),
    }
}

pub(crate) fn append(path: &Path, session: &str) -> Result<Appended, AppendError> {
    EvalSetFiles::anywhere().append(path, case(session, "math_agent_t"), &header())
}

/// The id of a case that was added.
pub(crate) fn added(appended: Result<Appended, AppendError>) -> String {
    match appended.expect("appended") {
        Appended::Added { eval_id, .. } => eval_id,
        Appended::AlreadyThere { eval_id, .. } => panic!("{eval_id} was there already"),
    }
}

pub(crate) fn ids(path: &Path) -> Vec<String> {
    let set: Value = serde_json::from_slice(&std::fs::read(path).expect("read")).expect("JSON");
    let cases = set["eval_cases"].as_array().expect("a list");
    cases.iter().map(|case| case["eval_id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Everything in the folder but the named file: an append leaves nothing.
pub(crate) fn beside(path: &Path) -> Vec<String> {
    let names = std::fs::read_dir(path.parent().expect("a folder")).expect("listed");
    names
        .map(|entry| entry.expect("listed").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.as_str() != path.file_name().expect("a name"))
        .collect()
}

/// Google's own eval files, where the workshop has them.
pub(crate) fn google_files() -> Vec<PathBuf> {
    let Some(folder) = test_needs::corpus("adk-evalsets") else { return Vec::new() };
    let entries = std::fs::read_dir(folder).expect("listed");
    entries.map(|entry| entry.expect("listed").path()).collect()
}

/// Has google-adk's own loader read the files and say their cases' ids; none without a Python.
pub(crate) fn read_by_adk(paths: &[PathBuf]) -> Option<Vec<Vec<String>>> {
    let python = test_needs::python()?;
    let script = "import json, sys\n\
        from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file\n\
        print(json.dumps([[c.eval_id for c in load_eval_set_from_file(p, p).eval_cases]\n\
        \x20   for p in sys.argv[1:]]))\n";
    let output = Command::new(python)
        .args(["-c", script])
        .args(paths)
        .stdin(Stdio::null())
        .output()
        .expect("REHEARSAL_TEST_PYTHON starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "ADK rejects it: {stderr}");
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}
