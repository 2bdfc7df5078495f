//! What a form checks while typing: the limits of the widgets, and keywords about a whole value as
//! far as [`PartialValidator`] can decide them.
//!
//! A check here never contradicts the host's validator; the keywords in
//! [`crate::Field::unchecked`] are left to it.

use json_text::{Decimal, JsonText, Node as Value};
use serde_json::value::RawValue;

use crate::bounds::Bounds;
use crate::document::{Document, NodeId};
use crate::field::{ObjectField, Slot, TextField};
use crate::partial_validator::PartialValidator;

/// A violated limit: the keyword and the sentence to show.
pub(crate) type BrokenLimit = (&'static str, String);

pub(crate) fn number(bounds: &Bounds, text: &str) -> Vec<BrokenLimit> {
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

pub(crate) fn text(field: &TextField, content: &str) -> Vec<BrokenLimit> {
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
) -> Vec<BrokenLimit> {
    let noun = |count: u64| if count == 1 { one } else { many };
    let mut broken = Vec::new();
    if let Some(min) = min.filter(|min| found < *min) {
        let noun = noun(min);
        broken
            .push((min_keyword, format!("At least {min} {noun} ({min_keyword}), found {found}.")));
    }
    if let Some(max) = max.filter(|max| found > *max) {
        let noun = noun(max);
        broken.push((max_keyword, format!("At most {max} {noun} ({max_keyword}), found {found}.")));
    }
    broken
}

/// The message for the first integer in a JSON text that exceeds 64 bits; `None` if all fit.
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
                        "{shown} does not fit in 64 bits, so this tool would receive it rounded. Use \
                         a smaller number, or send it as a string if the tool accepts one."
                    ));
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// The message if `value` violates `keyword` of `schema`; `None` if it does not, or if only the host
/// can decide. `budget` is the number of schemas that this reading may still evaluate.
pub(crate) fn keyword(
    document: &Document,
    schema: NodeId,
    keyword: &str,
    value: &JsonText,
    budget: &mut usize,
) -> Option<String> {
    let id = document.member(schema, &[keyword])?;
    let validator = PartialValidator::with_budget(document, *budget);
    let kept = validator.satisfies_keyword(schema, keyword, value);
    *budget = validator.budget();
    if kept? {
        return None;
    }
    let validator = PartialValidator::of(document);
    let text = || document.text(id).as_str().chars().take(80).collect::<String>();
    Some(match keyword {
        "pattern" => {
            format!("Does not match {} (pattern).", document.string(id).unwrap_or_default())
        }
        "not" => match document.member(id, &["const"]) {
            Some(value) => format!("Anything but {} (not).", document.text(value)),
            None => match forbidden(document, id, value) {
                Some(name) => format!("`{name}` must not be sent here (not)."),
                None => format!("Must not match the excluded schema {} (not).", text()),
            },
        },
        "oneOf" => {
            let branches = document.items(id).unwrap_or_default();
            let fits = |branch: &&NodeId| validator.admits(**branch, value) == Some(true);
            match branches.iter().filter(fits).count() {
                0 => format!("Matches none of the alternatives ({keyword})."),
                many => format!(
                    "Matches {many} of the alternatives, but exactly one must match ({keyword})."
                ),
            }
        }
        "contains" => {
            let limit = |name| document.member(schema, &[name]).and_then(|id| document.limit(id));
            let Value::Array(items) = value.open() else { return None };
            let fits =
                |item: &&&RawValue| validator.admits(id, &JsonText::from(**item)) == Some(true);
            let found = Decimal::parse(&items.iter().filter(fits).count().to_string());
            let noun = |count: &str| if count == "1" { "item" } else { "items" };
            match (limit("minContains"), limit("maxContains")) {
                (_, Some(most)) if found > Decimal::parse(most) => {
                    format!("At most {most} {} may match {} (maxContains).", noun(most), text())
                }
                (Some(least), _) => {
                    format!("At least {least} {} must match {} (minContains).", noun(least), text())
                }
                _ => format!("At least one item must match {} (contains).", text()),
            }
        }
        "if" => {
            let may_be_arguments =
                document.member(schema, &["if"]).and_then(|it| validator.admits(it, value));
            let branch = if may_be_arguments == Some(true) { "then" } else { "else" };
            format!("Does not match the schema for this case ({branch}).")
        }
        _ => format!("Does not meet the conditions of its schema ({keyword})."),
    })
}

/// The one member that `not: {required: [name]}` forbids, if `value` has it. A `not` with more keywords
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

/// Whether one of the slot's schemas certainly rejects `value`.
pub(crate) fn is_surely_rejected(slot: &Slot, value: &JsonText) -> bool {
    let validator = PartialValidator::of(slot.document());
    slot.source().layers.iter().any(|layer| validator.admits(*layer, value) == Some(false))
}

/// The message for a member that the schema does not have.
pub(crate) fn no_such_member(object: &ObjectField, name: &str) -> String {
    match object.patterns.as_slice() {
        [] => format!("The schema does not define the property `{name}`."),
        patterns => format!(
            "The schema does not define the property `{name}`, and the name does not match {} \
             (additionalProperties).",
            patterns.join(" or ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Limit;

    #[test]
    fn limits_read_as_sentences() {
        let bounds = Bounds {
            minimum: Some(Limit { number: "0".into(), exclusive: true }),
            maximum: Some(Limit { number: "26".into(), exclusive: false }),
            multiple_of: Some("0.5".into()),
        };
        let messages =
            |text| number(&bounds, text).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(messages("31"), ["At most 26 (maximum)."]);
        assert_eq!(messages("0"), ["More than 0 (exclusiveMinimum)."]);
        assert_eq!(messages("1.25"), ["A multiple of 0.5 (multipleOf)."]);
        assert_eq!(messages("26.0"), [""; 0]);
    }

    #[test]
    fn integers_beyond_64_bits_are_reported() {
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
        assert_eq!(text(&field, "ab")[0].1, "At most 1 character (maxLength), found 2.");
    }
}
