//! The structural index of JSON text: the range of each value and the container it is in.
//!
//! One pass without recursion and without copying, so that deep values are safe and numbers keep
//! their digits. [`crate::JsonIndex`] is the index of one text; [`append`] is for those who keep
//! several texts in one list or limit its size.
//!
//! `evalset-file` does not use it: it scans a file as a stream, one chunk at a time.

use crate::scan::{scalar_end, string_end};

/// The position of a value in the list of entries.
pub type Id = u32;

/// Stands for a missing id or offset.
pub const NONE: u32 = u32::MAX;

/// One value of an indexed text. The entries of a text are in the order of the text, so the values
/// inside a value are the entries from the following one up to `next`.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Where its text begins, in bytes.
    pub start: u32,
    /// Where its text ends.
    pub end: u32,
    /// Where its name begins, with the quotes; [`NONE`] for an item and for the outermost value.
    pub key: u32,
    /// The container it is in; [`NONE`] for the outermost value.
    pub parent: Id,
    /// The first entry after it and its contents.
    pub next: Id,
    /// The number of its members, including those that did not fit into the index.
    pub count: u32,
    /// Its position among its container's members, from 0.
    pub place: u32,
}

/// Where an incomplete index ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The offset of the first missing value, in bytes.
    pub from: usize,
    /// The incomplete containers, outermost first, each with the number of its members that are
    /// in the index.
    pub parts: Vec<(Id, u32)>,
}

/// Appends the values of `text`, which must be valid JSON of less than 4 GiB, to `nodes`, at most
/// `room` of them; returns where it ended if not all fitted.
///
/// The ranges of the values in the index are complete even then. The item in which the room ended
/// is left out as a whole, so that no item looks smaller than it is.
#[must_use = "the index may be incomplete"]
pub fn append(text: &str, nodes: &mut Vec<Entry>, room: usize) -> Option<Cut> {
    let first = nodes.len();
    let mut cut = fill(text, nodes, room)?;
    // Of the open containers, the longest is taken as the list; the one inside it is the item that
    // was being read.
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

/// Appends the values up to the last one that fits.
fn fill(text: &str, nodes: &mut Vec<Entry>, room: usize) -> Option<Cut> {
    let bytes = text.as_bytes();
    let limit = nodes.len().saturating_add(room);
    // The open containers: their id, or `NONE` when they did not fit, and whether they are objects.
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
            _ => at = scalar_end(bytes, at),
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
            nodes.push(Entry { start, end, key, parent, next: id + 1, count: 0, place: here });
        }
        if !fits && cut.is_none() {
            // The innermost container has counted this value already.
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

/// An offset or id as stored; callers reject texts of 4 GiB and more.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indexed(text: &str, room: usize) -> Vec<(String, u32, u32)> {
        let mut nodes = Vec::new();
        let _ = append(text, &mut nodes, room);
        nodes
            .iter()
            .map(|node| {
                (text[node.start as usize..node.end as usize].to_owned(), node.count, node.next)
            })
            .collect()
    }

    #[test]
    fn every_value_has_its_range() {
        let seen = indexed(r#"{"a": [1.50, "x"], "b": {}}"#, 100);
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
    fn a_cut_leaves_the_other_ranges_complete() {
        let text = "[[1,2],[3,4],[5,[6,7]],8]";
        let seen = indexed(text, 9);
        // The third item is left out as a whole.
        assert_eq!(seen[0], (text.to_owned(), 4, 7));
        assert_eq!(seen[4], ("[3,4]".to_owned(), 2, 7));
        assert_eq!(seen.len(), 7);
        let cut = append(text, &mut Vec::new(), 9).expect("cut");
        assert_eq!((&text[cut.from..cut.from + 3], cut.parts), ("[5,", vec![(0, 2)]));
    }

    #[test]
    fn a_list_inside_an_object_is_indexed_as_far_as_it_fits() {
        let text = r#"{"meta": 1, "rows": [{"a": 1}, {"a": 2}, {"a": 3}], "end": 2}"#;
        let cut = append(text, &mut Vec::new(), 8).expect("cut");
        assert!(text[cut.from..].starts_with(r#"{"a": 3}"#));
        assert_eq!(cut.parts, [(0, 2), (2, 2)]);
        // The first value is the outermost one.
        let mut nodes = Vec::new();
        let cut = append("[[1]]", &mut nodes, 1).expect("cut");
        assert_eq!((nodes.len(), cut.parts), (1, vec![(0, 0)]));
    }

    #[test]
    fn deep_values_need_no_stack() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let mut nodes = Vec::new();
        assert_eq!(append(&deep, &mut nodes, usize::MAX), None);
        assert_eq!((nodes.len(), nodes[99_999].start, nodes[0].end), (100_000, 99_999, 200_000));
    }
}
