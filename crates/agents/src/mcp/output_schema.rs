//! Checks structured content against its tool's output schema.
//!
//! Violations are shown beside the result, which stays unchanged. Other clients, such as the Python
//! SDK's, would reject the result.

use json_text::{JsonText, Kind, Node};
use schema_check::Violation;

use crate::schemas;

/// The violations of `schema` in what a tool returned.
///
/// This may take long for a large schema or value: do not call it on a thread that must not block.
pub(super) fn schema_violations(schema: &JsonText, returned: &JsonText) -> Vec<Violation> {
    match structured_content(returned) {
        Some(structured) => schemas::check_schema(Some(schema), &structured),
        None => {
            let text = "The tool has an output schema but returned no structured content.";
            vec![Violation { pointer: String::new(), text: text.to_owned() }]
        }
    }
}

/// The structured content of a result for the model.
fn structured_content(returned: &JsonText) -> Option<JsonText> {
    let Node::Object(members) = returned.open() else { return None };
    let (_, raw) = members.iter().find(|(name, _)| name == "structuredContent")?;
    let content = JsonText::from(*raw);
    (content.kind() != Kind::Null).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("JSON")
    }

    fn broken(schema: &str, returned: &str) -> Vec<(String, String)> {
        let messages = schema_violations(&json(schema), &json(returned));
        messages.into_iter().map(|message| (message.pointer, message.text)).collect()
    }

    const SCHEMA: &str =
        r#"{"type":"object","properties":{"g":{"type":"number"}},"required":["g"]}"#;

    #[test]
    fn reports_violations_with_their_places() {
        let kept = r#"{"content":[],"structuredContent":{"g":1.5},"isError":false}"#;
        assert_eq!(broken(SCHEMA, kept), []);
        let wrong = broken(SCHEMA, r#"{"content":[],"structuredContent":{"g":"1"}}"#);
        assert_eq!(wrong.len(), 1);
        assert_eq!(wrong[0].0, "/g");
        let missing = broken(SCHEMA, r#"{"content":[],"structuredContent":{}}"#);
        assert_eq!(missing, [("/g".to_owned(), "Required.".to_owned())]);
    }

    #[test]
    fn reports_missing_structured_content() {
        for returned in [r#"{"content":[]}"#, r#"{"content":[],"structuredContent":null}"#] {
            let actual = broken(SCHEMA, returned);
            assert!(actual[0].1.contains("no structured content"), "{actual:?}");
        }
    }

    #[test]
    fn an_invalid_schema_has_no_violations() {
        let returned = r#"{"content":[],"structuredContent":{"g":"1"}}"#;
        assert_eq!(broken(r#"{"type":7}"#, returned), []);
    }
}
