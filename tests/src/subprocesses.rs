//! [`run_adk`]: runs Python programs with google-adk, which is imported once for all of them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::workspace;

/// The exit status and output of a Python program.
pub struct Ended {
    /// Its exit status; below zero is the signal that ended it.
    pub status: i64,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// The process that has imported google-adk. It ends with this program, whose end of its standard
/// input is kept here.
struct Server {
    socket: PathBuf,
    _process: Child,
}

impl Server {
    fn start(python: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder").keep();
        let socket = folder.join("socket");
        let mut process = Command::new(python)
            .arg(workspace().join("tests/src/subprocesses.py"))
            .arg(&socket)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("text");
        assert_eq!(line, "ready\n", "google-adk is imported");
        Self { socket, _process: process }
    }
}

/// Runs a Python program that uses google-adk, given as Python takes it (`-c TEXT` or `-m MODULE`,
/// then its arguments), in a fork of one process that has imported google-adk.
///
/// # Panics
/// Where google-adk cannot be imported.
#[must_use]
pub fn run_adk(python: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
    static SERVER: OnceLock<Server> = OnceLock::new();
    let server = SERVER.get_or_init(|| Server::start(python));
    let variables: Value = variables.iter().map(|(name, value)| (*name, *value)).collect();
    let asked = json!({ "arguments": arguments, "variables": variables });
    let mut stream = UnixStream::connect(&server.socket).expect("the server listens");
    writeln!(stream, "{asked}").expect("asked");
    stream.shutdown(Shutdown::Write).expect("asked");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("answered");
    let response: Value = serde_json::from_str(&response).expect("an answer");
    let text = |name: &str| response[name].as_str().expect("text").to_owned();
    Ended {
        status: response["status"].as_i64().expect("a status"),
        stdout: text("stdout"),
        stderr: text("stderr"),
    }
}
