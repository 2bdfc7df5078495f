//! [`AgentLog`]: the last lines that an agent printed.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use api::LogLine;
use tokio::io::{AsyncRead, BufReader};
use tokio::sync::broadcast;

use crate::lines::next_line;

/// Lines kept for each agent.
const KEPT_LINES: usize = 2_000;
/// Lines that explain a fault.
const LAST_LINES: usize = 40;
/// Bytes of one line that are kept.
const KEPT_BYTES: usize = 16 * 1024;

/// The log of one agent: a ring of its last lines.
#[derive(Debug)]
pub struct AgentLog {
    lines: Mutex<Ring>,
    listeners: broadcast::Sender<LogLine>,
}

#[derive(Debug, Default)]
struct Ring {
    lines: VecDeque<LogLine>,
    next: u64,
}

impl Default for AgentLog {
    fn default() -> Self {
        Self { lines: Mutex::default(), listeners: broadcast::channel(256).0 }
    }
}

impl AgentLog {
    /// Adds a line of the agent. A very long one is cut.
    pub fn push(&self, text: &str) {
        self.add(text, false);
    }

    /// Adds every line of a pipe, until its end. Bytes that are not UTF-8 are replaced.
    pub async fn follow(&self, pipe: impl AsyncRead + Unpin) {
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        while let Ok(Some(_)) = next_line(&mut pipe, &mut line, KEPT_BYTES).await {
            self.push(&String::from_utf8_lossy(&line));
        }
    }

    /// Adds a line of the host, such as that a worker has ended.
    pub fn mark(&self, text: &str) {
        self.add(text, true);
    }

    fn add(&self, text: &str, by_host: bool) {
        let mut end = text.len().min(KEPT_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let cut = if end < text.len() { " … (cut)" } else { "" };
        let mut ring = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let line = LogLine {
            number: ring.next,
            at_ms: jiff::Timestamp::now().as_millisecond(),
            text: format!("{}{cut}", text[..end].trim_end_matches(['\n', '\r'])),
            by_host,
        };
        ring.next += 1;
        if ring.lines.len() == KEPT_LINES {
            ring.lines.pop_front();
        }
        ring.lines.push_back(line.clone());
        drop(ring);
        // There may be no listener.
        let _ = self.listeners.send(line);
    }

    /// The lines kept, oldest first.
    #[must_use]
    pub fn lines(&self) -> Vec<LogLine> {
        let ring = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        ring.lines.iter().cloned().collect()
    }

    /// The number of the next line.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).next
    }

    /// The last lines of the agent from number `from` on, without the host's; `None` if there are none.
    #[must_use]
    pub fn last_lines(&self, from: u64) -> Option<String> {
        let ring = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = ring.lines.iter().filter(|line| line.number >= from && !line.by_host);
        let lines: Vec<&str> = lines.map(|line| line.text.as_str()).collect();
        let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
        (!last.is_empty()).then(|| last.join("\n"))
    }

    /// Every line from now on.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<LogLine> {
        self.listeners.subscribe()
    }
}
