//! Builds a list: prefix items and the rest.

use super::Builder;
use crate::document::{Dialect, Node, NodeId};
use crate::field::{ListField, Slot};
use crate::source::Source;

impl Builder<'_> {
    pub(super) fn list(&self) -> ListField {
        let item = |layers: Vec<NodeId>| {
            Slot::new(self.document, Source { required: true, layers, ..Source::default() })
        };
        let mut prefix: Vec<Vec<NodeId>> = Vec::new();
        let mut rest = Vec::new();
        let mut closed = false;
        // Draft 7 has no `prefixItems`.
        let has_heads = self.document.dialect() != Dialect::Seven;
        for layer in &self.merged.layers {
            let items = self.document.member(*layer, &["items"]);
            // Before draft 2020-12, an `items` array meant `prefixItems`.
            let before = items.and_then(|items| self.document.items(items));
            let heads = self
                .document
                .member(*layer, &["prefixItems"])
                .filter(|_| has_heads)
                .and_then(|heads| self.document.items(heads))
                .or(before);
            for (index, head) in heads.unwrap_or_default().iter().enumerate() {
                if prefix.len() <= index {
                    prefix.push(Vec::new());
                }
                prefix[index].push(*head);
            }
            let tail = match before {
                Some(_) => self.document.member(*layer, &["additionalItems"]),
                None => items,
            };
            if let Some(tail) = tail {
                match self.document.node(tail) {
                    Node::Bool(false) => closed = true,
                    Node::Null => {}
                    _ => rest.push(tail),
                }
            }
        }
        let max = self.merged.at_most(&["maxItems"]);
        closed |= !prefix.is_empty() && max.is_some_and(|max| max <= prefix.len() as u64);
        ListField {
            prefix: prefix.into_iter().map(item).collect(),
            rest: (!closed).then(|| item(rest)),
            min: self.merged.at_least(&["minItems"]),
            max,
            unique: self.merged.is_true(&["uniqueItems"]),
        }
    }
}
