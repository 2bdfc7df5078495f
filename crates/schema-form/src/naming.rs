//! [`Naming`]: what an entry's name chooses. `patternProperties` and `additionalProperties` say
//! which schemas a member has that no `properties` name.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::conjunction::Conjunction;
use crate::document::{Document, Node, NodeId};
use crate::field::{Slot, Source};

/// What the layers of an object say about members they do not name.
pub(crate) struct Naming {
    document: Arc<Document>,
    layers: Vec<Layer>,
    /// The fields made so far, by the schemas that hold.
    slots: Mutex<HashMap<Vec<NodeId>, Slot>>,
}

struct Layer {
    named: HashSet<Box<str>>,
    patterns: Vec<(Box<str>, NodeId)>,
    additional: Option<NodeId>,
}

/// What a name chooses.
pub(crate) enum Chosen {
    /// These schemas, all at once.
    Schemas(Vec<NodeId>),
    /// The schema has no such member.
    Forbidden,
}

impl Naming {
    pub(crate) fn of(document: &Arc<Document>, conjunction: &Conjunction<'_>) -> Self {
        let layers = conjunction
            .layers
            .iter()
            .map(|layer| {
                let members = |names: &[&str]| {
                    document.member(*layer, names).map(|id| document.members(id)).unwrap_or(&[])
                };
                Layer {
                    named: members(&["properties"]).iter().map(|(key, _)| key.clone()).collect(),
                    patterns: members(&["patternProperties"]).to_vec(),
                    additional: document.member(*layer, &["additionalProperties"]),
                }
            })
            .collect();
        Self { document: Arc::clone(document), layers, slots: Mutex::default() }
    }

    /// The expressions in the order written.
    pub(crate) fn patterns(&self) -> Vec<String> {
        let patterns = self.layers.iter().flat_map(|layer| &layer.patterns);
        patterns.map(|(pattern, _)| pattern.to_string()).collect()
    }

    /// The schemas of the patterns found in `name`, and whether all of them could be decided.
    fn matched(&self, layer: &Layer, name: &str) -> (Vec<NodeId>, bool) {
        let mut found = Vec::new();
        let mut decided = true;
        for (pattern, schema) in &layer.patterns {
            match self.document.pattern(pattern).and_then(|it| it.is_found_in(name)) {
                Some(true) => found.push(*schema),
                Some(false) => {}
                None => decided = false,
            }
        }
        (found, decided)
    }

    /// The schemas that patterns add to a member that `properties` names.
    pub(crate) fn beside(&self, name: &str) -> Vec<NodeId> {
        self.layers.iter().flat_map(|layer| self.matched(layer, name).0).collect()
    }

    /// What a name chooses that is not the schema's own.
    pub(crate) fn choose(&self, name: &str) -> Chosen {
        let mut schemas = Vec::new();
        for layer in &self.layers {
            let (found, decided) = self.matched(layer, name);
            let falls_through = found.is_empty() && decided && !layer.named.contains(name);
            schemas.extend(found);
            let Some(additional) = layer.additional.filter(|_| falls_through) else { continue };
            match self.document.node(additional) {
                Node::Bool(false) => return Chosen::Forbidden,
                Node::Object(_) => schemas.push(additional),
                _ => {}
            }
        }
        Chosen::Schemas(schemas)
    }

    /// The only schema there is to choose where nothing else is allowed: one pattern and no others.
    pub(crate) fn only(&self) -> Option<NodeId> {
        let mut patterns = self.layers.iter().flat_map(|layer| &layer.patterns);
        let (_, schema) = patterns.next()?;
        let closed = self.layers.iter().filter_map(|layer| layer.additional);
        let is_closed =
            closed.clone().any(|id| matches!(self.document.node(id), Node::Bool(false)));
        (is_closed && patterns.next().is_none()).then_some(*schema)
    }

    /// The field of each pattern by itself.
    pub(crate) fn each(&self) -> Vec<Slot> {
        let patterns = self.layers.iter().flat_map(|layer| &layer.patterns);
        let source = |schema| Source { required: true, layers: vec![schema], ..Source::default() };
        patterns.map(|(_, schema)| Slot::new(&self.document, source(*schema))).collect()
    }

    /// The field for an entry of this name; `None` where the schema has no such member.
    pub(crate) fn slot(&self, name: &str) -> Option<Slot> {
        let Chosen::Schemas(layers) = self.choose(name) else { return None };
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.entry(layers).or_insert_with_key(|layers| {
            let source = Source { required: true, layers: layers.clone(), ..Source::default() };
            Slot::new(&self.document, source)
        });
        Some(slot.clone())
    }
}

impl fmt::Debug for Naming {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Naming").field("patterns", &self.patterns()).finish_non_exhaustive()
    }
}
