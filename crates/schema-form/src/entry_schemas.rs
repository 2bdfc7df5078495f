//! [`EntrySchemas`]: the schemas of members that no `properties` name, selected by the member's name
//! through `patternProperties` and `additionalProperties`.

use std::collections::HashSet;
use std::sync::Arc;

use crate::document::{Document, Node, NodeId};
use crate::merged::MergedSchema;

/// The schemas of an object's additional members, by layer.
pub(crate) struct EntrySchemas {
    document: Arc<Document>,
    layers: Vec<Layer>,
}

struct Layer {
    named: HashSet<Box<str>>,
    patterns: Vec<(Box<str>, NodeId)>,
    additional: Option<NodeId>,
}

/// The schemas for a member's name.
pub(crate) enum NameMatch {
    /// These schemas apply together.
    Schemas(Vec<NodeId>),
    /// The schema does not allow the member.
    Forbidden,
}

impl EntrySchemas {
    pub(crate) fn of(document: &Arc<Document>, merged: &MergedSchema<'_>) -> Self {
        let layers = merged
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
        Self { document: Arc::clone(document), layers }
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
    pub(crate) fn fork(&self, name: &str) -> Vec<NodeId> {
        self.layers.iter().flat_map(|layer| self.matched(layer, name).0).collect()
    }

    /// The schemas for a name that `properties` does not have.
    pub(crate) fn choose(&self, name: &str) -> NameMatch {
        let mut schemas = Vec::new();
        for layer in &self.layers {
            let (found, decided) = self.matched(layer, name);
            let falls_through = found.is_empty() && decided && !layer.named.contains(name);
            schemas.extend(found);
            let Some(additional) = layer.additional.filter(|_| falls_through) else { continue };
            match self.document.node(additional) {
                Node::Bool(false) => return NameMatch::Forbidden,
                Node::Object(_) => schemas.push(additional),
                _ => {}
            }
        }
        NameMatch::Schemas(schemas)
    }

    /// The only possible schema: of the single pattern of an object without other members.
    pub(crate) fn only(&self) -> Option<NodeId> {
        let mut patterns = self.layers.iter().flat_map(|layer| &layer.patterns);
        let (_, schema) = patterns.next()?;
        let closed = self.layers.iter().filter_map(|layer| layer.additional);
        let is_closed =
            closed.clone().any(|id| matches!(self.document.node(id), Node::Bool(false)));
        (is_closed && patterns.next().is_none()).then_some(*schema)
    }

    /// The schema of each pattern.
    pub(crate) fn of_patterns(&self) -> impl Iterator<Item = NodeId> {
        let patterns = self.layers.iter().flat_map(|layer| &layer.patterns);
        patterns.map(|(_, schema)| *schema)
    }
}
