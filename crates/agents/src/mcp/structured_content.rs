//! Structured content with numbers that the library would round, carried past it as text.
//!
//! The library reads integers through 64 bits and other numbers as doubles. What a tool's structured
//! content says beyond that travels in the result's `_meta`.

use json_text::scan::{scalar_end, string_end};
use json_text::{JsonText, Node};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::json_object::{Members, member, object, texts_except};

const STRUCTURED: &str = "structuredContent";
const CARRIED: &str = "rehearsal/structuredContent";

/// Whether the message may hold structured content that the library would round, or what a server
/// says under our name.
pub(super) fn may_round(message: &str) -> bool {
    message.contains("\"structuredContent\"") && rounds(message) || message.contains(CARRIED)
}

/// The result with its structured content as text in `_meta`; `None` where the library reads it as
/// it is written.
pub(super) fn with_text_in_meta(result: &RawValue) -> Option<String> {
    let Node::Object(members) = Node::of(result) else { return None };
    let own = match member(&members, "_meta").map(Node::of) {
        Some(Node::Object(own)) => own,
        _ => Vec::new(),
    };
    let content = member(&members, STRUCTURED).filter(|content| rounds(content.get()));
    // What the server says under our name is not ours.
    if content.is_none() && !own.iter().any(|(key, _)| key == CARRIED) {
        return None;
    }
    let mut meta = texts_except(&own, CARRIED);
    meta.extend(content.map(|content| (CARRIED, JsonText::string(content.get()).to_string())));
    let mut kept = texts_except(&members, "_meta");
    kept.push(("_meta", object(&meta)));
    Some(object(&kept))
}

/// A result whose structured content keeps its digits.
pub(super) struct ExactResult {
    members: Map<String, Value>,
    content: Option<JsonText>,
}

impl ExactResult {
    /// Takes what was carried out of `members`, those of a result.
    pub(super) fn of(mut members: Map<String, Value>) -> Self {
        let mut content = None;
        if let Some(Value::Object(meta)) = members.get_mut("_meta")
            && let Some(carried) = meta.remove(CARRIED)
        {
            content = carried.as_str().and_then(|text| JsonText::parse(text).ok());
            if meta.is_empty() {
                members.remove("_meta");
            }
        }
        Self { members, content }
    }

    /// The members, numbers as the library read them.
    pub(super) fn members(&mut self) -> &mut Map<String, Value> {
        &mut self.members
    }

    /// The whole result, numbers as the server wrote them.
    pub(super) fn text(&self) -> JsonText {
        let text = |(key, value): (&String, &Value)| match &self.content {
            Some(content) if key == STRUCTURED => content.to_string(),
            _ => value.to_string(),
        };
        let members: Members<'_> =
            self.members.iter().map(|member| (member.0.as_str(), text(member))).collect();
        JsonText::parse(&object(&members)).unwrap_or_else(|_| JsonText::null())
    }
}

/// Whether a number in the JSON `text` would be written otherwise after the library has read it.
fn rounds(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at = match byte {
            b'"' => string_end(bytes, at),
            b'-' | b'0'..=b'9' => {
                let end = scalar_end(bytes, at);
                let number = text.get(at..end).unwrap_or_default();
                let read = serde_json::from_str::<Value>(number).map(|read| read.to_string());
                if read.ok().as_deref() != Some(number) {
                    return true;
                }
                end
            }
            _ => at + 1,
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).expect("JSON")
    }

    #[test]
    fn what_the_library_would_write_otherwise_is_carried() {
        for kept in ["1", "-9007199254740993", "18446744073709551615", "1.5", r#""1e400""#, "[]"] {
            assert!(!rounds(kept), "{kept}");
        }
        for rounded in ["18446744073709551616", "[0.1234567890123456789]", r#"{"a":1.10}"#, "1e400"]
        {
            assert!(rounds(rounded), "{rounded}");
        }
        assert!(!may_round(r#"{"result":{"content":[],"n":1.10}}"#));
    }

    #[test]
    fn structured_content_comes_back_as_it_was_written() {
        let result = r#"{"content":[],"structuredContent":{"n":123456789012345678901},"_meta":{"k":1,"rehearsal/structuredContent":"7"}}"#;
        let carried = with_text_in_meta(&raw(result)).expect("carried");
        let Ok(Value::Object(members)) = serde_json::from_str(&carried) else {
            panic!("{carried}")
        };
        let mut exact = ExactResult::of(members);
        assert_eq!(exact.members()["_meta"], serde_json::json!({"k": 1}));
        assert_eq!(
            exact.text().as_str(),
            r#"{"content":[],"structuredContent":{"n":123456789012345678901},"_meta":{"k":1}}"#
        );
        // What a server says under our name is dropped.
        let spoken = with_text_in_meta(&raw(
            r#"{"structuredContent":1,"_meta":{"rehearsal/structuredContent":"7"}}"#,
        ));
        assert_eq!(spoken.as_deref(), Some(r#"{"structuredContent":1,"_meta":{}}"#));
        assert_eq!(with_text_in_meta(&raw(r#"{"structuredContent":{"n":1}}"#)), None);
    }
}
