//! [`JsonText`]: one JSON value as checked text.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::fault::{Fault, fault};
use crate::{Kind, Node};

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

/// Text that is not one JSON value, and where it stops being one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at line {line}, column {column}")]
pub struct JsonTextError {
    /// What is wrong there: a clause, without a full stop.
    pub reason: String,
    /// 1-based line of the fault.
    pub line: usize,
    /// 1-based column of the fault, in characters.
    pub column: usize,
}

impl JsonTextError {
    /// Why `text`, which `serde_json` refused with `error`, cannot be read: in words for whoever
    /// wrote it, also where it is JSON and has not the shape that was wanted.
    ///
    /// ```
    /// use json_text::JsonTextError;
    /// let text = "{\"ids\": [1, 2";
    /// let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
    /// let told = JsonTextError::of(text, &error).to_string();
    /// assert_eq!(told, "the text ends here, and ] is missing at line 1, column 14");
    /// ```
    #[must_use]
    pub fn of(text: &str, error: &serde_json::Error) -> Self {
        let Some(Fault { at, reason }) = fault(text) else { return Self::misfit(text, error) };
        Self::at(text, at, reason)
    }

    /// `reason`, at the byte `at` of `text`.
    pub(crate) fn at(text: &str, at: usize, reason: String) -> Self {
        let before = &text[..at];
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self { reason, line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }

    /// Why JSON text cannot be read as what is wanted.
    fn misfit(text: &str, error: &serde_json::Error) -> Self {
        let told = error.to_string();
        let reason = match told.split(" at line ").next().unwrap_or(&told) {
            "recursion limit exceeded" => "more than 127 lists and objects stand within each other",
            "number out of range" => "this number is beyond those that are read",
            "unexpected end of hex escape" | "lone leading surrogate in hex escape" => {
                "this \\u stands for half a character"
            }
            reason => &misfit_words(reason, Words::JSON),
        };
        // The parser counts bytes.
        let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
        let before = line.as_bytes().get(..error.column().saturating_sub(1)).unwrap_or_default();
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        Self { reason: reason.to_owned(), line: error.line().max(1), column }
    }
}

/// What a format calls that which JSON calls an object and a member.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// A value with names, and its article.
    pub object: &'static str,
    /// One of its names, with what it holds.
    pub member: &'static str,
}

impl Words {
    /// JSON's own.
    pub const JSON: Self = Self { object: "an object", member: "member" };
    /// TOML's.
    pub const TOML: Self = Self { object: "a table", member: "key" };
}

/// What a parser through serde says of a value's shape, in plain words; `told` as it stands where the
/// parser or the type has found words of its own.
///
/// ```
/// use json_text::{Words, misfit_words};
/// let told = misfit_words("invalid type: map, expected a string", Words::TOML);
/// assert_eq!(told, "text belongs here, and this is a table");
/// ```
#[must_use]
pub fn misfit_words(told: &str, words: Words) -> String {
    let Words { object, member } = words;
    let named = |start: &str| told.strip_prefix(start)?.strip_suffix('`');
    if let Some(name) = named("missing field `") {
        return format!("the {member} `{name}` is missing");
    }
    if let Some(name) = named("duplicate field `") {
        return format!("the {member} `{name}` stands there twice");
    }
    let parts = |start: &str| told.strip_prefix(start)?.rsplit_once(", expected ");
    if let Some((found, wanted)) = parts("invalid value: ") {
        let found = found.split('`').nth(1).and_then(|number| number.parse::<i128>().ok());
        return match (found, whole_number_from(wanted)) {
            (Some(found), Some(least)) if found < 0 && least == 0 => {
                format!("a whole number of 0 or more belongs here, and this is {found}")
            }
            (Some(found), Some(_)) => {
                format!("a whole number belongs here, and {found} is beyond those that are read")
            }
            _ => told.to_owned(),
        };
    }
    let Some((found, wanted)) = parts("invalid type: ") else { return told.to_owned() };
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
    format!("{wanted} belongs here, and this is {found}")
}

/// The sign of the least number of an integer type by its name: -1 or 0.
fn whole_number_from(name: &str) -> Option<i128> {
    let bits = name.strip_prefix(['i', 'u'])?;
    (bits == "size" || bits.parse::<u8>().is_ok()).then_some(-i128::from(name.starts_with('i')))
}

impl JsonText {
    fn of(raw: Box<RawValue>) -> Self {
        Self(Arc::new(raw))
    }

    /// Checks `text` and keeps it.
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

    /// Serialises any value.
    ///
    /// # Errors
    /// The value's own serialisation error, or a map whose keys are not strings.
    pub fn serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self::of)
    }

    /// The parsed value. Integers beyond 64 bits and long fractions become the nearest `f64`: use
    /// it to look, not to pass on.
    ///
    /// # Errors
    /// [`JsonTextError`] when the value is nested deeper than 128 levels.
    pub fn to_value(&self) -> Result<serde_json::Value, JsonTextError> {
        self.decode()
    }

    /// Reads the value as `T`.
    ///
    /// # Errors
    /// [`JsonTextError`] when the value has not the shape of `T`.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, JsonTextError> {
        let text = self.0.get();
        serde_json::from_str(text).map_err(|error| JsonTextError::misfit(text, &error))
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

    /// What sort of value this is.
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

    /// The same value laid out over lines with two spaces of indent; digits, escapes and key order
    /// stay.
    #[must_use]
    pub fn pretty(&self) -> String {
        crate::Pretty::of(self).next_part(usize::MAX).unwrap_or_default()
    }
}

/// How many arrays and objects stand around the innermost value of a JSON text.
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
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn digits_and_key_order_survive() {
        let text =
            r#"{"z":9007199254740993,"a":1.10,"e":1e2,"big":123456789012345678901234567890}"#;
        let value = JsonText::parse(text).expect("valid");
        assert_eq!(serde_json::to_string(&value).expect("serialises"), text);
        assert_eq!(value.compact().as_str(), text);
    }

    #[test]
    fn faults_carry_their_place() {
        let error = JsonText::parse("{\n  \"ä\": tru\n}").expect_err("invalid");
        assert_eq!((error.line, error.column), (2, 8));
        assert!(error.to_string().starts_with("tru is no number"), "{error}");
        assert!(JsonText::parse("1 2").is_err());
        assert!(JsonText::parse("").is_err());
        assert!(JsonText::parse("NaN").is_err());
    }

    #[test]
    fn what_has_another_shape_is_told_in_words() {
        #[derive(Debug, Deserialize)]
        struct Wanted {
            _ids: Vec<u8>,
            _name: Option<String>,
        }
        let told = |text: &str| {
            let text = JsonText::parse(text).expect("JSON");
            text.decode::<Wanted>().expect_err("another shape").reason
        };
        assert_eq!(told("{}"), "the member `_ids` is missing");
        assert_eq!(told(r#"{"_ids":[],"_ids":[]}"#), "the member `_ids` stands there twice");
        assert_eq!(told(r#"{"_ids":5}"#), "a list belongs here, and this is a number");
        let quoted = r#"{"_ids":[", expected u8"]}"#;
        assert_eq!(told(quoted), "a whole number belongs here, and this is text");
        assert_eq!(told(r#"{"_ids":[],"_name":{}}"#), "text belongs here, and this is an object");
        let beyond = "a whole number belongs here, and 300 is beyond those that are read";
        assert_eq!(told(r#"{"_ids":[300]}"#), beyond);
        let negative = "a whole number of 0 or more belongs here, and this is -1";
        assert_eq!(told(r#"{"_ids":[-1]}"#), negative);
        assert_eq!(told("null"), "an object belongs here, and this is null");
    }

    #[test]
    fn a_hundred_thousand_levels_are_kept() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let value = JsonText::parse(&deep).expect("valid");
        assert_eq!(value.byte_len(), 200_000);
        let told = value.to_value().expect_err("too deep").to_string();
        assert!(told.starts_with("more than 127 lists and objects stand within each"), "{told}");
    }

    #[test]
    fn pretty_lays_out() {
        let value = JsonText::parse(r#"{"a":[1,{ }],"b":"x, {y}: \"z\""}"#).expect("valid");
        assert_eq!(
            value.pretty(),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x, {y}: \\\"z\\\"\"\n}"
        );
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn compact_and_pretty_are_the_same_value(value in any_value()) {
            let spaced = serde_json::to_string_pretty(&value).expect("serialises");
            let text = JsonText::parse(&spaced).expect("valid");
            prop_assert_eq!(text.compact(), JsonText::from_value(&value));
            prop_assert_eq!(text.pretty(), spaced);
        }
    }
}
