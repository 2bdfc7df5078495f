//! `rehearsal fork`: gives a stored run again up to a step, and lets the agent go on from there.
//!
//! `eval::continuations` runs them and says what they show. This module finds the run, reads the edit, shows progress
//! and prints.

use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;

use eval::continuations::{Fork, GOLDEN_PATH, effect_of, sentence};
use eval::fork::{Move, Step, StepKind, steps};
use eval::ledger::Origin;
use eval::person_verdict::VERDICT;
use eval::recorded_source::{RecordedKind, RecordedSource};
use eval::request_changes::RequestChanges;
use eval::result::{EvalResult, Status};
use eval::source_patch::Patch;
use eval::store::{ResultKey, RunInfo, RunStore, StoredResult, Summaries};
use eval::tool_mode::ToolModes;
use eval::{CaseRun, EvalCase};
use json_text::JsonText;
use json_text::written_out::visible_name;
use scoring::statistics::Effect;
use serde::Serialize;

use super::arguments::{ForkArguments, ForkFormat, ForkSource, RunChoice};
use super::fork_run::{ForkRun, Side, fork_of, read_changes, read_move, stored};
use super::interrupts::Interrupts;
use super::progress::Progress;
use super::recorded_run::{kind_of, recorded_run};
use super::{EvalError, report};
use crate::cli::note_line::note_line;
use crate::cli::score::Verdict;
use crate::run_views::said_of;

/// How often the agent goes on if nothing else is asked for.
const DEFAULT_TIMES: u32 = 5;

/// Prints the steps of a run, or forks it at one and prints what came of it.
///
/// # Errors
/// [`EvalError`] if the run cannot fork, or results can be neither stored nor written.
pub async fn fork(
    arguments: &ForkArguments,
    out: &mut (impl Write + Send),
) -> Result<Verdict, EvalError> {
    let read = |suite: &Path| arguments.of_suites(vec![suite.to_owned()]);
    let store = match &arguments.source {
        ForkSource::Run(_) => RunStore::open_existing(&arguments.store).await?,
        ForkSource::File(_) => RunStore::open(&arguments.store).await?,
    };
    let run = match &arguments.source {
        ForkSource::Run(choice) => chosen(&store, *choice).await?,
        ForkSource::File(file) => {
            let (kind, agent) = (kind_of(file)?, arguments.agent.as_deref());
            let agent = agent.map(std::path::absolute).transpose()?;
            let criteria = arguments.config.as_deref().map(std::path::absolute).transpose()?;
            let source = RecordedSource { kind, agent, criteria };
            let case = arguments.case.as_deref();
            let recorded = recorded_run(&store, file, case, &source, read).await?;
            if recorded.is_new {
                let name = visible_name(&recorded.key.name);
                note_line!(
                    "{name} was given again without the model and its tools, as run {}",
                    recorded.run
                );
            }
            store.run(recorded.run).await?
        }
    };
    if !arguments.pass.is_empty() || !arguments.fail.is_empty() {
        return decide(&store, &run, arguments, out).await;
    }
    let mut fork = if arguments.resume {
        let times = arguments.times.map(NonZeroU32::get);
        ForkRun::resume(&store, &run, times, read).await?
    } else {
        let key = source_key(&store, run.number, arguments).await?;
        let Some(step) = arguments.step else {
            let StoredResult { result, .. } = stored(&store, run.number, &key).await?;
            print_steps(arguments.format, run.number, &key, &result, out)?;
            return Ok(Verdict::Passed);
        };
        let fork = Fork {
            step: step.get(),
            at: arguments.edit.as_deref().map(edit).transpose()?,
            changes: arguments.change.as_deref().map(change).transpose()?.unwrap_or_default(),
            then: arguments.then.clone(),
            times: arguments.times.map_or(DEFAULT_TIMES, NonZeroU32::get),
            tools: arguments.tool.iter().cloned().collect(),
            // A session may have gone wrong: that the agent does the same again says nothing.
            by_person: arguments.by_person
                || (arguments.config.is_none() && is_of_session(&store, &run).await?),
        };
        ForkRun::begin(&store, run.number, key, fork, read).await?
    };
    for changed in &fork.changed {
        note_line!("note: {changed} has changed since run {}", fork.source);
    }
    for limits in fork.limits().await {
        note_line!("note: {limits}");
    }
    let jobs = arguments.jobs.or_else(|| std::thread::available_parallelism().ok());
    let jobs = jobs.map_or(1, NonZeroUsize::get);
    let interrupted = run_shown(&mut fork, &store, jobs).await?;
    let outcome = Outcome { patch: fork.patch(Path::new(".")).await?, ..Outcome::of(&fork) };
    match arguments.format {
        ForkFormat::Text => {
            outcome.write(out)?;
            if arguments.patch {
                outcome.write_patch(out)?;
            }
        }
        ForkFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &outcome).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    let number = fork.with.run;
    let left = match interrupted {
        true => format!(". Interrupted; go on with `rehearsal fork {number} --resume`"),
        false => String::new(),
    };
    note_line!("the fork is stored as run {number} in {}{left}", arguments.store.display());
    let counted = fork.with.continuations.counted();
    drop(fork);
    store.close().await;
    Ok(match counted.runs {
        _ if interrupted => Verdict::Interrupted,
        0 => Verdict::Unscored,
        runs if counted.passed == runs => Verdict::Passed,
        _ => Verdict::Failed,
    })
}

/// Whether the run gives a session again, or is a fork of one that does.
async fn is_of_session(store: &RunStore, run: &RunInfo) -> Result<bool, EvalError> {
    let recorded = store.recorded_source(run).await?;
    Ok(recorded.is_some_and(|recorded| recorded.kind == RecordedKind::AdkSession))
}

/// Notes what a person says of continuations, and prints what the fork says then.
async fn decide(
    store: &RunStore,
    run: &RunInfo,
    arguments: &ForkArguments,
    out: &mut impl Write,
) -> Result<Verdict, EvalError> {
    let results = store.summaries(run.number).await?;
    let stored = store.resume(run);
    let passed = arguments.pass.iter().map(|repeat| (repeat.get(), true));
    for (repeat, passed) in passed.chain(arguments.fail.iter().map(|repeat| (repeat.get(), false)))
    {
        let key = results.iter().find(|(key, _)| key.repeat == repeat).map(|(key, _)| key);
        let key = key.ok_or_else(|| {
            EvalError::NoSource(format!("run {} has no repeat {repeat}", run.number))
        })?;
        stored.set_verdict(key, passed, &arguments.note).await?;
    }
    let (with, of) = fork_of(store, run).await?;
    let with = store.summaries(with).await?;
    let without = match of.without {
        Some(without) => Some(store.summaries(without).await?),
        None => None,
    };
    let said = said_of(&of, &with, without.as_ref());
    writeln!(out, "{}", said.unwrap_or_else(|| "Noted.".to_owned()))?;
    Ok(Verdict::Passed)
}

/// Runs what has not ended. Returns whether it was interrupted.
pub(super) async fn run_shown(
    fork: &mut ForkRun,
    store: &RunStore,
    jobs: usize,
) -> Result<bool, EvalError> {
    let interrupts = Interrupts::listen().map_err(EvalError::Interrupts)?;
    let cases = fork.cases();
    let of_case = |case| (1..=fork.fork.times).map(move |repeat| CaseRun { case, repeat });
    let runs: Vec<CaseRun<'_>> = cases.iter().flat_map(of_case).collect();
    let mut progress = Progress::new(&runs, jobs);
    let ended = |case: &EvalCase, result: &EvalResult| {
        progress.ended(result, case.repeats, report::cost_of(Some(case), result));
    };
    let interrupted = tokio::select! {
        biased;
        () = interrupts.first() => true,
        done = fork.run(store, jobs, ended) => {
            done?;
            false
        }
    };
    progress.finish();
    Ok(interrupted)
}

/// The run that is meant: the last one that is not a fork, or the one of the number.
pub(super) async fn chosen(store: &RunStore, choice: RunChoice) -> Result<RunInfo, EvalError> {
    match choice {
        RunChoice::Number(number) => Ok(store.run(number).await?),
        RunChoice::Last => {
            let runs = store.runs().await?;
            let last = runs.into_iter().rev().find(|run| run.fork_of.is_none());
            last.ok_or_else(|| {
                EvalError::NoSource("the store has no run yet; run a suite first".to_owned())
            })
        }
    }
}

/// The result that forks.
async fn source_key(
    store: &RunStore,
    run: i64,
    arguments: &ForkArguments,
) -> Result<ResultKey, EvalError> {
    let mut results = store.summaries(run).await?;
    let known = names(&results);
    let case = arguments.case.as_ref();
    let repeat = arguments.repeat.map(NonZeroU32::get);
    results.retain(|(key, _)| {
        case.is_none_or(|case| key.name == *case)
            && repeat.is_none_or(|repeat| key.repeat == repeat)
    });
    let of_several = names(&results);
    if of_several.len() > 1 {
        // The case is not named. The one that did not pass is meant, if it is one.
        results.retain(|(_, it)| it.status != Status::Passed);
    }
    let left = names(&results);
    match left.len() {
        0 if of_several.len() > 1 => Err(EvalError::NoSource(format!(
            "every case of run {run} passed; choose one with --case: {}",
            of_several.join(", ")
        ))),
        0 => Err(EvalError::NoSource(format!(
            "run {run} has no such result; it has results of {}",
            known.join(", ")
        ))),
        1 => {
            let failed = results.iter().position(|(_, it)| it.status != Status::Passed);
            Ok(results.swap_remove(failed.unwrap_or(0)).0)
        }
        _ => Err(EvalError::NoSource(format!(
            "several cases of run {run} did not pass; choose one with --case: {}",
            left.join(", ")
        ))),
    }
}

/// The names of cases, each once.
fn names(results: &Summaries) -> Vec<String> {
    let mut names: Vec<String> = results.iter().map(|(key, _)| key.name.clone()).collect();
    names.dedup();
    names
}

/// The move of `--edit`.
fn edit(written: &str) -> Result<Move, EvalError> {
    read_move(&text_of(written).map_err(EvalError::Edit)?)
}

/// The changes of `--change`.
fn change(written: &str) -> Result<RequestChanges, EvalError> {
    read_changes(&text_of(written).map_err(EvalError::Change)?)
}

/// The text itself, or that of a file after `@`.
pub(super) fn text_of(written: &str) -> Result<String, String> {
    match written.strip_prefix('@') {
        None => Ok(written.to_owned()),
        Some(path) => std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}")),
    }
}

/// The steps of a run, as JSON.
#[derive(Serialize)]
struct Steps<'a> {
    run: i64,
    suite: &'a str,
    case: &'a str,
    repeat: u32,
    status: Status,
    steps: Vec<Numbered<'a>>,
}

#[derive(Serialize)]
struct Numbered<'a> {
    step: usize,
    at_ms: u64,
    who: &'a str,
    #[serde(flatten)]
    kind: &'a StepKind,
}

fn print_steps(
    format: ForkFormat,
    run: i64,
    key: &ResultKey,
    result: &EvalResult,
    out: &mut impl Write,
) -> Result<(), EvalError> {
    let steps = steps(&result.events);
    if format == ForkFormat::Json {
        let at_ms = |step: &Step| result.events.get(step.at).map_or(0, |entry| entry.at_ms);
        let numbered = steps.iter().enumerate().map(|(at, step)| Numbered {
            step: at + 1,
            at_ms: at_ms(step),
            who: step.kind.who(),
            kind: &step.kind,
        });
        let steps = Steps {
            run,
            suite: &key.suite,
            case: &key.name,
            repeat: key.repeat,
            status: result.status,
            steps: numbered.collect(),
        };
        serde_json::to_writer_pretty(&mut *out, &steps).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    let (name, repeat) = (visible_name(&key.name), key.repeat);
    writeln!(out, "{name}, repeat {repeat} of run {run}: {}", result.status.label())?;
    let width = steps.iter().map(|step| visible_name(step.kind.who()).chars().count()).max();
    let width = width.unwrap_or(0);
    for (at, step) in steps.iter().enumerate() {
        let who = visible_name(step.kind.who());
        writeln!(out, "{:>4}  {who:<width$}  {}", at + 1, what(&step.kind))?;
    }
    if let Some(error) = &result.error {
        writeln!(out, "      {}", error.message.lines().next().unwrap_or_default())?;
    }
    if !steps.is_empty() {
        writeln!(out, "Fork it with --step NUMBER, and say with --edit what happens there")?;
    }
    Ok(())
}

/// What was done at a step, in a line.
pub(super) fn what(kind: &StepKind) -> String {
    match kind {
        StepKind::Message { message } => format!("says {}", excerpt(message)),
        StepKind::Answer { tool, answer } => format!("answers {tool}: {}", excerpt(answer)),
        StepKind::Response { turn, .. } => {
            let text = (!turn.text.is_empty() || turn.calls.is_empty())
                .then(|| format!("says {}", excerpt(&JsonText::string(&turn.text))));
            let calls = turn
                .calls
                .iter()
                .map(|call| format!("calls {} {}", visible_name(&call.tool), excerpt(&call.args)));
            text.into_iter().chain(calls).collect::<Vec<_>>().join(", ")
        }
        StepKind::Result { result, from, .. } => {
            format!("returns {} ({})", excerpt(result), origin(*from))
        }
    }
}

fn origin(from: Origin) -> &'static str {
    match from {
        Origin::Mock => "mock",
        Origin::Real => "real",
        Origin::Sealed => "sealed",
        Origin::Fault => "fault",
        Origin::Given => "given",
        Origin::Framework | Origin::UserAgent => "framework",
    }
}

fn excerpt(value: &JsonText) -> String {
    const MOST: usize = 90;
    let compact = value.compact();
    let text = visible_name(compact.as_str());
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_string(),
    }
}

/// What came of a fork, as JSON.
#[derive(Serialize)]
struct Outcome<'a> {
    run: i64,
    suite: &'a str,
    case: &'a str,
    repeat: u32,
    step: usize,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    at: Option<JsonText>,
    #[serde(skip_serializing_if = "RequestChanges::is_empty")]
    changes: &'a RequestChanges,
    #[serde(skip_serializing_if = "Option::is_none")]
    then: Option<&'a str>,
    #[serde(skip_serializing_if = "ToolModes::is_empty")]
    tools: &'a ToolModes,
    /// The names of the metrics that say which continuations pass.
    decided_by: Vec<&'a str>,
    with: OfSide,
    #[serde(skip_serializing_if = "Option::is_none")]
    without: Option<OfSide>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<OfEffect>,
    sentence: String,
    /// What is changed in requests, as a change of the agent's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<Patch>,
}

#[derive(Serialize)]
struct OfSide {
    /// The run that has them.
    run: i64,
    passed: usize,
    /// Those that count.
    counted: usize,
    times: u32,
    /// Those on which a person is to decide.
    waiting: usize,
    /// Those that count on neither side.
    broken: Vec<Broken>,
}

#[derive(Serialize)]
struct Broken {
    repeat: u32,
    at_fault: Option<&'static str>,
    code: Option<String>,
    message: String,
}

#[derive(Serialize)]
struct OfEffect {
    difference: f64,
    low: f64,
    high: f64,
    is_shown: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    needed: Option<usize>,
}

impl OfSide {
    fn of(side: &Side, times: u32) -> Self {
        let counted = side.continuations.counted();
        let broken = side.continuations.broken().map(|(repeat, result)| Broken {
            repeat,
            at_fault: result.error.as_ref().map(|error| error.at_fault.name()),
            code: result.error.as_ref().map(|error| error.code.to_string()),
            message: result.error.as_ref().map_or_else(
                || "no metric could score it".to_owned(),
                |error| error.message.clone(),
            ),
        });
        Self {
            run: side.run,
            passed: counted.passed,
            counted: counted.runs,
            times,
            waiting: side.continuations.waiting(),
            broken: broken.collect(),
        }
    }
}

impl<'a> Outcome<'a> {
    fn of(run: &'a ForkRun) -> Self {
        let ForkRun { fork, key, source, with, without, .. } = run;
        let plain = without.as_ref().map(|side| &side.continuations);
        let effect = plain.and_then(|plain| effect_of(&with.continuations, plain));
        let of_effect = |effect: Effect| OfEffect {
            difference: effect.difference,
            low: effect.low,
            high: effect.high,
            is_shown: effect.is_shown(),
            needed: effect.needed,
        };
        Self {
            run: *source,
            suite: &key.suite,
            case: &key.name,
            repeat: key.repeat,
            step: fork.step,
            at: fork.at.as_ref().map(Move::json),
            changes: &fork.changes,
            then: fork.then.as_deref(),
            tools: &fork.tools,
            decided_by: run.decided_by(),
            with: OfSide::of(with, fork.times),
            without: without.as_ref().map(|side| OfSide::of(side, fork.times)),
            effect: effect.map(of_effect),
            sentence: sentence(fork.step, fork.changed().as_ref(), &with.continuations, plain),
            patch: None,
        }
    }

    /// The patch, and in notes what is not in it.
    fn write_patch(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(Patch { diff, left_out }) = &self.patch else {
            note_line!("note: the fork changes nothing in requests, so there is no patch");
            return Ok(());
        };
        for reason in left_out {
            note_line!("note: not in the patch: {reason}");
        }
        if diff.is_empty() { Ok(()) } else { write!(out, "\n{diff}") }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (case, repeat) = (visible_name(self.case), self.repeat);
        writeln!(out, "{case}, repeat {repeat} of run {}, from step {} on", self.run, self.step)?;
        let name = match (&self.without, &self.at) {
            (None, _) => "continuations",
            (Some(_), Some(_)) => "with the edit",
            (Some(_), None) => "with the changes",
        };
        let sides = [(name, Some(&self.with)), ("without it", self.without.as_ref())];
        for (name, side) in sides {
            let Some(side) = side else { continue };
            let OfSide { run, passed, counted, waiting, .. } = side;
            writeln!(out, "  {name:<14} {passed} of {counted} pass   (run {run})")?;
            if *waiting > 0 {
                let repeats = counted + waiting;
                writeln!(
                    out,
                    "    {waiting} of {repeats} wait for your verdict: rehearsal fork {run} --pass 1 --fail 2"
                )?;
            }
            for broken in &side.broken {
                let whose = broken.at_fault.map_or_else(String::new, |by| format!(" by {by}"));
                let first = broken.message.lines().next().unwrap_or_default();
                writeln!(out, "    {} not counted{whose}: {first}", broken.repeat)?;
            }
        }
        writeln!(out, "  {:<14} {}", "decided by", self.decided())?;
        writeln!(out, "{}", self.sentence)
    }

    /// What says which continuations pass.
    fn decided(&self) -> String {
        match &*self.decided_by {
            [VERDICT] => "your verdict".to_owned(),
            [GOLDEN_PATH] => format!("the calls of the golden path from step {} on", self.step),
            metrics => visible_name(&metrics.join(", ")),
        }
    }
}
