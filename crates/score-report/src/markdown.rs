//! The report for a comment on a pull request: short, whatever the number of cases.

use std::io::{self, Write};

use scoring::report::{CaseVerdict, figure, short_figure};

use crate::escape::markdown;
use crate::report::Total;
use crate::scored::ScoredCase;
use crate::text::standing;

/// So many cases that did not pass are listed: a comment holds 65,536 characters.
const LISTED: usize = 50;

/// A cell longer than this, in characters, is cut.
const LONGEST: usize = 400;

/// The row of a case; empty when it passed.
pub(crate) fn case(case: &ScoredCase) -> String {
    let result = &case.result;
    let word = match result.verdict() {
        CaseVerdict::Passed => return String::new(),
        CaseVerdict::Error => "error",
        CaseVerdict::Failed => "failed",
        CaseVerdict::Unscored => "unscored",
    };
    let mut reasons: Vec<String> = result.error.iter().cloned().collect();
    // A cell is short: only what decided the verdict.
    let deciding = case.reasons().into_iter().filter(|(it, _)| it.passed == result.passed);
    reasons.extend(deciding.map(|(it, why)| format!("{} {}: {why}", it.criterion, standing(it))));
    let cells = [cut(&result.eval_id, 100), cut(&reasons.join("; "), LONGEST)];
    format!("| {} | {word} | {} |\n", markdown(&cells[0]), markdown(&cells[1]))
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[derive(Debug, Default)]
pub(crate) struct Markdown {
    rows: String,
    listed: usize,
    more: usize,
}

impl Markdown {
    pub(crate) fn take(&mut self, row: &str) {
        if row.is_empty() {
            return;
        }
        if self.listed == LISTED {
            self.more += 1;
            return;
        }
        self.listed += 1;
        self.rows.push_str(row);
    }

    pub(crate) fn finish(self, total: &Total<'_>, out: &mut impl Write) -> io::Result<()> {
        let title = total.heading.eval_set_name.as_ref().unwrap_or(&total.heading.eval_set_id);
        writeln!(out, "### {}\n\n{}.\n", markdown(title), total.counts())?;
        writeln!(out, "| criterion | needs | passed | failed | unscored | mean |")?;
        writeln!(out, "|---|---:|---:|---:|---:|---:|")?;
        for (name, one) in &total.summary.criterion_stats {
            let needs = total.heading.criteria.iter().find(|(given, _)| given == name);
            let needs = needs.map_or(String::new(), |(_, threshold)| short_figure(*threshold));
            let mean = one.avg_score.map_or_else(|| "–".to_owned(), figure);
            writeln!(
                out,
                "| {} | {needs} | {} | {} | {} | {mean} |",
                markdown(name),
                one.passed,
                one.failed,
                one.unscored
            )?;
        }
        if self.rows.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n| case | | why |\n|---|---|---|")?;
        out.write_all(self.rows.as_bytes())?;
        if self.more > 0 {
            writeln!(out, "\nAnd {} more.", self.more)?;
        }
        Ok(())
    }
}
