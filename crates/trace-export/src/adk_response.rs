//! A tool's result as google-adk's runner records it, and the result of a recorded response.
//!
//! The runner records a dict as it is and any other value as `{"result": ...}`, and takes images,
//! sounds and files out into `parts`. Different results then have the same response, so a case has a
//! mark with the results that its responses do not tell.

use std::collections::BTreeMap;

use evalset::adk::{EvalCase, FunctionResponse};
use json_text::{JsonText, Kind, Node};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use session::Recording;

use crate::serialized::object;

/// The field of a case that says how its results are written.
const MARK: &str = "rehearsal";
/// The name of google-adk's form in the mark.
const ADK: &str = "adk";
/// In a result of the mark, the data of the part with this number.
const PART: &str = "$part";

/// The mark of a case whose results are written as google-adk's runner records them.
#[derive(Debug, Serialize, Deserialize)]
pub struct AdkMark {
    tool_response: String,
    /// What the tools returned where the responses do not tell, by the id of the call.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    returned: BTreeMap<String, JsonText>,
}

/// A result as the runner records it.
pub(crate) struct Recorded {
    pub(crate) response: JsonText,
    /// The images, sounds and files.
    pub(crate) parts: Option<JsonText>,
}

impl AdkMark {
    pub(crate) fn new() -> Self {
        Self { tool_response: ADK.to_owned(), returned: BTreeMap::new() }
    }

    /// The mark of `case`; `None` if its results are not marked as google-adk's.
    #[must_use]
    pub fn of(case: &EvalCase) -> Option<Self> {
        let mark: Self = case.written.extra(MARK)?.decode().ok()?;
        (mark.tool_response == ADK).then_some(mark)
    }

    pub(crate) fn write(&self, case: &mut EvalCase) {
        case.written.set_extra(MARK, object(self));
    }

    /// The response to the call `id` that returned `result`.
    pub(crate) fn record(
        &mut self,
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
        let is_told = parts.is_empty() && plain(&response).as_ref() == Some(result);
        if !is_told {
            self.returned.insert(id.to_owned(), shape);
        }
        let parts = (!parts.is_empty()).then(|| object(&parts));
        Recorded { response, parts }
    }

    /// What the tool returned whose response is `response`, if it has one.
    #[must_use]
    pub fn returned(&self, response: &FunctionResponse) -> Option<JsonText> {
        let recorded = response.response.as_ref()?;
        let kept = response.id.as_ref().and_then(|id| self.returned.get(id));
        match (kept, response.written.extra("parts").map(JsonText::open)) {
            (Some(shape), Some(Node::Array(parts))) => Some(with_data(shape, &parts)),
            // The response may have been edited since.
            (Some(kept), _) if kept.compact() == recorded.compact() => Some(kept.clone()),
            _ => plain(recorded),
        }
    }
}

/// What a response tells of its result.
fn plain(response: &JsonText) -> Option<JsonText> {
    let Node::Object(members) = response.open() else { return None };
    match members.as_slice() {
        [(key, result)] if key == "result" => Some(JsonText::from(*result)),
        _ => Some(response.clone()),
    }
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
        let key = key.replace('~', "~0").replace('/', "~1");
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
        let number = object(&BTreeMap::from([(PART, number)]));
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

/// `shape` with the data of `parts` in place of their numbers.
fn with_data(shape: &JsonText, parts: &[&RawValue]) -> JsonText {
    let Node::Object(members) = shape.open() else {
        let Node::Array(items) = shape.open() else { return shape.clone() };
        let items = items.into_iter().map(|raw| with_data(&JsonText::from(raw), parts));
        return object(&items.collect::<Vec<_>>());
    };
    if let [(key, number)] = members.as_slice()
        && key == PART
        && let Some(part) = number.get().parse().ok().and_then(|at: usize| parts.get(at))
    {
        let part = JsonText::from(*part);
        let inline = member(&part, "inline_data").or_else(|| member(&part, "inlineData"));
        return inline.and_then(|inline| member(&inline, "data")).unwrap_or_else(JsonText::null);
    }
    let members =
        members.into_iter().map(|(key, raw)| (key, with_data(&JsonText::from(raw), parts)));
    of_members(&members.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
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
        let (mut mark, result) = (AdkMark::new(), json(result));
        let recorded = mark.record("c1", &result, &Recording { wrapped, media });
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
        let mut mark = AdkMark::new();
        mark.record("c1", &json(r#"{"result":1}"#), &Recording::default());
        let response = FunctionResponse::new("c1", "give", json(r#"{"result":2}"#));
        assert_eq!(mark.returned(&response), Some(json("2")));
    }
}
