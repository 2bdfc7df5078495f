//! Members of JSON objects as text: found, left out, and joined to an object again.

use json_text::JsonText;
use serde_json::value::RawValue;

/// Members of an object with their values as JSON text.
pub(super) type Members<'a> = Vec<(&'a str, String)>;

/// The JSON text of an object with these members.
pub(super) fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{}:{value}", JsonText::string(key))).collect();
    format!("{{{}}}", members.join(","))
}

/// The value of the first member with this name.
pub(super) fn member<'a>(members: &[(String, &'a RawValue)], name: &str) -> Option<&'a RawValue> {
    members.iter().find(|(key, _)| key == name).map(|(_, raw)| *raw)
}

/// All members except those with this name.
pub(super) fn texts_except<'k>(members: &'k [(String, &RawValue)], name: &str) -> Members<'k> {
    let others = members.iter().filter(|(key, _)| key != name);
    others.map(|(key, raw)| (key.as_str(), raw.get().to_owned())).collect()
}
