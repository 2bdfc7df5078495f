//! What the tests of this crate share: telling texts apart, Google's files, and ADK's own opinion.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use json_text::{JsonText, Node};

pub(crate) fn json(text: &str) -> JsonText {
    JsonText::parse(text).expect("JSON")
}

/// The same text for the same value: digits, order of keys and repeated keys count, white space and
/// the way a character is escaped do not.
pub(crate) fn canonical(text: &str) -> String {
    fn of(node: &Node<'_>, out: &mut String) {
        match node {
            Node::Null => out.push_str("null"),
            Node::Bool(value) => out.push_str(&value.to_string()),
            Node::Number(digits) => out.push_str(digits),
            Node::String(text) => out.push_str(&serde_json::to_string(text).expect("a string")),
            Node::Array(items) => {
                out.push('[');
                for item in items {
                    of(&Node::of(item), out);
                    out.push(',');
                }
                out.push(']');
            }
            Node::Object(members) => {
                out.push('{');
                for (key, value) in members {
                    out.push_str(&serde_json::to_string(key).expect("a string"));
                    out.push(':');
                    of(&Node::of(value), out);
                    out.push(',');
                }
                out.push('}');
            }
        }
    }
    let mut out = String::new();
    of(&json(text).open(), &mut out);
    out
}

/// The same text for the same value, whatever the order of its keys.
pub(crate) fn unordered(text: &str) -> String {
    fn of(node: &Node<'_>) -> String {
        match node {
            Node::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| of(&Node::of(item))).collect();
                format!("[{}]", items.join(","))
            }
            Node::Object(members) => {
                let mut members: Vec<_> = members
                    .iter()
                    .map(|(key, value)| format!("{key:?}:{}", of(&Node::of(value))))
                    .collect();
                members.sort();
                format!("{{{}}}", members.join(","))
            }
            Node::Null => "null".to_owned(),
            Node::Bool(value) => value.to_string(),
            Node::Number(digits) => (*digits).to_owned(),
            Node::String(text) => format!("{text:?}"),
        }
    }
    of(&json(text).open())
}

/// Google's own eval files, where the workshop has them.
pub(crate) fn google_files() -> Vec<PathBuf> {
    let Some(folder) = test_needs::corpus("adk-evalsets") else { return Vec::new() };
    let entries = std::fs::read_dir(folder).expect("listed");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("listed").path()).collect();
    files.sort();
    files
}

/// Each text as ADK rewrites it, an older list in the current form, or ADK's error. One process for all of them: it takes seconds
/// to start.
pub(crate) fn adk_rewrites(python: &Path, texts: &[String]) -> Vec<Result<String, String>> {
    let script = "from google.adk.evaluation.eval_set import EvalSet\n\
        from google.adk.evaluation.local_eval_sets_manager import (\n\
        \x20   convert_eval_set_to_pydantic_schema as of_older)\n\
        def rewritten(text):\n\
        \x20   if text.lstrip().startswith('['):\n\
        \x20       items = json.loads(text)\n\
        \x20       if not all('data' in item for item in items):\n\
        \x20           items = [{'name': 's', 'data': items, 'initial_session': {}}]\n\
        \x20       set = of_older('s', items)\n\
        \x20   else:\n\
        \x20       set = EvalSet.model_validate_json(text)\n\
        \x20   return set.model_dump_json(indent=2,\n\
        \x20       exclude_unset=True, exclude_defaults=True, exclude_none=True)\n";
    python_rewrites(python, script, texts)
}

/// Each text as a Python program rewrites it that knows neither format.
pub(crate) fn dumped(python: &Path, texts: &[String], ascii: bool) -> Vec<String> {
    let ascii = if ascii { "True" } else { "False" };
    let script = format!(
        "def rewritten(text):\n    return json.dumps(json.loads(text), ensure_ascii={ascii})\n"
    );
    let texts = python_rewrites(python, &script, texts);
    texts.into_iter().map(|text| text.expect("JSON")).collect()
}

/// Each text through the function `rewritten` of the script, or its exception.
fn python_rewrites(python: &Path, script: &str, texts: &[String]) -> Vec<Result<String, String>> {
    let script = format!(
        "import json, sys\n{script}\
        results = []\n\
        for text in json.load(sys.stdin):\n\
        \x20   try:\n\
        \x20       results.append([True, rewritten(text)])\n\
        \x20   except Exception as error:\n\
        \x20       results.append([False, str(error)])\n\
        json.dump(results, sys.stdout)\n"
    );
    let mut child = Command::new(python)
        .args(["-W", "ignore", "-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("REHEARSAL_TEST_PYTHON starts");
    let mut stdin = child.stdin.take().expect("piped");
    let asked = serde_json::to_vec(texts).expect("texts");
    let writer = std::thread::spawn(move || stdin.write_all(&asked));
    let output = child.wait_with_output().expect("ends");
    writer.join().expect("joined").expect("written");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let results: Vec<(bool, String)> = serde_json::from_slice(&output.stdout).expect("JSON");
    results.into_iter().map(|(good, text)| if good { Ok(text) } else { Err(text) }).collect()
}
