//! `rehearsal evalset lint`.

use std::io::Write;

use evalset::{Fault, Severity};
use serde::Serialize;

use super::error::EvalsetError;
use super::files::{files, reading};
use super::list::shown;
use super::{LintFilesArguments, Went};
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
) -> Result<Went, EvalsetError> {
    let (mut errors, mut warnings, mut count) = (0, 0, 0);
    for path in files(&arguments.files)? {
        count += 1;
        let name = path.display().to_string();
        for fault in reading(&path)?.faults {
            match fault.severity() {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
            }
            write_fault(&name, &fault, arguments.format, out)?;
        }
    }
    if arguments.format == Format::Text {
        let counted = |count: usize, noun: &str| match count {
            1 => format!("1 {noun}"),
            _ => format!("{count} {noun}s"),
        };
        let (files, errors) = (counted(count, "file"), counted(errors, "error"));
        writeln!(out, "{files}: {errors}, {}.", counted(warnings, "warning"))?;
    }
    Ok(if errors == 0 { Went::Well } else { Went::Found })
}

fn write_fault(
    file: &str,
    fault: &Fault,
    format: Format,
    out: &mut impl Write,
) -> Result<(), EvalsetError> {
    let severity = fault.severity().name();
    let Fault { line, column, problem, .. } = fault;
    match format {
        Format::Text => {
            let place = format!("{}: {problem}", fault.place());
            writeln!(out, "{file}:{line}:{column}: {severity}: {}", shown(&place))?;
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
