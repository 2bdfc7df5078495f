//! The metric `trajectory`.

use serde::Serialize;

use super::align::align;
use super::rules::ArgumentRules;
use crate::adk::MatchType;
use crate::evidence::{Alignment, Evidence, RowKind, TurnScore};
use crate::json::Equality;
use crate::outcome::{Outcome, Reason};
use crate::trace::{Invocation, Trace};

/// How trajectories are compared.
#[derive(Debug, Clone)]
pub struct Matching {
    /// Whether order and other calls count.
    pub match_type: MatchType,
    /// Whether only the tools' names are compared.
    pub ignore_args: bool,
    /// Matchers for single arguments, in place of equality.
    pub rules: ArgumentRules,
    /// What the score measures.
    pub measure: Measure,
    /// What a call with other arguments is worth.
    pub credit: Credit,
    /// When two arguments are equal. Under [`Equality::Json`] absent arguments are none.
    pub equality: Equality,
}

impl Default for Matching {
    fn default() -> Self {
        Self {
            match_type: MatchType::Exact,
            ignore_args: false,
            rules: ArgumentRules::default(),
            measure: Measure::All,
            credit: Credit::Call,
            equality: Equality::Json,
        }
    }
}

/// What the score of a turn measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// 1 when the match type is met entirely, else 0.
    #[default]
    All,
    /// How much of what was done was expected.
    Precision,
    /// How much of what was expected was done.
    Recall,
    /// The harmonic mean of both.
    F1,
}

impl Measure {
    /// The names that configs use.
    pub const NAMES: [&str; 4] = ["all", "precision", "recall", "f1"];

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "all" => Self::All,
            "precision" => Self::Precision,
            "recall" => Self::Recall,
            "f1" => Self::F1,
            _ => return None,
        })
    }
}

/// What a call of the right tool with other arguments is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Credit {
    /// Nothing.
    #[default]
    Call,
    /// The share of its arguments that agree.
    Arguments,
}

impl Credit {
    /// The names that configs use.
    pub const NAMES: [&str; 2] = ["call", "arguments"];

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "call" => Some(Self::Call),
            "arguments" => Some(Self::Arguments),
            _ => None,
        }
    }
}

/// Scores each turn, and takes the mean of those in which something is expected.
///
/// Of several accepted trajectories the one with the best score counts, the first of equals. A
/// turn that expects no calls is scored only where extra calls count: with [`MatchType::Exact`] or
/// a measure that includes precision.
#[must_use]
pub fn trajectory(expected: &Trace, actual: &Trace, matching: &Matching) -> Outcome {
    match turns(expected, actual, matching) {
        Ok(turns) => {
            let scores: Vec<f64> = turns.iter().filter_map(|turn| turn.score).collect();
            if scores.is_empty() {
                return Outcome::unscored(Reason::NothingExpected { what: "tool call" });
            }
            #[expect(clippy::cast_precision_loss, reason = "no case has 2^53 turns")]
            let mean = scores.iter().fold(0.0, |sum, score| sum + score) / scores.len() as f64;
            Outcome::scored(mean, Evidence::Trajectory { turns })
        }
        Err(reason) => Outcome::unscored(reason),
    }
}

fn turns(expected: &Trace, actual: &Trace, matching: &Matching) -> Result<Vec<TurnScore>, Reason> {
    let pairs = crate::adk::paired(expected, actual)?;
    pairs.map(|(expected, actual)| turn(expected, actual, matching)).collect()
}

fn turn(
    expected: &Invocation,
    actual: &Invocation,
    matching: &Matching,
) -> Result<TurnScore, Reason> {
    let first = align(&expected.tool_calls, &actual.tool_calls, matching)?;
    let says_something = !expected.tool_calls.is_empty()
        || !expected.accepted.is_empty()
        || matching.match_type == MatchType::Exact
        || matches!(matching.measure, Measure::Precision | Measure::F1);
    let mut best = (score(&first, matching), 0, first);
    for (place, calls) in expected.accepted.iter().enumerate() {
        let alignment = align(calls, &actual.tool_calls, matching)?;
        let score = score(&alignment, matching);
        if score > best.0 {
            best = (score, place + 1, alignment);
        }
    }
    let (score, trajectory, alignment) = best;
    Ok(TurnScore { score: says_something.then_some(score), trajectory, alignment })
}

fn score(alignment: &Alignment, matching: &Matching) -> f64 {
    match matching.measure {
        Measure::All => {
            let broken = alignment.rows.iter().any(|row| match row.kind {
                RowKind::Matched => false,
                RowKind::Changed | RowKind::Missing => true,
                RowKind::Extra => matching.match_type == MatchType::Exact,
            });
            if broken { 0.0 } else { 1.0 }
        }
        Measure::Precision => alignment.precision,
        Measure::Recall => alignment.recall,
        Measure::F1 => alignment.f1,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use json_text::JsonText;

    use super::super::matcher::{NoSchemas, SchemaCheck, Schemas};
    use super::*;
    use crate::trace::ToolCall;
    use json_text::JsonIndex;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    /// Calls written as `name {args}`, one a line.
    fn calls(lines: &str) -> Vec<ToolCall> {
        let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
        lines
            .map(|line| match line.split_once(' ') {
                Some((name, args)) => ToolCall::new(name, json(args)),
                None => ToolCall { name: Some(line.to_owned()), ..ToolCall::default() },
            })
            .collect()
    }

    fn trace(lines: &str) -> Trace {
        let turn = Invocation { tool_calls: calls(lines), ..Invocation::default() };
        Trace { invocations: vec![turn], ..Trace::default() }
    }

    fn rules(text: &str) -> ArgumentRules {
        ArgumentRules::read(JsonIndex::of(&json(text)).root(), "", &OnlyTyped).expect("rules")
    }

    /// Schemas of one keyword, enough to test that they are used.
    struct OnlyTyped;

    #[derive(Debug)]
    struct IsString;

    impl Schemas for OnlyTyped {
        fn compile(
            &self,
            _: &JsonText,
        ) -> Result<std::sync::Arc<dyn SchemaCheck>, crate::trajectory::UnusableSchema> {
            Ok(std::sync::Arc::new(IsString))
        }
    }

    impl SchemaCheck for IsString {
        fn fits(&self, value: &JsonText) -> bool {
            value.kind() == json_text::Kind::String
        }
    }

    fn score_of(expected: &Trace, actual: &Trace, matching: &Matching) -> f64 {
        trajectory(expected, actual, matching).score().expect("a score").get()
    }

    #[test]
    fn matchers_apply_to_arguments() {
        let matching = Matching {
            rules: rules(
                r#"{
                    "book": {
                        "request_id": "ignore",
                        "note": {"regex": "(?i)window"},
                        "/fare/amount": {"tolerance": {"absolute": 0.01}},
                        "/seats/*": {"one_of": ["12A", "12B"]},
                        "options": "subset",
                        "id": {"schema": {"type": "string"}}
                    },
                    "*": {"trace": "ignore"}
                }"#,
            ),
            ..Matching::default()
        };
        let expected = trace(
            r#"book {"request_id":"1","note":"","fare":{"amount":99.99,"currency":"EUR"},"seats":["?"],"options":{"meal":"veg"},"id":"x"}"#,
        );
        let fits = trace(
            r#"book {"note":"A WINDOW please","fare":{"amount":100.00,"currency":"EUR"},"seats":["12B"],"options":{"meal":"veg","bag":1},"id":"y","trace":7}"#,
        );
        assert_eq!(score_of(&expected, &fits, &matching), 1.0);
        let fails = trace(
            r#"book {"note":"aisle","fare":{"amount":100.001,"currency":"EUR"},"seats":["9C"],"options":{},"id":5}"#,
        );
        let Outcome::Scored { evidence: Evidence::Trajectory { turns }, .. } =
            trajectory(&expected, &fails, &matching)
        else {
            panic!("scored")
        };
        let row = &turns[0].alignment.rows[0];
        let differences: Vec<String> = row
            .differences
            .iter()
            .map(|difference| {
                format!("{} {}", difference.path, difference.wanted.as_deref().unwrap_or("?"))
            })
            .collect();
        expect![[r#"
            /fare/amount a number within 0.01 of 99.99
            /id a value that is valid for the JSON Schema
            /note a string that matches (?i)window
            /options a value that contains {"meal":"veg"}
            /seats/0 one of "12A", "12B""#]]
        .assert_eq(&differences.join("\n"));
        assert_eq!(row.agreement, 1.0 / 6.0);
    }

    fn check_fault(text: &str, expected: &Expect) {
        let fault =
            ArgumentRules::read(JsonIndex::of(&json(text)).root(), "/arguments", &NoSchemas)
                .expect_err("refused");
        expected.assert_eq(&fault.to_string());
    }

    #[test]
    fn faulty_rules_are_named() {
        check_fault(
            r#"{"book":{"note":{"regexp":"x"}}}"#,
            &expect![[r#"/arguments/book/note: unknown matcher "regexp"; did you mean regex?"#]],
        );
        check_fault(
            r#"{"book":{"note":{"regex":"(?=x)"}}}"#,
            &expect![[
                r#"/arguments/book/note/regex: invalid pattern: look-around, including look-ahead and look-behind, is not supported"#
            ]],
        );
        check_fault(
            r#"{"book":{"n":{"tolerance":-1}}}"#,
            &expect![
                "/arguments/book/n/tolerance: a tolerance must be a number of at least 0, or an object of absolute and relative"
            ],
        );
        check_fault(
            r#"{"book":{"n":{"schema":{}}}}"#,
            &expect!["/arguments/book/n/schema: JSON Schemas are not supported here"],
        );
        check_fault(r#"["book"]"#, &expect!["/arguments: must be an object of tools by name"]);
    }

    #[test]
    fn the_alignment_is_the_evidence() {
        let expected = trace("search {\"q\":\"a\"}\nbook {\"id\":1,\"seat\":\"A\"}\npay");
        let actual = trace("login\nsearch {\"q\":\"a\"}\nbook {\"id\":1,\"seat\":\"B\"}");
        let matching = Matching {
            match_type: MatchType::InOrder,
            measure: Measure::F1,
            credit: Credit::Arguments,
            ..Matching::default()
        };
        let outcome = trajectory(&expected, &actual, &matching);
        assert_eq!(outcome.score().map(crate::Score::get), Some(0.5));
        let Outcome::Scored { evidence, .. } = outcome else { panic!("scored") };
        let json = serde_json::to_string_pretty(&evidence).expect("serializes");
        expect_test::expect_file!["../../tests/expected/alignment.json"].assert_eq(&json);
    }

    #[test]
    fn alternative_trajectories_count() {
        let mut expected = trace("a");
        expected.invocations[0].accepted = vec![calls("b\nc"), calls("c\nb")];
        let matching = Matching::default();
        assert_eq!(score_of(&expected, &trace("c\nb"), &matching), 1.0);
        assert_eq!(score_of(&expected, &trace("a"), &matching), 1.0);
        assert_eq!(score_of(&expected, &trace("b"), &matching), 0.0);
    }

    #[test]
    fn a_missing_expectation_scores_nothing() {
        let lenient = Matching { match_type: MatchType::InOrder, ..Matching::default() };
        let outcome = trajectory(&trace(""), &trace("a"), &lenient);
        assert_eq!(outcome, Outcome::unscored(Reason::NothingExpected { what: "tool call" }));
        // That nothing is called is something to expect where other calls count.
        assert_eq!(score_of(&trace(""), &trace("a"), &Matching::default()), 0.0);
        assert_eq!(score_of(&trace(""), &trace(""), &Matching::default()), 1.0);
        let mut longer = trace("");
        longer.invocations.push(Invocation::default());
        let outcome = trajectory(&trace("a"), &longer, &lenient);
        assert_eq!(outcome, Outcome::unscored(Reason::DifferentLengths { expected: 1, actual: 2 }));
    }

    #[test]
    fn absent_arguments_equal_empty_only_in_python() {
        assert_eq!(score_of(&trace("a {}"), &trace("a"), &Matching::default()), 1.0);
        let python = Matching { equality: Equality::Python, ..Matching::default() };
        assert_eq!(score_of(&trace("a {}"), &trace("a"), &python), 0.0);
        assert_eq!(score_of(&trace("a {\"x\":1}"), &trace("a {\"x\":true}"), &python), 1.0);
    }
}
