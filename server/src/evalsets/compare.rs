//! Two cases side by side: the calls of each turn aligned, the texts word by word, and in words why
//! they are not the same.

use std::path::Path;

use app::api::{
    ApiError, CallSide, CaseComparison, CaseName, ComparedCall, ComparedScore, ComparedText,
    ComparedTurn, Fate,
};
use case_trace::CaseTrace;
use evalset::adk::EvalCase;
use evalset::{Case, read_case};
use evalset_file::Cases;
use json_text::JsonText;
use score_report::{why, why_calls};
use scoring::adk::MatchType;
use scoring::config::{Criterion, Metric, Tools};
use scoring::json::members;
use scoring::state::StateMeasure;
use scoring::trajectory::{CallSeen, Credit, Matching, Measure, Row, RowKind, align};
use scoring::{Invocation, Outcome, Trace};

use super::browse::{blocking, find, refused, text_of};
use super::sets::SetFile;

/// So many reasons are told.
const MOST_REASONS: usize = 4;
/// What is held against a case.
pub(crate) enum Held {
    /// A case of a set.
    Case(Box<SetFile>, CaseName),
    /// What a rehearsal would be exported as: one turn.
    Rehearsed(Box<EvalCase>),
    /// What a live session would be exported as.
    Played(Box<EvalCase>),
}

/// Compares the case `expected` of a set with what is held against it.
///
/// # Errors
/// [`ApiError::UnknownCase`] when there is no such case, [`ApiError::EvalSet`] when one cannot be
/// read.
pub(crate) async fn compare(
    expected: (SetFile, CaseName),
    actual: Held,
) -> Result<CaseComparison, ApiError> {
    let (set, name) = expected;
    let other_name = match &actual {
        Held::Case(_, name) => Some(name.clone()),
        Held::Rehearsed(_) | Held::Played(_) => None,
    };
    blocking("compare two cases", move || {
        let mut one = read(&set.path, &name)?;
        let mut left_out = None;
        let other = match actual {
            Held::Case(set, name) => read(&set.path, &name)?,
            Held::Rehearsed(case) => {
                left_out = only_the_first_turn(&mut one);
                traced("what was played", &Case::Adk(*case))?
            }
            Held::Played(case) => traced("what was played", &Case::Adk(*case))?,
        };
        if one.invocations.is_empty() {
            left_out = Some(
                "This case records no turn, so there is nothing to hold the other against."
                    .to_owned(),
            );
        }
        Ok(CaseComparison { left_out, ..compared(&one, &other, name, other_name) })
    })
    .await
}

/// A rehearsal has one query, so it can only be held against the first turn of a case. What is said
/// of the state at the end goes too, where there are more.
fn only_the_first_turn(expected: &mut Trace) -> Option<String> {
    let turns = expected.invocations.len();
    (turns > 1).then(|| {
        expected.invocations.truncate(1);
        expected.final_state = None;
        format!("A rehearsal plays one turn: only the first of {turns} is compared.")
    })
}

fn read(path: &Path, name: &CaseName) -> Result<Trace, ApiError> {
    let eval_id = &name.eval_id;
    let mut cases = Cases::open(path).map_err(refused)?;
    let format = Cases::told_format(path).map_err(refused)?;
    let found = find(&mut cases, eval_id, name.at)?;
    let (text, origin) = text_of(&mut cases, &found)?;
    let (case, faults) = read_case(&text, format, origin);
    let Some(case) = case else {
        let fault = faults.first().map(ToString::to_string).unwrap_or_default();
        return Err(ApiError::EvalSet { reason: format!("{eval_id} cannot be read: {fault}.") });
    };
    traced(eval_id, &case)
}

fn traced(what: &str, case: &Case) -> Result<Trace, ApiError> {
    let trace = CaseTrace::of(case).map(|it| it.trace);
    trace.map_err(|error| ApiError::EvalSet { reason: format!("{what}: {error}.") })
}

fn compared(
    one: &Trace,
    other: &Trace,
    expected: CaseName,
    actual: Option<CaseName>,
) -> CaseComparison {
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
        let said = why(&criterion, &outcome);
        if let Metric::State { .. } = &criterion.metric {
            let laid_out = |trace: &Trace| trace.final_state.as_ref().map(JsonText::pretty);
            let mut sides = text(laid_out(one), laid_out(other));
            // What stands there beside what is expected is as it should be.
            sides.is_same = score == Some(1.0);
            if sides.is_same {
                sides.parts.clear();
            }
            state = Some(sides);
            reasons.push(said.iter().map(|said| format!("the state at the end: {said}")).collect());
        }
        let note = said.filter(|_| score.is_none()).unwrap_or_default();
        scores.push(ComparedScore { name: criterion.name, score, note });
    }
    let mut why = reasons.concat();
    let more = why.len().saturating_sub(MOST_REASONS);
    why.truncate(MOST_REASONS);
    if more > 0 {
        why.push(format!("and {more} more"));
    }
    CaseComparison { expected, actual, scores, why, left_out: None, turns, state }
}

/// What the two are held to: all of it.
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

/// In order, with credit for the arguments that agree.
fn aligned() -> Matching {
    Matching {
        match_type: MatchType::InOrder,
        measure: Measure::F1,
        credit: Credit::Arguments,
        ..Matching::default()
    }
}

/// Each turn of both, and in words what differs in it.
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
    let query = |turn: Option<&Invocation>| turn.map(|turn| turn.user_text.clone());
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
            (alignment.rows.into_iter().map(call).collect(), None)
        }
        Err(reason) => (Vec::new(), Some(reason.to_string())),
    };
    if are_both {
        let place = if count > 1 { format!("turn {}: ", at + 1) } else { String::new() };
        if !query.is_same {
            reasons.push(format!("{place}the user said something else"));
        }
        match (&response.expected, &response.actual) {
            (Some(_), None) => reasons.push(format!("{place}there is no final response")),
            // What is not said is not expected to be otherwise.
            (None, _) => {}
            _ if !response.is_same => {
                reasons.push(format!("{place}the final response reads otherwise"));
            }
            _ => {}
        }
    }
    (ComparedTurn { query, calls, note, response }, reasons)
}

fn call(row: Row) -> ComparedCall {
    let side =
        |seen: CallSeen| CallSide { tool: seen.name.unwrap_or_default(), arguments: seen.args };
    let fate = match row.kind {
        RowKind::Matched => Fate::Same,
        RowKind::Changed => Fate::Changed,
        RowKind::Missing => Fate::Missing,
        RowKind::Extra => Fate::Extra,
    };
    let differing = members(row.differences.iter().map(|it| it.path.as_str()));
    ComparedCall { fate, expected: row.expected.map(side), actual: row.actual.map(side), differing }
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
    use report_view::TextPart;
    use scoring::ToolCall;

    use super::*;

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

    fn held(expected: &Trace, actual: &Trace) -> CaseComparison {
        let set = app::api::SetId::new("s");
        compared(expected, actual, CaseName { set, eval_id: "a".into(), at: None }, None)
    }

    #[test]
    fn what_differs_is_told_and_marked() {
        let expected = made(
            &[("list", "{}"), ("set", r#"{"room":"office","degrees":21}"#), ("close", "{}")],
            "It is 21 degrees.",
        );
        let actual = made(
            &[("list", "{}"), ("list", "{}"), ("set", r#"{"room":"office","degrees":23}"#)],
            "It is 23 degrees.",
        );
        let compared = held(&expected, &actual);
        let fates: Vec<Fate> = compared.turns[0].calls.iter().map(|call| call.fate).collect();
        assert_eq!(fates, [Fate::Same, Fate::Extra, Fate::Changed, Fate::Missing]);
        assert_eq!(compared.turns[0].calls[2].differing, ["degrees"]);
        assert_eq!(
            compared.why,
            [
                "list was called and not expected",
                "set was called with degrees 23, not 21",
                "close was not called",
                "the final response reads otherwise",
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
    fn a_rehearsal_is_held_against_the_first_turn() {
        let mut case = made(&[("list", r#"{"a":1}"#)], "Done.");
        let played = case.clone();
        assert_eq!(only_the_first_turn(&mut case), None);
        case.invocations.push(Invocation { user_text: "And now?".into(), ..Invocation::default() });
        case.final_state = Some(JsonText::parse(r#"{"n":3}"#).expect("valid"));
        let said = only_the_first_turn(&mut case).expect("there is more than one");
        assert!(said.contains("the first of 2"), "{said}");
        assert_eq!(held(&case, &played).why, Vec::<String>::new());
    }

    #[test]
    fn a_response_that_no_case_speaks_of_is_none_too_many() {
        let mut case = made(&[], "Done.");
        let played = case.clone();
        case.invocations[0].final_response = None;
        assert_eq!(held(&case, &played).why, Vec::<String>::new());
        assert_eq!(held(&played, &case).why, ["there is no final response"]);
    }

    #[test]
    fn a_case_is_the_same_as_itself() {
        let case = made(&[("list", r#"{"a":1}"#)], "Done.");
        let compared = held(&case, &case);
        assert_eq!((compared.why, compared.state), (Vec::new(), None));
        assert!(compared.scores.iter().all(|score| score.score == Some(1.0)));
    }

    #[test]
    fn the_state_at_the_end_is_asked() {
        let with = |state: Option<&str>| Trace {
            final_state: state.map(|state| JsonText::parse(state).expect("valid")),
            ..made(&[], "Done.")
        };
        let expected = with(Some(r#"{"n":{"$gt":2}}"#));
        let same = held(&expected, &with(Some(r#"{"n":3,"more":0}"#)));
        assert_eq!(same.why, Vec::<String>::new());
        assert!(same.state.is_some_and(|state| state.is_same));
        let other = held(&expected, &with(Some(r#"{"n":2}"#)));
        assert_eq!(other.why, [r#"the state at the end: n is 2, asked is {"$gt":2}"#]);
        assert_eq!(other.scores[3].score, Some(0.0));
        let nothing = held(&with(Some("{}")), &with(Some(r#"{"n":2}"#)));
        assert_eq!((nothing.scores.len(), nothing.state), (3, None));
        let none = held(&expected, &with(None));
        let state = none.state.expect("one is expected");
        assert!(!state.is_same && state.actual.is_none());
        assert!(none.scores[3].score.is_none() && !none.scores[3].note.is_empty());
    }

    #[test]
    fn a_turn_that_one_side_lacks_is_told_once() {
        let one = made(&[("list", "{}")], "Done.");
        let mut two = one.clone();
        two.invocations.push(two.invocations[0].clone());
        assert_eq!(held(&two, &one).why, ["turn 2 is missing"]);
        assert_eq!(held(&one, &two).why, ["turn 2 was not expected"]);
    }

    #[tokio::test]
    async fn of_cases_with_one_id_those_that_are_meant_are_compared() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.evalset.json");
        let case = |said: &str| {
            format!(
                r#"{{"eval_id": "twin", "conversation": [{{"invocation_id": "{said}",
                "user_content": {{"parts": [{{"text": "{said}"}}], "role": "user"}}}}]}}"#
            )
        };
        let cases = [case("one"), case("two")].join(",");
        let text = format!(r#"{{"eval_set_id": "s", "eval_cases": [{cases}]}}"#);
        std::fs::write(&path, text).expect("written");
        let set = SetFile::at(&app::api::SetId::new("s"), path);
        let name = |at| CaseName { set: set.id.clone(), eval_id: "twin".into(), at };
        for (one, other, said) in [
            (Some(0), Some(1), (Some("one"), Some("two"))),
            (Some(1), Some(0), (Some("two"), Some("one"))),
            (Some(1), Some(1), (Some("two"), Some("two"))),
            (None, Some(1), (Some("one"), Some("two"))),
            // Another program has taken a case out: the id counts.
            (Some(7), None, (Some("one"), Some("one"))),
        ] {
            let held = Held::Case(Box::new(set.clone()), name(other));
            let compared = compare((set.clone(), name(one)), held).await.expect("compared");
            let query = &compared.turns[0].query;
            assert_eq!((query.expected.as_deref(), query.actual.as_deref()), said);
            assert_eq!(compared.why.is_empty(), said.0 == said.1, "{:?}", compared.why);
        }
    }
}
