//! Reads and replaces one member of a metadata object.

use json_text::{JsonText, Node};

/// The member with that name; `None` if `object` is not an object.
pub(super) fn member(object: Option<&JsonText>, name: &str) -> Option<JsonText> {
    let Node::Object(members) = object?.open() else { return None };
    members.into_iter().rfind(|(key, _)| key == name).map(|(_, value)| JsonText::from(value))
}

/// `object` with the member replaced, or removed with `None`; `None` if it is then empty. A value that is
/// not an object is replaced by one.
pub(super) fn with_member(
    object: Option<&JsonText>,
    name: &str,
    value: Option<JsonText>,
) -> Option<JsonText> {
    let node = object.map(JsonText::open);
    let members = match node {
        Some(Node::Object(members)) => members,
        _ => Vec::new(),
    };
    let mut written: Vec<(String, JsonText)> =
        members.into_iter().map(|(key, raw)| (key, JsonText::from(raw))).collect();
    match (written.iter().rposition(|(key, _)| key == name), value) {
        (Some(at), Some(value)) => written[at].1 = value,
        (Some(at), None) => {
            written.remove(at);
        }
        (None, Some(value)) => written.push((name.to_owned(), value)),
        (None, None) => {}
    }
    let each = written.iter().map(|(key, value)| format!("{}:{value}", JsonText::string(key)));
    let each: Vec<String> = each.collect();
    if each.is_empty() { None } else { JsonText::parse(&format!("{{{}}}", each.join(","))).ok() }
}
