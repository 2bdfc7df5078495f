//! Benchmarks of the host: `cargo xtask bench`, or `cargo bench -p acceptance` with
//! `REHEARSAL_TEST_BINARY` and `REHEARSAL_TEST_PYTHON` set.
//!
//! Each figure is printed with its bound or its reference, measured in the same run: on a shared machine
//! the ratio is more meaningful than the number.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench prints, and may fail"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use acceptance::{Host, binary, python, run_python, workspace};
use serde_json::json;
use test_support::{Page, arguments};

/// Whether a figure is beyond its bound: the bench then fails.
static MISSED: AtomicBool = AtomicBool::new(false);

const CALLS: usize = 300;
const STARTS: usize = 15;
const CANCELS: usize = 5;

fn main() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    start_to_first_byte(&binary);
    runtime.block_on(idle_and_native_calls(&binary));
    runtime.block_on(python_calls(&binary, &python));
    runtime.block_on(first_page(&binary));
    if MISSED.load(Ordering::Relaxed) {
        eprintln!("a bound is missed");
        std::process::exit(1);
    }
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn report(what: &str, figure: f64, unit: &str, bound: f64) {
    let ratio = figure / bound;
    if ratio > 1.0 {
        MISSED.store(true, Ordering::Relaxed);
    }
    println!("{what:<44} {figure:>9.2} {unit:<4} bound {bound:>7.1}  ratio {ratio:.2}");
}

fn start_to_first_byte(binary: &Path) {
    let samples = (0..STARTS).map(|_| {
        let folder = tempfile::tempdir().unwrap();
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        // Only an agent in Rust: no worker is started.
        std::fs::write(folder.path().join("rehearsal.toml"), NATIVE_ONLY).unwrap();
        let began = Instant::now();
        let mut child = Command::new(binary)
            .args(["serve", "--listen", &free.to_string()])
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stream = loop {
            match TcpStream::connect(free) {
                Ok(stream) => break stream,
                Err(_) => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        write!(stream, "GET / HTTP/1.1\r\nHost: {free}\r\nConnection: close\r\n\r\n").unwrap();
        stream.read_exact(&mut [0]).unwrap();
        let took = began.elapsed().as_secs_f64() * 1_000.0;
        child.kill().unwrap();
        child.wait().unwrap();
        took
    });
    report("start to first byte, median", median(samples.collect()), "ms", 150.0);
}

const NATIVE_ONLY: &str = r#"
[[agent]]
name = "Math Agent"
source = "native"
example = "math"
"#;

async fn idle_and_native_calls(binary: &Path) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rehearsal.toml"), NATIVE_ONLY).unwrap();
    let host = Host::start_in(folder, binary, None, &[], &[]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    report("idle memory without a worker", resident_mb(host.pid()), "MB", 40.0);
    let mut page = Page::rehearse(host.address(), "math-agent", "How quick are you?").await;
    let pair = arguments(&json!({ "a": 5, "b": 3 }));
    let mut samples = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let began = Instant::now();
        page.call("add", &pair).await;
        samples.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    // Over the wire and back, so an upper bound of the host's own time.
    report("trivial native tool, page to page, median", median(samples), "ms", 1.0);
    report("memory after 300 calls", resident_mb(host.pid()), "MB", 40.0);
}

fn resident_mb(pid: u32) -> f64 {
    let status = std::fs::File::open(format!("/proc/{pid}/status")).unwrap();
    let lines = BufReader::new(status).lines().map_while(Result::ok);
    let line = lines.into_iter().find(|line| line.starts_with("VmRSS")).unwrap();
    let kilobytes: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes / 1024.0
}

/// Calls the tool as ADK's own code would, in one process, and prints the median in milliseconds.
const IN_PROCESS: &str = "
import asyncio, importlib.util, statistics, sys, time
sys.path.insert(0, sys.argv[1])
from smart_home import agent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.run_config import RunConfig
from google.adk.sessions import InMemorySessionService
from google.adk.tools import ToolContext
async def main():
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name='a', user_id='u')
    tools = await agent.root_agent.canonical_tools(None)
    tool = next(tool for tool in tools if tool.name == 'list_rooms')
    context = InvocationContext(session_service=sessions, invocation_id='i',
        agent=agent.root_agent, session=session, run_config=RunConfig())
    samples = []
    for number in range(int(sys.argv[2])):
        began = time.perf_counter()
        await tool.run_async(args={}, tool_context=ToolContext(context, function_call_id=str(number)))
        samples.append((time.perf_counter() - began) * 1000)
    print(statistics.median(samples))
asyncio.run(main())
";

async fn python_calls(binary: &Path, python: &Path) {
    let examples = workspace().join("examples/smart_home");
    let folder = examples.join("smart_home").display().to_string();
    let host = Host::start(binary, Some(python), &[&folder]);
    let mut page = Page::rehearse(host.address(), "smart_home", "How quick are you?").await;
    let none = arguments(&json!({}));
    let mut samples = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let began = Instant::now();
        page.call("list_rooms", &none).await;
        samples.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    let mut cancels = Vec::with_capacity(CANCELS);
    for _ in 0..CANCELS {
        let blocking = arguments(&json!({ "seconds": 20 }));
        let call = page.start("calibrate_heating", &blocking).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        let began = Instant::now();
        page.cancel(&call).await;
        cancels.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    report("cancel of a blocking Python tool, median", median(cancels), "ms", 1_000.0);
    let calls = CALLS.to_string();
    let peer = run_python(python, IN_PROCESS, &[&examples.display().to_string(), &calls]);
    let peer: f64 = peer.parse().unwrap();
    let through = median(samples);
    println!("{:<44} {peer:>9.2} ms", "trivial Python tool, run_async in process");
    println!("{:<44} {through:>9.2} ms", "trivial Python tool, page to page, median");
    report("  over run_async in process", through - peer, "ms", 2.0);
}

async fn first_page(binary: &Path) {
    let host = Host::start(binary, None, &[]);
    let client = test_support::http_client();
    let mut bytes = 0;
    for path in [
        "/",
        "/theme.js",
        "/typed-ahead.js",
        "/pkg/rehearsal.js",
        "/pkg/__wasm_split.js",
        "/pkg/rehearsal_bg.wasm",
        "/pkg/rehearsal.css",
        "/favicon.svg",
    ] {
        let url = format!("http://{}{path}", host.address());
        // As a browser requests; this client decompresses nothing.
        let request = client.get(url).header("accept-encoding", "gzip, br");
        let body = request.send().await.unwrap().error_for_status().unwrap().bytes().await.unwrap();
        println!("  {path:<42} {:>9.1} KB", body.len() as f64 / 1000.0);
        bytes += body.len();
    }
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    report("first page transferred compressed", bytes as f64 / 1000.0, "KB", 350.0);
}
