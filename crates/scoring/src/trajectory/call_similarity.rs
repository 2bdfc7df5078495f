//! [`CallSimilarity`]: how well an actual call matches an expected one.

use std::borrow::Cow;

use json_text::{JsonIndex, JsonText, JsonValue};

use super::metric::{Credit, Matching};
use super::rules::ToolRules;
use crate::json::{Difference, Equality, Fitting, ValueComparison, compare, equal_values};
use crate::trace::ToolCall;

/// The resolution of credit and agreement in the weight of an alignment.
const PARTS: u32 = 1 << 14;

/// Bits for the number of pairs in one alignment, at most 1,000.
const PAIRS: u32 = 11;

/// Bits below those for the sum of credits: for the number of pairs and the sum of agreements.
const LOW: u32 = PAIRS + 14 + 11;

/// A call of one of the two sides, ready to be compared many times.
pub(super) struct Prepared<'c> {
    call: &'c ToolCall,
    args: Option<JsonIndex<'c>>,
}

/// The arguments of a [`Prepared`] call by name, opened once.
pub(super) struct Opened<'p> {
    name: Option<&'p str>,
    whole: Option<JsonValue<'p>>,
    members: Vec<(Cow<'p, str>, JsonValue<'p>)>,
}

/// How well an actual call matches an expected one of the same tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallSimilarity {
    /// Whether the calls match.
    pub(super) is_full: bool,
    /// The share of the arguments named on either side that agree, 0 to 1.
    pub(super) agreement: f64,
}

impl<'c> Prepared<'c> {
    /// `nothing` replaces absent arguments under [`Equality::Json`].
    pub(super) fn new(call: &'c ToolCall, equality: Equality, nothing: &'c JsonText) -> Self {
        let absent = (equality == Equality::Json).then_some(nothing);
        Self { call, args: call.args.as_ref().or(absent).map(JsonIndex::of) }
    }

    pub(super) fn open(&self) -> Opened<'_> {
        let whole = self.args.as_ref().map(JsonIndex::root);
        let members = whole.map(JsonValue::members).unwrap_or_default();
        Opened { name: self.call.name.as_deref(), whole, members }
    }
}

impl<'p> Opened<'p> {
    pub(super) fn name(&self) -> Option<&'p str> {
        self.name
    }

    /// How well `actual` matches this call; `None` for another tool.
    pub(super) fn similarity(
        &self,
        actual: &Opened<'_>,
        matching: &Matching,
    ) -> Option<CallSimilarity> {
        if self.name != actual.name {
            return None;
        }
        if matching.ignore_args {
            return Some(CallSimilarity { is_full: true, agreement: 1.0 });
        }
        let rules = self.rules(matching);
        let whole = rules.compare_values(&[], self.whole, actual.whole);
        let is_object = |side: Option<JsonValue<'_>>| {
            side.is_some_and(|side| side.kind() == json_text::Kind::Object)
        };
        let (agreeing, of) = match whole {
            Some(verdict) => (usize::from(verdict == Fitting::Fits), 1),
            None if is_object(self.whole) && is_object(actual.whole) => {
                self.agreeing(actual, matching, &rules)
            }
            None => (usize::from(self.differences(actual, matching).is_empty()), 1),
        };
        #[expect(clippy::cast_precision_loss, reason = "no call has 2^53 arguments")]
        let agreement = if agreeing == of { 1.0 } else { agreeing as f64 / of as f64 };
        Some(CallSimilarity { is_full: agreeing == of, agreement })
    }

    /// How many arguments agree, and of how many.
    fn agreeing(
        &self,
        actual: &Opened<'_>,
        matching: &Matching,
        rules: &ToolRules<'_>,
    ) -> (usize, usize) {
        let (mut one, mut other) =
            (self.members.iter().peekable(), actual.members.iter().peekable());
        let (mut agreeing, mut of) = (0, 0);
        // Both are sorted by name.
        while let Some(name) = match (one.peek(), other.peek()) {
            (Some(one), Some(other)) => Some((&one.0).min(&other.0)),
            (Some(one), None) => Some(&one.0),
            (None, other) => other.map(|other| &other.0),
        } {
            let expected = one.next_if(|member| member.0 == *name).map(|member| member.1);
            let actual = other.next_if(|member| member.0 == *name).map(|member| member.1);
            let agrees = if matching.rules.is_empty() {
                expected.zip(actual).is_some_and(|(expected, actual)| {
                    equal_values(expected, actual, matching.equality)
                })
            } else {
                let path = vec![name.to_string()];
                compare(path, expected, actual, matching.equality, rules).is_empty()
            };
            of += 1;
            agreeing += usize::from(agrees);
        }
        (agreeing, of)
    }

    /// Where the arguments differ.
    pub(super) fn differences(&self, actual: &Opened<'_>, matching: &Matching) -> Vec<Difference> {
        let rules = self.rules(matching);
        compare(Vec::new(), self.whole, actual.whole, matching.equality, &rules)
    }

    fn rules<'m>(&'m self, matching: &'m Matching) -> ToolRules<'m> {
        matching.rules.of(self.name.unwrap_or_default(), matching.equality)
    }
}

impl CallSimilarity {
    /// What the pair is worth in the score.
    pub(super) fn credit(self, matching: &Matching) -> f64 {
        match matching.credit {
            _ if self.is_full => 1.0,
            Credit::Call => 0.0,
            Credit::Arguments => self.agreement,
        }
    }

    /// What the pair is worth in an alignment: first by its credit, then by how far its arguments
    /// agree; and any pair is better than none.
    pub(super) fn weight(self, matching: &Matching) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "from 0 to PARTS")]
        let parts = |share: f64| (share * f64::from(PARTS)) as i64;
        (parts(self.credit(matching)) << LOW) + (parts(self.agreement) << PAIRS) + 1
    }
}
