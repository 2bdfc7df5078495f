//! Paths to values within JSON, as cases write them: `order.total`, `pains.0.in`.

use json_text::{JsonValue, Kind};

/// The value with this name, or at this path of names and of indexes of lists.
pub(crate) fn along<'d>(value: JsonValue<'d>, path: &str) -> Option<JsonValue<'d>> {
    value.member(path).or_else(|| {
        path.split('.').try_fold(value, |at, step| match at.kind() {
            Kind::Array => at.item(step.parse().ok()?),
            _ => at.member(step),
        })
    })
}
