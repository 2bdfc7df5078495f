//! [`Draft`]: what a person has entered so far, with the same structure as its form.
//!
//! Every place is not sent, null, or a value; the content is kept while a place is not sent. A number
//! is kept as typed text, so `-`, `1.` and `1e` are possible while typing, and no digit is rounded.
//! [`crate::blank`] makes an empty draft, [`crate::fill`] makes one from JSON, [`crate::edit`] changes
//! one, and [`crate::read`] makes JSON from one.

use crate::document::NodeId;
use crate::field::{FieldKind, Slot, any_value};
use crate::{Form, ItemId, Path, PathStep};
use json_text::pointer;

/// What a person has entered so far into a [`Form`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub(crate) root: Entered,
    pub(crate) ids: Ids,
}

/// Creates [`ItemId`]s.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ids(u32);

impl Ids {
    pub(crate) fn next(&mut self) -> ItemId {
        self.0 = self.0.wrapping_add(1);
        ItemId(self.0)
    }
}

/// What is sent for a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Nothing: the member is left out.
    NotSent,
    /// `null`
    Null,
    /// The content.
    Value,
}

/// One place of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entered {
    pub(crate) state: State,
    /// Kept while the state is another, so that it can be restored.
    pub(crate) content: Option<Content>,
}

/// What was entered at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A string's content, or a number as typed.
    Text(String),
    /// `true` or `false`
    Bool(bool),
    /// The option chosen, by its position.
    Choice(usize),
    /// The members that the schema names, in its order, and the entries beside them.
    Object {
        /// One for each of [`crate::ObjectField::members`].
        members: Vec<Entered>,
        /// In the order added.
        entries: Vec<Entry>,
        /// Which conditional branches apply, and so which members exist.
        conditions: ConditionState,
    },
    /// Items in order.
    List(Vec<Item>),
    /// The chosen branch and its content, with the content of branches chosen before.
    Union {
        /// The position of the chosen branch.
        branch: usize,
        /// Branches visited, by position.
        visited: Vec<(usize, Entered)>,
    },
    /// JSON text, as typed.
    Json {
        /// The text, valid or not yet.
        text: String,
        /// The text and the widgets' content at the switch to JSON.
        before: Option<Box<(String, Content)>>,
    },
}

/// The active conditional branches of an object, and what was entered in inactive ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConditionState {
    pub(crate) applied: Vec<NodeId>,
    pub(crate) inactive: Vec<InactiveMember>,
}

/// A member of an inactive branch: not sent, and restored with the branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InactiveMember {
    pub(crate) slot: Slot,
    pub(crate) entered: Entered,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its identity, independent of its position.
    pub id: ItemId,
    /// What was entered.
    pub entered: Entered,
}

/// A member of an object that the schema does not name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its identity, independent of its name.
    pub id: ItemId,
    /// Its name; `None` until the person gives one.
    pub name: Option<String>,
    /// What was entered.
    pub entered: Entered,
}

impl Entered {
    pub(crate) const NOTHING: Self = Self { state: State::NotSent, content: None };

    pub(crate) fn value(content: Content) -> Self {
        Self { state: State::Value, content: Some(content) }
    }

    /// What is sent for the place.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// What was entered, even while it is not sent.
    #[must_use]
    pub fn content(&self) -> Option<&Content> {
        self.content.as_ref()
    }

    /// What was entered, if it is sent.
    #[must_use]
    pub fn sent(&self) -> Option<&Content> {
        self.content.as_ref().filter(|_| self.state == State::Value)
    }

    /// The text as typed, if it is sent: of a string, a number or JSON.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self.sent()? {
            Content::Text(text) | Content::Json { text, .. } => Some(text),
            _ => None,
        }
    }

    fn child(&self, step: PathStep) -> Option<&Self> {
        match (self.content.as_ref()?, step) {
            (Content::Object { members, .. }, PathStep::Member(position)) => members.get(position),
            (Content::Object { entries, .. }, PathStep::Entry(id)) => {
                entries.iter().find(|entry| entry.id == id).map(|entry| &entry.entered)
            }
            (Content::List(items), PathStep::Item(id)) => {
                items.iter().find(|item| item.id == id).map(|item| &item.entered)
            }
            (Content::Union { visited, .. }, PathStep::Branch(position)) => {
                visited.iter().find(|(at, _)| *at == position).map(|(_, entered)| entered)
            }
            _ => None,
        }
    }

    pub(crate) fn child_mut(&mut self, step: PathStep) -> Option<&mut Self> {
        match (self.content.as_mut()?, step) {
            (Content::Object { members, .. }, PathStep::Member(position)) => {
                members.get_mut(position)
            }
            (Content::Object { entries, .. }, PathStep::Entry(id)) => {
                entries.iter_mut().find(|entry| entry.id == id).map(|entry| &mut entry.entered)
            }
            (Content::List(items), PathStep::Item(id)) => {
                items.iter_mut().find(|item| item.id == id).map(|item| &mut item.entered)
            }
            (Content::Union { visited, .. }, PathStep::Branch(position)) => {
                visited.iter_mut().find(|(at, _)| *at == position).map(|(_, entered)| entered)
            }
            _ => None,
        }
    }
}

impl Draft {
    /// The draft that is written as JSON text and is empty.
    #[must_use]
    pub fn blank_text() -> Self {
        let root = Entered::value(Content::Json { text: String::new(), before: None });
        Self { root, ids: Ids::default() }
    }

    /// What was entered at `path`; `None` when the draft has no such place.
    #[must_use]
    pub fn at(&self, path: &Path) -> Option<&Entered> {
        path.steps().iter().try_fold(&self.root, |entered, step| entered.child(*step))
    }

    /// The field of the place at `path` with the members that it has now: those of the conditional
    /// branches that apply among them. `None` when the draft has no such place.
    #[must_use]
    pub fn shape(&self, form: &Form, path: &Path) -> Option<Slot> {
        Some(shape(&self.slot(form, path)?, self.at(path)?))
    }

    /// The field of the place at `path`; `None` when the draft has no such place.
    #[must_use]
    pub fn slot(&self, form: &Form, path: &Path) -> Option<Slot> {
        let mut slot = form.root().clone();
        let mut entered = &self.root;
        for step in path.steps() {
            slot = child_slot(&slot, entered, *step)?;
            entered = entered.child(*step)?;
        }
        Some(slot)
    }

    /// The place at a JSON pointer into the value, or its innermost existing ancestor: where a
    /// validator's message is shown.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::{Form, Path, PathStep};
    /// let schema = r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#;
    /// let form = Form::of_schema(&JsonText::parse(schema)?);
    /// let draft = form.fill(&JsonText::parse(r#"{"a": 1}"#)?);
    /// assert_eq!(draft.locate(&form, "/a"), Path::root().then(PathStep::Member(0)));
    /// assert_eq!(draft.locate(&form, "/absent/0"), Path::root());
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn locate(&self, form: &Form, pointer: &str) -> Path {
        let mut path = Path::root();
        let mut slot = form.root().clone();
        let mut entered = &self.root;
        let tokens = pointer.split('/').skip(1);
        for token in tokens {
            let token = pointer::name(token);
            while let Some(Content::Union { branch, .. }) = entered.sent() {
                let step = PathStep::Branch(*branch);
                let (Some(inner), Some(next)) =
                    (entered.child(step), child_slot(&slot, entered, step))
                else {
                    return path;
                };
                path.push(step);
                (entered, slot) = (inner, next);
            }
            let shape = shape(&slot, entered);
            let step = match (entered.content(), &shape.field().kind) {
                (Some(Content::Object { entries, .. }), FieldKind::Object(object)) => {
                    let named = object.members.iter().position(|member| member.key() == token);
                    named.map(PathStep::Member).or_else(|| {
                        let entry =
                            entries.iter().find(|entry| entry.name.as_ref() == Some(&token));
                        entry.map(|entry| PathStep::Entry(entry.id))
                    })
                }
                (Some(Content::List(items)), _) => token
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| items.get(index))
                    .map(|item| PathStep::Item(item.id)),
                _ => None,
            };
            let Some(step) = step else { return path };
            let (Some(inner), Some(next)) = (entered.child(step), child_slot(&slot, entered, step))
            else {
                return path;
            };
            path.push(step);
            (entered, slot) = (inner, next);
        }
        path
    }

    /// The position of a JSON pointer within the text of a place in JSON mode; `None` outside such
    /// a text, or for its whole value.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::{Edit, Form, Path};
    /// let form = Form::of_schema(&JsonText::parse(r#"{"type": "object"}"#)?);
    /// let mut draft = form.fill(&JsonText::parse(r#"{"a": [1]}"#)?);
    /// assert_eq!(draft.within_json(&form, "/a/0"), None);
    /// draft.edit(&form, &Path::root(), Edit::AsJson).expect("taken");
    /// let place = draft.within_json(&form, "/a/0").expect("there").to_string();
    /// assert_eq!(place, "a[0] at line 3, column 5");
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn within_json(&self, form: &Form, pointer: &str) -> Option<json_text::JsonPlace> {
        let path = self.locate(form, pointer);
        let Some(Content::Json { text, .. }) = self.at(&path)?.content() else { return None };
        let steps = path.steps().iter().filter(|step| !matches!(step, PathStep::Branch(_)));
        let rest = pointer.match_indices('/').nth(steps.count()).map(|(at, _)| &pointer[at..])?;
        json_text::place(text, rest)
    }

    /// The place's display name, such as `schedule.days[1]`; empty for the root.
    #[must_use]
    pub fn name(&self, form: &Form, path: &Path) -> String {
        let mut name = String::new();
        for token in self.tokens(form, path) {
            match token {
                Token::Index(index) => name += &format!("[{index}]"),
                Token::Key(key) => {
                    name += if name.is_empty() { "" } else { "." };
                    name += &key;
                }
            }
        }
        name
    }

    /// The JSON pointer to the place's value.
    pub(crate) fn pointer(&self, form: &Form, path: &Path) -> String {
        let mut pointer = String::new();
        for token in self.tokens(form, path) {
            pointer += "/";
            pointer += &match token {
                Token::Index(index) => index.to_string(),
                Token::Key(key) => pointer::step(&key),
            };
        }
        pointer
    }

    fn tokens(&self, form: &Form, path: &Path) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut slot = Some(form.root().clone());
        let mut entered = Some(&self.root);
        for step in path.steps() {
            let next = slot
                .as_ref()
                .zip(entered)
                .and_then(|(slot, entered)| child_slot(slot, entered, *step));
            match (step, entered.and_then(Entered::content)) {
                (PathStep::Item(id), Some(Content::List(items))) => {
                    let index = items.iter().position(|item| item.id == *id).unwrap_or(0);
                    tokens.push(Token::Index(index));
                }
                (PathStep::Entry(id), Some(Content::Object { entries, .. })) => {
                    let entry = entries.iter().find(|entry| entry.id == *id);
                    let key = entry.and_then(|entry| entry.name.as_deref()).unwrap_or("?");
                    tokens.push(Token::Key(key.to_owned()));
                }
                (PathStep::Member(_), _) => {
                    let key = next.as_ref().map_or("?", |slot| slot.key());
                    tokens.push(Token::Key(key.to_owned()));
                }
                _ => {}
            }
            entered = entered.and_then(|entered| entered.child(*step));
            slot = next;
        }
        tokens
    }
}

/// One token of a place's name or JSON pointer.
enum Token {
    Key(String),
    Index(usize),
}

impl Slot {
    /// This place with the members that its conditions add for what is entered.
    #[must_use]
    pub fn shaped_for(&self, entered: &Entered) -> Self {
        shape(self, entered)
    }
}

/// The slot of what is entered; for an object with conditions, its current shape.
pub(crate) fn shape(slot: &Slot, entered: &Entered) -> Slot {
    match entered.content() {
        Some(Content::Object { conditions, .. }) => slot.shaped(&conditions.applied),
        _ => slot.clone(),
    }
}

/// The field one step further. Forbidden entries and surplus items take any value: they are shown
/// with a message and not lost.
pub(crate) fn child_slot(slot: &Slot, entered: &Entered, step: PathStep) -> Option<Slot> {
    let slot = &shape(slot, entered);
    match (&slot.field().kind, step) {
        (FieldKind::Object(object), PathStep::Member(position)) => {
            object.members.get(position).cloned()
        }
        (FieldKind::Object(object), PathStep::Entry(id)) => {
            let Some(Content::Object { entries, .. }) = entered.content() else { return None };
            let entry = entries.iter().find(|entry| entry.id == id)?;
            Some(object.entry_or_any(slot, entry.name.as_deref()))
        }
        (FieldKind::List(list), PathStep::Item(id)) => {
            let Some(Content::List(items)) = entered.content() else { return None };
            let index = items.iter().position(|item| item.id == id)?;
            Some(list.item(index).cloned().unwrap_or_else(|| any_value(slot)))
        }
        (FieldKind::Union(branches), PathStep::Branch(position)) => {
            branches.get(position).map(|branch| branch.slot.clone())
        }
        _ => None,
    }
}
