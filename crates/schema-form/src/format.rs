//! [`Format`]: the widget for a string's `format`, and whether text matches it.
//!
//! A mismatch is shown but does not prevent sending: `format` is an annotation unless the tool
//! enforces it.

use crate::field::TextField;

/// Formats that have a widget of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `2026-11-21`
    Date,
    /// `09:30:00Z`
    Time,
    /// `2026-11-21T09:30:00Z`
    DateTime,
    /// An email address.
    Email,
    /// A URI with its scheme.
    Uri,
    /// `7c0b8a5e-...`
    Uuid,
    /// Base64
    Byte,
    /// Text that is masked.
    Password,
    /// Text with several lines.
    Multiline,
}

impl TextField {
    /// The widget for the field's `format`, else for its `contentEncoding`; `None` for plain text.
    #[must_use]
    pub fn widget(&self) -> Option<Format> {
        self.widget_of_format().or_else(|| {
            let encoding = self.encoding.as_deref()?;
            encoding.eq_ignore_ascii_case("base64").then_some(Format::Byte)
        })
    }

    fn widget_of_format(&self) -> Option<Format> {
        Some(match self.format.as_deref()? {
            "date" => Format::Date,
            "time" => Format::Time,
            "date-time" | "datetime" => Format::DateTime,
            "email" | "idn-email" => Format::Email,
            "uri" | "url" | "uri-reference" | "iri" | "iri-reference" => Format::Uri,
            "uuid" | "guid" => Format::Uuid,
            "byte" | "base64" | "binary" => Format::Byte,
            "password" | "secret" => Format::Password,
            "multiline" | "textarea" | "markdown" | "html" | "code" => Format::Multiline,
            _ => return None,
        })
    }
}

impl Format {
    /// Why `text` does not match the format, as "not a date such as …"; `None` when it matches.
    ///
    /// ```
    /// use schema_form::Format;
    /// assert_eq!(Format::Date.mismatch("2026-02-28"), None);
    /// assert_eq!(Format::Date.mismatch("2026-02-30"), Some("not a date such as 2026-11-21"));
    /// ```
    #[must_use]
    pub fn mismatch(self, text: &str) -> Option<&'static str> {
        let (is_it, mismatch) = match self {
            Self::Date => (is_date(text), "not a date such as 2026-11-21"),
            Self::Time => (is_time(text), "not a time with a time zone, such as 09:30:00Z"),
            Self::DateTime => (
                is_date_time(text),
                "not a date and time with a time zone, such as 2026-11-21T09:30:00Z",
            ),
            Self::Email => (is_email(text), "not an email address such as ada@example.com"),
            Self::Uri => (is_uri(text), "not a URI with a scheme, such as https://example.com"),
            Self::Uuid => (is_uuid(text), "not a UUID (32 hexadecimal digits in five groups)"),
            Self::Byte => (is_base64(text), "not valid base64"),
            Self::Password | Self::Multiline => (true, ""),
        };
        (!is_it).then_some(mismatch)
    }

    /// The value of the browser's picker for `text`, in the picker's spelling; empty if it has none.
    #[must_use]
    pub fn picker_value(self, text: &str) -> &str {
        let end = |end: usize| text.get(..end).unwrap_or_default();
        match self {
            Self::Date if is_date(text) => text,
            Self::Time if is_clock(text.as_bytes().get(..8).unwrap_or_default()) => end(5),
            Self::DateTime
                if is_date(end(10))
                    && is_clock(text.as_bytes().get(11..19).unwrap_or_default()) =>
            {
                end(16)
            }
            _ => "",
        }
    }

    /// The text for a value of the browser's picker, with the time zone of `before`.
    #[must_use]
    pub fn from_picker(self, picker_value: &str, before: &str) -> String {
        let zone = match self {
            Self::Time if is_time(before) => &before[8..],
            Self::DateTime if is_date_time(before) => &before[19..],
            Self::Time | Self::DateTime => "Z",
            _ => return picker_value.to_owned(),
        };
        // Drops fractions of a second, which belong to the previous time.
        let zone = zone.trim_start_matches(|letter: char| letter == '.' || letter.is_ascii_digit());
        let seconds = match picker_value.matches(':').count() {
            1 => ":00",
            _ => "",
        };
        if picker_value.is_empty() {
            String::new()
        } else {
            format!("{picker_value}{seconds}{zone}")
        }
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().all(u8::is_ascii_digit).then_some(())?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) =
        (number(&bytes[..4]), number(&bytes[5..7]), number(&bytes[8..]))
    else {
        return false;
    };
    let leaps = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leaps),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// `09:30:00`, with a leap second.
fn is_clock(bytes: &[u8]) -> bool {
    bytes.len() == 8
        && bytes[2] == b':'
        && bytes[5] == b':'
        && number(&bytes[..2]).is_some_and(|hours| hours < 24)
        && number(&bytes[3..5]).is_some_and(|minutes| minutes < 60)
        && number(&bytes[6..]).is_some_and(|seconds| seconds <= 60)
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((clock, rest)) = bytes.split_at_checked(8) else { return false };
    let zone = match rest.strip_prefix(b".") {
        Some(fraction) => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &fraction[digits..]
        }
        None => rest,
    };
    let is_zone = match zone {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', offset @ ..] => {
            offset.len() == 5
                && offset[2] == b':'
                && number(&offset[..2]).is_some_and(|hours| hours < 24)
                && number(&offset[3..]).is_some_and(|minutes| minutes < 60)
        }
        _ => false,
    };
    is_clock(clock) && is_zone
}

fn is_date_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else { return false };
    let time = rest.strip_prefix(['T', 't']);
    is_date(date) && time.is_some_and(is_time)
}

fn is_email(text: &str) -> bool {
    let Some((name, host)) = text.rsplit_once('@') else { return false };
    !name.is_empty() && !host.is_empty() && !text.contains(char::is_whitespace)
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut letters = scheme.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        && !rest.is_empty()
        && !rest.contains(|letter: char| letter.is_whitespace() || "<>\"{}|\\^`".contains(letter))
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_base64(text: &str) -> bool {
    let content = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - content.len() <= 2
        && content.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_known_by_their_format_or_their_encoding() {
        let widget = |format: Option<&str>, encoding: Option<&str>| {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            TextField { format: owned(format), encoding: owned(encoding), ..TextField::default() }
                .widget()
        };
        assert_eq!(widget(Some("byte"), None), Some(Format::Byte));
        assert_eq!(widget(None, Some("base64")), Some(Format::Byte));
        assert_eq!(widget(Some("x-image"), Some("Base64")), Some(Format::Byte));
        assert_eq!(widget(Some("uuid"), Some("base64")), Some(Format::Uuid));
        // Its letters are not those of base64.
        assert_eq!(widget(None, Some("base32")), None);
    }

    #[test]
    fn formats_are_recognized() {
        for (format, yes, no) in [
            (Format::Date, "2024-02-29", "2026-02-29"),
            (Format::Date, "2026-11-21", "21.11.2026"),
            (Format::Time, "23:59:60Z", "24:00:00Z"),
            (Format::Time, "09:30:00.5+02:00", "09:30"),
            (Format::DateTime, "2026-11-21T09:30:00-01:30", "2026-11-21 09:30"),
            (Format::Email, "ada@example.com", "ada"),
            (Format::Uri, "urn:isbn:12", "example.com"),
            (Format::Uuid, "7c0b8a5e-0000-4000-8000-00000000000f", "7c0b8a5e"),
            (Format::Byte, "aGk=", "a"),
        ] {
            assert_eq!(format.mismatch(yes), None, "{yes}");
            assert!(format.mismatch(no).is_some(), "{no}");
        }
        for odd in ["é", "2026-11-2é", "ééééé", "09:30:00é"] {
            assert!(Format::Date.mismatch(odd).is_some() && Format::Time.mismatch(odd).is_some());
            assert!(
                Format::DateTime.mismatch(odd).is_some()
                    && Format::Date.picker_value(odd).is_empty()
            );
        }
    }

    #[test]
    fn a_picker_keeps_the_zone() {
        let picker_value = Format::DateTime.picker_value("2026-11-21T09:30:12.5+01:00");
        assert_eq!(picker_value, "2026-11-21T09:30");
        assert_eq!(
            Format::DateTime.from_picker("2026-11-22T10:00", "2026-11-21T09:30:12.5+01:00"),
            "2026-11-22T10:00:00+01:00"
        );
        assert_eq!(Format::Time.from_picker("10:00", ""), "10:00:00Z");
        assert_eq!(Format::Date.from_picker("2026-11-22", "nonsense"), "2026-11-22");
        assert_eq!(Format::DateTime.picker_value("tomorrow"), "");
    }
}
