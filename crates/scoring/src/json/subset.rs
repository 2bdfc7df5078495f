//! Whether a value is contained in another.

use json_text::{JsonIndex, JsonText, JsonValue, Kind};

use super::Equality;
use super::equality::equal_values;

/// Beyond this depth parts must be equal: recursion ends there.
const DEEPEST: usize = 128;

/// Whether `part` is contained in `whole`: every member of an object in the other object, every
/// item of an array in the other array in the same order, and anything else equal.
///
/// ```
/// use json_text::JsonText;
/// use scoring::json::{Equality, subset};
///
/// let part = JsonText::parse(r#"{"seats": [{"row": 3}]}"#).expect("valid");
/// let whole = JsonText::parse(r#"{"id": 7, "seats": [{"row": 2}, {"row": 3, "seat": "C"}]}"#).expect("valid");
/// assert!(subset(&part, &whole, Equality::Json));
/// assert!(!subset(&whole, &part, Equality::Json));
/// ```
#[must_use]
pub fn subset(part: &JsonText, whole: &JsonText, equality: Equality) -> bool {
    let (part, whole) = (JsonIndex::of(part), JsonIndex::of(whole));
    subset_values(part.root(), whole.root(), equality, DEEPEST)
}

fn subset_values(
    part: JsonValue<'_>,
    whole: JsonValue<'_>,
    equality: Equality,
    deeper: usize,
) -> bool {
    if deeper == 0 {
        return equal_values(part, whole, equality);
    }
    match (part.kind(), whole.kind()) {
        (Kind::Object, Kind::Object) => {
            let members = whole.members();
            part.members().into_iter().all(|(name, part)| {
                let place = members.binary_search_by(|member| member.0.cmp(&name));
                place
                    .ok()
                    .and_then(|place| members.get(place))
                    .is_some_and(|(_, whole)| subset_values(part, *whole, equality, deeper - 1))
            })
        }
        (Kind::Array, Kind::Array) => {
            // Taking the first that fits leaves the most for those that follow.
            let mut rest = whole.items();
            part.items()
                .all(|part| rest.any(|whole| subset_values(part, whole, equality, deeper - 1)))
        }
        _ => equal_values(part, whole, equality),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(part: &str, whole: &str, expected: bool) {
        let (part, whole) =
            (JsonText::parse(part).expect("valid"), JsonText::parse(whole).expect("valid"));
        assert_eq!(subset(&part, &whole, Equality::Json), expected, "{part} in {whole}");
    }

    #[test]
    fn parts_and_wholes() {
        check("{}", r#"{"a":1}"#, true);
        check(r#"{"a":{"b":1.0}}"#, r#"{"a":{"b":1,"c":2}}"#, true);
        check(r#"{"a":null}"#, "{}", false);
        check("[1,3]", "[1,2,3]", true);
        check("[3,1]", "[1,2,3]", false);
        check("[1,1]", "[1]", false);
        check("[{}]", "[]", false);
        check("1", "[1]", false);
        check(&format!("{}1{}", "[".repeat(5000), "]".repeat(5000)), "[]", false);
    }
}
