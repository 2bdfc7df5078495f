//! [`SubSchema`]: every schema in a schema, with its pointer and what it describes.

use json_text::pointer;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ptr;
use std::rc::Rc;

use schema_form::{canonical_keyword, canonical_types};
use serde_json::{Map, Value};

/// One schema within a tool's parameters.
#[derive(Debug)]
pub(crate) struct SubSchema<'d> {
    /// Its JSON pointer in the declaration.
    pub(crate) pointer: String,
    /// The schema.
    pub(crate) members: &'d Schema,
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
    /// One of several schemas for the same value: it may have only what it adds.
    Aspect {
        /// Whether it holds for every value, as those of `allOf` do.
        holds: bool,
    },
}

impl Part<'_> {
    /// A schema that need not hold.
    pub(crate) const ASIDE: Self = Self::Aspect { holds: false };

    /// Whether other schemas may complete it.
    pub(crate) fn is_aspect(self) -> bool {
        matches!(self, Self::Aspect { .. })
    }
}

impl<'d> SubSchema<'d> {
    /// The value of the first of `keywords` that is there.
    pub(crate) fn get(&self, keywords: &[&str]) -> Option<&'d Value> {
        keywords.iter().find_map(|keyword| keyword_value(self.members, keyword))
    }

    /// Whether it is the schema at `pointer`, or within it.
    pub(crate) fn is_within(&self, pointer: &str) -> bool {
        let below = self.pointer.strip_prefix(pointer);
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    }

    /// Whether the schema is composed of others, which may complete it.
    pub(crate) fn is_composed(&self) -> bool {
        self.get(&["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if"]).is_some()
    }

    /// The pattern of the text, and those of members' names, each with its pointer.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = (String, &'d str)> {
        let own = self.members.get("pattern").and_then(Value::as_str);
        let own = own.map(|pattern| (self.at("pattern"), pattern));
        let of_names = self.members.get("patternProperties").and_then(Value::as_object);
        let of_names = of_names.into_iter().flat_map(Map::keys).map(|pattern| {
            (format!("{}/{}", self.at("patternProperties"), token(pattern)), pattern.as_str())
        });
        own.into_iter().chain(of_names)
    }

    /// The pointer of a keyword in here, spelled as it is written.
    pub(crate) fn at(&self, keyword: &str) -> String {
        format!("{}/{}", self.pointer, token(written(self.members, keyword).unwrap_or(keyword)))
    }
}

/// The value of a keyword in a schema, in whichever spelling.
pub(crate) fn keyword_value<'d>(schema: &'d Schema, keyword: &str) -> Option<&'d Value> {
    schema.get(written(schema, keyword)?)
}

/// A keyword as a schema spells it, if it has it.
fn written<'w>(schema: &'w Schema, keyword: &'w str) -> Option<&'w str> {
    if schema.contains_key(keyword) {
        return Some(keyword);
    }
    schema.keys().map(String::as_str).find(|name| canonical_keyword(name) == keyword)
}

/// The schemas that apply together with one: its reference target and those of `allOf`.
fn held<'d>(schema: &'d Schema, root: &'d Value) -> impl Iterator<Item = &'d Schema> {
    let of_all = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    target(schema, root).into_iter().chain(of_all).filter_map(Value::as_object)
}

/// What the schema's reference leads to.
pub(crate) fn target<'d>(schema: &Schema, root: &'d Value) -> Option<&'d Value> {
    resolve(root, keyword_value(schema, "$ref")?.as_str()?)
}

/// The schemas within a tool's parameters.
#[derive(Debug)]
pub(crate) struct SubSchemas<'d> {
    /// The parameters' schema, within which references lead.
    pub(crate) root: &'d Value,
    /// Outermost first, in the order written. Conditions and negations are left out: what they say
    /// need not hold.
    pub(crate) all: Vec<SubSchema<'d>>,
    known: HashMap<*const Schema, Known<'d>>,
    beside: RefCell<HashMap<*const Schema, Rc<[&'d Schema]>>>,
    has_inner_ids: bool,
}

type Schema = Map<String, Value>;

/// What is known of a schema that is one of all.
#[derive(Debug)]
struct Known<'d> {
    position: usize,
    held: Vec<&'d Schema>,
}

impl<'d> SubSchemas<'d> {
    /// The schemas in `root`, whose pointer in the declaration is `base`.
    pub(crate) fn of(root: &'d Value, base: &str) -> Self {
        let mut all = Vec::new();
        walk(root, base, Part::Whole, &mut all);
        let known = all.iter().enumerate().map(|(position, place)| {
            let held = held(place.members, root).collect();
            (ptr::from_ref(place.members), Known { position, held })
        });
        let known = known.collect();
        let has_inner_ids = all.iter().skip(1).any(|place| place.members.contains_key("$id"));
        Self { root, all, known, beside: RefCell::default(), has_inner_ids }
    }

    /// Whether a schema inside has an `$id`, to which references around it are relative.
    pub(crate) fn has_inner_ids(&self) -> bool {
        self.has_inner_ids
    }

    /// Whether only the reference of a schema counts: up to draft 7, other keywords beside `$ref` are
    /// ignored.
    pub(crate) fn is_reference_alone(&self, schema: &Schema) -> bool {
        let edition = self.root.get("$schema").and_then(Value::as_str);
        edition.is_some_and(|name| name.contains("/draft-0"))
            && keyword_value(schema, "$ref").is_some_and(Value::is_string)
    }

    /// Whether there must be a value for the schema: it is the outermost, or of a required member.
    pub(crate) fn is_needed(&self, place: &SubSchema<'d>) -> bool {
        let Part::Argument(name) = place.part else {
            return self.position(place.members) == Some(0);
        };
        let object = place.pointer.rsplit_once("/properties/").map(|(object, _)| object);
        let object = self.all.iter().find(|it| Some(it.pointer.as_str()) == object);
        let required = object.and_then(|object| object.members.get("required"));
        required.and_then(Value::as_array).is_some_and(|names| names.iter().any(|it| it == name))
    }

    /// The index of a schema; `None` for one that is only referenced.
    pub(crate) fn position(&self, schema: &Schema) -> Option<usize> {
        self.known.get(&ptr::from_ref(schema)).map(|known| known.position)
    }

    /// The place of a schema that is one of all.
    pub(crate) fn place_of(&self, schema: &Schema) -> Option<&SubSchema<'d>> {
        self.all.get(self.position(schema)?)
    }

    /// The schema, and those that hold beside it: of `allOf`, and what `$ref` leads to. Each once.
    pub(crate) fn beside(&self, schema: &'d Schema) -> Rc<[&'d Schema]> {
        let found = self.beside.borrow().get(&ptr::from_ref(schema)).map(Rc::clone);
        found.unwrap_or_else(|| {
            let found: Rc<[_]> = self.follow(schema).into();
            self.beside.borrow_mut().insert(ptr::from_ref(schema), Rc::clone(&found));
            found
        })
    }

    fn follow(&self, schema: &'d Schema) -> Vec<&'d Schema> {
        /// How many schemas are followed.
        const MOST: usize = 100;
        let mut seen: Vec<&Schema> = Vec::new();
        let mut found: Vec<&Schema> = Vec::new();
        let mut ahead = vec![schema];
        while let Some(schema) = ahead.pop() {
            if seen.len() >= MOST || seen.iter().any(|known| ptr::eq(*known, schema)) {
                continue;
            }
            seen.push(schema);
            if found.is_empty() || !self.is_reference_alone(schema) {
                found.push(schema);
            }
            match self.known.get(&ptr::from_ref(schema)) {
                Some(known) => ahead.extend(&known.held),
                None => ahead.extend(held(schema, self.root)),
            }
        }
        found
    }

    /// Whether a problem of the merged schemas at `place` is already reported at one of these schemas,
    /// because `faulty` is true there, too.
    pub(crate) fn is_reported_for_layer(
        &self,
        place: &SubSchema<'d>,
        faulty: impl Fn(&SubSchema<'d>, &[&'d Schema]) -> bool,
    ) -> bool {
        let own = self.position(place.members);
        self.beside(place.members).iter().skip(1).any(|inner| {
            // Schemas that are only referenced are not checked by themselves.
            let Some(position) = self.position(inner) else { return false };
            let within = self.beside(inner);
            // Of schemas that refer to each other, the first reports.
            let leads_back = || within.iter().any(|schema| ptr::eq(*schema, place.members));
            (Some(position) < own || !leads_back()) && faulty(&self.all[position], &within)
        })
    }
}

fn walk<'d>(schema: &'d Value, pointer: &str, part: Part<'d>, found: &mut Vec<SubSchema<'d>>) {
    let Value::Object(members) = schema else { return };
    found.push(SubSchema { pointer: pointer.to_owned(), members, part });
    for (keyword, value) in members {
        let at = format!("{pointer}/{}", token(keyword));
        match (canonical_keyword(keyword), value) {
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
            (keyword @ ("anyOf" | "oneOf" | "allOf"), Value::Array(schemas)) => {
                let aspect = Part::Aspect { holds: keyword == "allOf" && part != Part::ASIDE };
                for (index, schema) in schemas.iter().enumerate() {
                    walk(schema, &format!("{at}/{index}"), aspect, found);
                }
            }
            ("items" | "prefixItems", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    walk(schema, &format!("{at}/{index}"), Part::Whole, found);
                }
            }
            ("then" | "else" | "contains" | "propertyNames", schema) => {
                walk(schema, &at, Part::ASIDE, found);
            }
            ("items" | "additionalProperties", schema) => {
                walk(schema, &at, Part::Whole, found);
            }
            _ => {}
        }
    }
}

/// Whether the schema only says that there is no value, as `false` does: it forbids a member or an item.
pub(crate) fn forbids(schema: &Schema) -> bool {
    schema.get("not").is_some_and(admits_all)
        && schema.keys().all(|keyword| keyword == "not" || is_annotation(keyword))
}

/// Whether the schema states nothing.
pub(crate) fn admits_all(schema: &Value) -> bool {
    match schema {
        Value::Bool(admits) => *admits,
        Value::Object(members) => members.keys().all(|keyword| is_annotation(keyword)),
        _ => false,
    }
}

/// Whether the keyword only describes.
pub(crate) fn is_annotation(keyword: &str) -> bool {
    matches!(keyword, "title" | "description" | "$comment" | "examples" | "default")
}

/// A name as a JSON pointer's token.
pub(crate) fn token(name: &str) -> String {
    pointer::step(name)
}

/// The JSON Schema types of the schema's `type`; none without `type`, or if it is unknown or vague.
pub(crate) fn types_of(schema: &Schema) -> Vec<&'static str> {
    let names: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => return Vec::new(),
    };
    let mut types = Vec::new();
    for name in names {
        match canonical_types(name) {
            Some([one]) => types.push(*one),
            _ => return Vec::new(),
        }
    }
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        types.push("null");
    }
    types
}

/// The target of a reference within the parameters. Only JSON pointers are resolved: anchors are rare,
/// and schemas with unknown targets are not checked.
pub(crate) fn resolve<'d>(root: &'d Value, reference: &str) -> Option<&'d Value> {
    root.pointer(reference.strip_prefix('#')?)
}
