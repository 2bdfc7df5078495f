//! `rehearsal diagnose`: where a model leaves a path, and what is at fault.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::evaluating::text;

/// A copy of the example, with a run of which one case fails, and a continuation with the right call in it, which passes.
fn desk() -> Option<TempDir> {
    test_needs::python()?;
    let folder = tempfile::tempdir().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/support_desk");
    std::fs::create_dir(folder.path().join("support_desk")).unwrap();
    for file in [
        "support_desk.eval.yaml",
        "support_desk/__init__.py",
        "support_desk/agent.py",
        "support_desk/model.py",
    ] {
        std::fs::copy(example.join(file), folder.path().join(file)).unwrap();
    }
    let (code, ..) = rehearsal(folder.path(), &["eval", "support_desk.eval.yaml"]);
    assert_eq!(code, Some(1));
    let call = r#"{"response": {"calls": [{"tool": "refund", "args": {"order_id": "A-1003", "euros": 49.90}}]}}"#;
    let fork = ["fork", "last", "--step", "4", "--edit", call, "--times", "1"];
    assert_eq!(rehearsal(folder.path(), &fork).0, Some(0));
    Some(folder)
}

fn rehearsal(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(arguments).current_dir(folder);
    if let Some(python) = test_needs::python() {
        command.env("REHEARSAL_PYTHON", python);
    }
    let ran = command.output().unwrap();
    (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
}

fn diagnosis(folder: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let (code, out, errors) =
        rehearsal(folder, &[&["diagnose", "--format", "json"], arguments].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{errors}")))
}

/// Totals are in cents, which the agent does not know.
const NOTE: &str = r#"{"instructions": {"support_desk": "Refund the total of an order that arrived broken. Totals are in cents."}}"#;
/// A note that says nothing new.
const IDLE: &str =
    r#"{"instructions": {"support_desk": "Refund the total of an order that arrived broken."}}"#;

#[test]
fn a_note_that_repairs_the_step_puts_the_instructions_at_fault() {
    let Some(folder) = desk() else { return };
    let (code, found) = diagnosis(folder.path(), &["3", "--times", "5"]);
    assert_eq!((code, &found["cause"]), (Some(3), &"undecided".into()), "{found:#}");
    assert_eq!(found["jump"]["step"], 4);
    let points = found["curve"].as_array().unwrap().iter();
    let shares: Vec<_> = points
        .map(|it| (it["step"].as_u64(), it["passed"].as_u64(), it["counted"].as_u64()))
        .collect();
    assert_eq!(
        shares,
        [(Some(2), Some(0), Some(5)), (Some(4), Some(0), Some(5)), (Some(6), Some(5), Some(5))]
    );
    assert_eq!(found["path"], r#"calls refund {"order_id":"A-1003","euros":49.9}"#);
    assert_eq!(found["choices"][0]["what"], r#"calls refund {"order_id":"A-1003","euros":4990}"#);
    assert_eq!(found["next"].as_array().unwrap().len(), 3, "{found:#}");

    // What has run is not run again: three points, and two sides of the note.
    let (_, runs, _) = rehearsal(folder.path(), &["eval", "runs", "--format", "json"]);
    let count = |runs: &str| serde_json::from_str::<Vec<Value>>(runs).unwrap().len();
    let before = count(&runs);
    let (code, found) = diagnosis(folder.path(), &["3", "--times", "5", "--change", NOTE]);
    assert_eq!((code, &found["cause"]), (Some(1), &"instructions".into()), "{found:#}");
    assert_eq!(found["tried"][0]["name"], "the instruction");
    let (_, runs, _) = rehearsal(folder.path(), &["eval", "runs", "--format", "json"]);
    assert_eq!(count(&runs), before + 2);

    let (code, found) = diagnosis(folder.path(), &["3", "--times", "5", "--change", IDLE]);
    assert_eq!((code, &found["cause"]), (Some(3), &"undecided".into()), "{found:#}");
}

#[test]
fn what_is_no_path_is_refused() {
    let Some(folder) = desk() else { return };
    let refused = |arguments: &[&str]| {
        let (code, out, errors) = rehearsal(folder.path(), &[&["diagnose"], arguments].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{errors}");
        errors
    };
    let failed = refused(&["1", "--case", "refund a broken kettle"]);
    assert!(failed.contains("did not pass. Name a path that does"), "{failed}");
    assert!(refused(&["1"]).contains("has several cases; choose one with --case"));
    assert!(refused(&["1", "--case", "x"]).contains("has no such result"));
    assert!(refused(&["99"]).contains("99"));
    assert!(refused(&["gone.evalset.json"]).contains("a file with recorded cases"));
    let change = refused(&["3", "--change", "{}x"]);
    assert!(change.contains("--change"), "{change}");

    // Of an agent that cannot be loaded, nothing is counted and nothing stored.
    std::fs::write(folder.path().join("support_desk/agent.py"), "import nothing_of_this_name\n")
        .unwrap();
    let unloaded = refused(&["3", "--times", "2"]);
    assert!(unloaded.contains("nothing_of_this_name"), "{unloaded}");
    let (_, runs, _) = rehearsal(folder.path(), &["eval", "runs"]);
    assert!(!runs.contains("fork of run 3"), "{runs}");
}
