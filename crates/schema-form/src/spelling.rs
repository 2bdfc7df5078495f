//! Other spellings of JSON Schema's words: google.genai's keywords, and what types are called.
//!
//! Whoever reads a schema asks here, the host's check (`schema-check`) and lints among them: what
//! one of them knows and another does not is a form and a host that disagree.

/// JSON Schema's spelling of a keyword that google.genai's `Schema` writes otherwise; of any other
/// the keyword itself. `defs` has none: what it holds is reached by the pointer in a `ref`, which
/// names it.
///
/// ```
/// assert_eq!(schema_form::keyword_meant("min_items"), "minItems");
/// assert_eq!(schema_form::keyword_meant("minItems"), "minItems");
/// ```
#[must_use]
pub fn keyword_meant(keyword: &str) -> &str {
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

/// The types of JSON Schema that `name` stands for: one, or all of them for `any` and its like.
/// `None` for a name that means nothing here.
///
/// ```
/// assert_eq!(schema_form::types_meant("dict"), Some(["object"].as_slice()));
/// assert_eq!(schema_form::types_meant("any").map(<[_]>::len), Some(6));
/// assert_eq!(schema_form::types_meant("quaternion"), None);
/// ```
#[must_use]
pub fn types_meant(name: &str) -> Option<&'static [&'static str]> {
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
