//! The report for a comment on a pull request: short, whatever the number of cases.

use std::io::{self, Write};

use scoring::report::{CaseVerdict, figure, sentences, short_figure};

use crate::details;
use crate::escape::markdown;
use crate::excerpt::{cut, in_line};
use crate::scored::ScoredCase;
use crate::total::Total;

/// So many cases of each verdict are listed.
const LISTED: usize = 50;

/// All lists together take so many bytes at most: a comment holds 65,536 characters.
const ROOM: usize = 60_000;

/// A cell longer than this, in characters, is cut.
const LONGEST: usize = 400;

/// The row of a case; empty when it passed.
pub(crate) fn case(case: &ScoredCase) -> String {
    let result = &case.result;
    if result.verdict() == CaseVerdict::Passed {
        return String::new();
    }
    let mut reasons: Vec<String> = case.ended_by().into_iter().map(|it| in_line(&it)).collect();
    // A cell is short: only what decided the verdict.
    let deciding =
        case.failed_criteria().into_iter().filter(|failed| failed.result.passed == result.passed);
    reasons.extend(deciding.map(|failed| failed.line()));
    let cells = [cut(&result.label(), 100), cut(&sentences(&reasons), LONGEST)];
    format!("| {} | {} |\n", markdown(&cells[0]), markdown(&cells[1]))
}

/// The rows of what did not pass, by verdict.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    errors: Rows,
    terminated: Rows,
    failed: Rows,
    unscored: Rows,
}

/// The rows of one verdict.
#[derive(Debug, Default)]
struct Rows {
    listed: Vec<String>,
    cases: usize,
}

impl Rows {
    fn take(&mut self, row: &str) {
        self.cases += 1;
        if self.listed.len() < LISTED {
            self.listed.push(row.to_owned());
        }
    }

    /// Writes as many as there is room for, and how many more there are.
    fn finish(&self, title: &str, room: &mut usize, out: &mut impl Write) -> io::Result<()> {
        if self.cases == 0 {
            return Ok(());
        }
        writeln!(out, "\n**{} {title}**", self.cases)?;
        let mut written = 0;
        for row in &self.listed {
            if row.len() > *room {
                break;
            }
            if written == 0 {
                writeln!(out, "\n| case | why |\n|---|---|")?;
            }
            *room -= row.len();
            written += 1;
            out.write_all(row.as_bytes())?;
        }
        match self.cases - written {
            0 => Ok(()),
            more => writeln!(out, "\nAnd {more} more."),
        }
    }
}

impl Markdown {
    pub(crate) fn take(&mut self, row: &str, verdict: CaseVerdict) {
        match verdict {
            CaseVerdict::Error => self.errors.take(row),
            CaseVerdict::Terminated => self.terminated.take(row),
            CaseVerdict::Failed => self.failed.take(row),
            CaseVerdict::Unscored => self.unscored.take(row),
            CaseVerdict::Passed => {}
        }
    }

    pub(crate) fn finish(self, total: &Total<'_>, out: &mut impl Write) -> io::Result<()> {
        let title = total.heading.eval_set_name.as_ref().unwrap_or(&total.heading.eval_set_id);
        writeln!(out, "### {}\n\n{}.\n", markdown(title), total.counts())?;
        let details = details::as_markdown(total);
        if !details.is_empty() {
            writeln!(out, "{details}")?;
        }
        writeln!(out, "| criterion | needs | passed | failed | unscored | mean | of cases |")?;
        writeln!(out, "|---|---:|---:|---:|---:|---:|---:|")?;
        for (name, one) in &total.summary.criterion_stats {
            let needs = total.heading.criteria.iter().find(|(given, _)| given == name);
            let needs = needs.map_or(String::new(), |(_, threshold)| short_figure(*threshold));
            let mean = one.avg_score.map_or_else(|| "–".to_owned(), figure);
            writeln!(
                out,
                "| {} | {needs} | {} | {} | {} | {mean} | {} |",
                markdown(name),
                one.passed,
                one.failed,
                one.unscored,
                one.avg_score_cases
            )?;
        }
        let mut room = ROOM;
        let errors = if self.errors.cases == 1 { "error" } else { "errors" };
        self.errors.finish(errors, &mut room, out)?;
        self.terminated.finish("terminated", &mut room, out)?;
        self.failed.finish("failed", &mut room, out)?;
        self.unscored.finish("unscored", &mut room, out)
    }
}
