//! Hints at keywords of other drafts of JSON Schema than the one in `$schema`: they have no effect, or
//! make a schema unusable.

use serde_json::Value;

use crate::sub_schema::{SubSchema, SubSchemas, keyword_value};

/// Keywords of 2019-09 and later, which draft 7 ignores.
const LATER: [&str; 5] = [
    "prefixItems",
    "dependentSchemas",
    "dependentRequired",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// A sentence about the first keyword of another draft at or below `pointer`, with a space before it;
/// empty without one.
pub(crate) fn hint(places: &SubSchemas<'_>, pointer: &str) -> String {
    let draft = places.root.get("$schema").and_then(Value::as_str);
    let mut within = places.all.iter().filter(|place| place.is_within(pointer));
    let hint = match draft {
        None => within.find_map(|place| {
            let (at, instead) = earlier(place)?;
            Some(format!(
                "`{at}` has the form of drafts before 2020-12: write {instead}, or set `$schema` to \
                 the draft."
            ))
        }),
        Some(named) if named.contains("2020-12") => within.find_map(|place| {
            let (at, instead) = earlier(place)?;
            Some(format!(
                "`{at}` has the form of drafts before 2020-12, but `$schema` is 2020-12: write \
                 {instead}."
            ))
        }),
        Some(named) if named.contains("/draft-0") => within.find_map(|place| {
            let later = LATER.into_iter().find(|it| keyword_value(place.members, it).is_some())?;
            Some(format!(
                "`$schema` is {named}, which does not have `{}`: set it to 2020-12, or use a keyword \
                 of that draft.",
                place.at(later)
            ))
        }),
        Some(_) => None,
    };
    hint.map(|hint| format!(" {hint}")).unwrap_or_default()
}

/// A keyword that only drafts before 2020-12 have, and its replacement.
fn earlier(place: &SubSchema<'_>) -> Option<(String, &'static str)> {
    let is_flag = |keyword| matches!(keyword_value(place.members, keyword), Some(Value::Bool(_)));
    let (keyword, instead) = match () {
        () if matches!(keyword_value(place.members, "items"), Some(Value::Array(_))) => {
            ("items", "`prefixItems`")
        }
        () if is_flag("exclusiveMinimum") => ("exclusiveMinimum", "the limit itself"),
        () if is_flag("exclusiveMaximum") => ("exclusiveMaximum", "the limit itself"),
        () if keyword_value(place.members, "dependencies").is_some() => {
            ("dependencies", "`dependentRequired` or `dependentSchemas`")
        }
        () => return None,
    };
    Some((place.at(keyword), instead))
}
