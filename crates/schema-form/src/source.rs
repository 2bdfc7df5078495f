//! [`Source`]: the schemas that a field is built from.

use crate::document::NodeId;
use crate::{Reason, Types};

/// What a field is built from: schemas that apply together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    pub(crate) key: String,
    pub(crate) required: bool,
    /// The schemas, outermost first: annotations of the first count.
    pub(crate) layers: Vec<NodeId>,
    /// How many of them, from the outermost, have their annotations shown elsewhere: a union's
    /// annotations are shown at the union and not again at its branch.
    pub(crate) annotated: usize,
    /// Unions with a branch already chosen: the node and its keyword.
    pub(crate) chosen: Vec<(NodeId, &'static str)>,
    /// Only these types, where a union of types was split.
    pub(crate) only: Option<Types>,
    /// The members listed first, when a condition's branch adds others.
    pub(crate) first: Option<Vec<String>>,
}

impl Source {
    /// The schema and the reason to report when no value can be valid: at the branch, if one was
    /// chosen, because its siblings may be satisfiable.
    pub(crate) fn contradiction(&self) -> (Option<NodeId>, Reason) {
        match self.chosen.is_empty() {
            true => (self.layers.first().copied(), Reason::NothingValid),
            false => (self.layers.last().copied(), Reason::BranchDead),
        }
    }
}
