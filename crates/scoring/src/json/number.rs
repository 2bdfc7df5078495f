//! [`Decimal`]: a JSON number by its digits, whatever their number.

use std::cmp::Ordering;
use std::fmt;

/// Sign, digits without zeros at either end, and the power of ten of the last digit: one form for
/// all spellings of a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    digits: String,
    exponent: i128,
}

impl Decimal {
    /// Reads a number of a checked JSON text; `None` for another sort of value, or an exponent of
    /// more than 18 digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], i128::from(text[at + 1..].parse::<i64>().ok()?)),
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
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

    /// The number that lies `other` above `self`, or below for a negative one.
    ///
    /// Exact while the digits of both fit in one row of `SPAN` digits; beyond that the smaller one
    /// no longer shows in a tolerance, and the larger is the answer.
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
        let sign = if negative { "-" } else { "" };
        let text: String = digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect();
        let mut result = Self::parse(&format!("{sign}{text}")).unwrap_or_else(|| self.clone());
        if !result.digits.is_empty() {
            result.exponent += lowest;
        }
        result
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
        let mut text = String::with_capacity(columns.len() + 1);
        for column in columns {
            let value = column + carry;
            carry = value / 10;
            text.push(char::from(b'0' + u8::try_from(value % 10).unwrap_or(0)));
        }
        let text: String = text.chars().rev().collect();
        let mut result = Self::parse(&text).unwrap_or(zero);
        result.negative = self.negative != other.negative;
        result.exponent += self.exponent + other.exponent;
        result
    }

    /// The number with the other sign.
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

    /// Whether the number is not further from `other` than `absolute`, or than `relative` of
    /// `other`. Every digit counts.
    #[must_use]
    pub fn is_near(&self, other: &Self, absolute: &Self, relative: &Self) -> bool {
        let distance = self.plus(&other.negated()).absolute();
        distance <= *absolute || distance <= other.absolute().times(relative)
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

/// How many digits a sum may spread over.
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

/// `one - two`, of which `one` is not the smaller.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect("a number")
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
    fn numbers_print_as_people_write_them() {
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
        fn arithmetic_is_that_of_integers(one in -(1_i64 << 40)..1_i64 << 40, two in -(1_i64 << 20)..1_i64 << 20) {
            let (left, right) = (decimal(&one.to_string()), decimal(&two.to_string()));
            prop_assert_eq!(left.plus(&right), decimal(&(one + two).to_string()));
            prop_assert_eq!(left.times(&right), decimal(&(i128::from(one) * i128::from(two)).to_string()));
            prop_assert_eq!(left.cmp(&right), one.cmp(&two));
        }
    }
}
