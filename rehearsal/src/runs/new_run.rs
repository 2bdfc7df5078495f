//! [`NewRun`]: cases of a suite or of an earlier run, to run.

use std::collections::{BTreeSet, HashSet};
use std::num::NonZeroU32;
use std::sync::Arc;

use api::{EarlierRun, RunCases, RunOf, RunPlan, RunRequest};
use eval::case::name_without;
use eval::given_model::{RealModel, real_model};
use eval::result::Status;
use eval::store::{RunStore, StoreError, Summaries};
use eval::under_way::CasesUnderWay;
use eval::{CaseRun, EvalCase, EvalSuite, ToolUse, run_cases};

use crate::cli::{EvalArguments, EvalError, cases as read, check_fit};
use crate::run_views::sum;

/// Cases of suites, to run.
pub(super) struct NewRun {
    /// The names of the suites.
    pub(super) suites: Vec<String>,
    suite: EvalSuite,
    earlier: Option<EarlierRun>,
}

impl NewRun {
    /// The cases that the request chooses of the suites with these names, which `arguments` name too. `earlier` is a
    /// run of them with its results.
    ///
    /// # Errors
    /// [`EvalError`] if the suites cannot be read, or have none of the cases.
    pub(super) fn of(
        request: &RunRequest,
        suites: Vec<String>,
        earlier: Option<(i64, Summaries)>,
        arguments: EvalArguments,
    ) -> Result<Self, EvalError> {
        let jobs = arguments.jobs();
        let models = request.model.iter().cloned().collect();
        let mut arguments = EvalArguments { models, ..arguments };
        arguments.repeats = request.repeats.and_then(NonZeroU32::new);
        let mut cases = read(&arguments)?;
        let names_no_model = cases.iter().all(|case| case.one_of_models.is_none());
        if matches!(request.of, RunOf::Run(_)) && request.model.is_none() && names_no_model {
            // It ran with several models of the command line, which the suite does not name.
            let results = earlier.iter().flat_map(|(_, results)| results);
            for model in results.filter_map(|(_, result)| result.model.as_ref()) {
                if !arguments.models.contains(model) {
                    arguments.models.push(model.clone());
                }
            }
            if !arguments.models.is_empty() {
                arguments.names_models = true;
                cases = read(&arguments)?;
            }
        }
        for case in &mut cases {
            // The file may be named from elsewhere.
            if let Some(name) = name_of(&suites, &case.source.suite) {
                case.source.suite = name;
            }
        }
        let known = cases.iter().map(|case| case.name.clone()).collect();
        // With another model, a case that ran with several is the same case.
        let identity = |name: &str, model: Option<&str>| match model {
            Some(model) if request.model.is_some() => name_without(name, model).to_owned(),
            _ => name.to_owned(),
        };
        let results = earlier.iter().flat_map(|(_, results)| results);
        let not_passed: HashSet<(String, String)> = results
            .filter(|(_, result)| result.status != Status::Passed)
            .map(|(key, result)| (key.suite.clone(), identity(&key.name, result.model.as_deref())))
            .collect();
        cases.retain(|case| match &request.cases {
            RunCases::All => true,
            RunCases::NotPassed => {
                let name = identity(&case.name, case.one_of_models.as_deref());
                not_passed.contains(&(case.source.suite.clone(), name))
            }
            RunCases::Case(name) => case.name == *name,
        });
        if cases.is_empty() {
            return Err(EvalError::NoCase { known });
        }
        let earlier = earlier.and_then(|(run, results)| took(run, &results, &cases));
        let suite = EvalSuite { cases, jobs, stop_on_first_failure: false };
        Ok(Self { suites, suite, earlier })
    }

    /// Lists the cases in `under_way` while they run.
    pub(super) fn list_in(&mut self, under_way: &Arc<CasesUnderWay>) {
        for case in &mut self.suite.cases {
            case.under_way = Some(Arc::clone(under_way));
        }
    }

    /// What it would do.
    pub(super) fn plan(&self) -> RunPlan {
        let cases = &self.suite.cases;
        let (mut real, mut sealed) = (BTreeSet::new(), BTreeSet::new());
        let mut models = BTreeSet::new();
        let mut asks_own_models = false;
        for case in cases {
            for (tool, used) in &case.tools {
                match used {
                    ToolUse::Real => drop(real.insert(tool.clone())),
                    ToolUse::Sealed => drop(sealed.insert(tool.clone())),
                    ToolUse::Mock(_) => {}
                }
            }
            match real_model(case.model.as_ref()) {
                Some(RealModel::Named(name)) => drop(models.insert(name.to_owned())),
                Some(RealModel::Own) => asks_own_models = true,
                None => {}
            }
        }
        RunPlan {
            cases: cases.len() as u64,
            results: cases.iter().map(|case| u64::from(case.repeats)).sum(),
            real_tools: real.into_iter().collect(),
            sealed_tools: sealed.into_iter().collect(),
            models: models.into_iter().collect(),
            asks_own_models,
            earlier: self.earlier,
        }
    }

    /// The tools that the agent of the first case shows before it runs.
    ///
    /// # Errors
    /// [`EvalError::Unfit`] if the agent cannot be loaded.
    pub(super) async fn tools(&self) -> Result<Vec<String>, EvalError> {
        let Some(case) = self.suite.cases.first() else { return Ok(Vec::new()) };
        let names = case.subject.prepare(&case.needs()).await;
        let names = names.map_err(|failure| EvalError::unfit(case, failure))?;
        Ok(names.tools.unwrap_or(names.shown_tools))
    }

    /// Checks that the agents have what the cases name.
    ///
    /// # Errors
    /// [`EvalError`] for the first case that does not fit.
    pub(super) async fn check(&self) -> Result<(), EvalError> {
        check_fit(self.suite.cases.iter(), self.suite.jobs).await
    }

    /// Runs the cases, and stores each result in the run of this number.
    ///
    /// # Errors
    /// [`StoreError`] if a result cannot be stored.
    pub(super) async fn run(&self, store: &RunStore, number: i64) -> Result<(), StoreError> {
        let runs: Vec<CaseRun<'_>> = self.suite.cases.iter().flat_map(runs_of).collect();
        let stored = store.resume_number(number);
        run_cases(&self.suite, &runs, Some(&stored), |_, _| ()).await
    }
}

fn runs_of(case: &EvalCase) -> impl Iterator<Item = CaseRun<'_>> {
    (1..=case.repeats).map(move |repeat| CaseRun { case, repeat })
}

/// What these cases took in a run; `None` if it has no result of them.
fn took(run: i64, results: &Summaries, cases: &[EvalCase]) -> Option<EarlierRun> {
    let chosen: HashSet<(&str, &str)> =
        cases.iter().map(|case| (case.source.suite.as_str(), case.name.as_str())).collect();
    let of_chosen =
        results.iter().filter(|(key, _)| chosen.contains(&(key.suite.as_str(), key.name.as_str())));
    let mut took: Option<EarlierRun> = None;
    for (_, result) in of_chosen {
        let took = took.get_or_insert(EarlierRun { run, duration_ms: 0, tokens: 0, cost: None });
        took.duration_ms += result.duration_ms;
        took.tokens += result.token_usage.input + result.token_usage.output;
        took.cost = sum(took.cost, result.cost);
    }
    took
}

/// The name among those of suites, of a file that may be named from elsewhere.
fn name_of(suites: &[String], file: &str) -> Option<String> {
    let ends = |suite: &&String| file == suite.as_str() || file.ends_with(&format!("/{suite}"));
    suites.iter().filter(ends).max_by_key(|suite| suite.len()).cloned()
}
