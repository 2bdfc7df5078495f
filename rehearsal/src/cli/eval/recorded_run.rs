//! [`recorded_run`]: gives a recorded case again and stores what happened, so that it can be forked.

use std::path::Path;

use eval::recorded_source::{RecordedKind, RecordedSource};
use eval::result::Status;
use eval::store::{ResultKey, RunStore};
use eval::{CaseRun, EvalCase, EvalSuite, run_cases};

use super::eval_sets::REPLAY;
use super::runs::suite_name;
use super::{EvalArguments, EvalError, check_fit, selection};

/// How many names of cases an error lists.
const MOST_NAMES: usize = 12;

/// A stored run of a recorded case.
pub(crate) struct RecordedRun {
    /// The run.
    pub(crate) run: i64,
    /// Its only result.
    pub(crate) key: ResultKey,
    /// Whether the case was given again just now; otherwise the store had it.
    pub(crate) is_new: bool,
}

/// Gives the case `name` of a file again, or its only one, unless the store has it as it is now. No model is asked, and tools
/// answer as recorded. `read` gives the arguments with which the file is read.
///
/// # Errors
/// [`EvalError`] if the file cannot be read or has no such case, or the agent cannot be given it.
pub(crate) async fn recorded_run(
    store: &RunStore,
    file: &Path,
    name: Option<&str>,
    source: &RecordedSource,
    read: impl Fn(&Path) -> EvalArguments,
) -> Result<RecordedRun, EvalError> {
    let case = recorded_case(&of_recorded(read(file), source, name), name)?;
    let key = ResultKey::of(&CaseRun { case: &case, repeat: 1 });
    let suite = suite_name(file);
    for run in store.runs().await?.into_iter().rev() {
        if run.recorded.as_ref() != Some(source) || run.suites != [suite.clone()] {
            continue;
        }
        let stored = store.result(run.number, &key).await?;
        if stored.is_some_and(|it| case.source.changed_since(&it.hashes).is_empty()) {
            return Ok(RecordedRun { run: run.number, key, is_new: false });
        }
    }
    check_fit(std::iter::once(&case), 1).await?;
    let run = store.begin_recorded(&suite, source).await?;
    let suite = EvalSuite { cases: vec![case], jobs: 1, stop_on_first_failure: false };
    let mut refused = None;
    if let Some(case) = suite.cases.first() {
        let runs = [CaseRun { case, repeat: 1 }];
        run_cases(&suite, &runs, Some(&run), |_, result| {
            let nothing = eval::fork::steps(&result.events).is_empty();
            refused = result.error.filter(|_| nothing && result.status == Status::Error);
        })
        .await?;
    }
    match refused {
        Some(error) => Err(EvalError::NoSource(format!(
            "{} cannot be given again: {}",
            key.name, error.message
        ))),
        None => Ok(RecordedRun { run: run.number(), key, is_new: true }),
    }
}

/// The case of the name, or the only one, with the responses of its recording.
fn recorded_case(arguments: &EvalArguments, name: Option<&str>) -> Result<EvalCase, EvalError> {
    let mut cases = selection::cases(arguments)?;
    let known: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    if let Some(name) = name {
        cases.retain(|case| case.name == name);
    }
    let listed = || {
        let more = known.len().saturating_sub(MOST_NAMES);
        let names = known.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
        if more == 0 { names } else { format!("{names} and {more} more") }
    };
    let file = arguments.suites.first().map(|path| suite_name(path)).unwrap_or_default();
    match (cases.pop(), cases.is_empty()) {
        (Some(mut case), true) => {
            case.repeats = 1;
            Ok(case)
        }
        (Some(_), false) => Err(EvalError::NoSource(format!(
            "{file} has several cases; choose one with --case: {}",
            listed()
        ))),
        (None, _) if known.is_empty() => {
            Err(EvalError::NoSource(format!("{file} has no such case in which something was sent")))
        }
        (None, _) => {
            Err(EvalError::NoSource(format!("{file} has no such case; it has {}", listed())))
        }
    }
}

/// What recorded the cases of a file.
///
/// # Errors
/// [`EvalError::NoSource`] if they are not recorded.
pub(crate) fn kind_of(file: &Path) -> Result<RecordedKind, EvalError> {
    use eval::file::RecordedFormat;
    match RecordedFormat::of_file(file) {
        Some(RecordedFormat::AdkSessions) => Ok(RecordedKind::AdkSession),
        Some(_) => Ok(RecordedKind::Case),
        None => Err(EvalError::NoSource(format!(
            "{} has no recorded cases; run a suite with `rehearsal eval`, and fork its run",
            file.display()
        ))),
    }
}

/// These arguments for a case that was recorded.
pub(crate) fn of_recorded(
    arguments: EvalArguments,
    source: &RecordedSource,
    name: Option<&str>,
) -> EvalArguments {
    EvalArguments {
        only: name.map(str::to_owned),
        models: vec![REPLAY.to_owned()],
        agent: source.agent.clone().or_else(|| arguments.agent.clone()),
        config: source.criteria.clone().or_else(|| arguments.config.clone()),
        ..arguments
    }
}
