//! [`EntryFields`]: the fields of members that no `properties` name, each built once.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::Slot;
use crate::document::{Document, NodeId};
use crate::entry_schemas::{EntrySchemas, NameMatch};
use crate::source::Source;

/// The fields of an object's additional members, by their schemas.
pub(crate) struct EntryFields {
    document: Arc<Document>,
    schemas: EntrySchemas,
    /// The fields built so far, by their schemas.
    slots: Mutex<HashMap<Vec<NodeId>, Slot>>,
}

impl EntryFields {
    pub(super) fn of(document: &Arc<Document>, schemas: EntrySchemas) -> Self {
        Self { document: Arc::clone(document), schemas, slots: Mutex::default() }
    }

    /// The field of each pattern.
    pub(super) fn each(&self) -> Vec<Slot> {
        let source = |schema| Source { required: true, layers: vec![schema], ..Source::default() };
        let schemas = self.schemas.of_patterns();
        schemas.map(|schema| Slot::new(&self.document, source(schema))).collect()
    }

    /// The field for an entry of this name; `None` when the schema does not allow it.
    pub(super) fn slot(&self, name: &str) -> Option<Slot> {
        let NameMatch::Schemas(layers) = self.schemas.choose(name) else { return None };
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.entry(layers).or_insert_with_key(|layers| {
            let source = Source { required: true, layers: layers.clone(), ..Source::default() };
            Slot::new(&self.document, source)
        });
        Some(slot.clone())
    }
}

impl fmt::Debug for EntryFields {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let patterns = self.schemas.patterns();
        formatter.debug_struct("EntryFields").field("patterns", &patterns).finish_non_exhaustive()
    }
}
