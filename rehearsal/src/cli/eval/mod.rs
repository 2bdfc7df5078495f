//! `rehearsal eval`: runs the cases of suites, and writes what they gave.
//!
//! The crate `eval` reads suites, runs cases and stores their results, `score-report` has the reports. This module
//! reads arguments, selects cases, shows progress and returns the verdict.

mod adk_results;
mod arguments;
mod diagnose;
mod eval_sets;
mod fork;
mod fork_run;
mod init;
mod interrupts;
mod list_runs;
mod progress;
mod recorded_run;
mod report;
mod runner;
mod runs;
mod selection;
mod tools;

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::time::Instant;

use eval::continuations::{ForkRunError, Sides};
use eval::file::{InitError, SuiteError, schema};
use eval::golden::GoldenError;
use eval::model::ModelNameError;
use eval::store::{RunInfo, StoreError, StoredResults, StoredRun};
use eval::suite::{SkippedCase, Summary};
use eval::{EvalCase, EvalSuite, RunStore, SuiteResult, check_cases, run_cases};
use indicatif::ProgressBar;
use score_report::{Baseline, Ending, Heading, Report, ReportPart};
use scoring::config::Config;
use scoring::report::{EvalSummary, Tally};

pub use arguments::{
    BaselineChoice, DiagnoseArguments, EvalArguments, EvalCommand, EvalCommandLine, EvalFormat,
    ForkArguments, ForkFormat, InitSuiteArguments, MergeRunsArguments, RunChoice, Shard,
    ToolsOfSuiteArguments,
};

pub use self::diagnose::diagnose;
pub use self::fork::fork;
pub(crate) use self::fork_run::{ForkRun, case_of, fork_of, read_changes, read_move, stored};
use self::interrupts::Interrupts;
use self::progress::Progress;
pub(crate) use self::recorded_run::recorded_run;
use self::report::Columns;
pub(crate) use self::runs::suite_name_in;
use self::runs::{Runs, check_stored, chosen, rescored, suite_name};
pub(crate) use self::selection::cases;
use self::selection::selected;
use super::score::{self, Destination, ScoreError, Verdict};
use crate::cli::note_line::note_line;

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
    /// The kernel lacks a part of the seal.
    #[error("--require-seal: this kernel cannot refuse {}", gaps.join(", "))]
    Unsealed {
        /// What it cannot refuse, and what that needs.
        gaps: Vec<&'static str>,
    },
    /// The judge cannot be asked.
    #[error("--judge: {0}")]
    Judge(ModelNameError),
    /// The model that plays tools cannot be asked.
    #[error("--simulate-tools: {0}")]
    SimulatedTools(ModelNameError),
    /// An option of eval sets is given for suites only.
    #[error(
        "{option} is for eval sets, and a suite says in `tools` what its tools do; change it there"
    )]
    OfEvalSets {
        /// The option.
        option: &'static str,
    },
    /// A tool can have only some of its effects, or all.
    #[error("{tool} is in --real-tools and in --sealed-tools; leave it out of one of them")]
    RealAndSealed {
        /// The tool.
        tool: String,
    },
    /// The agent of an eval set is not known.
    #[error(
        "{} is not in the folder of an agent; name the agent with --agent FOLDER", path.display()
    )]
    NoAgent {
        /// The eval set.
        path: PathBuf,
    },
    /// A conformance test is given without an agent, and no folder around it has the one that it names.
    #[error(
        "{} is of the agent {}, which is in no folder around it; name the agent with --agent FOLDER",
        .path.display(), .named.display()
    )]
    NoNamedAgent {
        /// The file of the test.
        path: PathBuf,
        /// The agent.
        named: PathBuf,
    },
    /// The criteria or the baseline cannot be read, or the report cannot be written.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A model is given twice.
    #[error("--model {model} is given twice; leave it out once, or use --repeats for more runs")]
    ModelTwice {
        /// The model.
        model: String,
    },
    /// A case of a suite has no recorded trace.
    #[error(
        "--model replay: the case {case} of {} names no recorded case; add `golden: {{ eval_set: FILE, case: ID }}` to it", .suite.display()
    )]
    NothingToReplay {
        /// The suite.
        suite: PathBuf,
        /// The case.
        case: String,
    },
    /// A case names a tool that its agent does not have, or a model that it cannot be given.
    #[error("{suite}: case {case}: {failure}")]
    Unfit {
        /// The suite.
        suite: String,
        /// The case.
        case: String,
        /// What does not fit.
        failure: Box<eval::RunFailure>,
    },
    /// The results for ADK cannot be written.
    #[error("the results for ADK cannot be written to {}: {cause}", path.display())]
    AdkResults {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// The recorded case cannot be read.
    #[error(transparent)]
    Golden(#[from] GoldenError),
    /// The suite cannot be written.
    #[error("{} cannot be written: {cause}", path.display())]
    UnwritableSuite {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// The MCP servers of a suite cannot be used.
    #[error("{0}")]
    Servers(String),
    /// The declarations of tools cannot be written.
    #[error("{} cannot be written: {cause}", path.display())]
    UnwritableTools {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// The move of a fork cannot be read.
    #[error("--edit: {0}")]
    Edit(String),
    /// The changes of requests cannot be read.
    #[error("--change: {0}")]
    Change(String),
    /// The run cannot fork.
    #[error(transparent)]
    Fork(#[from] ForkRunError),
    /// The run has no such result.
    #[error("{0}")]
    NoSource(String),
    /// The recorded case cannot be written as a suite.
    #[error("the suite cannot be written as YAML: {0}")]
    Init(#[from] InitError),
    /// No case is selected.
    #[error("no case is selected; the suites have {}", known.join(", "))]
    NoCase {
        /// The names of all cases.
        known: Vec<String>,
    },
    /// A tag that no case has.
    #[error("no case has the tag {tag}; {}", known_tags(known))]
    NoTag {
        /// The tag.
        tag: String,
        /// The tags of all cases.
        known: Vec<String>,
    },
    /// The Python interpreter does not exist.
    #[error(
        "--python {}: the file does not exist; name an interpreter or a virtual environment, such as .venv", .0.display()
    )]
    NoPython(PathBuf),
    /// The program cannot listen for Ctrl-C.
    #[error("cannot listen for Ctrl-C: {0}")]
    Interrupts(io::Error),
    /// Standard output cannot be written.
    #[error("standard output cannot be written: {0}")]
    Stdout(#[from] io::Error),
}

impl EvalError {
    pub(crate) fn unfit(case: &EvalCase, failure: eval::RunFailure) -> Self {
        let (suite, case) = (case.source.suite.clone(), case.name.clone());
        Self::Unfit { suite, case, failure: Box::new(failure) }
    }

    /// Whether a reader such as `head` has closed the pipe.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        match self {
            Self::Stdout(cause) => cause.kind() == io::ErrorKind::BrokenPipe,
            Self::Score(error) => error.is_broken_pipe(),
            _ => false,
        }
    }
}

fn known_tags(known: &[String]) -> String {
    match known.is_empty() {
        true => "the cases have no tags".to_owned(),
        false => format!("the cases have {}", known.join(", ")),
    }
}

/// Runs the selected cases or does what the command says, stores each result, and writes a report to `out` or to a file.
///
/// # Errors
/// [`EvalError`] if nothing can be run, or results can be neither stored nor written.
pub async fn eval(
    arguments: &EvalCommandLine,
    out: &mut (impl Write + Send),
) -> Result<Verdict, EvalError> {
    let begin = Instant::now();
    match &arguments.command {
        Some(EvalCommand::Merge(merged)) => merge(merged, begin, out).await,
        Some(EvalCommand::Init(arguments)) => {
            init::init(arguments, out)?;
            Ok(Verdict::Passed)
        }
        Some(EvalCommand::Runs(arguments)) => {
            list_runs::list_runs(arguments, out).await?;
            Ok(Verdict::Passed)
        }
        Some(EvalCommand::Tools(arguments)) => {
            tools::tools(arguments, out).await?;
            Ok(Verdict::Passed)
        }
        None if arguments.run.list => {
            selection::list(&arguments.run, out)?;
            Ok(Verdict::Passed)
        }
        None if arguments.run.runner => {
            let cases = selection::cases(&arguments.run)?;
            let case = cases.first().ok_or(EvalError::NoCase { known: Vec::new() })?;
            runner::serve(case, out).await?;
            Ok(Verdict::Passed)
        }
        None if arguments.run.schema => {
            writeln!(out, "{:#}", schema())?;
            Ok(Verdict::Passed)
        }
        None => run_suites(&arguments.run, begin, out).await,
    }
}

async fn run_suites(
    arguments: &EvalArguments,
    begin: Instant,
    out: &mut (impl Write + Send),
) -> Result<Verdict, EvalError> {
    let gaps = eval::python::seal_gaps();
    if arguments.require_seal && !gaps.is_empty() {
        return Err(EvalError::Unsealed { gaps });
    }
    let suite = suite(arguments)?;
    let suites: Vec<String> = arguments.suites.iter().map(|path| suite_name(path)).collect();
    let columns = Columns::of(&suite.cases);
    let store = RunStore::open(&arguments.store).await?;
    let baseline = baseline(arguments, &store, &suites, &columns).await?;
    let resume = arguments.resume.or(arguments.retry_errors.then_some(RunChoice::Last));
    let earlier = match resume.or(arguments.rescore) {
        Some(choice) => Some(chosen(&store, choice, &suites).await?),
        None => None,
    };
    let mut interrupted = false;
    let mut claim = None;
    let (stored, runs) = match earlier {
        Some(earlier) if arguments.rescore.is_some() => {
            let results = store.results(earlier.number).await?;
            check_stored(&suite.cases, &results)?;
            let stored = store.begin(&suites).await?;
            let (runs, others) = rescored(&suite.cases, results, &stored).await?;
            if !is_selection(arguments) {
                note_lost(&others, earlier.number);
            }
            (stored, runs)
        }
        earlier => {
            let mut runs = Runs::of(&suite, arguments.shard);
            // What a run has ended stays as it is, for those who compare with it.
            let mut goes_on = earlier.is_some();
            if let Some(earlier) = &earlier {
                let number = earlier.number;
                claim = Some(store.claim(number)?);
                let takes_errors = !arguments.retry_errors;
                let left_out = runs.take_over(store.results(number).await?, takes_errors);
                for note in left_out.notes(&format!("run {number}")) {
                    note_line!("note: {note}");
                }
                goes_on = left_out.is_empty() && earlier.suites == suites;
            }
            check(&runs, suite.jobs).await?;
            let stored = match &earlier {
                Some(earlier) if goes_on => store.resume(earlier),
                earlier => {
                    let begun = store.begin(&suites).await?;
                    claim = Some(store.claim(begun.number())?);
                    runs.keep(&begun).await?;
                    if let Some(RunInfo { number, .. }) = earlier {
                        let new = begun.number();
                        note_line!("note: run {number} stays as it is, and goes on as run {new}");
                    }
                    begun
                }
            };
            for limits in limits(&suite).await {
                note_line!("note: {limits}");
            }
            interrupted = run(&suite, &mut runs, &stored).await?;
            if interrupted {
                // Results that were being stored at that time.
                runs.take_over(store.results(stored.number()).await?, true);
            }
            (stored, runs)
        }
    };
    let number = stored.number();
    for model in models_without_price(&runs) {
        note_line!("note: the cost leaves out {model}, which has no price; add it to `prices`");
    }
    if !is_selection(arguments) && arguments.shard.is_none() {
        for (suite, tool) in runs.unused_mocks() {
            note_line!("note: no case of {suite} called {tool}, for which the suite has a mock");
        }
    }
    let heading = columns.heading(arguments, &suites, number);
    let summary = write_report(arguments, &columns, heading, baseline, &runs, begin, out)?;
    if let Some(folder) = &arguments.adk_results {
        adk_results::write(folder, &runs, number)?;
    }
    store.close().await;
    drop(claim);
    let all = runs.all.len();
    let left = match (runs.missing(), interrupted) {
        (0, _) => String::new(),
        (missing, true) => {
            format!(". Interrupted: {missing} of {all} were not run; go on with --resume={number}")
        }
        (missing, false) => format!(". {missing} of {all} have no result"),
    };
    note_line!("run {number} is stored in {}{left}", arguments.store.display());
    Ok(match Verdict::of(&summary, None) {
        _ if interrupted => Verdict::Interrupted,
        // What was not run has not passed.
        _ if runs.missing() > 0 => Verdict::Failed,
        verdict => verdict,
    })
}

/// Stores the results of several runs of shards as one run.
async fn merge(
    merged: &MergeRunsArguments,
    begin: Instant,
    out: &mut (impl Write + Send),
) -> Result<Verdict, EvalError> {
    let arguments = &merged.run;
    let suite = suite(arguments)?;
    let suites: Vec<String> = arguments.suites.iter().map(|path| suite_name(path)).collect();
    let columns = Columns::of(&suite.cases);
    let mut runs = Runs::of(&suite, arguments.shard);
    for path in &merged.from {
        let shard = RunStore::open_existing(path).await?;
        let number = shard.last_run_of(&suites).await?.number;
        let results = shard.results(number).await?;
        shard.close().await;
        let left_out = runs.take_over(results, true);
        for note in left_out.notes(&format!("run {number} of {}", path.display())) {
            note_line!("note: {note}");
        }
    }
    let store = RunStore::open(&arguments.store).await?;
    let baseline = baseline(arguments, &store, &suites, &columns).await?;
    let stored = store.begin(&suites).await?;
    runs.keep(&stored).await?;
    let number = stored.number();
    let heading = columns.heading(arguments, &suites, number);
    let summary = write_report(arguments, &columns, heading, baseline, &runs, begin, out)?;
    if let Some(folder) = &arguments.adk_results {
        adk_results::write(folder, &runs, number)?;
    }
    store.close().await;
    note_line!("run {number} is stored in {}", arguments.store.display());
    let missing = runs.missing();
    if missing > 0 {
        note_line!("error: {missing} of {} have no result; is a shard missing?", runs.all.len());
        return Ok(Verdict::Failed);
    }
    Ok(Verdict::of(&summary, None))
}

/// Writes the report of all results.
fn write_report(
    arguments: &EvalArguments,
    columns: &Columns<'_>,
    heading: Heading,
    baseline: Option<Baseline>,
    runs: &Runs<'_>,
    begin: Instant,
    out: &mut (impl Write + Send),
) -> Result<EvalSummary, EvalError> {
    let no_bar = ProgressBar::hidden();
    let mut destination =
        Destination::open(arguments.output.as_deref(), &arguments.suites, out, no_bar)?;
    let unwritable = |cause| match &arguments.output {
        Some(path) => ScoreError::Unwritable { path: path.clone(), cause },
        None => ScoreError::Output(cause),
    };
    let cases = runs.all.iter().zip(&runs.results).map(|(run, result)| match result {
        Some(result) => columns.scored_case(run, runs.repeats(run.case), result),
        None => columns.skipped_case(run, runs.repeats(run.case)),
    });
    let (destination, summary) = match arguments.format.form() {
        Some(form) => {
            // Cases have metrics of their own.
            let no_criteria = Config {
                criteria: Vec::new(),
                informational: Vec::new(),
                source: heading.config_used.clone(),
                warnings: Vec::new(),
            };
            let mut report = Report::begin(form, heading, destination).map_err(unwritable)?;
            if let Some(baseline) = baseline {
                report = report.since(baseline);
            }
            for case in cases {
                report.take(ReportPart::of(case, form, &no_criteria)).map_err(unwritable)?;
            }
            let ending = Ending { duration_seconds: begin.elapsed().as_secs_f64() };
            report.finish(ending).map_err(unwritable)?
        }
        None => {
            let mut tally = Tally::default();
            cases.for_each(|case| tally.add(&case.result));
            let results: Vec<_> = runs.results.iter().flatten().cloned().collect();
            let skipped = runs.all.iter().zip(&runs.results).filter(|(_, it)| it.is_none());
            let skipped = skipped.map(|(run, _)| SkippedCase::of(run)).collect();
            let all = SuiteResult { summary: Summary::of(&results), results, skipped };
            let written = serde_json::to_writer_pretty(&mut destination, &all);
            written.map_err(|error| unwritable(error.into()))?;
            writeln!(destination).map_err(unwritable)?;
            (destination, tally.summary())
        }
    };
    if let Some((out, path)) = destination.keep()? {
        writeln!(out, "{}; see {}", summary.counts_phrase(), path.display())?;
    }
    Ok(summary)
}

/// The selected cases.
fn suite(arguments: &EvalArguments) -> Result<EvalSuite, EvalError> {
    Ok(EvalSuite {
        cases: selected(cases(arguments)?, arguments)?,
        jobs: arguments.jobs(),
        stop_on_first_failure: arguments.stop_on_first_failure,
    })
}

/// The models that a run used, and for which its suite has prices of others only.
fn models_without_price(runs: &Runs<'_>) -> BTreeSet<String> {
    let results = runs.all.iter().zip(&runs.results);
    let costs = results.filter_map(|(run, result)| run.case.prices.cost(&result.as_ref()?.events));
    costs.flat_map(|cost| cost.without_price).collect()
}

/// What interception does not cover, for each kind of subject.
async fn limits(suite: &EvalSuite) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for case in &suite.cases {
        all.extend(case.subject.limits(&case.needs()).await);
    }
    all
}

/// Runs what has no result. Returns whether it was interrupted.
async fn run(
    suite: &EvalSuite,
    runs: &mut Runs<'_>,
    stored: &StoredRun<'_>,
) -> Result<bool, EvalError> {
    let (places, open) = runs.open();
    let interrupts = Interrupts::listen().map_err(EvalError::Interrupts)?;
    let mut progress = Progress::new(&open, suite.jobs);
    let repeats: Vec<u32> = open.iter().map(|run| runs.repeats(run.case)).collect();
    let results = &mut runs.results;
    let ended = |at: usize, result| {
        let (Some(place), Some(repeats)) = (places.get(at), repeats.get(at)) else { return };
        let cost = report::cost_of(open.get(at).map(|run| run.case), &result);
        progress.ended(&result, *repeats, cost);
        if let Some(kept) = results.get_mut(*place) {
            *kept = Some(result);
        }
    };
    let interrupted = tokio::select! {
        // A case that ends at the same time may have been hit by the signal too.
        biased;
        () = interrupts.first() => true,
        done = run_cases(suite, &open, Some(stored), ended) => {
            done?;
            false
        }
    };
    progress.finish();
    Ok(interrupted)
}

/// Whether only some cases of the suites are meant.
fn is_selection(arguments: &EvalArguments) -> bool {
    !(arguments.cases.is_empty() && arguments.tags.is_empty())
}

/// Names the results of an earlier run whose cases the suites no longer have.
fn note_lost(results: &StoredResults, run: i64) {
    let names: BTreeSet<&str> = results.keys().map(|key| key.name.as_str()).collect();
    for name in names {
        note_line!(
            "note: run {run} has a result of {name}, and the suites have no case of that name any more; a case that was renamed must run again"
        );
    }
}

/// Checks what is known of the agents before anything runs.
async fn check(runs: &Runs<'_>, jobs: usize) -> Result<(), EvalError> {
    let open = runs.open().1;
    check_fit(open.iter().map(|run| run.case), jobs).await
}

/// Checks what is known of the agent before the continuations of a fork run.
async fn check_sides(sides: &Sides) -> Result<(), EvalError> {
    check_fit(std::iter::once(&sides.with).chain(&sides.without), 1).await?;
    // Continuations of an agent that cannot be loaded would count as failed, and say nothing of the step.
    let case = &sides.with;
    let loaded = case.subject.prepare(&case.needs()).await;
    loaded.map(drop).map_err(|failure| EvalError::unfit(case, failure))
}

/// Checks that the agents have what these cases name.
///
/// # Errors
/// [`EvalError::Unfit`] for the first case that does not fit.
pub(crate) async fn check_fit(
    cases: impl Iterator<Item = &EvalCase>,
    jobs: usize,
) -> Result<(), EvalError> {
    let checked = check_cases(cases, jobs).await;
    checked.map_err(|(case, failure)| EvalError::unfit(case, failure))
}

/// Opens files for writing. A new one can be read by its owner only: it has conversations.
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

/// What the run is compared with.
async fn baseline(
    arguments: &EvalArguments,
    store: &RunStore,
    suites: &[String],
    columns: &Columns<'_>,
) -> Result<Option<Baseline>, EvalError> {
    let Some(choice) = &arguments.baseline else { return Ok(None) };
    let baseline = match choice {
        BaselineChoice::Report(path) => score::baseline(path)?,
        BaselineChoice::Run(choice) => {
            let number = chosen(store, *choice, suites).await?.number;
            columns.baseline(number, store.results(number).await?)
        }
    };
    Ok(Some(match is_selection(arguments) {
        true => baseline.only(|id| columns.has(id)),
        false => baseline,
    }))
}
