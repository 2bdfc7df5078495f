//! The best alignment of two lists of calls.

use json_text::JsonText;
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

use super::call_similarity::{CallSimilarity, Opened, Prepared};
use super::metric::Matching;
use crate::adk::MatchType;
use crate::evidence::{Alignment, CallSeen, Row, RowKind};
use crate::outcome::Reason;
use crate::trace::ToolCall;

/// At most so many pairs of calls are weighed.
const MOST_PAIRS: usize = 1_000_000;

/// At most so many steps are taken where order does not count: they grow with the cube.
const MOST_STEPS: usize = 200_000_000;

/// Aligns the calls of a turn: in order for [`MatchType::Exact`] and [`MatchType::InOrder`], in
/// any for [`MatchType::AnyOrder`]. No other alignment has more credit; among those with as much,
/// the pairs of this one are the most alike, and among those it has the most of them.
///
/// Shares are weighed in parts of 1/16384.
///
/// # Errors
/// [`Reason::TooManyCalls`] beyond some 1,000 calls on each side that differ, or some 500 of one
/// tool where order does not count.
pub fn align(
    expected: &[ToolCall],
    actual: &[ToolCall],
    matching: &Matching,
) -> Result<Alignment, Reason> {
    let nothing = JsonText::from_value(&serde_json::Value::Object(serde_json::Map::new()));
    let prepare = |call| Prepared::new(call, matching.equality, &nothing);
    let (one, other): (Vec<_>, Vec<_>) =
        (expected.iter().map(prepare).collect(), actual.iter().map(prepare).collect());
    let sides = Sides {
        expected: one.iter().map(Prepared::open).collect(),
        actual: other.iter().map(Prepared::open).collect(),
        matching,
    };
    let pairs = match matching.match_type {
        MatchType::Exact | MatchType::InOrder => sides.in_order(),
        MatchType::AnyOrder => sides.in_any_order(),
    };
    let too_many = Reason::TooManyCalls { expected: expected.len(), actual: actual.len() };
    Ok(sides.drawn(expected, actual, pairs.ok_or(too_many)?))
}

/// Places of an expected and an actual call, and their similarity.
type Pairs = Vec<(usize, usize, CallSimilarity)>;

/// The calls of both sides, opened.
struct Sides<'c> {
    expected: Vec<Opened<'c>>,
    actual: Vec<Opened<'c>>,
    matching: &'c Matching,
}

impl Sides<'_> {
    fn similarity(&self, expected: usize, actual: usize) -> Option<CallSimilarity> {
        self.expected.get(expected)?.similarity(self.actual.get(actual)?, self.matching)
    }

    fn full(&self, expected: usize, actual: usize) -> Option<CallSimilarity> {
        self.similarity(expected, actual).filter(|similarity| similarity.is_full)
    }

    fn weight(&self, expected: usize, actual: usize) -> i64 {
        self.similarity(expected, actual).map_or(0, |similarity| similarity.weight(self.matching))
    }

    /// The best pairs that do not cross; `None` when there are too many to weigh.
    fn in_order(&self) -> Option<Pairs> {
        // A full match of the first calls is in some best alignment, since no pair is worth more;
        // so equal beginnings and ends are not weighed. That makes two like lists cheap.
        let mut pairs = Pairs::new();
        let mut start = 0;
        while let Some(similarity) = self.full(start, start) {
            pairs.push((start, start, similarity));
            start += 1;
        }
        let (mut end, mut actual_end) = (self.expected.len(), self.actual.len());
        let mut tail = Pairs::new();
        while end > start
            && actual_end > start
            && let Some(similarity) = self.full(end - 1, actual_end - 1)
        {
            (end, actual_end) = (end - 1, actual_end - 1);
            tail.push((end, actual_end, similarity));
        }
        let (rows, columns) = (end - start, actual_end - start);
        if !is_few(rows, columns) {
            return None;
        }
        let mut weights = vec![0; rows * columns];
        for (cell, weight) in weights.iter_mut().enumerate() {
            *weight = self.weight(start + cell / columns, start + cell % columns);
        }
        for (row, column) in heaviest_path(rows, columns, &weights) {
            let similarity = self.similarity(start + row, start + column)?;
            pairs.push((start + row, start + column, similarity));
        }
        pairs.extend(tail.into_iter().rev());
        Some(pairs)
    }

    /// The best pairs whatever their order; `None` when there are too many to weigh.
    fn in_any_order(&self) -> Option<Pairs> {
        let mut pairs = Pairs::new();
        // Only calls of one tool pair, so each tool is a problem of its own.
        for (expected, actual) in self.by_tool() {
            if !is_few(expected.len(), actual.len()) {
                return None;
            }
            match self.all_matched(&expected, &actual) {
                Some(found) => pairs.extend(found),
                None => pairs.extend(self.assigned(&expected, &actual)?),
            }
        }
        pairs.sort_by_key(|(expected, _, _)| *expected);
        Some(pairs)
    }

    /// The best assignment of calls of one tool, by their places.
    fn assigned(&self, expected: &[usize], actual: &[usize]) -> Option<Pairs> {
        // The method wants the shorter side first.
        let turned = expected.len() > actual.len();
        let (rows, columns) = if turned { (actual, expected) } else { (expected, actual) };
        if rows.len() * rows.len() * columns.len() > MOST_STEPS {
            return None;
        }
        let places = |row: usize, column: usize| {
            let (row, column) = (*rows.get(row)?, *columns.get(column)?);
            Some(if turned { (column, row) } else { (row, column) })
        };
        let weights = Matrix::from_fn(rows.len(), columns.len(), |(row, column)| {
            places(row, column).map_or(0, |(expected, actual)| self.weight(expected, actual))
        });
        let (_, chosen) = kuhn_munkres(&weights);
        let pairs = chosen.into_iter().enumerate().filter_map(|(row, column)| {
            let (expected, actual) = places(row, column)?;
            Some((expected, actual, self.similarity(expected, actual)?))
        });
        Some(pairs.collect())
    }

    /// Pairs each call of the shorter side with the first that matches it fully, when that goes
    /// up: then no alignment is worth more.
    fn all_matched(&self, expected: &[usize], actual: &[usize]) -> Option<Pairs> {
        let turned = expected.len() > actual.len();
        let (shorter, longer) = if turned { (actual, expected) } else { (expected, actual) };
        let mut rest = longer.to_vec();
        let mut pairs = Pairs::new();
        for one in shorter {
            let (place, pair) = rest.iter().enumerate().find_map(|(place, other)| {
                let (expected, actual) = if turned { (*other, *one) } else { (*one, *other) };
                Some((place, (expected, actual, self.full(expected, actual)?)))
            })?;
            rest.remove(place);
            pairs.push(pair);
        }
        Some(pairs)
    }

    /// The places of the calls of each tool that both sides call.
    fn by_tool(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut tools: Vec<_> = self.expected.iter().map(Opened::name).collect();
        tools.sort_unstable();
        tools.dedup();
        let places = |calls: &[Opened<'_>], tool| {
            let calls = calls.iter().enumerate().filter(|(_, call)| call.name() == tool);
            calls.map(|(place, _)| place).collect::<Vec<_>>()
        };
        let both = tools
            .into_iter()
            .map(|tool| (places(&self.expected, tool), places(&self.actual, tool)));
        both.filter(|(_, actual)| !actual.is_empty()).collect()
    }

    fn drawn(&self, expected: &[ToolCall], actual: &[ToolCall], pairs: Pairs) -> Alignment {
        // In the order of the expected calls, so that a sum does not depend on the method.
        let credits = pairs.iter().map(|(_, _, similarity)| similarity.credit(self.matching));
        let credit = credits.fold(0.0, |sum, credit| sum + credit);
        let mut is_paired = vec![false; actual.len()];
        for (_, place, _) in &pairs {
            if let Some(paired) = is_paired.get_mut(*place) {
                *paired = true;
            }
        }
        let in_order = self.matching.match_type != MatchType::AnyOrder;
        let extra = |place: usize, call: &ToolCall| Row {
            kind: RowKind::Extra,
            expected: None,
            actual: Some(CallSeen::new(place, call)),
            agreement: 0.0,
            differences: Vec::new(),
        };
        let mut rest = actual
            .iter()
            .enumerate()
            .filter(|(place, _)| is_paired.get(*place) == Some(&false))
            .peekable();
        let mut rows = Vec::with_capacity(expected.len().max(actual.len()));
        let mut pairs = pairs.into_iter().peekable();
        for (place, call) in expected.iter().enumerate() {
            let seen = Some(CallSeen::new(place, call));
            let Some((_, other, similarity)) = pairs.next_if(|pair| pair.0 == place) else {
                rows.push(Row {
                    kind: RowKind::Missing,
                    expected: seen,
                    actual: None,
                    agreement: 0.0,
                    differences: Vec::new(),
                });
                continue;
            };
            while in_order && let Some((place, call)) = rest.next_if(|(extra, _)| *extra < other) {
                rows.push(extra(place, call));
            }
            let sides = self.expected.get(place).zip(self.actual.get(other));
            let differences = match sides {
                Some((one, other)) if !similarity.is_full => one.differences(other, self.matching),
                _ => Vec::new(),
            };
            rows.push(Row {
                kind: if similarity.is_full { RowKind::Matched } else { RowKind::Changed },
                expected: seen,
                actual: actual.get(other).map(|call| CallSeen::new(other, call)),
                agreement: similarity.agreement,
                differences,
            });
        }
        rows.extend(rest.map(|(place, call)| extra(place, call)));
        Alignment::of(rows, credit, expected.len(), actual.len())
    }
}

/// Whether so many calls on each side can be weighed.
fn is_few(expected: usize, actual: usize) -> bool {
    expected.checked_mul(actual).is_some_and(|pairs| pairs <= MOST_PAIRS)
}

/// The cells of the heaviest path down and to the right, no two in a row or column; of equals
/// the one that pairs earliest. A cell without weight is not taken.
fn heaviest_path(rows: usize, columns: usize, weights: &[i64]) -> Vec<(usize, usize)> {
    let width = columns + 1;
    // The most that the cells from there on can be worth, with a row and a column of zeros.
    let mut best = vec![0_i64; (rows + 1) * width];
    let at = |best: &[i64], row: usize, column: usize| {
        best.get(row * width + column).copied().unwrap_or(0)
    };
    let weight =
        |row: usize, column: usize| weights.get(row * columns + column).copied().unwrap_or(0);
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let paired = weight(row, column) + at(&best, row + 1, column + 1);
            let value = paired.max(at(&best, row + 1, column)).max(at(&best, row, column + 1));
            if let Some(cell) = best.get_mut(row * width + column) {
                *cell = value;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut path = Vec::new();
    while row < rows && column < columns {
        let (here, weight) = (at(&best, row, column), weight(row, column));
        if weight > 0 && weight + at(&best, row + 1, column + 1) == here {
            path.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if at(&best, row + 1, column) == here {
            row += 1;
        } else {
            column += 1;
        }
    }
    path
}
