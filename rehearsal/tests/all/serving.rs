//! The command line before a host serves: configurations that are not read, and variables that set options.

use std::fs;
use std::net::TcpListener;
use std::process::Command;

#[test]
fn a_configuration_that_is_not_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let people = "[[security.people]]\nname = \"Ann\"\n";
    fs::write(folder.path().join("rehearsal.toml"), people).unwrap();
    let agent = folder.path().join("weather");
    fs::create_dir(&agent).unwrap();
    fs::write(agent.join("agent.py"), "").unwrap();
    // It ends at once, because the port is used.
    let used = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = used.local_addr().unwrap().to_string();
    // Nor does one that other machines reach.
    for listen in [&*listen, "0.0.0.0:0"] {
        let ran = Command::new(env!("CARGO_BIN_EXE_rehearsal"))
            .args(["serve", "weather", "--listen", listen])
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .env_remove("REHEARSAL_LOG")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&ran.stderr);
        assert!(!ran.status.success());
        assert!(text.contains("rehearsal.toml is not read, because agents are named"), "{text}");
        assert!(text.contains("add --config rehearsal.toml"), "{text}");
    }
}

#[test]
fn only_variables_of_options_are_named_beside_a_mistake() {
    let ran = Command::new(env!("CARGO_BIN_EXE_rehearsal"))
        .args(["doctor", "--lisen", "x"])
        .env("REHEARSAL_TOKEN", "abc")
        .env("REHEARSAL_LISTEN", "127.0.0.1:1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&ran.stderr);
    assert!(text.contains("note: REHEARSAL_LISTEN is set and gives its option's value"), "{text}");
    assert!(!text.contains("REHEARSAL_TOKEN"), "{text}");
}
