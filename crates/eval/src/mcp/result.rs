//! Results of tools as MCP has them, with `content`, `structuredContent` and `isError`, whether a server or a mock
//! gave them. The model gets the whole object, as google-adk gives it to its models.

use indexmap::IndexMap;
use json_text::{JsonIndex, JsonText, Kind};
use serde::Serialize;

use crate::tool_fault::truncated;

/// A result of a tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult<'a> {
    content: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a JsonText>,
    is_error: bool,
}

/// A block of content.
#[derive(Serialize)]
struct Text<'a> {
    r#type: &'static str,
    text: &'a str,
}

impl<'a> ToolResult<'a> {
    fn of(text: Option<&'a str>) -> Self {
        let content = text.map(|text| Text { r#type: "text", text }).into_iter().collect();
        Self { content, structured_content: None, is_error: false }
    }

    fn json(&self) -> JsonText {
        JsonText::serialize(self).unwrap_or_else(|_| JsonText::null())
    }
}

/// The result of a tool that returns a text.
pub(super) fn text(text: &str) -> JsonText {
    ToolResult::of(Some(text)).json()
}

/// The result of a call that failed.
pub(super) fn error(message: &str) -> JsonText {
    ToolResult { is_error: true, ..ToolResult::of(Some(message)) }.json()
}

/// The result of a call that a mock answers with `value`. A value that is a result of MCP stays as it is. Of a tool
/// with an output schema, any other object is the structured content.
pub(super) fn of_mock(value: &JsonText, has_output_schema: bool) -> JsonText {
    if let Some(result) = whole(value) {
        return result;
    }
    match value.kind() {
        Kind::Null => ToolResult::of(None).json(),
        Kind::String => text(&value.decode::<String>().unwrap_or_default()),
        kind => {
            let compact = value.compact();
            let is_structured = has_output_schema && kind == Kind::Object;
            let structured_content = is_structured.then_some(value);
            ToolResult { structured_content, ..ToolResult::of(Some(compact.as_str())) }.json()
        }
    }
}

/// The value with `isError`, if it is a result of MCP.
fn whole(value: &JsonText) -> Option<JsonText> {
    let document = JsonIndex::of(value);
    let content = document.root().member("content").filter(|it| it.kind() == Kind::Array)?;
    let is_block = |block: json_text::JsonValue<'_>| {
        block.member("type").is_some_and(|it| it.string().is_some())
    };
    if !content.items().all(is_block) {
        return None;
    }
    let mut members: IndexMap<String, JsonText> = value.decode().ok()?;
    members.entry("isError".to_owned()).or_insert_with(|| JsonText::from_value(&false.into()));
    JsonText::serialize(&members).ok()
}

/// A result that ends after this many characters. A result of texts stays a text.
pub(super) fn cut(result: &JsonText, characters: usize) -> JsonText {
    let document = JsonIndex::of(result);
    let blocks = document.root().member("content");
    let texts: Option<Vec<String>> = blocks
        .map(|blocks| {
            let text = |block: json_text::JsonValue<'_>| {
                Some(block.member("text")?.string()?.into_owned())
            };
            blocks.items().map(text).collect()
        })
        .unwrap_or_default();
    let shown = match texts {
        Some(texts) => JsonText::string(&texts.join("\n")),
        None => result.clone(),
    };
    of_mock(&truncated(&shown, characters), false)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    fn check(result: &JsonText, expected: &Expect) {
        expected.assert_eq(result.as_str());
    }

    #[test]
    fn a_mocks_value_becomes_a_result() {
        let plain = |value: &str| of_mock(&json(value), false);
        check(
            &plain(r#""Echo: hi""#),
            &expect![[r#"{"content":[{"type":"text","text":"Echo: hi"}],"isError":false}"#]],
        );
        check(
            &plain(r#"{"a": 1.10}"#),
            &expect![[r#"{"content":[{"type":"text","text":"{\"a\":1.10}"}],"isError":false}"#]],
        );
        check(&plain("null"), &expect![[r#"{"content":[],"isError":false}"#]]);
        check(
            &of_mock(&json(r#"{"degrees":20}"#), true),
            &expect![[
                r#"{"content":[{"type":"text","text":"{\"degrees\":20}"}],"structuredContent":{"degrees":20},"isError":false}"#
            ]],
        );
    }

    #[test]
    fn a_result_of_mcp_stays_as_it_is() {
        let image = r#"{"content":[{"type":"image","data":"aGk="}],"isError":true}"#;
        assert_eq!(of_mock(&json(image), false).as_str(), image);
        check(
            &of_mock(&json(r#"{"content":[]}"#), true),
            &expect![[r#"{"content":[],"isError":false}"#]],
        );
        check(
            &of_mock(&json(r#"{"content":["a"]}"#), false),
            &expect![[
                r#"{"content":[{"type":"text","text":"{\"content\":[\"a\"]}"}],"isError":false}"#
            ]],
        );
    }

    #[test]
    fn a_cut_result_is_a_text() {
        let result = r#"{"content":[{"type":"text","text":"Echo"},{"type":"text","text":"hi"}]}"#;
        check(
            &cut(&json(result), 5),
            &expect![[r#"{"content":[{"type":"text","text":"Echo\n"}],"isError":false}"#]],
        );
        let image = r#"{"content":[{"type":"image","data":"aGk="}]}"#;
        check(
            &cut(&json(image), 12),
            &expect![[r#"{"content":[{"type":"text","text":"{\"content\":["}],"isError":false}"#]],
        );
    }
}
