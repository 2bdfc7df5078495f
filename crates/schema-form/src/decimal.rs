//! [`Decimal`]: a JSON number compared by its digits.
//!
//! Bounds and equality hold for numbers of any length: no value passes through a floating-point
//! number on its way.

use std::borrow::Cow;
use std::cmp::Ordering;

/// The longest whole number that is written out: Python reads no longer one either, and `1e9999999`
/// is a slip that should not become ten megabytes.
pub(crate) const MOST_DIGITS: usize = 4_300;

/// Sign, digits without zeros at either end, and the power of ten of the last digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Reads a number in JSON's grammar; `None` for anything else, or an exponent beyond 18 digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if !is_number(text) {
            return None;
        }
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok()?),
            None => (text, 0),
        };
        if exponent.unsigned_abs() > 1_000_000_000_000_000_000 {
            return None;
        }
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let leading = all.trim_start_matches('0');
        let digits = leading.trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self { negative: false, digits: String::new(), exponent: 0 });
        }
        let trimmed = i64::try_from(leading.len() - digits.len()).ok()?;
        let exponent = exponent - i64::try_from(fraction.len()).ok()? + trimmed;
        Some(Self { negative, digits: digits.to_owned(), exponent })
    }

    /// Whether the number has no fraction, however it is spelled: `5.0` and `1e3` are whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.exponent >= 0
    }

    /// Whether `self` is a multiple of `step`; `None` when the digits are too many to tell here.
    pub(crate) fn is_multiple_of(&self, step: &Self) -> Option<bool> {
        if step.digits.is_empty() {
            return None;
        }
        let lowest = self.exponent.min(step.exponent);
        let scaled = |decimal: &Self| -> Option<u128> {
            let power = u32::try_from(decimal.exponent - lowest).ok()?;
            let digits =
                if decimal.digits.is_empty() { 0 } else { decimal.digits.parse::<u128>().ok()? };
            digits.checked_mul(10_u128.checked_pow(power)?)
        };
        Some(scaled(self)? % scaled(step)? == 0)
    }

    /// How many digits stand after the point.
    pub(crate) fn scale(&self) -> u32 {
        u32::try_from(-self.exponent).unwrap_or(if self.exponent > 0 { 0 } else { u32::MAX })
    }

    /// The number times ten to the power of `scale`; `None` when it is not whole then, or too large.
    pub(crate) fn scaled(&self, scale: u32) -> Option<i128> {
        if self.digits.is_empty() {
            return Some(0);
        }
        let power = u32::try_from(self.exponent.checked_add(scale.into())?).ok()?;
        let magnitude =
            self.digits.parse::<i128>().ok()?.checked_mul(10_i128.checked_pow(power)?)?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The whole number in digits alone; `None` when it has a fraction or is longer than
    /// [`MOST_DIGITS`].
    fn digits(&self) -> Option<String> {
        let zeros = usize::try_from(self.exponent).ok()?;
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let length = self.digits.len().checked_add(zeros)?;
        let sign = if self.negative { "-" } else { "" };
        (length <= MOST_DIGITS).then(|| format!("{sign}{}{}", self.digits, "0".repeat(zeros)))
    }

    /// One spelling for all equal numbers.
    pub(crate) fn canonical(&self) -> String {
        format!("{}{}e{}", if self.negative { "-" } else { "" }, self.digits, self.exponent)
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        if self.digits.is_empty() || other.digits.is_empty() {
            return (!self.digits.is_empty()).cmp(&!other.digits.is_empty());
        }
        let top = |decimal: &Self| {
            decimal.exponent.saturating_add(i64::try_from(decimal.digits.len()).unwrap_or(i64::MAX))
        };
        // Without zeros at the ends, digits of equal weight compare as text.
        top(self).cmp(&top(other)).then_with(|| self.digits.cmp(&other.digits))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.magnitude(other),
            (true, true) => other.magnitude(self),
        }
    }
}

/// Whether `text` is a number in JSON's grammar.
pub(crate) fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|part| digits(part.strip_prefix(['+', '-']).unwrap_or(part)))
}

/// Whether `text` is a whole number without fraction or exponent, in JSON's grammar.
pub(crate) fn is_integer(text: &str) -> bool {
    // Readers take `-0` for a fraction.
    is_number(text) && !text.contains(['.', 'e', 'E']) && text != "-0"
}

/// What somebody typed where a whole number belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whole<'t> {
    /// One, in digits alone: `1e3` and `1000.0` are `1000`.
    Digits(Cow<'t, str>),
    /// One, whose exponent makes it longer than [`MOST_DIGITS`].
    TooLong,
    /// None, or none yet.
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
            Some(decimal) => {
                decimal.digits().map_or(Self::TooLong, |digits| Self::Digits(Cow::Owned(digits)))
            }
            // The exponent itself is beyond reading.
            None if text.contains("e-") || text.contains("E-") => Self::No,
            None => Self::TooLong,
        }
    }
}

/// The digits of a whole number, however it is written; `None` for what is none, or is longer than
/// 4,300 digits.
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

/// Whether typing on may make a number of `text`, or it is one: `-`, `1.`, `1e` and `1e-` begin
/// numbers.
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
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect("a number")
    }

    #[test]
    fn grammar_is_json() {
        for text in ["0", "-0", "5", "1.10", "1e2", "1E+2", "-1.5e-3", "9007199254740993"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "-", "1.", ".5", "1e", "+1", "01", "1_000", "NaN", "0x1", "١", "1e1.5"] {
            assert!(!is_number(text), "{text}");
        }
        assert!(is_integer("-12") && !is_integer("12.0") && !is_integer("1e3"));
    }

    #[test]
    fn equal_values_have_one_spelling() {
        for (left, right) in [("1e3", "1000"), ("5.0", "5"), ("-0", "0.00"), ("0.5", "5e-1")] {
            assert_eq!(decimal(left).canonical(), decimal(right).canonical());
        }
        assert!(decimal("1e400") > decimal("9e399"));
        assert!(decimal("-2") < decimal("-1"));
        assert!(
            decimal("123456789012345678901234567890") < decimal("123456789012345678901234567891")
        );
        assert!(decimal("5.0").is_whole() && !decimal("5.5").is_whole());
    }

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
    fn multiples_are_exact() {
        assert_eq!(decimal("0.3").is_multiple_of(&decimal("0.1")), Some(true));
        assert_eq!(decimal("19.99").is_multiple_of(&decimal("0.01")), Some(true));
        assert_eq!(decimal("7").is_multiple_of(&decimal("2")), Some(false));
        assert_eq!(decimal("0").is_multiple_of(&decimal("3")), Some(true));
        assert_eq!(decimal("1e300").is_multiple_of(&decimal("3")), None);
    }

    proptest! {
        #[test]
        fn order_is_that_of_numbers(left in any::<i64>(), right in any::<i64>(), scale in 0..6_i32) {
            let spelled = |value: i64| format!("{value}e-{scale}");
            prop_assert_eq!(decimal(&spelled(left)).cmp(&decimal(&spelled(right))), left.cmp(&right));
        }
    }
}
