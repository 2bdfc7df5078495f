//! The schemas that apply to one value, and their combined keywords.

use schema_form::resolve_uri;
use serde_json::{Map, Value};

use crate::text;

/// The schemas that apply to one value.
pub(super) type Layers<'s> = Vec<&'s Map<String, Value>>;

/// The keyword's value in every layer that has it.
pub(super) fn each<'l, 's>(
    layers: &'l Layers<'s>,
    keyword: &'l str,
) -> impl Iterator<Item = &'s Value> + use<'l, 's> {
    layers.iter().filter_map(move |layer| layer.get(keyword))
}

/// The types that all layers allow; implied by their keywords where none has a `type`.
pub(super) fn kinds(layers: &Layers<'_>) -> Vec<&'static str> {
    const ALL: [&str; 7] = ["string", "integer", "number", "object", "array", "boolean", "null"];
    const HINTS: [(&str, &str); 20] = [
        ("properties", "object"),
        ("required", "object"),
        ("additionalProperties", "object"),
        ("patternProperties", "object"),
        ("propertyNames", "object"),
        ("minProperties", "object"),
        ("dependentRequired", "object"),
        ("dependentSchemas", "object"),
        ("items", "array"),
        ("prefixItems", "array"),
        ("contains", "array"),
        ("minItems", "array"),
        ("uniqueItems", "array"),
        ("pattern", "string"),
        ("minLength", "string"),
        ("maxLength", "string"),
        ("format", "string"),
        ("minimum", "number"),
        ("maximum", "number"),
        ("multipleOf", "number"),
    ];
    let mut kinds: Option<Vec<&'static str>> = None;
    for types in each(layers, "type") {
        let names: Vec<&str> = match types {
            Value::String(name) => vec![name.as_str()],
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        let admits =
            |kind: &str| names.contains(&kind) || (kind == "integer" && names.contains(&"number"));
        let before = kinds.take().unwrap_or_else(|| ALL.to_vec());
        kinds = Some(before.into_iter().filter(|kind| admits(kind)).collect());
    }
    kinds.unwrap_or_else(|| {
        let hinted: Vec<_> = HINTS
            .into_iter()
            .filter(|(keyword, _)| each(layers, keyword).next().is_some())
            .map(|(_, kind)| kind)
            .collect();
        if hinted.is_empty() { ALL.to_vec() } else { hinted }
    })
}

/// Whether a schema may nest further.
pub(super) fn is_nested(schema: &Value) -> bool {
    ["$ref", "$dynamicRef", "properties", "items", "anyOf", "oneOf", "allOf", "prefixItems"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some())
}

/// The schema with the URI `address` in `schema`, whose base URI is `base`.
fn addressed<'s>(schema: &'s Value, base: &str, address: &str) -> Option<&'s Value> {
    let own = schema.get("$id").and_then(Value::as_str).map(|it| it.trim_end_matches('#'));
    let own = own.filter(|it| !it.is_empty()).map(|it| resolve_uri(base, it));
    if own.as_deref() == Some(address) {
        return Some(schema);
    }
    let base = own.as_deref().unwrap_or(base);
    match schema {
        Value::Object(members) => members.values().find_map(|it| addressed(it, base, address)),
        Value::Array(items) => items.iter().find_map(|it| addressed(it, base, address)),
        _ => None,
    }
}

/// The target of a reference within the document.
pub(super) fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let Some(fragment) = reference.strip_prefix('#') else {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = root.get("$id").and_then(Value::as_str).unwrap_or_default();
        let holder = addressed(root, "", &resolve_uri(base.trim_end_matches('#'), address))?;
        let fragment = text::percent_decoded(fragment)?;
        return holder.pointer(&fragment);
    };
    let fragment = text::percent_decoded(fragment)?;
    if fragment.is_empty() || fragment.starts_with('/') {
        return root.pointer(&fragment);
    }
    // Draft 7 writes an anchor as `$id`, with its `#`.
    let edition = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let names: &[(&str, &str)] = if edition.contains("/draft-07/") {
        &[("$id", reference)]
    } else {
        &[("$anchor", &fragment), ("$dynamicAnchor", &fragment)]
    };
    let mut ahead = vec![root];
    while let Some(value) = ahead.pop() {
        let text = |keyword: &str| value.get(keyword).and_then(Value::as_str);
        if names.iter().any(|(keyword, name)| text(keyword) == Some(*name)) {
            return Some(value);
        }
        match value {
            Value::Object(members) => ahead.extend(members.values()),
            Value::Array(items) => ahead.extend(items),
            _ => {}
        }
    }
    None
}
