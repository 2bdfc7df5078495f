//! `rehearsal serve`: what it says before it serves.

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
