//! Rules for keywords that have no effect: unknown ones, and those that do not apply to the type.

use schema_form::canonical_keyword;
use serde_json::Value;

use crate::sub_schema::{SubSchema, SubSchemas, token, types_of};
use crate::{Report, Rule};

/// The keywords of JSON Schema, from draft 4 to 2020-12, that apply to any type.
const GENERAL: [&str; 37] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "allOf",
    "anyOf",
    "const",
    "default",
    "definitions",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "format",
    "id",
    "if",
    "not",
    "oneOf",
    "readOnly",
    "then",
    "title",
    "type",
    "writeOnly",
    // OpenAPI's, google.genai's and MCP's.
    "defs",
    "discriminator",
    "enumNames",
    "example",
    "nullable",
    "xml",
];

/// Keywords that limit values of one type, and that type.
const OF_TYPE: [(&str, &str); 34] = [
    ("contentEncoding", "string"),
    ("contentMediaType", "string"),
    ("contentSchema", "string"),
    ("maxLength", "string"),
    ("minLength", "string"),
    ("pattern", "string"),
    ("exclusiveMaximum", "number"),
    ("exclusiveMinimum", "number"),
    ("maximum", "number"),
    ("minimum", "number"),
    ("multipleOf", "number"),
    ("additionalItems", "array"),
    ("contains", "array"),
    ("items", "array"),
    ("maxContains", "array"),
    ("maxItems", "array"),
    ("minContains", "array"),
    ("minItems", "array"),
    ("prefixItems", "array"),
    ("unevaluatedItems", "array"),
    ("uniqueItems", "array"),
    ("additionalProperties", "object"),
    ("dependencies", "object"),
    ("dependentRequired", "object"),
    ("dependentSchemas", "object"),
    ("externalDocs", "object"),
    ("maxProperties", "object"),
    ("minProperties", "object"),
    ("patternProperties", "object"),
    ("properties", "object"),
    ("propertyNames", "object"),
    ("propertyOrdering", "object"),
    ("required", "object"),
    ("unevaluatedProperties", "object"),
];

pub(crate) fn check(place: &SubSchema<'_>, places: &SubSchemas<'_>, report: &mut Report) {
    // Nothing beside a reference counts, and keywords of an unknown dialect are not known.
    if places.is_reference_alone(place.members) || has_own_dialect(places.root) {
        return;
    }
    let types = types_of(place.members);
    for (written, value) in place.members {
        let keyword = canonical_keyword(written);
        let pointer = format!("{}/{}", place.pointer, token(written));
        match OF_TYPE.iter().find(|(known, _)| *known == keyword) {
            // `required: true` is reported as misplaced.
            Some(("required", _)) if value.is_boolean() => {}
            Some((_, of)) if !types.is_empty() && !applies(of, &types) => {
                let message = format!(
                    "`{written}` limits only values of type {of}, but the type is {}: remove it, or \
                     correct the type.",
                    types.join(" or ")
                );
                report.find(Rule::KeywordIdle, &pointer, message);
            }
            Some(_) => {}
            None if GENERAL.contains(&keyword) || written.starts_with("x-") => {}
            None => {
                let remedy = match nearest(written) {
                    Some(meant) => format!("write `{meant}`"),
                    None => "remove it, or say it in the description".to_owned(),
                };
                let message =
                    format!("JSON Schema has no keyword `{written}`, so it is ignored: {remedy}.");
                report.find(Rule::KeywordUnknown, &pointer, message);
            }
        }
    }
}

fn applies(of: &str, types: &[&str]) -> bool {
    types.iter().any(|kind| *kind == of || *kind == "integer" && of == "number")
}

/// Whether `$schema` names something else than a draft of JSON Schema.
fn has_own_dialect(root: &Value) -> bool {
    let named = root.get("$schema").and_then(Value::as_str);
    named.is_some_and(|named| !named.contains("json-schema.org/"))
}

/// The keyword that `written` may be a misspelling of.
fn nearest(written: &str) -> Option<&'static str> {
    let known = GENERAL.iter().copied().chain(OF_TYPE.iter().map(|(known, _)| *known));
    // Short names are near to too many.
    let most = if written.len() < 6 { 1 } else { 2 };
    let near = known.map(|known| (distance(&written.to_lowercase(), &known.to_lowercase()), known));
    near.filter(|(far, _)| *far <= most).min_by_key(|(far, _)| *far).map(|(_, known)| known)
}

/// How many letters must be added, removed, replaced, or swapped with the next one.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let is_same = one[i - 1] == other[j - 1];
            let replaced = rows[i - 1][j - 1] + usize::from(!is_same);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

/// A member that is given twice in a declaration: parsers keep one of the two.
pub(crate) fn repeated(declaration: &json_text::JsonText, report: &mut Report) {
    if let Some(error) = json_text::repeated_member(declaration.as_str()) {
        let message = format!("Providers keep only one of two members: {error}. Remove one.");
        report.find(Rule::KeyRepeated, "", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_keyword_has_a_suggestion() {
        for (written, meant) in [
            ("minLenght", Some("minLength")),
            ("maxlength", Some("maxLength")),
            ("enums", Some("enum")),
            ("desciption", Some("description")),
            ("additionalProperty", None),
            ("optional", None),
            ("label", None),
        ] {
            assert_eq!(nearest(written), meant, "{written}");
        }
    }
}
