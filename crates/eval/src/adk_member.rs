//! Members of google-adk's files, whose names are written in two ways.

use json_text::{JsonValue, Kind};

/// A member by its name in snake case or, as pydantic writes it too, in camel case.
pub(crate) fn member<'d>(of: Option<JsonValue<'d>>, name: &str) -> Option<JsonValue<'d>> {
    let mut camel = String::new();
    for (at, word) in name.split('_').enumerate() {
        let mut letters = word.chars();
        match (at, letters.next()) {
            (0, Some(first)) => camel.push(first),
            (_, first) => camel.extend(first.map(|it| it.to_ascii_uppercase())),
        }
        camel.push_str(letters.as_str());
    }
    let found = of?.member(name).or_else(|| of?.member(&camel));
    found.filter(|value| value.kind() != Kind::Null)
}
