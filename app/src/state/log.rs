//! The output of the agents: read from the host when it is shown, and updated by the host's events.

use std::collections::BTreeMap;

use api::{ApiError, LogLine};
use leptos::prelude::*;
use leptos::task::spawn_local;
use session::AgentId;

use api::host::read_agent_log;

/// The number of lines that the page keeps for each agent.
const KEPT: usize = 2_000;

/// How much later than it was written a line may reach the host under load, in milliseconds.
const DELAY_MS: i64 = 1_000;

/// Whether the agent wrote this line between two times and it is a warning of Python's `logging` or
/// `warnings`.
fn is_warning(line: &LogLine, from_ms: i64, to_ms: i64) -> bool {
    !line.by_host
        && (from_ms..=to_ms).contains(&line.at_ms)
        && (line.text.contains("WARNING") || line.text.contains("Warning: "))
}

/// The log of each agent.
#[derive(Clone, Copy)]
pub struct Logs {
    lines: RwSignal<BTreeMap<AgentId, Vec<LogLine>>>,
    /// Why the last log could not be read.
    pub fault: RwSignal<Option<ApiError>>,
}

/// No logs yet.
#[must_use]
pub fn use_logs() -> Logs {
    Logs { lines: RwSignal::new(BTreeMap::new()), fault: RwSignal::new(None) }
}

/// Merges `news` into `lines` by number, without duplicates, and drops the oldest beyond [`KEPT`].
fn merge(lines: &mut Vec<LogLine>, news: Vec<LogLine>) {
    let in_order = match (lines.last(), news.first()) {
        (Some(last), Some(first)) => first.number > last.number,
        _ => true,
    };
    lines.extend(news);
    if !in_order {
        lines.sort_by_key(|line| line.number);
        lines.dedup_by_key(|line| line.number);
    }
    let surplus = lines.len().saturating_sub(KEPT);
    lines.drain(..surplus);
}

impl Logs {
    /// The lines of `agent`, oldest first. Tracked.
    #[must_use]
    pub fn of(self, agent: &AgentId) -> Vec<LogLine> {
        self.lines.with(|lines| lines.get(agent).cloned().unwrap_or_default())
    }

    /// The number of lines of `agent`. Tracked.
    #[must_use]
    pub fn count(self, agent: &AgentId) -> usize {
        self.lines.with(|lines| lines.get(agent).map_or(0, Vec::len))
    }

    /// The warnings that `agent` logged between two times, in milliseconds since 1970. Tracked.
    #[must_use]
    pub fn warnings(self, agent: &AgentId, from_ms: i64, to_ms: i64) -> Vec<String> {
        self.lines.with(|lines| {
            let lines = lines.get(agent).into_iter().flatten();
            lines
                .filter(|line| is_warning(line, from_ms, to_ms.saturating_add(DELAY_MS)))
                .map(|line| line.text.clone())
                .collect()
        })
    }

    /// Reads the earlier lines from the host. For effects.
    pub fn read(self, agent: AgentId) {
        spawn_local(async move {
            match read_agent_log(agent.clone()).await {
                Ok(lines) => {
                    self.fault.set(None);
                    self.take_in(&agent, lines);
                }
                Err(error) => self.fault.set(Some(error)),
            }
        });
    }

    /// Adds new lines.
    pub fn take_in(self, agent: &AgentId, news: Vec<LogLine>) {
        self.lines.update(|lines| merge(lines.entry(agent.clone()).or_default(), news));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(numbers: impl IntoIterator<Item = u64>) -> Vec<LogLine> {
        numbers
            .into_iter()
            .map(|number| LogLine {
                number,
                at_ms: 0,
                text: format!("line {number}"),
                by_host: false,
            })
            .collect()
    }

    #[test]
    fn lines_are_kept_once_and_in_order() {
        let mut seen = lines([3, 4]);
        merge(&mut seen, lines([0, 1, 2, 3, 4]));
        merge(&mut seen, lines([5]));
        assert_eq!(seen, lines(0..6));
    }

    #[test]
    fn warnings_belong_to_the_time_of_a_call() {
        let line = |at_ms, text: &str, by_host| {
            let text = text.to_owned();
            is_warning(&LogLine { number: 0, at_ms, text, by_host }, 100, 200)
        };
        assert!(line(100, "2026-01-01 WARNING google_adk: no such state", false));
        assert!(line(200, "agent.py:3: UserWarning: deprecated", false));
        assert!(!line(150, "INFO google_adk: fine", false));
        assert!(!line(201, "WARNING later", false) && !line(99, "WARNING earlier", false));
        assert!(!line(150, "WARNING of the host", true));
    }

    #[test]
    fn the_oldest_lines_are_dropped_first() {
        let mut seen = Vec::new();
        merge(&mut seen, lines(0..2_500));
        assert_eq!((seen.len(), seen[0].number), (KEPT, 500));
    }
}
