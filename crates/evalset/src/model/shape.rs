//! [`Shape`]: the requirements of a value that is kept as text.
//!
//! The models cover what eval sets use. For other fields, a shape has the rules of the format's own
//! reader, including the spellings that it accepts.

use std::borrow::Cow;

use json_text::{JsonText, Kind, Node};

use super::form::nearest;
use super::{Keys, Others};
use crate::reading::{Problem, Reader};

/// The requirements of a value.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Anything.
    Any,
    /// A string.
    Text,
    /// A string, or the other shape.
    TextOr(&'static Shape),
    /// True or false, also as `0`, `"no"`, as pydantic reads it.
    Bool,
    /// A whole number, also one in a string.
    Whole,
    /// A number, also one in a string.
    Number,
    /// Bytes in base64, of either alphabet.
    Base64,
    /// An object of anything.
    Map,
    /// An object with values of this shape.
    MapOf(&'static Shape),
    /// A list of values of this shape.
    List(&'static Shape),
    /// An object with these fields.
    Object(&'static Fields),
}

/// The fields of an object.
#[derive(Debug)]
pub(crate) struct Fields {
    /// Such as `inline data`.
    pub(crate) what: &'static str,
    pub(crate) keys: Keys,
    pub(crate) others: Others,
    /// Whether a field may be null.
    pub(crate) nulls: bool,
    pub(crate) required: &'static [&'static str],
    pub(crate) fields: &'static [(&'static str, Shape)],
}

impl Shape {
    /// The text of the next value. Records what Python could not read, and what does not fit the shape.
    pub(crate) fn json(&self, reader: &mut Reader<'_>) -> JsonText {
        self.read(reader, Reader::json)
    }

    /// Reads the next value, and checks its shape if it has no fault.
    pub(crate) fn read<'a, T>(
        &self,
        reader: &mut Reader<'a>,
        read: impl FnOnce(&mut Reader<'a>) -> T,
    ) -> T {
        match self {
            Self::Any => read(reader),
            _ => reader.read_and_look(read, |reader| self.look(reader)),
        }
    }

    /// Checks the next value, which may also be null, and advances past it.
    pub(crate) fn look(&self, reader: &mut Reader<'_>) {
        self.look_at(reader, true);
    }

    fn look_at(&self, reader: &mut Reader<'_>, nulls: bool) {
        let kind = reader.kind();
        if nulls && kind == Kind::Null {
            reader.json();
            return;
        }
        match self {
            Self::Any => {
                reader.json();
            }
            Self::Text => {
                reader.string();
            }
            Self::TextOr(_) if kind == Kind::String => {
                reader.string();
            }
            Self::TextOr(other) => other.look_at(reader, false),
            Self::Bool => drop(scalar(reader, "true or false", is_truth)),
            Self::Whole => drop(scalar(reader, "a whole number", is_whole)),
            Self::Number => drop(scalar(reader, "a number", is_number)),
            Self::Base64 => drop(scalar(reader, "data in base64", is_base64)),
            Self::Map => Self::MapOf(&Self::Any).look_at(reader, false),
            Self::MapOf(shape) => {
                if reader.enter_object("an object") {
                    while reader.more() {
                        let (key, _) = reader.key();
                        // Of a map's values none may be null; anything may.
                        let nulls = matches!(shape, Self::Any);
                        reader.under(key, |reader| shape.look_at(reader, nulls));
                    }
                }
            }
            Self::List(shape) => {
                if reader.enter_list("a list") {
                    let mut index = 0;
                    while reader.more() {
                        let nulls = matches!(shape, Self::Any);
                        reader.at(index, |reader| shape.look_at(reader, nulls));
                        index += 1;
                    }
                }
            }
            Self::Object(fields) => fields.look(reader),
        }
    }
}

impl Fields {
    fn look(&self, reader: &mut Reader<'_>) {
        let begin = reader.offset();
        if !reader.enter_object("an object") {
            return;
        }
        let mut seen: Vec<(&'static str, bool)> = Vec::new();
        while reader.more() {
            let (key, offset) = reader.key();
            let found = self.fields.iter().find_map(|(name, shape)| {
                let key = self.keys.find(&key, &[name])?;
                Some((key, shape))
            });
            let Some((found, shape)) = found else {
                self.unknown(reader, key, offset);
                continue;
            };
            // Of one name in both casings, the second is unknown to the format's reader.
            if seen.contains(&(found.name, !found.camel)) {
                reader.fault(offset, Problem::DuplicateField { key: found.name.to_owned() });
            }
            seen.push((found.name, found.camel));
            reader.under(key, |reader| shape.look_at(reader, self.nulls));
        }
        for key in self.required {
            if !seen.iter().any(|(name, _)| name == key) {
                reader.fault(begin, Problem::Missing { what: self.what, key });
            }
        }
    }

    fn unknown(&self, reader: &mut Reader<'_>, key: Cow<'_, str>, offset: usize) {
        let names: Vec<&'static str> = self.fields.iter().map(|(name, _)| *name).collect();
        let (what, key) = (self.what, key.into_owned());
        let known = nearest(&key, &names);
        match self.others {
            Others::Kept => {}
            Others::Refused => reader.fault(offset, Problem::UnknownField { what, key, known }),
            Others::Ignored => reader.fault(offset, Problem::IgnoredField { what, key, known }),
        }
        reader.json();
    }
}

/// Reads a scalar value; `None` if it does not fit, which is recorded.
pub(crate) fn scalar(
    reader: &mut Reader<'_>,
    wanted: &'static str,
    fits: fn(Kind, &str) -> bool,
) -> Option<JsonText> {
    let (kind, offset) = (reader.kind(), reader.offset());
    let mut cursor = reader.cursor_at(offset);
    let text = match kind {
        Kind::String => cursor.string().unwrap_or_else(Cow::Borrowed),
        _ => Cow::Borrowed(cursor.pass().text),
    };
    if fits(kind, &text) {
        return Some(reader.json());
    }
    reader.wrong_type(wanted);
    None
}

/// A string's content, or the text of another value.
pub(crate) fn string_or_text(value: &JsonText) -> Cow<'_, str> {
    match value.open() {
        Node::String(text) => text,
        _ => Cow::Borrowed(value.as_str()),
    }
}

pub(crate) fn is_truth(kind: Kind, text: &str) -> bool {
    const WORDS: [&str; 12] =
        ["0", "off", "f", "false", "n", "no", "1", "on", "t", "true", "y", "yes"];
    match kind {
        Kind::Bool => true,
        Kind::Number => text.parse::<f64>().is_ok_and(|number| number == 0.0 || number == 1.0),
        Kind::String => WORDS.contains(&text.to_lowercase().as_str()),
        _ => false,
    }
}

/// The most digits that Python reads as an integer.
const MOST_DIGITS: usize = 4300;

/// The first whole number that pydantic does not take from a float: 2^63.
const FLOATS_END: f64 = 9_223_372_036_854_775_808.0;

/// As pydantic reads an integer: in digits, or as a float without a fraction that 64 bits hold.
fn is_whole(kind: Kind, text: &str) -> bool {
    match kind {
        Kind::Bool => true,
        Kind::Number if text.contains(['.', 'e', 'E']) => text
            .parse::<f64>()
            .is_ok_and(|number| number.fract() == 0.0 && number.abs() < FLOATS_END),
        Kind::Number => text.trim_start_matches('-').len() <= MOST_DIGITS,
        Kind::String => {
            let text = text.trim();
            let text = text.strip_prefix(['+', '-']).unwrap_or(text);
            let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
            let is_group =
                |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
            whole.len() <= MOST_DIGITS
                && whole.split('_').all(is_group)
                && !fraction.is_empty()
                && fraction.bytes().all(|it| it == b'0')
        }
        _ => false,
    }
}

pub(crate) fn is_number(kind: Kind, text: &str) -> bool {
    match kind {
        Kind::Bool | Kind::Number => true,
        Kind::String => float_in(text).is_some(),
        _ => false,
    }
}

/// The number that such a value is.
pub(crate) fn to_float(value: &JsonText) -> Option<f64> {
    match value.as_str() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        _ => float_in(&string_or_text(value)),
    }
}

/// As pydantic reads a string: it ignores surrounding whitespace and single underscores within.
fn float_in(text: &str) -> Option<f64> {
    if !text.contains('_') {
        return text.trim().parse().ok();
    }
    let has_valid_underscores =
        !text.starts_with('_') && !text.ends_with('_') && !text.contains("__");
    if has_valid_underscores { text.replace('_', "").parse().ok() } else { None }
}

/// One alphabet throughout, padded or not, without bits beyond the last byte.
fn is_base64(kind: Kind, text: &str) -> bool {
    if kind != Kind::String {
        return false;
    }
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let is_padded = padding == 0 || (padding <= 2 && text.len().is_multiple_of(4));
    let of = |extra: [u8; 2]| {
        digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || extra.contains(&byte))
    };
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    };
    let last = digits.bytes().last().map_or(0, value);
    let is_whole = match digits.len() % 4 {
        0 => true,
        1 => false,
        2 => last.trailing_zeros() >= 4,
        _ => last.trailing_zeros() >= 2,
    };
    is_padded && is_whole && (of(*b"+/") || of(*b"-_"))
}
