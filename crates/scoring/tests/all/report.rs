//! Reports have the published shape, and read back as they were written.

use std::path::Path;

use expect_test::expect;
use json_text::JsonText;
use proptest::prelude::*;
use schema_check::Check;
use scoring::config::{Config, Tools};
use scoring::report::{CaseVerdict, CriterionResult, EvalCaseResult, EvalReport, Sources, Tally};
use scoring::trajectory::NoSchemas;
use scoring::{Invocation, ToolCall, Trace};
use serde_json::Value;

fn json(text: &str) -> JsonText {
    JsonText::parse(text).expect("valid")
}

fn schema() -> Check {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/eval-report.schema.json");
    let text = std::fs::read_to_string(path).expect("the schema is published");
    Check::of(&json(&text)).expect("a JSON Schema")
}

fn turn(tool: &str, response: &str) -> Trace {
    let call = ToolCall::new(tool, json(r#"{"id":9007199254740993}"#));
    let turn = Invocation {
        tool_calls: vec![call],
        final_response: Some(response.to_owned()),
        ..Invocation::default()
    };
    Trace { invocations: vec![turn], final_state: None }
}

fn report(results: Vec<EvalCaseResult>, config: &Config) -> EvalReport {
    let mut tally = Tally::default();
    for result in &results {
        tally.add(result);
    }
    EvalReport {
        report_id: "r1".to_owned(),
        eval_set_id: "weather".to_owned(),
        eval_set_name: None,
        results,
        summary: tally.summary(),
        config_used: config.source.clone(),
        sources: Sources::default(),
        baseline: None,
        created_at: "2026-11-21T08:00:00Z".to_owned(),
        duration_seconds: 0.5,
    }
}

/// A run in which a case passes, one fails, one is unscored and one is an error.
fn a_run() -> EvalReport {
    let config = r#"{"criteria": {"tool_trajectory_avg_score": 1.0,
        "calls": {"metric": "trajectory", "score": "f1"}, "response": 0.8,
        "state": 1, "few": {"metric": "count", "event": "tool_call", "max": 3}}}"#;
    let config = Config::read(&json(config), &NoSchemas).sound().expect("a config");
    let state = Some(json(r#"{"done":true}"#));
    let expected = Trace { final_state: state.clone(), ..turn("find", "It is 22 degrees.") };
    let cases = [
        ("good", Trace { final_state: state, ..expected.clone() }),
        ("bad", turn("search", "I do not know.")),
        ("unknown", expected.clone()),
    ];
    let mut tools = Tools::default();
    let mut results: Vec<EvalCaseResult> = cases
        .into_iter()
        .map(|(id, mut actual)| {
            if id == "unknown" {
                actual.final_state = None;
            }
            let judged =
                config.criteria.iter().map(|one| one.judge(&expected, &actual, &mut tools));
            EvalCaseResult::scored(id, None, judged.collect(), 0.001)
        })
        .collect();
    results.push(EvalCaseResult::error(
        "gone",
        Some("Gone".to_owned()),
        "no actual case has this id",
    ));
    report(results, &config)
}

#[test]
fn a_report_has_the_published_shape() {
    let report = a_run();
    let text = JsonText::serialize(&report).expect("serializes");
    assert_eq!(schema().violations(&text), []);
    let verdicts: Vec<CaseVerdict> = report.results.iter().map(EvalCaseResult::verdict).collect();
    assert_eq!(
        verdicts,
        [CaseVerdict::Passed, CaseVerdict::Failed, CaseVerdict::Unscored, CaseVerdict::Error]
    );
    let passed: Vec<Option<bool>> = report.results.iter().map(|result| result.passed).collect();
    assert_eq!(passed, [Some(true), Some(false), None, Some(false)]);
    let summary = serde_json::to_string_pretty(&report.summary).expect("serializes");
    expect![[r#"
        {
          "total_cases": 4,
          "passed_cases": 1,
          "failed_cases": 2,
          "error_cases": 1,
          "terminated_cases": 0,
          "unscored_cases": 1,
          "pass_rate": 0.3333333333333333,
          "pass_rate_interval": {
            "low": 0.038748,
            "high": 0.823264
          },
          "avg_score": 0.7692307692307693,
          "avg_score_cases": 3,
          "criterion_stats": {
            "tool_trajectory_avg_score": {
              "criterion": "tool_trajectory_avg_score",
              "total": 3,
              "passed": 2,
              "failed": 1,
              "unscored": 0,
              "pass_rate": 0.6666666666666666,
              "avg_score": 0.6666666666666666,
              "avg_score_cases": 3,
              "min_score": 0.0,
              "max_score": 1.0
            },
            "calls": {
              "criterion": "calls",
              "total": 3,
              "passed": 2,
              "failed": 1,
              "unscored": 0,
              "pass_rate": 0.6666666666666666,
              "avg_score": 0.6666666666666666,
              "avg_score_cases": 3,
              "min_score": 0.0,
              "max_score": 1.0
            },
            "response": {
              "criterion": "response",
              "total": 3,
              "passed": 2,
              "failed": 1,
              "unscored": 0,
              "pass_rate": 0.6666666666666666,
              "avg_score": 0.6666666666666666,
              "avg_score_cases": 3,
              "min_score": 0.0,
              "max_score": 1.0
            },
            "state": {
              "criterion": "state",
              "total": 3,
              "passed": 1,
              "failed": 0,
              "unscored": 2,
              "pass_rate": 1.0,
              "avg_score": 1.0,
              "avg_score_cases": 1,
              "min_score": 1.0,
              "max_score": 1.0
            },
            "few": {
              "criterion": "few",
              "total": 3,
              "passed": 3,
              "failed": 0,
              "unscored": 0,
              "pass_rate": 1.0,
              "avg_score": 1.0,
              "avg_score_cases": 3,
              "min_score": 1.0,
              "max_score": 1.0
            }
          },
          "tag_stats": {},
          "repeats": null,
          "seconds": null,
          "tokens": null,
          "measured_cases": 0,
          "models": []
        }"#]]
    .assert_eq(&summary);
    // An unscored criterion does not outweigh a failed one.
    assert!(report.results[1].criterion_results.iter().any(|result| result.passed.is_none()));
}

#[test]
fn the_schema_refuses_what_is_not_a_report() {
    let good: Value = serde_json::to_value(a_run()).expect("serializes");
    let check = schema();
    let refused = |change: fn(&mut Value)| {
        let mut report = good.clone();
        change(&mut report);
        !check.violations(&JsonText::from_value(&report)).is_empty()
    };
    assert!(refused(|report| report["more"] = true.into()));
    assert!(refused(|report| drop(report["summary"]["unscored_cases"].take())));
    assert!(refused(|report| report["results"][0]["criterion_results"][0]["score"] = Value::Null));
    assert!(refused(|report| report["results"][0]["criterion_results"][0]["score"] = 2.into()));
    assert!(
        refused(|report| report["results"][2]["criterion_results"][3]["details"] = Value::Null)
    );
    assert!(
        refused(|report| report["results"][2]["criterion_results"][3]["passed"] = false.into())
    );
}

#[test]
fn a_report_reads_back() {
    let report = a_run();
    let text = serde_json::to_string(&report).expect("serializes");
    assert!(text.contains("9007199254740993"), "digits are kept in the evidence");
    let again: EvalReport = serde_json::from_str(&text).expect("reads");
    assert_eq!(again, report);
}

#[test]
fn unscored_is_not_a_number() {
    let mut tally = Tally::default();
    tally.add(&EvalCaseResult::scored("empty", None, Vec::new(), 0.0));
    let summary = tally.summary();
    assert_eq!((summary.unscored_cases, summary.pass_rate, summary.avg_score), (1, None, None));
}

proptest! {
    #[test]
    fn scores_read_back_to_the_last_bit(score in 0.0..1.0_f64, threshold in 0.0..1.0_f64) {
        let result = CriterionResult {
            criterion: "c".to_owned(),
            score: Some(score),
            passed: Some(score >= threshold),
            threshold,
            details: json("{}"),
        };
        let text = serde_json::to_string(&result).expect("serializes");
        let again: CriterionResult = serde_json::from_str(&text).expect("reads");
        prop_assert_eq!(again, result);
    }
}
