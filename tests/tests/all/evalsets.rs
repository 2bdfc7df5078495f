//! `rehearsal evalset` on Google's own files; google-adk reads the results.

use std::path::{Path, PathBuf};
use std::process::Command;

use acceptance::{binary, python, run_python, workspace};
use serde_json::Value;

/// Reads each file with ADK's own model and prints it without unset fields.
const UNDERSTOOD: &str = "
import json, sys
from google.adk.evaluation.eval_set import EvalSet
print(json.dumps([EvalSet.model_validate_json(open(path, encoding='utf-8').read())
    .model_dump(mode='json', exclude_unset=True, exclude_defaults=True, exclude_none=True)
    for path in sys.argv[1:]]))
";

fn understood(python: &Path, files: &[PathBuf]) -> Vec<Value> {
    let files: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).collect();
    serde_json::from_str(&run_python(python, UNDERSTOOD, &files)).unwrap()
}

fn evalset(binary: &Path, arguments: &[&str]) {
    let output = Command::new(binary).arg("evalset").args(arguments).output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {stdout}{stderr}");
}

/// Google's own files, if they are available.
fn google_files() -> Vec<PathBuf> {
    let folder = workspace().join("../shared/corpora/adk-evalsets");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("SKIPPED: Google's eval files are not at ../shared/corpora/adk-evalsets");
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn converts_adk_files_to_agentflow_and_back_without_loss() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let files = google_files();
    if files.is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [modern, there, back] =
        ["modern", "there", "back"].map(|name| folder.path().join(name).display().to_string());
    let names: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let convert = |to: &str, from: &[&str], into: &str| {
        let options = ["convert", "--to", to, "--output-folder", into];
        evalset(&binary, &[&options, from].concat());
    };
    // Older lists are converted to the current format; the others stay unchanged.
    convert("adk", &names, &modern);
    convert("agentflow", &[&modern], &there);
    convert("adk", &[&there], &back);
    evalset(&binary, &["lint", &modern, &there, &back]);

    let in_folder = |folder: &str| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let (modern, back) = (in_folder(&modern), in_folder(&back));
    assert_eq!((modern.len(), back.len()), (files.len(), files.len()));
    assert_eq!(understood(&python, &modern), understood(&python, &back));
    for (modern, back) in modern.iter().zip(&back) {
        evalset(&binary, &["diff", modern.to_str().unwrap(), back.to_str().unwrap()]);
    }
}

#[test]
fn converts_older_lists_as_adk_does() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let converter = "
import json, sys
from google.adk.evaluation.local_eval_sets_manager import convert_eval_set_to_pydantic_schema
sessions = json.load(open(sys.argv[1], encoding='utf-8'))
if sessions and 'query' in sessions[0]:
    sessions = [{'name': sys.argv[2], 'data': sessions}]
made = convert_eval_set_to_pydantic_schema(sys.argv[2], sessions)
print(made.model_dump_json(exclude_unset=True, exclude_defaults=True, exclude_none=True))
";
    let folder = tempfile::tempdir().unwrap();
    let mut looked_at = 0;
    for file in google_files() {
        if !std::fs::read_to_string(&file).unwrap().trim_start().starts_with('[') {
            continue;
        }
        let out = folder.path().join(format!("{looked_at}.json"));
        let (path, out_path) = (file.to_str().unwrap(), out.to_str().unwrap());
        evalset(&binary, &["convert", "--to", "adk", path, "--output", out_path]);
        let name = file.file_name().unwrap().to_str().unwrap().replace(".test.json", "");
        let made = run_python(&python, converter, &[path, &name]);
        let mut theirs: Value = serde_json::from_str(&made).unwrap();
        let mut ours = understood(&python, &[out]).remove(0);
        // Times and random ids differ.
        for set in [&mut theirs, &mut ours] {
            set.as_object_mut().unwrap().remove("creation_timestamp");
            for case in set["eval_cases"].as_array_mut().unwrap() {
                case.as_object_mut().unwrap().remove("creation_timestamp");
                for turn in case["conversation"].as_array_mut().unwrap() {
                    let turn = turn.as_object_mut().unwrap();
                    turn.remove("creation_timestamp");
                    turn.remove("invocation_id");
                    // ADK adds empty lists; both mean no expectation.
                    let data = turn["intermediate_data"].as_object_mut().unwrap();
                    data.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
                }
            }
        }
        assert_eq!(ours, theirs, "{path}");
        looked_at += 1;
    }
    assert!(looked_at > 0 || google_files().is_empty());
}
