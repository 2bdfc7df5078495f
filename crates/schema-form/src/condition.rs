//! [`Condition`]: `if`/`then`/`else` and `dependentSchemas` of an object, decided for a value.
//!
//! An active branch adds a layer to the object's schemas, so an object has a shape for each set of
//! active branches ([`crate::Slot`]). Unconditional members come first in every shape.

use json_text::JsonText;

use crate::document::{Dialect, Document, NodeId};
use crate::merged::MergedSchema;
use crate::partial_validator::PartialValidator;

/// The most evaluation rounds, because a branch may add further conditions.
pub(crate) const MAX_ROUNDS: usize = 8;

/// A branch of an object that depends on its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Condition {
    /// `if`, `then`, `else`.
    If { test: NodeId, then: Option<NodeId>, other: Option<NodeId> },
    /// `dependentSchemas`: a schema that applies when a member is present.
    Dependent { name: Box<str>, schema: NodeId },
}

impl Condition {
    /// The conditions in the layers of an object.
    pub(crate) fn all(document: &Document, merged: &MergedSchema<'_>) -> Vec<Self> {
        let mut conditions = Vec::new();
        let keyword = match document.dialect() {
            Dialect::Modern => "dependentSchemas",
            Dialect::Seven => "dependencies",
            Dialect::Other => return conditions,
        };
        for layer in &merged.layers {
            if let Some(test) = document.member(*layer, &["if"]) {
                let then = document.member(*layer, &["then"]);
                let other = document.member(*layer, &["else"]);
                conditions.push(Self::If { test, then, other });
            }
            let given = document.member(*layer, &[keyword]);
            let given = given.map(|id| document.members(id)).unwrap_or(&[]);
            // A list of names is not a schema: `Builder::needs` handles these.
            let schemas = given.iter().filter(|(_, id)| document.items(*id).is_none());
            conditions.extend(
                schemas
                    .map(|(name, schema)| Self::Dependent { name: name.clone(), schema: *schema }),
            );
        }
        conditions
    }

    /// The branches that may apply.
    pub(crate) fn branches(&self) -> Vec<NodeId> {
        match self {
            Self::If { then, other, .. } => then.iter().chain(other).copied().collect(),
            Self::Dependent { schema, .. } => vec![*schema],
        }
    }

    /// The branch that applies to `value`, if one does and it can be decided.
    pub(crate) fn branch(&self, document: &Document, value: &JsonText) -> Option<NodeId> {
        match self {
            Self::If { test, then, other } => {
                match PartialValidator::of(document).admits(*test, value)? {
                    true => *then,
                    false => *other,
                }
            }
            Self::Dependent { name, schema } => {
                let json_text::Node::Object(members) = value.open() else { return None };
                members.iter().any(|(key, _)| **key == **name).then_some(*schema)
            }
        }
    }
}
