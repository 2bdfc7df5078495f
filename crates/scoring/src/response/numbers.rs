//! The numbers in a text.

use json_text::Decimal;

/// The minus sign of typesetters, which models write too.
const MINUS: &str = "\u{2212}";

/// The numbers in a text, in order. A comma between groups of three digits separates thousands; a
/// sign counts unless a word or number is directly before it.
///
/// ```
/// use scoring::response::numbers_in;
/// let found: Vec<String> = numbers_in("1,250.50 EUR at -3 °C, room B12, 1e3").iter().map(ToString::to_string).collect();
/// assert_eq!(found, ["1250.5", "-3", "12", "1000"]);
/// ```
#[must_use]
pub fn numbers_in(text: &str) -> Vec<Decimal> {
    let bytes = text.as_bytes();
    let mut numbers = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if !byte.is_ascii_digit() {
            at += 1;
            continue;
        }
        let (digits, end) = number_at(bytes, at);
        let mut digits = without_leading_zeros(&digits).to_owned();
        let unsigned = ["-", MINUS].iter().find_map(|sign| text[..at].strip_suffix(sign));
        let is_signed = unsigned.is_some_and(|before| {
            !before.bytes().next_back().is_some_and(|byte| byte.is_ascii_alphanumeric())
        });
        if is_signed {
            digits.insert(0, '-');
        }
        numbers.extend(Decimal::parse(&digits));
        at = end;
    }
    numbers
}

/// The number in JSON's grammar, which has no leading zeros: `7` for `007`.
fn without_leading_zeros(number: &str) -> &str {
    let zeros = number.bytes().take_while(|byte| *byte == b'0').count();
    let is_followed_by_digit = number.as_bytes().get(zeros).is_some_and(u8::is_ascii_digit);
    &number[if is_followed_by_digit { zeros } else { zeros.saturating_sub(1) }..]
}

/// The number that begins at `at`, without its commas, and where it ends.
fn number_at(bytes: &[u8], at: usize) -> (String, usize) {
    let digits_from = |from: usize| {
        bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut text = String::new();
    let mut end = at;
    let take = |text: &mut String, end: &mut usize, count: usize| {
        for byte in bytes.get(*end..*end + count).unwrap_or_default() {
            text.push(char::from(*byte));
        }
        *end += count;
    };
    let leading = digits_from(end);
    take(&mut text, &mut end, leading);
    while leading <= 3 && bytes.get(end) == Some(&b',') && digits_from(end + 1) == 3 {
        end += 1;
        take(&mut text, &mut end, 3);
    }
    if bytes.get(end) == Some(&b'.') && digits_from(end + 1) > 0 {
        let fraction = 1 + digits_from(end + 1);
        take(&mut text, &mut end, fraction);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits_from(end + 1 + sign);
        if exponent > 0 {
            take(&mut text, &mut end, 1 + sign + exponent);
        }
    }
    (text, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_prose() {
        for (text, expected) in [
            ("", ""),
            ("no number", ""),
            ("12,345,678.90", "12345678.9"),
            ("1234,567", "1234 567"),
            ("1,23", "1 23"),
            ("3-4", "3 4"),
            ("(-4)", "-4"),
            ("\u{2212}5 degrees, 3\u{2212}4, é\u{2212}2", "-5 3 4 -2"),
            ("v1.2.3", "1.2 3"),
            ("007 is 7.", "7 7"),
            ("٣", ""),
        ] {
            let found: Vec<String> = numbers_in(text).iter().map(ToString::to_string).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
