//! The differences of two values, as they are shown to a person.

use json_text::{JsonIndex, JsonText, JsonValue, Kind, pointer};
use serde::Serialize;

use super::Equality;
use super::equality::equal_values;

/// Below this depth a differing part is reported as a whole.
const DEEPEST: usize = 64;

/// At most this many differences of one pair of values are reported.
const MOST: usize = 200;

/// What became of one part of an expected value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is another value.
    Changed,
    /// It is not there.
    Missing,
    /// It is there and was not expected.
    Extra,
    /// Its matcher rejects it.
    Refused,
}

/// One place where an actual value is not the expected one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The place, as a JSON pointer (RFC 6901); empty for the whole value.
    pub path: String,
    /// What became of the part.
    pub change: Change,
    /// What was expected there; absent for [`Change::Extra`] and where a matcher needs no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<JsonText>,
    /// The actual value; absent for [`Change::Missing`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<JsonText>,
    /// For [`Change::Refused`]: a description of what the matcher accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
}

/// The members of an object that places in it, as JSON pointers, lead into: each once, in their order.
///
/// ```
/// use scoring::json::members;
/// assert_eq!(members(["/room/name", "/a~1b~01", "/room"]), ["room", "a/b~1"]);
/// ```
pub fn members<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<String> {
    let mut members = Vec::new();
    for path in paths {
        let name = path.split('/').nth(1).unwrap_or_default();
        // In this order, as RFC 6901 has it: `~01` is `~1` and no slash.
        let name = pointer::name(name);
        if !members.contains(&name) {
            members.push(name);
        }
    }
    members
}

/// The result of a comparison other than equality.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fitting {
    /// The actual value is accepted.
    Fits,
    /// It is rejected.
    Refused {
        /// A description of what is accepted.
        wanted: String,
    },
}

/// Compares parts of values in another way than by equality.
pub(crate) trait ValueComparison {
    /// `None` to compare the part at `path` by equality.
    fn compare_values(
        &self,
        path: &[String],
        expected: Option<JsonValue<'_>>,
        actual: Option<JsonValue<'_>>,
    ) -> Option<Fitting>;
}

/// Compares everything by equality.
struct EqualityOnly;

impl ValueComparison for EqualityOnly {
    fn compare_values(
        &self,
        _: &[String],
        _: Option<JsonValue<'_>>,
        _: Option<JsonValue<'_>>,
    ) -> Option<Fitting> {
        None
    }
}

/// Where `actual` differs from `expected`, in the order of the expected value's members by name;
/// the first 200.
#[must_use]
pub fn differences(expected: &JsonText, actual: &JsonText, equality: Equality) -> Vec<Difference> {
    let (expected, actual) = (JsonIndex::of(expected), JsonIndex::of(actual));
    compare(Vec::new(), Some(expected.root()), Some(actual.root()), equality, &EqualityOnly)
}

/// The same for values at `path`, with a comparison that also decides about values on one side only.
pub(crate) fn compare(
    path: Vec<String>,
    expected: Option<JsonValue<'_>>,
    actual: Option<JsonValue<'_>>,
    equality: Equality,
    comparison: &dyn ValueComparison,
) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut open = vec![(path, expected, actual)];
    while let Some((path, expected, actual)) = open.pop() {
        if found.len() >= MOST {
            break;
        }
        let difference = |change, wanted| Difference {
            path: path.iter().map(|step| pointer_step(step)).collect(),
            change,
            expected: expected.map(JsonValue::to_json),
            actual: actual.map(JsonValue::to_json),
            wanted,
        };
        match comparison.compare_values(&path, expected, actual) {
            Some(Fitting::Fits) => continue,
            Some(Fitting::Refused { wanted }) => {
                found.push(difference(Change::Refused, Some(wanted)));
                continue;
            }
            None => {}
        }
        let (one, other) = match (expected, actual) {
            (Some(one), Some(other)) => (one, other),
            (Some(_), None) => {
                found.push(difference(Change::Missing, None));
                continue;
            }
            (None, Some(_)) => {
                found.push(difference(Change::Extra, None));
                continue;
            }
            (None, None) => continue,
        };
        let pairs = match (one.kind(), other.kind()) {
            _ if path.len() >= DEEPEST => {
                if !equal_values(one, other, equality) {
                    found.push(difference(Change::Changed, None));
                }
                continue;
            }
            (Kind::Object, Kind::Object) => by_name(one, other),
            (Kind::Array, Kind::Array) => by_place(one, other),
            _ => {
                if !equality.of_scalars(one, other) {
                    found.push(difference(Change::Changed, None));
                }
                continue;
            }
        };
        for (step, one, other) in pairs.into_iter().rev() {
            let mut path = path.clone();
            path.push(step);
            open.push((path, one, other));
        }
    }
    found
}

type Pair<'d> = (String, Option<JsonValue<'d>>, Option<JsonValue<'d>>);

/// The members of both, the expected ones first.
fn by_name<'d>(expected: JsonValue<'d>, actual: JsonValue<'d>) -> Vec<Pair<'d>> {
    let (expected, actual) = (expected.members(), actual.members());
    let find = |list: &[(std::borrow::Cow<'d, str>, JsonValue<'d>)], name: &str| {
        let place = list.binary_search_by(|member| (*member.0).cmp(name)).ok()?;
        list.get(place).map(|(_, value)| *value)
    };
    let wanted =
        expected.iter().map(|(name, value)| (name.to_string(), Some(*value), find(&actual, name)));
    let extra = actual
        .iter()
        .filter(|(name, _)| find(&expected, name).is_none())
        .map(|(name, value)| (name.to_string(), None, Some(*value)));
    wanted.chain(extra).collect()
}

fn by_place<'d>(expected: JsonValue<'d>, actual: JsonValue<'d>) -> Vec<Pair<'d>> {
    let (mut expected, mut actual) = (expected.items(), actual.items());
    let mut pairs = Vec::new();
    loop {
        match (expected.next(), actual.next()) {
            (None, None) => return pairs,
            (one, other) => pairs.push((pairs.len().to_string(), one, other)),
        }
    }
}

/// One step of a JSON pointer, with its slash.
pub(crate) fn pointer_step(name: &str) -> String {
    format!("/{}", pointer::step(name))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(expected: &str, actual: &str, differences_expected: &Expect) {
        let (expected, actual) =
            (JsonText::parse(expected).expect("valid"), JsonText::parse(actual).expect("valid"));
        let lines: Vec<String> = differences(&expected, &actual, Equality::Json)
            .iter()
            .map(|difference| serde_json::to_string(difference).expect("serializes"))
            .collect();
        differences_expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn differences_have_paths() {
        check(r#"{"a":1,"b":[1,{"c":2}]}"#, r#"{"b":[1.0,{"c":2}],"a":1}"#, &expect![""]);
        check(
            r#"{"a/b":1,"list":[1,2,3],"gone":null}"#,
            r#"{"a/b":9007199254740993,"list":[1,5],"new":{}}"#,
            &expect![[r#"
                {"path":"/a~1b","change":"changed","expected":1,"actual":9007199254740993}
                {"path":"/gone","change":"missing","expected":null}
                {"path":"/list/1","change":"changed","expected":2,"actual":5}
                {"path":"/list/2","change":"missing","expected":3}
                {"path":"/new","change":"extra","actual":{}}"#]],
        );
        check(
            "[]",
            "{}",
            &expect![[r#"{"path":"","change":"changed","expected":[],"actual":{}}"#]],
        );
    }

    #[test]
    fn hostile_values_end() {
        let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(50_000), "]".repeat(50_000));
        let (one, other) = (
            JsonText::parse(&deep("1")).expect("valid"),
            JsonText::parse(&deep("2")).expect("valid"),
        );
        assert_eq!(differences(&one, &other, Equality::Json).len(), 1);
        let wide = JsonText::parse(&format!("[{}0]", "0,".repeat(10_000))).expect("valid");
        let none = JsonText::parse("[]").expect("valid");
        assert_eq!(differences(&wide, &none, Equality::Json).len(), MOST);
    }
}
