//! Checks numbers and literals byte by byte, across the ends of chunks.
//!
//! `NaN`, `Infinity` and `-Infinity` pass: Python writes them and ADK reads them.

/// The state within a number or literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Scalar {
    #[default]
    Start,
    Minus,
    Zero,
    Digits,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
    /// The rest of a literal.
    Word(&'static [u8]),
    Bad,
}

impl Scalar {
    /// Continues with more bytes of the token.
    pub(super) fn take(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |state, &byte| state.step(byte))
    }

    /// Whether the token may end here.
    pub(super) fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Digits | Self::Fraction | Self::ExponentDigits | Self::Word([])
        )
    }

    fn step(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Start, b'-') => Self::Minus,
            (Self::Start | Self::Minus, b'0') => Self::Zero,
            (Self::Start | Self::Minus, b'1'..=b'9') | (Self::Digits, b'0'..=b'9') => Self::Digits,
            (Self::Zero | Self::Digits, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Digits | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::ExponentSign,
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigits, b'0'..=b'9') => {
                Self::ExponentDigits
            }
            (Self::Start, b'n') => Self::Word(b"ull"),
            (Self::Start, b't') => Self::Word(b"rue"),
            (Self::Start, b'f') => Self::Word(b"alse"),
            (Self::Start, b'N') => Self::Word(b"aN"),
            (Self::Start | Self::Minus, b'I') => Self::Word(b"nfinity"),
            (Self::Word([next, rest @ ..]), _) if *next == byte => Self::Word(rest),
            _ => Self::Bad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words() {
        for good in [
            "0",
            "-0",
            "10",
            "-12.50",
            "1e5",
            "1E+05",
            "0.0e-0",
            "null",
            "true",
            "false",
            "NaN",
            "Infinity",
            "-Infinity",
            "123456789012345678901234567890",
        ] {
            assert!(Scalar::Start.take(good.as_bytes()).is_whole(), "{good}");
        }
        for bad in [
            "", "-", "01", "-01", "+1", ".5", "1.", "1.x", "1x", "1.2.3", "1e", "1e+", "1.e5",
            "nul", "nulll", "True", "-NaN", "0x10", "1_000", "\\", "'a'",
        ] {
            assert!(!Scalar::Start.take(bad.as_bytes()).is_whole(), "{bad}");
        }
    }
}
