//! Keeps the digits of structured content that the library would round.
//!
//! The library reads integers as 64 bits and other numbers as doubles. Structured content with other
//! numbers travels as text in the result's `_meta`.

use json_text::{JsonText, Node};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::exact_numbers::next_rounded;
use super::json_object::{Members, member, object, texts_except};

const STRUCTURED: &str = "structuredContent";
const CARRIED: &str = "rehearsal/structuredContent";

/// Whether the message may have structured content that the library would round, or a member with our
/// name in `_meta`.
pub(super) fn may_round(message: &str) -> bool {
    message.contains("\"structuredContent\"") && rounds(message) || message.contains(CARRIED)
}

/// The result with its structured content as text in `_meta`; `None` if the library keeps its digits.
pub(super) fn with_text_in_meta(result: &RawValue) -> Option<String> {
    let Node::Object(members) = Node::of(result) else { return None };
    let own = match member(&members, "_meta").map(Node::of) {
        Some(Node::Object(own)) => own,
        _ => Vec::new(),
    };
    let content = member(&members, STRUCTURED).filter(|content| rounds(content.get()));
    // The server's own value under our name is dropped.
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
    /// Moves the text out of the `_meta` of a result with these members.
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

/// Whether the library would change the digits of a number in the JSON `text`.
fn rounds(text: &str) -> bool {
    next_rounded(text, 0).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).expect("JSON")
    }

    #[test]
    fn recognizes_numbers_that_the_library_would_round() {
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
    fn restores_structured_content_with_its_digits() {
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
        // The server's own value under our name is dropped.
        let own = with_text_in_meta(&raw(
            r#"{"structuredContent":1,"_meta":{"rehearsal/structuredContent":"7"}}"#,
        ));
        assert_eq!(own.as_deref(), Some(r#"{"structuredContent":1,"_meta":{}}"#));
        assert_eq!(with_text_in_meta(&raw(r#"{"structuredContent":{"n":1}}"#)), None);
    }
}
