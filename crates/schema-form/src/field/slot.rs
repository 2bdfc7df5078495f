//! [`Slot`]: a place whose field is built on first use, and its shapes.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use json_text::JsonText;

use super::{Field, FieldKind};
use crate::condition::MAX_ROUNDS;
use crate::document::{Document, NodeId};
use crate::source::Source;
use crate::{Reason, Types};

/// A field that is built on first use. Clones share it.
#[derive(Clone)]
pub struct Slot(Arc<SlotInner>);

struct SlotInner {
    document: Arc<Document>,
    source: Source,
    field: OnceLock<Arc<Field>>,
    /// The shapes of an object with conditions, by the branches that apply.
    shapes: Mutex<Vec<(Vec<NodeId>, Slot)>>,
}

impl Slot {
    pub(crate) fn new(document: &Arc<Document>, source: Source) -> Self {
        Self(Arc::new(SlotInner {
            document: Arc::clone(document),
            source,
            field: OnceLock::new(),
            shapes: Mutex::default(),
        }))
    }

    /// A place that takes JSON text, regardless of its layers.
    pub(crate) fn unexpressed(
        document: &Arc<Document>,
        layers: Vec<NodeId>,
        reason: Reason,
    ) -> Self {
        let slot = Self::new(document, Source { required: true, layers, ..Source::default() });
        let made = slot.0.field.set(Arc::new(Field {
            key: String::new(),
            required: true,
            title: None,
            description: None,
            nullable: false,
            default: None,
            examples: Vec::new(),
            deprecated: false,
            read_only: false,
            types: Types::ANY,
            unchecked: Vec::new(),
            checked_keywords: Vec::new(),
            kind: FieldKind::Json(reason),
        }));
        debug_assert!(made.is_ok(), "a new slot has no field yet");
        slot
    }

    /// The field, built on first use.
    #[must_use]
    pub fn field(&self) -> &Arc<Field> {
        self.0.field.get_or_init(|| {
            Arc::new(super::build::field(&self.0.document, &self.0.source, &mut Vec::new()))
        })
    }

    /// The property's name; empty for an item, a branch or the root.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.0.source.key
    }

    /// Whether the value must be there.
    #[must_use]
    pub fn required(&self) -> bool {
        self.0.source.required
    }

    /// A hash that is equal for slots of the same schemas, to detect that a place must be redrawn.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        use std::hash::{Hash as _, Hasher as _};
        let mut hasher = std::hash::DefaultHasher::new();
        Arc::as_ptr(&self.0.document).hash(&mut hasher);
        self.0.source.hash(&mut hasher);
        hasher.finish()
    }

    /// The object's shape where these conditional branches apply. Without any, or where the
    /// branches leave no object, the slot itself.
    pub(crate) fn shaped(&self, applied: &[NodeId]) -> Self {
        let FieldKind::Object(object) = &self.field().kind else { return self.clone() };
        if applied.is_empty() {
            return self.clone();
        }
        let mut shapes = self.0.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, shape)) = shapes.iter().find(|(branches, _)| branches == applied) {
            return shape.clone();
        }
        let mut source = self.0.source.clone();
        source.layers.extend(applied);
        source.first = Some(object.members.iter().map(|member| member.key().to_owned()).collect());
        let made = Self::new(&self.0.document, source);
        let is_object = matches!(made.field().kind, FieldKind::Object(_));
        let shape = if is_object { made } else { self.clone() };
        shapes.push((applied.to_vec(), shape.clone()));
        shape
    }

    /// The branches that apply to `value`, an object here.
    pub(crate) fn active_branches(&self, value: &JsonText) -> Vec<NodeId> {
        let mut applied = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let shape = self.shaped(&applied);
            let FieldKind::Object(object) = &shape.field().kind else { break };
            let next: Vec<NodeId> = object
                .conditions
                .iter()
                .filter_map(|condition| condition.branch(self.document(), value))
                .collect();
            if next == applied {
                break;
            }
            applied = next;
        }
        applied
    }

    /// Whether the object's shape depends on what is entered.
    pub(crate) fn has_conditions(&self) -> bool {
        matches!(&self.field().kind, FieldKind::Object(object) if !object.conditions.is_empty())
    }

    pub(crate) fn source(&self) -> &Source {
        &self.0.source
    }

    pub(crate) fn document(&self) -> &Arc<Document> {
        &self.0.document
    }
}

impl PartialEq for Slot {
    /// Whether both are built from the same schemas of the same document.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (Arc::ptr_eq(&self.0.document, &other.0.document) && self.0.source == other.0.source)
    }
}

impl Eq for Slot {}

impl fmt::Debug for Slot {
    /// Shows the key only: building fields here would expand a recursive schema without end.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Slot").field("key", &self.key()).finish_non_exhaustive()
    }
}

/// A field for any value, in the document of `slot`.
pub(crate) fn any_value(slot: &Slot) -> Slot {
    let source = Source { required: true, ..Source::default() };
    Slot::new(slot.document(), source)
}
