//! Other spellings of JSON Schema's keywords and types.
//!
//! The form, the host's check (`schema-check`) and the lints share this list, so that they agree on
//! what a schema means.

/// JSON Schema's spelling of a keyword of google.genai's `Schema`; any other keyword unchanged.
/// `defs` stays, because the pointers in `ref` contain it.
///
/// ```
/// assert_eq!(schema_form::canonical_keyword("min_items"), "minItems");
/// assert_eq!(schema_form::canonical_keyword("minItems"), "minItems");
/// ```
#[must_use]
pub fn canonical_keyword(keyword: &str) -> &str {
    match keyword {
        "any_of" => "anyOf",
        "min_items" => "minItems",
        "max_items" => "maxItems",
        "min_length" => "minLength",
        "max_length" => "maxLength",
        "min_properties" => "minProperties",
        "max_properties" => "maxProperties",
        "prefix_items" => "prefixItems",
        "unique_items" => "uniqueItems",
        "multiple_of" => "multipleOf",
        "additional_properties" => "additionalProperties",
        "property_ordering" => "propertyOrdering",
        "ref" => "$ref",
        same => same,
    }
}

/// The types of JSON Schema that `name` means: one, or all of them for `any` and similar names.
/// `None` for an unknown name.
///
/// ```
/// assert_eq!(schema_form::canonical_types("dict"), Some(["object"].as_slice()));
/// assert_eq!(schema_form::canonical_types("any").map(<[_]>::len), Some(6));
/// assert_eq!(schema_form::canonical_types("quaternion"), None);
/// ```
#[must_use]
pub fn canonical_types(name: &str) -> Option<&'static [&'static str]> {
    Some(match name.trim().to_ascii_lowercase().as_str() {
        "string" | "str" | "text" | "char" | "varchar" => &["string"],
        "integer" | "int" | "long" | "short" | "int32" | "int64" | "bigint" => &["integer"],
        "number" | "float" | "double" | "decimal" | "real" => &["number"],
        "boolean" | "bool" => &["boolean"],
        "object" | "dict" | "dictionary" | "map" | "hashmap" | "mapping" | "struct" => &["object"],
        "array" | "list" | "tuple" | "set" | "arraylist" | "sequence" | "vector" => &["array"],
        "null" | "none" | "nonetype" => &["null"],
        "any" | "" | "unknown" | "type_unspecified" => {
            &["string", "number", "boolean", "object", "array", "null"]
        }
        _ => return None,
    })
}
