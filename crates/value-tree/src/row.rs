//! [`Row`]: one visible row of a tree, and its state.

use crate::nodes::NodeId;

/// What a row shows of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowKind {
    /// Its line.
    Line,
    /// Its line as cells of the table that it is an item of.
    Cells,
    /// The names of the columns of the table below.
    Header,
    /// What it opens into where that is one block: a text, an image.
    Block,
}

/// One visible row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row {
    /// The value.
    pub node: NodeId,
    /// What of it.
    pub kind: RowKind,
    /// Its depth, from 0.
    pub depth: u32,
}

/// A row and what was done to its value: as long as this is the same, the row shows the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RowState {
    /// The row.
    pub row: Row,
    /// Whether its value is open.
    pub is_open: bool,
    /// Whether its value is shown raw.
    pub is_raw: bool,
}
