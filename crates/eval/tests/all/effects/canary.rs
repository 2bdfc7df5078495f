//! [`Canary`]: what an effect changes outside of the process that has it.

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpSocket;

/// How long an effect of a real tool may take to be seen.
const PATIENCE: Duration = Duration::from_secs(10);

/// A folder, and whatever else is watched.
pub(super) struct Canary {
    folder: tempfile::TempDir,
    before: BTreeMap<PathBuf, String>,
    tcp: Option<Accepting>,
    stream: Option<Accepting>,
    udp: Option<UdpSocket>,
    datagram: Option<UnixDatagram>,
    listen: Option<Knocking>,
    process: Option<Process>,
    memory: String,
}

impl Canary {
    /// `watched` has names of what is watched besides the folder.
    pub(super) fn new(watched: &[String]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("present"), "before").expect("written");
        std::fs::write(path("store.db"), "").expect("written");
        std::fs::create_dir(path("empty")).expect("made");
        std::fs::create_dir(path("full")).expect("made");
        std::fs::write(path("full/inner"), "inner").expect("written");
        let is_watched = |name: &str| watched.iter().any(|it| it == name);
        let tcp = is_watched("tcp").then(Accepting::tcp);
        let stream = is_watched("stream").then(|| Accepting::path(&path("stream")));
        let udp = is_watched("udp").then(|| {
            let socket = UdpSocket::bind(("127.0.0.1", 0)).expect("a socket");
            socket.set_nonblocking(true).expect("a socket");
            socket
        });
        let datagram = is_watched("datagram").then(|| {
            let socket = UnixDatagram::bind(path("datagram")).expect("a socket");
            socket.set_nonblocking(true).expect("a socket");
            socket
        });
        let listen = is_watched("listen").then(Knocking::new);
        let process = is_watched("process").then(Process::new);
        let name = folder.path().file_name().expect("a name").to_string_lossy();
        let memory = format!("rehearsal-{}", name.trim_start_matches('.'));
        let before = files(folder.path());
        Self { folder, before, tcp, stream, udp, datagram, listen, process, memory }
    }

    /// What the agent gets.
    pub(super) fn to_value(&self) -> Value {
        let port = |of: &Option<Accepting>| of.as_ref().map_or(0, |it| it.port);
        let udp = self.udp.as_ref().map_or(0, |it| it.local_addr().expect("bound").port());
        json!({
            "folder": self.folder.path(),
            "tcp": port(&self.tcp),
            "udp": udp,
            "listen": self.listen.as_ref().map_or(0, |it| it.port),
            "process": self.process.as_ref().map_or(0, |it| it.child.id()),
            "memory": self.memory,
        })
    }

    /// What was changed, once something was: a signal takes its time.
    pub(super) async fn wait_for_traces(self) -> Vec<&'static str> {
        let begin = Instant::now();
        while !self.is_changed() && begin.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.traces()
    }

    /// Whether something shows, or is seen only at the end.
    fn is_changed(&self) -> bool {
        self.tcp.is_some()
            || self.stream.is_some()
            || self.listen.is_some()
            || self.udp.is_some()
            || self.datagram.is_some()
            || self.process.as_ref().is_some_and(Process::is_changed)
            || self.memory_file().exists()
            || files(self.folder.path()) != self.before
    }

    fn memory_file(&self) -> PathBuf {
        Path::new("/dev/shm").join(&self.memory)
    }

    /// What was changed.
    pub(super) fn traces(self) -> Vec<&'static str> {
        let is_memory = std::fs::remove_file(self.memory_file()).is_ok();
        let traces = [
            ("files", files(self.folder.path()) != self.before),
            ("memory", is_memory),
            ("process", self.process.is_some_and(|it| it.is_changed())),
            ("udp", self.udp.is_some_and(|it| it.recv(&mut [0; 9]).is_ok())),
            ("datagram", self.datagram.is_some_and(|it| it.recv(&mut [0; 9]).is_ok())),
            ("tcp", self.tcp.is_some_and(|it| it.watch.end())),
            ("stream", self.stream.is_some_and(|it| it.watch.end())),
            ("listen", self.listen.is_some_and(|it| it.watch.end())),
        ];
        traces.into_iter().filter_map(|(name, is_left)| is_left.then_some(name)).collect()
    }
}

/// What is at and below a path, with what would show a change.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut paths = vec![folder.to_path_buf()];
    while let Some(path) = paths.pop() {
        let Ok(meta) = path.symlink_metadata() else { continue };
        let mut shown = format!(
            "{:o} {} {} {}.{} {}.{}",
            meta.mode(),
            meta.nlink(),
            meta.len(),
            meta.mtime(),
            meta.mtime_nsec(),
            meta.ctime(),
            meta.ctime_nsec()
        );
        if meta.is_dir() {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            paths.extend(entries.map(|entry| entry.path()));
        } else if meta.is_file() {
            shown += &format!(" {:?}", std::fs::read(&path).ok());
        }
        found.insert(path, shown);
    }
    found
}

/// A port or path on which connections are accepted and closed.
struct Accepting {
    port: u16,
    watch: Watch,
}

impl Accepting {
    fn tcp() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        listener.set_nonblocking(true).expect("a socket");
        let port = listener.local_addr().expect("bound").port();
        Self { port, watch: Watch::begin(move || listener.accept().is_ok()) }
    }

    fn path(path: &Path) -> Self {
        let listener = UnixListener::bind(path).expect("a socket");
        listener.set_nonblocking(true).expect("a socket");
        Self { port: 0, watch: Watch::begin(move || listener.accept().is_ok()) }
    }
}

/// A port that nobody else takes, and to which a thread connects as soon as somebody listens there.
struct Knocking {
    port: u16,
    watch: Watch,
    /// Keeps the port.
    _socket: TcpSocket,
}

impl Knocking {
    fn new() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseport(true).expect("a port that can be shared");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
        let address = socket.local_addr().expect("bound");
        let watch = Watch::begin(move || TcpStream::connect(address).is_ok());
        Self { port: address.port(), watch, _socket: socket }
    }
}

/// A thread that tries something again and again.
struct Watch {
    is_over: Arc<AtomicBool>,
    succeeded: JoinHandle<bool>,
}

impl Watch {
    fn begin(succeeds: impl Fn() -> bool + Send + 'static) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let succeeded = std::thread::spawn({
            let is_over = Arc::clone(&is_over);
            move || {
                let mut succeeded = false;
                loop {
                    // Read before, so that nothing that came before the end is missed.
                    let is_last = is_over.load(Ordering::SeqCst);
                    while succeeds() {
                        succeeded = true;
                    }
                    if is_last {
                        return succeeded;
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        });
        Self { is_over, succeeded }
    }

    /// Whether it succeeded.
    fn end(self) -> bool {
        self.is_over.store(true, Ordering::SeqCst);
        self.succeeded.join().expect("a thread")
    }
}

/// A process in a group of its own, which does nothing.
struct Process {
    child: Child,
    before: String,
}

impl Process {
    fn new() -> Self {
        let child = Command::new("sleep").arg("600").process_group(0).spawn().expect("sleep");
        let before = shown(child.id());
        Self { child, before }
    }

    fn is_changed(&self) -> bool {
        shown(self.child.id()) != self.before
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What of a process another one can change.
fn shown(process: u32) -> String {
    let read =
        |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).unwrap_or_default();
    let stat = read("stat");
    // After the name of the program, in parentheses.
    let fields: Vec<_> = stat.rsplit_once(')').map_or("", |it| it.1).split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied().unwrap_or_default();
    let has_ended = matches!(field(3), "Z" | "X" | "");
    let (nice, policy) = (field(19), field(41));
    let status = read("status");
    let cpus = status.lines().find(|line| line.starts_with("Cpus_allowed:")).unwrap_or_default();
    format!("{has_ended} {nice} {policy} {cpus} {} {}", read("oom_score_adj"), read("limits"))
}
