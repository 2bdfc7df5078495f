//! The current row, and moving from row to row.

use leptos::prelude::*;
use value_tree::{Row, RowKind, Tree};

use super::Reading;

impl Reading {
    /// The index of the current row, or of the closed row that contains it.
    #[must_use]
    pub fn current_row(self) -> Option<usize> {
        self.tree.with_value(Tree::current_row)
    }

    /// Sets the current row without scrolling.
    pub fn set_current(self, row: Option<Row>) {
        self.with_tree(|tree| {
            tree.set_current(row);
            Some(())
        });
        self.current.set(row);
    }

    /// Makes the first row current without scrolling.
    pub fn set_current_first(self) {
        self.set_current(self.row(0));
    }

    /// Makes the row at the index `place`, or the last row, current and scrolls it into sight.
    pub fn go_to_row(self, place: usize) {
        let row = self.tree.with_value(|tree| {
            let rows = tree.rows();
            let place = place.min(rows.len().checked_sub(1)?);
            // A column header cannot be current.
            let is_header = rows[place].kind == RowKind::Header;
            rows.get(place + usize::from(is_header)).copied()
        });
        if row.is_some() {
            self.set_current(row);
            self.reveal();
        }
    }

    /// Moves the current row by `rows`.
    pub fn go_by(self, rows: isize) {
        let Some(at) = self.current_row() else { return self.go_to_row(0) };
        let is_header = |at: usize| {
            self.tree.with_value(|tree| {
                tree.rows().get(at).is_some_and(|row| row.kind == RowKind::Header)
            })
        };
        let next = at.saturating_add_signed(rows);
        // Upwards, skip a column header.
        let next = if rows < 0 && is_header(next) { next.saturating_sub(1) } else { next };
        self.go_to_row(next);
    }

    /// Opens the current row, or moves to its first child.
    pub fn go_in(self) {
        let Some(at) = self.current_row() else { return self.go_to_row(0) };
        let Some(row) = self.row(at) else { return };
        let is_below =
            |row: Row, at: usize| self.row(at + 1).is_some_and(|it| it.depth > row.depth);
        if row.kind == RowKind::Block || self.set_open(row.node, true) {
            return;
        }
        if is_below(row, at) {
            self.go_to_row(at + 1);
        }
    }

    /// Closes the current row, or moves to its parent.
    pub fn go_out(self) {
        let Some(at) = self.current_row() else { return };
        let Some(row) = self.row(at) else { return };
        if row.kind != RowKind::Block && self.set_open(row.node, false) {
            return;
        }
        if let Some(above) = self.tree.with_value(|tree| tree.row_above(at)) {
            let is_header = self.row(above).is_some_and(|row| row.kind == RowKind::Header);
            self.go_to_row(if is_header { above.saturating_sub(1) } else { above });
        }
    }

    fn row(self, at: usize) -> Option<Row> {
        self.tree.with_value(|tree| tree.rows().get(at).copied())
    }

    /// Scrolls the current row into sight.
    pub(super) fn reveal(self) {
        self.revealed.update(|times| *times = times.wrapping_add(1));
    }
}
