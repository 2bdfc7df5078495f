//! What a form checks as one types, in words a person understands: the limits of the widgets, and
//! keywords about a whole value as far as [`Judge`] can decide them.
//!
//! What is checked here never contradicts the host's validator; `format` and what
//! [`crate::Field::unchecked`] names is left to it.

use json_text::{JsonText, Node as Value};
use serde_json::value::RawValue;

use crate::decimal::Decimal;
use crate::document::{Document, NodeId};
use crate::field::{Bounds, ObjectField, Slot, TextField};
use crate::judge::Judge;

/// A limit that is not kept: the keyword and what to tell.
pub(crate) type Broken = (&'static str, String);

pub(crate) fn number(bounds: &Bounds, text: &str) -> Vec<Broken> {
    let Some(value) = Decimal::parse(text) else { return Vec::new() };
    let mut broken = Vec::new();
    if let Some(limit) = &bounds.minimum
        && let Some(least) = Decimal::parse(&limit.number)
    {
        if limit.exclusive && value <= least {
            broken.push((
                "exclusiveMinimum",
                format!("More than {} (exclusiveMinimum).", limit.number),
            ));
        } else if value < least {
            broken.push(("minimum", format!("At least {} (minimum).", limit.number)));
        }
    }
    if let Some(limit) = &bounds.maximum
        && let Some(most) = Decimal::parse(&limit.number)
    {
        if limit.exclusive && value >= most {
            broken.push((
                "exclusiveMaximum",
                format!("Less than {} (exclusiveMaximum).", limit.number),
            ));
        } else if value > most {
            broken.push(("maximum", format!("At most {} (maximum).", limit.number)));
        }
    }
    if let Some(step) = &bounds.multiple_of
        && let Some(divisor) = Decimal::parse(step)
        && value.is_multiple_of(&divisor) == Some(false)
    {
        broken.push(("multipleOf", format!("A multiple of {step} (multipleOf).")));
    }
    broken
}

pub(crate) fn text(field: &TextField, content: &str) -> Vec<Broken> {
    let length = content.chars().count() as u64;
    count(
        length,
        (field.min_length, "minLength"),
        (field.max_length, "maxLength"),
        ("character", "characters"),
    )
}

pub(crate) fn count(
    found: u64,
    (min, min_keyword): (Option<u64>, &'static str),
    (max, max_keyword): (Option<u64>, &'static str),
    (one, many): (&str, &str),
) -> Vec<Broken> {
    let noun = |count: u64| if count == 1 { one } else { many };
    let mut broken = Vec::new();
    if let Some(min) = min.filter(|min| found < *min) {
        let noun = noun(min);
        broken.push((min_keyword, format!("At least {min} {noun} ({min_keyword}); here {found}.")));
    }
    if let Some(max) = max.filter(|max| found > *max) {
        let noun = noun(max);
        broken.push((max_keyword, format!("At most {max} {noun} ({max_keyword}); here {found}.")));
    }
    broken
}

/// What to tell of the first integer in a JSON text that 64 bits do not hold; nothing where all do.
pub(crate) fn integer_beyond_64_bits(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'"' => {
                at += 1;
                while bytes.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_part =
                    |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
                while bytes.get(at).is_some_and(is_part) {
                    at += 1;
                }
                let digits = &text[start..at];
                let fits = digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok();
                if !fits && !digits.contains(['.', 'e', 'E']) {
                    let shown = if digits.len() > 60 { "The number" } else { digits };
                    return Some(format!(
                        "{shown} does not fit 64 bits, and no larger integer reaches this tool \
                         unrounded: choose a smaller one, or send it as text if the tool takes that."
                    ));
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// What to tell when `value` breaks `keyword` of `schema`; `None` when it does not, or when only
/// the host can tell. `patience` is what one reading has left for asking.
pub(crate) fn keyword(
    document: &Document,
    schema: NodeId,
    keyword: &str,
    value: &JsonText,
    patience: &mut usize,
) -> Option<String> {
    let id = document.member(schema, &[keyword])?;
    let judge = Judge::with_patience(document, *patience);
    let kept = judge.keeps(schema, keyword, value);
    *patience = judge.patience();
    if kept? {
        return None;
    }
    let judge = Judge::of(document);
    let text = || document.text(id).as_str().chars().take(80).collect::<String>();
    Some(match keyword {
        "pattern" => {
            format!("Does not match {} (pattern).", document.string(id).unwrap_or_default())
        }
        "not" => match document.member(id, &["const"]) {
            Some(value) => format!("Anything but {} (not).", document.text(value)),
            None => match forbidden(document, id, value) {
                Some(name) => format!("`{name}` must not be sent here (not)."),
                None => format!("Must not be what the schema excludes: {} (not).", text()),
            },
        },
        "oneOf" => {
            let branches = document.items(id).unwrap_or_default();
            let fits = |branch: &&NodeId| judge.admits(**branch, value) == Some(true);
            match branches.iter().filter(fits).count() {
                0 => format!("Fits none of the alternatives ({keyword})."),
                many => format!(
                    "Fits {many} of the alternatives at once; exactly one must fit ({keyword})."
                ),
            }
        }
        "contains" => {
            let limit = |name| document.member(schema, &[name]).and_then(|id| document.limit(id));
            let Value::Array(items) = value.open() else { return None };
            let fits = |item: &&&RawValue| judge.admits(id, &JsonText::from(**item)) == Some(true);
            let found = Decimal::parse(&items.iter().filter(fits).count().to_string());
            let noun = |count: &str| if count == "1" { "item" } else { "items" };
            match (limit("minContains"), limit("maxContains")) {
                (_, Some(most)) if found > Decimal::parse(most) => {
                    format!("At most {most} {} may be {} (maxContains).", noun(most), text())
                }
                (Some(least), _) => {
                    format!("At least {least} {} must be {} (minContains).", noun(least), text())
                }
                _ => format!("At least one item must be {} (contains).", text()),
            }
        }
        "if" => {
            let holds = document.member(schema, &["if"]).and_then(|it| judge.admits(it, value));
            let branch = if holds == Some(true) { "then" } else { "else" };
            format!("Does not fit what holds in this case ({branch}).")
        }
        _ => format!("Does not fit what its members ask for ({keyword})."),
    })
}

/// The one member that `not: {required: [name]}` forbids, if `value` has it. A `not` that says more
/// forbids it with some values only.
fn forbidden(document: &Document, not: NodeId, value: &JsonText) -> Option<String> {
    if document.members(not).iter().any(|(keyword, _)| !matches!(&**keyword, "required" | "type")) {
        return None;
    }
    let names = document.items(document.member(not, &["required"])?)?;
    let [name] = names else { return None };
    let name = document.string(*name)?;
    let Value::Object(members) = value.open() else { return None };
    members.iter().any(|(key, _)| key == name).then(|| name.to_owned())
}

/// Whether one of the slot's schemas surely does not admit `value`.
pub(crate) fn is_refused(slot: &Slot, value: &JsonText) -> bool {
    let judge = Judge::of(slot.document());
    slot.source().layers.iter().any(|layer| judge.admits(*layer, value) == Some(false))
}

/// What to tell of a name that an object does not have.
pub(crate) fn no_such_member(object: &ObjectField, name: &str) -> String {
    match object.patterns.as_slice() {
        [] => format!("The schema has no member `{name}`."),
        patterns => format!(
            "The schema has no member `{name}`, and the name does not match {} \
             (additionalProperties).",
            patterns.join(" or ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Limit;

    #[test]
    fn limits_read_as_sentences() {
        let bounds = Bounds {
            minimum: Some(Limit { number: "0".into(), exclusive: true }),
            maximum: Some(Limit { number: "26".into(), exclusive: false }),
            multiple_of: Some("0.5".into()),
        };
        let told =
            |text| number(&bounds, text).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(told("31"), ["At most 26 (maximum)."]);
        assert_eq!(told("0"), ["More than 0 (exclusiveMinimum)."]);
        assert_eq!(told("1.25"), ["A multiple of 0.5 (multipleOf)."]);
        assert_eq!(told("26.0"), [""; 0]);
    }

    #[test]
    fn only_integers_beyond_64_bits_are_told() {
        for fine in [
            "18446744073709551615",
            "-9223372036854775808",
            "1e40",
            "123456789012345678901234567890.0",
            r#"{"\"99999999999999999999":"\\\"99999999999999999999"}"#,
        ] {
            assert_eq!(integer_beyond_64_bits(fine), None, "{fine}");
        }
        for large in
            ["18446744073709551616", "-9223372036854775809", r#"{"a":[1,99999999999999999999]}"#]
        {
            assert!(integer_beyond_64_bits(large).is_some(), "{large}");
        }
    }

    #[test]
    fn lengths_count_characters() {
        let field = TextField { max_length: Some(1), ..TextField::default() };
        assert!(text(&field, "ñ").is_empty());
        assert_eq!(text(&field, "ab")[0].1, "At most 1 character (maxLength); here 2.");
    }
}
