//! A tool's result as google-adk's runner records it. [`AdkMark`] has what the responses do not tell.

use std::collections::BTreeMap;

use evalset::adk::AdkMark;
use json_text::{JsonText, Kind, Node, pointer};
use serde::Serialize;
use serde_json::value::RawValue;
use session::Recording;

use crate::serialized::object;

/// A result as the runner records it.
pub(crate) struct Recorded {
    pub(crate) response: JsonText,
    /// The images, sounds and files.
    pub(crate) parts: Option<JsonText>,
}

/// The response to the call `id` that returned `result`.
pub(crate) fn record(
    mark: &mut AdkMark,
    id: &str,
    result: &JsonText,
    recording: &Recording,
) -> Recorded {
    let mut parts = Vec::new();
    let (rest, shape) = without_media(result, "", recording, &mut parts);
    let response = match rest {
        Some(rest) if parts.is_empty() || !is_empty(&rest) => match rest.kind() {
            Kind::Object if !recording.wrapped => rest,
            _ => wrapped(&rest),
        },
        _ => JsonText::from_value(&serde_json::json!({})),
    };
    let is_told = parts.is_empty() && AdkMark::result_of(&response) == *result;
    if !is_told {
        mark.keep(id, shape);
    }
    let parts = (!parts.is_empty()).then(|| object(&parts));
    Recorded { response, parts }
}

fn wrapped(result: &JsonText) -> JsonText {
    #[derive(Serialize)]
    struct Success<'a> {
        result: &'a JsonText,
    }
    object(&Success { result })
}

fn is_empty(value: &JsonText) -> bool {
    match value.open() {
        Node::Object(members) => members.is_empty(),
        Node::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// `value`, which is at the pointer `at`, without its media, and with the number of the part in place
/// of their data. A container that held nothing else is removed too.
fn without_media(
    value: &JsonText,
    at: &str,
    recording: &Recording,
    parts: &mut Vec<JsonText>,
) -> (Option<JsonText>, JsonText) {
    if recording.media.iter().any(|media| media == at) {
        let (part, shape) = part(value, parts.len());
        parts.push(part);
        return (None, shape);
    }
    let inside = format!("{at}/");
    if !recording.media.iter().any(|media| media.starts_with(&inside)) {
        return (Some(value.clone()), value.clone());
    }
    let mut below = |key: &str, raw: &RawValue| {
        let key = pointer::step(key);
        without_media(&JsonText::from(raw), &format!("{inside}{key}"), recording, parts)
    };
    let (rest, shape) = match value.open() {
        Node::Object(members) => {
            let (mut rest, mut shape) = (Vec::new(), Vec::new());
            for (key, raw) in members {
                let (kept, shown) = below(&key, raw);
                rest.extend(kept.map(|kept| (key.clone(), kept)));
                shape.push((key, shown));
            }
            (of_members(&rest), of_members(&shape))
        }
        Node::Array(items) => {
            let items = items.iter().enumerate().map(|(at, raw)| below(&at.to_string(), raw));
            let (rest, shape): (Vec<_>, Vec<_>) = items.unzip();
            (object(&rest.into_iter().flatten().collect::<Vec<_>>()), object(&shape))
        }
        _ => (value.clone(), value.clone()),
    };
    ((!is_empty(&rest)).then_some(rest), shape)
}

/// The object of these members.
fn of_members(members: &[(String, JsonText)]) -> JsonText {
    struct Members<'a>(&'a [(String, JsonText)]);
    impl Serialize for Members<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
        }
    }
    object(&Members(members))
}

/// A `Part` of google-genai as a part of a response, and with the part's number in place of its data.
fn part(value: &JsonText, number: usize) -> (JsonText, JsonText) {
    #[derive(Serialize)]
    struct Inline {
        inline_data: Map,
    }
    #[derive(Serialize)]
    struct File {
        file_data: Map,
    }
    type Map = BTreeMap<&'static str, JsonText>;
    let fields = |of: &str, names: [(&'static str, &str); 2]| -> Option<Map> {
        let of = member(value, of)?;
        names.into_iter().map(|(to, from)| Some((to, member(&of, from)?))).collect()
    };
    if let Some(inline_data) = fields("inlineData", [("mime_type", "mimeType"), ("data", "data")]) {
        let number = object(&BTreeMap::from([(AdkMark::PART, number)]));
        let shape =
            replaced(value, "inlineData", |inline| replaced(inline, "data", |_| number.clone()));
        return (object(&Inline { inline_data }), shape);
    }
    let file = fields("fileData", [("mime_type", "mimeType"), ("file_uri", "fileUri")]);
    (object(&File { file_data: file.unwrap_or_default() }), value.clone())
}

fn member(value: &JsonText, name: &str) -> Option<JsonText> {
    let Node::Object(members) = value.open() else { return None };
    members.into_iter().find(|(key, _)| key == name).map(|(_, raw)| JsonText::from(raw))
}

/// The object `value` with another value of the member `name`.
fn replaced(value: &JsonText, name: &str, by: impl Fn(&JsonText) -> JsonText) -> JsonText {
    let Node::Object(members) = value.open() else { return value.clone() };
    let members = members.into_iter().map(|(key, raw)| {
        let raw = JsonText::from(raw);
        let value = if key == name { by(&raw) } else { raw };
        (key, value)
    });
    of_members(&members.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use evalset::adk::FunctionResponse;

    use super::*;

    const PNG: &str = r#"{"inlineData":{"data":"iVBORw==","displayName":null,"mimeType":"image/png"},"text":null}"#;
    const URI: &str =
        r#"{"fileData":{"fileUri":"gs://x/y.png","mimeType":"image/png"},"inlineData":null}"#;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("JSON")
    }

    /// Checks the response of a result and that the result comes back from it.
    fn check(result: &str, wrapped: bool, media: &[&str], expected: &str) {
        let media = media.iter().map(|&at| at.to_owned()).collect();
        let (mut mark, result) = (AdkMark::default(), json(result));
        let recorded = record(&mut mark, "c1", &result, &Recording { wrapped, media });
        let mut response = FunctionResponse::new("c1", "give", recorded.response);
        let mut written = response.response.as_ref().expect("has one").compact().to_string();
        if let Some(parts) = recorded.parts {
            written = format!("{written} {parts}");
            response.written.set_extra("parts", parts);
        }
        assert_eq!(written, expected);
        let mark: AdkMark = object(&mark).decode().expect("reads");
        let returned = mark.returned(&response).expect("has one");
        assert_eq!(returned.compact(), result.compact(), "{mark:?}");
    }

    #[test]
    fn the_result_of_a_response_is_what_the_tool_returned() {
        check("1", true, &[], r#"{"result":1}"#);
        check(r#"{"result":1}"#, false, &[], r#"{"result":1}"#);
        check(r#"{"result":1}"#, true, &[], r#"{"result":{"result":1}}"#);
        check(r#"{"a":1.50}"#, false, &[], r#"{"a":1.50}"#);
        check(r#"{"model":1}"#, true, &[], r#"{"result":{"model":1}}"#);
        check("{}", false, &[], "{}");
        check("{}", true, &[], r#"{"result":{}}"#);
        check("[]", true, &[], r#"{"result":[]}"#);
        check("null", true, &[], r#"{"result":null}"#);
    }

    #[test]
    fn media_are_parts_of_the_response() {
        let part = r#"{"inline_data":{"data":"iVBORw==","mime_type":"image/png"}}"#;
        check(PNG, true, &[""], &format!("{{}} [{part}]"));
        let list = format!("[{PNG},1]");
        check(&list, true, &["/0"], &format!(r#"{{"result":[1]}} [{part}]"#));
        let uri = r#"{"file_data":{"file_uri":"gs://x/y.png","mime_type":"image/png"}}"#;
        let dict = format!(r#"{{"a/b":[{PNG}],"n":1,"map":{{"x":{URI},"y":2}}}}"#);
        let expected = format!(r#"{{"n":1,"map":{{"y":2}}}} [{part},{uri}]"#);
        check(&dict, false, &["/a~1b/0", "/map/x"], &expected);
        check(&format!("[{PNG}]"), true, &["/0"], &format!("{{}} [{part}]"));
        check(&format!(r#"{{"result":{PNG}}}"#), false, &["/result"], &format!("{{}} [{part}]"));
    }

    #[test]
    fn an_edited_response_tells_its_own_result() {
        let mut mark = AdkMark::default();
        record(&mut mark, "c1", &json(r#"{"result":1}"#), &Recording::default());
        let response = FunctionResponse::new("c1", "give", json(r#"{"result":2}"#));
        assert_eq!(mark.returned(&response), Some(json("2")));
    }
}
