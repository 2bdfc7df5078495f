//! [`Number`]: a number that keeps its digits.

use std::fmt;

use json_text::{JsonText, Kind};

use crate::model::{Out, Value, is_number, scalar, to_float};
use crate::reading::Reader;

/// A number with its digits in the file, such as `1747337309.2360144` and `1.10`, or another value that
/// google-adk reads as a number: `"1.5"`, `true`.
///
/// Two are equal if their texts are; compare [`Number::to_f64`] for the value.
///
/// ```
/// let number = evalset::Number::parse("1.10").expect("a number");
/// assert_eq!((number.as_str(), number.to_f64()), ("1.10", 1.1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number(JsonText);

impl Number {
    /// Checks that `text` is a JSON number.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = JsonText::parse(text).ok()?;
        (text.kind() == Kind::Number).then_some(Self(text))
    }

    /// `None` for NaN and infinities.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self(JsonText::from_value(&value.into())))
    }

    /// The JSON text: its digits, or a quoted string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The nearest `f64`; what is written `"nan"` or `"inf"` is not finite.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        to_float(&self.0).unwrap_or(f64::NAN)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(JsonText::from_value(&value.into()))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Value for Number {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        scalar(reader, "a number", is_number).map(Self)
    }

    fn write(&self, out: &mut Out) {
        out.push_str(self.as_str());
    }
}
