//! A list: the places with items of their own, and the rest.

use super::Builder;
use crate::document::{Dialect, Node, NodeId};
use crate::field::{ListField, Slot, Source};

impl Builder<'_> {
    pub(super) fn list(&self) -> ListField {
        let item = |layers: Vec<NodeId>| {
            Slot::new(self.document, Source { required: true, layers, ..Source::default() })
        };
        let mut prefix: Vec<Vec<NodeId>> = Vec::new();
        let mut rest = Vec::new();
        let mut closed = false;
        // Which draft 7 does not know.
        let has_heads = self.document.dialect() != Dialect::Seven;
        for layer in &self.conjunction.layers {
            let items = self.document.member(*layer, &["items"]);
            // Before draft 2020-12, `items` held what `prefixItems` holds now.
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
        let max = self.conjunction.at_most(&["maxItems"]);
        closed |= !prefix.is_empty() && max.is_some_and(|max| max <= prefix.len() as u64);
        ListField {
            prefix: prefix.into_iter().map(item).collect(),
            rest: (!closed).then(|| item(rest)),
            min: self.conjunction.at_least(&["minItems"]),
            max,
            unique: self.conjunction.says(&["uniqueItems"]),
        }
    }
}
