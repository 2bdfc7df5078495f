//! Keywords about the items of a list.

use std::collections::HashSet;

use json_text::{JsonText, Node as Value};
use serde_json::value::RawValue;

use super::{AllOf, PartialValidator};
use crate::canonical::canonical;
use crate::document::{Dialect, Node, NodeId};

impl PartialValidator<'_> {
    pub(super) fn unique(&self, id: NodeId, value: &Value<'_>) -> Option<bool> {
        match (self.document.node(id), value) {
            (Node::Bool(true), Value::Array(items)) => {
                let mut seen = HashSet::with_capacity(items.len());
                Some(items.iter().all(|item| seen.insert(canonical(&JsonText::from(*item)))))
            }
            (Node::Bool(_), _) => Some(true),
            _ => None,
        }
    }

    pub(super) fn items(
        &self,
        schema: NodeId,
        key: &str,
        id: NodeId,
        items: &[&RawValue],
        depth: usize,
    ) -> Option<bool> {
        let document = self.document;
        let modern = document.dialect() == Dialect::Modern;
        let mut all = AllOf::YES;
        if let Some(heads) = document.items(id) {
            if modern != (key == "prefixItems") {
                return None;
            }
            for (head, item) in heads.iter().zip(items) {
                all.and(self.schema(*head, item, depth + 1));
            }
            if let (false, Some(rest)) = (modern, document.member(schema, &["additionalItems"])) {
                for item in items.iter().skip(heads.len()) {
                    all.and(self.schema(rest, item, depth + 1));
                }
            }
            return all.answer();
        }
        let heads = match document.member(schema, &["prefixItems"]) {
            Some(heads) if modern => document.items(heads)?.len(),
            _ => 0,
        };
        for item in items.iter().skip(heads) {
            all.and(self.schema(id, item, depth + 1));
        }
        all.answer()
    }

    pub(super) fn contains(
        &self,
        schema: NodeId,
        id: NodeId,
        items: &[&RawValue],
        depth: usize,
    ) -> Option<bool> {
        let modern = self.document.dialect() == Dialect::Modern;
        let limit = |name| match self.document.member(schema, &[name]).filter(|_| modern) {
            None => Some(None),
            Some(id) => match self.document.node(id) {
                Node::Number(text) => text.parse::<usize>().ok().map(Some),
                _ => None,
            },
        };
        let (least, most) = (limit("minContains")?.unwrap_or(1), limit("maxContains")?);
        let answers: Vec<_> = items.iter().map(|item| self.schema(id, item, depth + 1)).collect();
        let sure = answers.iter().filter(|answer| **answer == Some(true)).count();
        let maybe = answers.iter().filter(|answer| answer.is_none()).count();
        if sure + maybe < least || most.is_some_and(|most| sure > most) {
            return Some(false);
        }
        let enough = sure >= least && most.is_none_or(|most| sure + maybe <= most);
        enough.then_some(true)
    }
}
