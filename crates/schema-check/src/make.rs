//! [`values`]: values that a schema admits, made from the schema alone.
//!
//! A made value is a good guess; whether it is valid decides the check, and guesses that are not
//! are thrown away. The same schema always gives the same values.

use std::collections::HashSet;

use json_text::JsonText;
use serde_json::{Map, Number, Value, json};

use crate::Check;
use crate::plain::plain;
use crate::text;

/// How often a guess is made for one value that is wanted.
const GUESSES: usize = 40;

/// Below this depth only what must be there is made.
const DEEP: usize = 6;

/// Below this depth nothing is made: the guess is thrown away.
const DEEPEST: usize = 24;

/// How many nodes one guess may have.
const LARGEST: usize = 2_000;

/// At most `wanted` different values that `schema` admits: the first with as little as possible,
/// the second with as much, the rest in between. Fewer, or none, where guessing finds no more.
#[must_use]
pub fn values(schema: &JsonText, check: &Check, wanted: usize) -> Vec<JsonText> {
    let Ok(schema) = schema.to_value().map(plain) else { return Vec::new() };
    let mut found: Vec<JsonText> = Vec::with_capacity(wanted);
    let mut seen = HashSet::new();
    for guess in 0..wanted * GUESSES {
        if found.len() == wanted {
            break;
        }
        let extent = match found.len() {
            0 => Extent::Least,
            1 => Extent::Most,
            _ => Extent::Between,
        };
        let mut maker =
            Maker { root: &schema, chance: Chance::new(guess as u64), extent, left: LARGEST };
        let Some(value) = maker.make(&[&schema], 0) else { continue };
        if check.admits(&value) {
            let value = JsonText::from_value(&value);
            if seen.insert(value.as_str().to_owned()) {
                found.push(value);
            } else if guess > found.len() * GUESSES {
                // As good as exhausted: an enum, a boolean.
                break;
            }
        }
    }
    found
}

/// How much of what may be left out is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Least,
    Most,
    Between,
}

/// Numbers that look drawn, the same at every run (SplitMix64).
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 where that is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or(0)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of `items`; `None` of nothing.
    pub(crate) fn one_of<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }
}

/// One guess under way.
struct Maker<'s> {
    root: &'s Value,
    chance: Chance,
    extent: Extent,
    left: usize,
}

type Layers<'s> = Vec<&'s Map<String, Value>>;

impl<'s> Maker<'s> {
    /// A value for which all `schemas` should hold; `None` where this guess led nowhere.
    fn make(&mut self, schemas: &[&'s Value], depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        let layers = self.layers(schemas, depth)?;
        if let Some(value) = self.named(&layers) {
            return Some(value);
        }
        let kinds = kinds(&layers);
        let kind = *self.chance.one_of(&kinds)?;
        // What the author gives as an example fits where nothing else does, such as a pattern.
        if self.chance.one_in(6) {
            let examples: Vec<&Value> = each(&layers, "examples")
                .filter_map(Value::as_array)
                .flatten()
                .chain(each(&layers, "default"))
                .collect();
            if let Some(example) = self.chance.one_of(&examples) {
                return Some((*example).clone());
            }
        }
        match kind {
            "null" => Some(Value::Null),
            "boolean" => Some(Value::Bool(self.chance.one_in(2))),
            "integer" => self.number(&layers, true),
            "number" => self.number(&layers, false),
            "string" => Some(Value::String(self.string(&layers))),
            "array" => self.array(&layers, depth),
            _ => self.object(&layers, depth),
        }
    }

    /// The schemas that hold: references followed, `allOf` taken along, a branch of each union and
    /// one side of each `if` chosen.
    fn layers(&mut self, schemas: &[&'s Value], depth: usize) -> Option<Layers<'s>> {
        let mut layers: Layers<'s> = Vec::new();
        let mut ahead: Vec<&'s Value> = schemas.to_vec();
        while let Some(schema) = ahead.pop() {
            let members = match schema {
                Value::Bool(true) => continue,
                Value::Object(members) => members,
                _ => return None,
            };
            if layers.iter().any(|layer| std::ptr::eq(*layer, members)) {
                continue;
            }
            self.left = self.left.checked_sub(1)?;
            layers.push(members);
            for keyword in ["$ref", "$dynamicRef"] {
                if let Some(reference) = members.get(keyword).and_then(Value::as_str) {
                    ahead.push(resolve(self.root, reference)?);
                }
            }
            if let Some(all) = members.get("allOf").and_then(Value::as_array) {
                ahead.extend(all);
            }
            for keyword in ["anyOf", "oneOf"] {
                if let Some(branches) = members.get(keyword).and_then(Value::as_array) {
                    // Deep down the shallow branch: a recursive schema must end.
                    let shallow: Vec<&Value> =
                        branches.iter().filter(|branch| !is_nested(branch)).collect();
                    let all: Vec<&Value> = branches.iter().collect();
                    let choice = if depth >= DEEP && !shallow.is_empty() { shallow } else { all };
                    ahead.push(self.chance.one_of(&choice)?);
                }
            }
            if let Some(condition) = members.get("if") {
                if self.chance.one_in(2) {
                    ahead.push(condition);
                    ahead.extend(members.get("then"));
                } else {
                    ahead.extend(members.get("else"));
                }
            }
        }
        Some(layers)
    }

    /// One of the values that the schemas name, if they do.
    fn named(&mut self, layers: &Layers<'s>) -> Option<Value> {
        if let Some(value) = each(layers, "const").next() {
            return Some(value.clone());
        }
        let values = each(layers, "enum").filter_map(Value::as_array).min_by_key(|it| it.len())?;
        self.chance.one_of(values).cloned()
    }

    fn number(&mut self, layers: &Layers<'s>, whole: bool) -> Option<Value> {
        let bound = |keywords: [&'static str; 2]| {
            keywords.into_iter().flat_map(move |keyword| {
                each(layers, keyword).filter_map(Value::as_f64).map(move |it| (it, keyword))
            })
        };
        let exclusive = |keyword: &str| keyword.starts_with("exclusive");
        let least = bound(["minimum", "exclusiveMinimum"]).max_by(|a, b| a.0.total_cmp(&b.0));
        let most = bound(["maximum", "exclusiveMaximum"]).min_by(|a, b| a.0.total_cmp(&b.0));
        let step = each(layers, "multipleOf").filter_map(Value::as_f64).find(|step| *step > 0.0);
        let step = step.unwrap_or(if whole { 1.0 } else { 0.25 });
        let (low, high) = match (least, most) {
            (Some((low, _)), Some((high, _))) => (low, high),
            (Some((low, _)), None) => (low, low + 100.0 * step),
            (None, Some((high, _))) => (high - 100.0 * step, high),
            (None, None) if self.chance.one_in(8) => {
                let far = [json!(9_007_199_254_740_993_i64), json!(-1), json!(1e21), json!(1e-7)];
                let end = if whole { 2 } else { far.len() };
                return far.get(self.chance.below(end)).cloned();
            }
            (None, None) => (-20.0 * step, 100.0 * step),
        };
        let mut first = (low / step).ceil();
        if least.is_some_and(|(low, keyword)| exclusive(keyword) && first * step <= low) {
            first += 1.0;
        }
        let mut last = (high / step).floor();
        if most.is_some_and(|(high, keyword)| exclusive(keyword) && last * step >= high) {
            last -= 1.0;
        }
        if first > last {
            // No step falls between: the middle does, of a number without `multipleOf`.
            return Number::from_f64(low.midpoint(high)).map(Value::Number);
        }
        let span = (last - first).min(1e6);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "the span lies between 0 and a million"
        )]
        let place = match self.chance.below(4) {
            0 => 0.0,
            1 => last - first,
            _ => self.chance.below(span as usize + 1) as f64,
        };
        number_of((first + place) * step)
    }

    fn string(&mut self, layers: &Layers<'s>) -> String {
        let count = |keyword| each(layers, keyword).filter_map(Value::as_u64);
        let text_of = |keyword| each(layers, keyword).find_map(Value::as_str);
        let least = count("minLength").max().unwrap_or(0).min(LARGEST as u64);
        let most = count("maxLength").min();
        let pattern = text_of("pattern");
        let mut made = pattern
            .and_then(|pattern| text::matching(pattern, &mut self.chance))
            .or_else(|| text_of("format").and_then(text::formatted))
            .unwrap_or_else(|| text::word(&mut self.chance));
        if pattern.is_none() {
            while (made.chars().count() as u64) < least {
                made += if made.is_empty() { "tea" } else { " and more" };
            }
            if let Some(most) = most {
                made = made.chars().take(usize::try_from(most).unwrap_or(usize::MAX)).collect();
            }
        }
        made
    }

    fn array(&mut self, layers: &Layers<'s>, depth: usize) -> Option<Value> {
        let count = |keyword| {
            each(layers, keyword)
                .filter_map(Value::as_u64)
                .filter_map(|it| usize::try_from(it).ok())
        };
        let least = count("minItems").max().unwrap_or(0);
        let most = count("maxItems").min().unwrap_or(usize::MAX);
        let first = layers.iter().filter_map(|layer| heads(layer)).map(Vec::len).max().unwrap_or(0);
        let contains: Vec<&Value> = each(layers, "contains").collect();
        let length = match self.extent {
            _ if depth >= DEEP => least,
            Extent::Least => least,
            Extent::Most => least.max(first).max(2),
            Extent::Between => least.max(first) + self.chance.below(4),
        };
        let wanted = count("minContains").max().unwrap_or(1).min(LARGEST);
        let length = if contains.is_empty() { length } else { length.max(wanted) }.min(most);
        let unique = each(layers, "uniqueItems").any(|it| *it == Value::Bool(true));
        let mut items: Vec<Value> = Vec::new();
        let mut misses = 0;
        while items.len() < length {
            let index = items.len();
            let mut schemas: Vec<&'s Value> = Vec::new();
            for layer in layers {
                let heads = heads(layer);
                match heads.and_then(|heads| heads.get(index)) {
                    Some(head) => schemas.push(head),
                    None if heads.is_some() && layer.get("prefixItems").is_none() => {
                        schemas.extend(layer.get("additionalItems"));
                    }
                    None => schemas.extend(layer.get("items")),
                }
            }
            if index < wanted {
                schemas.extend(contains.iter().copied());
            }
            if schemas.contains(&&Value::Bool(false)) {
                break;
            }
            let item = self.make(&schemas, depth + 1)?;
            if unique && items.contains(&item) {
                misses += 1;
                if misses > 20 {
                    break;
                }
                continue;
            }
            items.push(item);
        }
        Some(Value::Array(items))
    }

    fn object(&mut self, layers: &Layers<'s>, depth: usize) -> Option<Value> {
        let mut required: Vec<&str> = each(layers, "required")
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut named: Vec<&'s str> = Vec::new();
        for (name, _) in each(layers, "properties").filter_map(Value::as_object).flatten() {
            if !named.contains(&name.as_str()) {
                named.push(name);
            }
        }
        let mut members = Map::new();
        for name in &named {
            let must = required.contains(name);
            let may = match self.extent {
                Extent::Least => false,
                Extent::Most => depth < DEEP,
                Extent::Between => depth < DEEP && self.chance.one_in(2),
            };
            if must || may {
                self.member(name, layers, &mut members, depth, must)?;
            }
        }
        for (name, needs) in ["dependentRequired", "dependencies"]
            .into_iter()
            .flat_map(|keyword| each(layers, keyword))
            .filter_map(Value::as_object)
            .flatten()
        {
            if members.contains_key(name) {
                required.extend(needs.as_array().into_iter().flatten().filter_map(Value::as_str));
            }
        }
        for name in required {
            if !members.contains_key(name) {
                self.member(name, layers, &mut members, depth, true)?;
            }
        }
        let least = each(layers, "minProperties").filter_map(Value::as_u64).max().unwrap_or(0);
        let least = usize::try_from(least).unwrap_or(usize::MAX).min(LARGEST);
        let open = each(layers, "additionalProperties").any(|it| *it != Value::Bool(false))
            || each(layers, "patternProperties").next().is_some()
            || named.is_empty();
        let extra = match self.extent {
            _ if !open || depth >= DEEP => 0,
            Extent::Least => 0,
            Extent::Most => 2,
            Extent::Between => self.chance.below(3),
        };
        for _ in 0..extra.max(least.saturating_sub(members.len())) {
            let name = self.name(layers, depth);
            if !members.contains_key(&name) {
                self.member(&name, layers, &mut members, depth, false)?;
            }
        }
        Some(Value::Object(members))
    }

    /// Makes one member; gives up the guess only where it must be there.
    fn member(
        &mut self,
        name: &str,
        layers: &Layers<'s>,
        members: &mut Map<String, Value>,
        depth: usize,
        must: bool,
    ) -> Option<()> {
        let mut schemas: Vec<&'s Value> = Vec::new();
        for layer in layers {
            let own = layer.get("properties").and_then(|properties| properties.get(name));
            let by_pattern: Vec<&Value> = layer
                .get("patternProperties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .filter(|(pattern, _)| text::matches(pattern, name))
                .map(|(_, schema)| schema)
                .collect();
            if own.is_none() && by_pattern.is_empty() {
                schemas.extend(layer.get("additionalProperties"));
            }
            schemas.extend(own);
            schemas.extend(by_pattern);
            let depends = layer.get("dependentSchemas").or_else(|| layer.get("dependencies"));
            if depends.and_then(|depends| depends.get(name)).is_some_and(Value::is_object) && !must
            {
                return Some(());
            }
        }
        match self.make(&schemas, depth + 1) {
            Some(value) => {
                members.insert(name.to_owned(), value);
                Some(())
            }
            None if must => None,
            None => Some(()),
        }
    }

    /// A name for a member that the schemas do not name.
    fn name(&mut self, layers: &Layers<'s>, depth: usize) -> String {
        let patterns: Vec<&String> = each(layers, "patternProperties")
            .filter_map(Value::as_object)
            .flat_map(Map::keys)
            .collect();
        if let Some(pattern) = self.chance.one_of(&patterns)
            && let Some(name) = text::matching(pattern, &mut self.chance)
        {
            return name;
        }
        let names: Vec<&'s Value> = each(layers, "propertyNames").collect();
        if !names.is_empty()
            && let Some(Value::String(name)) = self.make(&names, depth + 1)
        {
            return name;
        }
        format!("extra_{}", self.chance.below(1000))
    }
}

/// The items that come first, as 2020-12 or earlier drafts write them.
fn heads(layer: &Map<String, Value>) -> Option<&Vec<Value>> {
    layer.get("prefixItems").or_else(|| layer.get("items")).and_then(Value::as_array)
}

/// The keyword's value in every layer that has it.
fn each<'l, 's>(
    layers: &'l Layers<'s>,
    keyword: &'l str,
) -> impl Iterator<Item = &'s Value> + use<'l, 's> {
    layers.iter().filter_map(move |layer| layer.get(keyword))
}

/// The types that all layers admit; what their keywords speak of where none has a `type`.
fn kinds(layers: &Layers<'_>) -> Vec<&'static str> {
    const ALL: [&str; 7] = ["string", "integer", "number", "object", "array", "boolean", "null"];
    const HINTS: [(&str, &str); 18] = [
        ("properties", "object"),
        ("required", "object"),
        ("additionalProperties", "object"),
        ("patternProperties", "object"),
        ("propertyNames", "object"),
        ("minProperties", "object"),
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

/// Whether a schema may lead deeper.
fn is_nested(schema: &Value) -> bool {
    ["$ref", "$dynamicRef", "properties", "items", "anyOf", "oneOf", "allOf", "prefixItems"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some())
}

/// What a reference within the document leads to.
fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let fragment = reference.strip_prefix('#')?;
    let fragment = text::percent_decoded(fragment)?;
    if fragment.is_empty() || fragment.starts_with('/') {
        return root.pointer(&fragment);
    }
    let mut ahead = vec![root];
    while let Some(value) = ahead.pop() {
        let anchor = |keyword| value.get(keyword).and_then(Value::as_str);
        if anchor("$anchor") == Some(&fragment) || anchor("$dynamicAnchor") == Some(&fragment) {
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

/// The number as an integer where it is one: `5` and not `5.0`.
fn number_of(value: f64) -> Option<Value> {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and within an i64's reach")]
    if value.fract() == 0.0 && value.abs() < 9e18 {
        return Some(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}
