//! [`ForkRun`]: a fork of a stored run whose continuations are stored as runs.
//!
//! `eval::continuations` runs them. This module finds what a fork needs in the store and in the suite, and keeps others
//! from continuing it meanwhile; the command line and the page use it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eval::EvalCase;
use eval::case::{Changed, model_in};
use eval::continuations::{Continuations, Fork, ForkRunError, Sides};
use eval::fork::{ForkOf, Move};
use eval::recorded_source::RecordedSource;
use eval::request_changes::RequestChanges;
use eval::result::EvalResult;
use eval::source_patch::Patch;
use eval::store::{ResultKey, RunClaim, RunInfo, RunStore, StoredResult};
use eval::under_way::CasesUnderWay;

use super::recorded_run::of_recorded;
use super::{EvalArguments, EvalError, check_sides, selection};

/// A fork with what there is of it.
pub(crate) struct ForkRun {
    /// What it is.
    pub(crate) fork: Fork,
    /// The run that is forked.
    pub(crate) source: i64,
    /// The result that is forked.
    pub(crate) key: ResultKey,
    /// What has changed since it ran: the case, or a file.
    pub(crate) changed: Vec<String>,
    /// The continuations with the move; without a move, all of them.
    pub(crate) with: Side,
    /// The continuations without the move.
    pub(crate) without: Option<Side>,
    sides: Sides,
    _claims: Vec<RunClaim>,
}

/// One side of a fork.
pub(crate) struct Side {
    /// The run that stores it.
    pub(crate) run: i64,
    /// The continuations so far.
    pub(crate) continuations: Continuations,
}

impl ForkRun {
    /// Begins the runs of a fork. `read` gives the arguments with which a suite is read.
    ///
    /// # Errors
    /// [`EvalError`] if the run cannot fork there, or the agent does not have what its case names.
    pub(crate) async fn begin(
        store: &RunStore,
        source: i64,
        key: ResultKey,
        fork: Fork,
        read: impl Fn(&Path) -> EvalArguments,
    ) -> Result<Self, EvalError> {
        let (sides, changed) = prepared(store, source, &key, &fork, read).await?;
        let of = ForkOf {
            run: source,
            suite: key.suite.clone(),
            case: key.name.clone(),
            repeat: key.repeat,
            step: fork.step,
            at: None,
            changes: RequestChanges::default(),
            then: fork.then.clone(),
            times: Some(fork.times),
            tools: fork.tools.clone(),
            by_person: fork.by_person,
            without: None,
        };
        let without = match &sides.without {
            Some(_) => Some(Side::new(store.begin_fork(&of).await?.number())),
            None => None,
        };
        let at = fork.at.as_ref().map(Move::json);
        let changes = fork.changes.clone();
        let of = ForkOf { at, changes, without: without.as_ref().map(|side| side.run), ..of };
        let with = Side::new(store.begin_fork(&of).await?.number());
        let claims = claim(store, &with, without.as_ref())?;
        Ok(Self { fork, source, key, changed, with, without, sides, _claims: claims })
    }

    /// Continues a stored fork, to `times` continuations if they are given.
    ///
    /// # Errors
    /// As [`ForkRun::begin`], and [`EvalError::NoSource`] if the run is not a fork.
    pub(crate) async fn resume(
        store: &RunStore,
        run: &RunInfo,
        times: Option<u32>,
        read: impl Fn(&Path) -> EvalArguments,
    ) -> Result<Self, EvalError> {
        let number = run.number;
        let of = run.fork_of.as_ref().ok_or_else(|| {
            EvalError::NoSource(format!(
                "run {number} is not a fork; leave out --resume, and name a --step of it"
            ))
        })?;
        let times = times.or(of.times).ok_or_else(|| {
            EvalError::NoSource(format!(
                "run {number} does not say how many continuations it has; give --times"
            ))
        })?;
        let fork = Fork {
            step: of.step,
            at: of.at.as_ref().map(|at| read_move(at.as_str())).transpose()?,
            changes: of.changes.clone(),
            then: of.then.clone(),
            times,
            tools: of.tools.clone(),
            by_person: of.by_person,
        };
        let key = ResultKey { suite: of.suite.clone(), name: of.case.clone(), repeat: of.repeat };
        let (sides, changed) = prepared(store, of.run, &key, &fork, read).await?;
        let mut with = Side::new(number);
        let mut without = of.without.map(Side::new);
        let claims = claim(store, &with, without.as_ref())?;
        for (side, case) in
            [(Some(&mut with), Some(&sides.with)), (without.as_mut(), sides.without.as_ref())]
        {
            let Some((side, case)) = side.zip(case) else { continue };
            side.continuations = Continuations::stored(case, store.results(side.run).await?);
            if let Some(of) = store.run(side.run).await?.fork_of {
                store.set_times(side.run, &of, times).await?;
            }
        }
        let source = of.run;
        Ok(Self { fork, source, key, changed, with, without, sides, _claims: claims })
    }

    /// The cases that continue: with the move, and without it.
    pub(crate) fn cases(&self) -> Vec<EvalCase> {
        std::iter::once(&self.sides.with).chain(&self.sides.without).cloned().collect()
    }

    /// Lists the continuations of each side while they run: `list` gives the list of a run.
    pub(crate) fn list_in(&mut self, list: impl Fn(i64) -> Arc<CasesUnderWay>) {
        self.sides.with.under_way = Some(list(self.with.run));
        if let (Some(side), Some(case)) = (&self.without, &mut self.sides.without) {
            case.under_way = Some(list(side.run));
        }
    }

    /// The names of the metrics that say which continuations pass.
    pub(crate) fn decided_by(&self) -> Vec<&str> {
        self.sides.decided_by()
    }

    /// What it changes in requests, as a change of the agent's files, which are named from `base`; `None` if it changes
    /// nothing there, or the agent has no folder.
    ///
    /// # Errors
    /// [`EvalError::Unfit`] if the agent cannot be loaded.
    pub(crate) async fn patch(&self, base: &Path) -> Result<Option<Patch>, EvalError> {
        let case = &self.sides.with;
        let Some(folder) = case.subject.folder().filter(|_| !self.fork.changes.is_empty()) else {
            return Ok(None);
        };
        let own = case.subject.own_texts(&case.needs()).await;
        let own = own.map_err(|failure| EvalError::unfit(case, failure))?;
        Ok(Some(Patch::of(&self.fork.changes, &own, folder, base)))
    }

    /// What the machine does not give to the runs, such as a seal.
    pub(crate) async fn limits(&self) -> Vec<String> {
        let case = &self.sides.with;
        case.subject.limits(&case.needs()).await
    }

    /// Runs what has not ended. Each result is stored, and then given to `ended` with its case.
    ///
    /// # Errors
    /// [`ForkRunError`] if the agent goes another way, or a result cannot be stored.
    pub(crate) async fn run(
        &mut self,
        store: &RunStore,
        jobs: usize,
        mut ended: impl FnMut(&EvalCase, &EvalResult),
    ) -> Result<(), ForkRunError> {
        let sides = [
            (Some(&mut self.with), Some(&self.sides.with)),
            (self.without.as_mut(), self.sides.without.as_ref()),
        ];
        for (side, case) in sides {
            let Some((side, case)) = side.zip(case) else { continue };
            let stored = store.resume_number(side.run);
            let ended = |result: &EvalResult| ended(case, result);
            side.continuations.run(case, jobs, Some(&stored), ended).await?;
        }
        Ok(())
    }
}

impl Side {
    fn new(run: i64) -> Self {
        Self { run, continuations: Continuations::default() }
    }
}

/// Reads a move.
///
/// # Errors
/// [`EvalError::Edit`] if it is none.
pub(crate) fn read_move(text: &str) -> Result<Move, EvalError> {
    Move::read(text).map_err(|error| EvalError::Edit(error.to_string()))
}

/// Reads changes of requests.
///
/// # Errors
/// [`EvalError::Change`] if they are none.
pub(crate) fn read_changes(text: &str) -> Result<RequestChanges, EvalError> {
    serde_json::from_str(text).map_err(|error| {
        EvalError::Change(format!(
            "the changes are not valid: {error}. Write an object with `instructions` by agent, `tools` by name and `temperature`, such as {{\"instructions\": {{\"desk\": \"Refund at once.\"}}}}"
        ))
    })
}

/// A result of a run.
///
/// # Errors
/// [`EvalError::NoSource`] if the run has none of this key.
pub(crate) async fn stored(
    store: &RunStore,
    run: i64,
    key: &ResultKey,
) -> Result<StoredResult, EvalError> {
    let found = store.result(run, key).await?;
    found.ok_or_else(|| {
        let ResultKey { name, repeat, .. } = key;
        EvalError::NoSource(format!("run {run} has no result of {name}, repeat {repeat}"))
    })
}

/// The case of a result, as its suite has it now; `recorded` if the run gives a recorded case again, or is a fork of one that
/// does. `read` gives the arguments with which the suite is read.
///
/// # Errors
/// [`EvalError`] if the suite cannot be read or has the case no more.
pub(crate) fn case_of(
    key: &ResultKey,
    recorded: Option<&RecordedSource>,
    read: impl Fn(&Path) -> EvalArguments,
) -> Result<EvalCase, EvalError> {
    let mut arguments = read(&PathBuf::from(&key.suite));
    if let Some(recorded) = recorded {
        arguments = of_recorded(arguments, recorded, Some(&key.name));
    }
    let named = |arguments: &EvalArguments| {
        let mut cases = selection::cases(arguments)?.into_iter();
        Ok::<_, EvalError>(cases.find(|case| case.name == key.name))
    };
    let mut case = named(&arguments)?;
    if let Some(model) = model_in(&key.name).filter(|_| case.is_none()) {
        // It ran with several models of the command line, which the suite does not name.
        (arguments.models, arguments.names_models) = (vec![model.to_owned()], true);
        case = named(&arguments).ok().flatten();
    }
    let mut case = case.ok_or_else(|| {
        EvalError::NoSource(format!(
            "{} has no case {} any more; a case that was renamed must run again",
            key.suite, key.name
        ))
    })?;
    // The file may be named from elsewhere.
    case.source.suite.clone_from(&key.suite);
    Ok(case)
}

/// The cases of both sides, checked, and what has changed since the source ran.
async fn prepared(
    store: &RunStore,
    source: i64,
    key: &ResultKey,
    fork: &Fork,
    read: impl Fn(&Path) -> EvalArguments,
) -> Result<(Sides, Vec<String>), EvalError> {
    let StoredResult { hashes, result } = store.result(source, key).await?.ok_or_else(|| {
        let ResultKey { name, repeat, .. } = key;
        EvalError::NoSource(format!("run {source} has no result of {name}, repeat {repeat}"))
    })?;
    let recorded = store.recorded_source(&store.run(source).await?).await?;
    let models = selection::models(&read(Path::new(&key.suite)))?;
    let mut case = case_of(key, recorded.as_ref(), read)?;
    let changed = case.source.changed_since(&hashes).into_iter().map(|changed| match changed {
        Changed::Case => key.name.clone(),
        Changed::File(name) => name.to_owned(),
    });
    let changed = changed.collect();
    if recorded.is_some() {
        // Its recording responds before the step, and the agent's own models from there on.
        case.model = None;
        if case.has_default_metrics {
            // They compare the whole path with the recording, which the steps before were taken from.
            case.metrics.clear();
        }
    }
    let sides = fork.sides(&case, &result, &models)?;
    check_sides(&sides).await?;
    Ok((sides, changed))
}

/// What the run is a fork of, and the run of it that has the move or the changes, to which the side without leads.
///
/// # Errors
/// [`EvalError::NoSource`] if it is not a fork.
pub(crate) async fn fork_of(store: &RunStore, run: &RunInfo) -> Result<(i64, ForkOf), EvalError> {
    let number = run.number;
    let of = run.fork_of.clone();
    let of = of.ok_or_else(|| EvalError::NoSource(format!("run {number} is not a fork")))?;
    if of.at.is_none() && of.changes.is_empty() {
        let with = store.runs().await?.into_iter().find_map(|other| {
            let of = other.fork_of.filter(|of| of.without == Some(number))?;
            Some((other.number, of))
        });
        if let Some(with) = with {
            return Ok(with);
        }
    }
    Ok((number, of))
}

fn claim(
    store: &RunStore,
    with: &Side,
    without: Option<&Side>,
) -> Result<Vec<RunClaim>, EvalError> {
    let runs = std::iter::once(with).chain(without).map(|side| side.run);
    Ok(runs.map(|run| store.claim(run)).collect::<Result<_, _>>()?)
}
