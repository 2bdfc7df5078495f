//! [`ArgsMatch`]: which calls of a tool are meant, by their arguments.

use json_text::{JsonIndex, JsonText};
use scoring::json::{Equality, equal};
use scoring::state::Query;
use scoring::trajectory::Matcher;

use crate::value_path::along;

/// Conditions on the arguments of a call. The default accepts all.
#[derive(Debug, Clone, Default)]
pub struct ArgsMatch {
    /// Arguments that must be equal, by name or by a path such as `order.total`. Others are not looked at.
    pub equal: Vec<(String, JsonText)>,
    /// Conditions with operators, such as `{ "order.total": { "$gte": 2 } }`.
    pub conditions: Option<Query>,
    /// Arguments that must match.
    pub matchers: Vec<(String, Matcher)>,
}

impl ArgsMatch {
    /// Whether a call with these arguments is meant.
    #[must_use]
    pub fn is_met(&self, args: &JsonText) -> bool {
        let document = JsonIndex::of(args);
        let given = |name: &str| along(document.root(), name).map(|value| value.to_json());
        self.equal.iter().all(|(name, wanted)| {
            given(name).is_some_and(|value| equal(wanted, &value, Equality::Json))
        }) && self.conditions.as_ref().is_none_or(|conditions| conditions.holds(args))
            && self
                .matchers
                .iter()
                .all(|(name, matcher)| matcher.accepts(given(name).as_ref(), Equality::Json))
    }
}
