//! [`Blank`]: creates empty places, and gives objects the members that their conditions add.

mod conditions;

pub(crate) use conditions::{convert, update_conditions};

use crate::document::NodeId;
use crate::draft::{ConditionState, Content, Entered, Ids, Item};
use crate::field::{FieldKind, Slot};
use crate::fill::{Filler, admits};
use crate::{Draft, Form};

impl Draft {
    /// The empty draft: required objects are open, required fields have their defaults, and nothing
    /// else is sent.
    #[must_use]
    pub fn blank(form: &Form) -> Self {
        let mut ids = Ids::default();
        let root = Blank::new(&mut ids).place(form.root());
        Self { root, ids }
    }

    /// The empty draft, in which optional members of the outermost object have their defaults too, as
    /// MCP prescribes for an elicitation.
    #[must_use]
    pub fn with_defaults(form: &Form) -> Self {
        let mut draft = Self::blank(form);
        let Some(Content::Object { members: entered, .. }) = &mut draft.root.content else {
            return draft;
        };
        let FieldKind::Object(object) = &form.root().field().kind else { return draft };
        let mut blank = Blank::new(&mut draft.ids);
        for (member, entered) in object.members.iter().zip(entered) {
            if *entered == Entered::NOTHING {
                *entered = blank.default(member).unwrap_or(Entered::NOTHING);
            }
        }
        update_conditions(form.root(), &mut draft.root, &mut blank);
        draft
    }
}

impl Form {
    /// Whether the arguments are complete when empty and the schema describes none: entries may be
    /// added, but most people send the form unchanged. Always false for values other than arguments.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::Form;
    /// let form = |schema: &str| JsonText::parse(schema).map(|it| Form::of_schema(&it));
    /// assert!(form(r#"{"type": "object"}"#)?.with_objects_only().needs_no_input());
    /// let prices = r#"{"type": "object", "additionalProperties": {"type": "number"}}"#;
    /// assert!(!form(prices)?.with_objects_only().needs_no_input());
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn needs_no_input(&self) -> bool {
        self.objects_only()
            && self.describes_no_member()
            && Draft::blank(self).read(self).json().is_some()
    }
}

/// Creates empty places.
pub(crate) struct Blank<'i> {
    ids: &'i mut Ids,
    /// The schemas being opened; a recursive one is opened once.
    opening: Vec<NodeId>,
    /// How many places may still be created, because a schema may require too many.
    budget: usize,
}

impl<'i> Blank<'i> {
    pub(crate) fn new(ids: &'i mut Ids) -> Self {
        Self { ids, opening: Vec::new(), budget: 10_000 }
    }

    pub(crate) fn ids(&mut self) -> &mut Ids {
        self.ids
    }

    /// An empty place.
    pub(crate) fn place(&mut self, slot: &Slot) -> Entered {
        if !slot.required() {
            return Entered::NOTHING;
        }
        let layers = &slot.source().layers;
        let again = layers.iter().any(|layer| self.opening.contains(layer));
        if self.budget == 0 || again || self.opening.len() > 64 {
            return Entered::NOTHING;
        }
        self.budget -= 1;
        if let Some(default) = self.default(slot) {
            return default;
        }
        match &slot.field().kind {
            FieldKind::Object(_) | FieldKind::Union(_) => {
                self.open(slot).map_or(Entered::NOTHING, Entered::value)
            }
            // The only value there is.
            FieldKind::Choice(options) if options.len() == 1 && !slot.field().nullable => {
                Entered::value(Content::Choice(0))
            }
            _ => Entered::NOTHING,
        }
    }

    /// The default, entered; `None` if there is none, or if it is no valid value.
    fn default(&mut self, slot: &Slot) -> Option<Entered> {
        let default = slot.field().default.as_ref()?;
        let entered = Filler::new(self.ids).fill(slot, default.decode().ok()?);
        admits(slot, &entered).then_some(entered)
    }

    /// The content of a place that the person opens; `None` where a value must be entered first.
    pub(crate) fn open(&mut self, slot: &Slot) -> Option<Content> {
        let before = self.opening.len();
        self.opening.extend(&slot.source().layers);
        let content = match &slot.field().kind {
            FieldKind::Object(object) => {
                let members = object.members.iter().map(|member| self.place(member)).collect();
                let content = Content::Object {
                    members,
                    entries: Vec::new(),
                    conditions: ConditionState::default(),
                };
                let mut entered = Entered::value(content);
                // An untouched object decides its conditions too.
                update_conditions(slot, &mut entered, self);
                entered.content
            }
            FieldKind::List(list) => {
                let least = usize::try_from(list.min.unwrap_or(0)).unwrap_or(0).min(100);
                let least = least.max(list.prefix.len());
                let slots = (0..least).map_while(|index| list.item(index));
                Some(Content::List(
                    slots
                        .map(|slot| Item { id: self.ids.next(), entered: self.place(slot) })
                        .collect(),
                ))
            }
            FieldKind::Union(branches) => branches.first().map(|branch| {
                // A branch repeats its union's layers: only what it adds can be recursive.
                self.opening.truncate(before);
                let entered = self.place(&branch.slot);
                Content::Union { branch: 0, visited: vec![(0, entered)] }
            }),
            FieldKind::Text(_) | FieldKind::Integer(_) | FieldKind::Number(_) => {
                Some(Content::Text(String::new()))
            }
            FieldKind::Boolean => Some(Content::Bool(false)),
            FieldKind::Choice(_) => Some(Content::Choice(0)),
            FieldKind::Json(_) => Some(Content::Json { text: String::new(), before: None }),
        };
        self.opening.truncate(before);
        content
    }
}
