//! [`JsonText`]: one JSON value as checked text.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::syntax::{SyntaxError, syntax_error};
use crate::{Kind, Node, Position};

/// One JSON value, held as the text it came in.
///
/// The text is valid JSON without surrounding white space. Two values are equal when their texts
/// are; use [`JsonText::compact`] first where white space should not count.
///
/// A clone shares the text.
///
/// Serde: reads and writes through `serde_json` only, and not inside internally tagged, untagged or
/// flattened types (they buffer, and a buffer does not keep text).
///
/// ```
/// use json_text::JsonText;
/// let value = JsonText::parse(r#"{"n": 9007199254740993}"#)?;
/// assert_eq!(value.compact().as_str(), r#"{"n":9007199254740993}"#);
/// # Ok::<(), json_text::JsonTextError>(())
/// ```
#[derive(Clone)]
pub struct JsonText(
    // The box is what serde_json makes: an `Arc<RawValue>` would copy the whole text out of it.
    Arc<Box<RawValue>>,
);

/// Why a text is not one JSON value, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at line {line}, column {column}")]
pub struct JsonTextError {
    /// What is wrong, as a clause without a full stop.
    pub reason: String,
    /// Line of the error, from 1.
    pub line: usize,
    /// Column of the error in characters, from 1.
    pub column: usize,
}

impl JsonTextError {
    /// A readable message for `text`, which `serde_json` rejected with `error`: a syntax error, or a
    /// value of the wrong type.
    ///
    /// ```
    /// use json_text::JsonTextError;
    /// let text = "{\"ids\": [1, 2";
    /// let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
    /// let message = JsonTextError::of(text, &error).to_string();
    /// assert_eq!(message, "the text ends here, but ] is missing at line 1, column 14");
    /// ```
    #[must_use]
    pub fn of(text: &str, error: &serde_json::Error) -> Self {
        let Some(SyntaxError { at, reason }) = syntax_error(text) else {
            return Self::type_error(text, error);
        };
        Self::at(text, at, reason)
    }

    /// `reason`, at the byte `at` of `text`.
    pub(crate) fn at(text: &str, at: usize, reason: String) -> Self {
        let Position { line, column } = Position::START.after(&text.as_bytes()[..at]);
        let fits = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        Self { reason, line: fits(line), column: fits(column) }
    }

    /// Why valid JSON text cannot be decoded as the wanted type.
    fn type_error(text: &str, error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let reason = match message.split(" at line ").next().unwrap_or(&message) {
            "recursion limit exceeded" => "lists and objects are nested deeper than 127 levels",
            "number out of range" => "this number is out of range",
            "unexpected end of hex escape" | "lone leading surrogate in hex escape" => {
                "this \\u is an unpaired surrogate"
            }
            reason => &serde_message(reason, Terms::JSON),
        };
        // The parser counts bytes.
        let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
        let before = line.as_bytes().get(..error.column().saturating_sub(1)).unwrap_or_default();
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        Self { reason: reason.to_owned(), line: error.line().max(1), column }
    }
}

/// A format's terms for JSON's object and member.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// An object, with its article.
    pub object: &'static str,
    /// A member of an object.
    pub member: &'static str,
}

impl Terms {
    /// JSON's own.
    pub const JSON: Self = Self { object: "an object", member: "member" };
    /// TOML's.
    pub const TOML: Self = Self { object: "a table", member: "key" };
}

/// A readable form of a serde error message about a value's type; other messages are unchanged.
///
/// ```
/// use json_text::{Terms, serde_message};
/// let message = serde_message("invalid type: map, expected a string", Terms::TOML);
/// assert_eq!(message, "expected text, found a table");
/// ```
#[must_use]
pub fn serde_message(message: &str, words: Terms) -> String {
    let Terms { object, member } = words;
    let named = |start: &str| message.strip_prefix(start)?.strip_suffix('`');
    if let Some(name) = named("missing field `") {
        return format!("the {member} `{name}` is missing");
    }
    if let Some(name) = named("duplicate field `") {
        return format!("duplicate {member} `{name}`");
    }
    let parts = |start: &str| message.strip_prefix(start)?.rsplit_once(", expected ");
    if let Some((found, wanted)) = parts("invalid value: ") {
        let found = found.split('`').nth(1).and_then(|number| number.parse::<i128>().ok());
        return match (found, whole_number_from(wanted)) {
            (Some(found), Some(least)) if found < 0 && least == 0 => {
                format!("expected a whole number of 0 or more, found {found}")
            }
            (Some(found), Some(_)) => {
                format!("expected a whole number, and {found} is out of range")
            }
            _ => message.to_owned(),
        };
    }
    let Some((found, wanted)) = parts("invalid type: ") else { return message.to_owned() };
    let found = match found.split(' ').next().unwrap_or(found) {
        "boolean" => "true or false",
        "floating" if whole_number_from(wanted).is_some() => "a decimal number",
        "integer" | "floating" | "number" => "a number",
        "string" => "text",
        "sequence" => "a list",
        "map" => object,
        _ => found,
    };
    let wanted = match wanted {
        "a sequence" => "a list",
        "a string" | "path string" => "text",
        "a boolean" => "true or false",
        "f32" | "f64" => "a number",
        "a map" => object,
        "IP address" => "an IP address",
        _ if wanted.starts_with("struct ") => object,
        _ if whole_number_from(wanted).is_some() => "a whole number",
        _ => wanted,
    };
    format!("expected {wanted}, found {found}")
}

/// The sign of the minimum of an integer type by its name: -1 or 0.
fn whole_number_from(name: &str) -> Option<i128> {
    let bits = name.strip_prefix(['i', 'u'])?;
    (bits == "size" || bits.parse::<u8>().is_ok()).then_some(-i128::from(name.starts_with('i')))
}

impl JsonText {
    fn of(raw: Box<RawValue>) -> Self {
        Self(Arc::new(raw))
    }

    /// Validates `text` and keeps it.
    ///
    /// # Errors
    /// [`JsonTextError`] with line and column when `text` is not exactly one JSON value.
    pub fn parse(text: &str) -> Result<Self, JsonTextError> {
        serde_json::from_str(text).map(Self::of).map_err(|error| JsonTextError::of(text, &error))
    }

    /// The JSON `null`.
    #[must_use]
    pub fn null() -> Self {
        Self::of(RawValue::NULL.to_owned())
    }

    /// The JSON string whose content is `content`.
    #[must_use]
    pub fn string(content: &str) -> Self {
        Self::from_value(&serde_json::Value::from(content))
    }

    /// The compact text of a parsed value.
    #[must_use]
    pub fn from_value(value: &serde_json::Value) -> Self {
        // A `Value` always has a JSON text: its maps have string keys and its numbers are finite.
        serde_json::value::to_raw_value(value).map_or_else(|_| Self::null(), Self::of)
    }

    /// Serializes any value.
    ///
    /// # Errors
    /// The value's own serialization error, or a map whose keys are not strings.
    pub fn serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self::of)
    }

    /// The parsed value. Integers beyond 64 bits and long fractions become the nearest `f64`, so it
    /// must not be passed on.
    ///
    /// # Errors
    /// [`JsonTextError`] when the value is nested deeper than 128 levels.
    pub fn to_value(&self) -> Result<serde_json::Value, JsonTextError> {
        self.decode()
    }

    /// Reads the value as `T`.
    ///
    /// # Errors
    /// [`JsonTextError`] when the value does not have the type `T`.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, JsonTextError> {
        let text = self.0.get();
        serde_json::from_str(text).map_err(|error| JsonTextError::type_error(text, &error))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Length of the text in bytes.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        self.0.get().len()
    }

    /// The kind of value.
    #[must_use]
    pub fn kind(&self) -> Kind {
        Kind::of(self.0.get())
    }

    /// Opens the outermost level.
    #[must_use]
    pub fn open(&self) -> Node<'_> {
        Node::of(&self.0)
    }

    /// The same value without white space between its tokens; digits, escapes and key order stay.
    #[must_use]
    pub fn compact(&self) -> Self {
        let text = self.0.get();
        let mut compact = String::with_capacity(text.len());
        let mut in_string = false;
        let mut escaped = false;
        for character in text.chars() {
            if in_string {
                compact.push(character);
                match character {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    '"' => in_string = false,
                    _ => {}
                }
            } else if !matches!(character, ' ' | '\t' | '\n' | '\r') {
                in_string = character == '"';
                compact.push(character);
            }
        }
        RawValue::from_string(compact).map_or_else(|_| self.clone(), Self::of)
    }
}

/// The nesting depth of a JSON text: the most arrays and objects around one value.
///
/// ```
/// assert_eq!(json_text::nesting(r#"{"a": [1, "[[["]}"#), 2);
/// ```
#[must_use]
pub fn nesting(text: &str) -> usize {
    let (mut deepest, mut depth) = (0_usize, 0_usize);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

impl PartialEq for JsonText {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for JsonText {}

impl fmt::Debug for JsonText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl From<&RawValue> for JsonText {
    fn from(raw: &RawValue) -> Self {
        Self::of(raw.to_owned())
    }
}

impl From<Box<RawValue>> for JsonText {
    fn from(raw: Box<RawValue>) -> Self {
        Self::of(raw)
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_key_order_survive() {
        let text =
            r#"{"z":9007199254740993,"a":1.10,"e":1e2,"big":123456789012345678901234567890}"#;
        let value = JsonText::parse(text).expect("valid");
        assert_eq!(serde_json::to_string(&value).expect("serializes"), text);
        assert_eq!(value.compact().as_str(), text);
    }

    #[test]
    fn errors_have_a_position() {
        let error = JsonText::parse("{\n  \"ä\": tru\n}").expect_err("invalid");
        assert_eq!((error.line, error.column), (2, 8));
        assert!(error.to_string().starts_with("tru is not a number"), "{error}");
        assert!(JsonText::parse("1 2").is_err());
        assert!(JsonText::parse("").is_err());
        assert!(JsonText::parse("NaN").is_err());
    }

    #[test]
    fn wrong_types_have_readable_messages() {
        #[derive(Debug, Deserialize)]
        struct Wanted {
            _ids: Vec<u8>,
            _name: Option<String>,
        }
        let message = |text: &str| {
            let text = JsonText::parse(text).expect("JSON");
            text.decode::<Wanted>().expect_err("another shape").reason
        };
        assert_eq!(message("{}"), "the member `_ids` is missing");
        assert_eq!(message(r#"{"_ids":[],"_ids":[]}"#), "duplicate member `_ids`");
        assert_eq!(message(r#"{"_ids":5}"#), "expected a list, found a number");
        let quoted = r#"{"_ids":[", expected u8"]}"#;
        assert_eq!(message(quoted), "expected a whole number, found text");
        assert_eq!(message(r#"{"_ids":[],"_name":{}}"#), "expected text, found an object");
        let beyond = "expected a whole number, and 300 is out of range";
        assert_eq!(message(r#"{"_ids":[300]}"#), beyond);
        let negative = "expected a whole number of 0 or more, found -1";
        assert_eq!(message(r#"{"_ids":[-1]}"#), negative);
        assert_eq!(message("null"), "expected an object, found null");
    }

    #[test]
    fn a_hundred_thousand_levels_are_kept() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let value = JsonText::parse(&deep).expect("valid");
        assert_eq!(value.byte_len(), 200_000);
        let message = value.to_value().expect_err("too deep").to_string();
        assert!(
            message.starts_with("lists and objects are nested deeper than 127 levels"),
            "{message}"
        );
    }

    #[test]
    fn opens_one_level() {
        let text = JsonText::parse(r#"{"b": [1, {"x": 2}], "a": 1.50, "b": null}"#).expect("valid");
        let Node::Object(members) = text.open() else { panic!("an object") };
        let seen: Vec<_> = members.iter().map(|(key, raw)| (key.as_str(), raw.get())).collect();
        assert_eq!(seen, [("b", r#"[1, {"x": 2}]"#), ("a", "1.50"), ("b", "null")]);
    }

    #[test]
    fn strings_resolve_escapes() {
        let text = JsonText::parse(r#""a\u0041\n""#).expect("valid");
        assert!(matches!(text.open(), Node::String(content) if content == "aA\n"));
        let lone = JsonText::parse(r#""\ud800""#);
        assert!(lone.is_err() || matches!(lone.expect("kept").open(), Node::String(_)));
    }
}
