//! [`Place`]: every schema in a schema, with its pointer and the part it plays.

use serde_json::{Map, Value};

/// One schema within a tool's parameters.
#[derive(Debug)]
pub(crate) struct Place<'d> {
    /// Where it stands in the declaration.
    pub(crate) pointer: String,
    /// The schema.
    pub(crate) members: &'d Map<String, Value>,
    /// What it describes.
    pub(crate) part: Part<'d>,
}

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'d> {
    /// The arguments as a whole, an item, a definition, further members.
    Whole,
    /// A named member.
    Argument(&'d str),
    /// One of several schemas for the same value: it may say only what it adds.
    Aspect,
}

impl<'d> Place<'d> {
    /// The keyword's value under the first of `names` that is there.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&'d Value> {
        names.iter().find_map(|name| self.members.get(*name))
    }

    /// Whether the schema is made of others, which may say what it does not.
    pub(crate) fn is_composed(&self) -> bool {
        ["$ref", "$dynamicRef", "ref", "allOf", "anyOf", "any_of", "oneOf", "if"]
            .iter()
            .any(|keyword| self.members.contains_key(*keyword))
    }

    /// The pointer of a keyword in here.
    pub(crate) fn at(&self, keyword: &str) -> String {
        format!("{}/{}", self.pointer, token(keyword))
    }
}

/// Every schema in `schema`, outermost first, in the order written. Conditions and negations are
/// left out: what they say need not hold.
pub(crate) fn places<'d>(schema: &'d Value, base: &str) -> Vec<Place<'d>> {
    let mut found = Vec::new();
    walk(schema, base, Part::Whole, &mut found);
    found
}

fn walk<'d>(schema: &'d Value, pointer: &str, part: Part<'d>, found: &mut Vec<Place<'d>>) {
    let Value::Object(members) = schema else { return };
    found.push(Place { pointer: pointer.to_owned(), members, part });
    for (keyword, value) in members {
        let at = format!("{pointer}/{}", token(keyword));
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, schema) in properties {
                    walk(schema, &format!("{at}/{}", token(name)), Part::Argument(name), found);
                }
            }
            ("$defs" | "definitions" | "patternProperties" | "defs", Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    walk(schema, &format!("{at}/{}", token(name)), Part::Whole, found);
                }
            }
            ("anyOf" | "any_of" | "oneOf" | "allOf", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    walk(schema, &format!("{at}/{index}"), Part::Aspect, found);
                }
            }
            ("items" | "prefixItems" | "prefix_items", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    walk(schema, &format!("{at}/{index}"), Part::Whole, found);
                }
            }
            ("then" | "else" | "contains" | "propertyNames", schema) => {
                walk(schema, &at, Part::Aspect, found);
            }
            ("items" | "additionalProperties" | "additional_properties", schema) => {
                walk(schema, &at, Part::Whole, found);
            }
            _ => {}
        }
    }
}

/// A name as a JSON pointer's token.
pub(crate) fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// JSON Schema's types that the schema's `type` stands for; none where it has no `type` or one that
/// means anything.
pub(crate) fn types_of(schema: &Value) -> Vec<&'static str> {
    let names: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => return Vec::new(),
    };
    let mut types = Vec::new();
    for name in names {
        match schema_form::types_meant(name) {
            Some([one]) => types.push(*one),
            _ => return Vec::new(),
        }
    }
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        types.push("null");
    }
    types
}

/// What a reference within the parameters leads to. JSON pointers only: anchors are rare, and what
/// is not found is not judged.
pub(crate) fn resolve<'d>(root: &'d Value, reference: &str) -> Option<&'d Value> {
    root.pointer(reference.strip_prefix('#')?)
}
