//! Where the reader is, and going from row to row.

use leptos::prelude::*;
use value_tree::{Row, RowKind, Tree};

use super::Reading;

impl Reading {
    /// The current row's place among the rows; what hides it when it was closed away.
    #[must_use]
    pub fn current_row(self) -> Option<usize> {
        self.tree.with_value(Tree::current_row)
    }

    /// Puts the reader at a row, without bringing it into sight.
    pub fn set_current(self, row: Option<Row>) {
        self.with_tree(|tree| {
            tree.set_current(row);
            Some(())
        });
        self.current.set(row);
    }

    /// Puts the reader at the first row, without bringing it into sight.
    pub fn set_current_first(self) {
        self.set_current(self.row(0));
    }

    /// Puts the reader at the row at `place` and brings it into sight. Beyond the ends, at an end.
    pub fn go_to_row(self, place: usize) {
        let row = self.tree.with_value(|tree| {
            let rows = tree.rows();
            let place = place.min(rows.len().checked_sub(1)?);
            // The names of columns are no place to be.
            let is_header = rows[place].kind == RowKind::Header;
            rows.get(place + usize::from(is_header)).copied()
        });
        if row.is_some() {
            self.set_current(row);
            self.reveal();
        }
    }

    /// Puts the reader so many rows further.
    pub fn go_by(self, rows: isize) {
        let Some(at) = self.current_row() else { return self.go_to_row(0) };
        let is_header = |at: usize| {
            self.tree.with_value(|tree| {
                tree.rows().get(at).is_some_and(|row| row.kind == RowKind::Header)
            })
        };
        let next = at.saturating_add_signed(rows);
        // Upwards, past the names of columns.
        let next = if rows < 0 && is_header(next) { next.saturating_sub(1) } else { next };
        self.go_to_row(next);
    }

    /// Opens the current row, or goes to the first of what it opened into.
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

    /// Closes the current row, or goes to what it stands in.
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

    /// Brings the current row into sight.
    pub(super) fn reveal(self) {
        self.revealed.update(|times| *times = times.wrapping_add(1));
    }
}
