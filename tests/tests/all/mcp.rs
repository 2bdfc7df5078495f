//! A rehearsal on a real MCP server, exported, and run by `adk eval` on the folder that
//! `rehearsal adk-folder` writes.

use std::path::{Path, PathBuf};
use std::process::Command;

use acceptance::{Ended, Host, binary, python, workspace};
use serde_json::{Value, json};
use session::Answer;
use test_support::{Page, arguments};

use crate::adk_eval;

#[tokio::test]
async fn adk_eval_runs_an_exported_mcp_case() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let host = Host::start(&binary, Some(&python), &[]);
    let mut clock =
        Page::rehearse(host.address(), "world-clock", "09:00 in Lisbon is what in Tokyo?").await;
    let call = json!({
        "source_timezone": "Europe/Lisbon", "time": "09:00", "target_timezone": "Asia/Tokyo",
    });
    let Answer::Output(output) = clock.call("convert_time", &arguments(&call)).await else {
        panic!("{:?}", clock.last_answer());
    };
    assert!(format!("{output:?}").contains("Asia/Tokyo"));
    clock.respond("It is in the evening in Tokyo.");
    let receipt = clock.export().await.unwrap();

    let folder = tempfile::tempdir().unwrap();
    let written = Command::new(&binary)
        .args(["adk-folder", "world-clock", "--out"])
        .arg(folder.path())
        .env("REHEARSAL_PYTHON", &python)
        .output()
        .unwrap();
    // Where the example's server is not installed for the command line, its tools are not checked.
    let errors = String::from_utf8_lossy(&written.stderr);
    assert!(written.status.success() || errors.contains("world_clock is written, but"), "{errors}");
    let scripted = folder.path().join("scripted_clock");
    std::fs::create_dir(&scripted).unwrap();
    for file in std::fs::read_dir(workspace().join("tests/fixtures/adk/scripted_clock")).unwrap() {
        let file = file.unwrap();
        if file.path().is_file() {
            std::fs::copy(file.path(), scripted.join(file.file_name())).unwrap();
        }
    }

    let exported = PathBuf::from(&receipt.path);
    // 1 is passed, 2 is failed.
    assert_eq!(status(&scripted, &adk_eval::by_program(&python, &scripted, &exported)), 1);
    let text = std::fs::read_to_string(&exported).unwrap();
    assert!(text.contains("Asia/Tokyo"));
    let changed = folder.path().join("changed.evalset.json");
    let other =
        text.replace(r#""target_timezone": "Asia/Tokyo""#, r#""target_timezone": "Asia/Seoul""#);
    assert_ne!(other, text, "an argument is changed");
    std::fs::write(&changed, other).unwrap();
    assert_eq!(status(&scripted, &adk_eval::by_fork(&python, &scripted, &changed)), 2);
}

/// The status in the result file of `adk eval`, which is removed.
fn status(agent: &Path, ran: &Ended) -> i64 {
    let actual = format!("{}\n{}", ran.stdout, ran.stderr);
    let history = agent.join(".adk/eval_history");
    let result = std::fs::read_dir(&history).unwrap_or_else(|error| panic!("{error}: {actual}"));
    let result = result.map(|entry| entry.unwrap().path()).next().unwrap();
    let mut read: Value = serde_json::from_slice(&std::fs::read(result).unwrap()).unwrap();
    std::fs::remove_dir_all(&history).unwrap();
    if let Value::String(text) = &read {
        read = serde_json::from_str(text).unwrap();
    }
    read["eval_case_results"][0]["final_eval_status"]
        .as_i64()
        .unwrap_or_else(|| panic!("no status: {read}\n{actual}"))
}
