//! `rehearsal evalset lint`: prints every fault in files, in order, while reading.

use std::io::Write;

use case_trace::CaseTrace;
use evalset::{CaseFault, Origin, Severity};
use evalset_file::{Checked, CheckedCase};
use json_text::written_out::visible_name;
use serde::Serialize;

use super::error::EvalsetError;
use super::files::{Source, checked, files};
use super::progress::bar;
use super::{LintFilesArguments, Status, counted};
use crate::cli::Format;

#[derive(Debug, Serialize)]
struct Finding<'a> {
    file: &'a str,
    line: u64,
    column: u64,
    severity: &'static str,
    case: Option<usize>,
    eval_id: Option<&'a str>,
    path: &'a str,
    message: String,
}

pub(super) fn lint(
    arguments: &LintFilesArguments,
    out: &mut impl Write,
) -> Result<Status, EvalsetError> {
    let mut findings = Findings { format: arguments.format, errors: 0, warnings: 0, out };
    let files = files(&arguments.files)?;
    for path in &files {
        let name = path.display().to_string();
        match checked(&Source::of(path)?, arguments.format_is.chosen())? {
            Checked::Whole(reading) => {
                if let Some(format) = reading.format {
                    findings.title(&name, format, &reading.evidence)?;
                }
                findings.take(&name, &reading.faults)?;
            }
            Checked::Broken(fault) => findings.take(&name, &[fault])?,
            Checked::Cases(mut cases) => {
                findings.title(&name, cases.format(), cases.evidence())?;
                let bar = bar(cases.progress().1, &name);
                findings.take(&name, cases.faults_before())?;
                while let Some(case) = cases.next() {
                    let faults = with_unscored(case?);
                    if !faults.is_empty() {
                        bar.suspend(|| findings.take(&name, &faults))?;
                    }
                    bar.set_position(cases.progress().0);
                }
                findings.take(&name, cases.faults_after())?;
                bar.finish_and_clear();
            }
        }
    }
    findings.sum_up(files.len())
}

/// The faults of a case, including those of fields that only scoring reads.
fn with_unscored(read: CheckedCase) -> Vec<CaseFault> {
    let CheckedCase { index, case, text, line, column, mut faults } = read;
    if let Some(case) = case {
        let origin = Origin { line, column, case: Some(index), eval_id: None };
        faults.extend(CaseTrace::faults(&case, &text, origin));
        faults.sort_by_key(|fault| (fault.line, fault.column));
    }
    faults
}

/// Prints faults as they are found.
struct Findings<'a, W> {
    format: Format,
    errors: usize,
    warnings: usize,
    out: &'a mut W,
}

impl<W: Write> Findings<'_, W> {
    /// Prints the format of a file and what shows it.
    fn title(
        &mut self,
        file: &str,
        format: evalset::Format,
        evidence: &str,
    ) -> Result<(), EvalsetError> {
        if self.format == Format::Text {
            let title = format!("{file}: {}: {evidence}", format.title());
            writeln!(self.out, "{}", visible_name(&title))?;
        }
        Ok(())
    }

    fn take(&mut self, file: &str, faults: &[CaseFault]) -> Result<(), EvalsetError> {
        for fault in faults {
            match fault.severity() {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
            }
            write_fault(file, fault, self.format, self.out)?;
        }
        Ok(())
    }

    fn sum_up(self, files: usize) -> Result<Status, EvalsetError> {
        if self.format == Format::Text {
            let (files, errors) = (counted(files, "file"), counted(self.errors, "error"));
            writeln!(self.out, "{files}: {errors}, {}.", counted(self.warnings, "warning"))?;
        }
        Ok(if self.errors == 0 { Status::Success } else { Status::Findings })
    }
}

fn write_fault(
    file: &str,
    fault: &CaseFault,
    format: Format,
    out: &mut impl Write,
) -> Result<(), EvalsetError> {
    let severity = fault.severity().name();
    let CaseFault { line, column, problem, .. } = fault;
    match format {
        Format::Text => {
            let place = fault.place();
            let line = format!("{file}:{line}:{column}: {severity}: {place}: {problem}");
            writeln!(out, "{}", visible_name(&line))?;
        }
        Format::Json => {
            let finding = Finding {
                file,
                line: *line,
                column: *column,
                severity,
                case: fault.case.as_ref().map(|case| case.index),
                eval_id: fault.case.as_ref().and_then(|case| case.eval_id.as_deref()),
                path: &fault.path,
                message: problem.to_string(),
            };
            serde_json::to_writer(&mut *out, &finding).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
    }
    Ok(())
}
