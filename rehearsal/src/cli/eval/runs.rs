//! Which runs of a suite have results already, and which are to be run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use eval::case::Changed;
use eval::ledger::Event;
use eval::result::{EvalResult, Status};
use eval::store::{ResultKey, RunInfo, RunStore, StoreError, StoredResults, StoredRun};
use eval::{CaseRun, EvalCase, EvalSuite, ToolMock, ToolUse, check_metrics, rescore};

use super::EvalError;
use super::arguments::{RunChoice, Shard};
use crate::cli::note_line::note_line;

/// A suite as the store names it: its path in the working directory, or else the whole path.
pub(super) fn suite_name(path: &Path) -> String {
    suite_name_in(Path::new("."), path)
}

/// As [`suite_name`], of a run in `folder`.
pub(crate) fn suite_name_in(folder: &Path, path: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = folder.canonicalize().ok();
    let inside = folder.and_then(|folder| real.strip_prefix(folder).ok());
    inside.unwrap_or(&real).to_string_lossy().into_owned()
}

/// The run that is meant.
pub(super) async fn chosen(
    store: &RunStore,
    choice: RunChoice,
    suites: &[String],
) -> Result<RunInfo, StoreError> {
    match choice {
        RunChoice::Last => store.last_run_of(suites).await,
        RunChoice::Number(number) => store.run(number).await,
    }
}

/// Results of an earlier run that are not taken over.
#[derive(Default)]
pub(super) struct LeftOut<'c> {
    /// The cases by what has changed since.
    changed: BTreeMap<Changed<'c>, BTreeSet<&'c str>>,
    /// How many have an error.
    errors: usize,
}

impl LeftOut<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.errors == 0
    }

    /// A line about each, where `run` is the earlier run.
    pub(super) fn notes(&self, run: &str) -> Vec<String> {
        let mut notes = Vec::new();
        for (what, cases) in &self.changed {
            match what {
                Changed::Case => {
                    let note = |case| format!("{case} has changed since {run}, and is run again");
                    notes.extend(cases.iter().map(note));
                }
                Changed::File(name) => {
                    let cases = cases.iter().copied().collect::<Vec<_>>().join(", ");
                    notes.push(format!("{name} has changed since {run}; run again: {cases}"));
                }
            }
        }
        match self.errors {
            0 => {}
            1 => notes.push(format!("1 case that ended with an error in {run} is run again")),
            errors => notes
                .push(format!("{errors} cases that ended with an error in {run} are run again")),
        }
        notes
    }
}

/// The runs of a suite, and the results that there are.
pub(super) struct Runs<'c> {
    pub(super) all: Vec<CaseRun<'c>>,
    /// A result for each run.
    pub(super) results: Vec<Option<EvalResult>>,
}

impl<'c> Runs<'c> {
    /// The runs of a suite, or of a part of it, none of which has a result.
    pub(super) fn of(suite: &'c EvalSuite, shard: Option<Shard>) -> Self {
        let is_of_shard = |place: usize| shard.is_none_or(|shard| shard.contains(place));
        let all = suite.runs().into_iter().enumerate();
        let all: Vec<_> = all.filter(|(at, _)| is_of_shard(*at)).map(|(_, run)| run).collect();
        Self { results: vec![None; all.len()], all }
    }

    /// Takes over the results of an earlier run of the same cases, those with an error only if `takes_errors`. Returns
    /// what is left out.
    pub(super) fn take_over(
        &mut self,
        mut stored: StoredResults,
        takes_errors: bool,
    ) -> LeftOut<'c> {
        let mut left_out = LeftOut::default();
        for (run, result) in self.all.iter().zip(&mut self.results) {
            let Some(found) = stored.remove(&ResultKey::of(run)) else { continue };
            let changed = run.case.source.changed_since(&found.hashes);
            if changed.is_empty() {
                match found.result.status == Status::Error && !takes_errors {
                    true => left_out.errors += 1,
                    false => *result = Some(found.result),
                }
            }
            for what in changed {
                left_out.changed.entry(what).or_default().insert(&run.case.name);
            }
        }
        left_out
    }

    /// Stores the results that there are.
    pub(super) async fn keep(&self, stored: &StoredRun<'_>) -> Result<(), StoreError> {
        for (run, result) in self.all.iter().zip(&self.results) {
            if let Some(result) = result {
                stored.keep(run.case, result).await?;
            }
        }
        Ok(())
    }

    /// The runs without a result, each with its place.
    pub(super) fn open(&self) -> (Vec<usize>, Vec<CaseRun<'c>>) {
        let open = self.all.iter().zip(&self.results).enumerate();
        open.filter(|(_, (_, result))| result.is_none()).map(|(at, (run, _))| (at, *run)).unzip()
    }

    /// How many runs have no result.
    pub(super) fn missing(&self) -> usize {
        self.results.iter().filter(|result| result.is_none()).count()
    }

    /// How often the case is run, in all shards.
    pub(super) fn repeats(&self, case: &EvalCase) -> u32 {
        let runs = self.all.iter().filter(|run| std::ptr::eq(run.case, case));
        u32::try_from(runs.count()).unwrap_or(u32::MAX).max(case.repeats)
    }

    /// The mocks that a suite has for all its cases, and that answered no call, by suite and tool; none if not all cases ran to
    /// their ends.
    pub(super) fn unused_mocks(&self) -> BTreeSet<(&str, &str)> {
        let (mut unused, mut used) = (BTreeSet::new(), BTreeSet::new());
        for (run, result) in self.all.iter().zip(&self.results) {
            let Some(result) = result.as_ref().filter(|result| result.error.is_none()) else {
                return BTreeSet::new();
            };
            let case = run.case;
            let shared = |tool: &str| {
                let mock = case.tools.get(tool).filter(|_| case.shared_tools.contains(tool));
                // What an eval set has recorded are no mocks of its author.
                matches!(mock, Some(ToolUse::Mock(mock)) if !matches!(mock, ToolMock::Recorded { .. }))
            };
            let tools = case.shared_tools.iter().map(String::as_str).filter(|tool| shared(tool));
            unused.extend(tools.map(|tool| (case.source.suite.as_str(), tool)));
            let called = result.events.iter().filter_map(|entry| match &entry.event {
                Event::ToolCall { name, .. } if shared(name) => Some(name.as_str()),
                _ => None,
            });
            used.extend(called.map(|tool| (case.source.suite.as_str(), tool)));
        }
        unused.difference(&used).copied().collect()
    }
}

/// Checks that the metrics of the cases look for what the agents of the stored results have.
///
/// # Errors
/// [`EvalError::Unfit`] for the first that looks for something else.
pub(super) fn check_stored(cases: &[EvalCase], stored: &StoredResults) -> Result<(), EvalError> {
    for case in cases {
        for (_, earlier) in stored.iter().filter(|(key, _)| is_of_case(key, case)) {
            check_metrics(case, &earlier.result).map_err(|fault| EvalError::unfit(case, fault))?;
        }
    }
    Ok(())
}

fn is_of_case(key: &ResultKey, case: &EvalCase) -> bool {
    key.suite == case.source.suite && key.name == case.name
}

/// Evaluates the metrics of the cases on the stored results, and stores what they give as a run of its own. Returns also
/// the results of other cases.
pub(super) async fn rescored<'c>(
    cases: &'c [EvalCase],
    mut stored: StoredResults,
    into: &StoredRun<'_>,
) -> Result<(Runs<'c>, StoredResults), StoreError> {
    let mut runs = Runs { all: Vec::new(), results: Vec::new() };
    for case in cases {
        let keys = stored.keys().filter(|key| is_of_case(key, case));
        let mut repeats: Vec<u32> = keys.map(|key| key.repeat).collect();
        repeats.sort_unstable();
        if repeats.is_empty() {
            runs.all.push(CaseRun { case, repeat: 1 });
            runs.results.push(None);
        }
        for repeat in repeats {
            let run = CaseRun { case, repeat };
            let Some(earlier) = stored.remove(&ResultKey::of(&run)) else { continue };
            if !case.source.changed_since(&earlier.hashes).is_empty() {
                let name = &case.name;
                note_line!(
                    "note: {name} has changed since it ran; its metrics are evaluated on what happened then"
                );
            }
            let result = rescore(case, earlier.result).await;
            into.keep_as(case, &earlier.hashes, &result).await?;
            runs.all.push(run);
            runs.results.push(Some(result));
        }
    }
    Ok((runs, stored))
}
