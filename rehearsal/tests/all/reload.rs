//! SIGHUP: a running host reads its configuration again.

mod agents;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::live_faults::host::spawn_with;

const AGENT: &str = "[[agent]]\nname = \"Maths\"\nsource = \"native\"\nexample = \"math\"\n";

/// A host of `rehearsal.toml` in `folder`.
struct Reloading {
    child: Child,
    address: SocketAddr,
    log: Arc<Mutex<String>>,
}

impl Reloading {
    fn start(folder: &Path) -> Self {
        Self::start_with(&[], folder)
    }

    fn start_with(agents: &[&str], folder: &Path) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let child = spawn_with(command(), agents, folder, address, &log);
        Self { child, address, log }
    }

    /// Sends SIGHUP, and returns what the host has logged since.
    fn reload(&self) -> String {
        let before = self.log.lock().unwrap().len();
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
        self.logged(before, "configuration ")
    }

    /// Waits until the host has logged `text`, and returns what it has logged after `before` bytes.
    fn logged(&self, before: usize, text: &str) -> String {
        for _ in 0..3000 {
            let log = self.log.lock().unwrap()[before..].to_owned();
            if log.contains(text) {
                return log;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the host has not logged {text:?}: {:?}", self.log)
    }

    /// What is wrong with the sessions of `adk web` of the agents that the page's part of runs has.
    fn faults_of_sessions(&self) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let head = "content-type: application/json\r\ncontent-length: 2\r\nconnection: close";
        let address = self.address;
        let request = format!(
            "POST /api/list_adk_sessions HTTP/1.1\r\nhost: {address}\r\n{head}\r\n\r\n{{}}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response.split_once("\"faults\":").expect("a list").1.to_owned()
    }

    /// The status of a request with a token.
    fn status(&self, token: &str) -> u16 {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let (address, end) = (self.address, "connection: close");
        let request = format!(
            "GET /v1/models HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n{end}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response[9..12].parse().unwrap()
    }
}

impl Drop for Reloading {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_rehearsal"))
}

/// Adds a token to `rehearsal.toml`.
fn add_token(folder: &Path, name: &str) -> String {
    let mut adds = command();
    adds.args(["token", "add", name]).current_dir(folder).stdin(Stdio::null());
    let added = adds.output().unwrap();
    assert!(added.status.success(), "{added:?}");
    String::from_utf8(added.stdout).unwrap().trim().to_owned()
}

#[test]
fn people_and_tokens_change_and_a_broken_file_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rehearsal.toml");
    fs::write(&file, AGENT).unwrap();
    let first = add_token(folder.path(), "first");
    let with_first = fs::read_to_string(&file).unwrap();
    let host = Reloading::start(folder.path());
    assert_eq!(host.status(&first), 200);

    fs::write(&file, AGENT).unwrap();
    let second = add_token(folder.path(), "second");
    assert_eq!(host.status(&second), 401, "not yet");
    let log = host.reload();
    assert!(log.contains("the configuration was read again"), "{log}");
    assert_eq!((host.status(&first), host.status(&second)), (401, 200));

    fs::write(&file, "[[agent]\n").unwrap();
    let log = host.reload();
    assert!(log.contains("the configuration is unchanged: rehearsal.toml:1:"), "{log}");
    assert_eq!((host.status(&first), host.status(&second)), (401, 200));

    fs::write(&file, with_first.replace("hash =", "hasj =")).unwrap();
    let log = host.reload();
    assert!(log.contains("`hasj` is not a known key") && !log.contains("argon2"), "{log}");

    fs::remove_file(&file).unwrap();
    let log = host.reload();
    assert!(log.contains("the configuration is unchanged: rehearsal.toml does not exist"), "{log}");
    assert_eq!((host.status(&first), host.status(&second)), (401, 200));

    fs::write(&file, AGENT).unwrap();
    let log = host.reload();
    assert!(log.contains("restart the host to turn login on or off"), "{log}");
    assert_eq!(host.status(&second), 200);

    let more = "[live]\ndatabase = \"other.sqlite\"\nkeep_days = 7\n";
    let renamed = with_first.replace("Maths", "Mathematics");
    fs::write(&file, format!("{renamed}{more}")).unwrap();
    let log = host.reload();
    assert!(log.contains("restart the host for the changes of `[live] database`"), "{log}");
    assert!(log.contains("added the agent Mathematics"), "{log}");
    assert!(log.contains("removed the agent Maths"), "{log}");
    assert_eq!((host.status(&first), host.status(&second)), (200, 401));
}

#[test]
fn agents_change_and_a_wrong_agent_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rehearsal.toml");
    let other = AGENT.replace("Maths", "Poetry").replace("math", "poet");
    fs::write(&file, format!("{AGENT}{other}")).unwrap();
    let host = Reloading::start(folder.path());
    let changes = |log: &str| {
        let lines = log.lines().filter(|line| line.contains(" the agent "));
        lines.map(|line| line.split(": ").last().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let log = host.reload();
    assert_eq!(changes(&log), [""; 0], "nothing has changed: {log}");

    let moved = format!("{AGENT}eval_set_path = \"other.evalset.json\"\n");
    let added = AGENT.replace("Maths", "Sums");
    fs::write(&file, format!("{added}{other}{moved}")).unwrap();
    let log = host.reload();
    let expected = ["added the agent Sums", "replaced the agent Maths"];
    assert!(changes(&log).iter().zip(expected).all(|(line, text)| line.contains(text)), "{log}");
    assert_eq!(changes(&log).len(), 2, "{log}");
    assert!(!log.contains("restart the host"), "{log}");

    fs::write(&file, format!("{AGENT}{}", AGENT.replace("math", "no such example"))).unwrap();
    let log = host.reload();
    assert!(log.contains("the configuration is unchanged: rehearsal.toml:"), "{log}");
    assert_eq!(changes(&log), [""; 0], "{log}");

    fs::write(&file, other).unwrap();
    let log = host.reload();
    assert_eq!(changes(&log).len(), 2, "{log}");
    assert!(log.contains("removed the agent Sums") && log.contains("removed the agent Maths"));
}

/// A file that is no database of sessions.
fn add_broken_sessions(agent: &Path) {
    fs::create_dir(agent.join(".adk")).unwrap();
    fs::write(agent.join(".adk/session.db"), "none").unwrap();
}

#[test]
fn runs_have_the_agents_that_were_added_later() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rehearsal.toml");
    fs::write(&file, AGENT).unwrap();
    for parent in ["late", "agents/sales"] {
        fs::create_dir_all(folder.path().join(parent)).unwrap();
        fs::write(folder.path().join(parent).join("agent.py"), "").unwrap();
    }
    let host = Reloading::start_with(&["agents", "--config", "rehearsal.toml"], folder.path());
    assert!(host.faults_of_sessions().starts_with("[]"), "{}", host.faults_of_sessions());

    // By the configuration, which is read again.
    add_broken_sessions(&folder.path().join("late"));
    let late = "[[agent]]\nname = \"Late\"\nsource = \"adk_python\"\nfolder = \"late\"\n";
    fs::write(&file, format!("{AGENT}{late}")).unwrap();
    let log = host.reload();
    assert!(log.contains("the configuration was read again"), "{log}");
    let faults = host.faults_of_sessions();
    assert!(faults.contains("late/.adk/session.db"), "{faults}");

    // By its folder: at once.
    fs::create_dir(folder.path().join("agents/support")).unwrap();
    fs::write(folder.path().join("agents/support/agent.py"), "").unwrap();
    add_broken_sessions(&folder.path().join("agents/support"));
    let faults = host.faults_of_sessions();
    assert!(faults.contains("agents/support/.adk/session.db"), "{faults}");
    fs::remove_dir_all(folder.path().join("agents/support")).unwrap();
    let faults = host.faults_of_sessions();
    assert!(!faults.contains("support") && faults.contains("late"), "{faults}");
}

#[test]
fn agents_follow_the_subfolders_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    let add = |name: &str| {
        fs::create_dir_all(agents.join(name)).unwrap();
        fs::write(agents.join(name).join("agent.py"), "").unwrap();
    };
    add("weather");
    let host = Reloading::start_with(&["agents"], folder.path());
    add("sales");
    let log = host.logged(0, "added the agent sales");
    assert!(!log.contains("removed the agent") && !log.contains("replaced the agent"), "{log}");

    fs::rename(agents.join("weather"), agents.join("climate")).unwrap();
    let log = host.logged(log.len(), "removed the agent weather");
    assert!(log.contains("added the agent climate"), "{log}");

    // The folders were read again already.
    let log = host.reload();
    assert!(log.contains("the configuration was read again"), "{log}");
    assert!(!log.contains("added the agent") && !log.contains("removed the agent"), "{log}");

    fs::remove_dir_all(&agents).unwrap();
    host.logged(0, "removed the agent climate");
    host.logged(0, "removed the agent sales");
}
