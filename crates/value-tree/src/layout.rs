//! Where rows lie: from a place in pixels to a row and back.
//!
//! Lines are of one height; blocks are as high as they turn out to be. Browsers give up beyond some
//! ten million pixels, so a longer list is scrolled faster than it moves.

use std::ops::Range;

use crate::row::{Row, RowKind};

/// The highest that an element is made, in pixels. Firefox ends at 17.9 million.
const HIGHEST: f64 = 12_000_000.0;

/// The heights of the rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    line: f64,
    rows: usize,
    /// The rows that are higher than a line: which, and how much is added up to and with them.
    higher: Vec<(usize, f64)>,
}

/// What of the rows is drawn, in pixels of the element that scrolls.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Window {
    /// The rows.
    pub rows: Range<usize>,
    /// The empty space above them.
    pub above: f64,
    /// The empty space below them.
    pub below: f64,
}

impl Layout {
    /// The layout of `rows` with lines of `line` pixels and blocks of the height that `height` returns.
    #[must_use]
    pub fn new(rows: &[Row], line: f64, height: impl Fn(&Row) -> f64) -> Self {
        let mut added = 0.0;
        let blocks = rows.iter().enumerate().filter(|(_, row)| row.kind == RowKind::Block);
        let higher = blocks.map(|(at, row)| {
            added += height(row) - line;
            (at, added)
        });
        Self { line, rows: rows.len(), higher: higher.collect() }
    }

    /// The top of a row, from 0; of the row after the last, the end.
    #[must_use]
    pub fn top(&self, row: usize) -> f64 {
        let before = self.higher.partition_point(|(at, _)| *at < row);
        let added = before.checked_sub(1).map_or(0.0, |last| self.higher[last].1);
        as_pixels(row.min(self.rows)) * self.line + added
    }

    /// How high all rows are.
    #[must_use]
    pub fn height(&self) -> f64 {
        self.top(self.rows)
    }

    /// The row at `place`; the last one beyond the end.
    #[must_use]
    pub fn row_at(&self, place: f64) -> usize {
        let (mut low, mut high) = (0, self.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.top(middle + 1) <= place { low = middle + 1 } else { high = middle }
        }
        low.min(self.rows.saturating_sub(1))
    }

    /// How high the element is in which the rows lie.
    #[must_use]
    pub fn scrolled_height(&self) -> f64 {
        self.height().min(HIGHEST)
    }

    /// How many pixels of the rows one pixel of scrolling moves, in a view so high.
    fn pace(&self, view: f64) -> f64 {
        if self.height() <= HIGHEST { 1.0 } else { (self.height() - view) / (HIGHEST - view) }
    }

    /// How far to scroll for `place` to be at the top of a view so high.
    #[must_use]
    pub fn scroll_for(&self, place: f64, view: f64) -> f64 {
        (place / self.pace(view)).clamp(0.0, (self.scrolled_height() - view).max(0.0))
    }

    /// The place at the top of a view so high that is scrolled so far.
    #[must_use]
    pub fn place_at(&self, scrolled: f64, view: f64) -> f64 {
        (scrolled * self.pace(view)).clamp(0.0, (self.height() - view).max(0.0))
    }

    /// What to draw in a view so high that is scrolled so far, with so many rows more on each side.
    #[must_use]
    pub fn window(&self, scrolled: f64, view: f64, more: usize) -> Window {
        let place = self.place_at(scrolled, view);
        // Whole steps, so that the window stays the same for small moves.
        let step = more.max(1);
        let first = self.row_at(place).saturating_sub(more) / step * step;
        let last = (self.row_at(place + view) + 1 + more).div_ceil(step) * step;
        let rows = first..last.min(self.rows);
        let drawn = self.top(rows.end) - self.top(rows.start);
        let above = if self.height() <= HIGHEST {
            self.top(rows.start)
        } else {
            (scrolled + self.top(rows.start) - place).max(0.0)
        };
        Window { below: (self.scrolled_height() - above - drawn).max(0.0), above, rows }
    }
}

#[expect(clippy::cast_precision_loss, reason = "rows are counted in millions")]
fn as_pixels(rows: usize) -> f64 {
    rows as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::NodeId;

    fn layout(kinds: &[RowKind]) -> Layout {
        let rows: Vec<Row> =
            kinds.iter().map(|kind| Row { node: NodeId(0), kind: *kind, depth: 0 }).collect();
        Layout::new(&rows, 20.0, |_| 100.0)
    }

    #[test]
    fn rows_lie_below_each_other() {
        use RowKind::{Block, Line};
        let layout = layout(&[Line, Line, Block, Line, Block]);
        let tops: Vec<f64> = (0..=5).map(|row| layout.top(row)).collect();
        assert_eq!(tops, [0.0, 20.0, 40.0, 140.0, 160.0, 260.0]);
        let rows: Vec<usize> =
            [0.0, 19.9, 20.0, 40.0, 139.0, 140.0, 259.0, 999.0].map(|at| layout.row_at(at)).into();
        assert_eq!(rows, [0, 0, 1, 2, 2, 3, 4, 4]);
        assert_eq!(Layout::default().row_at(5.0), 0);
    }

    #[test]
    fn a_window_covers_the_visible_rows() {
        let layout = layout(&vec![RowKind::Line; 100_000]);
        let window = layout.window(1_000_010.0, 400.0, 16);
        assert!(window.rows.start <= 50_000 && window.rows.end >= 50_021);
        assert!(window.rows.len() < 80);
        assert_eq!(window.above, 20.0 * window.rows.start as f64);
        let drawn = 20.0 * window.rows.len() as f64;
        assert_eq!(window.above + drawn + window.below, 2_000_000.0);
        assert_eq!(layout.window(1_000_011.0, 400.0, 16), window, "the same for a small move");
    }

    #[test]
    fn list_taller_than_the_browser_limit_scrolls_to_its_end() {
        let layout = layout(&vec![RowKind::Line; 4_000_000]);
        assert_eq!(layout.scrolled_height(), HIGHEST);
        let end = layout.scroll_for(layout.height(), 400.0);
        assert_eq!(layout.window(end, 400.0, 16).rows.end, 4_000_000);
        let window = layout.window(6_000_000.0, 400.0, 16);
        let drawn = 20.0 * window.rows.len() as f64;
        assert!((window.above + drawn + window.below - HIGHEST).abs() < 0.001);
        // What is at the top of the view is drawn at the top of the view.
        let row = layout.row_at(layout.place_at(6_000_000.0, 400.0));
        let drawn_at = window.above + layout.top(row) - layout.top(window.rows.start);
        assert!((drawn_at - 6_000_000.0).abs() <= 20.0);
    }
}
