//! Keywords about the members of an object; `given` are its members.

use json_text::JsonText;
use serde_json::value::RawValue;

use super::{AllOf, PartialValidator};
use crate::document::{Document, NodeId};

type Given<'g> = [(String, &'g RawValue)];

impl PartialValidator<'_> {
    pub(super) fn required(&self, id: NodeId, given: &Given<'_>) -> Option<bool> {
        let mut all = AllOf::YES;
        for name in self.document.items(id)? {
            all.and(Some(has(given, self.document.string(*name)?)));
        }
        all.answer()
    }

    pub(super) fn properties(&self, id: NodeId, given: &Given<'_>, depth: usize) -> Option<bool> {
        let mut all = AllOf::YES;
        for (name, property) in self.document.members(id) {
            if let Some((_, raw)) = given.iter().find(|(key, _)| key == name.as_ref()) {
                all.and(self.schema(*property, raw, depth + 1));
            }
        }
        all.answer()
    }

    pub(super) fn pattern_properties(
        &self,
        id: NodeId,
        given: &Given<'_>,
        depth: usize,
    ) -> Option<bool> {
        let mut all = AllOf::YES;
        for (pattern, property) in self.document.members(id) {
            for (name, raw) in given {
                match self.document.pattern(pattern).and_then(|it| it.is_found_in(name)) {
                    Some(true) => all.and(self.schema(*property, raw, depth + 1)),
                    Some(false) => {}
                    None => all.and(None),
                }
            }
        }
        all.answer()
    }

    /// `additionalProperties` at `id`: what neither `properties` nor `patternProperties` beside it
    /// in `schema` names.
    pub(super) fn additional_properties(
        &self,
        schema: NodeId,
        id: NodeId,
        given: &Given<'_>,
        depth: usize,
    ) -> Option<bool> {
        let document = self.document;
        let named = document.member(schema, &["properties"]);
        let patterns = document.member(schema, &["patternProperties"]);
        let mut all = AllOf::YES;
        for (name, raw) in given {
            if named.is_some_and(|named| document.named(named, name).is_some()) {
                continue;
            }
            let matched =
                patterns.map_or(Some(false), |patterns| matches_any(document, patterns, name));
            match matched {
                Some(true) => {}
                Some(false) => all.and(self.schema(id, raw, depth + 1)),
                None => all.and(None),
            }
        }
        all.answer()
    }

    pub(super) fn property_names(
        &self,
        id: NodeId,
        given: &Given<'_>,
        depth: usize,
    ) -> Option<bool> {
        let mut all = AllOf::YES;
        for (name, _) in given {
            let name = JsonText::string(name);
            let raw: &RawValue = name.decode().ok()?;
            all.and(self.schema(id, raw, depth + 1));
        }
        all.answer()
    }

    pub(super) fn dependent_required(&self, id: NodeId, given: &Given<'_>) -> Option<bool> {
        let mut all = AllOf::YES;
        for (name, needed) in self.document.members(id) {
            if has(given, name) {
                for needed in self.document.items(*needed)? {
                    all.and(Some(has(given, self.document.string(*needed)?)));
                }
            }
        }
        all.answer()
    }

    pub(super) fn dependent_schemas(
        &self,
        id: NodeId,
        raw: &RawValue,
        given: &Given<'_>,
        depth: usize,
    ) -> Option<bool> {
        let mut all = AllOf::YES;
        for (name, needed) in self.document.members(id) {
            if has(given, name) {
                all.and(self.schema(*needed, raw, depth + 1));
            }
        }
        all.answer()
    }

    /// Draft 7's `dependencies`: names that are required too, or a schema for the object.
    pub(super) fn dependencies(
        &self,
        id: NodeId,
        raw: &RawValue,
        given: &Given<'_>,
        depth: usize,
    ) -> Option<bool> {
        let mut all = AllOf::YES;
        for (_, needed) in self.document.members(id).iter().filter(|(name, _)| has(given, name)) {
            match self.document.items(*needed) {
                Some(names) => {
                    for name in names {
                        all.and(Some(has(given, self.document.string(*name)?)));
                    }
                }
                None => all.and(self.schema(*needed, raw, depth + 1)),
            }
        }
        all.answer()
    }
}

fn has(given: &Given<'_>, name: &str) -> bool {
    given.iter().any(|(key, _)| key == name)
}

/// Whether one of the patterns that are the keys of `patterns` is found in `name`.
fn matches_any(document: &Document, patterns: NodeId, name: &str) -> Option<bool> {
    let mut undecided = false;
    for (pattern, _) in document.members(patterns) {
        match document.pattern(pattern).and_then(|it| it.is_found_in(name)) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => undecided = true,
        }
    }
    (!undecided).then_some(false)
}
