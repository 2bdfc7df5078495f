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

/// Appends the values of `text`, at most `room` of them; false when not all fitted.
///
/// What does not fit is missing from the index only: the ranges around it are right.
pub(crate) fn index(text: &str, nodes: &mut Vec<Record>, room: usize) -> bool {
    let bytes = text.as_bytes();
    let limit = nodes.len().saturating_add(room);
    // The containers that are open: their id, or `NONE` when they did not fit, and whether they
    // are objects.
    let mut open: Vec<(Id, bool)> = Vec::new();
    let mut key = NONE;
    let mut at = 0;
    let mut is_whole = true;
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
        is_whole &= fits;
        key = NONE;
        if matches!(byte, b'{' | b'[') {
            open.push((id, *byte == b'{'));
        } else if open.is_empty() {
            break;
        }
    }
    is_whole
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
        let seen = told("[[1,2],[3,[4]],5]", 3);
        assert_eq!(seen[0], ("[[1,2],[3,[4]],5]".to_owned(), 3, 3));
        assert_eq!(seen[1], ("[1,2]".to_owned(), 2, 3));
        assert_eq!(seen.len(), 3);
    }

    #[test]
    fn depth_needs_no_stack() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let mut nodes = Vec::new();
        assert!(index(&deep, &mut nodes, usize::MAX));
        assert_eq!((nodes.len(), nodes[99_999].start, nodes[0].end), (100_000, 99_999, 200_000));
    }
}
