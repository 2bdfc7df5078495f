//! Parses a [`Report`].

use json_text::JsonTextError;
use scoring::report::EvalCaseResult;
use serde::Deserialize;
use serde_json::error::Category;

use crate::error::ReadError;
use crate::report::Report;
use crate::written::Written;

/// Reads a report.
///
/// # Errors
/// [`ReadError`] with the place and the remedy. A report with an invalid part is rejected, because
/// missing scores would mislead.
pub fn read(text: &str) -> Result<Report, ReadError> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    if text.trim_start().starts_with('<') {
        return Err(ReadError::OtherFile {
            what: "HTML or XML, not JSON",
            remedy: "Use `rehearsal score --format json`.",
        });
    }
    let written: Written = match serde_json::from_str(text) {
        Ok(written) => written,
        Err(error) => return Err(placed(text, &error)),
    };
    for (at, case) in written.results.iter().enumerate() {
        check(at, case)?;
    }
    Ok(Report::of(written))
}

fn check(at: usize, case: &EvalCaseResult) -> Result<(), ReadError> {
    for (place, result) in case.criterion_results.iter().enumerate() {
        let broken = |field: &str, reason: &str| {
            Err(ReadError::Rule {
                path: format!("results[{at}].criterion_results[{place}]{field}"),
                reason: reason.to_owned(),
            })
        };
        match (result.score, result.passed) {
            (Some(score), _) if !score.is_finite() => {
                return broken(".score", "must be a finite number or null");
            }
            (None, Some(_)) => {
                return broken(".passed", "must be null when there is no score");
            }
            (Some(_), None) => {
                return broken(".passed", "must be true or false when there is a score");
            }
            _ => {}
        }
        if !result.threshold.is_finite() {
            return broken(".threshold", "must be a finite number");
        }
    }
    let passed = case.verdict().passed();
    if passed == case.passed {
        return Ok(());
    }
    let word = |passed| match passed {
        Some(true) => "passed",
        Some(false) => "failed",
        None => "unscored",
    };
    Err(ReadError::Rule {
        path: format!("results[{at}].passed"),
        reason: format!(
            "the case is marked {}, but by its criteria it is {}",
            word(case.passed),
            word(passed)
        ),
    })
}

/// The error with its place. The path is computed only here, because tracking it slows parsing down.
fn placed(text: &str, error: &serde_json::Error) -> ReadError {
    let JsonTextError { reason, line, column } = JsonTextError::of(text, error);
    if matches!(error.classify(), Category::Syntax | Category::Eof) {
        return ReadError::NotJson { line, column, reason };
    }
    if let Some(other) = other_file(text) {
        return other;
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let result = serde_path_to_error::deserialize::<_, Written>(&mut deserializer);
    let path = result.err().map(|error| error.path().to_string());
    let path = path.filter(|path| path != ".").unwrap_or_else(|| "The report".to_owned());
    ReadError::Shape { path, line, column, reason }
}

/// The error for a known kind of file other than a report.
fn other_file(text: &str) -> Option<ReadError> {
    #[derive(Deserialize)]
    struct Keys {
        #[serde(default)]
        eval_cases: Option<serde::de::IgnoredAny>,
        #[serde(default, rename = "evalCases")]
        eval_cases_camel: Option<serde::de::IgnoredAny>,
        #[serde(default)]
        criteria: Option<serde::de::IgnoredAny>,
        #[serde(default)]
        eval_case_results: Option<serde::de::IgnoredAny>,
        #[serde(default)]
        results: Option<serde::de::IgnoredAny>,
    }
    let keys: Keys = serde_json::from_str(text).ok()?;
    if keys.results.is_some() {
        return None;
    }
    let (what, remedy) = if keys.eval_cases.is_some() || keys.eval_cases_camel.is_some() {
        (
            "an eval set, not a report",
            "Score it with `rehearsal score --expected E --actual A --format json`.",
        )
    } else if keys.eval_case_results.is_some() {
        (
            "ADK's eval history, not a report",
            "Score it first: `rehearsal score --expected E --actual THIS --format json`.",
        )
    } else if keys.criteria.is_some() {
        ("an eval config, not a report", "Pass it to `rehearsal score` with `--config`.")
    } else {
        return None;
    };
    Some(ReadError::OtherFile { what, remedy })
}

#[cfg(test)]
pub(crate) mod tests {
    use expect_test::{Expect, expect};
    use json_text::JsonText;
    use scoring::report::CriterionResult;

    use super::*;

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

    fn check(text: &str, expected: &Expect) {
        let error = read(text).expect_err("no report");
        expected.assert_eq(&error.to_string());
    }

    #[test]
    fn invalid_report_error_has_a_position() {
        check(
            " \n",
            &expect![
                "The file is empty. Create a report with `rehearsal score --format json --output FILE`."
            ],
        );
        check(
            "<!doctype html>",
            &expect!["This is HTML or XML, not JSON. Use `rehearsal score --format json`."],
        );
        check(
            "{\"report_id\": \"r\",\n \"results\": [",
            &expect![
                "Line 2, column 14 is not valid JSON: the text ends here, but ] is missing. Create a report with `rehearsal score --format json --output FILE`."
            ],
        );
        check(
            r#"{"eval_set_id": "s", "eval_cases": []}"#,
            &expect![
                "This is an eval set, not a report. Score it with `rehearsal score --expected E --actual A --format json`."
            ],
        );
        check(
            r#"{"criteria": {}}"#,
            &expect![
                "This is an eval config, not a report. Pass it to `rehearsal score` with `--config`."
            ],
        );
        check(
            "[1]",
            &expect![
                "This is an eval set, not a report. Score it with `rehearsal score --expected E --actual A --format json`."
            ],
        );
    }

    #[test]
    fn a_broken_part_is_named() {
        let text = report_text(&[("a", &[("m", Some(0.5), 0.8)])]);
        check(
            &text.replace(r#""score":0.5"#, r#""score":"half""#),
            &expect![
                "results[0].criterion_results[0].score (line 1, column 140): expected a number, found a string. Create a report with `rehearsal score --format json --output FILE`."
            ],
        );
        check(
            &text.replace(r#""score":0.5"#, r#""score":null"#),
            &expect![
                "results[0].criterion_results[0].passed: must be null when there is no score. Create a report with `rehearsal score --format json --output FILE`."
            ],
        );
        check(
            &text.replacen(r#""passed":false"#, r#""passed":true"#, 1),
            &expect![
                "results[0].passed: the case is marked passed, but by its criteria it is failed. Create a report with `rehearsal score --format json --output FILE`."
            ],
        );
    }

    #[test]
    fn report_with_a_bom_and_unknown_fields_is_read() {
        let text = report_text(&[("a", &[("m", Some(1.0), 0.8)])]);
        let text = format!("\u{feff}{}", text.replacen('{', r#"{"theirs": [1],"#, 1));
        assert_eq!(read(&text).expect("a report").cases.len(), 1);
    }
}
