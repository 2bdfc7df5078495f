//! [`Worker`]: one worker process and the conversation with it.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use json_text::JsonText;
use serde::Serialize;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot, watch};

use super::messages::{Answer, MAX_LINE_BYTES, Request, Response, RpcError};
use crate::AgentLog;
use crate::child;
use crate::lines::next_line;

/// Starts the worker from the folder given as argument, which does not stay on Python's path.
const BOOTSTRAP: &str = "import sys; sys.path.append(sys.argv.pop()); \
     from rehearsal_adk.worker import main; sys.path.pop(); main()";
/// How much of a line on standard error is read.
const MAX_LOG_LINE_BYTES: usize = 64 * 1024;
/// How long the pipes of a worker that has ended may take to run dry.
const DRY: Duration = Duration::from_millis(300);

/// One worker process. It is killed, with all that it started, when this is dropped.
pub(super) struct Worker {
    requests: mpsc::UnboundedSender<Vec<u8>>,
    replies: Arc<Replies>,
    next_id: AtomicU64,
    /// Calls that somebody waits for.
    under_way: watch::Sender<usize>,
    ended: watch::Receiver<Option<Exit>>,
    end: child::End,
}

/// How a worker ended.
#[derive(Debug, Clone)]
pub(super) struct Exit {
    /// Who, such as `smart_home (process 4711)`.
    worker: String,
    status: String,
    last_line: Option<String>,
}

/// Why a request got no result.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum RequestError {
    /// The worker refused it.
    #[error("{}", .0.message)]
    Refused(RpcError),
    /// The worker ended.
    #[error("{0}")]
    Exited(Exit),
    /// The answer was too long to read.
    #[error("the response is longer than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// The answer is not what the protocol says.
    #[error("the worker's response cannot be read: {0}")]
    Unreadable(String),
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "The worker of {} ended with {}.", self.worker, self.status)?;
        match &self.last_line {
            // The line may be anything, and sentences follow.
            Some(line) => write!(f, " The last it wrote: \u{201c}{line}\u{201d}."),
            None => Ok(()),
        }
    }
}

type Reply = Result<Answer, RequestError>;

#[derive(Default)]
struct Replies {
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    by_id: HashMap<u64, oneshot::Sender<Reply>>,
    exit: Option<Exit>,
}

/// Counts a call for as long as somebody waits for it.
pub(super) struct RunningCall<'a>(&'a Worker);

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        self.0.under_way.send_modify(|count| *count -= 1);
    }
}

impl Worker {
    /// Starts a process. What it writes to standard error goes to `log`.
    ///
    /// # Errors
    /// The operating system's, when the interpreter cannot be started.
    pub(super) fn start(
        python: &Path,
        package: &Path,
        folder: &Path,
        log: Arc<AgentLog>,
    ) -> std::io::Result<Self> {
        let mut command = Command::new(python);
        command
            .args(["-c", BOOTSTRAP])
            .arg(package)
            .env("PYTHONSAFEPATH", "1")
            .env("PYTHONUNBUFFERED", "1")
            .env("PYTHONIOENCODING", "utf-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Where people run `adk web`: beside the agent's folder.
        if let Some(parent) = folder.parent().filter(|parent| parent.is_dir()) {
            command.current_dir(parent);
        }
        let mut family = child::start(&mut command)?;
        let child = family.child();
        let missing = || std::io::Error::other("a pipe to the worker is missing");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let errors = child.stderr.take().ok_or_else(missing)?;

        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        let worker = match child.id() {
            Some(id) => format!("{name} (process {id})"),
            None => name.into_owned(),
        };
        let replies = Arc::new(Replies::default());
        let (requests, queued) = mpsc::unbounded_channel();
        let (report, ended) = watch::channel(None);
        let end = family.end();
        tokio::spawn(write_requests(input, queued));
        let reading = tokio::spawn(read_replies(output, Arc::clone(&replies)));
        let logging = tokio::spawn(read_log(errors, Arc::clone(&log)));
        tokio::spawn({
            let replies = Arc::clone(&replies);
            async move {
                let status = family.outlive().await;
                // Answers sent before the end still count.
                let _ = tokio::time::timeout(DRY, reading).await;
                let last_line = tokio::time::timeout(DRY, logging).await.ok();
                let exit =
                    Exit { worker, status, last_line: last_line.and_then(Result::ok).flatten() };
                log.mark(&format!("The worker of {} ended with {}.", exit.worker, exit.status));
                replies.end(&exit);
                report.send_replace(Some(exit));
            }
        });
        Ok(Self {
            requests,
            replies,
            next_id: AtomicU64::new(1),
            under_way: watch::channel(0).0,
            ended,
            end,
        })
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// The worker's refusal, or its end.
    pub(super) async fn request<P: Serialize + ?Sized>(&self, method: &str, params: &P) -> Reply {
        self.send(method, params)?.await.unwrap_or_else(|_| {
            Err(RequestError::Unreadable("it was lost while the host stops".to_owned()))
        })
    }

    /// Asks; the answer comes through the channel.
    pub(super) fn send<P: Serialize + ?Sized>(
        &self,
        method: &str,
        params: &P,
    ) -> Result<oneshot::Receiver<Reply>, RequestError> {
        let unreadable = |error: serde_json::Error| RequestError::Unreadable(error.to_string());
        let params = JsonText::serialize(params).map_err(unreadable)?;
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let request = Request { jsonrpc: "2.0", id, method, params: &params };
        let mut line = serde_json::to_vec(&request).map_err(unreadable)?;
        line.push(b'\n');
        let (reply, answered) = oneshot::channel();
        {
            let mut waiting = self.replies.lock();
            if let Some(exit) = &waiting.exit {
                return Err(RequestError::Exited(exit.clone()));
            }
            waiting.by_id.insert(id, reply);
        }
        // When the writer is gone so is the worker, and its end answers this.
        let _ = self.requests.send(line);
        Ok(answered)
    }

    /// Counts a call as under way until the guard is dropped.
    pub(super) fn begin(&self) -> RunningCall<'_> {
        self.under_way.send_modify(|count| *count += 1);
        RunningCall(self)
    }

    /// Waits until nobody waits for a call any more.
    pub(super) async fn idle(&self) {
        // The sender lives in `self`: waiting cannot fail.
        let _ = self.under_way.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Whether the process has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }

    /// Ends the process: politely, then, after `patience`, with all that it started.
    pub(super) async fn stop(&self, patience: Duration) {
        self.end.coming().await;
        let asked = self.send("shutdown", &serde_json::Map::new());
        let mut ended = self.ended.clone();
        if asked.is_ok() {
            let _ = tokio::time::timeout(patience, ended.wait_for(Option::is_some)).await;
        }
        self.end.kill();
        let _ = tokio::time::timeout(Duration::from_secs(2), ended.wait_for(Option::is_some)).await;
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end.kill();
    }
}

impl Replies {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, id: u64, reply: Reply) {
        if let Some(waiting) = self.lock().by_id.remove(&id) {
            // Whoever asked may have stopped waiting.
            let _ = waiting.send(reply);
        }
    }

    fn end(&self, exit: &Exit) {
        let mut waiting = self.lock();
        waiting.exit = Some(exit.clone());
        for (_, reply) in waiting.by_id.drain() {
            let _ = reply.send(Err(RequestError::Exited(exit.clone())));
        }
    }
}

async fn write_requests(mut input: ChildStdin, mut queued: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = queued.recv().await {
        if input.write_all(&line).await.is_err() {
            return;
        }
    }
}

async fn read_replies(output: ChildStdout, replies: Arc<Replies>) {
    let mut output = BufReader::with_capacity(1 << 16, output);
    let mut line = Vec::new();
    while let Ok(Some(whole)) = next_line(&mut output, &mut line, MAX_LINE_BYTES).await {
        // An answer goes to who asked in the line that it came in.
        let line = std::mem::take(&mut line);
        match read_line(line, whole) {
            Line::Answer { id, reply } => replies.answer(id, reply),
            Line::Complaint(message) => tracing::warn!("a worker complains: {message}"),
            Line::Noise => {
                tracing::warn!("a tool wrote a line between its worker's answers; it is left out");
            }
        }
    }
}

/// What a worker's line is.
#[derive(Debug)]
enum Line {
    /// An answer, or what is left of one.
    Answer { id: u64, reply: Reply },
    /// A request could not be read.
    Complaint(String),
    /// None of the worker's: a tool found the descriptor of its answers and wrote there.
    Noise,
}

/// How each line of a worker begins. In a JSON text these quotes would be escaped, so that where it
/// stands a line begins, whatever a tool has put before it.
const HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":"#;

fn read_line(mut line: Vec<u8>, whole: bool) -> Line {
    if !line.starts_with(HEAD) {
        match line.windows(HEAD.len()).position(|part| part == HEAD) {
            Some(start) => drop(line.drain(..start)),
            None => return Line::Noise,
        }
    }
    let digits = line[HEAD.len()..].iter().take_while(|byte| byte.is_ascii_digit());
    let id = digits.map(|digit| char::from(*digit)).collect::<String>().parse::<u64>().ok();
    let read = match (whole, id) {
        (false, Some(id)) => return Line::Answer { id, reply: Err(RequestError::TooLong) },
        _ => serde_json::from_slice::<Response<'_>>(&line),
    };
    match (read, id) {
        (Ok(Response { id: Some(id), error: Some(error), .. }), _) => {
            Line::Answer { id, reply: Err(RequestError::Refused(error)) }
        }
        (Ok(Response { id: Some(id), result: Some(result), .. }), _) => {
            let start = result.get().as_ptr() as usize - line.as_ptr() as usize;
            let result = start..start + result.get().len();
            Line::Answer { id, reply: Ok(Answer::new(line, result)) }
        }
        (Ok(Response { id: Some(id), .. }), _) => {
            Line::Answer { id, reply: Ok(Answer::new(b"null".to_vec(), 0..4)) }
        }
        (Ok(Response { error, .. }), _) => {
            Line::Complaint(error.map_or_else(String::new, |error| error.message))
        }
        (Err(error), Some(id)) => {
            Line::Answer { id, reply: Err(RequestError::Unreadable(error.to_string())) }
        }
        (Err(_), None) => Line::Noise,
    }
}

/// Puts every line into the log; gives the last one that says something.
async fn read_log(errors: ChildStderr, log: Arc<AgentLog>) -> Option<String> {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    let mut last = None;
    while let Ok(Some(_)) = next_line(&mut errors, &mut line, MAX_LOG_LINE_BYTES).await {
        let text = String::from_utf8_lossy(&line);
        log.push(&text);
        if !text.trim().is_empty() {
            last = Some(text.trim().chars().take(500).collect());
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str, whole: bool) -> String {
        match read_line(line.as_bytes().to_vec(), whole) {
            Line::Answer { id, reply: Ok(answer) } => {
                format!("{id}: {}", answer.decode::<JsonText>().expect("JSON").as_str())
            }
            Line::Answer { id, reply: Err(error) } => format!("{id} failed: {error}"),
            Line::Complaint(message) => format!("complaint: {message}"),
            Line::Noise => "noise".to_owned(),
        }
    }

    #[test]
    fn what_a_tool_writes_among_the_answers_costs_no_other_call_its_answer() {
        let answer = r#"{"jsonrpc":"2.0","id":12,"result":{"a": 1.50}}"#;
        assert_eq!(told(answer, true), r#"12: {"a": 1.50}"#);
        assert_eq!(told(&format!("hello{answer}"), true), r#"12: {"a": 1.50}"#);
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":12}"#, true), "12: null");
        for broken in [
            r#"{"jsonrpc":"2.0","id":12,"result":{"a":hello 1}}"#,
            r#"x{"jsonrpc":"2.0","id":12,"res"#,
            "{\"jsonrpc\":\"2.0\",\"id\":12,\"result\":\"\u{1}\"}",
        ] {
            assert!(
                told(broken, true).starts_with("12 failed: the worker's response cannot be read")
            );
        }
        assert!(told(answer, false).starts_with("12 failed: the response is longer than"));
        for noise in ["", "hello", "{}", r#"{"jsonrpc":"2.0","id":hello12}"#, r#""result":1}"#] {
            assert_eq!(told(noise, true), "noise", "{noise}");
        }
    }

    #[test]
    fn refusals_and_complaints_are_told_apart() {
        let error = r#""error":{"code":-32000,"message":"no","data":null}}"#;
        assert_eq!(told(&format!(r#"{{"jsonrpc":"2.0","id":3,{error}"#), true), "3 failed: no");
        assert_eq!(told(&format!(r#"{{"jsonrpc":"2.0","id":null,{error}"#), true), "complaint: no");
    }
}
