//! [`ServerLog`]: standard error and log lines of one server, and the lines that are not messages.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::BufReader;
use tokio::process::ChildStderr;

use crate::AgentLog;
use crate::lines::next_line;

/// How much of a line on standard error is read.
const MAX_LOG_LINE_BYTES: usize = 64 * 1024;
/// How many of the last lines are kept to explain an end.
const LAST_LINES: usize = 20;
/// How much of a line that is not a message is shown.
const SAMPLE_CHARACTERS: usize = 120;

/// What one server wrote besides messages.
#[derive(Clone)]
pub(super) struct ServerLog(Arc<Shared>);

struct Shared {
    server: String,
    log: Arc<AgentLog>,
    logged: Mutex<LoggedLines>,
}

#[derive(Default)]
struct LoggedLines {
    last: VecDeque<String>,
    invalid_line: Option<String>,
}

impl ServerLog {
    pub(super) fn new(server: &str, log: Arc<AgentLog>) -> Self {
        Self(Arc::new(Shared { server: server.to_owned(), log, logged: Mutex::default() }))
    }

    fn logged(&self) -> MutexGuard<'_, LoggedLines> {
        // Plain data: a panic elsewhere leaves it complete.
        self.0.logged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line to the agent's log, with the server's name.
    pub(super) fn log(&self, text: &str) {
        self.0.log.push(&format!("[{}] {text}", self.0.server));
    }

    /// The last lines of standard error, oldest first.
    pub(super) fn last_lines(&self) -> Option<String> {
        let logged = self.logged();
        let lines: Vec<&str> = logged.last.iter().map(String::as_str).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The first line of standard output that was not a message.
    pub(super) fn invalid_line(&self) -> Option<String> {
        self.logged().invalid_line.clone()
    }

    /// Reads standard error to its end.
    pub(super) async fn read_errors(self, errors: ChildStderr) {
        let mut errors = BufReader::new(errors);
        let mut line = Vec::new();
        while let Ok(Some(_)) = next_line(&mut errors, &mut line, MAX_LOG_LINE_BYTES).await {
            let text = String::from_utf8_lossy(&line).into_owned();
            self.log(&text);
            let mut logged = self.logged();
            if logged.last.len() == LAST_LINES {
                logged.last.pop_front();
            }
            logged.last.push_back(text);
        }
    }

    /// Logs a line of standard output that is not a message.
    pub(super) fn log_invalid_line(&self, line: &[u8]) {
        let text: String = String::from_utf8_lossy(line).chars().take(SAMPLE_CHARACTERS).collect();
        self.log(&format!("wrote a line that is not a message: {text}"));
        self.logged().invalid_line.get_or_insert(text);
    }
}
