//! Benchmarks of live sessions: `cargo xtask bench -- live`, or `cargo bench -p acceptance --bench live`
//! with `REHEARSAL_TEST_BINARY` set.
//!
//! Agents, people and watchers are processes of their own: this program, started again with a role.
//! A request carries the moment at which it was sent, and the watcher reads the same clock, so that
//! times are taken where a person would see them.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints, and may fail")]

mod agents;
mod clients;
mod load;
mod long;

use std::io::{BufRead, BufReader, Lines};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use acceptance::{Host, binary};
use tokio::runtime::Runtime;

/// Agents that wait and are not answered.
const WAITING: usize = 5_000;
/// Requests per second in addition.
const RATE: u64 = 200;
const SECONDS: u64 = 30;
/// Events of the long session.
const EVENTS: u64 = 100_000;

const NATIVE_ONLY: &str = "[[agent]]\nname = \"Maths\"\nsource = \"native\"\nexample = \"math\"\n";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = Runtime::new().unwrap();
    match words[..] {
        ["agents", address] => runtime.block_on(agents::wait(at(address), WAITING)),
        ["watcher", address, ref sessions @ ..] => {
            runtime.block_on(load::watch_and_answer(at(address), sessions));
        }
        ["load", address, ref sessions @ ..] => {
            runtime.block_on(load::ask(at(address), sessions, RATE, SECONDS));
        }
        ["writer", address] => runtime.block_on(long::write(at(address), EVENTS)),
        ["opener", address, session] => runtime.block_on(long::open(at(address), session)),
        // Other arguments of `cargo bench` are for benches with filters.
        _ => {
            let Some(binary) = binary() else { return };
            let kept = [many_wait(&binary, &runtime), a_long_session_opens(&binary)];
            if kept.contains(&false) {
                std::process::exit(1);
            }
        }
    }
}

fn at(address: &str) -> SocketAddr {
    address.parse().unwrap()
}

/// Five thousand agents wait while others ask and are answered. Returns whether the bounds were met.
fn many_wait(binary: &Path, runtime: &Runtime) -> bool {
    let host = serving(binary);
    let sessions = runtime.block_on(load::new_sessions(host.address()));
    let before = resident_kb(host.pid());
    let mut agents = Role::start(&host, "agents", &[]);
    println!("{}", agents.line());
    let each = (resident_kb(host.pid()) - before) / WAITING as f64;
    println!("{:<52} {each:>9.1} KB", "memory of the host for each waiting agent");
    let mut watcher = Role::start(&host, "watcher", &sessions);
    assert_eq!(watcher.line(), "watching");
    let asked = Role::start(&host, "load", &sessions).figures();
    let seen = watcher.figures();
    println!("{} requests at {RATE} a second, each answered, beside the waiting", seen[0]);
    let median = report("request sent to visible at a watcher, median", seen[1], "ms", 5.0);
    let rare = report("the same, 99th percentile", seen[2], "ms", 50.0);
    println!("{:<52} {:>9.2} ms", "the same, longest", seen[3]);
    println!("{:<52} {:>9.2} ms", "request sent to answer at the agent, median", asked[1]);
    println!("{:<52} {:>9.2} ms", "the same, 99th percentile", asked[2]);
    let memory = resident_kb(host.pid()) / 1024.0;
    println!("{:<52} {memory:>9.1} MB", "memory of the host afterwards");
    median && rare
}

/// A session of many events, opened as a page would: all of it, to the mark at its end.
/// Returns whether the bound was met.
fn a_long_session_opens(binary: &Path) -> bool {
    let host = serving(binary);
    let wrote = Role::start(&host, "writer", &[]).line();
    let (session, figures) = wrote.split_once(' ').unwrap();
    println!("{figures}");
    let session = [session.to_owned()];
    let mut opened: Vec<f64> =
        (0..5).map(|_| Role::start(&host, "opener", &session).figures()[0]).collect();
    println!("{:<52} {:>9.0} ms", format!("{EVENTS} events opened, first time"), opened[0]);
    opened.sort_by(f64::total_cmp);
    report("the same, median of 5", opened[2], "ms", 1_000.0)
}

fn serving(binary: &Path) -> Host {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rehearsal.toml"), NATIVE_ONLY).unwrap();
    Host::start_in(folder, binary, None, &[], &[])
}

/// Returns whether the bound was met.
fn report(what: &str, figure: f64, unit: &str, bound: f64) -> bool {
    let ratio = figure / bound;
    let missed = if ratio > 1.0 { "  MISSED" } else { "" };
    println!("{what:<52} {figure:>9.2} {unit:<4} bound {bound:>7.1}  ratio {ratio:.2}{missed}");
    ratio <= 1.0
}

fn resident_kb(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// This program once more, as a client of the host.
struct Role {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Role {
    fn start(host: &Host, role: &str, sessions: &[String]) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([role, &host.address().to_string()])
            .args(sessions)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().expect("the client says more").unwrap()
    }

    fn figures(&mut self) -> Vec<f64> {
        self.line().split(' ').map(|figure| figure.parse().unwrap()).collect()
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
