//! The metric `state`.

use json_text::JsonIndex;
use serde::Serialize;

use super::query::{Clause, Query, at_path};
use crate::evidence::{Evidence, StateCondition};
use crate::outcome::{Outcome, Reason};
use crate::trace::Trace;

/// What the score measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StateMeasure {
    /// 1 when all conditions hold, else 0.
    #[default]
    All,
    /// The share of conditions that hold.
    Share,
}

/// At most so many values are shown of one condition.
const MOST_SHOWN: usize = 20;

/// Checks the actual trace's final state with the criterion's own query, or with the state that the
/// case expects, as a query: its values must be equal, and other members are allowed.
#[must_use]
pub fn state(
    expected: &Trace,
    actual: &Trace,
    own: Option<&Query>,
    measure: StateMeasure,
) -> Outcome {
    let of_case;
    let query = match (own, &expected.final_state) {
        (Some(query), _) => query,
        (None, Some(text)) => match Query::parse(text) {
            Ok(query) => {
                of_case = query;
                &of_case
            }
            Err(fault) => {
                let fault = format!("the expected final state is not a valid query: {fault}");
                return Outcome::unscored(Reason::BadExpectation { fault });
            }
        },
        (None, None) => return nothing_expected(),
    };
    if query.clauses.is_empty() {
        return match own {
            Some(_) => Outcome::unscored(Reason::NothingAsked),
            None => nothing_expected(),
        };
    }
    let Some(state) = &actual.final_state else {
        return Outcome::unscored(Reason::NothingRecorded { what: "final session state" });
    };
    let document = JsonIndex::of(state);
    let conditions: Vec<StateCondition> = query
        .clauses
        .iter()
        .map(|clause| {
            let holds = clause.holds(document.root());
            let (path, asked) = match clause {
                Clause::Field { path, asked, .. } => (path.as_str(), Some(asked.clone())),
                Clause::And(_) | Clause::Itself(_) => ("$and", None),
                Clause::Or(_) => ("$or", None),
                Clause::Nor(_) => ("$nor", None),
            };
            let found = asked.as_ref().map(|_| at_path(document.root(), path)).unwrap_or_default();
            let actual =
                found.values.into_iter().take(MOST_SHOWN).map(|value| value.to_json()).collect();
            StateCondition { path: path.to_owned(), holds, asked, actual }
        })
        .collect();
    let holding = conditions.iter().filter(|condition| condition.holds).count();
    #[expect(clippy::cast_precision_loss, reason = "no query has 2^53 conditions")]
    let score = match measure {
        StateMeasure::All if holding == conditions.len() => 1.0,
        StateMeasure::All => 0.0,
        StateMeasure::Share => holding as f64 / conditions.len() as f64,
    };
    Outcome::scored(score, Evidence::State { conditions })
}

fn nothing_expected() -> Outcome {
    Outcome::unscored(Reason::NothingExpected { what: "final session state" })
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;

    fn trace(state: Option<&str>) -> Trace {
        let final_state = state.map(|text| JsonText::parse(text).expect("valid"));
        Trace { final_state, ..Trace::default() }
    }

    #[test]
    fn state_queries() {
        let expected = trace(Some(r#"{"a":1,"b":{"$gt":2},"c":{"$exists":true}}"#));
        let actual = trace(Some(r#"{"a":1.0,"b":2,"c":null,"more":0}"#));
        let all = state(&expected, &actual, None, StateMeasure::All);
        assert_eq!(all.score().map(crate::Score::get), Some(0.0));
        let share = state(&expected, &actual, None, StateMeasure::Share);
        assert_eq!(share.score().map(crate::Score::get), Some(2.0 / 3.0));
        let Outcome::Scored { evidence: Evidence::State { conditions }, .. } = share else {
            panic!("scored")
        };
        let json = serde_json::to_string(&conditions[1]).expect("serializes");
        assert_eq!(json, r#"{"path":"b","holds":false,"asked":{"$gt":2},"actual":[2]}"#);
    }

    #[test]
    fn missing_states_have_a_reason() {
        let reason = |expected: Option<&str>, actual: Option<&str>| match state(
            &trace(expected),
            &trace(actual),
            None,
            StateMeasure::All,
        ) {
            Outcome::Unscored { reason } => reason.to_string(),
            Outcome::Scored { .. } => panic!("scored"),
        };
        assert_eq!(reason(None, Some("{}")), "the case has no expected final session state");
        assert_eq!(reason(Some("{}"), Some("{}")), "the case has no expected final session state");
        for nothing in ["{}", r#"{"$comment":"x"}"#] {
            let own = Query::parse(&JsonText::parse(nothing).expect("valid")).expect("a query");
            let found = state(&trace(Some("{}")), &trace(None), Some(&own), StateMeasure::All);
            let Outcome::Unscored { reason } = found else { panic!("scored") };
            assert_eq!(reason.to_string(), "the criterion's query has no conditions. Add one");
        }
        assert_eq!(
            reason(Some(r#"{"a":1}"#), None),
            "the actual trace records no final session state"
        );
        assert_eq!(
            reason(Some(r#"{"a":{"$exist":true}}"#), Some("{}")),
            "the expected final state is not a valid query: /a/$exist: unknown operator $exist; did \
             you mean $exists?"
        );
    }
}
