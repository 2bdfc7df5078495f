//! When two JSON values are the same.

use json_text::{Decimal, JsonIndex, JsonText, JsonValue, Kind};

/// What counts as equal. In both, the order of an object's members does not matter, a `null` member
/// is not an absent one, and strings are compared character by character, without normalization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Equality {
    /// Python's `==` on what its JSON reader makes of the texts, as google-adk compares:
    /// `1 == 1.0 == true`, an integer keeps its digits, and a number with a point or an exponent
    /// is the nearest `f64`, so `2**53 + 1` is not `9007199254740992.0`.
    Python,
    /// JSON's own: numbers are equal when they are the same number, `5` and `5.0` and `5e0`
    /// alike, to the last digit; `true` is not `1`.
    Json,
}

impl Equality {
    /// Whether two values that are neither array nor object are equal.
    #[must_use]
    pub(crate) fn of_scalars(self, one: JsonValue<'_>, other: JsonValue<'_>) -> bool {
        match (self, one.kind(), other.kind()) {
            (Self::Python, Kind::Number | Kind::Bool, Kind::Number | Kind::Bool) => {
                in_python(one.text(), other.text())
            }
            (_, Kind::String, Kind::String) => {
                one.text() == other.text() || one.string() == other.string()
            }
            (Self::Json, Kind::Number, Kind::Number) => {
                let same_text = one.text() == other.text();
                let numbers = Decimal::parse(one.text()).zip(Decimal::parse(other.text()));
                same_text || numbers.is_some_and(|(one, other)| one == other)
            }
            (_, Kind::Null, Kind::Null) => true,
            (Self::Json, Kind::Bool, Kind::Bool) => one.text() == other.text(),
            _ => false,
        }
    }
}

/// Whether two JSON texts hold equal values.
///
/// ```
/// use json_text::JsonText;
/// use scoring::json::{Equality, equal};
///
/// let [int, float, yes] = ["1", "1.0", "true"].map(|text| JsonText::parse(text).expect("valid"));
/// assert!(equal(&int, &float, Equality::Python) && equal(&int, &yes, Equality::Python));
/// assert!(equal(&int, &float, Equality::Json) && !equal(&int, &yes, Equality::Json));
/// ```
#[must_use]
pub fn equal(one: &JsonText, other: &JsonText, equality: Equality) -> bool {
    if one == other {
        return true;
    }
    let (one, other) = (JsonIndex::of_valid(one.as_str()), JsonIndex::of_valid(other.as_str()));
    equal_values(one.root(), other.root(), equality)
}

/// Whether two values are equal.
#[must_use]
pub(crate) fn equal_values(one: JsonValue<'_>, other: JsonValue<'_>, equality: Equality) -> bool {
    let mut pairs = vec![(one, other)];
    while let Some((one, other)) = pairs.pop() {
        match (one.kind(), other.kind()) {
            (Kind::Array, Kind::Array) => {
                if one.len() != other.len() {
                    return false;
                }
                pairs.extend(one.items().zip(other.items()));
            }
            (Kind::Object, Kind::Object) => {
                let (one, other) = (one.members(), other.members());
                if one.len() != other.len() {
                    return false;
                }
                for ((name, one), (other_name, other)) in one.into_iter().zip(other) {
                    if name != other_name {
                        return false;
                    }
                    pairs.push((one, other));
                }
            }
            _ if !equality.of_scalars(one, other) => return false,
            _ => {}
        }
    }
    true
}

/// A number or truth value as Python's JSON reader has it.
enum PythonNumber<'t> {
    /// Its sign and its digits without leading zeros; zero has none and no sign.
    Integer(bool, &'t str),
    Float(f64),
}

impl<'t> PythonNumber<'t> {
    fn of(text: &'t str) -> Option<Self> {
        match text {
            "true" => Some(Self::Integer(false, "1")),
            "false" => Some(Self::Integer(false, "")),
            _ if text.contains(['.', 'e', 'E']) => text.parse().ok().map(Self::Float),
            _ => {
                let digits = text.trim_start_matches('-').trim_start_matches('0');
                Some(Self::Integer(text.starts_with('-') && !digits.is_empty(), digits))
            }
        }
    }
}

fn in_python(one: &str, other: &str) -> bool {
    use PythonNumber::{Float, Integer};
    match (PythonNumber::of(one), PythonNumber::of(other)) {
        (Some(Integer(negative, digits)), Some(Integer(other_negative, other_digits))) => {
            negative == other_negative && digits == other_digits
        }
        (Some(Float(one)), Some(Float(other))) => one == other,
        (Some(Integer(negative, digits)), Some(Float(float)))
        | (Some(Float(float)), Some(Integer(negative, digits))) => {
            // Rust prints a whole `f64` to its last digit, and a float is never rounded to compare.
            float.is_finite()
                && float.fract() == 0.0
                && (float < 0.0) == negative
                && format!("{:.0}", float.abs()).trim_start_matches('0') == digits
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(one: &str, other: &str, python: bool, json: bool) {
        let (one, other) =
            (JsonText::parse(one).expect("valid"), JsonText::parse(other).expect("valid"));
        for (one, other) in [(&one, &other), (&other, &one)] {
            assert_eq!(equal(one, other, Equality::Python), python, "{one} {other} in Python");
            assert_eq!(equal(one, other, Equality::Json), json, "{one} {other} in JSON");
        }
    }

    #[test]
    fn numbers() {
        check("1", "1.0", true, true);
        check("1", "true", true, false);
        check("0.0", "false", true, false);
        check("0", "-0.0", true, true);
        check("9007199254740993", "9007199254740992.0", false, false);
        check("9007199254740993", "9007199254740993.0", false, true);
        check("10000000000000000000000", "1e22", true, true);
        check("100000000000000000000000", "1e23", false, true);
        check("1e400", "1e500", true, false);
        check("1", "1e400", false, false);
        check("0.1", "0.1000000000000000055511151231257827", true, false);
        check("1.5", "15e-1", true, true);
        check("1", "\"1\"", false, false);
        check("0", "null", false, false);
        check("-5", "5", false, false);
    }

    #[test]
    fn structures() {
        check(r#"{"a":1,"b":[1,2]}"#, r#"{ "b": [1, 2.0], "a": 1 }"#, true, true);
        check(r#"{"a":1}"#, r#"{"a":1,"b":null}"#, false, false);
        check(r#"{"a":2,"a":1}"#, r#"{"a":1}"#, true, true);
        check("[1,2]", "[2,1]", false, false);
        check("[]", "{}", false, false);
        check(r#""\u0061""#, r#""a""#, true, true);
        check("\"e\u{301}\"", "\"\u{e9}\"", false, false);
    }

    #[test]
    fn a_hundred_thousand_levels_compare() {
        let deep = |inner: &str| {
            let text = format!("{}{inner}{}", "[".repeat(100_000), "]".repeat(100_000));
            JsonText::parse(&text).expect("valid")
        };
        assert!(equal(&deep("1"), &deep("1"), Equality::Json));
    }

    proptest! {
        #[test]
        fn integers_against_floats_are_exact(integer in any::<i64>()) {
            // What Python does: the float's exact value is compared.
            #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the subject")]
            let (float, expected) = (integer as f64, integer as f64 as i128 == i128::from(integer));
            prop_assert_eq!(in_python(&integer.to_string(), &format!("{float:?}")), expected);
        }
    }
}
