//! [`LineProcess`]: a child process that gets lines and answers with lines.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::Stdio;
use std::sync::Arc;

use agents::AgentLog;
use agents::child::ProcessTree;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Interest, Lines};
use tokio::net::UnixStream;
use tokio::process::{ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A line to a process, without its end.
pub(crate) struct Request {
    line: String,
    /// The end of a connection that the process gets with it.
    connection: Option<OwnedFd>,
}

impl Request {
    /// A line with the end of a connection.
    pub(crate) fn with_connection(line: String, connection: impl Into<OwnedFd>) -> Self {
        Self { line, connection: Some(connection.into()) }
    }
}

impl From<String> for Request {
    fn from(line: String) -> Self {
        Self { line, connection: None }
    }
}

/// A child process and its pipes.
pub(crate) struct LineProcess {
    /// Lines to the process, which come to its standard input.
    pub(crate) requests: mpsc::UnboundedSender<Request>,
    /// Lines from the process.
    pub(crate) answers: Lines<BufReader<ChildStdout>>,
    /// What it prints on standard error.
    pub(crate) log: Arc<AgentLog>,
    /// Ends when nobody can print there any more, and all of it is in the log.
    pub(crate) logged: JoinHandle<()>,
    /// The process.
    pub(crate) tree: ProcessTree,
}

impl LineProcess {
    /// Starts `command` with `spawn`.
    ///
    /// # Errors
    /// The system's, if the process does not start.
    pub(crate) fn start(
        command: &mut Command,
        spawn: impl FnOnce(&mut Command) -> io::Result<ProcessTree>,
    ) -> io::Result<Self> {
        // A socket and not a pipe, because only a socket takes connections along.
        let (input, theirs) = std::os::unix::net::UnixStream::pair()?;
        input.set_nonblocking(true)?;
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut tree = spawn(command)?;
        // The command holds the process's end of the socket.
        command.stdin(Stdio::null());
        let process = tree.child();
        let missing = || io::Error::other("a pipe is missing");
        let output = process.stdout.take().ok_or_else(missing)?;
        let errors = process.stderr.take().ok_or_else(missing)?;
        let log = Arc::new(AgentLog::default());
        let (requests, queued) = mpsc::unbounded_channel();
        tokio::spawn(write(UnixStream::from_std(input)?, queued));
        let logged = tokio::spawn({
            let log = Arc::clone(&log);
            async move { log.follow(errors).await }
        });
        Ok(Self { requests, answers: BufReader::new(output).lines(), log, logged, tree })
    }
}

async fn write(mut input: UnixStream, mut queued: mpsc::UnboundedReceiver<Request>) {
    while let Some(Request { mut line, connection }) = queued.recv().await {
        line.push('\n');
        let line = line.as_bytes();
        let sent = match &connection {
            None => 0,
            Some(connection) => {
                let send = || send(&input, line, connection);
                match input.async_io(Interest::WRITABLE, send).await {
                    Ok(sent) => sent,
                    Err(_) => return,
                }
            }
        };
        if input.write_all(line.get(sent..).unwrap_or_default()).await.is_err() {
            return;
        }
    }
}

/// Sends the beginning of a line with a connection. Returns how many bytes were sent.
fn send(input: &UnixStream, line: &[u8], connection: &OwnedFd) -> io::Result<usize> {
    let connections = [connection.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut along = SendAncillaryBuffer::new(&mut space);
    along.push(SendAncillaryMessage::ScmRights(&connections));
    Ok(sendmsg(input, &[IoSlice::new(line)], &mut along, SendFlags::empty())?)
}
