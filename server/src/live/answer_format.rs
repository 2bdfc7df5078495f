//! The form of the response that a request's settings require without a schema: OpenAI's
//! `response_format` and `text.format`, Gemini's `responseMimeType`.

use json_text::JsonText;
use serde_json::Value;

/// The schema of a response in JSON for which the request has no schema: an object for OpenAI's
/// `json_object`, any value for Gemini's `application/json`.
pub(super) fn implied_schema(config: &JsonText) -> Option<JsonText> {
    let config: Value = serde_json::from_str(config.as_str()).ok()?;
    let formats = [config.pointer("/response_format/type"), config.pointer("/text/format/type")];
    let schema = if formats.into_iter().flatten().any(|format| format == "json_object") {
        r#"{"type":"object"}"#
    } else if mime_type(&config)? == "application/json" {
        "true"
    } else {
        return None;
    };
    JsonText::parse(schema).ok()
}

/// Whether the response is one of the schema's values as plain text, without quotation marks.
pub(super) fn is_plain_enum(config: &JsonText) -> bool {
    let config: Option<Value> = serde_json::from_str(config.as_str()).ok();
    config.is_some_and(|config| mime_type(&config) == Some("text/x.enum"))
}

/// Gemini's member, as its API and as ADK write it.
fn mime_type(config: &Value) -> Option<&str> {
    let settings = config.get("generationConfig").or_else(|| config.get("generation_config"));
    let settings = settings.unwrap_or(config);
    settings.get("responseMimeType").or_else(|| settings.get("response_mime_type"))?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_without_a_schema_imply_one() {
        for (config, implied) in [
            (r#"{"response_format": {"type": "json_object"}}"#, Some(r#"{"type":"object"}"#)),
            (r#"{"text": {"format": {"type": "json_object"}}}"#, Some(r#"{"type":"object"}"#)),
            (r#"{"generationConfig": {"responseMimeType": "application/json"}}"#, Some("true")),
            (r#"{"response_mime_type": "application/json"}"#, Some("true")),
            (r#"{"generationConfig": {"responseMimeType": "text/plain"}}"#, None),
            (r#"{"response_format": {"type": "text"}}"#, None),
            (r#"{"text": "json_object"}"#, None),
            ("{}", None),
        ] {
            let config = JsonText::parse(config).expect("JSON");
            let actual = implied_schema(&config);
            assert_eq!(actual.as_ref().map(JsonText::as_str), implied, "{config}");
        }
    }

    #[test]
    fn an_enum_is_plain_text() {
        for (config, is_plain) in [
            (r#"{"generationConfig": {"responseMimeType": "text/x.enum"}}"#, true),
            (r#"{"response_mime_type": "text/x.enum"}"#, true),
            (r#"{"response_mime_type": "application/json"}"#, false),
        ] {
            let config = JsonText::parse(config).expect("JSON");
            assert_eq!(is_plain_enum(&config), is_plain, "{config}");
        }
    }
}
