//! [`Query`]: conditions on a state, and whether they hold.

use json_text::{JsonIndex, JsonText, JsonValue, Kind};

use super::condition::Test;
use super::parse;
use crate::config_fault::ConfigFault;

/// A query in MongoDB's style over one JSON document.
///
/// A name is a path with steps separated by dots. It applies to each item of an array, or to one item
/// by index. A bare value must be equal. The operators are `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`,
/// `$in`, `$nin`, `$exists`, `$type`, `$regex` (with `$options`), `$size`, `$all`, `$elemMatch`,
/// `$mod` and `$not`; `$and`, `$or` and `$nor` combine conditions. As in MongoDB, most operators also
/// apply to the items of an array, and `null` equals an absent value. Numbers are compared exactly.
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
    /// The value at a path passes all tests.
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
    /// The first [`ConfigFault`], at its JSON pointer: an unknown operator, with the nearest known one,
    /// or an invalid operand.
    pub fn parse(text: &JsonText) -> Result<Self, ConfigFault> {
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

impl Query {
    /// The paths that it has conditions on, also within `$and`, `$or` and `$nor`.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use scoring::state::Query;
    ///
    /// let query = JsonText::parse(r#"{"name": "ask", "$or": [{"agent": "a"}, {"agent": "b"}]}"#)?;
    /// let query = Query::parse(&query)?;
    /// assert_eq!(query.paths(), ["name", "agent", "agent"]);
    /// assert_eq!(query.unmatched("agent", &["a"]), Some("b".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn paths(&self) -> Vec<&str> {
        self.fields().into_iter().map(|(path, _)| path).collect()
    }

    /// The first value or pattern with which the value at `path` is compared, and that none of `known` matches.
    #[must_use]
    pub fn unmatched(&self, path: &str, known: &[&str]) -> Option<String> {
        let of_path = self.fields().into_iter().filter(|(of, _)| *of == path);
        of_path.flat_map(|(_, tests)| tests).find_map(|test| test.unmatched(known))
    }

    /// The first value that is not a text, nor null if that `may_be_null`, and with which the value at `path` is compared.
    #[must_use]
    pub fn other_than_text(&self, path: &str, may_be_null: bool) -> Option<JsonText> {
        let is_other = |value: &&JsonText| match value.kind() {
            Kind::String => false,
            Kind::Null => !may_be_null,
            _ => true,
        };
        self.compared(path).into_iter().find(is_other).cloned()
    }

    /// The values with which the value at `path` is compared as a whole, by equality.
    #[must_use]
    pub fn compared(&self, path: &str) -> Vec<&JsonText> {
        let of_path = self.fields().into_iter().filter(|(of, _)| *of == path);
        of_path.flat_map(|(_, tests)| tests).flat_map(Test::compared).collect()
    }

    /// The members that the value at `path` must have for a condition to be of use: the next steps of longer paths, and
    /// the members of objects that it is compared with.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use scoring::state::Query;
    ///
    /// let query = JsonText::parse(r#"{"args.to.0": "Ann", "$or": [{"args": {"at": 7}}, {"args": null}]}"#)?;
    /// assert_eq!(Query::parse(&query)?.members_below("args"), ["to", "at"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn members_below(&self, path: &str) -> Vec<String> {
        let mut members = Vec::new();
        for (of, tests) in self.fields() {
            match of.strip_prefix(path) {
                Some("") => members.extend(tests.iter().flat_map(Test::members)),
                Some(rest) => {
                    let step = rest.strip_prefix('.').and_then(|rest| rest.split('.').next());
                    members.extend(step.map(str::to_owned));
                }
                None => {}
            }
        }
        members
    }

    fn fields(&self) -> Vec<(&str, &[Test])> {
        let mut fields = Vec::new();
        let mut open: Vec<&Clause> = self.clauses.iter().rev().collect();
        while let Some(clause) = open.pop() {
            match clause {
                Clause::Field { path, tests, .. } => fields.push((path.as_str(), tests.as_slice())),
                Clause::Itself(_) => {}
                Clause::And(clauses) | Clause::Or(clauses) | Clause::Nor(clauses) => {
                    open.extend(clauses.iter().rev());
                }
            }
        }
        fields
    }
}

impl Clause {
    pub(super) fn holds(&self, value: JsonValue<'_>) -> bool {
        match self {
            Self::Field { path, tests, .. } => {
                let found = at_path(value, path);
                tests.iter().all(|test| test.fits(&found))
            }
            // The item itself: through a path, an array in it would be opened once more.
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

/// The values at a path.
#[derive(Debug, Clone, Default)]
pub(super) struct PathMatch<'d> {
    /// The values there: several where the path goes through an array.
    pub(super) values: Vec<JsonValue<'d>>,
    /// Whether it ends before its last step: at an object without the member, or at a value without
    /// members. Items of an array other than objects are skipped, as in MongoDB.
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
