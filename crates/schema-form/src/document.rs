//! [`Document`]: a parsed schema text as an arena of nodes.
//!
//! A `$ref` resolves to a node id, so a recursive schema takes no extra space. Numbers keep their
//! digits: a default of `9007199254740993` or `1.10` is shown as written.
//! What the nodes mean as a schema is in [`crate::merged`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use json_text::{JsonText, Kind, is_number, nesting, pointer};
use serde_json::value::RawValue;

use crate::pattern::Pattern;
use crate::spelling::canonical_keyword;
use crate::uri::resolve_uri;

/// The deepest nesting of a schema text. Deeper texts are rejected before parsing, because the code
/// that follows recurses; real schemas stay far below.
const DEEPEST: usize = 200;

/// Objects with more members than this get an index by name, for schemas with thousands of
/// definitions.
const INDEXED_FROM: usize = 32;

/// A value in a [`Document`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

/// One value; its items and members are other nodes of the arena.
#[derive(Debug)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    /// The number as written.
    Number(Box<str>),
    String(Box<str>),
    Array(Vec<NodeId>),
    /// Members in the order written; of a repeated key the last one, as in JSON parsers.
    Object(Vec<(Box<str>, NodeId)>),
}

/// The JSON Schema version of a document, as far as keywords differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// 2020-12, or no `$schema`.
    Modern,
    /// Draft 7: keywords beside `$ref` are ignored, `dependencies` is one keyword.
    Seven,
    /// Another version: validation is left to the host.
    Other,
}

/// The constraint that OpenAPI's `discriminator` adds to a branch of its union.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    /// The first name that `mapping` gives the branch.
    pub(crate) name: Box<str>,
    /// A schema that applies with the branch: requires the tag member with one of the names.
    pub(crate) schema: NodeId,
}

/// A schema's text as nodes.
#[derive(Debug)]
pub(crate) struct Document {
    nodes: Vec<Node>,
    parents: Vec<Option<NodeId>>,
    /// What `#` refers to.
    root: NodeId,
    /// Member positions sorted by name, for objects with more than [`INDEXED_FROM`] members.
    by_name: HashMap<NodeId, Vec<u32>>,
    /// The tags of branches in a discriminator's mapping.
    tags: HashMap<NodeId, Tag>,
    /// Compiled patterns; `None` for unsupported ones.
    patterns: Mutex<HashMap<Box<str>, Option<Arc<Pattern>>>>,
    has_inner_ids: OnceLock<bool>,
    /// The schemas that have a URI, by their absolute URI.
    by_uri: OnceLock<HashMap<String, NodeId>>,
    ref_ignores_siblings: bool,
}

impl Document {
    /// Parses `text`; fails with its nesting depth when that is too deep.
    pub(crate) fn open(text: &JsonText) -> Result<Self, usize> {
        let deep = nesting(text.as_str());
        if deep > DEEPEST {
            return Err(deep);
        }
        let mut document = Self {
            nodes: Vec::new(),
            parents: Vec::new(),
            root: NodeId(0),
            by_name: HashMap::new(),
            tags: HashMap::new(),
            patterns: Mutex::default(),
            has_inner_ids: OnceLock::new(),
            by_uri: OnceLock::new(),
            ref_ignores_siblings: false,
        };
        document.root = match serde_json::from_str::<&RawValue>(text.as_str()) {
            Ok(raw) => document.add(raw, None),
            Err(_) => document.push(Node::Null, None),
        };
        document.add_tags();
        let root = document.root;
        Ok(document.with_root(root))
    }

    /// The same document with `#` resolving to `root`, for a schema inside a declaration.
    pub(crate) fn with_root(mut self, root: NodeId) -> Self {
        self.root = root;
        let edition = self.member(root, &["$schema"]).and_then(|id| self.string(id));
        self.ref_ignores_siblings = edition.is_some_and(|name| name.contains("/draft-0"));
        self
    }

    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    /// The version that the outermost schema names.
    pub(crate) fn dialect(&self) -> Dialect {
        let named = self.member(self.root, &["$schema"]).map(|id| self.string(id).unwrap_or("?"));
        match named.map(|name| name.trim_end_matches('#')) {
            None | Some("https://json-schema.org/draft/2020-12/schema") => Dialect::Modern,
            Some(
                "http://json-schema.org/draft-07/schema"
                | "https://json-schema.org/draft-07/schema",
            ) => Dialect::Seven,
            Some(_) => Dialect::Other,
        }
    }

    /// Whether the schema has a `$ref` whose sibling keywords are ignored, as up to draft 7.
    pub(crate) fn ignores_ref_siblings(&self, id: NodeId) -> bool {
        self.ref_ignores_siblings
            && self.member(id, &["$ref"]).is_some_and(|it| self.string(it).is_some())
    }

    /// Whether an inner schema has an `$id`, which changes the base of references.
    pub(crate) fn has_inner_ids(&self) -> bool {
        let has_id = |id| self.named(id, "$id").and_then(|id| self.string(id)).is_some();
        *self.has_inner_ids.get_or_init(|| self.ids().any(|id| id != self.root && has_id(id)))
    }

    /// The pattern `source`, compiled once; `None` when only the host can match it.
    pub(crate) fn pattern(&self, source: &str) -> Option<Arc<Pattern>> {
        let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = patterns.get(source) {
            return known.clone();
        }
        let compiled = Pattern::compile(source).map(Arc::new);
        patterns.insert(source.into(), compiled.clone());
        compiled
    }

    /// The tag of the branch `id`, if a discriminator maps it.
    pub(crate) fn tag(&self, id: NodeId) -> Option<&Tag> {
        self.tags.get(&id)
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        // Ids are created only by `push`, and no node is ever removed.
        &self.nodes[id.0 as usize]
    }

    /// Every value, in the order written.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len()).map(|index| NodeId(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// The value of the first of `keywords` that an object has, in whichever spelling.
    pub(crate) fn member(&self, id: NodeId, keywords: &[&str]) -> Option<NodeId> {
        let spelled_so = |keyword: &str| {
            let mut members = self.members(id).iter();
            members.find(|(key, _)| canonical_keyword(key) == keyword).map(|(_, value)| *value)
        };
        keywords.iter().find_map(|name| self.named(id, name).or_else(|| spelled_so(name)))
    }

    /// The member of an object with exactly this name.
    pub(crate) fn named(&self, id: NodeId, name: &str) -> Option<NodeId> {
        let members = self.members(id);
        let position = match (members.len() > INDEXED_FROM).then(|| self.by_name.get(&id)).flatten()
        {
            Some(order) => {
                let found = order.binary_search_by(|at| members[*at as usize].0.as_ref().cmp(name));
                order[found.ok()?] as usize
            }
            None => members.iter().position(|(key, _)| key.as_ref() == name)?,
        };
        Some(members[position].1)
    }

    /// The members of an object; of anything else, none.
    pub(crate) fn members(&self, id: NodeId) -> &[(Box<str>, NodeId)] {
        match self.node(id) {
            Node::Object(members) => members,
            _ => &[],
        }
    }

    /// The items of an array; of anything else, `None`.
    pub(crate) fn items(&self, id: NodeId) -> Option<&[NodeId]> {
        match self.node(id) {
            Node::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn string(&self, id: NodeId) -> Option<&str> {
        match self.node(id) {
            Node::String(content) => Some(content),
            _ => None,
        }
    }

    /// The digits of a limit such as `maxItems`: a number, or a string that reads as one, as
    /// google.genai writes it.
    pub(crate) fn limit(&self, id: NodeId) -> Option<&str> {
        match self.node(id) {
            Node::Number(text) | Node::String(text) if is_number(text) => Some(text),
            _ => None,
        }
    }

    /// The value's compact text, digits as written.
    pub(crate) fn text(&self, id: NodeId) -> JsonText {
        let mut out = String::new();
        self.write(id, &mut out);
        JsonText::parse(&out).unwrap_or_else(|_| JsonText::null())
    }

    fn write(&self, id: NodeId, out: &mut String) {
        match self.node(id) {
            Node::Null => out.push_str("null"),
            Node::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Node::Number(digits) => out.push_str(digits),
            Node::String(content) => out.push_str(JsonText::string(content).as_str()),
            Node::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.write(*item, out);
                }
                out.push(']');
            }
            Node::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push_str(JsonText::string(key).as_str());
                    out.push(':');
                    self.write(*value, out);
                }
                out.push('}');
            }
        }
    }

    /// The target of a `$ref` in the schema `at`: `#`, `#/a/b`, `#anchor`, which draft 7
    /// writes as `$id`, or one of these after the URI of a schema in this document.
    pub(crate) fn resolve(&self, at: NodeId, reference: &str) -> Option<NodeId> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base_schema = self.base_schema(at);
        if address.is_empty() {
            let found = self.resolve_in(base_schema, fragment);
            // Many authors set an `$id` and still mean the whole document.
            return found.or_else(|| self.resolve_in(self.root, fragment));
        }
        let address = resolve_uri(&self.uri(base_schema), address);
        let base_schema = self.by_uri.get_or_init(|| self.schemas_by_uri()).get(&address)?;
        self.resolve_in(*base_schema, fragment)
    }

    /// The schema's own `$id`, if it is a URI.
    fn own_uri(&self, id: NodeId) -> Option<&str> {
        let address = self.named(id, "$id").and_then(|id| self.string(id))?.trim_end_matches('#');
        (!address.starts_with('#') && !address.is_empty()).then_some(address)
    }

    /// The schema around `at` whose URI is the base of its references.
    fn base_schema(&self, at: NodeId) -> NodeId {
        let mut here = Some(at);
        while let Some(id) = here.filter(|id| *id != self.root) {
            if self.own_uri(id).is_some() && !self.is_in_data(id) {
                return id;
            }
            here = self.parents[id.0 as usize];
        }
        self.root
    }

    /// The absolute URI of a schema with an `$id`, or of the document.
    fn uri(&self, base_schema: NodeId) -> String {
        let own = self.own_uri(base_schema).unwrap_or_default();
        let outer = match self.parents[base_schema.0 as usize] {
            Some(parent) if base_schema != self.root => self.uri(self.base_schema(parent)),
            _ => String::new(),
        };
        resolve_uri(&outer, own)
    }

    /// The schemas that have a URI, by their absolute URI.
    fn schemas_by_uri(&self) -> HashMap<String, NodeId> {
        let has_one = |id: &NodeId| self.own_uri(*id).is_some() && self.base_schema(*id) == *id;
        self.ids().filter(has_one).map(|id| (self.uri(id), id)).collect()
    }

    /// What a fragment of a reference means within the schema `base_schema`.
    fn resolve_in(&self, base_schema: NodeId, fragment: &str) -> Option<NodeId> {
        if fragment.is_empty() {
            return Some(base_schema);
        }
        let Some(pointer) = fragment.strip_prefix('/') else {
            let plain_name = format!("#{fragment}");
            let names: &[(&str, &str)] = match self.dialect() {
                Dialect::Seven => &[("$id", &plain_name)],
                Dialect::Modern | Dialect::Other => {
                    &[("$anchor", fragment), ("$dynamicAnchor", fragment)]
                }
            };
            return self.ids().find(|id| {
                names.iter().any(|(keyword, name)| {
                    self.named(*id, keyword).and_then(|it| self.string(it)) == Some(name)
                }) && self.base_schema(*id) == base_schema
                    && !self.is_in_data(*id)
            });
        };
        pointer.split('/').try_fold(base_schema, |id, token| {
            let token = pointer::name(&percent_decoded(token));
            match self.node(id) {
                Node::Object(_) => self.named(id, &token),
                Node::Array(items) => items.get(token.parse::<usize>().ok()?).copied(),
                _ => None,
            }
        })
    }

    /// Whether the value is inside data such as `enum` or `default`, which has no keywords.
    fn is_in_data(&self, id: NodeId) -> bool {
        const OF_VALUES: [&str; 5] = ["enum", "const", "default", "example", "examples"];
        const OF_NAMES: [&str; 5] =
            ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];
        let mut here = id;
        while let Some(parent) = self.parents[here.0 as usize] {
            let is_name = self.key(parent).is_some_and(|key| OF_NAMES.contains(&key));
            if !is_name && self.key(here).is_some_and(|key| OF_VALUES.contains(&key)) {
                return true;
            }
            here = parent;
        }
        false
    }

    /// Whether the value is `outer` or inside it.
    pub(crate) fn is_within(&self, id: NodeId, outer: NodeId) -> bool {
        let mut here = Some(id);
        while let Some(value) = here.filter(|it| *it != outer) {
            here = self.parents[value.0 as usize];
        }
        here.is_some()
    }

    /// The name of a member in its object.
    fn key(&self, id: NodeId) -> Option<&str> {
        let members = self.members(self.parents[id.0 as usize]?);
        members.iter().find(|(_, value)| *value == id).map(|(key, _)| key.as_ref())
    }

    /// The JSON pointer of a value from the outermost value.
    pub(crate) fn pointer(&self, id: NodeId) -> String {
        let mut tokens = Vec::new();
        let mut here = id;
        while let Some(parent) = self.parents[here.0 as usize] {
            // A tag's schema is not in the text: it is reported at its branch.
            tokens.extend(match self.node(parent) {
                Node::Array(items) => {
                    items.iter().position(|item| *item == here).map(|index| index.to_string())
                }
                _ => self
                    .members(parent)
                    .iter()
                    .find(|(_, value)| *value == here)
                    .map(|(key, _)| pointer::step(key)),
            });
            here = parent;
        }
        tokens.iter().rev().fold(String::new(), |pointer, token| pointer + "/" + token)
    }

    /// Adds the schemas of [`Self::tag`].
    fn add_tags(&mut self) {
        let named: Vec<_> = self.ids().flat_map(|id| self.tagged(id)).collect();
        for (branch, name, schema) in named {
            if let Ok(raw) = schema.decode() {
                let schema = self.add(raw, Some(branch));
                self.tags.insert(branch, Tag { name, schema });
            }
        }
    }

    /// The branches in a discriminator's mapping, each with its first name and the schema of the
    /// tag. A mapping names a branch by its reference or the last segment of it; a second branch
    /// with the same reference gets none.
    fn tagged(&self, union: NodeId) -> Vec<(NodeId, Box<str>, JsonText)> {
        let discriminator = self.member(union, &["discriminator"]);
        let text = |id, name: &str| self.member(id, &[name]).and_then(|id| self.string(id));
        let Some((key, mapping)) = discriminator.and_then(|id| {
            Some((text(id, "propertyName")?, self.members(self.member(id, &["mapping"])?)))
        }) else {
            return Vec::new();
        };
        let mut tagged = Vec::new();
        for branches in ["anyOf", "oneOf"] {
            let branches = self.member(union, &[branches]).and_then(|id| self.items(id));
            let mut names: HashMap<&str, Vec<&str>> = HashMap::with_capacity(mapping.len());
            for (name, to) in mapping {
                if let Some(to) = self.string(*to) {
                    names.entry(last_segment(to)).or_default().push(name);
                }
            }
            for branch in branches.unwrap_or_default() {
                let reference = text(*branch, "$ref").map(last_segment);
                let Some(names) = reference.and_then(|it| names.remove(it)) else { continue };
                if let (Some(first), Some(schema)) = (names.first(), tag_schema(key, &names)) {
                    tagged.push((*branch, Box::from(*first), schema));
                }
            }
        }
        tagged
    }

    fn push(&mut self, node: Node, parent: Option<NodeId>) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        self.parents.push(parent);
        id
    }

    fn add(&mut self, raw: &RawValue, parent: Option<NodeId>) -> NodeId {
        let id = self.push(Node::Null, parent);
        self.nodes[id.0 as usize] = match json_text::Node::of(raw) {
            json_text::Node::Null => Node::Null,
            json_text::Node::Bool(value) => Node::Bool(value),
            json_text::Node::Number(digits) => Node::Number(digits.into()),
            json_text::Node::String(content) => Node::String(content.into()),
            json_text::Node::Array(items) => {
                Node::Array(items.into_iter().map(|item| self.add(item, Some(id))).collect())
            }
            json_text::Node::Object(members) => {
                let mut kept: Vec<(Box<str>, NodeId)> = Vec::with_capacity(members.len());
                let mut places = std::collections::HashMap::with_capacity(members.len());
                for (key, value) in members {
                    let value = self.add(value, Some(id));
                    match places.get(&key) {
                        Some(&place) => {
                            let (_, earlier): &mut (Box<str>, NodeId) = &mut kept[place];
                            *earlier = value;
                        }
                        None => {
                            kept.push((key.as_str().into(), value));
                            places.insert(key, kept.len() - 1);
                        }
                    }
                }
                if kept.len() > INDEXED_FROM {
                    let mut order: Vec<u32> = (0..).take(kept.len()).collect();
                    order.sort_by(|one, other| kept[*one as usize].0.cmp(&kept[*other as usize].0));
                    self.by_name.insert(id, order);
                }
                Node::Object(kept)
            }
        };
        id
    }
}

fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A schema that requires the member `key` with one of `names`.
fn tag_schema(key: &str, names: &[&str]) -> Option<JsonText> {
    let mut values = Vec::with_capacity(names.len());
    for name in names {
        values.push(JsonText::string(name));
        // Mapping keys are strings, even for numeric or boolean tags.
        let other = JsonText::parse(&name.to_ascii_lowercase()).ok();
        values.extend(other.filter(|it| matches!(it.kind(), Kind::Number | Kind::Bool)));
    }
    let values = values.iter().map(JsonText::as_str).collect::<Vec<_>>().join(",");
    let key = JsonText::string(key);
    let schema = format!(r#"{{"properties":{{{key}:{{"enum":[{values}]}}}},"required":[{key}]}}"#);
    JsonText::parse(&schema).ok()
}

fn percent_decoded(token: &str) -> String {
    let bytes = token.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let hex = bytes.get(index + 1..index + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match hex.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) if bytes[index] == b'%' => {
                out.push(byte);
                index += 3;
            }
            _ => {
                out.push(bytes[index]);
                index += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::open(&JsonText::parse(text).expect("valid")).expect("shallow")
    }

    #[test]
    fn text_keeps_digits() {
        let text = r#"{"a":[1.10,9007199254740993,-0],"b":{"c":null,"d":true},"e":"\"x\""}"#;
        let document = document(text);
        assert_eq!(document.text(document.root()).as_str(), text);
    }

    #[test]
    fn references_resolve() {
        let document = document(
            r##"{"$defs": {"a/b": {"type": "null"}, "c%d": [1, 2], "named": {"$anchor": "here"}}}"##,
        );
        let found = |reference| {
            document
                .resolve(document.root(), reference)
                .map(|id| document.text(id).as_str().to_owned())
        };
        assert_eq!(found("#/$defs/a~1b").as_deref(), Some(r#"{"type":"null"}"#));
        assert_eq!(found("#/$defs/c%25d/1").as_deref(), Some("2"));
        assert_eq!(found("#here").as_deref(), Some(r#"{"$anchor":"here"}"#));
        assert_eq!(found("#/$defs/absent"), None);
        assert_eq!(found("#there"), None);
        assert_eq!(found("https://example.com/schema"), None);
        let two = document.resolve(document.root(), "#/$defs/c%25d/1").expect("found");
        assert_eq!(document.pointer(two), "/$defs/c%d/1");
    }

    #[test]
    fn references_by_uri_resolve() {
        let document = document(
            r##"{"$id": "https://x.test/a/root", "const": {"$id": "data"}, "$defs": {
                "o": {"$id": "other", "type": "string", "$defs": {"i": {"$id": "/b/inner"}}},
                "p": {"$id": "https://y.test/p", "items": {"$ref": "#/$defs/q"}, "$defs": {"q": 1}}}}"##,
        );
        let root = document.root();
        let at = |pointer: &str| document.resolve(root, pointer).expect("there");
        let (o, inner, items) = (at("#/$defs/o"), at("#/$defs/o/$defs/i"), at("#/$defs/p/items"));
        for (from, reference, to) in [
            (root, "other", Some(o)),
            (root, "https://x.test/a/other", Some(o)),
            (root, "https://x.test/a/other#/$defs/i", Some(inner)),
            (root, "https://x.test/b/inner", Some(inner)),
            (root, "https://x.test/a/root", Some(root)),
            (root, "https://x.test/a/root#/$defs/o", Some(o)),
            (inner, "../a/other", Some(o)),
            (items, "other", None),
            (items, "#/$defs/q", Some(at("#/$defs/p/$defs/q"))),
            (root, "data", None),
            (root, "https://x.test/a/none", None),
        ] {
            assert_eq!(document.resolve(from, reference), to, "{reference}");
        }
    }

    #[test]
    fn one_of_many_members_is_found_by_its_name() {
        let members: Vec<String> =
            (0..INDEXED_FROM * 3).rev().map(|at| format!(r#""d{at}":{at}"#)).collect();
        let document = document(&format!("{{{},\"d7\":\"last\"}}", members.join(",")));
        let found = |name: &str| document.named(document.root(), name).map(|id| document.text(id));
        for at in (0..INDEXED_FROM * 3).filter(|at| *at != 7) {
            let found = found(&format!("d{at}")).expect("there");
            assert_eq!(found.as_str(), at.to_string());
        }
        assert_eq!(found("d7").expect("there").as_str(), r#""last""#);
        assert_eq!(found("d"), None);
        assert_eq!(found("e"), None);
    }

    /// A plain-name fragment is an `$id` in draft 7 (section 8.2.3), and `$anchor` in later drafts.
    #[test]
    fn a_plain_name_is_an_id_in_draft_7_only() {
        let named = r##""definitions": {"z": {"$id": "#z", "type": "string"}}"##;
        let found = |start: &str| {
            let document = document(&format!("{{{start}{named}}}"));
            document.resolve(document.root(), "#z").is_some()
        };
        assert!(found(r#""$schema": "http://json-schema.org/draft-07/schema#", "#));
        assert!(!found(r#""$schema": "https://json-schema.org/draft/2020-12/schema", "#));
        assert!(!found(""));
    }

    #[test]
    fn a_text_too_deep_is_rejected_before_parsing() {
        let text = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let refused = Document::open(&JsonText::parse(&text).expect("valid"));
        assert_eq!(refused.map(|_| ()), Err(10_000));
    }

    #[test]
    fn the_last_of_a_repeated_key_counts() {
        let document = document(r#"{"type": "string", "type": "integer"}"#);
        let kind = document.member(document.root(), &["type"]).expect("there");
        assert_eq!(document.string(kind), Some("integer"));
    }
}
