//! What the cases gave, as text.

use std::io::{self, Write};

use eval::EvalResult;
use eval::suite::Summary;

use super::explains;

/// One case: its verdict, and why it did not pass.
pub(super) fn case(result: &EvalResult, out: &mut dyn Write) -> io::Result<()> {
    let turns = match result.turns {
        1 => "1 turn".to_owned(),
        turns => format!("{turns} turns"),
    };
    let reason = match result.termination_reason {
        Some(reason) => format!(", ended by {reason}"),
        None => String::new(),
    };
    writeln!(
        out,
        "{:<11} {}  ({turns}, {:.1} s{reason})",
        result.status.label(),
        result.name,
        f64::from(u32::try_from(result.duration_ms).unwrap_or(u32::MAX)) / 1000.0
    )?;
    if let Some(error) = &result.error {
        for line in error.message.lines().chain(error.traceback.lines()) {
            writeln!(out, "    {line}")?;
        }
    }
    for (name, metric) in &result.metrics {
        let word = match metric.passed {
            Some(true) => continue,
            Some(false) => "failed",
            None => "unscored",
        };
        writeln!(out, "    {name} {word}: {}", metric.evidence.join("; "))?;
    }
    if explains(result.status) {
        writeln!(out)?;
    }
    out.flush()
}

/// How many cases ended in which way.
pub(super) fn summary(summary: &Summary, cases: usize, out: &mut dyn Write) -> io::Result<()> {
    let counts = [
        (summary.passed, "passed"),
        (summary.failed, "failed"),
        (summary.errors, "with an error"),
        (summary.terminated, "terminated"),
        (summary.unscored, "unscored"),
        (cases - summary.total, "not run"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let noun = if cases == 1 { "case" } else { "cases" };
    writeln!(out, "{cases} {noun}: {}", counts.join(", "))
}
