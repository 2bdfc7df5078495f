//! `rehearsal eval`: runs the cases of suites, and writes what they gave.
//!
//! The crate `eval` reads suites and runs cases. This module reads arguments, selects cases, prints each as it
//! ends and returns the verdict.

mod arguments;
mod eval_sets;
mod text;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use eval::file::{ModelChoice, ReadOptions, SuiteError, is_eval_set, read, schema};
use eval::given_model::GivenModel;
use eval::suite::Summary;
use eval::{EvalCase, EvalSuite, Status, run_eval_suite};
use glob::Pattern;

pub use arguments::{EvalArguments, EvalFormat};

use super::score::{ScoreError, Verdict};

/// Why nothing was run. The exit code is 2 for all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A suite cannot be read, or is not valid.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The pattern of `--case` is not valid.
    #[error("--case {pattern} is not a pattern: {cause}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The reason.
        cause: glob::PatternError,
    },
    /// The agent of an eval set is not known.
    #[error(
        "{} is not in the folder of an agent; name the agent with --agent FOLDER", path.display()
    )]
    NoAgent {
        /// The eval set.
        path: PathBuf,
    },
    /// The criteria cannot be read.
    #[error(transparent)]
    Config(#[from] ScoreError),
    /// A suite has no recorded trace.
    #[error(
        "--model replay is for eval sets, and {} is a suite; give its cases a scripted model", .0.display()
    )]
    NothingToReplay(PathBuf),
    /// No case is selected.
    #[error("no case is selected; the suites have {}", known.join(", "))]
    NoCase {
        /// The names of all cases.
        known: Vec<String>,
    },
    /// The results cannot be written.
    #[error("{} cannot be written: {cause}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// Standard output cannot be written.
    #[error("standard output cannot be written: {0}")]
    Stdout(#[from] io::Error),
}

/// Runs the selected cases, and writes what they gave to `out` or to a file.
///
/// # Errors
/// [`EvalError`] if nothing can be run or the results cannot be written.
pub async fn eval(
    arguments: &EvalArguments,
    out: &mut (impl Write + Send),
) -> Result<Verdict, EvalError> {
    if arguments.schema {
        writeln!(out, "{:#}", schema())?;
        return Ok(Verdict::Passed);
    }
    let options = ReadOptions { python: arguments.python.clone() };
    let mut cases = Vec::new();
    for path in &arguments.suites {
        match std::fs::read_to_string(path) {
            Ok(text) if is_eval_set(&text) => cases.extend(eval_sets::cases(path, arguments)?),
            // An unreadable file is reported with its reason.
            _ => cases.extend(of_suite(path, arguments, &options)?),
        }
    }
    let cases = selected(cases, arguments)?;
    let suite = EvalSuite {
        jobs: arguments
            .jobs
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get),
        stop_on_first_failure: arguments.stop_on_first_failure,
        cases,
    };
    let mut file = match &arguments.output {
        None => None,
        Some(path) => {
            let output = |cause| EvalError::Output { path: path.clone(), cause };
            Some(std::fs::File::create(path).map_err(output)?)
        }
    };
    let out: &mut (dyn Write + Send) = match &mut file {
        Some(file) => file,
        None => out,
    };
    let is_text = arguments.format == EvalFormat::Text;
    let mut written = Ok(());
    let result = run_eval_suite(&suite, |result| {
        if is_text && written.is_ok() {
            written = text::case(result, out);
        }
    })
    .await;
    written?;
    match arguments.format {
        EvalFormat::Text => text::summary(&result.summary, suite.cases.len(), out)?,
        EvalFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &result).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(verdict(&result.summary))
}

/// The cases of a suite, with the model that is given for the run.
fn of_suite(
    path: &Path,
    arguments: &EvalArguments,
    options: &ReadOptions,
) -> Result<Vec<EvalCase>, EvalError> {
    let mut cases = read(path, options)?;
    match eval_sets::model(arguments) {
        ModelChoice::Own => {}
        ModelChoice::Replay => return Err(EvalError::NothingToReplay(path.to_owned())),
        ModelChoice::Named(name) => {
            for case in &mut cases {
                case.model = Some(GivenModel::Named(name.clone()));
            }
        }
    }
    Ok(cases)
}

fn verdict(summary: &Summary) -> Verdict {
    if summary.failed + summary.errors + summary.terminated > 0 {
        Verdict::Failed
    } else if summary.unscored > 0 {
        Verdict::Unscored
    } else {
        Verdict::Passed
    }
}

/// The cases that `--case` and `--tag` select.
fn selected(cases: Vec<EvalCase>, arguments: &EvalArguments) -> Result<Vec<EvalCase>, EvalError> {
    let pattern = match &arguments.case {
        None => None,
        Some(pattern) => Some(
            Pattern::new(pattern)
                .map_err(|cause| EvalError::Pattern { pattern: pattern.clone(), cause })?,
        ),
    };
    let known: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let has_tag = |case: &EvalCase| {
        arguments.tags.is_empty() || arguments.tags.iter().any(|tag| case.tags.contains(tag))
    };
    let is_named = |case: &EvalCase| pattern.as_ref().is_none_or(|it| it.matches(&case.name));
    let selected: Vec<EvalCase> =
        cases.into_iter().filter(|case| is_named(case) && has_tag(case)).collect();
    if selected.is_empty() { Err(EvalError::NoCase { known }) } else { Ok(selected) }
}

/// Whether the case says why it is not passed.
fn explains(status: Status) -> bool {
    status != Status::Passed
}
