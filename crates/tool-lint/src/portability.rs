//! What each model provider rejects or ignores in a declaration, by the limits that it documents.
//!
//! The sources of the limits are in `docs/guide/linting-tools.md`.

use schema_form::canonical_keyword;
use serde::Serialize;
use serde_json::Value;

use crate::sub_schema::{Part, SubSchema, SubSchemas, token};

/// A provider's API that takes tool declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Provider {
    /// OpenAI.
    OpenAI,
    /// OpenAI, with `strict: true`.
    #[serde(rename = "OpenAI strict")]
    OpenAIStrict,
    /// Anthropic.
    Anthropic,
    /// Anthropic, with `strict: true`.
    #[serde(rename = "Anthropic strict")]
    AnthropicStrict,
    /// Gemini.
    Gemini,
}

impl Provider {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAI => "OpenAI",
            Self::OpenAIStrict => "OpenAI strict",
            Self::Anthropic => "Anthropic",
            Self::AnthropicStrict => "Anthropic strict",
            Self::Gemini => "Gemini",
        }
    }
}

/// What a provider does with a part of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It rejects the request.
    Rejects,
    /// It ignores the part.
    Ignores,
}

/// A part of a declaration that a provider does not take.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Limitation {
    /// Which provider.
    pub provider: Provider,
    /// What it does.
    pub effect: Effect,
    /// The limit that it documents.
    pub limit: String,
    /// The keyword that breaks it, if the limit is about keywords.
    pub keyword: Option<String>,
    /// Where in the declaration, as a JSON pointer.
    pub pointer: String,
}

/// The most tools that a provider takes.
pub(crate) const MOST_TOOLS: [(Provider, usize); 2] =
    [(Provider::OpenAI, 128), (Provider::Gemini, 512)];
/// The most levels of objects in OpenAI's strict mode.
const MOST_LEVELS: usize = 10;
/// The most properties, and values of enums, of a schema in OpenAI's strict mode.
const MOST_PROPERTIES: usize = 5_000;
const MOST_ENUM_VALUES: usize = 1_000;
/// The longest argument name in Gemini's `parameters`.
const LONGEST_ARGUMENT: usize = 64;

/// Keywords that OpenAI's strict mode rejects.
const NOT_OF_OPENAI_STRICT: [&str; 7] =
    ["allOf", "dependentRequired", "dependentSchemas", "else", "if", "not", "then"];
/// Keywords that Anthropic's strict mode rejects.
const NOT_OF_ANTHROPIC_STRICT: [&str; 6] =
    ["maxItems", "maxLength", "maximum", "minLength", "minimum", "multipleOf"];
/// The keywords of JSON Schema that Gemini supports, in `parameters_json_schema`.
const OF_GEMINI: [&str; 21] = [
    "$anchor",
    "$defs",
    "$id",
    "$ref",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "oneOf",
    "prefixItems",
    "properties",
    "propertyOrdering",
    "required",
    "title",
    "type",
];
/// The fields of Gemini's own `Schema`, which `parameters` holds.
const OF_GEMINI_SCHEMA: [&str; 26] = [
    "additionalProperties",
    "anyOf",
    "default",
    "defs",
    "description",
    "enum",
    "example",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "propertyOrdering",
    "ref",
    "required",
    "title",
    "type",
    "$schema",
];
/// Keywords that do not limit values. Ignoring them changes nothing.
const ANNOTATIONS: [&str; 9] = [
    "$comment",
    "$schema",
    "default",
    "deprecated",
    "example",
    "examples",
    "externalDocs",
    "readOnly",
    "writeOnly",
];

/// Collects limitations of one declaration.
struct Limits<'l>(&'l mut Vec<Limitation>);

impl Limits<'_> {
    fn rejects(&mut self, provider: Provider, limit: impl Into<String>, pointer: &str) {
        self.0.push(Limitation {
            provider,
            effect: Effect::Rejects,
            limit: limit.into(),
            keyword: None,
            pointer: pointer.to_owned(),
        });
    }
}

/// The limits of the tool's name.
pub(crate) fn name(name: &str, found: &mut Vec<Limitation>) {
    let mut limits = Limits(found);
    let has_only = |more: &str| {
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || more.contains(letter))
    };
    let fits = |more, most| has_only(more) && !name.is_empty() && name.len() <= most;
    if !fits("_-", 64) {
        limits.rejects(Provider::OpenAI, "names match ^[a-zA-Z0-9_-]{1,64}$", "/name");
    }
    if !fits("_-", 128) {
        limits.rejects(Provider::Anthropic, "names match ^[a-zA-Z0-9_-]{1,128}$", "/name");
    }
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    if !begins || !fits("_.:-", 128) {
        limits.rejects(Provider::Gemini, "names match ^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$", "/name");
    }
}

/// The limits of the parameters' schema. `google`: it is in `parameters`, where Gemini reads its own
/// `Schema`.
pub(crate) fn schema(places: &SubSchemas<'_>, google: bool, found: &mut Vec<Limitation>) {
    let mut limits = Limits(found);
    if let Some(root) = places.all.first() {
        for keyword in root.members.keys().map(|written| canonical_keyword(written)) {
            let at = root.at(keyword);
            let composes = ["allOf", "anyOf", "oneOf"].contains(&keyword);
            if composes || ["enum", "not"].contains(&keyword) {
                let limit = "no oneOf, anyOf, allOf, enum or not at the top level";
                limits.rejects(Provider::OpenAI, limit, &at);
            }
            if composes {
                let limit = "no oneOf, allOf or anyOf at the top level";
                limits.rejects(Provider::Anthropic, limit, &at);
            }
        }
    }
    for place in &places.all {
        for written in place.members.keys() {
            of_keyword(place, written, google, &mut limits);
        }
        if let Part::Argument(name) = place.part
            && google
            && !is_argument_of_gemini(name)
        {
            let limit = "names in `parameters` match ^[a-zA-Z_][a-zA-Z0-9_]{0,63}$";
            limits.rejects(Provider::Gemini, limit, &place.pointer);
        }
    }
    sizes(places, &mut limits);
}

fn of_keyword(place: &SubSchema<'_>, written: &str, google: bool, limits: &mut Limits<'_>) {
    let keyword = canonical_keyword(written);
    let mut add = |provider, effect, limit: &str| {
        let pointer = format!("{}/{}", place.pointer, token(written));
        let (limit, keyword) = (limit.to_owned(), Some(written.to_owned()));
        limits.0.push(Limitation { provider, effect, limit, keyword, pointer });
    };
    let unsupported = "keywords that it does not support";
    if NOT_OF_OPENAI_STRICT.contains(&keyword) {
        add(Provider::OpenAIStrict, Effect::Rejects, unsupported);
    }
    if NOT_OF_ANTHROPIC_STRICT.contains(&keyword) {
        add(Provider::AnthropicStrict, Effect::Rejects, unsupported);
    }
    if keyword == "minItems" && place.get(&["minItems"]).and_then(Value::as_u64) > Some(1) {
        add(Provider::AnthropicStrict, Effect::Rejects, "values other than 0 and 1");
    }
    if google {
        if ![written, keyword].iter().any(|it| OF_GEMINI_SCHEMA.contains(it)) {
            add(
                Provider::Gemini,
                Effect::Rejects,
                "keywords in `parameters` that its Schema lacks",
            );
        }
    } else if !OF_GEMINI.contains(&keyword) && !ANNOTATIONS.contains(&keyword) {
        add(Provider::Gemini, Effect::Ignores, unsupported);
    }
}

fn is_argument_of_gemini(name: &str) -> bool {
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    begins && plain && name.len() <= LONGEST_ARGUMENT
}

/// What is limited for the schema as a whole.
fn sizes(places: &SubSchemas<'_>, limits: &mut Limits<'_>) {
    let base = places.all.first().map(|root| root.pointer.clone()).unwrap_or_default();
    let is_object = |place: &&SubSchema<'_>| place.members.contains_key("properties");
    let objects = || places.all.iter().filter(is_object);
    let deep = objects().find(|place| {
        let around = objects().filter(|outer| outer.pointer != place.pointer);
        around.filter(|outer| place.is_within(&outer.pointer)).count() >= MOST_LEVELS
    });
    if let Some(deep) = deep {
        let limit = format!("at most {MOST_LEVELS} levels of nested objects");
        limits.rejects(Provider::OpenAIStrict, limit, &deep.pointer);
    }
    let properties =
        places.all.iter().filter(|place| matches!(place.part, Part::Argument(_))).count();
    if properties > MOST_PROPERTIES {
        let limit = format!("at most {MOST_PROPERTIES} properties");
        limits.rejects(Provider::OpenAIStrict, limit, &base);
    }
    let values = places.all.iter().filter_map(|place| place.members.get("enum")?.as_array());
    if values.map(Vec::len).sum::<usize>() > MOST_ENUM_VALUES {
        let limit = format!("at most {MOST_ENUM_VALUES} enum values");
        limits.rejects(Provider::OpenAIStrict, limit, &base);
    }
}

/// The limits of a list with this many tools before: of the first tool that is too many.
pub(crate) fn of_list(before: usize, found: &mut Vec<Limitation>) {
    for (provider, most) in MOST_TOOLS {
        if before == most {
            Limits(found).rejects(provider, format!("at most {most} tools"), "");
        }
    }
}
