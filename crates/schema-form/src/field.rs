//! [`Field`]: one place of a form and the kind of value it takes.
//!
//! A field is built on first use ([`Slot::field`]), not with the form: a recursive schema is built
//! only as deep as it is opened, and all items of a list share one field.
//! What the person has entered is in [`crate::Draft`], not in the field.

pub(crate) mod build;
mod entry_fields;
mod slot;

pub use slot::Slot;
pub(crate) use slot::any_value;

use json_text::JsonText;

use self::entry_fields::EntryFields;
use crate::bounds::Bounds;
use crate::condition::Condition;
use crate::document::NodeId;
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
    pub(crate) entry_fields: EntryFields,
}

impl ObjectField {
    /// The field of an entry with this name, or without a name yet; `None` when the schema does not
    /// allow such a member.
    #[must_use]
    pub fn entry(&self, name: Option<&str>) -> Option<Slot> {
        match name {
            Some(name) => self.entry_fields.slot(name),
            None => self.extras.slot().cloned(),
        }
    }

    /// The field of an entry; a field for any value when the schema does not allow the member.
    pub(crate) fn entry_or_any(&self, slot: &Slot, name: Option<&str>) -> Slot {
        self.entry(name).unwrap_or_else(|| any_value(slot))
    }

    /// The object's shape for each conditional branch, and the fields of its patterns.
    pub(crate) fn branches(&self, slot: &Slot) -> Vec<Slot> {
        // One at a time: all combinations of branches would be too many.
        let of_branches = self.conditions.iter().filter(|_| slot.source().first.is_none());
        let shapes = of_branches.flat_map(Condition::branches).map(|branch| slot.shaped(&[branch]));
        shapes.chain(self.entry_fields.each()).collect()
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
