//! [`member`]: a member of an object that may be absent.

use json_text::{JsonText, Node};

/// The last member with the name `wanted`, as Python reads repeated ones.
pub(crate) fn member(object: Option<&JsonText>, wanted: &str) -> Option<JsonText> {
    let Node::Object(members) = object?.open() else { return None };
    members.into_iter().rfind(|(key, _)| key == wanted).map(|(_, value)| value.into())
}
