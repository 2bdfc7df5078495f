//! `rehearsal adk-folder` as a process.

use std::process::Command;

#[test]
fn a_server_that_hangs_is_an_error_that_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let config = "[[agent]]\nname = \"Slow\"\nsource = \"mcp\"\nmodel = \"m\"\ninstruction = \"Go.\"\n\
                  [[agent.server]]\nname = \"s\"\ncommand = \"sleep\"\nargs = [\"600\"]\ntimeout_seconds = 1\n";
    std::fs::write(folder.path().join("rehearsal.toml"), config).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["adk-folder", "Slow", "--out", "agents"]).current_dir(folder.path());
    command.env_remove("REHEARSAL_CONFIG");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(!printed.contains("Next: "), "{printed}");
    let error = String::from_utf8(output.stderr).unwrap();
    for part in ["agents/slow is written", "increase `timeout_seconds`", "Run the command again"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(folder.path().join("agents/slow/agent.py").is_file());
}
