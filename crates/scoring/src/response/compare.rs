//! The metric `response`.

use json_text::Decimal;
use regex::Regex;

use super::numbers::numbers_in;
use super::text::{json_in, normalized};
use crate::evidence::{Evidence, ResponseTurn};
use crate::json::{Change, Equality, differences, subset};
use crate::outcome::{Outcome, Reason};
use crate::rouge::Scorer;
use crate::trace::Trace;

/// How a response is compared with the expected one.
#[derive(Debug, Clone, Default)]
pub enum Comparison {
    /// The share of words that both have: ROUGE-1 F. See [`crate::rouge`].
    #[default]
    Rouge1,
    /// Every character, or after [`normalized`].
    Exact {
        /// Whether both sides are normalized first.
        normalize: bool,
    },
    /// Whether the response contains the expected text.
    Contains {
        /// Texts of the criterion in the place of the expected response, all of which must be in
        /// the last response.
        texts: Option<Vec<String>>,
        /// Whether both sides are normalized first.
        normalize: bool,
    },
    /// Whether a pattern is found in the response.
    Regex(
        /// The criterion's pattern, for the last response; without one, each expected response is
        /// a pattern.
        Option<Regex>,
    ),
    /// Whether both are the same JSON, [`Equality::Json`], or contain the expected one.
    Json {
        /// Whether containing is enough; see [`subset`].
        subset: bool,
    },
    /// Whether every number of the expected response is met, in order, by one of the response that
    /// is not further away than one of the two distances.
    Numbers {
        /// The distance allowed.
        absolute: Decimal,
        /// The distance allowed as a share of the expected number.
        relative: Decimal,
    },
}

/// Scores each turn's response, and takes the mean of the turns with an expected one.
///
/// A turn without a response scores 0 where one is expected. A criterion that brings its own texts
/// or pattern looks at the last turn alone.
pub fn response(
    expected: &Trace,
    actual: &Trace,
    comparison: &Comparison,
    scorer: &mut Scorer,
) -> Outcome {
    let turns = match turns(expected, actual, comparison, scorer) {
        Ok(turns) => turns,
        Err(reason) => return Outcome::unscored(reason),
    };
    let scores: Vec<f64> = turns.iter().filter_map(|turn| turn.score).collect();
    if scores.is_empty() {
        return Outcome::unscored(Reason::NothingExpected { what: "final response" });
    }
    #[expect(clippy::cast_precision_loss, reason = "no case has 2^53 turns")]
    let mean = scores.iter().fold(0.0, |sum, score| sum + score) / scores.len() as f64;
    Outcome::scored(mean, Evidence::Response { turns })
}

fn turns(
    expected: &Trace,
    actual: &Trace,
    comparison: &Comparison,
    scorer: &mut Scorer,
) -> Result<Vec<ResponseTurn>, Reason> {
    let own = match comparison {
        Comparison::Contains { texts: Some(texts), normalize } => {
            let texts = texts.iter().map(String::as_str).collect::<Vec<_>>();
            Some(last(actual, |actual| Ok(contained(&texts, actual, *normalize)))?)
        }
        Comparison::Regex(Some(pattern)) => {
            Some(last(actual, |actual| Ok(found(pattern, actual)))?)
        }
        _ => None,
    };
    if let Some(turn) = own {
        return Ok(vec![turn]);
    }
    let pairs = crate::adk::paired(expected, actual)?;
    let turns = pairs.map(|(expected, actual)| {
        let Some(expected) = &expected.final_response else {
            return Ok(ResponseTurn::default());
        };
        let turn = match &actual.final_response {
            Some(actual) => compare(expected, actual, comparison, scorer)?,
            None => ResponseTurn::no("no response"),
        };
        let short = turn.score.is_none_or(|score| score < 1.0);
        Ok(ResponseTurn {
            expected: short.then(|| expected.clone()),
            actual: actual.final_response.clone().filter(|_| short),
            ..turn
        })
    });
    turns.collect()
}

/// Looks at the last turn's response.
fn last(
    actual: &Trace,
    look: impl FnOnce(&str) -> Result<ResponseTurn, Reason>,
) -> Result<ResponseTurn, Reason> {
    let turn = actual.invocations.last().ok_or(Reason::NoInvocations)?;
    let Some(text) = &turn.final_response else {
        return Ok(ResponseTurn::no("no response"));
    };
    let seen = look(text)?;
    let short = seen.score.is_none_or(|score| score < 1.0);
    Ok(ResponseTurn { actual: short.then(|| text.clone()), ..seen })
}

fn compare(
    expected: &str,
    actual: &str,
    comparison: &Comparison,
    scorer: &mut Scorer,
) -> Result<ResponseTurn, Reason> {
    Ok(match comparison {
        Comparison::Rouge1 => {
            let rouge = scorer.score(actual, expected);
            ResponseTurn {
                score: Some(rouge.f_measure),
                precision: Some(rouge.precision),
                recall: Some(rouge.recall),
                ..ResponseTurn::default()
            }
        }
        Comparison::Exact { normalize } => {
            let same = match normalize {
                true => normalized(expected) == normalized(actual),
                false => expected == actual,
            };
            if same { ResponseTurn::of(true) } else { ResponseTurn::no("the response differs") }
        }
        Comparison::Contains { normalize, .. } => contained(&[expected], actual, *normalize),
        Comparison::Regex(_) => {
            let pattern = Regex::new(expected).map_err(|error| Reason::BadExpectation {
                fault: format!("the expected response is not a valid pattern: {error}"),
            })?;
            found(&pattern, actual)
        }
        Comparison::Json { subset } => as_json(expected, actual, *subset)?,
        Comparison::Numbers { absolute, relative } => {
            by_numbers(expected, actual, absolute, relative)?
        }
    })
}

fn contained(texts: &[&str], actual: &str, normalize: bool) -> ResponseTurn {
    let form = |text: &str| if normalize { normalized(text) } else { text.to_owned() };
    let actual = form(actual);
    match texts.iter().find(|text| !actual.contains(&form(text))) {
        None => ResponseTurn::of(true),
        Some(text) => ResponseTurn::no(&format!("{text:?} is not in the response")),
    }
}

fn found(pattern: &Regex, actual: &str) -> ResponseTurn {
    if pattern.is_match(actual) {
        ResponseTurn::of(true)
    } else {
        ResponseTurn::no(&format!("{pattern} is not found in the response"))
    }
}

fn as_json(expected: &str, actual: &str, part: bool) -> Result<ResponseTurn, Reason> {
    let expected = json_in(expected).map_err(|reason| Reason::BadExpectation {
        fault: format!("the expected response is not valid JSON: {reason}"),
    })?;
    let actual = match json_in(actual) {
        Ok(actual) => actual,
        Err(reason) => {
            return Ok(ResponseTurn::no(&format!("the response is not valid JSON: {reason}")));
        }
    };
    let differences = differences(&expected, &actual, Equality::Json);
    let fits =
        if part { subset(&expected, &actual, Equality::Json) } else { differences.is_empty() };
    let mut differences = if fits { Vec::new() } else { differences };
    if part && differences.iter().any(|it| it.change != Change::Extra) {
        // Extra members are allowed.
        differences.retain(|it| it.change != Change::Extra);
    }
    Ok(ResponseTurn { differences, ..ResponseTurn::of(fits) })
}

fn by_numbers(
    expected: &str,
    actual: &str,
    absolute: &Decimal,
    relative: &Decimal,
) -> Result<ResponseTurn, Reason> {
    let wanted = numbers_in(expected);
    if wanted.is_empty() {
        return Err(Reason::NothingExpected { what: "number in the final response" });
    }
    let found = numbers_in(actual);
    let mut rest = found.iter();
    let unmet =
        wanted.iter().find(|number| !rest.any(|other| other.is_near(number, absolute, relative)));
    Ok(match unmet {
        None => ResponseTurn::of(true),
        Some(number) => {
            ResponseTurn::no(&format!("no number in the response is close to {number}"))
        }
    })
}

impl ResponseTurn {
    fn of(fits: bool) -> Self {
        Self { score: Some(if fits { 1.0 } else { 0.0 }), ..Self::default() }
    }

    fn no(note: &str) -> Self {
        Self { note: Some(note.to_owned()), ..Self::of(false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Invocation;

    fn trace(responses: &[Option<&str>]) -> Trace {
        let turns = responses.iter().map(|response| Invocation {
            final_response: response.map(str::to_owned),
            ..Invocation::default()
        });
        Trace { invocations: turns.collect(), final_state: None }
    }

    fn check(comparison: &Comparison, expected: &str, actual: &str, score: f64) {
        let outcome = response(
            &trace(&[Some(expected)]),
            &trace(&[Some(actual)]),
            comparison,
            &mut Scorer::default(),
        );
        let seen = outcome.score().map(crate::Score::get);
        assert_eq!(seen, Some(score), "{comparison:?} {expected:?} {actual:?} {outcome:?}");
    }

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect("a number")
    }

    #[test]
    fn texts() {
        let exact = Comparison::Exact { normalize: false };
        check(&exact, "Paris", "Paris", 1.0);
        check(&exact, "Paris", "paris ", 0.0);
        check(&Comparison::Exact { normalize: true }, "Paris", " PARIS\n", 1.0);
        let contains = Comparison::Contains { texts: None, normalize: true };
        check(&contains, "paris", "It is  PARIS!", 1.0);
        check(&contains, "rome", "It is Paris", 0.0);
        let own = Comparison::Contains {
            texts: Some(vec!["22".to_owned(), "sunny".to_owned()]),
            normalize: false,
        };
        check(&own, "whatever", "22 degrees and sunny", 1.0);
        check(&own, "whatever", "22 degrees", 0.0);
        check(&Comparison::Regex(None), r"^\d+$", "42", 1.0);
        check(&Comparison::Regex(Regex::new("(?i)ÜBER").ok()), "", "über", 1.0);
        check(&Comparison::Rouge1, "the cat sat", "the cat", 0.8);
    }

    #[test]
    fn json_and_numbers() {
        let json = Comparison::Json { subset: false };
        check(&json, r#"{"a":1,"b":[2]}"#, "```json\n{\"b\": [2.0], \"a\": 1}\n```", 1.0);
        check(&json, r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#, 0.0);
        check(&json, "{}", "no JSON", 0.0);
        check(&Comparison::Json { subset: true }, r#"{"a":1}"#, r#"{"a":1,"b":2}"#, 1.0);
        let near = Comparison::Numbers { absolute: decimal("0.05"), relative: decimal("0") };
        check(&near, "22.0 °C, 60 %", "It is 22.04 degrees with 60 percent", 1.0);
        check(&near, "22 and 60", "60 and 22", 0.0);
        let relative = Comparison::Numbers { absolute: decimal("0"), relative: decimal("0.01") };
        check(&relative, "1,000,000", "about 1009999", 1.0);
        check(&relative, "1,000,000", "about 1010001", 0.0);
        let exact = Comparison::Numbers { absolute: decimal("0.5"), relative: decimal("0") };
        check(&exact, "9007199254740993", "9007199254740992", 0.0);
    }

    #[test]
    fn missing_expectations_are_not_scored() {
        let rouge = |expected: &[Option<&str>], actual: &[Option<&str>]| {
            let mut scorer = Scorer::default();
            response(&trace(expected), &trace(actual), &Comparison::Rouge1, &mut scorer)
        };
        let nothing = Outcome::unscored(Reason::NothingExpected { what: "final response" });
        assert_eq!(rouge(&[None], &[Some("hello")]), nothing);
        let half = rouge(&[None, Some("hello")], &[Some("x"), Some("hello")]);
        assert_eq!(half.score().map(crate::Score::get), Some(1.0));
        let silent = rouge(&[Some("hello")], &[None]);
        assert_eq!(silent.score().map(crate::Score::get), Some(0.0));
        let bad = response(
            &trace(&[Some("(")]),
            &trace(&[Some("x")]),
            &Comparison::Regex(None),
            &mut Scorer::default(),
        );
        assert!(matches!(bad, Outcome::Unscored { reason: Reason::BadExpectation { .. } }));
    }
}
