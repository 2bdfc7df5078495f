//! [`Field`]: one place of a form, and what kind of value a person puts there.
//!
//! A field is made when somebody looks at it ([`Slot::field`]), not when the form is made: a
//! recursive schema is as deep as it is opened, and a list's item exists once.
//! What the person has entered is no part of a field; it lives in [`crate::Draft`].

use std::fmt;
use std::sync::{Arc, OnceLock};

use json_text::JsonText;

use crate::document::{Document, NodeId};
use crate::{Reason, Types};

/// One place of a form.
#[derive(Debug)]
pub struct Field {
    /// The property's name; empty for the root, an item or a branch.
    pub key: String,
    /// Whether the value must be there. Items, branches and the root always are.
    pub required: bool,
    /// The schema's title.
    pub title: Option<String>,
    /// The schema's description, markdown.
    pub description: Option<String>,
    /// Whether `null` may be sent.
    pub nullable: bool,
    /// What the callee assumes when nothing is sent. Shown, never sent by itself.
    pub default: Option<JsonText>,
    /// Values the schema gives as examples.
    pub examples: Vec<JsonText>,
    /// Whether the schema calls the field deprecated.
    pub deprecated: bool,
    /// Whether the schema calls the field read-only.
    pub read_only: bool,
    /// The JSON types that are valid here, `null` included.
    pub types: Types,
    /// Keywords that stand here and are left to the host's validator, as the schema spells them.
    pub unchecked: Vec<&'static str>,
    /// What kind of value it is.
    pub kind: FieldKind,
}

/// What kind of value a field takes, with what its widget needs to know.
#[derive(Debug)]
pub enum FieldKind {
    /// A string.
    Text(TextField),
    /// A whole number of any length.
    Integer(Bounds),
    /// A number of any length.
    Number(Bounds),
    /// `true` or `false`.
    Boolean,
    /// One of given values: `enum`, `const`, a union of these.
    Choice(Vec<ChoiceOption>),
    /// Named members.
    Object(ObjectField),
    /// Items in order.
    List(ListField),
    /// One of several kinds.
    Union(Vec<Branch>),
    /// JSON text, because no widget can express the schema.
    Json(Reason),
}

/// What a string must be like. Lengths count characters, not bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextField {
    /// `minLength`
    pub min_length: Option<u64>,
    /// `maxLength`
    pub max_length: Option<u64>,
    /// `pattern`, for the eye: the host's validator checks it.
    pub pattern: Option<String>,
    /// `format`, for the choice of widget: the host's validator checks it.
    pub format: Option<String>,
}

/// What a number must be like; the limits are JSON numbers as the schema writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// `minimum` or `exclusiveMinimum`
    pub minimum: Option<Limit>,
    /// `maximum` or `exclusiveMaximum`
    pub maximum: Option<Limit>,
    /// `multipleOf`
    pub multiple_of: Option<String>,
}

/// An end of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The JSON number as the schema writes it.
    pub number: String,
    /// Whether the number itself lies outside.
    pub exclusive: bool,
}

/// One value of a [`FieldKind::Choice`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceOption {
    /// What is sent.
    pub value: JsonText,
    /// What is shown: the title if there is one, a string's content, else the JSON text.
    pub label: String,
    /// What the schema says about it.
    pub description: Option<String>,
}

/// The members of an object.
#[derive(Debug)]
pub struct ObjectField {
    /// The members that the schema names, in its order.
    pub members: Vec<Slot>,
    /// What it says about others.
    pub extras: Extras,
    /// `minProperties`
    pub min: Option<u64>,
    /// `maxProperties`
    pub max: Option<u64>,
}

/// What an object may hold beside the members its schema names.
#[derive(Debug)]
pub enum Extras {
    /// Nothing (`additionalProperties: false`).
    Closed,
    /// Anything, but the schema does not ask for it: what is filled in stays, nothing is offered.
    Kept(Slot),
    /// Entries with names of the person's choosing.
    Offered(Slot),
}

impl Extras {
    /// The field of an entry. Where nothing may be, what is there anyway is still shown.
    #[must_use]
    pub fn slot(&self) -> Option<&Slot> {
        match self {
            Self::Closed => None,
            Self::Kept(slot) | Self::Offered(slot) => Some(slot),
        }
    }
}

/// The items of a list.
#[derive(Debug)]
pub struct ListField {
    /// The first items, each of a kind of its own (`prefixItems`).
    pub prefix: Vec<Slot>,
    /// The items after these; `None` when there may be none.
    pub rest: Option<Slot>,
    /// `minItems`
    pub min: Option<u64>,
    /// `maxItems`
    pub max: Option<u64>,
    /// `uniqueItems`
    pub unique: bool,
}

impl ListField {
    /// The field of the item at `index`.
    #[must_use]
    pub fn item(&self, index: usize) -> Option<&Slot> {
        self.prefix.get(index).or(self.rest.as_ref())
    }
}

/// One branch of a [`FieldKind::Union`].
#[derive(Debug)]
pub struct Branch {
    /// The branch's title, its definition's name, its tag, or its type.
    pub label: String,
    /// The branch's field.
    pub slot: Slot,
}

/// A field that is made when it is first looked at. Cloning shares it.
#[derive(Clone)]
pub struct Slot(Arc<SlotInner>);

struct SlotInner {
    document: Arc<Document>,
    source: Source,
    field: OnceLock<Arc<Field>>,
}

/// What a field is made from: schemas that all hold at once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    pub(crate) key: String,
    pub(crate) required: bool,
    /// The schemas, outermost first: annotations of the first count.
    pub(crate) layers: Vec<NodeId>,
    /// Unions of which a branch is chosen already: the node and its keyword.
    pub(crate) chosen: Vec<(NodeId, &'static str)>,
    /// Only these types, where a union of types was split.
    pub(crate) only: Option<Types>,
}

impl Slot {
    pub(crate) fn new(document: &Arc<Document>, source: Source) -> Self {
        Self(Arc::new(SlotInner { document: Arc::clone(document), source, field: OnceLock::new() }))
    }

    /// A place that takes JSON text, whatever its layers say.
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
            kind: FieldKind::Json(reason),
        }));
        debug_assert!(made.is_ok(), "nobody looked at a slot that was just made");
        slot
    }

    /// The field, made now if nobody looked before.
    #[must_use]
    pub fn field(&self) -> &Arc<Field> {
        self.0.field.get_or_init(|| {
            Arc::new(crate::build::field(&self.0.document, &self.0.source, &mut Vec::new()))
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

    pub(crate) fn source(&self) -> &Source {
        &self.0.source
    }

    pub(crate) fn document(&self) -> &Arc<Document> {
        &self.0.document
    }
}

impl fmt::Debug for Slot {
    /// Shows only what is there: looking must not open a recursive schema for ever.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Slot").field("key", &self.key()).finish_non_exhaustive()
    }
}
