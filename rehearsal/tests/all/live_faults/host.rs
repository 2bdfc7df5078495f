//! [`Host`]: `rehearsal serve` as a process that can be killed and started again at the same address.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rpc::wire::live_service_client::LiveServiceClient;
use tonic::transport::{Channel, Endpoint};

pub(crate) type Client = LiveServiceClient<Channel>;

/// An agent that needs no worker.
const CONFIG: &str = "[[agent]]\nname = \"Maths\"\nsource = \"native\"\nexample = \"math\"\n";

pub(crate) struct Host {
    folder: tempfile::TempDir,
    address: SocketAddr,
    child: Child,
    log: Arc<Mutex<String>>,
}

impl Host {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("rehearsal.toml"), CONFIG).unwrap();
        // A free port, at which the host is started repeatedly.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let child = spawn(binary(), folder.path(), address, &log);
        Self { folder, address, child, log }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join(".rehearsal/live.sqlite")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Sends SIGKILL, and waits for the end of the process.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn start_again(&mut self) {
        self.child = spawn(binary(), self.folder.path(), self.address, &self.log);
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// A client that connects on use, and reconnects.
    pub(crate) fn client(&self) -> Client {
        client_of(self.address)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn client_of(address: SocketAddr) -> Client {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let endpoint = endpoint.connect_timeout(Duration::from_secs(2));
    LiveServiceClient::new(endpoint.connect_lazy()).max_decoding_message_size(usize::MAX)
}

pub(crate) fn binary() -> Command {
    Command::new(env!("CARGO_BIN_EXE_rehearsal"))
}

/// Starts the command with `serve` and waits until it listens.
pub(crate) fn spawn(
    command: Command,
    folder: &Path,
    address: SocketAddr,
    log: &Arc<Mutex<String>>,
) -> Child {
    spawn_with(command, &[], folder, address, log)
}

/// As [`spawn`], with the agents of these folders.
pub(crate) fn spawn_with(
    mut command: Command,
    agents: &[&str],
    folder: &Path,
    address: SocketAddr,
    log: &Arc<Mutex<String>>,
) -> Child {
    let mut child = command
        .args(["serve", "--listen", &address.to_string()])
        .args(agents)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("REHEARSAL_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    loop {
        let line = lines.next().unwrap_or_else(|| panic!("the host ended: {log:?}")).unwrap();
        let serves = line.contains("serving at http://");
        log.lock().unwrap().push_str(&format!("{line}\n"));
        if serves {
            break;
        }
    }
    let log = Arc::clone(log);
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            log.lock().unwrap().push_str(&format!("{line}\n"));
        }
    });
    child
}
