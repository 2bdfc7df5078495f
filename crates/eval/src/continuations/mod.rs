//! [`Fork`]: a run that is forked at a step, and goes on from there several times, with a move and without it.

mod golden_path;
mod sentence;
mod tools;

use std::sync::Arc;

use scoring::statistics::{CaseRuns, Effect, effect};

pub use self::golden_path::GOLDEN_PATH;
use self::golden_path::GoldenPath;
pub use self::sentence::{Changed, changed, sentence};
use self::tools::set_tools;
use crate::case::{CaseRun, EvalCase};
use crate::fork::{ForkError, Given, Move};
use crate::given_model::GivenModel;
use crate::model::{ModelNameError, Models};
use crate::person_verdict::{PersonVerdict, waits_for_verdict};
use crate::request_changes::RequestChanges;
use crate::result::{EvalResult, ResultSummary, Status};
use crate::run_failure::AtFault;
use crate::store::{ResultKey, StoreError, StoredResults, StoredRun};
use crate::suite::{EvalSuite, run_cases};
use crate::tool_mode::ToolModes;

/// How often a continuation is begun that ends by a user agent, a mock or the infrastructure.
const ATTEMPTS: u32 = 3;

/// A fork of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fork {
    /// The step, from 1.
    pub step: usize,
    /// What happens at it; without one, the step is the first that is done again.
    pub at: Option<Move>,
    /// What is changed in every request to a model from the step on.
    pub changes: RequestChanges,
    /// Who goes on, such as `gemini-2.5-pro` or `person`; without one, the model of the case.
    pub then: Option<String>,
    /// How often, on each side.
    pub times: u32,
    /// What tools do from the step on; those that are not named do what the case says.
    pub tools: ToolModes,
    /// Whether a person says which continuations pass, in place of the metrics of the case. Without metrics, the golden path
    /// of the case decides, and a person where it has none.
    pub by_person: bool,
}

/// The two sides of a fork: cases that are run several times each.
pub struct Sides {
    /// With the move; without one, the only side.
    pub with: EvalCase,
    /// Without the move.
    pub without: Option<EvalCase>,
}

/// Why a fork cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ForkRunError {
    /// The run cannot fork there.
    #[error(transparent)]
    Fork(#[from] ForkError),
    /// The model that is to play a tool cannot be asked.
    #[error("the tool {tool}: {error}")]
    Model {
        /// The tool.
        tool: String,
        /// The reason.
        error: ModelNameError,
    },
    /// The agent does not do again what it did.
    #[error("{0}")]
    Diverged(String),
    /// The continuations cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Sides {
    /// The names of the metrics that say which continuations pass: those of the case, [`GOLDEN_PATH`], or
    /// [`VERDICT`](crate::person_verdict::VERDICT).
    #[must_use]
    pub fn decided_by(&self) -> Vec<&str> {
        self.with.metrics.iter().map(|metric| metric.name()).collect()
    }
}

impl Fork {
    /// The cases that go on from a run of `case`, which gave `source`. `models` play tools.
    ///
    /// # Errors
    /// [`ForkRunError`] if the run cannot fork there, or a model cannot be asked.
    pub fn sides(
        &self,
        case: &EvalCase,
        source: &EvalResult,
        models: &Models,
    ) -> Result<Sides, ForkRunError> {
        let golden =
            case.golden_path.as_ref().filter(|_| !self.by_person && case.metrics.is_empty());
        let by_person = self.by_person || (case.metrics.is_empty() && golden.is_none());
        let nothing = RequestChanges::default();
        let side = |at: Option<&Move>, changes: &RequestChanges| {
            let given = Given::before(&source.events, self.step, at)?;
            let then = self.then.clone().map(GivenModel::Named);
            let mut side = case.clone().forked(given, then).repeats(self.times);
            side.request_changes = changes.clone();
            set_tools(&mut side, &self.tools, &source.events, models)?;
            if by_person {
                side.metrics = vec![Arc::new(PersonVerdict)];
            }
            let place = (&source.name, source.repeat, self.step, at.map(Move::json));
            let fork = serde_json::json!((place, &self.then, changes, &self.tools, by_person));
            side.source.content_hash.push_str(&format!(" fork {fork}"));
            if let Some(golden) = golden {
                let path = GoldenPath::from_step(Arc::clone(golden), &source.events, self.step);
                side.metrics = vec![Arc::new(path)];
                side.source.content_hash.push_str(" golden path");
            }
            Ok::<_, ForkRunError>(side)
        };
        let without = match self.changed() {
            Some(_) => Some(side(None, &nothing)?),
            None => None,
        };
        Ok(Sides { with: side(self.at.as_ref(), &self.changes)?, without })
    }

    /// What is otherwise than in the run; `None` if nothing is.
    #[must_use]
    pub fn changed(&self) -> Option<Changed> {
        changed(self.step, self.at.as_ref(), &self.changes)
    }
}

/// The continuations of one side.
#[derive(Debug, Clone, Default)]
pub struct Continuations {
    /// By repeat; `None` for those that have not ended.
    pub results: Vec<Option<ResultSummary>>,
}

/// How a continuation counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// As passed.
    Passed,
    /// As failed, also where the agent's own code or model failed.
    Failed,
    /// On neither side: something else than the agent ended it, or nothing could score it.
    Broken,
    /// On neither side so far: a person is to say whether it passes.
    Waiting,
}

impl Counted {
    /// How this result counts.
    #[must_use]
    pub fn of(result: &ResultSummary) -> Self {
        match (&result.error, result.status) {
            (Some(error), _) if error.at_fault != AtFault::Subject => Self::Broken,
            (None, Status::Unscored) if waits_for_verdict(result) => Self::Waiting,
            (None, Status::Unscored | Status::Error) => Self::Broken,
            (None, Status::Passed) => Self::Passed,
            (Some(_), _) | (None, Status::Failed | Status::Terminated) => Self::Failed,
        }
    }
}

impl Continuations {
    /// Those of `case` that are stored already.
    #[must_use]
    pub fn stored(case: &EvalCase, mut stored: StoredResults) -> Self {
        let results = (1..=case.repeats).map(|repeat| {
            let found = stored.remove(&ResultKey::of(&CaseRun { case, repeat }))?;
            let is_same = case.source.changed_since(&found.hashes).is_empty();
            is_same.then(|| ResultSummary::of(&found.result))
        });
        Self { results: results.collect() }
    }

    /// Those that passed, and all that count.
    #[must_use]
    pub fn counted(&self) -> CaseRuns {
        let number = |counted| self.ended().filter(|(_, it)| Counted::of(it) == counted).count();
        let passed = number(Counted::Passed);
        CaseRuns { passed, runs: passed + number(Counted::Failed) }
    }

    /// Those that count on neither side, with their repeats.
    pub fn broken(&self) -> impl Iterator<Item = (u32, &ResultSummary)> {
        self.ended().filter(|(_, result)| Counted::of(result) == Counted::Broken)
    }

    /// How many wait for the verdict of a person.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.ended().filter(|(_, result)| Counted::of(result) == Counted::Waiting).count()
    }

    /// Those that have ended, with their repeats.
    pub fn ended(&self) -> impl Iterator<Item = (u32, &ResultSummary)> {
        (1..).zip(&self.results).filter_map(|(repeat, result)| Some((repeat, result.as_ref()?)))
    }

    /// Runs what has not ended, and again what something else than the agent ended. Each result is stored, and then given
    /// to `ended`.
    ///
    /// # Errors
    /// [`ForkRunError::Diverged`] or [`ForkRunError::Store`].
    pub async fn run(
        &mut self,
        case: &EvalCase,
        jobs: usize,
        stored: Option<&StoredRun<'_>>,
        mut ended: impl FnMut(&EvalResult),
    ) -> Result<(), ForkRunError> {
        let suite = EvalSuite { cases: vec![case.clone()], jobs, stop_on_first_failure: false };
        let Some(case) = suite.cases.first() else { return Ok(()) };
        self.results.resize(usize::try_from(case.repeats).unwrap_or(usize::MAX), None);
        for attempt in 1..=ATTEMPTS {
            let is_open = |result: &Option<ResultSummary>| match result {
                None => true,
                Some(it) => attempt > 1 && Counted::of(it) == Counted::Broken,
            };
            let open: Vec<CaseRun<'_>> = (1..=case.repeats)
                .zip(&self.results)
                .filter(|(_, result)| is_open(result))
                .map(|(repeat, _)| CaseRun { case, repeat })
                .collect();
            // The others would go another way too.
            let mut diverged = None;
            for some in open.chunks(jobs.max(1)) {
                let results = &mut self.results;
                let take = |_, result: EvalResult| {
                    if let Some(error) = &result.error
                        && error.code == crate::run_failure::FORK_DIVERGED
                    {
                        diverged.get_or_insert_with(|| error.message.clone());
                    }
                    ended(&result);
                    let place = usize::try_from(result.repeat.saturating_sub(1)).ok();
                    if let Some(kept) = place.and_then(|place| results.get_mut(place)) {
                        *kept = Some(ResultSummary::of(&result));
                    }
                };
                run_cases(&suite, some, stored, take).await?;
                if let Some(message) = diverged {
                    return Err(ForkRunError::Diverged(message));
                }
            }
        }
        Ok(())
    }
}

/// The effect of a move; `None` if no continuation of a side counts.
#[must_use]
pub fn effect_of(with: &Continuations, without: &Continuations) -> Option<Effect> {
    effect(with.counted(), without.counted())
}
