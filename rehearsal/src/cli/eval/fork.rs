//! `rehearsal fork`: gives a stored run again up to a step, and lets the agent go on from there.
//!
//! `eval::continuations` runs them and says what they show. This module finds the run, reads the edit, shows progress
//! and prints.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use eval::continuations::{Continuations, Fork, Sides, effect_of, sentence};
use eval::fork::{ForkOf, Move, Step, StepKind, steps};
use eval::ledger::Origin;
use eval::result::{EvalResult, Status};
use eval::store::{ResultKey, RunInfo, RunStore, StoredResult, StoredRun};
use eval::{CaseRun, EvalCase};
use json_text::JsonText;
use json_text::written_out::visible_name;
use scoring::statistics::Effect;
use serde::Serialize;

use super::arguments::{ForkArguments, ForkFormat, RunChoice};
use super::interrupts::Interrupts;
use super::progress::Progress;
use super::{EvalError, check_sides, report, selection};
use crate::cli::note_line::note_line;
use crate::cli::score::Verdict;

/// Prints the steps of a run, or forks it at one and prints what came of it.
///
/// # Errors
/// [`EvalError`] if the run cannot fork, or results can be neither stored nor written.
pub async fn fork(
    arguments: &ForkArguments,
    out: &mut (impl Write + Send),
) -> Result<Verdict, EvalError> {
    let store = RunStore::open_existing(&arguments.store).await?;
    let run = chosen(&store, arguments.run).await?;
    let of = if arguments.resume {
        let number = run.number;
        let of = run.fork_of.clone();
        let no_fork = || {
            EvalError::NoSource(format!(
                "run {number} is not a fork; leave out --resume, and name a --step of it"
            ))
        };
        Some(of.ok_or_else(no_fork)?)
    } else {
        None
    };
    let source = match &of {
        None => run.number,
        Some(of) => of.run,
    };
    let (key, found) = source_result(&store, source, of.as_ref(), arguments).await?;
    let step = match (&of, arguments.step) {
        (Some(of), _) => of.step,
        (None, Some(step)) => step.get(),
        (None, None) => {
            print_steps(arguments.format, source, &key, &found.result, out)?;
            return Ok(Verdict::Passed);
        }
    };
    let at = match &of {
        Some(of) => of.at.as_ref().map(|at| read_move(at.as_str())).transpose()?,
        None => arguments.edit.as_deref().map(edit).transpose()?,
    };
    let then = match &of {
        Some(of) => of.then.clone(),
        None => arguments.then.clone(),
    };
    let fork = Fork { step, at, then, times: arguments.times.get() };
    let case = case(arguments, &key)?;
    for changed in case.source.changed_since(&found.hashes) {
        let what = match changed {
            eval::case::Changed::Case => key.name.as_str(),
            eval::case::Changed::File(name) => name,
        };
        note_line!("note: {what} has changed since run {source}");
    }
    let sides = fork.sides(&case, &found.result)?;
    let mut with = Side::new(&sides.with, &store, of.as_ref().map(|_| run.number)).await?;
    let without = of.as_ref().and_then(|of| of.without);
    let mut without = match &sides.without {
        Some(case) => Some(Side::new(case, &store, without).await?),
        None => None,
    };
    check_sides(&sides).await?;
    for limits in sides.with.subject.limits(&sides.with.needs()).await {
        note_line!("note: {limits}");
    }
    let begun = ForkOf {
        run: source,
        suite: key.suite.clone(),
        case: key.name.clone(),
        repeat: key.repeat,
        step,
        at: None,
        then: fork.then.clone(),
        without: None,
    };
    let stored_without = match &without {
        None => None,
        Some(Side { number: Some(number), .. }) => Some(store.resume_number(*number)),
        Some(_) => Some(store.begin_fork(&begun).await?),
    };
    let stored_with = match with.number {
        Some(number) => store.resume_number(number),
        None => {
            let at = fork.at.as_ref().map(Move::json);
            let without = stored_without.as_ref().map(StoredRun::number);
            store.begin_fork(&ForkOf { at, without, ..begun }).await?
        }
    };
    let numbers = stored_without.iter().chain([&stored_with]).map(StoredRun::number);
    let claims = numbers.map(|number| store.claim(number)).collect::<Result<Vec<_>, _>>()?;
    let jobs = arguments.jobs.or_else(|| std::thread::available_parallelism().ok());
    let jobs = jobs.map_or(1, NonZeroUsize::get);
    let interrupted = run_sides(
        &sides,
        (&mut with, &stored_with),
        without.as_mut().zip(stored_without.as_ref()),
        jobs,
    )
    .await?;
    let outcome = Outcome::of(
        &fork,
        &key,
        source,
        &sides,
        (&with, &stored_with),
        without.as_ref().zip(stored_without.as_ref()),
    );
    match arguments.format {
        ForkFormat::Text => outcome.write(out)?,
        ForkFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &outcome).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    let number = stored_with.number();
    let left = match interrupted {
        true => format!(
            ". Interrupted; go on with `rehearsal fork {number} --resume --times {}`",
            fork.times
        ),
        false => String::new(),
    };
    note_line!("the fork is stored as run {number} in {}{left}", arguments.store.display());
    store.close().await;
    drop(claims);
    let counted = with.continuations.counted();
    Ok(match counted.runs {
        _ if interrupted => Verdict::Interrupted,
        0 => Verdict::Unscored,
        runs if counted.passed == runs => Verdict::Passed,
        _ => Verdict::Failed,
    })
}

/// A side of a fork and what there is of it.
struct Side {
    continuations: Continuations,
    /// The run that it continues.
    number: Option<i64>,
}

impl Side {
    async fn new(
        case: &EvalCase,
        store: &RunStore,
        number: Option<i64>,
    ) -> Result<Self, EvalError> {
        let continuations = match number {
            Some(number) => Continuations::stored(case, store.results(number).await?),
            None => Continuations::default(),
        };
        Ok(Self { continuations, number })
    }
}

/// Runs what has not ended. Returns whether it was interrupted.
async fn run_sides(
    sides: &Sides,
    with: (&mut Side, &StoredRun<'_>),
    without: Option<(&mut Side, &StoredRun<'_>)>,
    jobs: usize,
) -> Result<bool, EvalError> {
    let interrupts = Interrupts::listen().map_err(EvalError::Interrupts)?;
    let of_case = |case| (1..=sides.with.repeats).map(move |repeat| CaseRun { case, repeat });
    let runs: Vec<CaseRun<'_>> =
        of_case(&sides.with).chain(sides.without.iter().flat_map(of_case)).collect();
    let mut progress = Progress::new(&runs, jobs);
    let work = async {
        let (side, stored) = with;
        let case = &sides.with;
        let mut ended = |result: &EvalResult| {
            progress.ended(result, case.repeats, report::cost_of(Some(case), result));
        };
        side.continuations.run(case, jobs, Some(stored), &mut ended).await?;
        if let Some((case, (side, stored))) = sides.without.as_ref().zip(without) {
            side.continuations.run(case, jobs, Some(stored), &mut ended).await?;
        }
        Ok::<_, EvalError>(())
    };
    let interrupted = tokio::select! {
        biased;
        () = interrupts.first() => true,
        done = work => {
            done?;
            false
        }
    };
    progress.finish();
    Ok(interrupted)
}

/// The run that is meant: the last one that is not a fork, or the one of the number.
async fn chosen(store: &RunStore, choice: RunChoice) -> Result<RunInfo, EvalError> {
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
async fn source_result(
    store: &RunStore,
    run: i64,
    of: Option<&ForkOf>,
    arguments: &ForkArguments,
) -> Result<(ResultKey, StoredResult), EvalError> {
    let mut results: Vec<(ResultKey, StoredResult)> =
        store.results(run).await?.into_iter().collect();
    results.sort_by(|(one, _), (other, _)| {
        (&one.suite, &one.name, one.repeat).cmp(&(&other.suite, &other.name, other.repeat))
    });
    let known = names(results.iter().map(|(key, _)| key));
    let case = of.map(|of| &of.case).or(arguments.case.as_ref());
    let repeat = of.map(|of| of.repeat).or(arguments.repeat.map(Into::into));
    let is_meant = |key: &ResultKey| {
        case.is_none_or(|case| key.name == *case)
            && repeat.is_none_or(|repeat| key.repeat == repeat)
            && of.is_none_or(|of| key.suite == of.suite)
    };
    results.retain(|(key, _)| is_meant(key));
    let of_several = names(results.iter().map(|(key, _)| key));
    if of_several.len() > 1 {
        // The case is not named. The one that did not pass is meant, if it is one.
        results.retain(|(_, it)| it.result.status != Status::Passed);
    }
    let left = names(results.iter().map(|(key, _)| key));
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
            let failed = results.iter().position(|(_, it)| it.result.status != Status::Passed);
            Ok(results.swap_remove(failed.unwrap_or(0)))
        }
        _ => Err(EvalError::NoSource(format!(
            "several cases of run {run} did not pass; choose one with --case: {}",
            left.join(", ")
        ))),
    }
}

/// The names of cases, each once.
fn names<'k>(keys: impl Iterator<Item = &'k ResultKey>) -> Vec<String> {
    let mut names: Vec<String> = keys.map(|key| key.name.clone()).collect();
    names.dedup();
    names
}

/// The case of a result, as its suite has it now.
fn case(arguments: &ForkArguments, key: &ResultKey) -> Result<EvalCase, EvalError> {
    let cases = selection::cases(&arguments.of_suites(vec![PathBuf::from(&key.suite)]))?;
    let found = cases.into_iter().find(|case| case.name == key.name);
    found.ok_or_else(|| {
        EvalError::NoSource(format!(
            "{} has no case {} any more; a case that was renamed must run again",
            key.suite, key.name
        ))
    })
}

/// The move of `--edit`: JSON, or a file after `@`.
fn edit(written: &str) -> Result<Move, EvalError> {
    match written.strip_prefix('@') {
        None => read_move(written),
        Some(path) => {
            let text = std::fs::read_to_string(path);
            read_move(&text.map_err(|error| EvalError::Edit(format!("{path}: {error}")))?)
        }
    }
}

fn read_move(text: &str) -> Result<Move, EvalError> {
    Move::read(text).map_err(|error| EvalError::Edit(error.to_string()))
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
fn what(kind: &StepKind) -> String {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    then: Option<&'a str>,
    with: OfSide,
    #[serde(skip_serializing_if = "Option::is_none")]
    without: Option<OfSide>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<OfEffect>,
    sentence: String,
}

#[derive(Serialize)]
struct OfSide {
    /// The run that has them.
    run: i64,
    passed: usize,
    /// Those that count.
    counted: usize,
    times: usize,
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
    fn of(side: &Side, stored: &StoredRun<'_>, case: &EvalCase) -> Self {
        let counted = side.continuations.counted();
        let broken = side.continuations.broken().map(|result| Broken {
            repeat: result.repeat,
            at_fault: result.error.as_ref().map(|error| error.at_fault.name()),
            code: result.error.as_ref().map(|error| error.code.to_string()),
            message: result.error.as_ref().map_or_else(
                || "no metric could score it".to_owned(),
                |error| error.message.clone(),
            ),
        });
        Self {
            run: stored.number(),
            passed: counted.passed,
            counted: counted.runs,
            times: usize::try_from(case.repeats).unwrap_or(usize::MAX),
            broken: broken.collect(),
        }
    }
}

impl<'a> Outcome<'a> {
    fn of(
        fork: &'a Fork,
        key: &'a ResultKey,
        run: i64,
        sides: &Sides,
        with: (&Side, &StoredRun<'_>),
        without: Option<(&Side, &StoredRun<'_>)>,
    ) -> Self {
        let edit = fork.at.as_ref().map(|at| &at.edit);
        let plain = without.map(|(side, _)| &side.continuations);
        let effect = plain.and_then(|plain| effect_of(&with.0.continuations, plain));
        let of_effect = |effect: Effect| OfEffect {
            difference: effect.difference,
            low: effect.low,
            high: effect.high,
            is_shown: effect.is_shown(),
            needed: effect.needed,
        };
        Self {
            run,
            suite: &key.suite,
            case: &key.name,
            repeat: key.repeat,
            step: fork.step,
            at: fork.at.as_ref().map(Move::json),
            then: fork.then.as_deref(),
            with: OfSide::of(with.0, with.1, &sides.with),
            without: without
                .zip(sides.without.as_ref())
                .map(|((side, stored), case)| OfSide::of(side, stored, case)),
            effect: effect.map(of_effect),
            sentence: sentence(fork.step, edit, &with.0.continuations, plain),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (case, repeat) = (visible_name(self.case), self.repeat);
        writeln!(out, "{case}, repeat {repeat} of run {}, from step {} on", self.run, self.step)?;
        let name = if self.without.is_some() { "with the edit" } else { "continuations" };
        let sides = [(name, Some(&self.with)), ("without it", self.without.as_ref())];
        for (name, side) in sides {
            let Some(side) = side else { continue };
            let OfSide { run, passed, counted, .. } = side;
            writeln!(out, "  {name:<14} {passed} of {counted} pass   (run {run})")?;
            for broken in &side.broken {
                let whose = broken.at_fault.map_or_else(String::new, |by| format!(" by {by}"));
                let first = broken.message.lines().next().unwrap_or_default();
                writeln!(out, "    {} not counted{whose}: {first}", broken.repeat)?;
            }
        }
        writeln!(out, "{}", self.sentence)
    }
}
