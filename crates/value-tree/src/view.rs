//! The view of a row: everything needed to draw it, cut to a readable length.

use json_text::Kind;

use crate::detect::{self, Image, Language, Shape};
use crate::excerpt::{Lines, written_out};
use crate::nodes::NodeId;
use crate::preview::{self, Token, TokenColor};
use crate::row::{Row, RowKind};
use crate::scan;
use crate::tree::{Opens, Tree};
use json_text::index::{Id, NONE};

/// The most characters of a closed container on its line.
const PREVIEW: usize = 160;
/// The most bytes of a string on its line.
const STRING: usize = 160;

/// One row, ready to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct RowView {
    /// Which row it is.
    pub row: Row,
    /// The value's name or index, safe to draw; empty for the whole.
    pub name: String,
    /// Whether the name is an index.
    pub is_item: bool,
    /// What sort of value it is.
    pub kind: Kind,
    /// How many members it has.
    pub count: usize,
    /// How many of them the tree holds.
    pub held: usize,
    /// Whether it opens.
    pub opens: bool,
    /// Whether it is open.
    pub is_open: bool,
    /// What it is, beyond its type.
    pub shape: Shape,
    /// How many times the JSON in it was encoded; 0 for everything else.
    pub layers: u8,
    /// Whether it is shown raw.
    pub is_raw: bool,
    /// Its place among its siblings, from 1.
    pub place: usize,
    /// How many siblings there are, with it.
    pub siblings: usize,
    /// Where it is, as a JSONPath.
    pub path: String,
    /// The content of the line.
    pub content: RowContent,
}

/// The content of a line after the name.
#[derive(Debug, Clone, PartialEq)]
pub enum RowContent {
    /// A value without members, or the beginning of one with.
    Tokens(Vec<Token>),
    /// An address that can be followed.
    Link {
        /// The whole address.
        address: String,
        /// The host that it leads to.
        host: String,
    },
    /// The names of columns.
    Header(Vec<Column>),
    /// The cells of an item.
    Cells(Vec<Cell>),
    /// A block; [`Tree::block`] gives its content.
    Block,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name, safe to draw.
    pub name: String,
    /// How wide it is, in characters.
    pub width: usize,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Its column's name, for screen readers.
    pub column: String,
    /// How wide its column is, in characters.
    pub width: usize,
    /// What it shows; nothing where the item has no such member.
    pub tokens: Vec<Token>,
    /// More of it, safe to draw, if the column is too narrow for it.
    pub more: Option<String>,
}

/// What a value opens into where that is one block.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A text.
    Text(String),
    /// Markdown, as it is written.
    Markdown(String),
    /// Source code.
    Code(Language, String),
    /// A unified diff.
    Diff(String),
    /// An image.
    Image(Box<Image>),
}

impl Tree {
    /// What the visible row `row` shows. Looks at its value the first time.
    ///
    /// A row that is not there shows as the last one.
    pub fn view(&mut self, row: usize) -> RowView {
        let row = match self.rows.get(row).or(self.rows.last()) {
            Some(row) => *row,
            None => Row { node: NodeId(0), kind: RowKind::Line, depth: 0 },
        };
        self.view_of(row)
    }

    /// What a row shows.
    pub fn view_of(&mut self, row: Row) -> RowView {
        let id = row.node.0;
        let shape = self.shape(id);
        let opens = self.opens(id);
        let record = self.nodes.record(id);
        let parent = self.nodes.parent(id);
        let (name, is_item) = self.name(id, parent);
        let held =
            if shape == Shape::Json && !self.is_raw(id) { self.nodes.held(id) } else { None };
        let kind = self.nodes.kind(held.unwrap_or(id));
        RowView {
            name,
            is_item,
            kind,
            count: self.nodes.record(held.unwrap_or(id)).count as usize,
            held: self.nodes.held_members(held.unwrap_or(id)),
            opens: opens != Opens::Nothing && row.kind != RowKind::Block,
            is_open: self.is_open(id) && row.kind != RowKind::Block,
            shape,
            layers: self.nodes.layers(id),
            is_raw: self.is_raw(id),
            place: record.place as usize + 1,
            siblings: self.nodes.siblings(id),
            path: self.shown_path(id),
            content: self.row_content(row, shape, held),
            row,
        }
    }

    fn name(&self, id: Id, parent: Option<Id>) -> (String, bool) {
        let record = self.nodes.record(id);
        match self.nodes.key(id) {
            Some(key) => {
                let name = preview::name(key);
                // A name of nothing but white space would not show.
                let shows = !name.trim().is_empty();
                (if shows { name } else { format!("\"{name}\"") }, false)
            }
            None if parent.is_some() && record.parent != NONE => (record.place.to_string(), true),
            None => (String::new(), false),
        }
    }

    fn row_content(&mut self, row: Row, shape: Shape, held: Option<Id>) -> RowContent {
        let id = row.node.0;
        match row.kind {
            RowKind::Block => return RowContent::Block,
            RowKind::Header => return RowContent::Header(self.columns(id)),
            RowKind::Cells => {
                if let Some(cells) = self.cells(id) {
                    return RowContent::Cells(cells);
                }
            }
            RowKind::Line => {}
        }
        let text = self.nodes.text(held.unwrap_or(id));
        match self.nodes.kind(held.unwrap_or(id)) {
            Kind::Object | Kind::Array => RowContent::Tokens(preview::inside(text, PREVIEW)),
            Kind::String if shape == Shape::Url && !self.is_raw(id) => {
                let content = scan::content(text);
                let address = content.trim();
                match detect::address(address) {
                    Some(host) => {
                        RowContent::Link { address: address.to_owned(), host: host.to_owned() }
                    }
                    None => RowContent::Tokens(string(text)),
                }
            }
            Kind::String => RowContent::Tokens(string(text)),
            _ => RowContent::Tokens(preview::of_text(text, PREVIEW, 0)),
        }
    }

    fn columns(&self, list: Id) -> Vec<Column> {
        let Some(table) = self.table(list) else { return Vec::new() };
        let mut columns: Vec<Column> = table
            .columns
            .iter()
            .map(|(name, width)| Column { name: preview::name(name), width: *width })
            .collect();
        if table.more > 0 {
            columns.push(Column { name: format!("and {} more", table.more), width: 10 });
        }
        columns
    }

    /// The cells of an item; nothing where it is not like the others.
    fn cells(&self, item: Id) -> Option<Vec<Cell>> {
        let table = self.table(self.nodes.record(item).parent)?;
        if self.nodes.kind(item) != Kind::Object {
            return None;
        }
        let mut cells: Vec<Cell> = table
            .columns
            .iter()
            .map(|(name, width)| Cell {
                column: preview::name(name),
                width: *width,
                tokens: Vec::new(),
                more: None,
            })
            .collect();
        // An item with thousands of members is read by its beginning.
        for member in self.nodes.members(item).take(200) {
            let column = self.nodes.key(member).and_then(|key| table.column(key));
            if let Some(cell) = column.and_then(|column| cells.get_mut(column)) {
                let text = self.nodes.text(member);
                cell.tokens = preview::of_text(text, cell.width, 0);
                let is_cut = preview::plain(&cell.tokens).chars().count() > cell.width;
                cell.more = is_cut.then(|| match self.nodes.kind(member) {
                    Kind::String => preview::plain(&string(text)),
                    _ => preview::plain(&preview::of_text(text, PREVIEW, 0)),
                });
            }
        }
        Some(cells)
    }

    /// What a value opens into where that is one block.
    #[must_use]
    pub fn block(&mut self, node: NodeId) -> Block {
        let id = node.0;
        let shape = self.shape(id);
        let is_raw = self.is_raw(id);
        if self.nodes.kind(id) != Kind::String {
            return match detect::image_of_object(&self.nodes, id) {
                Some(image) => Block::Image(Box::new(image)),
                None => Block::Text(self.copied(node)),
            };
        }
        let literal = self.nodes.text(id);
        if let (Shape::Image, false) = (shape, is_raw)
            && let Some(image) = detect::image_of_string(literal)
        {
            return Block::Image(Box::new(image));
        }
        let content = scan::content(literal).into_owned();
        match shape {
            Shape::Markdown if !is_raw => Block::Markdown(content),
            Shape::Code(language) if !is_raw => Block::Code(language, content),
            Shape::Diff if !is_raw => Block::Diff(content),
            _ => Block::Text(content),
        }
    }
}

/// A string on one line.
fn string(literal: &str) -> Vec<Token> {
    let (content, is_whole) = scan::content_head(literal, STRING);
    let end = if is_whole { "\"" } else { "…\"" };
    let text = format!("\"{}{end}", written_out(&content, Lines::Quoted));
    vec![Token { ink: TokenColor::Text, text }]
}
