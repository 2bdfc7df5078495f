//! [`with_schema_in_meta`]: keeps an elicitation's schema as the server wrote it.
//!
//! The library's own types drop what they do not know, such as a `pattern`, a `multipleOf` and the order of
//! the fields. So the schema travels as text in the request's `_meta`.

use json_text::{JsonText, Node};
use rmcp::model::RequestMetaObject;
use serde_json::value::RawValue;

use super::json_object::{member, object, texts_except};

/// Where the schema travels.
const REQUESTED_SCHEMA: &str = "rehearsal/requestedSchema";
const METHOD: &str = "\"elicitation/create\"";

/// Whether `message` may be an elicitation.
pub(super) fn may_be_elicitation(message: &str) -> bool {
    message.contains(METHOD)
}

/// The request with its schema in its `_meta`; `None` for any other message.
pub(super) fn with_schema_in_meta(members: &[(String, &RawValue)]) -> Option<String> {
    if member(members, "method")?.get() != METHOD {
        return None;
    }
    let Node::Object(params) = Node::of(member(members, "params")?) else { return None };
    let schema = member(&params, "requestedSchema")?;
    let own_meta = match member(&params, "_meta").map(Node::of) {
        Some(Node::Object(meta)) => meta,
        _ => Vec::new(),
    };
    // The server's own value under our name is dropped.
    let mut meta = texts_except(&own_meta, REQUESTED_SCHEMA);
    meta.push((REQUESTED_SCHEMA, JsonText::string(schema.get()).to_string()));
    let mut given = texts_except(&params, "_meta");
    given.push(("_meta", object(&meta)));
    let mut message = texts_except(members, "params");
    message.push(("params", object(&given)));
    Some(object(&message))
}

/// The schema as the server wrote it, from the request's `_meta`.
pub(super) fn schema_from_meta(meta: &RequestMetaObject) -> Option<JsonText> {
    JsonText::parse(meta.get(REQUESTED_SCHEMA)?.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn carried_by(message: &str) -> Option<(Value, Option<JsonText>)> {
        let message = JsonText::parse(message).expect("JSON");
        let Node::Object(members) = message.open() else { panic!("an object") };
        let message: Value = serde_json::from_str(&with_schema_in_meta(&members)?).expect("JSON");
        let meta = serde_json::from_value(message["params"]["_meta"].clone()).expect("an object");
        Some((message, schema_from_meta(&meta)))
    }

    #[test]
    fn keeps_the_schema_as_written() {
        let schema = r#"{"type":"object","properties":{"z":{"type":"string","pattern":"^a"},"a":{"type":"integer","minimum":9007199254740993}}}"#;
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{{"message":"?",
                "_meta":{{"own":1,"rehearsal/requestedSchema":"{{}}"}},"requestedSchema":{schema}}}}}"#
        );
        let (message, found) = carried_by(&message).expect("a question");
        assert_eq!(found.expect("carried").as_str(), schema);
        assert_eq!((&message["id"], &message["params"]["message"]), (&"q".into(), &"?".into()));
        assert_eq!(message["params"]["_meta"]["own"], 1);
        assert!(message["params"]["requestedSchema"].is_object(), "the library reads it too");
    }

    #[test]
    fn ignores_other_messages() {
        for message in [
            r#"{"id":1,"result":{"content":"\"elicitation/create\""}}"#,
            r#"{"id":1,"method":"elicitation/create","params":{"mode":"url","url":"x"}}"#,
            r#"{"id":1,"method":"elicitation/create"}"#,
            r#"{"id":1,"method":"roots/list"}"#,
        ] {
            assert!(carried_by(message).is_none(), "{message}");
        }
    }
}
