//! The report for a terminal: what did not pass as it comes, and a table at the end.

use std::io::{self, Write};

use scoring::report::{CaseVerdict, figure};

use crate::details;
use crate::escape::plain;
use crate::scored::ScoredCase;
use crate::total::Total;

/// The lines of a case; empty when it passed and there is nothing to note.
pub(crate) fn case(case: &ScoredCase) -> String {
    let result = &case.result;
    let notes = result.eval_run.as_ref().map_or(&[][..], |run| &run.notes);
    if result.verdict() == CaseVerdict::Passed && notes.is_empty() {
        return String::new();
    }
    let mut lines = format!("{:<9} {}\n", result.verdict().word(), plain(&result.label()));
    for line in case.ended_by().iter().flat_map(|reason| reason.lines()) {
        lines.push_str(&format!("          {}\n", plain(line)));
    }
    for failed in case.failed_criteria() {
        lines.push_str(&format!("          {}\n", plain(&failed.line())));
    }
    for note in notes {
        lines.push_str(&format!("          note: {}\n", plain(note)));
    }
    lines
}

#[derive(Debug, Default)]
pub(crate) struct Text {
    /// The lines of the cases so far, if something comes before them.
    held: Option<String>,
}

impl Text {
    /// Holds the lines of the cases back until the changes since a baseline are known, which come first.
    pub(crate) fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    pub(crate) fn take(&mut self, lines: &str, out: &mut impl Write) -> io::Result<()> {
        match &mut self.held {
            Some(held) => {
                held.push_str(lines);
                Ok(())
            }
            None => out.write_all(lines.as_bytes()),
        }
    }

    pub(crate) fn finish(self, total: &Total<'_>, out: &mut impl Write) -> io::Result<()> {
        if let Some(held) = self.held {
            writeln!(out, "{}", details::changes_text(total))?;
            out.write_all(held.as_bytes())?;
        }
        let stats = &total.summary.criterion_stats;
        let widest = stats.keys().map(|name| plain(name).chars().count()).max().unwrap_or(0).max(9);
        if total.summary.total_cases > total.summary.passed_cases {
            writeln!(out)?;
        }
        writeln!(
            out,
            "{:<widest$}  passed  failed  unscored    mean  of cases     min     max",
            "criterion"
        )?;
        let figure = |score: Option<f64>| score.map_or_else(|| "–".to_owned(), figure);
        for (name, one) in stats {
            writeln!(
                out,
                "{:<widest$}  {:>6}  {:>6}  {:>8}  {:>6}  {:>8}  {:>6}  {:>6}",
                plain(name),
                one.passed,
                one.failed,
                one.unscored,
                figure(one.avg_score),
                one.avg_score_cases,
                figure(one.min_score),
                figure(one.max_score)
            )?;
        }
        let details = details::text_without_changes(total);
        if !details.is_empty() {
            write!(out, "\n{details}")?;
        }
        writeln!(out, "\n{}.", total.counts())
    }
}
