//! [`evidence`]: the evidence for a score, from the details of a report.
//!
//! Details have no fixed shape, and other tools write their own. Unknown details are left out here, and
//! the reader still has the JSON.

use json_text::JsonText;
use json_text::written_out::{visible_name, visible_text};
use scoring::json::members;
use scoring::report::{CriterionResult, figures_apart};
use serde::Deserialize;

/// A part of the evidence for a score.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// The calls of a turn, side by side.
    Calls {
        /// The turn, from 0.
        turn: usize,
        /// Which trajectory is drawn: 0 is the expected one, others that are accepted count from 1.
        trajectory: usize,
        /// In order.
        rows: Vec<CallRow>,
    },
    /// The response of a turn.
    Response {
        /// The turn, from 0.
        turn: usize,
        /// What it scores.
        score: Option<f64>,
        /// What was expected.
        expected: Option<String>,
        /// The actual response.
        actual: Option<String>,
        /// Why the score is not full.
        note: Option<String>,
    },
    /// The scores or the measurements of the turns.
    Turns(Vec<f64>),
    /// Conditions on the final state.
    Conditions(Vec<Condition>),
    /// A judge's answer.
    Rubrics(Vec<Rubric>),
    /// Lines of a metric of `rehearsal eval`, such as the reason of its judge.
    Lines(Vec<String>),
}

/// A call of one side or of both.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRow {
    /// As expected.
    pub expected: Option<Call>,
    /// As made.
    pub actual: Option<Call>,
    /// Whether both are the same.
    pub is_same: bool,
    /// The names of the arguments that differ.
    pub differing: Vec<String>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Call {
    /// The tool.
    #[serde(default)]
    pub name: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub args: Option<JsonText>,
}

/// A condition on the final state.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Condition {
    /// The path of the condition.
    pub path: String,
    /// Whether it holds.
    pub holds: bool,
    /// The condition.
    #[serde(default)]
    pub asked: Option<JsonText>,
    /// The value there.
    #[serde(default)]
    pub actual: Vec<JsonText>,
}

/// A judge's score for a rubric.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Rubric {
    /// The rubric.
    pub name: String,
    /// Its score.
    pub score: f64,
    /// Each answer's score and reasoning.
    #[serde(default)]
    pub samples: Vec<Sample>,
}

/// One answer of a judge.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Sample {
    /// The score; `None` if the reply is unusable.
    #[serde(default)]
    pub score: Option<f64>,
    /// The reasoning.
    #[serde(default)]
    pub reasoning: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    missed: Vec<Missed>,
    turns: Vec<Turn>,
    invocations: Vec<f64>,
    conditions: Vec<Condition>,
    rubrics: Vec<Rubric>,
    evidence: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Missed {
    turn: usize,
    /// Of calls.
    #[serde(default)]
    alignment: Option<Alignment>,
    /// Of responses.
    #[serde(default)]
    expected: Option<String>,
    #[serde(default)]
    actual: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Turn {
    score: Option<f64>,
    trajectory: usize,
    alignment: Option<Alignment>,
    expected: Option<String>,
    actual: Option<String>,
    note: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Alignment {
    rows: Vec<AlignedRow>,
}

#[derive(Debug, Deserialize)]
struct AlignedRow {
    kind: String,
    #[serde(default)]
    expected: Option<Call>,
    #[serde(default)]
    actual: Option<Call>,
    #[serde(default)]
    differences: Vec<Difference>,
}

#[derive(Debug, Deserialize)]
struct Difference {
    path: String,
}

/// What a score rests on, as far as it is understood. Notes, lines, reasons and the names of rubrics
/// and conditions are as they are shown; calls and responses as they were.
#[must_use]
pub fn evidence(details: &JsonText) -> Vec<Part> {
    let Ok(Details { missed, turns, invocations, conditions, rubrics, evidence }) =
        details.decode()
    else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    if invocations.len() > 1 {
        parts.push(Part::Turns(invocations.clone()));
    }
    for Missed { turn, alignment, expected, actual } in missed {
        parts.push(match alignment {
            Some(alignment) => Part::Calls { turn, trajectory: 0, rows: rows(alignment) },
            None => {
                let score = invocations.get(turn).copied();
                Part::Response { turn, score, expected, actual, note: None }
            }
        });
    }
    for (place, turn) in turns.into_iter().enumerate() {
        let Turn { score, trajectory, alignment, expected, actual, note } = turn;
        match alignment {
            Some(alignment) => {
                parts.push(Part::Calls { turn: place, trajectory, rows: rows(alignment) });
            }
            None => {
                let note = note.map(|note| visible_text(&note));
                parts.push(Part::Response { turn: place, score, expected, actual, note });
            }
        }
    }
    if !conditions.is_empty() {
        let shown = |it: Condition| Condition { path: visible_name(&it.path), ..it };
        parts.push(Part::Conditions(conditions.into_iter().map(shown).collect()));
    }
    if !rubrics.is_empty() {
        parts.push(Part::Rubrics(rubrics.into_iter().map(shown_rubric).collect()));
    }
    if !evidence.is_empty() {
        parts.push(Part::Lines(evidence.iter().map(|line| visible_text(line)).collect()));
    }
    parts
}

fn shown_rubric(rubric: Rubric) -> Rubric {
    let shown = |it: Sample| Sample { reasoning: visible_text(&it.reasoning), ..it };
    let samples = rubric.samples.into_iter().map(shown).collect();
    Rubric { name: visible_text(&rubric.name), samples, ..rubric }
}

fn rows(alignment: Alignment) -> Vec<CallRow> {
    let row = |row: AlignedRow| {
        let differing = members(row.differences.iter().map(|it| it.path.as_str()));
        let AlignedRow { kind, expected, actual, .. } = row;
        CallRow { expected, actual, is_same: kind == "matched", differing }
    };
    alignment.rows.into_iter().map(row).collect()
}

/// Why a criterion was not met or not scored, in a sentence without a full stop.
#[must_use]
pub fn reason(result: &CriterionResult) -> Option<String> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Explanation {
        why: Option<String>,
        reason: Option<String>,
    }
    if result.passed == Some(true) {
        return None;
    }
    let Explanation { why, reason } = result.details.decode::<Explanation>().unwrap_or_default();
    let reason = if result.score.is_some() { why } else { reason };
    reason.map(|reason| visible_text(&reason))
}

/// As [`reason`], with the criterion's name; from the scores if there is no reason.
pub(crate) fn why(result: &CriterionResult) -> Option<String> {
    let name = &result.criterion;
    match (result.score, result.passed, reason(result)) {
        (_, Some(true), _) => None,
        (None, _, Some(reason)) => Some(format!("{name} is unscored: {reason}")),
        (None, _, None) => Some(format!("{name} is unscored, and the report gives no reason")),
        (Some(_), _, Some(why)) => Some(format!("{name}: {why}")),
        (Some(score), _, None) => {
            let (score, threshold) = figures_apart(score, result.threshold);
            Some(format!("{name} scores {score}, threshold {threshold}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(details: &str) -> Vec<Part> {
        evidence(&JsonText::parse(details).expect("JSON"))
    }

    #[test]
    fn calls_keep_their_arguments_and_list_differences() {
        let parts = parts(
            r#"{"invocations":[1.0,0.0],"missed":[{"turn":1,"alignment":{"rows":[
            {"kind":"matched","expected":{"place":0,"name":"list","args":{}},"actual":{"place":0,"name":"list","args":{}},"agreement":1.0},
            {"kind":"changed","expected":{"place":1,"name":"set","args":{"id":9007199254740993}},"actual":{"place":1,"name":"set","args":{"id":1}},"agreement":0.0,
             "differences":[{"path":"/id","change":"changed"},{"path":"/id/x","change":"missing"},{"path":"/a~1b","change":"extra"}]},
            {"kind":"missing","expected":{"place":2,"name":"close","args":null},"agreement":0}],"precision":0,"recall":0,"f1":0}}]}"#,
        );
        let [Part::Turns(turns), Part::Calls { turn: 1, rows, .. }] = &parts[..] else {
            panic!("{parts:?}")
        };
        assert_eq!(turns, &[1.0, 0.0]);
        assert!(rows[0].is_same && !rows[1].is_same);
        assert_eq!(rows[1].differing, ["id", "a/b"]);
        let args = rows[1].expected.as_ref().and_then(|call| call.args.as_ref());
        assert_eq!(args.map(JsonText::as_str), Some(r#"{"id":9007199254740993}"#));
        assert!(rows[2].actual.is_none());
    }

    #[test]
    fn responses_conditions_and_rubrics() {
        let parts = parts(
            r#"{"turns":[{"score":0.5,"expected":"a","actual":"b"}],
            "conditions":[{"path":"room.t","holds":false,"asked":21,"actual":[23]}],
            "rubrics":[{"name":"kind","weight":1,"score":0.5,"samples":[{"score":null,"reasoning":"no verdict"}]}]}"#,
        );
        let [
            Part::Response { score: Some(_), .. },
            Part::Conditions(conditions),
            Part::Rubrics(rubrics),
        ] = &parts[..]
        else {
            panic!("{parts:?}")
        };
        assert!(!conditions[0].holds);
        assert_eq!(rubrics[0].samples[0].reasoning, "no verdict");
    }

    #[test]
    fn characters_that_reorder_text_are_escaped() {
        let parts = parts(
            r#"{"turns":[{"note":"\u202eon"}],"evidence":["a\nb\u202c"],
            "conditions":[{"path":"\u202eroom","holds":true}],
            "rubrics":[{"name":"\u2066kind","score":1,"samples":[{"reasoning":"\u200ebad"}]}]}"#,
        );
        let [
            Part::Response { note: Some(note), .. },
            Part::Conditions(conditions),
            Part::Rubrics(rubrics),
            Part::Lines(lines),
        ] = &parts[..]
        else {
            panic!("{parts:?}")
        };
        let reasoning = &rubrics[0].samples[0].reasoning;
        let shown = [note, &conditions[0].path, &rubrics[0].name, reasoning, &lines[0]];
        let expected = [r"\u202eon", r"\u202eroom", r"\u2066kind", r"\u200ebad", "a\nb\\u202c"];
        assert_eq!(shown.map(String::as_str), expected);
    }

    #[test]
    fn low_scoring_response_is_paired_with_the_expected_one() {
        let parts = parts(
            r#"{"why":"turn 2: the response scores 0.250","invocations":[1.0,0.25],
            "missed":[{"turn":1,"expected":"21 degrees","actual":"23 degrees"}]}"#,
        );
        let [_, Part::Response { turn: 1, score, expected, actual, note: None }] = &parts[..]
        else {
            panic!("{parts:?}")
        };
        assert_eq!(*score, Some(0.25));
        let texts = (expected.as_deref(), actual.as_deref());
        assert_eq!(texts, (Some("21 degrees"), Some("23 degrees")));
    }

    #[test]
    fn a_score_is_not_rounded_up_to_its_threshold() {
        let result = CriterionResult {
            criterion: "words".to_owned(),
            score: Some(0.7996),
            passed: Some(false),
            threshold: 0.8,
            details: JsonText::parse("{}").expect("JSON"),
        };
        assert_eq!(why(&result).as_deref(), Some("words scores 0.7996, threshold 0.8"));
    }

    #[test]
    fn unknown_fields_are_ignored() {
        for details in ["{}", "[]", "null", r#"{"turns": 7}"#, r#"{"missed":[{"turn":-1}]}"#] {
            assert_eq!(parts(details), [], "{details}");
        }
    }
}
