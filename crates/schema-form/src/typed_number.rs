//! Numbers as a person types them.

use std::borrow::Cow;

use json_text::{Decimal, is_number};

/// The longest whole number that is written out: Python reads no longer one either, and `1e9999999`
/// is a mistake that should not become ten megabytes.
pub(crate) const MAX_DIGITS: usize = 4_300;

/// Whether `text` is a whole number without fraction or exponent, in JSON's grammar.
pub(crate) fn is_integer(text: &str) -> bool {
    // Parsers read `-0` as a float.
    is_number(text) && !text.contains(['.', 'e', 'E']) && text != "-0"
}

/// A typed text read as a whole number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whole<'t> {
    /// Its digits: `1e3` and `1000.0` are `1000`.
    Digits(Cow<'t, str>),
    /// A whole number whose exponent makes it longer than [`MAX_DIGITS`].
    TooLong,
    /// Not a whole number, or not yet.
    No,
}

impl<'t> Whole<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        if is_integer(text) {
            return Self::Digits(Cow::Borrowed(text));
        }
        if !is_number(text) {
            return Self::No;
        }
        match Decimal::parse(text) {
            Some(decimal) if !decimal.is_whole() => Self::No,
            Some(decimal) => decimal
                .whole_digits(MAX_DIGITS)
                .map_or(Self::TooLong, |digits| Self::Digits(Cow::Owned(digits))),
            // The exponent itself is too large.
            None if text.contains("e-") || text.contains("E-") => Self::No,
            None => Self::TooLong,
        }
    }
}

/// The digits of a whole number in any spelling; `None` for another text, or more than 4,300 digits.
///
/// ```
/// assert_eq!(schema_form::whole_number("1e3").as_deref(), Some("1000"));
/// assert_eq!(schema_form::whole_number("-12.0").as_deref(), Some("-12"));
/// assert_eq!(schema_form::whole_number("1.5"), None);
/// ```
#[must_use]
pub fn whole_number(text: &str) -> Option<String> {
    match Whole::of(text.trim()) {
        Whole::Digits(digits) => Some(digits.into_owned()),
        Whole::TooLong | Whole::No => None,
    }
}

/// Whether `text` is a number or the beginning of one, such as `-`, `1.`, `1e` and `1e-`.
///
/// ```
/// use schema_form::begins_number;
/// assert!(["-", "1.", "1e", "1e-", "0", "12"].into_iter().all(begins_number));
/// assert!(!["", "1,", "x", "1ee", "--", "01"].into_iter().any(begins_number));
/// ```
#[must_use]
pub fn begins_number(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && (is_number(text) || is_number(&format!("{text}0")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_written_in_digits() {
        for (text, digits) in [
            ("12", "12"),
            ("-0", "0"),
            ("1.0", "1"),
            ("-12.00", "-12"),
            ("1e3", "1000"),
            ("1.25E+2", "125"),
            ("1500e-2", "15"),
            ("0e5", "0"),
            ("-0.0", "0"),
            ("9007199254740993.0", "9007199254740993"),
        ] {
            assert_eq!(Whole::of(text), Whole::Digits(digits.into()), "{text}");
        }
        for text in ["", "-", "1.", "1e", "1.5", "15e-1", "1e-99999999999999999999", "007"] {
            assert_eq!(Whole::of(text), Whole::No, "{text}");
        }
        for text in ["1e4300", "1e999999", "-1e999999999999", "1e99999999999999999999"] {
            assert_eq!(Whole::of(text), Whole::TooLong, "{text}");
        }
        assert!(matches!(Whole::of("1e4299"), Whole::Digits(digits) if digits.len() == 4_300));
    }

    #[test]
    fn integers_have_no_fraction_and_no_exponent() {
        assert!(is_integer("-12") && !is_integer("12.0") && !is_integer("1e3"));
    }
}
