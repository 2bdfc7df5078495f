//! [`Tree`]: a value, what is recognized in it, and its view state.

use std::collections::BTreeMap;

use json_text::{JsonText, Kind};

use crate::detect::{Shape, Table, detect_list, detect_object, detect_string};
use crate::nodes::{NodeId, Nodes};
use crate::row::Row;
use crate::scan;
use json_text::index::Id;

/// The most values in a tree. Others are counted and appear in the raw text only.
const MOST: usize = 4_000_000;
/// How many rows a tree opens by itself, besides its first level.
const AT_FIRST: usize = 40;

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

pub(crate) const OPEN: u8 = 1;
pub(crate) const RAW: u8 = 2;

/// A value as a reader sees it: which of its values are open, which are shown raw, and at which one
/// the reader is.
#[derive(Debug, Clone)]
pub struct Tree {
    pub(crate) nodes: Nodes,
    pub(crate) marks: Vec<u8>,
    shapes: Vec<Option<Shape>>,
    tables: BTreeMap<Id, Table>,
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
        let nodes = Nodes::of(value, most);
        let mut tree = Self {
            marks: vec![0; nodes.len()],
            shapes: vec![None; nodes.len()],
            nodes,
            tables: BTreeMap::new(),
            current: None,
            rows: Vec::new(),
        };
        tree.open_within(AT_FIRST);
        tree
    }

    /// The value itself.
    #[must_use]
    pub fn value(&self) -> &JsonText {
        self.nodes.value()
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
        self.nodes.has_depth()
    }

    /// Whether the tree has every value; otherwise the rest is in the raw text only.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.nodes.is_whole()
    }

    /// The list that ends early in the tree. `None` if the tree is complete.
    #[must_use]
    pub fn missing(&self) -> Option<Missing> {
        let (id, held) = self.nodes.cut_list()?;
        Some(Missing {
            path: self.path(NodeId(id)),
            held: held as usize,
            count: self.nodes.record(id).count as usize,
        })
    }

    /// What the value is. Looks at it the first time.
    pub(crate) fn shape(&mut self, id: Id) -> Shape {
        if let Some(shape) = self.shapes[id as usize] {
            return shape;
        }
        let shape = match self.nodes.kind(id) {
            Kind::Array => match detect_list(&self.nodes, id) {
                Some(table) => {
                    self.tables.insert(id, table);
                    Shape::Table
                }
                None => Shape::Plain,
            },
            Kind::Object => detect_object(&self.nodes, id),
            Kind::String => {
                let (shape, holds) = detect_string(self.nodes.text(id));
                match holds {
                    Some((text, layers)) if self.nodes.has_room() => {
                        self.nodes.hold(text, id, layers);
                        self.marks.resize(self.nodes.len(), 0);
                        self.shapes.resize(self.nodes.len(), None);
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
        match self.nodes.kind(id) {
            Kind::Object | Kind::Array => match shape {
                Shape::Image if !is_raw => Opens::Block,
                _ if self.nodes.record(id).next == id + 1 => Opens::Nothing,
                Shape::Table if !is_raw => Opens::Table(id),
                _ => Opens::Members(id),
            },
            Kind::String => match (shape, is_raw) {
                (Shape::Plain, _) | (Shape::Url, false) => Opens::Nothing,
                (Shape::Json, false) => match self.nodes.held(id) {
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
        let is_container = matches!(self.nodes.kind(0), Kind::Object | Kind::Array);
        let is_plain = self.shape(0) == Shape::Plain;
        !is_container || !is_plain || self.nodes.record(0).next == 1
    }

    /// What to copy of a value: a string's content, and the JSON text of everything else.
    #[must_use]
    pub fn copied(&self, node: NodeId) -> String {
        let text = self.nodes.text(node.0);
        match self.nodes.kind(node.0) {
            Kind::String => scan::content(text).into_owned(),
            Kind::Object | Kind::Array => {
                JsonText::parse(text).map_or_else(|_| text.to_owned(), |text| text.pretty())
            }
            _ => text.to_owned(),
        }
    }
}
