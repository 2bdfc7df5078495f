//! Builds an object: its members in order, what it requires, and additional members.

use std::collections::{HashMap, HashSet};

use super::Builder;
use crate::Types;
use crate::condition::Condition;
use crate::document::{Dialect, Node, NodeId};
use crate::entry_schemas::{EntrySchemas, NameMatch};
use crate::field::entry_fields::EntryFields;
use crate::field::{Extras, ObjectField, Slot};
use crate::source::Source;

impl Builder<'_> {
    pub(super) fn object(&mut self) -> ObjectField {
        let mut order: Vec<String> = self.source.first.clone().unwrap_or_default();
        let mut known: HashSet<String> = order.iter().cloned().collect();
        let mut layers: HashMap<String, Vec<NodeId>> = HashMap::new();
        for (_, properties) in self.merged.all(&["properties"]) {
            if !matches!(self.document.node(properties), Node::Object(_) | Node::Null) {
                self.wrong_shape(properties, "properties");
            }
            for (key, schema) in self.document.members(properties) {
                if known.insert(key.to_string()) {
                    order.push(key.to_string());
                }
                layers.entry(key.to_string()).or_default().push(*schema);
            }
        }
        let mut required: Vec<String> = Vec::new();
        for (_, names) in self.merged.all(&["required"]) {
            match self.document.items(names) {
                Some(names) => required.extend(
                    names.iter().filter_map(|name| self.document.string(*name)).map(str::to_owned),
                ),
                None if matches!(self.document.node(names), Node::Null | Node::Bool(_)) => {}
                None => self.wrong_shape(names, "required"),
            }
        }
        let entry_schemas = EntrySchemas::of(self.document, self.merged);
        let named = !layers.is_empty() || !required.is_empty() || self.declares_no_arguments();
        let extras = self.extras(&entry_schemas, !named);
        for (name, schemas) in &mut layers {
            schemas.extend(entry_schemas.fork(name));
        }
        for name in &required {
            if !layers.contains_key(name) {
                if known.insert(name.clone()) {
                    order.push(name.clone());
                }
                let schemas = match entry_schemas.choose(name) {
                    NameMatch::Schemas(schemas) => schemas,
                    NameMatch::Forbidden => Vec::new(),
                };
                layers.insert(name.clone(), schemas);
            }
        }
        if let Some(ordering) = self.merged.first(&["propertyOrdering"])
            && self.source.first.is_none()
        {
            let ordering: Vec<_> = self
                .document
                .items(ordering)
                .unwrap_or_default()
                .iter()
                .filter_map(|name| self.document.string(*name))
                .collect();
            order.sort_by_key(|key| {
                ordering.iter().position(|name| name == key).unwrap_or(usize::MAX)
            });
        }
        let required: HashSet<_> = required.into_iter().collect();
        let members = order
            .into_iter()
            .map(|key| {
                let source = Source {
                    required: required.contains(&key),
                    layers: layers.remove(&key).unwrap_or_default(),
                    key,
                    ..Source::default()
                };
                Slot::new(self.document, source)
            })
            .collect();
        let names: Vec<_> =
            self.merged.all(&["propertyNames"]).into_iter().map(|(_, id)| id).collect();
        let of_name = |layers| {
            let only = Some(Types::STRING);
            Slot::new(self.document, Source { required: true, layers, only, ..Source::default() })
        };
        ObjectField {
            members,
            extras,
            patterns: entry_schemas.patterns(),
            names: (!names.is_empty()).then(|| of_name(names)),
            min: self.merged.at_least(&["minProperties"]),
            max: self.merged.at_most(&["maxProperties"]),
            needs: self.needs(),
            conditions: Condition::all(self.document, self.merged),
            entry_fields: EntryFields::of(self.document, entry_schemas),
        }
    }

    /// `dependentRequired`, which draft 7 writes as `dependencies`.
    fn needs(&self) -> Vec<(String, Vec<String>)> {
        let keyword = match self.document.dialect() {
            Dialect::Modern => "dependentRequired",
            Dialect::Seven => "dependencies",
            Dialect::Other => return Vec::new(),
        };
        let all = self.merged.all(&[keyword]).into_iter();
        let members = all.flat_map(|(_, id)| self.document.members(id));
        members
            .filter_map(|(name, needed)| {
                let needed = self.document.items(*needed)?.iter();
                let needed = needed.filter_map(|name| self.document.string(*name));
                Some((name.to_string(), needed.map(str::to_owned).collect()))
            })
            .collect()
    }

    /// Whether this is the whole form and its `properties` are empty: the declaration of a tool without
    /// arguments. In nested schemas, empty `properties` mean any object.
    fn declares_no_arguments(&self) -> bool {
        self.source.layers.contains(&self.document.root())
            && self
                .merged
                .first(&["properties"])
                .is_some_and(|names| matches!(self.document.node(names), Node::Object(_)))
    }

    /// The rule for members that the object does not name.
    fn extras(&self, entry_schemas: &EntrySchemas, nothing_named: bool) -> Extras {
        let mut layers = Vec::new();
        let mut closed = false;
        let mut left_to_try = nothing_named;
        for (layer, extra) in self.merged.all(&["additionalProperties"]) {
            match self.document.node(extra) {
                Node::Bool(false) => {
                    let patterns = self.document.member(layer, &["patternProperties"]).is_some();
                    left_to_try = patterns;
                    closed |= !patterns;
                }
                Node::Bool(true) => left_to_try = true,
                Node::Object(_) => {
                    left_to_try = true;
                    layers.push(extra);
                }
                _ => {}
            }
        }
        left_to_try |= !entry_schemas.patterns().is_empty();
        if let Some(only) = entry_schemas.only() {
            layers = vec![only];
        }
        let slot = || {
            let source = Source { required: true, layers: layers.clone(), ..Source::default() };
            Slot::new(self.document, source)
        };
        match (closed, left_to_try) {
            (true, _) => Extras::Closed,
            (false, true) => Extras::Offered(slot()),
            (false, false) => Extras::Kept(slot()),
        }
    }
}
