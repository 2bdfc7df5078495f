//! No alignment has more credit than the computed one: compared with all alignments.

use json_text::JsonText;
use proptest::prelude::*;
use scoring::ToolCall;
use scoring::adk::MatchType;
use scoring::trajectory::{Alignment, Credit, Matching, RowKind, align};
use serde_json::{Map, Value, json};

/// A call as the brute force sees it.
#[derive(Debug, Clone, PartialEq)]
struct Call {
    name: &'static str,
    args: Map<String, Value>,
}

impl Call {
    fn to_trace(&self) -> ToolCall {
        ToolCall::new(self.name, JsonText::from_value(&Value::Object(self.args.clone())))
    }

    /// What the pair is worth and how far it agrees, by the definition and nothing else; `None` for
    /// different tools.
    fn fit(&self, actual: &Self, credit: Credit) -> Option<(f64, f64)> {
        if self.name != actual.name {
            return None;
        }
        let mut names: Vec<&String> = self.args.keys().chain(actual.args.keys()).collect();
        names.sort();
        names.dedup();
        let agreeing = names.iter().filter(|name| self.args.get(**name) == actual.args.get(**name));
        let agreeing = agreeing.count();
        #[expect(clippy::cast_precision_loss, reason = "a handful of arguments")]
        let agreement = if names.is_empty() { 1.0 } else { agreeing as f64 / names.len() as f64 };
        let worth = match credit {
            Credit::Call if agreement < 1.0 => 0.0,
            _ => agreement,
        };
        Some((worth, agreement))
    }
}

/// The best credit, for it the most agreement, and for both the most pairs, over every way to pair
/// the calls.
fn brute_force(
    expected: &[Call],
    actual: &[Call],
    credit: Credit,
    ordered: bool,
    from: usize,
    taken: &mut Vec<bool>,
) -> (f64, f64, usize) {
    let Some((first, rest)) = expected.split_first() else { return (0.0, 0.0, 0) };
    let mut best = brute_force(rest, actual, credit, ordered, from, taken);
    for (place, call) in actual.iter().enumerate() {
        if taken[place] || (ordered && place < from) {
            continue;
        }
        let Some((worth, agreement)) = first.fit(call, credit) else { continue };
        taken[place] = true;
        let after = brute_force(rest, actual, credit, ordered, place + 1, taken);
        taken[place] = false;
        let candidate = (worth + after.0, agreement + after.1, after.2 + 1);
        if candidate > best {
            best = candidate;
        }
    }
    best
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let value = || prop_oneof![Just(None), (0..2_i32).prop_map(Some)];
    let call =
        (prop_oneof![Just("find"), Just("book")], value(), value()).prop_map(|(name, x, y)| {
            let members = [("x", x), ("y", y)];
            let args = members
                .into_iter()
                .filter_map(|(key, value)| Some((key.to_owned(), json!(value?))));
            Call { name, args: args.collect() }
        });
    prop::collection::vec(call, 0..6)
}

fn sound(alignment: &Alignment, expected: &[Call], actual: &[Call], ordered: bool) {
    let places = |side: fn(&scoring::trajectory::Row) -> Option<usize>| {
        let mut places: Vec<usize> = alignment.rows.iter().filter_map(side).collect();
        let order = places.clone();
        places.sort_unstable();
        (order, places)
    };
    let (order, seen) = places(|row| row.expected.as_ref().map(|call| call.place));
    assert_eq!(seen, (0..expected.len()).collect::<Vec<_>>(), "each expected call has one row");
    assert_eq!(order, seen, "expected calls keep their order");
    let (order, seen) = places(|row| row.actual.as_ref().map(|call| call.place));
    assert_eq!(seen, (0..actual.len()).collect::<Vec<_>>(), "each actual call has one row");
    if ordered {
        assert_eq!(order, seen, "where order counts, pairs do not cross");
    }
    for row in &alignment.rows {
        let sides = (row.expected.is_some(), row.actual.is_some());
        let expected = match row.kind {
            RowKind::Matched | RowKind::Changed => (true, true),
            RowKind::Missing => (true, false),
            RowKind::Extra => (false, true),
        };
        assert_eq!(sides, expected);
        assert_eq!(row.kind == RowKind::Changed, !row.differences.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn alignment_is_optimal(
        expected in calls(),
        actual in calls(),
        match_type in prop_oneof![
            Just(MatchType::Exact), Just(MatchType::InOrder), Just(MatchType::AnyOrder)
        ],
        credit in prop_oneof![Just(Credit::Call), Just(Credit::Arguments)],
    ) {
        let matching = Matching { match_type, credit, ..Matching::default() };
        let side = |calls: &[Call]| calls.iter().map(Call::to_trace).collect::<Vec<_>>();
        let ours = align(&side(&expected), &side(&actual), &matching).expect("few calls");
        let ordered = match_type != MatchType::AnyOrder;
        sound(&ours, &expected, &actual, ordered);
        let taken = &mut vec![false; actual.len()];
        let (best, agreement, pairs) = brute_force(&expected, &actual, credit, ordered, 0, taken);
        let ours_paired = ours.count(RowKind::Matched) + ours.count(RowKind::Changed);
        prop_assert_eq!(ours_paired, pairs);
        prop_assert_eq!(ours.rows.iter().map(|row| row.agreement).sum::<f64>(), agreement);
        #[expect(clippy::cast_precision_loss, reason = "a handful of calls")]
        let (one, other) = (expected.len() as f64, actual.len() as f64);
        if !expected.is_empty() {
            prop_assert_eq!(ours.recall, best / one);
        }
        if !actual.is_empty() {
            prop_assert_eq!(ours.precision, best / other);
        }
    }
}

#[test]
fn long_lists_are_aligned_and_too_long_ones_refused() {
    let call = |number: usize| Call {
        name: "find",
        args: Map::from_iter([("x".to_owned(), json!(number))]),
    };
    let many: Vec<ToolCall> = (0..20_000).map(|number| call(number).to_trace()).collect();
    let in_order = Matching { match_type: MatchType::InOrder, ..Matching::default() };
    let same = align(&many, &many, &in_order).expect("equal ends are not weighed");
    assert_eq!((same.f1, same.rows.len()), (1.0, 20_000));
    let turned: Vec<ToolCall> = many.iter().rev().cloned().collect();
    assert!(align(&many, &turned, &in_order).is_err());
    let any_order = Matching { match_type: MatchType::AnyOrder, ..Matching::default() };
    assert!(align(&many[..1000], &turned, &any_order).is_err());
    let few = align(&many[..300], &turned[19_700..], &any_order).expect("a perfect match");
    assert_eq!(few.recall, 1.0);
}
