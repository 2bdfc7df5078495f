//! [`written_twice`]: why a JSON text stays one.

use std::collections::HashSet;

use json_text::{JsonText, Node};

/// The name of the first member that stands a second time in the object that `text` is; `None` where
/// no name does, or the text is no object. A form has one place for each name, so it would drop one
/// of the two.
///
/// ```
/// assert_eq!(schema_form::written_twice(r#"{"a": 1, "b": 2, "a": 3}"#).as_deref(), Some("a"));
/// assert_eq!(schema_form::written_twice(r#"{"a": {"a": 1}}"#), None);
/// ```
#[must_use]
pub fn written_twice(text: &str) -> Option<String> {
    let value = JsonText::parse(text.trim()).ok()?;
    let Node::Object(members) = value.open() else { return None };
    let mut seen = HashSet::with_capacity(members.len());
    members.into_iter().map(|(name, _)| name).find(|name| !seen.insert(name.clone()))
}
