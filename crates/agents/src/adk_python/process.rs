//! [`Worker`]: one worker process, and the requests to it.

use std::collections::HashMap;
use std::ops::Deref;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use json_text::JsonText;
use serde::Serialize;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};

use super::messages::{Answer, MAX_LINE_BYTES, Request, Response, RpcError};
use super::package;
use crate::AgentLog;
use crate::child;
use crate::lines::next_line;

/// How much of a line on standard error is read.
const MAX_LOG_LINE_BYTES: usize = 64 * 1024;
/// How long reading the pipes of a worker that has ended may take.
const PIPE_TIMEOUT: Duration = Duration::from_millis(300);

/// One worker process. Dropping this kills it and all processes that it started.
pub(super) struct Worker {
    requests: mpsc::UnboundedSender<Vec<u8>>,
    replies: Arc<Replies>,
    next_id: AtomicU64,
    /// The number of calls that callers wait for.
    under_way: watch::Sender<usize>,
    /// The number of sessions that it has.
    sessions: watch::Sender<usize>,
    /// Whether its sessions must move to another worker.
    is_drained: AtomicBool,
    ended: watch::Receiver<Option<Exit>>,
    killer: child::TreeKiller,
}

/// How a worker ended.
#[derive(Debug, Clone)]
pub(super) struct Exit {
    /// The worker's name, such as `smart_home (process 4711)`.
    worker: String,
    /// Such as `ended with exit status 3`.
    ending: String,
    last_line: Option<String>,
}

/// Why a request got no result.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum RequestError {
    /// The worker rejected it.
    #[error("{}", .0.message)]
    Refused(RpcError),
    /// The worker ended.
    #[error("{0}")]
    Exited(Exit),
    /// The answer was too long to read.
    #[error("the response is longer than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// The response does not follow the protocol.
    #[error("the worker's response cannot be read: {0}")]
    Unreadable(String),
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "The worker of {} {}.", self.worker, self.ending)?;
        match &self.last_line {
            // The line may be any text, and other sentences follow.
            Some(line) => write!(f, " Last output: \u{201c}{line}\u{201d}."),
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

/// Counts a call while a caller waits for it.
pub(super) struct RunningCall<'a>(&'a Worker);

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        self.0.under_way.send_modify(|count| *count -= 1);
    }
}

/// A session's worker, which counts the session until this is dropped.
pub(super) struct Hosting(Arc<Worker>);

impl Hosting {
    /// A session's place in `worker`.
    pub(super) fn at(worker: &Arc<Worker>) -> Self {
        worker.sessions.send_modify(|count| *count += 1);
        Self(Arc::clone(worker))
    }
}

impl Deref for Hosting {
    type Target = Arc<Worker>;

    fn deref(&self) -> &Arc<Worker> {
        &self.0
    }
}

impl Drop for Hosting {
    fn drop(&mut self) {
        self.0.sessions.send_modify(|count| *count -= 1);
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
        let mut command = package::program(python, "rehearsal_adk.worker", package, folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut tree = child::start(&mut command)?;
        let child = tree.child();
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
        let killer = tree.killer();
        tokio::spawn(write_requests(input, queued));
        let reading = tokio::spawn(read_replies(output, Arc::clone(&replies)));
        let logging = tokio::spawn(read_log(errors, Arc::clone(&log)));
        tokio::spawn({
            let replies = Arc::clone(&replies);
            async move {
                let ending = tree.wait().await;
                // Responses sent before the end still count.
                let _ = tokio::time::timeout(PIPE_TIMEOUT, reading).await;
                let last_line = tokio::time::timeout(PIPE_TIMEOUT, logging).await.ok();
                let exit =
                    Exit { worker, ending, last_line: last_line.and_then(Result::ok).flatten() };
                log.mark(&format!("The worker of {} {}.", exit.worker, exit.ending));
                replies.end(&exit);
                report.send_replace(Some(exit));
            }
        });
        Ok(Self {
            requests,
            replies,
            next_id: AtomicU64::new(1),
            under_way: watch::channel(0).0,
            sessions: watch::channel(0).0,
            is_drained: AtomicBool::new(false),
            ended,
            killer,
        })
    }

    /// Sends a request and waits for its response.
    ///
    /// # Errors
    /// The worker rejected the request, or ended.
    pub(super) async fn request<P: Serialize + ?Sized>(&self, method: &str, params: &P) -> Reply {
        self.send(method, params)?
            .await
            .unwrap_or_else(|_| Err(RequestError::Unreadable("the host is stopping".to_owned())))
    }

    /// Sends a request. The response comes through the channel.
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
        // If the writer has ended, so has the worker, and its end answers the request.
        let _ = self.requests.send(line);
        Ok(answered)
    }

    /// Counts a call as under way until the guard is dropped.
    pub(super) fn begin(&self) -> RunningCall<'_> {
        self.under_way.send_modify(|count| *count += 1);
        RunningCall(self)
    }

    /// Waits until nothing needs the worker: it has no sessions, or it is drained and has no calls.
    pub(super) async fn free(&self) {
        let count = if self.is_drained() { &self.under_way } else { &self.sessions };
        // The sender lives in `self`: waiting cannot fail.
        let _ = count.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Makes its sessions move to another worker. False if they had to before.
    pub(super) fn begin_draining(&self) -> bool {
        !self.is_drained.swap(true, Ordering::Relaxed)
    }

    /// Whether its sessions must move to another worker.
    pub(super) fn is_drained(&self) -> bool {
        self.is_drained.load(Ordering::Relaxed)
    }

    /// Whether its sessions can stay.
    pub(super) fn serves(&self) -> bool {
        !self.is_drained() && !self.has_ended()
    }

    /// Whether the process has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }

    /// Asks the process to end, and after `patience` kills it with all processes that it started.
    pub(super) async fn stop(&self, patience: Duration) {
        self.killer.note_escaped().await;
        let asked = self.send("shutdown", &serde_json::Map::new());
        let mut ended = self.ended.clone();
        if asked.is_ok() {
            let _ = tokio::time::timeout(patience, ended.wait_for(Option::is_some)).await;
        }
        self.killer.kill();
        let _ = tokio::time::timeout(Duration::from_secs(2), ended.wait_for(Option::is_some)).await;
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.killer.kill();
    }
}

impl Replies {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, id: u64, reply: Reply) {
        if let Some(waiting) = self.lock().by_id.remove(&id) {
            // The caller may have stopped waiting.
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
        // A response is passed on in its line, without a copy.
        let line = std::mem::take(&mut line);
        match read_line(line, whole) {
            Line::Answer { id, reply } => replies.answer(id, reply),
            Line::Error(message) => tracing::warn!("error from a worker: {message}"),
            Line::Noise => {
                tracing::warn!("a line in a worker's output is skipped: it is not a response");
            }
        }
    }
}

/// One line of a worker's output.
#[derive(Debug)]
enum Line {
    /// A response, or what is left of one.
    Answer { id: u64, reply: Reply },
    /// An error without a request, which could not be read.
    Error(String),
    /// Output of a tool, which found the file descriptor for responses and wrote to it.
    Noise,
}

/// How each line of a worker begins. Inside a JSON string these quotes would be escaped, so this text
/// marks the beginning even if a tool wrote something before it.
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
            Line::Error(error.map_or_else(String::new, |error| error.message))
        }
        (Err(error), Some(id)) => {
            Line::Answer { id, reply: Err(RequestError::Unreadable(error.to_string())) }
        }
        (Err(_), None) => Line::Noise,
    }
}

/// Writes every line to the log, and returns the last one that is not blank.
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

    fn read(line: &str, whole: bool) -> String {
        match read_line(line.as_bytes().to_vec(), whole) {
            Line::Answer { id, reply: Ok(answer) } => {
                format!("{id}: {}", answer.decode::<JsonText>().expect("JSON").as_str())
            }
            Line::Answer { id, reply: Err(error) } => format!("{id} failed: {error}"),
            Line::Error(message) => format!("error: {message}"),
            Line::Noise => "noise".to_owned(),
        }
    }

    #[test]
    fn keeps_responses_when_a_tool_writes_between_them() {
        let answer = r#"{"jsonrpc":"2.0","id":12,"result":{"a": 1.50}}"#;
        assert_eq!(read(answer, true), r#"12: {"a": 1.50}"#);
        assert_eq!(read(&format!("hello{answer}"), true), r#"12: {"a": 1.50}"#);
        assert_eq!(read(r#"{"jsonrpc":"2.0","id":12}"#, true), "12: null");
        for broken in [
            r#"{"jsonrpc":"2.0","id":12,"result":{"a":hello 1}}"#,
            r#"x{"jsonrpc":"2.0","id":12,"res"#,
            "{\"jsonrpc\":\"2.0\",\"id\":12,\"result\":\"\u{1}\"}",
        ] {
            assert!(
                read(broken, true).starts_with("12 failed: the worker's response cannot be read")
            );
        }
        assert!(read(answer, false).starts_with("12 failed: the response is longer than"));
        for noise in ["", "hello", "{}", r#"{"jsonrpc":"2.0","id":hello12}"#, r#""result":1}"#] {
            assert_eq!(read(noise, true), "noise", "{noise}");
        }
    }

    #[test]
    fn distinguishes_rejected_requests_from_errors_without_an_id() {
        let error = r#""error":{"code":-32000,"message":"no","data":null}}"#;
        assert_eq!(read(&format!(r#"{{"jsonrpc":"2.0","id":3,{error}"#), true), "3 failed: no");
        assert_eq!(read(&format!(r#"{{"jsonrpc":"2.0","id":null,{error}"#), true), "error: no");
    }
}
