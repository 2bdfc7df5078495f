//! Two cases side by side: the calls of each turn aligned, the texts word by word, and in words why
//! they are not the same.

use std::path::Path;
use std::time::Duration;

use app::api::{
    ApiError, CallSide, CaseComparison, CaseName, ComparedCall, ComparedScore, ComparedText,
    ComparedTurn, Fate, TextPart,
};
use case_trace::CaseTrace;
use evalset::adk::EvalCase;
use evalset::{Case, read_case};
use evalset_file::Cases;
use scoring::adk::{Average, MatchType, response_match, tool_trajectory};
use scoring::json::members;
use scoring::rouge::Scorer;
use scoring::trajectory::{CallSeen, Credit, Matching, Measure, Row, RowKind, align, trajectory};
use scoring::{Invocation, Outcome, Reason, Trace};
use similar::{ChangeTag, TextDiff};

use super::browse::{blocking, find, refused, text_of};
use super::sets::SetFile;

/// So many reasons are told.
const MOST_REASONS: usize = 4;
/// Texts longer than this, in bytes, are shown without marking their words.
const LONGEST_MARKED: usize = 64 * 1024;
/// How long the words of one text may be compared; then it is marked as a whole.
const PATIENCE: Duration = Duration::from_millis(200);

/// What is held against a case.
pub(crate) enum Held {
    /// A case of a set.
    Case(Box<SetFile>, CaseName),
    /// What a rehearsal or a live session would be exported as.
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
        Held::Played(_) => None,
    };
    blocking("compare two cases", move || {
        let one = read(&set.path, &name)?;
        let other = match actual {
            Held::Case(set, name) => read(&set.path, &name)?,
            Held::Played(case) => traced("what was played", &Case::Adk(*case))?,
        };
        let turns = turns(&one, &other);
        let why = reasons(&turns);
        let scores = scores(&one, &other);
        Ok(CaseComparison { expected: name, actual: other_name, scores, why, turns })
    })
    .await
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

fn scores(expected: &Trace, actual: &Trace) -> Vec<ComparedScore> {
    let average = |name: &str, average: Result<Average, Reason>| match average {
        Ok(average) => told(name, Some(average.overall), String::new()),
        Err(reason) => told(name, None, reason.to_string()),
    };
    let matching = aligned();
    let in_parts = match trajectory(expected, actual, &matching) {
        Outcome::Scored { score, .. } => {
            told("trajectory, aligned F1", Some(score.get()), String::new())
        }
        Outcome::Unscored { reason } => told("trajectory, aligned F1", None, reason.to_string()),
    };
    vec![
        average(
            "tool_trajectory_avg_score",
            tool_trajectory(expected, actual, MatchType::Exact, false),
        ),
        in_parts,
        average("response_match_score", response_match(expected, actual, &mut Scorer::default())),
    ]
}

fn told(name: &str, score: Option<f64>, note: String) -> ComparedScore {
    ComparedScore { name: name.to_owned(), score, note }
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

fn turns(expected: &Trace, actual: &Trace) -> Vec<ComparedTurn> {
    let nothing = Invocation::default();
    let count = expected.invocations.len().max(actual.invocations.len());
    let turn = |at: usize| {
        let (one, other) = (expected.invocations.get(at), actual.invocations.get(at));
        let query = |turn: Option<&Invocation>| turn.map(|turn| turn.user_text.clone());
        let answer = |turn: Option<&Invocation>| turn.and_then(|turn| turn.final_response.clone());
        let (query, response) = (text(query(one), query(other)), text(answer(one), answer(other)));
        let (one, other) = (one.unwrap_or(&nothing), other.unwrap_or(&nothing));
        let (calls, note) = match align(&one.tool_calls, &other.tool_calls, &aligned()) {
            Ok(alignment) => (alignment.rows.into_iter().map(call).collect(), None),
            Err(reason) => (Vec::new(), Some(reason.to_string())),
        };
        ComparedTurn { query, calls, note, response }
    };
    (0..count).map(turn).collect()
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
        (Some(one), Some(other)) if !is_same && one.len().max(other.len()) <= LONGEST_MARKED => {
            let diff =
                TextDiff::configure().timeout(PATIENCE).diff_words(one.as_str(), other.as_str());
            let mut parts: Vec<TextPart> = Vec::new();
            for change in diff.iter_all_changes() {
                let words = change.value();
                // Words of one kind that follow one another are one part.
                match (change.tag(), parts.last_mut()) {
                    (ChangeTag::Equal, Some(TextPart::Both(text)))
                    | (ChangeTag::Delete, Some(TextPart::Expected(text)))
                    | (ChangeTag::Insert, Some(TextPart::Actual(text))) => text.push_str(words),
                    (ChangeTag::Equal, _) => parts.push(TextPart::Both(words.to_owned())),
                    (ChangeTag::Delete, _) => parts.push(TextPart::Expected(words.to_owned())),
                    (ChangeTag::Insert, _) => parts.push(TextPart::Actual(words.to_owned())),
                }
            }
            parts
        }
        _ => Vec::new(),
    };
    ComparedText { expected, actual, is_same, parts }
}

/// In words, what is not the same.
fn reasons(turns: &[ComparedTurn]) -> Vec<String> {
    let mut reasons = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        let at = if turns.len() > 1 { format!("Turn {}: ", number + 1) } else { String::new() };
        for (step, call) in turn.calls.iter().enumerate() {
            let tool = |side: &Option<CallSide>| {
                side.as_ref().map(|side| side.tool.clone()).unwrap_or_default()
            };
            let step = step + 1;
            reasons.push(match call.fate {
                Fate::Same => continue,
                Fate::Changed => format!(
                    "{at}step {step} called {} with another {}",
                    tool(&call.expected),
                    call.differing.join(", ")
                ),
                Fate::Missing => {
                    format!("{at}step {step}, {}, was never called", tool(&call.expected))
                }
                Fate::Extra => format!("{at}step {step}, {}, was not expected", tool(&call.actual)),
            });
        }
        if !turn.query.is_same {
            reasons.push(format!("{at}the user said something else"));
        }
        match (&turn.response.expected, &turn.response.actual) {
            (Some(_), None) => reasons.push(format!("{at}there is no final response")),
            (one, other) if one != other => {
                reasons.push(format!("{at}the final response reads otherwise"));
            }
            _ => {}
        }
    }
    let more = reasons.len().saturating_sub(MOST_REASONS);
    reasons.truncate(MOST_REASONS);
    if more > 0 {
        reasons.push(format!("and {more} more"));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;
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
        let turns = turns(&expected, &actual);
        let fates: Vec<Fate> = turns[0].calls.iter().map(|call| call.fate).collect();
        assert_eq!(fates, [Fate::Same, Fate::Extra, Fate::Changed, Fate::Missing]);
        assert_eq!(turns[0].calls[2].differing, ["degrees"]);
        assert_eq!(
            reasons(&turns),
            [
                "step 2, list, was not expected",
                "step 3 called set with another degrees",
                "step 4, close, was never called",
                "the final response reads otherwise",
            ]
        );
        let marked: Vec<&TextPart> = turns[0]
            .response
            .parts
            .iter()
            .filter(|part| !matches!(part, TextPart::Both(_)))
            .collect();
        assert_eq!(marked, [&TextPart::Expected("21".into()), &TextPart::Actual("23".into())]);
        let scores = scores(&expected, &actual);
        assert_eq!(scores[0].score, Some(0.0));
        assert!(scores[1].score.is_some_and(|score| score > 0.4 && score < 1.0), "{scores:?}");
    }

    #[test]
    fn a_case_is_the_same_as_itself() {
        let case = made(&[("list", r#"{"a":1}"#)], "Done.");
        let turns = turns(&case, &case);
        assert_eq!(reasons(&turns), Vec::<String>::new());
        assert!(scores(&case, &case).iter().all(|score| score.score == Some(1.0)));
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
