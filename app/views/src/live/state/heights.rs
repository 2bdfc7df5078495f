//! Which rows of a conversation are in sight, where each row has a height of its own that is known once
//! it was drawn.

use super::window::Window;

/// The assumed height of a row while none was drawn yet, in pixels.
const ASSUMED: f64 = 44.0;
/// How far beyond each edge of what is in sight rows are drawn, in pixels.
const BEYOND: f64 = 400.0;

/// The heights of the rows that were drawn, in pixels. The others are assumed to have the mean height.
/// Rows are numbered from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heights(Vec<Option<f64>>);

impl Heights {
    /// So many rows, none of which was drawn yet.
    #[must_use]
    pub fn of(count: usize) -> Self {
        Self(vec![None; count])
    }

    /// Records the height of a row; false when it is known.
    pub fn measured(&mut self, row: u64, height: f64) -> bool {
        let at = usize::try_from(row).ok().and_then(|row| row.checked_sub(1));
        match at.and_then(|at| self.0.get_mut(at)) {
            Some(known) if height > 0.0 && known.is_none_or(|it| (it - height).abs() >= 1.0) => {
                *known = Some(height);
                true
            }
            _ => false,
        }
    }

    fn mean(&self) -> f64 {
        let (count, sum) = self
            .0
            .iter()
            .flatten()
            .fold((0.0, 0.0), |(count, sum), height| (count + 1.0, sum + height));
        if count > 0.0 { sum / count } else { ASSUMED }
    }

    /// What to draw in a view of height `view` that is scrolled by `scrolled`.
    #[must_use]
    pub fn window(&self, scrolled: f64, view: f64) -> Window {
        let mean = self.mean();
        let (from, to) = (scrolled - BEYOND, scrolled + view + BEYOND);
        let mut window = Window { first: 1, last: 0, above: 0.0, below: 0.0 };
        let mut top = 0.0;
        for (at, height) in self.0.iter().enumerate() {
            let row = at as u64 + 1;
            let height = height.unwrap_or(mean);
            let bottom = top + height;
            // The last row is drawn wherever the view is, such as when more rows were assumed.
            if bottom < from && at + 1 < self.0.len() {
                (window.first, window.last) = (row + 1, row);
                window.above = bottom;
            } else if top <= to || window.last < window.first {
                window.last = row;
            } else {
                window.below += height;
            }
            top = bottom;
        }
        window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(heights: &Heights) -> f64 {
        let mean = heights.mean();
        heights.0.iter().map(|height| height.unwrap_or(mean)).sum()
    }

    fn drawn(heights: &Heights, window: Window) -> f64 {
        let (rows, mean) = (window.first..=window.last, heights.mean());
        rows.map(|row| heights.0[usize::try_from(row).expect("small") - 1])
            .map(|height| height.unwrap_or(mean))
            .sum()
    }

    #[test]
    fn a_window_of_many_rows_is_small_and_keeps_the_height() {
        let heights = Heights::of(10_000);
        for scrolled in [0.0, 1_000.0, 200_000.0, total(&heights)] {
            let window = heights.window(scrolled, 600.0);
            assert!(window.last - window.first < 60, "{window:?}");
            let whole = window.above + drawn(&heights, window) + window.below;
            assert!((whole - total(&heights)).abs() < 0.5, "{window:?}");
        }
        assert_eq!(heights.window(0.0, 600.0).first, 1);
        assert_eq!(heights.window(total(&heights), 600.0).last, 10_000);
    }

    #[test]
    fn measured_rows_move_those_after_them() {
        let mut heights = Heights::of(100);
        assert!(heights.measured(2, 50.0) && heights.measured(1, 10_000.0));
        assert!(!heights.measured(1, 10_000.3), "the same again");
        assert!(!heights.measured(101, 10.0) && !heights.measured(0, 10.0), "no such row");
        let window = heights.window(9_000.0, 600.0);
        assert_eq!(window.first, 1);
        let window = heights.window(11_000.0, 600.0);
        assert!(window.first > 1 && window.above >= 10_000.0, "{window:?}");
    }

    #[test]
    fn one_row_is_always_drawn() {
        assert_eq!(Heights::of(3).window(1e9, 600.0).last, 3);
        let none = Heights::of(0).window(0.0, 600.0);
        assert!(none.last < none.first);
    }
}
