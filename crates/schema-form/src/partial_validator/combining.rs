//! Keywords that apply other schemas: `$ref`, `allOf`, `anyOf`, `oneOf`, `if`.

use serde_json::value::RawValue;

use super::{AllOf, PartialValidator};
use crate::document::NodeId;

impl PartialValidator<'_> {
    pub(super) fn reference(&self, id: NodeId, raw: &RawValue, depth: usize) -> Option<bool> {
        let target = self.document.resolve(id, self.document.string(id)?)?;
        if self.document.has_inner_ids() {
            return None;
        }
        self.schema(target, raw, depth + 1)
    }

    pub(super) fn all_of(&self, id: NodeId, raw: &RawValue, depth: usize) -> Option<bool> {
        let mut all = AllOf::YES;
        for each in self.document.items(id)? {
            all.and(self.schema(*each, raw, depth + 1));
        }
        all.answer()
    }

    pub(super) fn any_of(&self, id: NodeId, raw: &RawValue, depth: usize) -> Option<bool> {
        let mut undecided = false;
        for each in self.document.items(id)? {
            match self.schema(*each, raw, depth + 1) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => undecided = true,
            }
        }
        (!undecided).then_some(false)
    }

    pub(super) fn one_of(&self, id: NodeId, raw: &RawValue, depth: usize) -> Option<bool> {
        let each = self.document.items(id)?.iter();
        let answers: Vec<_> = each.map(|each| self.schema(*each, raw, depth + 1)).collect();
        let count = |answer| answers.iter().filter(|each| **each == answer).count();
        match (count(Some(true)), count(None)) {
            (2.., _) | (0, 0) => Some(false),
            (1, 0) => Some(true),
            _ => None,
        }
    }

    /// `if` at `id`, with the `then` and `else` beside it in `schema`.
    pub(super) fn condition(
        &self,
        schema: NodeId,
        id: NodeId,
        raw: &RawValue,
        depth: usize,
    ) -> Option<bool> {
        let branch = match self.schema(id, raw, depth + 1)? {
            true => self.document.member(schema, &["then"]),
            false => self.document.member(schema, &["else"]),
        };
        branch.map_or(Some(true), |branch| self.schema(branch, raw, depth + 1))
    }
}
