//! The limits that a form checks as one types, in words a person understands.
//!
//! What is checked here never contradicts the host's validator; `pattern`, `format`, `not` and
//! what [`crate::Field::unchecked`] names is left to it.

use crate::decimal::Decimal;
use crate::field::{Bounds, TextField};

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
    fn lengths_count_characters() {
        let field = TextField { max_length: Some(1), ..TextField::default() };
        assert!(text(&field, "ñ").is_empty());
        assert_eq!(text(&field, "ab")[0].1, "At most 1 character (maxLength); here 2.");
    }
}
