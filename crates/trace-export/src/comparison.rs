//! [`compare`]: aligns the calls and texts of two traces, and describes their differences.

use api::{CallSide, ComparedCall, ComparedScore, ComparedText, ComparedTurn, MatchStatus};
use json_text::JsonText;
use scoring::adk::MatchType;
use scoring::config::{Criterion, Metric, Tools};
use scoring::json::{Equality, equal, members};
use scoring::report::{why, why_calls};
use scoring::state::StateMeasure;
use scoring::trajectory::{CallSeen, Credit, Matching, Measure, Row, RowKind, align};
use scoring::{Invocation, Outcome, ToolCall, Trace};

/// The most reasons that are listed.
const MOST_REASONS: usize = 4;

/// The comparison of two traces.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The scores.
    pub scores: Vec<ComparedScore>,
    /// The differences as text; empty if there are none.
    pub why: Vec<String>,
    /// The turns, as many as the longer trace has.
    pub turns: Vec<ComparedTurn>,
    /// The final state, formatted, if one is expected.
    pub state: Option<ComparedText>,
}

/// Aligns `actual` with `expected`, turn by turn, and scores it.
#[must_use]
pub fn compare(expected: &Trace, actual: &Trace) -> Comparison {
    let (one, other) = (expected, actual);
    let (turns, mut reasons): (Vec<_>, Vec<_>) = turns(one, other).into_iter().unzip();
    let mut tools = Tools::default();
    let mut scores = Vec::new();
    let mut state = None;
    for criterion in criteria(one) {
        let outcome = criterion.score(one, other, &mut tools);
        let score = match &outcome {
            Outcome::Scored { score, .. } => Some(score.get()),
            Outcome::Unscored { .. } => None,
        };
        let reason = why(&criterion, &outcome);
        if let Metric::State { .. } = &criterion.metric {
            let laid_out = |trace: &Trace| trace.final_state.as_ref().map(JsonText::pretty);
            let mut sides = text(laid_out(one), laid_out(other));
            // Additional entries of the actual state are allowed.
            sides.is_same = score == Some(1.0);
            if sides.is_same {
                sides.parts.clear();
            }
            state = Some(sides);
            reasons.push(reason.iter().map(|reason| format!("final state: {reason}")).collect());
        }
        let note = reason.filter(|_| score.is_none()).unwrap_or_default();
        scores.push(ComparedScore { name: criterion.name, score, note });
    }
    let mut why = reasons.concat();
    let more = why.len().saturating_sub(MOST_REASONS);
    why.truncate(MOST_REASONS);
    match more {
        0 => {}
        1 => why.push("1 more difference".to_owned()),
        _ => why.push(format!("{more} more differences")),
    }
    Comparison { scores, why, turns, state }
}

/// The criteria of a comparison.
fn criteria(expected: &Trace) -> Vec<Criterion> {
    let exact = Metric::AdkTrajectory { match_type: MatchType::Exact, ignore_args: false };
    let state = Metric::State { query: None, measure: StateMeasure::All };
    let criterion = |(name, metric): (&str, Metric)| Criterion {
        name: name.to_owned(),
        threshold: 1.0,
        metric,
    };
    [
        ("tool_trajectory_avg_score", exact),
        ("trajectory, aligned F1", Metric::Trajectory(Box::new(aligned()))),
        ("response_match_score", Metric::AdkResponse),
    ]
    .into_iter()
    .chain(expected.expects_a_state().then_some(("final state", state)))
    .map(criterion)
    .collect()
}

/// In order, with credit for equal arguments.
fn aligned() -> Matching {
    Matching {
        match_type: MatchType::InOrder,
        measure: Measure::F1,
        credit: Credit::Arguments,
        ..Matching::default()
    }
}

/// Each turn of both traces, with its differences as text.
fn turns(expected: &Trace, actual: &Trace) -> Vec<(ComparedTurn, Vec<String>)> {
    let count = expected.invocations.len().max(actual.invocations.len());
    let turn =
        |at: usize| turn(expected.invocations.get(at), actual.invocations.get(at), at, count);
    (0..count).map(turn).collect()
}

fn turn(
    one: Option<&Invocation>,
    other: Option<&Invocation>,
    at: usize,
    count: usize,
) -> (ComparedTurn, Vec<String>) {
    let nothing = Invocation::default();
    let are_both = one.is_some() && other.is_some();
    let query = |turn: Option<&Invocation>| turn.map(|turn| turn.user_message().into_owned());
    let answer = |turn: Option<&Invocation>| turn.and_then(|turn| turn.final_response.clone());
    let (query, response) = (text(query(one), query(other)), text(answer(one), answer(other)));
    let mut reasons = match (one, other) {
        (Some(_), None) => vec![format!("turn {} is missing", at + 1)],
        (None, Some(_)) => vec![format!("turn {} was not expected", at + 1)],
        _ => Vec::new(),
    };
    let (one, other) = (one.unwrap_or(&nothing), other.unwrap_or(&nothing));
    let (calls, note) = match align(&one.tool_calls, &other.tool_calls, &aligned()) {
        Ok(alignment) => {
            if are_both {
                reasons.extend(why_calls(&alignment, at, count));
            }
            let rows = alignment.rows.into_iter();
            (rows.map(|row| call(row, &one.tool_calls, &other.tool_calls)).collect(), None)
        }
        Err(reason) => (Vec::new(), Some(reason.to_string())),
    };
    if are_both {
        let place = if count > 1 { format!("turn {}: ", at + 1) } else { String::new() };
        if !query.is_same {
            reasons.push(format!("{place}the user message differs"));
        }
        match (&response.expected, &response.actual) {
            (Some(_), None) => reasons.push(format!("{place}the final response is missing")),
            // Without an expected response, any response is accepted.
            (None, _) => {}
            _ if !response.is_same => {
                reasons.push(format!("{place}the final response differs"));
            }
            _ => {}
        }
    }
    (ComparedTurn { query, calls, note, response }, reasons)
}

fn call(row: Row, expected: &[ToolCall], actual: &[ToolCall]) -> ComparedCall {
    let result = |seen: &Option<CallSeen>, calls: &'_ [ToolCall]| -> Option<JsonText> {
        calls.get(seen.as_ref()?.place)?.result.clone()
    };
    let results = (result(&row.expected, expected), result(&row.actual, actual));
    let has_other_result = match &results {
        (Some(one), Some(other)) => !equal(one, other, Equality::Json),
        _ => false,
    };
    let side =
        |seen: CallSeen| CallSide { tool: seen.name.unwrap_or_default(), arguments: seen.args };
    let status = match row.kind {
        RowKind::Matched => MatchStatus::Same,
        RowKind::Changed => MatchStatus::Changed,
        RowKind::Missing => MatchStatus::Missing,
        RowKind::Extra => MatchStatus::Extra,
    };
    let differing = members(row.differences.iter().map(|it| it.path.as_str()));
    ComparedCall {
        status,
        expected: row.expected.map(side),
        actual: row.actual.map(side),
        differing,
        has_other_result,
    }
}

fn text(expected: Option<String>, actual: Option<String>) -> ComparedText {
    let is_same = expected == actual;
    let parts = match (&expected, &actual) {
        (Some(one), Some(other)) => report_view::marked(one, other),
        _ => Vec::new(),
    };
    ComparedText { expected, actual, is_same, parts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use report_view::TextPart;

    fn made(calls: &[(&str, &str)], response: &str) -> Trace {
        let calls = calls.iter().map(|(name, arguments)| {
            ToolCall::new(name, JsonText::parse(arguments).expect("valid"))
        });
        let turn = Invocation {
            user_text: "Make it warm.".into(),
            tool_calls: calls.collect(),
            final_response: Some(response.into()),
            ..Invocation::default()
        };
        Trace { invocations: vec![turn], final_state: None }
    }

    #[test]
    fn differences_are_reported_and_marked() {
        let expected = made(
            &[("list", "{}"), ("set", r#"{"room":"office","degrees":21}"#), ("close", "{}")],
            "It is 21 degrees.",
        );
        let actual = made(
            &[("list", "{}"), ("list", "{}"), ("set", r#"{"room":"office","degrees":23}"#)],
            "It is 23 degrees.",
        );
        let compared = compare(&expected, &actual);
        let found: Vec<MatchStatus> =
            compared.turns[0].calls.iter().map(|call| call.status).collect();
        assert_eq!(
            found,
            [MatchStatus::Same, MatchStatus::Extra, MatchStatus::Changed, MatchStatus::Missing]
        );
        assert_eq!(compared.turns[0].calls[2].differing, ["degrees"]);
        assert_eq!(
            compared.why,
            [
                "list was called but not expected",
                "set was called with degrees 23, not 21",
                "close was not called",
                "the final response differs",
            ]
        );
        let marked: Vec<&TextPart> = compared.turns[0]
            .response
            .parts
            .iter()
            .filter(|part| !matches!(part, TextPart::Both(_)))
            .collect();
        assert_eq!(marked, [&TextPart::Expected("21".into()), &TextPart::Actual("23".into())]);
        let scores = compared.scores;
        assert_eq!((scores.len(), scores[0].score), (3, Some(0.0)));
        assert!(scores[1].score.is_some_and(|score| score > 0.4 && score < 1.0), "{scores:?}");
    }

    #[test]
    fn other_results_are_marked_though_no_score_compares_them() {
        let with = |results: [Option<&str>; 3]| {
            let mut trace = made(&[("list", "{}"), ("read", "{}"), ("set", "{}")], "Done.");
            for (call, result) in trace.invocations[0].tool_calls.iter_mut().zip(results) {
                call.result = result.map(|result| JsonText::parse(result).expect("valid"));
            }
            trace
        };
        let recorded = with([Some(r#"{"a":1,"b":2}"#), Some("20"), Some("true")]);
        let compared = compare(&recorded, &with([Some(r#"{"b":2,"a":1}"#), Some("21"), None]));
        let others: Vec<bool> =
            compared.turns[0].calls.iter().map(|call| call.has_other_result).collect();
        assert_eq!(others, [false, true, false]);
        assert_eq!(compared.why, Vec::<String>::new());
    }

    #[test]
    fn response_without_an_expectation_is_not_extra() {
        let mut case = made(&[], "Done.");
        let played = case.clone();
        case.invocations[0].final_response = None;
        assert_eq!(compare(&case, &played).why, Vec::<String>::new());
        assert_eq!(compare(&played, &case).why, ["the final response is missing"]);
    }

    #[test]
    fn a_case_is_the_same_as_itself() {
        let case = made(&[("list", r#"{"a":1}"#)], "Done.");
        let compared = compare(&case, &case);
        assert_eq!((compared.why, compared.state), (Vec::new(), None));
        assert!(compared.scores.iter().all(|score| score.score == Some(1.0)));
    }

    #[test]
    fn final_state_is_compared() {
        let with = |state: Option<&str>| Trace {
            final_state: state.map(|state| JsonText::parse(state).expect("valid")),
            ..made(&[], "Done.")
        };
        let expected = with(Some(r#"{"n":{"$gt":2}}"#));
        let same = compare(&expected, &with(Some(r#"{"n":3,"more":0}"#)));
        assert_eq!(same.why, Vec::<String>::new());
        assert!(same.state.is_some_and(|state| state.is_same));
        let other = compare(&expected, &with(Some(r#"{"n":2}"#)));
        assert_eq!(other.why, [r#"final state: n is 2, expected {"$gt":2}"#]);
        assert_eq!(other.scores[3].score, Some(0.0));
        let nothing = compare(&with(Some("{}")), &with(Some(r#"{"n":2}"#)));
        assert_eq!((nothing.scores.len(), nothing.state), (3, None));
        let none = compare(&expected, &with(None));
        let state = none.state.expect("one is expected");
        assert!(!state.is_same && state.actual.is_none());
        assert!(none.scores[3].score.is_none() && !none.scores[3].note.is_empty());
    }

    #[test]
    fn missing_turn_is_reported_once() {
        let one = made(&[("list", "{}")], "Done.");
        let mut two = one.clone();
        two.invocations.push(two.invocations[0].clone());
        assert_eq!(compare(&two, &one).why, ["turn 2 is missing"]);
        assert_eq!(compare(&one, &two).why, ["turn 2 was not expected"]);
    }
}
