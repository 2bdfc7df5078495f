//! `rehearsal doctor`.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use super::live_faults::host::Host;

/// What it prints in an empty folder, with these arguments.
fn examined(arguments: &[&str]) -> (Output, String) {
    examined_in(tempfile::tempdir().unwrap().path(), arguments)
}

fn examined_in(folder: &Path, arguments: &[&str]) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.arg("doctor").args(arguments).current_dir(folder);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REHEARSAL_")) {
        command.env_remove(name);
    }
    let output = command.env("OPENAI_API_KEY", "sk-secret").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, text)
}

#[test]
fn everything_is_found_and_no_secret_is_shown() {
    let Some(python) = test_needs::python() else { return };
    let python = python.to_str().unwrap();
    let (output, text) = examined(&["--python", python, "--listen", "127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for line in
        ["ok       rehearsal ", "ok       google-adk ", "ok       worker ", "OPENAI_API_KEY"]
    {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(text.contains("it will be created"), "{text}");
    assert!(!text.contains("sk-secret"), "{text}");
}

#[test]
fn a_running_host_is_no_fault() {
    let Some(python) = test_needs::python() else { return };
    let host = Host::start();
    let address = host.address().to_string();
    let arguments = ["--python", python.to_str().unwrap(), "--listen", &address];
    let (output, text) = examined_in(host.folder(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let found = format!("{address} is in use, and a host is running with this database");
    assert!(text.contains(&found), "{text}");
}

#[test]
fn what_is_missing_has_a_remedy() {
    let used = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = used.local_addr().unwrap().to_string();
    let (output, text) = examined(&["--python", "/no/python", "--listen", &address]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("missing  python "), "{text}");
    assert!(text.contains("or name it with --python"), "{text}");
    assert!(text.contains("missing  address "), "{text}");
    assert!(text.contains("or serve with --listen 127.0.0.1:0"), "{text}");

    let (output, text) = examined(&["--config", "none.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("error    configuration "), "{text}");
}

#[test]
fn without_pip_the_remedy_is_that_of_uv() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let environment = folder.path().join("env");
    let made =
        Command::new(python).args(["-m", "venv", "--without-pip"]).arg(&environment).status();
    assert!(made.unwrap().success());
    let python = environment.join("bin/python");
    let (output, text) = examined(&["--python", python.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let install = format!("uv pip install --python {} google-adk", python.display());
    assert!(text.contains(&install), "{text}");
}

#[test]
fn a_configuration_that_is_not_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rehearsal.toml"), "").unwrap();
    std::fs::create_dir(folder.path().join("desk")).unwrap();
    std::fs::write(folder.path().join("desk/agent.py"), "root_agent = None").unwrap();
    let (_, text) = examined_in(folder.path(), &["desk"]);
    assert!(text.contains("rehearsal.toml is not read, 1 agents of the command line"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_eval_set_that_cannot_be_written_is_found() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("desk")).unwrap();
    let text = "[[agent]]\nname = \"desk\"\nsource = \"adk_python\"\nfolder = \"desk\"\n\
                eval_set_path = \"/proc/none/desk.evalset.json\"\n";
    std::fs::write(folder.path().join("rehearsal.toml"), text).unwrap();
    let (output, text) = examined_in(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("missing  exports        desk: /proc cannot be written: "), "{text}");
}
