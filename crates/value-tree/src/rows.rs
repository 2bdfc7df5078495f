//! The visible rows, and opening and closing values.
//!
//! The rows are one list. Opening splices what becomes visible into it and closing drains it, which
//! costs what appears or goes, and a move of the rows below: a millisecond for a million.

use std::ops::Range;

use crate::nodes::NodeId;
use crate::row::{Row, RowKind, RowState};
use crate::tree::{OPEN, Opens, RAW, Tree};
use json_text::index::Id;

/// How many rows are opened at once: more of them take a page longer than a blink.
const AT_ONCE: usize = 300_000;
/// How many rows a block counts for where rows are few.
const BLOCK: usize = 8;

impl Tree {
    /// How many rows are visible.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The visible rows in order.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows in `range`, as far as there are any, each with its state.
    #[must_use]
    pub fn states(&self, range: Range<usize>) -> Vec<RowState> {
        let range = range.start.min(self.rows.len())..range.end.min(self.rows.len());
        let state = |row: &Row| RowState {
            row: *row,
            is_open: self.is_open(row.node.0),
            is_raw: self.is_raw(row.node.0),
        };
        self.rows.get(range).unwrap_or_default().iter().map(state).collect()
    }

    /// Where the line of a value is, if it is visible.
    #[must_use]
    pub fn row_of(&self, node: NodeId) -> Option<usize> {
        self.rows
            .iter()
            .position(|row| row.node == node && matches!(row.kind, RowKind::Line | RowKind::Cells))
    }

    /// Opens a closed value and closes an open one; false when it has nothing to open.
    pub fn toggle(&mut self, node: NodeId) -> bool {
        self.set_open(node, !self.is_open(node.0))
    }

    /// Opens or closes a value; false when that changes nothing.
    pub fn set_open(&mut self, node: NodeId, open: bool) -> bool {
        if open == self.is_open(node.0) || self.opens(node.0) == Opens::Nothing {
            return false;
        }
        let row = self.row_of(node);
        if let (Some(row), false) = (row, open) {
            self.drain_below(row);
        }
        self.marks[node.0 as usize] ^= OPEN;
        if let (Some(row), true) = (row, open) {
            self.splice_below(row);
        }
        true
    }

    /// Toggles a recognized value between raw and rendered; either way it opens.
    pub fn set_raw(&mut self, node: NodeId, raw: bool) {
        if raw == self.is_raw(node.0) {
            return;
        }
        let row = self.row_of(node);
        if let Some(row) = row {
            self.drain_below(row);
        }
        self.marks[node.0 as usize] ^= RAW;
        self.marks[node.0 as usize] |= OPEN;
        if let Some(row) = row {
            self.splice_below(row);
        }
    }

    /// Opens `levels` levels of members and closes deeper ones. Texts and images stay as they
    /// are. Level by level, until 300,000 rows are open; false when that left something closed.
    pub fn expand(&mut self, levels: usize) -> bool {
        let open = (0..).zip(&self.marks).filter(|(_, mark)| **mark & OPEN != 0);
        let mut blocks: Vec<Id> = open.map(|(id, _)| id).collect();
        blocks.retain(|id| self.opens(*id) == Opens::Block);
        self.open_levels(levels, &blocks)
    }

    /// Closes everything below the first level, texts and images as well.
    pub fn collapse(&mut self) {
        let has_root_row = self.has_root_row();
        self.open_levels(usize::from(!has_root_row), &[]);
    }

    fn open_levels(&mut self, levels: usize, blocks: &[Id]) -> bool {
        for mark in &mut self.marks {
            *mark &= !OPEN;
        }
        for id in blocks {
            self.marks[*id as usize] |= OPEN;
        }
        let (mut level, mut left, mut is_all) = (vec![0], AT_ONCE, true);
        for _ in 0..levels {
            let mut below = Vec::new();
            for id in level {
                if left == 0 && id != 0 {
                    // Skips recognizing each of them.
                    is_all &= self.nodes.record(id).count == 0;
                    continue;
                }
                let text = self.nodes.text(id);
                let may_hold = !text.starts_with('"') || crate::detect::may_hold_json(text);
                if !may_hold {
                    continue;
                }
                let (Opens::Members(inner) | Opens::Table(inner)) = self.opens(id) else {
                    continue;
                };
                let rows = self.nodes.held_members(inner);
                // The outermost is open whatever it takes.
                if rows > left && id != 0 {
                    is_all = false;
                    continue;
                }
                left = left.saturating_sub(rows);
                self.marks[id as usize] |= OPEN;
                below.extend(self.nodes.members(inner));
            }
            if below.is_empty() {
                break;
            }
            level = below;
        }
        self.rebuild();
        is_all
    }

    /// Opens the containers that hide `node`.
    pub fn reveal(&mut self, node: NodeId) {
        let mut id = node.0;
        let mut is_changed = false;
        while let Some(parent) = self.nodes.parent(id) {
            let shows_members = match self.opens(parent) {
                Opens::Members(_) | Opens::Table(_) => true,
                Opens::Block | Opens::Nothing => false,
            };
            let holds = self.nodes.held(parent).is_some();
            // An object that is drawn as an image shows its members raw; a string that holds JSON
            // shows them when it is not.
            if !shows_members {
                let mark = &mut self.marks[parent as usize];
                *mark = if holds { *mark & !RAW } else { *mark | RAW };
                is_changed = true;
            }
            is_changed |= !self.is_open(parent);
            self.marks[parent as usize] |= OPEN;
            id = parent;
        }
        if is_changed {
            self.rebuild();
        }
    }

    /// The row at which the reader is.
    #[must_use]
    pub fn current(&self) -> Option<Row> {
        self.current
    }

    /// Puts the reader at a row.
    pub fn set_current(&mut self, row: Option<Row>) {
        self.current = row;
    }

    /// The index of the current row among the visible ones, or of the closed container that hides it.
    #[must_use]
    pub fn current_row(&self) -> Option<usize> {
        let Row { node, kind, .. } = self.current?;
        if kind == RowKind::Block {
            let is_same = |row: &Row| row.node == node && row.kind == kind;
            if let Some(row) = self.rows.iter().position(is_same) {
                return Some(row);
            }
        }
        let mut id = node.0;
        loop {
            if let Some(row) = self.row_of(NodeId(id)) {
                return Some(row);
            }
            id = self.nodes.parent(id)?;
        }
    }

    /// The column names for the row at `row` if it is in a table, and their row.
    #[must_use]
    pub fn header_of(&self, row: usize) -> Option<(usize, Row)> {
        let mut depth = self.rows.get(row)?.depth;
        for (at, above) in self.rows.get(..row)?.iter().enumerate().rev() {
            match above.kind {
                RowKind::Header if above.depth == depth => return Some((at, *above)),
                RowKind::Header => {}
                // The row's container.
                _ => depth = depth.min(above.depth),
            }
        }
        None
    }

    /// The row of the container of the row at `row`.
    #[must_use]
    pub fn row_above(&self, row: usize) -> Option<usize> {
        let depth = self.rows.get(row)?.depth;
        self.rows[..row].iter().rposition(|it| it.depth < depth)
    }

    /// Opens the first level, then level by level what fits into `budget` rows.
    pub(crate) fn open_within(&mut self, budget: usize) {
        let mut left = budget;
        let mut level = vec![0];
        let (mut is_first, mut is_envelope) = (true, true);
        while !level.is_empty() {
            let mut below = Vec::new();
            is_envelope &= level.len() == 1;
            for id in level {
                let cost = match self.opens(id) {
                    Opens::Nothing => continue,
                    Opens::Block => BLOCK,
                    Opens::Members(inner) => self.nodes.record(inner).count as usize,
                    Opens::Table(inner) => self.nodes.record(inner).count as usize + 1,
                };
                // An envelope's content is of interest: it opens regardless of the budget.
                if cost > left && !is_first && !is_envelope {
                    continue;
                }
                left = left.saturating_sub(cost);
                self.marks[id as usize] |= OPEN;
                if let Opens::Members(inner) = self.opens(id) {
                    below.extend(self.nodes.members(inner).take(budget));
                }
            }
            level = below;
            is_first = false;
        }
        self.rebuild();
    }

    pub(crate) fn rebuild(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        if self.has_root_row() {
            let row = Row { node: NodeId(0), kind: RowKind::Line, depth: 0 };
            rows.push(row);
            if self.is_open(0) {
                self.descend(0, 1, &mut rows);
            }
        } else {
            // Without a row of its own it could never be opened again.
            self.marks[0] |= OPEN;
            self.descend(0, 0, &mut rows);
        }
        self.rows = rows;
    }

    fn drain_below(&mut self, row: usize) {
        let depth = self.rows[row].depth;
        let below = self.rows[row + 1..].iter().position(|it| it.depth <= depth);
        let end = below.map_or(self.rows.len(), |below| row + 1 + below);
        self.rows.drain(row + 1..end);
    }

    fn splice_below(&mut self, row: usize) {
        let Row { node, depth, .. } = self.rows[row];
        let mut appearing = Vec::new();
        self.descend(node.0, depth + 1, &mut appearing);
        self.rows.splice(row + 1..row + 1, appearing);
    }

    /// Appends the visible rows below an open value, whose members are at `depth`.
    fn descend(&mut self, id: Id, depth: u32, out: &mut Vec<Row>) {
        /// The members of one container that are still to come.
        struct Level {
            next: Id,
            end: Id,
            depth: u32,
            kind: RowKind,
        }
        let mut levels: Vec<Level> = Vec::new();
        let mut opened = Some((id, depth));
        loop {
            if let Some((id, depth)) = opened.take() {
                let row = |id: Id, kind: RowKind| Row { node: NodeId(id), kind, depth };
                let level = match self.opens(id) {
                    Opens::Nothing => None,
                    Opens::Block => {
                        out.push(row(id, RowKind::Block));
                        None
                    }
                    Opens::Members(inner) => Some((inner, RowKind::Line)),
                    Opens::Table(inner) => {
                        out.push(row(inner, RowKind::Header));
                        Some((inner, RowKind::Cells))
                    }
                };
                levels.extend(level.map(|(inner, kind)| Level {
                    next: inner + 1,
                    end: self.nodes.record(inner).next,
                    depth,
                    kind,
                }));
            }
            let Some(level) = levels.last_mut() else { return };
            if level.next >= level.end {
                levels.pop();
                continue;
            }
            let id = level.next;
            let depth = level.depth;
            out.push(Row { node: NodeId(id), kind: level.kind, depth });
            level.next = self.nodes.record(id).next;
            if self.is_open(id) {
                opened = Some((id, depth + 1));
            }
        }
    }
}
