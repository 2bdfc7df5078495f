//! [`Query`]: conditions on a state, and whether they hold.

use json_text::{JsonIndex, JsonText, JsonValue, Kind};

use super::condition::Test;
use super::parse;
use crate::fault::Fault;

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
        let document = JsonIndex::of(text);
        Ok(Self { clauses: parse::clauses(document.root(), "", 0)? })
    }

    /// Whether all conditions hold of a state.
    #[must_use]
    pub fn holds(&self, state: &JsonText) -> bool {
        let document = JsonIndex::of(state);
        self.clauses.iter().all(|clause| clause.holds(document.root()))
    }
}

impl Clause {
    pub(super) fn holds(&self, value: JsonValue<'_>) -> bool {
        match self {
            Self::Field { path, tests, .. } => {
                let found = at_path(value, path);
                tests.iter().all(|test| test.fits(&found))
            }
            // An item is asked as it is: as the item of an array it would be opened once more.
            Self::Itself(tests) => {
                let found = PathMatch::from(value);
                tests.iter().all(|test| test.fits(&found))
            }
            Self::And(clauses) => clauses.iter().all(|clause| clause.holds(value)),
            Self::Or(clauses) => clauses.iter().any(|clause| clause.holds(value)),
            Self::Nor(clauses) => !clauses.iter().any(|clause| clause.holds(value)),
        }
    }
}

/// What a path leads to.
#[derive(Debug, Clone, Default)]
pub(super) struct PathMatch<'d> {
    /// The values there: several where the path goes through an array.
    pub(super) values: Vec<JsonValue<'d>>,
    /// Whether it ends before its last step: at an object without the member, or at what has none.
    /// An item of an array that is no object is passed over, as in MongoDB.
    pub(super) is_missing: bool,
}

impl<'d> From<JsonValue<'d>> for PathMatch<'d> {
    fn from(value: JsonValue<'d>) -> Self {
        Self { values: vec![value], is_missing: false }
    }
}

/// Follows a path.
pub(super) fn at_path<'d>(value: JsonValue<'d>, path: &str) -> PathMatch<'d> {
    let mut found = PathMatch::from(value);
    for step in path.split('.') {
        for value in std::mem::take(&mut found.values) {
            let place = step.parse().ok().and_then(|place| value.item(place));
            found.values.extend(place);
            let items: Vec<JsonValue<'d>> = match value.kind() {
                Kind::Array => value.items().filter(|it| it.kind() == Kind::Object).collect(),
                _ => vec![value],
            };
            for object in items {
                match object.member(step) {
                    Some(member) => found.values.push(member),
                    None => found.is_missing = true,
                }
            }
        }
    }
    found
}
