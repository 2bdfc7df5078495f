//! [`Query`]: conditions on a state, and whether they hold.

use json_text::{JsonText, Kind};

use super::condition::Test;
use super::parse;
use crate::fault::Fault;
use crate::json::{Document, Value};

/// A query in MongoDB's style over one JSON document.
///
/// A name is a path, its steps parted by dots, which goes through arrays item by item and into them
/// by place. A bare value must be equal; an object of operators asks for `$eq`, `$ne`, `$gt`,
/// `$gte`, `$lt`, `$lte`, `$in`, `$nin`, `$exists`, `$type`, `$regex` (with `$options`), `$size`,
/// `$all`, `$elemMatch`, `$mod`, `$not`; between conditions stand `$and`, `$or`, `$nor`. As in
/// MongoDB, most operators also ask the items of an array, and `null` is equal to what is absent.
/// Numbers compare to their last digit.
///
/// ```
/// use json_text::JsonText;
/// use scoring::state::Query;
///
/// let query = JsonText::parse(r#"{"escalation.level": {"$in": ["999", "111"]}, "asked": {"$lte": 5}}"#)?;
/// let query = Query::parse(&query)?;
/// let state = JsonText::parse(r#"{"escalation": {"level": "999"}, "asked": 3}"#)?;
/// assert!(query.holds(&state));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Query {
    pub(super) clauses: Vec<Clause>,
}

/// One condition.
#[derive(Debug, Clone)]
pub(super) enum Clause {
    /// What stands at a path passes all tests.
    Field {
        path: String,
        tests: Vec<Test>,
        asked: JsonText,
    },
    /// The value itself passes all tests: of an item, in `$elemMatch`.
    Itself(Vec<Test>),
    And(Vec<Clause>),
    Or(Vec<Clause>),
    Nor(Vec<Clause>),
}

impl Query {
    /// Reads a query.
    ///
    /// # Errors
    /// The first [`Fault`], at its JSON pointer: an operator that is not known, with the nearest
    /// that is, or an operand that it does not take.
    pub fn parse(text: &JsonText) -> Result<Self, Fault> {
        let document = Document::of(text);
        Ok(Self { clauses: parse::clauses(document.root(), "", 0)? })
    }

    /// Whether all conditions hold of a state.
    #[must_use]
    pub fn holds(&self, state: &JsonText) -> bool {
        let document = Document::of(state);
        self.clauses.iter().all(|clause| clause.holds(document.root()))
    }
}

impl Clause {
    pub(super) fn holds(&self, value: Value<'_>) -> bool {
        match self {
            Self::Field { path, tests, .. } => {
                let found = at_path(value, path);
                tests.iter().all(|test| test.fits(&found))
            }
            // An item is asked as it is: as the item of an array it would be opened once more.
            Self::Itself(tests) => tests.iter().all(|test| test.fits(&[value])),
            Self::And(clauses) => clauses.iter().all(|clause| clause.holds(value)),
            Self::Or(clauses) => clauses.iter().any(|clause| clause.holds(value)),
            Self::Nor(clauses) => !clauses.iter().any(|clause| clause.holds(value)),
        }
    }
}

/// The values that stand at a path: several where it goes through an array.
pub(super) fn at_path<'d>(value: Value<'d>, path: &str) -> Vec<Value<'d>> {
    let mut found = vec![value];
    for step in path.split('.') {
        let mut next = Vec::new();
        for value in found {
            match value.kind() {
                Kind::Object => next.extend(value.member(step)),
                Kind::Array => {
                    next.extend(step.parse().ok().and_then(|place| value.item(place)));
                    next.extend(value.items().filter_map(|item| item.member(step)));
                }
                _ => {}
            }
        }
        found = next;
    }
    found
}
