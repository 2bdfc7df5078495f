//! [`parts_for_people`]: the parts of a message, as reports show them.

use json_text::{JsonIndex, JsonText, JsonValue};

/// The texts of a message, and a line in brackets about each other part, such as `[image/png, 8 bytes]`.
///
/// ```
/// use json_text::JsonText;
/// use scoring::parts_for_people;
/// let part = |text: &str| JsonText::parse(text).expect("valid");
/// let parts = [
///     part(r#"{"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}}"#),
///     part(r#"{"text": "What is this?"}"#),
/// ];
/// assert_eq!(parts_for_people(&parts), "[image/png, 8 bytes]\nWhat is this?");
/// ```
#[must_use]
pub fn parts_for_people(parts: &[JsonText]) -> String {
    let lines = parts.iter().flat_map(|part| [text(part), part_for_people(part)]);
    lines.flatten().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn text(part: &JsonText) -> Option<String> {
    Some(member(JsonIndex::of(part).root(), "text")?.string()?.into_owned())
}

/// A line about what a part of a message holds besides text; `None` if there is nothing else.
#[must_use]
pub fn part_for_people(part: &JsonText) -> Option<String> {
    let document = JsonIndex::of(part);
    let root = document.root();
    let named = |value: JsonValue<'_>, name: &str| {
        Some(member(value, name)?.string()?.into_owned()).filter(|text| !text.is_empty())
    };
    let titled = |value: JsonValue<'_>, title: String| match named(value, "display_name") {
        Some(name) => format!("[{name}: {title}]"),
        None => format!("[{title}]"),
    };
    let mime_type =
        |value: JsonValue<'_>| named(value, "mime_type").unwrap_or_else(|| "data".to_owned());
    if let Some(data) = member(root, "inline_data") {
        let encoded = named(data, "data").unwrap_or_default();
        let bytes = encoded.trim_end_matches('=').len() * 3 / 4;
        return Some(titled(data, format!("{}, {bytes} bytes", mime_type(data))));
    }
    if let Some(file) = member(root, "file_data") {
        let at = named(file, "file_uri").unwrap_or_default();
        return Some(titled(file, format!("{} at {at}", mime_type(file))));
    }
    if let Some(response) = member(root, "function_response") {
        let name = named(response, "name").or_else(|| named(response, "id")).unwrap_or_default();
        let value = member(response, "response").map_or_else(JsonText::null, JsonValue::to_json);
        return Some(format!("[response of {name}: {}]", value.compact()));
    }
    if let Some(call) = member(root, "function_call") {
        let name = named(call, "name").unwrap_or_default();
        let args = member(call, "args").map_or_else(JsonText::null, JsonValue::to_json);
        return Some(format!("[call of {name}: {}]", args.compact()));
    }
    // A part of AgentFlow has a `type` beside its text.
    member(root, "text").is_none().then(|| format!("[{}]", part.compact()))
}

/// A member by its name in snake case or, as google-genai reads it too, in camel case.
fn member<'d>(of: JsonValue<'d>, name: &str) -> Option<JsonValue<'d>> {
    let mut camel = String::new();
    for (at, word) in name.split('_').enumerate() {
        let (first, rest) = word.split_at(1);
        camel.push_str(&if at == 0 { first.to_owned() } else { first.to_ascii_uppercase() });
        camel.push_str(rest);
    }
    let found = of.member(name).or_else(|| of.member(&camel));
    found.filter(|value| value.kind() != json_text::Kind::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_part_is_shown_in_a_line() {
        let shown = |text: &str| parts_for_people(&[JsonText::parse(text).expect("valid")]);
        for (part, line) in [
            (r#"{"text": "Hi"}"#, "Hi"),
            (r#"{"type": "text", "text": "Hi"}"#, "Hi"),
            (r#"{"inlineData": {"mimeType": "a/b", "data": "AAA="}}"#, "[a/b, 2 bytes]"),
            (
                r#"{"inline_data": {"data": "AAAA", "display_name": "x.bin"}}"#,
                "[x.bin: data, 3 bytes]",
            ),
            (r#"{"file_data": {"file_uri": "gs://a", "mime_type": "a/b"}}"#, "[a/b at gs://a]"),
            (
                r#"{"function_response": {"id": "1", "name": "f", "response": {"n": 1.10}}}"#,
                r#"[response of f: {"n":1.10}]"#,
            ),
            (r#"{"function_call": {"name": "f", "args": {"a": 1}}}"#, r#"[call of f: {"a":1}]"#),
            (r#"{"executable_code": {"code": "1"}}"#, r#"[{"executable_code":{"code":"1"}}]"#),
            (r#"{"text": "See", "inline_data": {"data": "AAAA"}}"#, "See\n[data, 3 bytes]"),
        ] {
            assert_eq!(shown(part), line);
        }
    }
}
