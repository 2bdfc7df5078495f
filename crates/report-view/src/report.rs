//! [`Report`]: a report that was read.

use std::collections::HashMap;

use json_text::JsonText;
use json_text::written_out::visible_text;
use scoring::report::{
    CaseVerdict, CriterionResult, EvalCaseResult, EvalRun, EvalSummary, Tally, sentences,
};

use crate::evidence::why;
use crate::written::Written;

/// A report that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The report.
    pub report_id: String,
    /// The eval set of the scored cases.
    pub eval_set_id: String,
    /// Its name, where it has one.
    pub eval_set_name: Option<String>,
    /// When it was made, in RFC 3339; empty if unknown.
    pub created_at: String,
    /// How long the run took.
    pub duration_seconds: Option<f64>,
    /// The config that the cases were scored by.
    pub config_used: Option<JsonText>,
    /// The cases, in the order of the report.
    pub cases: Vec<EvalCaseResult>,
    /// The names of the criteria, in the order in which they first occur.
    pub criteria: Vec<String>,
    /// The summary of all cases, recomputed.
    pub summary: EvalSummary,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// The cases by their labels and ids.
    places: HashMap<String, usize>,
}

impl Report {
    pub(crate) fn of(written: Written) -> Self {
        let Written { results: cases, .. } = written;
        let mut tally = Tally::default();
        let mut places = HashMap::with_capacity(cases.len());
        let mut repeated = 0;
        for (place, case) in cases.iter().enumerate() {
            tally.add(case);
            let label = case.label().into_owned();
            repeated += usize::from(places.contains_key(&label));
            for name in [label, case.eval_id.clone()] {
                places.entry(name).or_insert(place);
            }
        }
        let summary = tally.summary();
        let mut notes = Vec::new();
        if repeated > 0 {
            notes.push(format!(
                "Duplicate case IDs: {repeated}. A link opens the first case with its ID."
            ));
        }
        for case in &cases {
            let of_case = case.eval_run.iter().flat_map(|run| &run.notes);
            notes.extend(of_case.map(|note| visible_text(&format!("{}: {note}", case.label()))));
        }
        Self {
            report_id: written.report_id,
            eval_set_id: written.eval_set_id,
            eval_set_name: written.eval_set_name,
            created_at: written.created_at,
            duration_seconds: written.duration_seconds.and_then(|it| it.as_str().parse().ok()),
            config_used: written.config_used,
            criteria: summary.criterion_stats.keys().cloned().collect(),
            cases,
            summary,
            notes,
            places,
        }
    }

    /// The number of cases with this verdict.
    #[must_use]
    pub fn count(&self, verdict: CaseVerdict) -> usize {
        self.summary.count(verdict)
    }

    /// The place of the first case with this id or label. A label names one run of a case.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The result of a criterion, by its place, for a case; `None` if there is none.
    #[must_use]
    pub fn result(&self, case: usize, criterion: usize) -> Option<&CriterionResult> {
        let name = self.criteria.get(criterion)?;
        self.cases.get(case)?.criterion_results.iter().find(|result| result.criterion == *name)
    }

    /// Whether any case has a score by the criterion of that place.
    #[must_use]
    pub fn is_scored(&self, criterion: usize) -> bool {
        let name = self.criteria.get(criterion);
        let stats = name.and_then(|name| self.summary.criterion_stats.get(name));
        stats.is_some_and(|stats| stats.passed + stats.failed > 0)
    }

    /// Why the case is an error, failed or unscored, in a sentence without a full stop; `None` if it
    /// passed.
    #[must_use]
    pub fn why(&self, case: usize) -> Option<String> {
        let case = self.cases.get(case)?;
        if let Some(error) = &case.error {
            return Some(visible_text(error));
        }
        if let Some(limit) = case.eval_run.as_ref().and_then(EvalRun::limit) {
            return Some(visible_text(&limit));
        }
        let failed = case.criterion_results.iter().filter(|it| it.passed == Some(false));
        let unscored = case.criterion_results.iter().filter(|it| it.passed.is_none());
        let reasons: Vec<String> = failed.chain(unscored).filter_map(why).collect();
        match reasons.is_empty() {
            true if case.criterion_results.is_empty() => {
                let skipped = case.skipped.as_deref().map(visible_text);
                Some(skipped.unwrap_or_else(|| "no criteria were scored".to_owned()))
            }
            true => None,
            false => Some(visible_text(&sentences(&reasons))),
        }
    }
}
