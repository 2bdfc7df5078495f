//! `rehearsal score`: scores actual cases against expected ones, and writes a report.
//!
//! `score-run` pairs and scores cases with threads, `scoring` has the metrics, `score-report` the reports.
//! This module reads arguments, finds files and the config, and returns the verdict.

mod arguments;
mod config;
mod destination;
mod error;
mod inputs;
mod judge;
mod names;
mod provenance;

use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Instant;

use score_report::{Ending, Heading, Report, ReportPart};
use score_run::{CaseFilter, RunError, RunSummary, ScoreRun, run_pairs};
use scoring::config::{Config, Criterion};
use scoring::report::EvalSummary;

pub use arguments::{PairBy, ReportFormat, ScoreArguments};
pub(super) use config::{BESIDE, read_config};
pub(super) use destination::Destination;
pub use error::ScoreError;
pub(super) use provenance::{baseline, commit};

use self::inputs::Inputs;
use self::names::Names;
use super::evalset::progress::bar;
use crate::cli::note_line::note_line;

/// The result of a run, the first of these that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The run was interrupted.
    Interrupted,
    /// A case failed, or could not be scored; or the pass rate is below the given minimum.
    Failed,
    /// A case is unscored.
    Unscored,
    /// All cases passed.
    Passed,
}

impl Verdict {
    pub(super) fn of(summary: &EvalSummary, min_pass_rate: Option<f64>) -> Self {
        let is_failed = match (min_pass_rate, summary.pass_rate) {
            (Some(min), Some(rate)) => rate < min,
            _ => summary.failed_cases > 0,
        };
        if is_failed {
            Self::Failed
        } else if summary.unscored_cases > 0 {
            Self::Unscored
        } else {
            Self::Passed
        }
    }
}

/// A hint if both sides have unpaired cases, which are usually the same cases with other ids.
fn alone(ran: &RunSummary, pair: PairBy) -> Option<String> {
    let RunSummary { expected_alone, actual_alone, .. } = *ran;
    if expected_alone == 0 || actual_alone == 0 {
        return None;
    }
    let found = format!(
        "{expected_alone} of the expected cases and {actual_alone} of the actual cases have no partner"
    );
    let remedy = match pair {
        PairBy::Id => {
            "if their ids differ, use --pair query to pair them by user message, or --pair order by \
             position"
        }
        PairBy::Order => return None,
        PairBy::Query => "if their user messages differ, use --pair order to pair them by position",
    };
    Some(format!("{found}; {remedy}"))
}

/// Warnings about criteria that no case or every case meets.
fn out_of_reach(config: &Config) -> Vec<String> {
    let note = |criterion: &Criterion| {
        let Criterion { name, threshold, .. } = criterion;
        match *threshold < 0.0 {
            true => {
                format!("{name} needs {threshold}, but no score is below 0, so every score passes")
            }
            false => format!("{name} needs {threshold}, but no score is above 1; 80% is 0.8"),
        }
    };
    config.out_of_reach().into_iter().map(note).collect()
}

/// Scores the cases, and writes the report to `out` or to a file.
///
/// # Errors
/// [`ScoreError`] if nothing can be scored, or a file cannot be read completely. Then no report file is
/// written.
pub fn score(
    arguments: &ScoreArguments,
    out: &mut (impl Write + Send),
) -> Result<Verdict, ScoreError> {
    let begin = Instant::now();
    let inputs = Inputs::find(arguments)?;
    let has_judge = arguments.judge.is_some();
    let (config, config_file) = config::config(arguments.config.as_deref(), &inputs, has_judge)?;
    let (judges, config) = judge::judges(arguments.judge.as_deref(), config)?;
    let baseline = arguments.baseline.as_deref().map(provenance::baseline).transpose()?;
    let pattern = arguments.case.as_deref().map(inputs::pattern).transpose()?;
    let takes = |eval_id: &str| pattern.as_ref().is_none_or(|it| it.matches(eval_id));
    let id = pattern.is_some().then_some(&takes as &(dyn Fn(&str) -> bool + Sync));
    let filter = CaseFilter::new(id, &arguments.tags);
    let jobs = arguments.jobs.or_else(|| std::thread::available_parallelism().ok());
    let order = ScoreRun {
        expected: &inputs.expected,
        actual: &inputs.actual,
        config: &config,
        filter: &filter,
        pairing: arguments.pair.into(),
        format: arguments.format_is.map(evalset::Format::from),
        jobs: jobs.unwrap_or(NonZeroUsize::MIN),
    };

    let form = arguments.format.into();
    let bar = bar(inputs.bytes(), "scoring");
    let files = inputs.expected.iter().chain(&inputs.actual);
    let destination = Destination::open(arguments.output.as_deref(), files, out, bar.clone())?;
    let heading = Heading {
        command: "rehearsal score",
        report_id: uuid::Uuid::new_v4().to_string(),
        eval_set_id: inputs.eval_set_id(),
        eval_set_name: inputs.eval_set_name(),
        expected: inputs::called(&inputs.expected),
        actual: inputs::called(&inputs.actual),
        config_used: config.source.clone(),
        sources: provenance::sources(&inputs, config_file.as_deref()),
        criteria: config.criteria.iter().map(|it| (it.name.clone(), it.threshold)).collect(),
        created_at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };
    let unwritable = |cause| match &arguments.output {
        Some(path) => ScoreError::Unwritable { path: path.clone(), cause },
        None => ScoreError::Output(cause),
    };
    let mut report = Report::begin(form, heading, destination).map_err(unwritable)?;
    if let Some(baseline) = baseline {
        report = report.since(baseline);
    }
    let names = Names::of(&config);
    let mut nearest = inputs::Nearest::to(arguments.case.as_deref());
    let ran = run_pairs(
        &order,
        |pair, tools| {
            let case = judge::scored(judges.as_ref(), pair, &config, tools);
            names.look_at(&case);
            ReportPart::of(case, form, &config)
        },
        |part| report.take(part),
        &mut |eval_id| nearest.look_at(eval_id),
        |read| bar.set_position(read),
    )
    .map_err(|error| match error {
        RunError::Output(cause) => unwritable(cause),
        error => error.into(),
    })?;
    bar.finish_and_clear();
    if ran.cases == 0 {
        return Err(inputs.no_case(arguments, &nearest, &filter.other_tags()));
    }
    let notes = alone(&ran, arguments.pair).into_iter().chain(out_of_reach(&config));
    for note in notes.chain(names.notes()) {
        note_line!("note: {note}");
    }
    let ending = Ending { duration_seconds: begin.elapsed().as_secs_f64() };
    let (destination, summary) = report.finish(ending).map_err(unwritable)?;
    if let Some((out, path)) = destination.keep()? {
        writeln!(out, "{}; see {}", summary.counts_phrase(), path.display())?;
    }
    Ok(Verdict::of(&summary, arguments.min_pass_rate))
}
