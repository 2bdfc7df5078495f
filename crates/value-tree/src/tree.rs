//! [`Tree`]: a value, what is recognized in it, and its view state.

use std::collections::BTreeMap;

use json_text::{JsonText, Kind};

use crate::detect::{Shape, Table, detect_list, detect_object, detect_string};
use crate::rows::Row;
use crate::scan;
use json_text::index::{Cut, Entry, Id, NONE, append};

/// The most values in a tree. Others are counted and appear in the raw text only.
const MOST: usize = 4_000_000;
/// How many rows a tree opens by itself, besides its first level.
const AT_FIRST: usize = 40;

/// One value of a tree. Stays the same while the tree lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) Id);

impl NodeId {
    /// A number that no other value of the tree has.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A list that a tree contains only the beginning of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Where it is, as a JSONPath; nothing for the value itself.
    pub path: String,
    /// How many of its members the tree holds.
    pub held: usize,
    /// How many it has.
    pub count: usize,
}

/// What a value opens into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opens {
    /// Nothing: its line shows all of it.
    Nothing,
    /// The members of this container, a row each.
    Members(Id),
    /// The items of this list, a row of cells each, below their names.
    Table(Id),
    /// One block.
    Block,
}

/// A text: the value itself, or one that a string of it holds.
#[derive(Debug, Clone)]
struct Document {
    text: JsonText,
    /// Its outermost value.
    first: Id,
    /// The string that holds it; [`NONE`] for the value itself.
    host: Id,
    /// How many times it was encoded.
    layers: u8,
}

pub(crate) const OPEN: u8 = 1;
pub(crate) const RAW: u8 = 2;

/// A value as a reader sees it: which of its values are open, which are shown raw, and at which one
/// the reader is.
#[derive(Debug, Clone)]
pub struct Tree {
    documents: Vec<Document>,
    pub(crate) nodes: Vec<Entry>,
    pub(crate) marks: Vec<u8>,
    shapes: Vec<Option<Shape>>,
    tables: BTreeMap<Id, Table>,
    /// Which document a string holds, by the string.
    held: BTreeMap<Id, usize>,
    /// Where the outermost text's values end, if not all of them are here.
    cut: Option<Cut>,
    /// How many members are here of the containers that are not whole.
    parts: BTreeMap<Id, u32>,
    is_whole: bool,
    most: usize,
    pub(crate) current: Option<Row>,
    pub(crate) rows: Vec<Row>,
}

impl Tree {
    /// The tree of `value`, its first level open and as much below it as is read at a glance.
    #[must_use]
    pub fn new(value: JsonText) -> Self {
        Self::with_room(value, MOST)
    }

    pub(crate) fn with_room(value: JsonText, most: usize) -> Self {
        let mut tree = Self {
            documents: Vec::new(),
            nodes: Vec::new(),
            marks: Vec::new(),
            shapes: Vec::new(),
            tables: BTreeMap::new(),
            held: BTreeMap::new(),
            cut: None,
            parts: BTreeMap::new(),
            is_whole: true,
            most,
            current: None,
            rows: Vec::new(),
        };
        tree.cut = tree.admit(value, NONE, 0);
        tree.is_whole = tree.cut.is_none();
        tree.open_within(AT_FIRST);
        tree
    }

    /// Takes a text in; answers with where its values end if not all of them fitted.
    fn admit(&mut self, text: JsonText, host: Id, layers: u8) -> Option<Cut> {
        let first = self.nodes.len() as Id;
        let room = self.most.saturating_sub(self.nodes.len()).max(1);
        let cut = match u32::try_from(text.byte_len()) {
            Ok(_) => append(text.as_str(), &mut self.nodes, room),
            Err(_) => Some(Cut { from: 0, parts: Vec::new() }),
        };
        self.parts.extend(cut.iter().flat_map(|cut| cut.parts.iter().copied()));
        if self.nodes.len() == first as usize {
            // A text beyond four gigabytes: one value without members.
            self.nodes.push(Entry {
                start: 0,
                end: NONE - 1,
                key: NONE,
                parent: NONE,
                next: first + 1,
                count: 0,
                place: 0,
            });
        }
        self.marks.resize(self.nodes.len(), 0);
        self.shapes.resize(self.nodes.len(), None);
        self.documents.push(Document { text, first, host, layers });
        cut
    }

    /// The value itself.
    #[must_use]
    pub fn value(&self) -> &JsonText {
        &self.documents[0].text
    }

    /// How many values the tree holds, with those in strings that were looked into.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing to open: a scalar, or a container without members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.len() < 2
    }

    /// Whether there is more to open than the first level.
    #[must_use]
    pub fn has_depth(&self) -> bool {
        let outermost = NONE;
        let below_first = |record: &Entry| record.count > 0 && record.parent != outermost;
        self.nodes.iter().any(below_first)
    }

    /// Whether the tree has every value; otherwise the rest is in the raw text only.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Where the value's own text goes on that the tree does not hold, in bytes.
    pub(crate) fn cut_at(&self) -> Option<usize> {
        self.cut.as_ref().map(|cut| cut.from)
    }

    /// The list that ends early in the tree. `None` if the tree is complete.
    #[must_use]
    pub fn missing(&self) -> Option<Missing> {
        let (id, held) = self.cut.as_ref()?.parts.last().copied()?;
        Some(Missing {
            path: self.path(NodeId(id)),
            held: held as usize,
            count: self.record(id).count as usize,
        })
    }

    /// How many members of a container are here.
    pub(crate) fn held_members(&self, id: Id) -> usize {
        self.parts.get(&id).copied().unwrap_or_else(|| self.record(id).count) as usize
    }

    fn document(&self, id: Id) -> &Document {
        let at = self.documents.partition_point(|document| document.first <= id);
        &self.documents[at.saturating_sub(1)]
    }

    pub(crate) fn record(&self, id: Id) -> Entry {
        self.nodes[id as usize]
    }

    /// The text of a value, as it was written.
    pub(crate) fn text(&self, id: Id) -> &str {
        let Entry { start, end, .. } = self.record(id);
        let text = self.document(id).text.as_str();
        text.get(start as usize..end as usize).unwrap_or(text)
    }

    /// The name of a member as it was written, with its quotes.
    pub(crate) fn key(&self, id: Id) -> Option<&str> {
        let key = self.record(id).key as usize;
        let text = self.document(id).text.as_str();
        (key != NONE as usize)
            .then(|| &text[key..json_text::scan::string_end(text.as_bytes(), key)])
    }

    /// What sort of value this is.
    pub(crate) fn kind(&self, id: Id) -> Kind {
        match self.text(id).as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// The container a value is in, through the string that holds it where there is one.
    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        let parent = self.record(id).parent;
        let document = self.document(id);
        // The outermost value of a text inside a string has no row: its members are below the string.
        let is_outermost = parent == NONE || (parent == document.first && document.host != NONE);
        let parent = if is_outermost { document.host } else { parent };
        (parent != NONE).then_some(parent)
    }

    /// The values in a container of the same text, in order.
    pub(crate) fn members(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let end = self.record(id).next;
        let first = (id + 1 < end).then_some(id + 1);
        std::iter::successors(first, move |&it| {
            let next = self.record(it).next;
            (next < end).then_some(next)
        })
    }

    /// The string with the JSON text of this value, and how often it was encoded.
    pub(crate) fn host(&self, id: Id) -> Option<(Id, u8)> {
        let document = self.document(id);
        (document.host != NONE).then_some((document.host, document.layers))
    }

    /// The outermost value of the text that a string holds, where it was looked into.
    pub(crate) fn held(&self, host: Id) -> Option<Id> {
        self.held.get(&host).map(|document| self.documents[*document].first)
    }

    pub(crate) fn layers(&self, host: Id) -> u8 {
        self.held.get(&host).map_or(0, |document| self.documents[*document].layers)
    }

    /// What the value is. Looks at it the first time.
    pub(crate) fn shape(&mut self, id: Id) -> Shape {
        if let Some(shape) = self.shapes[id as usize] {
            return shape;
        }
        let shape = match self.kind(id) {
            Kind::Array => match detect_list(self, id) {
                Some(table) => {
                    self.tables.insert(id, table);
                    Shape::Table
                }
                None => Shape::Plain,
            },
            Kind::Object => detect_object(self, id),
            Kind::String => {
                let (shape, holds) = detect_string(self.text(id));
                match holds {
                    Some((text, layers)) if self.nodes.len() < self.most => {
                        self.held.insert(id, self.documents.len());
                        self.is_whole &= self.admit(text, id, layers).is_none();
                        shape
                    }
                    Some(_) => Shape::Long,
                    None => shape,
                }
            }
            _ => Shape::Plain,
        };
        self.shapes[id as usize] = Some(shape);
        shape
    }

    /// The columns of a list that is a table.
    pub(crate) fn table(&self, id: Id) -> Option<&Table> {
        self.tables.get(&id)
    }

    pub(crate) fn is_open(&self, id: Id) -> bool {
        self.marks[id as usize] & OPEN != 0
    }

    /// Whether the value would be shown raw if that were switched; nothing when it is shown as it
    /// is either way.
    pub fn switched_raw(&mut self, node: NodeId) -> Option<bool> {
        self.shape(node.0).name().is_some().then(|| !self.is_raw(node.0))
    }

    pub(crate) fn is_raw(&self, id: Id) -> bool {
        self.marks[id as usize] & RAW != 0
    }

    /// What the value opens into, as it is shown now.
    pub(crate) fn opens(&mut self, id: Id) -> Opens {
        let is_raw = self.is_raw(id);
        let shape = self.shape(id);
        match self.kind(id) {
            Kind::Object | Kind::Array => match shape {
                Shape::Image if !is_raw => Opens::Block,
                _ if self.record(id).next == id + 1 => Opens::Nothing,
                Shape::Table if !is_raw => Opens::Table(id),
                _ => Opens::Members(id),
            },
            Kind::String => match (shape, is_raw) {
                (Shape::Plain, _) | (Shape::Url, false) => Opens::Nothing,
                (Shape::Json, false) => match self.held(id) {
                    Some(held) => self.opens(held),
                    None => Opens::Block,
                },
                _ => Opens::Block,
            },
            _ => Opens::Nothing,
        }
    }

    /// Whether the outermost value has a row of its own: a plain container has not, its members
    /// stand at the edge.
    pub(crate) fn has_root_row(&mut self) -> bool {
        let is_container = matches!(self.kind(0), Kind::Object | Kind::Array);
        let is_plain = self.shape(0) == Shape::Plain;
        !is_container || !is_plain || self.record(0).next == 1
    }

    /// What to copy of a value: a string's content, and the JSON text of everything else.
    #[must_use]
    pub fn copied(&self, node: NodeId) -> String {
        let text = self.text(node.0);
        match self.kind(node.0) {
            Kind::String => scan::content(text).into_owned(),
            Kind::Object | Kind::Array => {
                JsonText::parse(text).map_or_else(|_| text.to_owned(), |text| text.pretty())
            }
            _ => text.to_owned(),
        }
    }
}
