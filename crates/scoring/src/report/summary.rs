//! [`EvalReport`] and [`EvalSummary`]: all cases together.

use std::iter::repeat_n;

use indexmap::IndexMap;
use json_text::JsonText;
use serde::{Deserialize, Serialize};

use super::case::{CaseVerdict, CriterionResult, EvalCaseResult};
use super::exact_number::{number, number_or_null};
use super::repeats::{RepeatTally, Repeats};
use crate::figure::figure;
use crate::statistics::{CaseRuns, Interval, rate_interval};

/// The report of one run over a set of cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalReport {
    /// The report.
    pub report_id: String,
    /// The set whose cases were scored.
    pub eval_set_id: String,
    /// Its name, where it has one.
    pub eval_set_name: Option<String>,
    /// The result of each case, in the order of the set.
    pub results: Vec<EvalCaseResult>,
    /// All together.
    pub summary: EvalSummary,
    /// The config that the cases were scored by, as it was read.
    pub config_used: JsonText,
    /// Where cases and config came from.
    #[serde(default)]
    pub sources: Sources,
    /// What has changed since a baseline; null without one.
    pub baseline: Option<JsonText>,
    /// When the report was made, in RFC 3339.
    pub created_at: String,
    /// How long the run took.
    #[serde(with = "number")]
    pub duration_seconds: f64,
}

/// Where the cases and the config of a report came from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sources {
    /// The files of the expected side.
    pub expected: Vec<String>,
    /// The files of the actual side.
    pub actual: Vec<String>,
    /// The config's file; `None` for default criteria.
    pub config: Option<String>,
    /// The commit that is checked out where the expected files are.
    pub commit: Option<String>,
}

/// The cases with one tag.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TagStats {
    /// Those that met every criterion.
    pub passed: usize,
    /// Those that missed one, or could not be scored at all.
    pub failed: usize,
    /// Those that are neither.
    pub unscored: usize,
    /// Passed by passed and failed; `None` when there are neither.
    #[serde(with = "number_or_null")]
    pub pass_rate: Option<f64>,
}

/// All cases together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EvalSummary {
    /// All of them.
    pub total_cases: usize,
    /// Those that met every criterion.
    pub passed_cases: usize,
    /// Those that missed one, or could not be scored at all.
    pub failed_cases: usize,
    /// Of the failed cases, those that could not be scored at all.
    #[serde(default)]
    pub error_cases: usize,
    /// Of the failed cases, those whose run was ended by a limit.
    #[serde(default)]
    pub terminated_cases: usize,
    /// Those that are neither, because something is unscored.
    pub unscored_cases: usize,
    /// Passed by passed and failed, 0 to 1; `None` when there are neither. A case that could not be
    /// scored at all has not passed.
    #[serde(with = "number_or_null")]
    pub pass_rate: Option<f64>,
    /// Its 95 % interval for cases like these; `None` where there is no rate.
    #[serde(default)]
    pub pass_rate_interval: Option<Interval>,
    /// The mean of all scores that there are; `None` when there are none.
    #[serde(with = "number_or_null")]
    pub avg_score: Option<f64>,
    /// The number of cases with a score, which that mean covers.
    #[serde(default)]
    pub avg_score_cases: usize,
    /// Each criterion by its name, in the order of the config.
    pub criterion_stats: IndexMap<String, CriterionStats>,
    /// Each tag, in the order in which it first occurs.
    #[serde(default)]
    pub tag_stats: IndexMap<String, TagStats>,
    /// The cases that were run more than once; `None` if there are none.
    #[serde(default)]
    pub repeats: Option<Repeats>,
    /// How long the actual runs took together; `None` if no case records it.
    #[serde(default, with = "number_or_null")]
    pub seconds: Option<f64>,
    /// Their tokens.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// What the runs of `rehearsal eval` cost together; `None` without prices.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "number_or_null")]
    pub cost: Option<f64>,
    /// The number of cases that record either.
    #[serde(default)]
    pub measured_cases: usize,
    /// The models that were called.
    #[serde(default)]
    pub models: Vec<String>,
    /// The mean of each of ADK's informational metrics over the cases that record it; null where none does.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub informational: IndexMap<String, Option<f64>>,
}

impl EvalSummary {
    /// The pass rate in a phrase, such as `Pass rate 0.833 (5 of 6 cases), 95 % interval 0.436 to
    /// 0.982`; `None` without one.
    ///
    /// ```
    /// use scoring::report::{EvalCaseResult, Tally};
    /// let mut tally = Tally::default();
    /// tally.add(&EvalCaseResult::error("a", None, "no such case"));
    /// let phrase = tally.summary().pass_rate_phrase();
    /// assert_eq!(
    ///     phrase.as_deref(),
    ///     Some("Pass rate 0.000 (0 of 1 case), 95 % interval 0.000 to 0.853")
    /// );
    /// ```
    #[must_use]
    pub fn pass_rate_phrase(&self) -> Option<String> {
        let of = self.counted(self.passed_cases + self.failed_cases);
        let rate = figure(self.pass_rate?);
        let interval = self.pass_rate_interval.map_or_else(String::new, |interval| {
            format!(", 95 % interval {} to {}", figure(interval.low), figure(interval.high))
        });
        Some(format!("Pass rate {rate} ({} of {of}){interval}", self.passed_cases))
    }

    /// The number of cases with this verdict.
    #[must_use]
    pub fn count(&self, verdict: CaseVerdict) -> usize {
        match verdict {
            CaseVerdict::Error => self.error_cases,
            CaseVerdict::Terminated => self.terminated_cases,
            CaseVerdict::Failed => self.failed_cases - self.error_cases - self.terminated_cases,
            CaseVerdict::Unscored => self.unscored_cases,
            CaseVerdict::Passed => self.passed_cases,
        }
    }

    /// The numbers of cases in a phrase, such as `6 cases: 3 passed, 2 failed, 1 error, 0 unscored`.
    ///
    /// ```
    /// use scoring::report::{EvalCaseResult, Tally};
    /// let mut tally = Tally::default();
    /// tally.add(&EvalCaseResult::error("a", None, "no such case"));
    /// let phrase = tally.summary().counts_phrase();
    /// assert_eq!(phrase, "1 case: 0 passed, 0 failed, 1 error, 0 unscored");
    /// ```
    #[must_use]
    pub fn counts_phrase(&self) -> String {
        let errors = match self.error_cases {
            0 => String::new(),
            1 => ", 1 error".to_owned(),
            errors => format!(", {errors} errors"),
        };
        let terminated = match self.terminated_cases {
            0 => String::new(),
            terminated => format!(", {terminated} terminated"),
        };
        format!(
            "{}: {} passed, {} failed{errors}{terminated}, {} unscored",
            self.counted(self.total_cases),
            self.passed_cases,
            self.count(CaseVerdict::Failed),
            self.unscored_cases
        )
    }

    /// So many cases, or runs of cases where cases were run more than once: each run counts.
    #[must_use]
    pub fn counted(&self, of: usize) -> String {
        let noun = if self.repeats.is_some() { "run" } else { "case" };
        format!("{of} {noun}{}", if of == 1 { "" } else { "s" })
    }
}

/// One criterion over all cases.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CriterionStats {
    /// The name that the config gave it.
    pub criterion: String,
    /// The cases with a result.
    pub total: usize,
    /// Those that meet it.
    pub passed: usize,
    /// Those that do not.
    pub failed: usize,
    /// Those without a score.
    pub unscored: usize,
    /// Passed by passed and failed; `None` when there are neither.
    #[serde(with = "number_or_null")]
    pub pass_rate: Option<f64>,
    /// The mean of the scores; `None` when there are none, and so the next two. It covers the cases
    /// that meet it or do not.
    #[serde(with = "number_or_null")]
    pub avg_score: Option<f64>,
    /// The number of cases with a score, which that mean covers.
    #[serde(default)]
    pub avg_score_cases: usize,
    /// The lowest score.
    #[serde(with = "number_or_null")]
    pub min_score: Option<f64>,
    /// The highest score.
    #[serde(with = "number_or_null")]
    pub max_score: Option<f64>,
}

/// Adds up results one by one, without keeping them.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    summary: EvalSummary,
    sum: f64,
    scores: usize,
    sums: IndexMap<String, f64>,
    /// Of each informational metric: the sum, and the number of cases that record it.
    informational: IndexMap<String, (f64, usize)>,
    repeats: RepeatTally,
    /// The cases that were run once: passed and failed.
    once: (usize, usize),
}

impl Tally {
    /// Counts a case.
    pub fn add(&mut self, result: &EvalCaseResult) {
        let summary = &mut self.summary;
        summary.total_cases += 1;
        let verdict = result.verdict();
        *match verdict.passed() {
            Some(true) => &mut summary.passed_cases,
            Some(false) => &mut summary.failed_cases,
            None => &mut summary.unscored_cases,
        } += 1;
        summary.error_cases += usize::from(verdict == CaseVerdict::Error);
        summary.terminated_cases += usize::from(verdict == CaseVerdict::Terminated);
        for tag in &result.tags {
            let of = summary.tag_stats.entry(tag.clone()).or_default();
            *match verdict.passed() {
                Some(true) => &mut of.passed,
                Some(false) => &mut of.failed,
                None => &mut of.unscored,
            } += 1;
        }
        if let Some(seconds) = result.run_seconds {
            *summary.seconds.get_or_insert(0.0) += seconds;
        }
        if let Some(tokens) = result.tokens {
            *summary.tokens.get_or_insert(0) += tokens;
        }
        if let Some(cost) = result.eval_run.as_ref().and_then(|run| run.cost) {
            *summary.cost.get_or_insert(0.0) += cost;
        }
        let is_measured = result.run_seconds.is_some() || result.tokens.is_some();
        summary.measured_cases += usize::from(is_measured);
        for model in &result.models {
            if !summary.models.contains(model) {
                summary.models.push(model.clone());
            }
        }
        for (name, value) in &result.informational {
            let (sum, cases) = self.informational.entry(name.clone()).or_default();
            *sum += value.unwrap_or_default();
            *cases += usize::from(value.is_some());
        }
        match (verdict.passed(), &result.run) {
            (None, _) => {}
            (Some(passed), Some(_)) => self.repeats.add(&result.eval_id, passed),
            // Not by id: there may be millions.
            (Some(true), None) => self.once.0 += 1,
            (Some(false), None) => self.once.1 += 1,
        }
        let has_score = result.criterion_results.iter().any(|result| result.score.is_some());
        summary.avg_score_cases += usize::from(has_score);
        for result in &result.criterion_results {
            self.add_criterion(result);
        }
    }

    fn add_criterion(&mut self, result: &CriterionResult) {
        let stats = &mut self.summary.criterion_stats;
        if !stats.contains_key(&result.criterion) {
            let criterion = result.criterion.clone();
            stats.insert(criterion.clone(), CriterionStats { criterion, ..Default::default() });
        }
        let Some(stats) = stats.get_mut(&result.criterion) else { return };
        stats.total += 1;
        *match result.passed {
            Some(true) => &mut stats.passed,
            Some(false) => &mut stats.failed,
            None => &mut stats.unscored,
        } += 1;
        if let Some(score) = result.score {
            self.sum += score;
            self.scores += 1;
            stats.avg_score_cases += 1;
            *self.sums.entry(result.criterion.clone()).or_default() += score;
            stats.min_score = Some(stats.min_score.map_or(score, |least| least.min(score)));
            stats.max_score = Some(stats.max_score.map_or(score, |most| most.max(score)));
        }
    }

    /// The summary of the cases counted so far.
    #[must_use]
    pub fn summary(&self) -> EvalSummary {
        let mut summary = self.summary.clone();
        summary.pass_rate = share(summary.passed_cases, summary.failed_cases);
        let once = |passed| CaseRuns { passed, runs: 1 };
        let (passed, failed) = self.once;
        let once = repeat_n(once(1), passed).chain(repeat_n(once(0), failed));
        summary.pass_rate_interval = rate_interval(once.chain(self.repeats.cases()));
        summary.repeats = self.repeats.summary();
        for of in summary.tag_stats.values_mut() {
            of.pass_rate = share(of.passed, of.failed);
        }
        summary.avg_score = mean(self.sum, self.scores);
        let informational = self.informational.iter();
        summary.informational =
            informational.map(|(name, (sum, cases))| (name.clone(), mean(*sum, *cases))).collect();
        for (name, stats) in &mut summary.criterion_stats {
            stats.pass_rate = share(stats.passed, stats.failed);
            let scored = stats.avg_score_cases;
            stats.avg_score = self.sums.get(name).and_then(|sum| mean(*sum, scored));
        }
        summary
    }
}

#[expect(clippy::cast_precision_loss, reason = "no run has 2^53 cases")]
fn share(passed: usize, failed: usize) -> Option<f64> {
    (passed + failed > 0).then(|| passed as f64 / (passed + failed) as f64)
}

#[expect(clippy::cast_precision_loss, reason = "no run has 2^53 cases")]
fn mean(sum: f64, of: usize) -> Option<f64> {
    (of > 0).then(|| sum / of as f64)
}
