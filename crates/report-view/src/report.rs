//! [`Report`]: a report that was read.

use std::collections::HashMap;

use json_text::JsonText;
use json_text::written_out::visible_text;
use scoring::report::{
    CaseVerdict, CriterionResult, EvalCaseResult, EvalRun, EvalSummary, Tally, sentences,
};

use crate::evidence::why;
use crate::read::Written;

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

#[cfg(test)]
pub(crate) mod tests {
    use scoring::report::{CriterionResult, EvalCaseResult};

    use super::*;
    use crate::read;

    /// A criterion's name, its score and its threshold.
    pub(crate) type Scored<'t> = (&'t str, Option<f64>, f64);

    pub(crate) fn report_text(cases: &[(&str, &[Scored<'_>])]) -> String {
        let results = cases.iter().map(|(id, scores)| {
            let results = scores.iter().map(|(criterion, score, threshold)| CriterionResult {
                criterion: (*criterion).to_owned(),
                score: *score,
                passed: score.map(|score| score >= *threshold),
                threshold: *threshold,
                details: JsonText::parse(r#"{"reason":"nobody asked"}"#).expect("JSON"),
            });
            EvalCaseResult::scored(*id, None, results.collect(), 0.5)
        });
        written(&results.collect::<Vec<_>>())
    }

    pub(crate) fn written(results: &[EvalCaseResult]) -> String {
        let results = serde_json::to_string(results).expect("JSON");
        format!(r#"{{"report_id":"r","eval_set_id":"s","results":{results},"duration_seconds":2}}"#)
    }

    pub(crate) fn report(cases: &[(&str, &[Scored<'_>])]) -> Report {
        read(&report_text(cases)).expect("a report")
    }

    #[test]
    fn notes_of_runs_are_notes_of_the_report() {
        let run = scoring::report::EvalRun {
            status: scoring::report::RunStatus::Passed,
            termination_reason: None,
            turns: 0,
            at_fault: None,
            cost: None,
            notes: vec!["the mock of read was never used".to_owned()],
            events: JsonText::parse("[]").expect("JSON"),
        };
        let scored = EvalCaseResult::scored("greets", None, Vec::new(), 0.5);
        let report =
            read(&written(&[EvalCaseResult { passed: Some(true), eval_run: Some(run), ..scored }]));
        let report = report.expect("a report");
        assert_eq!(report.notes, ["greets: the mock of read was never used"]);
    }

    #[test]
    fn unscored_is_counted_separately() {
        let report = report(&[
            ("a", &[("m", Some(1.0), 0.8), ("n", None, 0.5)]),
            ("b", &[("m", Some(0.1), 0.8)]),
            ("c", &[("m", Some(0.9), 0.8)]),
            ("a", &[("m", Some(0.9), 0.8)]),
        ]);
        let counts =
            [CaseVerdict::Passed, CaseVerdict::Failed, CaseVerdict::Unscored, CaseVerdict::Error]
                .map(|verdict| report.count(verdict));
        assert_eq!(counts, [2, 1, 1, 0]);
        assert_eq!(report.criteria, ["m", "n"]);
        assert_eq!(report.summary.pass_rate, Some(2.0 / 3.0));
        assert_eq!(report.find("a"), Some(0));
        assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
        assert!(report.result(1, 1).is_none(), "it was not asked");
        assert_eq!(report.why(0).as_deref(), Some("n is unscored: nobody asked"));
        assert_eq!(report.why(1).as_deref(), Some("m scores 0.1, threshold 0.8"));
        assert_eq!(report.why(2), None);
    }

    #[test]
    fn each_run_of_a_case_is_found_by_its_label() {
        let run = |run: &str, score: f64| {
            let results = vec![CriterionResult {
                criterion: "m".to_owned(),
                score: Some(score),
                passed: Some(score >= 0.5),
                threshold: 0.5,
                details: JsonText::parse("{}").expect("JSON"),
            }];
            let result = EvalCaseResult::scored("a", None, results, 0.0);
            EvalCaseResult { run: Some(run.to_owned()), ..result }
        };
        let report = read(&written(&[run("run1.json", 1.0), run("run2.json", 0.0)]));
        let report = report.expect("a report");
        assert_eq!(report.find("a (run2.json)"), Some(1));
        assert_eq!(report.find("a"), Some(0));
        assert_eq!(report.notes, [""; 0], "they are not duplicates");
        let phrase = report.summary.pass_rate_phrase();
        assert_eq!(
            phrase.as_deref(),
            Some("Pass rate 0.500 (1 of 2 runs), 95 % interval 0.043 to 0.957")
        );
    }

    #[test]
    fn a_reason_shows_characters_that_reorder_text() {
        let named = report(&[("a", &[("\u{202e}m", None, 0.5)])]);
        let reason = named.why(0).expect("a reason");
        assert_eq!(reason, r"\u202em is unscored: nobody asked");
        let failed = EvalCaseResult::error("a", None, "no \u{202e}case\nhere");
        let failed = read(&written(&[failed])).expect("a report");
        assert_eq!(failed.why(0).as_deref(), Some("no \\u202ecase\nhere"));
    }

    #[test]
    fn case_error_gives_its_reason() {
        let error = EvalCaseResult::error("a", None, "no such case");
        let report = read(&written(&[error])).expect("a report");
        assert_eq!(report.count(CaseVerdict::Error), 1);
        assert_eq!(report.count(CaseVerdict::Failed), 0);
        assert_eq!(report.summary.pass_rate, Some(0.0), "it did not pass");
        assert_eq!(report.why(0).as_deref(), Some("no such case"));
    }
}
