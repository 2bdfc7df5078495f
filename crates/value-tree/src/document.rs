//! The index of one JSON text: where each value stands and what it stands in.
//!
//! One pass without recursion and without copying, so depth costs nothing and a number keeps its
//! digits: a value is a range of the text that it came in.

use crate::scan::{string_end, word_end};

/// A place in the tree's list of values.
pub(crate) type Id = u32;

/// What stands where an id would, when there is none.
pub(crate) const NONE: u32 = u32::MAX;

/// Where a value stands. The values of a text follow each other in the order of the text, so those
/// inside a value are the ones from the next up to `next`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// Where its text begins, in bytes.
    pub(crate) start: u32,
    /// Where its text ends.
    pub(crate) end: u32,
    /// Where its name begins, with the quotes; [`NONE`] for an item and for the whole.
    pub(crate) key: u32,
    /// The container it is in; [`NONE`] for the whole.
    pub(crate) parent: Id,
    /// The first value after it and what is in it.
    pub(crate) next: Id,
    /// How many members it has, also those that did not fit into the index.
    pub(crate) count: u32,
    /// Its place among its container's members, from 0.
    pub(crate) place: u32,
}

/// Where an index ends that does not hold all of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Where the first value begins that is missing, in bytes.
    pub(crate) from: usize,
    /// The containers of which a part is missing, outermost first, each with how many of its
    /// members are there.
    pub(crate) parts: Vec<(Id, u32)>,
}

/// Appends the values of `text`, at most `room` of them; answers with where it ended if not all
/// fitted.
///
/// What does not fit is missing from the index only: the ranges around it are right. The item in
/// which the room ended is left out whole, so that none looks as if it were smaller than it is.
pub(crate) fn index(text: &str, nodes: &mut Vec<Record>, room: usize) -> Option<Cut> {
    let first = nodes.len();
    let mut cut = fill(text, nodes, room)?;
    // Of the containers in which the room ended, the longest is the list; what is below it is the
    // item that was being read.
    let longest = (0..cut.parts.len()).rev().max_by_key(|place| cut.parts[*place].1).unwrap_or(0);
    if let Some((item, _)) = cut.parts.get(longest + 1).copied() {
        cut.from = nodes[item as usize].start as usize;
        nodes.truncate((item as usize).max(first + 1));
        let end = place(nodes.len());
        cut.parts.truncate(longest + 1);
        for (id, _) in &cut.parts {
            nodes[*id as usize].next = end;
        }
        if let Some((_, held)) = cut.parts.last_mut() {
            *held = held.saturating_sub(1);
        }
    }
    Some(cut)
}

/// The same up to the last value that fits.
fn fill(text: &str, nodes: &mut Vec<Record>, room: usize) -> Option<Cut> {
    let bytes = text.as_bytes();
    let limit = nodes.len().saturating_add(room);
    // The containers that are open: their id, or `NONE` when they did not fit, and whether they
    // are objects.
    let mut open: Vec<(Id, bool)> = Vec::new();
    let mut key = NONE;
    let mut at = 0;
    let mut cut = None;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        match byte {
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'}' | b']' => {
                at += 1;
                let next = place(nodes.len());
                if let Some((id, _)) = open.pop()
                    && let Some(record) = nodes.get_mut(id as usize)
                {
                    record.end = place(at);
                    record.next = next;
                }
                if open.is_empty() {
                    break;
                }
                continue;
            }
            b'"' => at = string_end(bytes, at),
            b'{' | b'[' => at += 1,
            _ => at = word_end(bytes, at),
        }
        if *byte == b'"' && key == NONE && open.last().is_some_and(|(_, is_object)| *is_object) {
            key = place(start);
            continue;
        }
        let parent = open.last().map_or(NONE, |(id, _)| *id);
        let here = match nodes.get_mut(parent as usize) {
            Some(parent) => {
                parent.count += 1;
                parent.count - 1
            }
            None => 0,
        };
        let fits = nodes.len() < limit && (parent != NONE || open.is_empty());
        let id = if fits { place(nodes.len()) } else { NONE };
        if fits {
            let (start, end) = (place(start), place(at));
            nodes.push(Record { start, end, key, parent, next: id + 1, count: 0, place: here });
        }
        if !fits && cut.is_none() {
            // The last of them has counted this value already.
            let held = |id: Id| nodes.get(id as usize).map_or(0, |record| record.count);
            let mut parts: Vec<(Id, u32)> = open.iter().map(|(id, _)| (*id, held(*id))).collect();
            if let Some((_, held)) = parts.last_mut() {
                *held = held.saturating_sub(1);
            }
            cut = Some(Cut { from: start, parts });
        }
        key = NONE;
        if matches!(byte, b'{' | b'[') {
            open.push((id, *byte == b'{'));
        } else if open.is_empty() {
            break;
        }
    }
    cut
}

/// A place as it is kept: texts of four gigabytes and more are turned away before.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, room: usize) -> Vec<(String, u32, u32)> {
        let mut nodes = Vec::new();
        index(text, &mut nodes, room);
        nodes
            .iter()
            .map(|node| {
                (text[node.start as usize..node.end as usize].to_owned(), node.count, node.next)
            })
            .collect()
    }

    #[test]
    fn every_value_has_its_range() {
        let seen = told(r#"{"a": [1.50, "x"], "b": {}}"#, 100);
        let seen: Vec<_> =
            seen.iter().map(|(text, count, next)| (text.as_str(), *count, *next)).collect();
        assert_eq!(
            seen,
            [
                (r#"{"a": [1.50, "x"], "b": {}}"#, 2, 5),
                (r#"[1.50, "x"]"#, 2, 4),
                ("1.50", 0, 3),
                ("\"x\"", 0, 4),
                ("{}", 0, 5),
            ]
        );
    }

    #[test]
    fn what_does_not_fit_leaves_the_rest_right() {
        let text = "[[1,2],[3,4],[5,[6,7]],8]";
        let seen = told(text, 9);
        // The third item is left out whole.
        assert_eq!(seen[0], (text.to_owned(), 4, 7));
        assert_eq!(seen[4], ("[3,4]".to_owned(), 2, 7));
        assert_eq!(seen.len(), 7);
        let cut = index(text, &mut Vec::new(), 9).expect("cut");
        assert_eq!((&text[cut.from..cut.from + 3], cut.parts), ("[5,", vec![(0, 2)]));
    }

    #[test]
    fn the_list_in_an_envelope_is_kept_as_far_as_it_fits() {
        let text = r#"{"meta": 1, "rows": [{"a": 1}, {"a": 2}, {"a": 3}], "end": 2}"#;
        let cut = index(text, &mut Vec::new(), 8).expect("cut");
        assert!(text[cut.from..].starts_with(r#"{"a": 3}"#));
        assert_eq!(cut.parts, [(0, 2), (2, 2)]);
        // Room for one value is room for the outermost.
        let mut nodes = Vec::new();
        let cut = index("[[1]]", &mut nodes, 1).expect("cut");
        assert_eq!((nodes.len(), cut.parts), (1, vec![(0, 0)]));
    }

    #[test]
    fn depth_needs_no_stack() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let mut nodes = Vec::new();
        assert_eq!(index(&deep, &mut nodes, usize::MAX), None);
        assert_eq!((nodes.len(), nodes[99_999].start, nodes[0].end), (100_000, 99_999, 200_000));
    }
}
