//! What a report that was read gives: counts, places, notes and reasons.

use json_text::JsonText;
use report_view::{CaseVerdict, CriterionResult, EvalCaseResult, EvalRun, Report, read};
use scoring::report::RunStatus;

/// A criterion's name, its score and its threshold.
type Scored<'t> = (&'t str, Option<f64>, f64);

/// The report of these cases, by their ids.
fn report(cases: &[(&str, &[Scored<'_>])]) -> Report {
    let case = |(id, scores): &(&str, &[Scored<'_>])| {
        let results = scores.iter().map(|(criterion, score, threshold)| CriterionResult {
            criterion: (*criterion).to_owned(),
            score: *score,
            passed: score.map(|score| score >= *threshold),
            threshold: *threshold,
            details: JsonText::parse(r#"{"reason":"nobody asked"}"#).expect("JSON"),
        });
        EvalCaseResult::scored(*id, None, results.collect(), 0.5)
    };
    read_cases(&cases.iter().map(case).collect::<Vec<_>>())
}

fn read_cases(results: &[EvalCaseResult]) -> Report {
    let results = serde_json::to_string(results).expect("JSON");
    let text = format!(
        r#"{{"report_id":"r","eval_set_id":"s","results":{results},"duration_seconds":2}}"#
    );
    read(&text).expect("a report")
}

#[test]
fn notes_of_runs_are_notes_of_the_report() {
    let run = EvalRun {
        status: RunStatus::Passed,
        termination_reason: None,
        turns: 0,
        at_fault: None,
        code: None,
        cost: None,
        notes: vec!["the mock of read was never used".to_owned()],
        events: JsonText::parse("[]").expect("JSON"),
    };
    let scored = EvalCaseResult::scored("greets", None, Vec::new(), 0.5);
    let report =
        read_cases(&[EvalCaseResult { passed: Some(true), eval_run: Some(run), ..scored }]);
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
    let report = read_cases(&[run("run1.json", 1.0), run("run2.json", 0.0)]);
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
    let failed = read_cases(&[failed]);
    assert_eq!(failed.why(0).as_deref(), Some("no \\u202ecase\nhere"));
}

#[test]
fn case_error_gives_its_reason() {
    let error = EvalCaseResult::error("a", None, "no such case");
    let report = read_cases(&[error]);
    assert_eq!(report.count(CaseVerdict::Error), 1);
    assert_eq!(report.count(CaseVerdict::Failed), 0);
    assert_eq!(report.summary.pass_rate, Some(0.0), "it did not pass");
    assert_eq!(report.why(0).as_deref(), Some("no such case"));
}
