//! Which of a session's events are in sight: rows of one height, some of them opened.

use std::collections::BTreeMap;

/// The height of a row in pixels, as the stylesheet has it.
pub const ROW: f64 = 30.0;
/// How many rows are drawn beyond each edge of what is in sight.
const BEYOND: u64 = 12;

/// The open rows, each with the height of what it opened into, in pixels. Rows are numbered from 1, as
/// the events are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpenRows(BTreeMap<u64, f64>);

/// What to draw: rows `first..=last` between two empty spaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// The first row.
    pub first: u64,
    /// The last row; before the first where there is none.
    pub last: u64,
    /// The space above, in pixels.
    pub above: f64,
    /// The space below, in pixels.
    pub below: f64,
}

impl OpenRows {
    /// Whether a row is open.
    #[must_use]
    pub fn is_open(&self, row: u64) -> bool {
        self.0.contains_key(&row)
    }

    /// Opens a closed row and closes an open one.
    pub fn toggle(&mut self, row: u64) {
        if self.0.remove(&row).is_none() {
            self.0.insert(row, 0.0);
        }
    }

    /// Records the height of what a row opened into; false when it is known.
    pub fn measured(&mut self, row: u64, height: f64) -> bool {
        match self.0.get_mut(&row) {
            Some(known) if (*known - height).abs() >= 1.0 => {
                *known = height;
                true
            }
            _ => false,
        }
    }

    /// The height of `count` rows.
    #[must_use]
    pub fn height(&self, count: u64) -> f64 {
        rows(count) + self.0.values().sum::<f64>()
    }

    /// Where a row begins.
    #[must_use]
    pub fn top(&self, row: u64) -> f64 {
        rows(row.saturating_sub(1)) + self.0.range(..row).map(|(_, extra)| extra).sum::<f64>()
    }

    /// The row of `count` at a distance from the top of the first one, in pixels.
    #[must_use]
    pub fn at(&self, count: u64, place: f64) -> u64 {
        let (mut before, mut top) = (0_u64, 0.0);
        for (row, extra) in &self.0 {
            let begins = top + rows(row - 1 - before);
            if place < begins {
                break;
            }
            if place < begins + ROW + extra {
                return *row;
            }
            (before, top) = (*row, begins + ROW + extra);
        }
        before
            .saturating_add(whole((place - top).max(0.0) / ROW))
            .saturating_add(1)
            .clamp(1, count.max(1))
    }

    /// What to draw of `count` rows in a view of height `view` that is scrolled by `scrolled`.
    #[must_use]
    pub fn window(&self, count: u64, scrolled: f64, view: f64) -> Window {
        let first = self.at(count, scrolled).saturating_sub(BEYOND).max(1);
        let last = (self.at(count, scrolled + view) + BEYOND).min(count);
        let above = self.top(first);
        let below = (self.height(count) - self.top(last + 1)).max(0.0);
        Window { first, last, above, below }
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact for more rows than a session can have")]
fn rows(count: u64) -> f64 {
    count as f64 * ROW
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and places are not negative"
)]
fn whole(rows: f64) -> u64 {
    rows as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_rows_are_counted() {
        let (rows, count) = (OpenRows::default(), 100_000);
        assert_eq!(rows.at(count, 0.0), 1);
        assert_eq!(rows.at(count, ROW * 49_999.5), 50_000);
        assert_eq!(rows.at(count, f64::MAX), 100_000);
        let window = rows.window(count, ROW * 50_000.0, ROW * 20.0);
        assert_eq!((window.first, window.last), (50_001 - BEYOND, 50_021 + BEYOND));
        assert!((window.above - ROW * 49_988.0).abs() < 0.5);
        let drawn = (window.last + 1 - window.first) as f64 * ROW;
        assert!((window.above + drawn + window.below - rows.height(count)).abs() < 0.5);
    }

    #[test]
    fn an_open_row_moves_those_after_it() {
        let mut rows = OpenRows::default();
        rows.toggle(3);
        assert!(rows.measured(3, 100.0));
        assert!(!rows.measured(3, 100.2), "the same again");
        assert!(!rows.measured(4, 100.0), "not open");
        assert!((rows.top(3) - ROW * 2.0).abs() < 0.5);
        assert!((rows.top(4) - (ROW * 3.0 + 100.0)).abs() < 0.5);
        for (place, row) in
            [(0.0, 1), (ROW * 2.0, 3), (ROW * 3.0 + 99.0, 3), (ROW * 3.0 + 101.0, 4)]
        {
            assert_eq!(rows.at(10, place), row, "{place}");
        }
        rows.toggle(3);
        assert!(!rows.is_open(3));
        assert!((rows.height(10) - ROW * 10.0).abs() < 0.5);
    }

    #[test]
    fn an_empty_window_draws_no_rows() {
        let window = OpenRows::default().window(0, 0.0, 500.0);
        assert!(window.last < window.first);
        assert!(window.below.abs() < 0.5);
    }
}
