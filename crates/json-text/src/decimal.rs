//! [`Decimal`]: a JSON number with exact arithmetic, for any number of digits.

use std::cmp::Ordering;
use std::fmt;

/// A number as sign, digits without zeros at either end, and the power of ten of the last digit: one
/// form for all spellings. No operation passes through a floating-point number.
///
/// ```
/// use json_text::Decimal;
/// assert_eq!(Decimal::parse("1e3"), Decimal::parse("1000.0"));
/// assert!(Decimal::parse("9007199254740993") > Decimal::parse("9007199254740992"));
/// assert_eq!(Decimal::parse("01"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    digits: String,
    exponent: i128,
}

impl Decimal {
    /// Parses a number in JSON's grammar; `None` for anything else, or an exponent beyond 10^18.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
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
        let exponent = i128::from(exponent);
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
        let trimmed = i128::try_from(leading.len() - digits.len()).ok()?;
        let exponent = exponent - i128::try_from(fraction.len()).ok()? + trimmed;
        Some(Self { negative, digits: digits.to_owned(), exponent })
    }

    /// The sum. Exact while its digits span at most 100,000 places; beyond that, the larger operand,
    /// because the smaller one is negligible for any tolerance.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        if self.digits.is_empty() {
            return other.clone();
        }
        if other.digits.is_empty() {
            return self.clone();
        }
        let lowest = self.exponent.min(other.exponent);
        if self.top().max(other.top()) - lowest > SPAN {
            let self_is_larger = self.magnitude(other) == Ordering::Greater;
            return if self_is_larger { self.clone() } else { other.clone() };
        }
        let (one, two) = (self.row(lowest), other.row(lowest));
        let (negative, digits) = if self.negative == other.negative {
            (self.negative, sum(&one, &two))
        } else if self.magnitude(other) == Ordering::Less {
            (other.negative, rest(&two, &one))
        } else {
            (self.negative, rest(&one, &two))
        };
        Self::from_places(negative, &digits, lowest)
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let zero = Self { negative: false, digits: String::new(), exponent: 0 };
        if self.digits.is_empty() || other.digits.is_empty() {
            return zero;
        }
        let (one, two) = (self.row(self.exponent), other.row(other.exponent));
        let mut columns = vec![0_u64; one.len() + two.len()];
        for (shift, digit) in one.iter().enumerate() {
            for (place, factor) in two.iter().enumerate() {
                if let Some(column) = columns.get_mut(shift + place) {
                    *column += u64::from(*digit) * u64::from(*factor);
                }
            }
        }
        let mut carry = 0;
        let mut digits = Vec::with_capacity(columns.len());
        for column in columns {
            let value = column + carry;
            carry = value / 10;
            digits.push(u8::try_from(value % 10).unwrap_or(0));
        }
        let negative = self.negative != other.negative;
        Self::from_places(negative, &digits, self.exponent + other.exponent)
    }

    /// The number with its sign inverted.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.digits.is_empty(), ..self.clone() }
    }

    /// The number without its sign.
    #[must_use]
    pub fn absolute(&self) -> Self {
        Self { negative: false, ..self.clone() }
    }

    /// Whether the number has no fraction, however it is spelled: `5.0` and `1e3` are whole.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.exponent >= 0
    }

    /// Whether the distance to `other` is at most `absolute`, or at most `relative` times `other`.
    /// Computed exactly.
    #[must_use]
    pub fn is_near(&self, other: &Self, absolute: &Self, relative: &Self) -> bool {
        let distance = self.plus(&other.negated()).absolute();
        distance <= *absolute || distance <= other.absolute().times(relative)
    }

    /// Whether `self` is a multiple of `step`; `None` when `step` is zero or there are too many digits to decide.
    #[must_use]
    pub fn is_multiple_of(&self, step: &Self) -> Option<bool> {
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

    /// The number of digits after the decimal point.
    #[must_use]
    pub fn scale(&self) -> u32 {
        u32::try_from(-self.exponent).unwrap_or(if self.exponent > 0 { 0 } else { u32::MAX })
    }

    /// The number times ten to the power of `scale`; `None` when it is not whole then, or too large.
    #[must_use]
    pub fn scaled(&self, scale: u32) -> Option<i128> {
        if self.digits.is_empty() {
            return Some(0);
        }
        let power = u32::try_from(self.exponent.checked_add(scale.into())?).ok()?;
        let magnitude =
            self.digits.parse::<i128>().ok()?.checked_mul(10_i128.checked_pow(power)?)?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// A whole number without exponent, such as `1000`; `None` when it has a fraction or more than
    /// `most` digits.
    #[must_use]
    pub fn whole_digits(&self, most: usize) -> Option<String> {
        let zeros = usize::try_from(self.exponent).ok()?;
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let length = self.digits.len().checked_add(zeros)?;
        let sign = if self.negative { "-" } else { "" };
        (length <= most).then(|| format!("{sign}{}{}", self.digits, "0".repeat(zeros)))
    }

    /// One spelling for all equal numbers, such as `5e2` for 500.
    #[must_use]
    pub fn canonical(&self) -> String {
        format!("{}{}e{}", if self.negative { "-" } else { "" }, self.digits, self.exponent)
    }

    /// The number whose digits these are, the last first, from the power of ten `lowest` up.
    fn from_places(negative: bool, digits: &[u8], lowest: i128) -> Self {
        let is_zero = |digit: &&u8| **digit == 0;
        let trailing = digits.iter().take_while(is_zero).count();
        let leading = digits.iter().rev().take_while(is_zero).count();
        if trailing == digits.len() {
            return Self { negative: false, digits: String::new(), exponent: 0 };
        }
        let kept = digits.iter().skip(trailing).take(digits.len() - trailing - leading);
        let digits = kept.rev().map(|digit| char::from(b'0' + digit)).collect();
        Self { negative, digits, exponent: lowest + i128::try_from(trailing).unwrap_or(0) }
    }

    /// The power of ten above the first digit.
    fn top(&self) -> i128 {
        self.exponent + i128::try_from(self.digits.len()).unwrap_or(i128::MAX / 2)
    }

    /// The digits from `lowest` up, the last first.
    fn row(&self, lowest: i128) -> Vec<u8> {
        let zeros = usize::try_from(self.exponent - lowest).unwrap_or(0);
        let digits = self.digits.bytes().rev().map(|byte| byte - b'0');
        std::iter::repeat_n(0, zeros).chain(digits).collect()
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        if self.digits.is_empty() || other.digits.is_empty() {
            return (!self.digits.is_empty()).cmp(&!other.digits.is_empty());
        }
        // Without zeros at the ends, digits of equal weight compare as text.
        self.top().cmp(&other.top()).then_with(|| self.digits.cmp(&other.digits))
    }
}

/// The most digits that an exact sum may span.
const SPAN: i128 = 100_000;

fn sum(one: &[u8], two: &[u8]) -> Vec<u8> {
    let mut digits = Vec::with_capacity(one.len().max(two.len()) + 1);
    let mut carry = 0;
    for place in 0..one.len().max(two.len()) {
        let value = carry + one.get(place).unwrap_or(&0) + two.get(place).unwrap_or(&0);
        digits.push(value % 10);
        carry = value / 10;
    }
    digits.push(carry);
    digits
}

/// `one - two`, where `one` is not smaller.
fn rest(one: &[u8], two: &[u8]) -> Vec<u8> {
    let mut digits = Vec::with_capacity(one.len());
    let mut borrow = 0;
    for (place, digit) in one.iter().enumerate() {
        let taken = borrow + two.get(place).unwrap_or(&0);
        borrow = u8::from(*digit < taken);
        digits.push(digit + 10 * borrow - taken);
    }
    digits
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

impl fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        match (self.digits.as_str(), self.exponent) {
            ("", _) => formatter.write_str("0"),
            (digits, 0) => write!(formatter, "{sign}{digits}"),
            (digits, exponent @ 1..=20) => {
                let zeros = usize::try_from(exponent).unwrap_or(0);
                write!(formatter, "{sign}{digits}{}", "0".repeat(zeros))
            }
            (digits, exponent @ -20..=-1) => {
                let places = usize::try_from(-exponent).unwrap_or(0);
                let padded = format!("{digits:0>width$}", width = places + 1);
                let (whole, fraction) = padded.split_at(padded.len() - places);
                write!(formatter, "{sign}{whole}.{fraction}")
            }
            (digits, exponent) => write!(formatter, "{sign}{digits}e{exponent}"),
        }
    }
}

/// Whether `text` is a number in JSON's grammar.
#[must_use]
pub fn is_number(text: &str) -> bool {
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
    fn multiples_are_exact() {
        assert_eq!(decimal("0.3").is_multiple_of(&decimal("0.1")), Some(true));
        assert_eq!(decimal("19.99").is_multiple_of(&decimal("0.01")), Some(true));
        assert_eq!(decimal("7").is_multiple_of(&decimal("2")), Some(false));
        assert_eq!(decimal("0").is_multiple_of(&decimal("3")), Some(true));
        assert_eq!(decimal("1e300").is_multiple_of(&decimal("3")), None);
    }

    #[test]
    fn spellings_of_one_number_are_equal() {
        for (one, other) in [
            ("5", "5.0"),
            ("0", "-0.0"),
            ("1e3", "1000"),
            ("1.10", "11e-1"),
            ("123456789012345678901234567890", "12345678901234567890123456789e1"),
        ] {
            assert_eq!(decimal(one), decimal(other), "{one} {other}");
        }
        assert_ne!(decimal("9007199254740993"), decimal("9007199254740992"));
        assert_ne!(decimal("0.1"), decimal("0.1000000000000000055511151231257827"));
        assert!(Decimal::parse("true").is_none());
    }

    #[test]
    fn numbers_display_without_exponent_where_short() {
        for (text, expected) in [
            ("0.010", "0.01"),
            ("-0.0", "0"),
            ("12e2", "1200"),
            ("-1.5", "-1.5"),
            ("1e-30", "1e-30"),
        ] {
            assert_eq!(decimal(text).to_string(), expected);
        }
    }

    #[test]
    fn sums_keep_every_digit() {
        let near = decimal("9007199254740993").plus(&decimal("9007199254740992").negated());
        assert_eq!(near, decimal("1"));
        assert_eq!(
            decimal("1e30").plus(&decimal("-1e-3")),
            decimal("999999999999999999999999999999.999")
        );
        assert_eq!(decimal("1e999999999").plus(&decimal("-1")), decimal("1e999999999"));
        assert_eq!(decimal("2.5").plus(&decimal("-2.5")), decimal("0"));
        assert_eq!(decimal("-1.5e3").times(&decimal("0.02")), decimal("-30"));
    }

    proptest! {
        #[test]
        fn order_is_that_of_numbers(left in any::<i64>(), right in any::<i64>(), scale in 0..6_i32) {
            let spelled = |value: i64| format!("{value}e-{scale}");
            prop_assert_eq!(decimal(&spelled(left)).cmp(&decimal(&spelled(right))), left.cmp(&right));
        }

        #[test]
        fn arithmetic_agrees_with_integers(one in -(1_i64 << 40)..1_i64 << 40, two in -(1_i64 << 20)..1_i64 << 20) {
            let (left, right) = (decimal(&one.to_string()), decimal(&two.to_string()));
            prop_assert_eq!(left.plus(&right), decimal(&(one + two).to_string()));
            prop_assert_eq!(left.times(&right), decimal(&(i128::from(one) * i128::from(two)).to_string()));
            prop_assert_eq!(left.cmp(&right), one.cmp(&two));
        }
    }
}
