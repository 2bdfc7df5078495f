//! `rehearsal diagnose`: gives a path that passes up to each of its steps, lets the agent go on from there, and says what
//! is at fault where it leaves the path.
//!
//! The crate `verdict` has the rules. Each step is a fork, stored as a run: a later call goes on with what there is.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;

use eval::continuations::{Continuations, Fork, effect_of};
use eval::fork::{ForkOf, Step, StepKind, steps};
use eval::recorded_source::{RecordedKind, RecordedSource};
use eval::request_changes::RequestChanges;
use eval::result::{EvalResult, ResultSummary, Status};
use eval::run_failure::AtFault;
use eval::store::{ResultKey, RunInfo, RunStore, StoredResult};
use json_text::written_out::visible_name;
use scoring::statistics::{CaseRuns, effect, rate_interval};
use serde::Serialize;
use verdict::{Cause, Curve, Evidence, PathEnd, Point, Tried, TriedKind, Uncounted, verdict};

use super::EvalError;
use super::arguments::{DiagnoseArguments, ForkFormat, ForkSource};
use super::fork::{chosen, run_shown, text_of, what};
use super::fork_run::{ForkRun, read_changes, stored};
use super::recorded_run::{kind_of, recorded_run};
use crate::cli::note_line::note_line;
use crate::cli::score::Verdict as Exit;

/// How often the agent goes on from each step at most, if nothing else is asked for.
const DEFAULT_TIMES: u32 = 20;
/// The characters of a bar of the curve.
const BAR: usize = 20;

/// A path, and the forks of it.
struct GivenPath<'a> {
    store: &'a RunStore,
    arguments: &'a DiagnoseArguments,
    run: i64,
    key: ResultKey,
    jobs: usize,
    times: u32,
}

/// Prints where the model leaves a path, and what is at fault.
///
/// # Errors
/// [`EvalError`] if no path passes, it cannot fork, or results can be neither stored nor written.
pub async fn diagnose(
    arguments: &DiagnoseArguments,
    out: &mut (impl Write + Send),
) -> Result<Exit, EvalError> {
    let store = match &arguments.source {
        ForkSource::Run(_) => RunStore::open_existing(&arguments.store).await?,
        ForkSource::File(_) => RunStore::open(&arguments.store).await?,
    };
    let (run, key) = source(&store, arguments).await?;
    let StoredResult { result, .. } = stored(&store, run.number, &key).await?;
    let steps = steps(&result.events);
    let kind = run.recorded.as_ref().map(|recorded| recorded.kind);
    if kind == Some(RecordedKind::AdkSession) && arguments.config.is_none() {
        return Err(EvalError::NoSource(
            "a session of adk web may have gone wrong, so it cannot serve as a path. Name criteria with --config that say what passes, or fork it and take a continuation that passed".to_owned(),
        ));
    }
    let end = match (result.status, kind) {
        (Status::Passed, _) | (Status::Unscored, Some(_)) => PathEnd::Passes,
        (_, None) => {
            return Err(EvalError::NoSource(format!(
                "{}, repeat {} of run {}, did not pass. Name a path that does: a case that a person rehearsed (FILE), or a result that passed",
                visible_name(&key.name),
                key.repeat,
                run.number
            )));
        }
        (_, Some(_)) => PathEnd::Fails(why(&result)),
    };
    let jobs = arguments.jobs.or_else(|| std::thread::available_parallelism().ok());
    let path = GivenPath {
        store: &store,
        arguments,
        run: run.number,
        key,
        jobs: jobs.map_or(1, NonZeroUsize::get),
        times: arguments.times.map_or(DEFAULT_TIMES, NonZeroU32::get),
    };
    let diagnosis = path.diagnosis(end, &steps).await?;
    let Some(diagnosis) = diagnosis else {
        note_line!("Interrupted; call it again to go on with what has ended");
        return Ok(Exit::Interrupted);
    };
    match arguments.format {
        ForkFormat::Text => diagnosis.write(out)?,
        ForkFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &diagnosis).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    let cause = diagnosis.verdict.cause;
    store.close().await;
    Ok(match cause {
        Cause::Nothing => Exit::Passed,
        Cause::Undecided => Exit::Unscored,
        _ => Exit::Failed,
    })
}

/// Why a result did not pass.
fn why(result: &EvalResult) -> String {
    ResultSummary::of(result).why().unwrap_or_else(|| result.status.label().to_owned())
}

/// The result that has the path.
async fn source(
    store: &RunStore,
    arguments: &DiagnoseArguments,
) -> Result<(RunInfo, ResultKey), EvalError> {
    let read = |suite: &Path| arguments.of_suites(vec![suite.to_owned()]);
    match &arguments.source {
        ForkSource::Run(choice) => {
            let run = chosen(store, *choice).await?;
            let mut results = store.summaries(run.number).await?;
            results.retain(|(key, _)| arguments.case.as_ref().is_none_or(|case| key.name == *case));
            results.sort_by_key(|(_, it)| it.status != Status::Passed);
            let Some((key, _)) = results.first() else {
                return Err(EvalError::NoSource(format!("run {} has no such result", run.number)));
            };
            if results.iter().any(|(other, _)| other.name != key.name) {
                return Err(EvalError::NoSource(format!(
                    "run {} has several cases; choose one with --case",
                    run.number
                )));
            }
            let key = key.clone();
            Ok((run, key))
        }
        ForkSource::File(file) => {
            let kind = kind_of(file)?;
            let agent = arguments.agent.as_deref().map(std::path::absolute).transpose()?;
            let criteria = arguments.config.as_deref().map(std::path::absolute).transpose()?;
            let source = RecordedSource { kind, agent, criteria };
            let recorded =
                recorded_run(store, file, arguments.case.as_deref(), &source, read).await?;
            Ok((store.run(recorded.run).await?, recorded.key))
        }
    }
}

impl GivenPath<'_> {
    /// Runs what is needed; `None` if it was interrupted.
    async fn diagnosis(
        &self,
        end: PathEnd,
        steps: &[Step],
    ) -> Result<Option<Diagnosis>, EvalError> {
        let of_model = |(at, step): (usize, &Step)| {
            matches!(step.kind, StepKind::Response { .. }).then_some(at + 1)
        };
        let at: Vec<usize> = steps.iter().enumerate().filter_map(of_model).collect();
        if at.is_empty() {
            return Err(EvalError::NoSource(format!(
                "{} has no response of a model to give",
                visible_name(&self.key.name)
            )));
        }
        let changes = self.changes()?;
        let tries = 2 * changes.len() + self.arguments.model.len();
        let most = (at.len() + tries) as u64 * u64::from(self.times);
        note_line!(
            "at most {most} runs of the agent, besides those that something else ends: {} steps{}, {} times each",
            at.len(),
            if tries == 0 { String::new() } else { format!(" and {tries} sides of what is tried") },
            self.times
        );
        let fails = matches!(end, PathEnd::Fails(_));
        // Half of the runs first, and the others where they may decide.
        let mut looked = Looked::default();
        // A path that does not pass itself says nothing of the agent.
        for step in at.into_iter().filter(|_| !fails) {
            let Some(()) = self.look(step, self.times.div_ceil(2), &mut looked).await? else {
                return Ok(None);
            };
        }
        let most = usize::try_from(self.times).unwrap_or(usize::MAX);
        for step in looked.curve().undecided(most) {
            let Some(()) = self.look(step, self.times, &mut looked).await? else {
                return Ok(None);
            };
        }
        let (curve, uncounted) = (looked.curve(), looked.uncounted());
        let points: Vec<CurvePoint> = looked
            .0
            .iter()
            .map(|(step, (run, it))| {
                CurvePoint::of(*step, *run, it.counted(), &steps[step - 1].kind)
            })
            .collect();
        let jump = curve.jumps().into_iter().next();
        let mut tried = Vec::new();
        let mut choices = Vec::new();
        if let Some(jump) = jump {
            let run = points.iter().find(|it| it.step == jump.step).map_or(0, |it| it.run);
            choices = self.choices(run, jump.step).await?;
            // As often as it took to find the step.
            let times = u32::try_from(jump.effect.without.runs).unwrap_or(self.times).max(1);
            for (name, kind, change) in changes {
                let fork = Fork { changes: change, ..self.plain(jump.step, times) };
                let Some(fork) = self.forked(fork).await? else { return Ok(None) };
                let without = fork.without.as_ref().map(|side| &side.continuations);
                let effect = without.and_then(|it| effect_of(&fork.with.continuations, it));
                tried.extend(effect.map(|effect| Tried { kind, name, effect }));
            }
            for model in &self.arguments.model {
                let fork = Fork { then: Some(model.clone()), ..self.plain(jump.step, times) };
                let Some(fork) = self.forked(fork).await? else { return Ok(None) };
                let effect = effect(fork.with.continuations.counted(), jump.effect.without);
                let name = format!("the model to {model}");
                tried.extend(effect.map(|effect| Tried { kind: TriedKind::Model, name, effect }));
            }
        }
        let evidence = Evidence { end, curve, uncounted, tried };
        Ok(Some(Diagnosis {
            run: self.run,
            suite: self.key.suite.clone(),
            case: self.key.name.clone(),
            curve: points,
            path: jump.map(|jump| what(&steps[jump.step - 1].kind)),
            choices,
            verdict: verdict(&evidence),
            tried: evidence.tried,
        }))
    }

    /// Lets the agent go on from a step, in all so often; `None` if it was interrupted.
    async fn look(
        &self,
        step: usize,
        times: u32,
        looked: &mut Looked,
    ) -> Result<Option<()>, EvalError> {
        let Some(fork) = self.forked(self.plain(step, times)).await? else { return Ok(None) };
        looked.0.insert(step, (fork.with.run, fork.with.continuations));
        Ok(Some(()))
    }

    fn plain(&self, step: usize, times: u32) -> Fork {
        Fork {
            step,
            then: self.arguments.then.clone(),
            times,
            tools: self.arguments.tool.iter().cloned().collect(),
            ..Fork::default()
        }
    }

    /// What is to be tried, with its name.
    fn changes(&self) -> Result<Vec<(String, TriedKind, RequestChanges)>, EvalError> {
        let read = |written: &String| {
            let changes = read_changes(&text_of(written).map_err(EvalError::Change)?)?;
            let RequestChanges { instructions, tools, temperature } = &changes;
            let kind = match (instructions.is_empty(), tools.is_empty(), temperature.is_none()) {
                (false, true, true) => TriedKind::Instructions,
                (true, false, true) => TriedKind::Tools,
                (true, true, false) => TriedKind::Model,
                _ => TriedKind::Several,
            };
            Ok((format!("the {}", changes.name()), kind, changes))
        };
        self.arguments.change.iter().map(read).collect()
    }

    /// A fork with its continuations: what is stored already, and what is missing; `None` if it was interrupted.
    async fn forked(&self, fork: Fork) -> Result<Option<ForkRun>, EvalError> {
        let read = |suite: &Path| self.arguments.of_suites(vec![suite.to_owned()]);
        let is_it = |of: &ForkOf| {
            (of.run, of.repeat, of.step, of.at.is_none())
                == (self.run, self.key.repeat, fork.step, true)
                && (&of.suite, &of.case) == (&self.key.suite, &self.key.name)
                && (&of.changes, &of.then, &of.tools) == (&fork.changes, &fork.then, &fork.tools)
                && !of.by_person
                && of.without.is_some() != fork.changes.is_empty()
        };
        let runs = self.store.runs().await?;
        let is_free = |run: &&RunInfo| !self.store.is_claimed(run.number);
        let found =
            runs.iter().rev().filter(|run| run.fork_of.as_ref().is_some_and(is_it)).find(is_free);
        let mut forked = match found {
            Some(run) => {
                let before = run.fork_of.as_ref().and_then(|of| of.times).unwrap_or(0);
                let times = Some(fork.times.max(before));
                ForkRun::resume(self.store, run, times, read).await?
            }
            None => ForkRun::begin(self.store, self.run, self.key.clone(), fork, read).await?,
        };
        let interrupted = run_shown(&mut forked, self.store, self.jobs).await?;
        Ok((!interrupted).then_some(forked))
    }

    /// What the model did at the step, the most frequent first.
    async fn choices(&self, run: i64, step: usize) -> Result<Vec<Choice>, EvalError> {
        let mut choices: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (key, summary) in self.store.summaries(run).await? {
            let StoredResult { result, .. } = stored(self.store, run, &key).await?;
            let steps = steps(&result.events);
            let did = steps.get(step - 1).map_or("ends".to_owned(), |step| what(&step.kind));
            let choice = choices.entry(did).or_default();
            choice.0 += 1;
            choice.1 += usize::from(summary.status == Status::Passed);
        }
        let mut choices: Vec<Choice> = choices
            .into_iter()
            .map(|(what, (runs, passed))| Choice { what, runs, passed })
            .collect();
        choices.sort_by_key(|choice| std::cmp::Reverse(choice.runs));
        Ok(choices)
    }
}

/// The continuations from each step so far, with their runs.
#[derive(Default)]
struct Looked(BTreeMap<usize, (i64, Continuations)>);

impl Looked {
    fn curve(&self) -> Curve {
        let point = |(step, (_, it)): (&usize, &(i64, Continuations))| Point {
            step: *step,
            runs: it.counted(),
        };
        Curve { points: self.0.iter().map(point).collect(), looks: 2 }
    }

    /// Those that something else than the agent ended.
    fn uncounted(&self) -> Uncounted {
        let mut uncounted = Uncounted::default();
        for (_, result) in self.0.values().flat_map(|(_, it)| it.broken()) {
            match result.error.as_ref().map(|error| error.at_fault) {
                Some(AtFault::UserAgent) => uncounted.user += 1,
                Some(AtFault::Mock) => uncounted.mock += 1,
                Some(AtFault::Metric) | None => uncounted.metric += 1,
                Some(AtFault::Infrastructure | AtFault::Subject) => uncounted.infrastructure += 1,
            }
        }
        uncounted
    }
}

/// What is printed.
#[derive(Serialize)]
struct Diagnosis {
    run: i64,
    suite: String,
    case: String,
    curve: Vec<CurvePoint>,
    /// What the path has where the model leaves it.
    path: Option<String>,
    /// What the model did there.
    choices: Vec<Choice>,
    tried: Vec<Tried>,
    #[serde(flatten)]
    verdict: verdict::Verdict,
}

#[derive(Serialize)]
struct CurvePoint {
    /// The step that the model does; those before it are given.
    step: usize,
    /// The run that has them.
    run: i64,
    passed: usize,
    /// Those that count.
    counted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    /// What the path has at the step.
    path: String,
}

#[derive(Serialize)]
struct Choice {
    what: String,
    runs: usize,
    passed: usize,
}

impl CurvePoint {
    fn of(step: usize, run: i64, runs: CaseRuns, path: &StepKind) -> Self {
        let once = |at| CaseRuns { passed: usize::from(at < runs.passed), runs: 1 };
        let interval = rate_interval((0..runs.runs).map(once));
        Self {
            step,
            run,
            passed: runs.passed,
            counted: runs.runs,
            low: interval.map(|it| it.low),
            high: interval.map(|it| it.high),
            path: what(path),
        }
    }
}

impl Diagnosis {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}, given up to each step (run {})", visible_name(&self.case), self.run)?;
        if !self.curve.is_empty() {
            writeln!(out, "  step  passed                            the path there")?;
        }
        for point in &self.curve {
            let CurvePoint { step, passed, counted, path, .. } = point;
            let full = (BAR * passed).checked_div(*counted).unwrap_or(0);
            let bar: String = std::iter::repeat_n('█', full)
                .chain(std::iter::repeat_n('·', BAR - full))
                .collect();
            let share = format!("{passed} of {counted}");
            writeln!(out, "  {step:>4}  {share:<9} {bar}    {path}")?;
        }
        for choice in &self.choices {
            let Choice { what, runs, passed } = choice;
            writeln!(out, "  the model {what}: {runs} times, {passed} passed")?;
        }
        for said in &self.verdict.because {
            writeln!(out, "{said}")?;
        }
        writeln!(out, "At fault: {}", cause(self.verdict.cause))?;
        for next in &self.verdict.next {
            writeln!(out, "  {next}")?;
        }
        Ok(())
    }
}

fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Nothing => "nothing",
        Cause::Tools => "the tools",
        Cause::Instructions => "the instructions",
        Cause::Model => "the model",
        Cause::Case => "the case",
        Cause::SimulatedUser => "the simulated user",
        Cause::Mock => "a mock",
        Cause::Infrastructure => "the infrastructure",
        Cause::Several => "several: each of these changes repairs it",
        Cause::Undecided => "undecided",
    }
}
