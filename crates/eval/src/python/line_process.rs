//! [`LineProcess`]: a child process that gets lines and answers with lines.

use std::process::Stdio;
use std::sync::Arc;

use agents::AgentLog;
use agents::child::{self, ProcessTree};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A child process and its pipes.
pub(super) struct LineProcess {
    /// Lines to the process, without their ends.
    pub(super) requests: mpsc::UnboundedSender<String>,
    /// Lines from the process.
    pub(super) answers: Lines<BufReader<ChildStdout>>,
    /// What it prints on standard error.
    pub(super) log: Arc<AgentLog>,
    /// Ends when nobody can print there any more, and all of it is in the log.
    pub(super) logged: JoinHandle<()>,
    /// The process.
    pub(super) tree: ProcessTree,
}

impl LineProcess {
    /// Starts `command`.
    ///
    /// # Errors
    /// The system's, if the process does not start.
    pub(super) fn start(command: &mut Command) -> std::io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut tree = child::start(command)?;
        let process = tree.child();
        let missing = || std::io::Error::other("a pipe is missing");
        let input = process.stdin.take().ok_or_else(missing)?;
        let output = process.stdout.take().ok_or_else(missing)?;
        let errors = process.stderr.take().ok_or_else(missing)?;
        let log = Arc::new(AgentLog::default());
        let (requests, queued) = mpsc::unbounded_channel();
        tokio::spawn(write(input, queued));
        let logged = tokio::spawn({
            let log = Arc::clone(&log);
            async move { log.follow(errors).await }
        });
        Ok(Self { requests, answers: BufReader::new(output).lines(), log, logged, tree })
    }
}

async fn write(mut input: ChildStdin, mut queued: mpsc::UnboundedReceiver<String>) {
    while let Some(mut line) = queued.recv().await {
        line.push('\n');
        if input.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}
