//! [`Field`]: one place of a form and the kind of value it takes.
//!
//! A field is built on first use ([`Slot::field`]), not with the form: a recursive schema is built
//! only as deep as it is opened, and all items of a list share one field.
//! What the person has entered is in [`crate::Draft`], not in the field.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use json_text::JsonText;

use crate::conditions::Condition;
use crate::document::{Document, NodeId};
use crate::entry_schemas::EntrySchemas;
use crate::{Reason, Types};

/// One place of a form.
#[derive(Debug)]
pub struct Field {
    /// The property's name; empty for the root, an item or a branch.
    pub key: String,
    /// Whether the value is required. Items, branches and the root always are.
    pub required: bool,
    /// The schema's title.
    pub title: Option<String>,
    /// The schema's description, markdown.
    pub description: Option<String>,
    /// Whether `null` may be sent.
    pub nullable: bool,
    /// What the callee assumes when nothing is sent. Shown; sent by itself only where the field is
    /// required.
    pub default: Option<JsonText>,
    /// Values the schema gives as examples.
    pub examples: Vec<JsonText>,
    /// Whether the schema calls the field deprecated.
    pub deprecated: bool,
    /// Whether the schema calls the field read-only.
    pub read_only: bool,
    /// The JSON types that are valid here, `null` included.
    pub types: Types,
    /// Keywords of this field that only the host checks, as the schema spells them.
    pub unchecked: Vec<&'static str>,
    /// Keywords that are checked once the value is complete, each with its schema.
    pub(crate) checked_keywords: Vec<(NodeId, &'static str)>,
    /// What kind of value it is.
    pub kind: FieldKind,
}

impl Field {
    /// The unit in brackets at the end of the title: `Temperature (°C)`, `Timeout [ms]`.
    #[must_use]
    pub fn unit(&self) -> Option<String> {
        const LONGEST: usize = 10;
        let title = self.title.as_deref()?.trim_end();
        let pairs = [('(', ')'), ('[', ']')];
        let inner = pairs.into_iter().find_map(|(open, close)| {
            let (before, unit) = title.strip_suffix(close)?.rsplit_once(open)?;
            (!before.trim().is_empty()).then(|| unit.trim())
        })?;
        let is_unit = !inner.is_empty()
            && inner.chars().count() <= LONGEST
            && !matches!(inner, "optional" | "required" | "deprecated")
            && !inner.contains(char::is_whitespace);
        is_unit.then(|| inner.to_owned())
    }
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

/// The constraints of a string. Lengths count characters, not bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextField {
    /// `minLength`
    pub min_length: Option<u64>,
    /// `maxLength`
    pub max_length: Option<u64>,
    /// `pattern`, for display.
    pub pattern: Option<String>,
    /// `format`, for the choice of widget and for advice.
    pub format: Option<String>,
    /// `contentEncoding`, for the choice of widget.
    pub encoding: Option<String>,
}

/// The constraints of a number; the limits are JSON numbers as the schema writes them.
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
    /// Whether the number itself is excluded.
    pub exclusive: bool,
}

/// One value of a [`FieldKind::Choice`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceOption {
    /// What is sent.
    pub value: JsonText,
    /// What is shown: the title if there is one, a string's content, else the JSON text. Labels of
    /// a field are unique: text that looks like another value is quoted.
    pub label: String,
    /// The schema's description.
    pub description: Option<String>,
}

/// The members of an object.
#[derive(Debug)]
pub struct ObjectField {
    /// The members that the schema names, in its order.
    pub members: Vec<Slot>,
    /// Whether and how other members are allowed.
    pub extras: Extras,
    /// The patterns of `patternProperties`, which select an entry's schema by its name.
    pub patterns: Vec<String>,
    /// `propertyNames`, as the field of a name.
    pub names: Option<Slot>,
    /// `minProperties`
    pub min: Option<u64>,
    /// `maxProperties`
    pub max: Option<u64>,
    /// `dependentRequired`: a member and the members that it requires.
    pub(crate) needs: Vec<(String, Vec<String>)>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) entry_schemas: EntrySchemas,
}

impl ObjectField {
    /// The field of an entry with this name, or without a name yet; `None` when the schema does not
    /// allow such a member.
    #[must_use]
    pub fn entry(&self, name: Option<&str>) -> Option<Slot> {
        match name {
            Some(name) => self.entry_schemas.slot(name),
            None => self.extras.slot().cloned(),
        }
    }

    /// The field of an entry; a field for any value when the schema does not allow the member.
    pub(crate) fn entry_or_any(&self, slot: &Slot, name: Option<&str>) -> Slot {
        self.entry(name).unwrap_or_else(|| crate::draft::any_value(slot))
    }

    /// The object's shape for each conditional branch, and the fields of its patterns.
    pub(crate) fn branches(&self, slot: &Slot) -> Vec<Slot> {
        // One at a time: all combinations of branches would be too many.
        let of_branches = self.conditions.iter().filter(|_| slot.source().first.is_none());
        let shapes = of_branches.flat_map(Condition::branches).map(|branch| slot.shaped(&[branch]));
        shapes.chain(self.entry_schemas.each()).collect()
    }

    /// Whether the members depend on what is entered (`if`, `dependentSchemas`).
    #[must_use]
    pub fn is_conditional(&self) -> bool {
        !self.conditions.is_empty()
    }
}

/// Members that an object may have beside those its schema names.
#[derive(Debug)]
pub enum Extras {
    /// None (`additionalProperties: false`).
    Closed,
    /// Allowed but not mentioned by the schema: filled-in entries are kept, none are offered.
    Kept(Slot),
    /// Entries that the person adds and names.
    Offered(Slot),
}

impl Extras {
    /// The field of an entry, unless none are allowed.
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
    /// The first items, each with its own field (`prefixItems`).
    pub prefix: Vec<Slot>,
    /// The field of the items after these; `None` when none are allowed.
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
            Arc::new(crate::build::field(&self.0.document, &self.0.source, &mut Vec::new()))
        })
    }

    /// The property's name; empty for an item, a branch or the root.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.0.source.key
    }

    /// This place with the members that its conditions add for what is entered.
    #[must_use]
    pub fn shaped_for(&self, entered: &crate::Entered) -> Self {
        crate::draft::shape(self, entered)
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
