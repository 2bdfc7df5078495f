//! Searching a tree, a slice at a time, so that a page stays awake meanwhile.

use crate::case_insensitive::Needle;
use crate::nodes::NodeId;
use crate::scan;
use crate::tree::{Opens, Tree};
use json_text::index::Id;

/// How many finds are kept.
const MOST: usize = 100_000;
/// The bytes of text that count for one value of a slice.
const WEIGHT: usize = 64;

/// A search: the values whose name or content contains the text, in order.
#[derive(Debug, Clone)]
pub struct Find {
    needle: Option<Needle>,
    found: Vec<NodeId>,
    /// The next value of the outermost text.
    next: Id,
    beyond: TruncatedSearch,
    /// Where the search goes on in the text that the tree does not hold; 0 before it is there.
    at: usize,
    is_done: bool,
}

/// What a search found in the part of a text that its tree does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TruncatedSearch {
    /// How many names and values hold the words.
    pub count: usize,
    /// Where the first of them begins in the text, in bytes.
    pub first: Option<usize>,
}

impl Find {
    /// A search for `text`, whatever the case. Nothing is read yet.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let needle = Needle::new(text);
        Self {
            is_done: needle.is_none(),
            needle,
            found: Vec::new(),
            next: 0,
            beyond: TruncatedSearch::default(),
            at: 0,
        }
    }

    /// What was found so far in the text that the tree does not hold.
    #[must_use]
    pub fn beyond(&self) -> TruncatedSearch {
        self.beyond
    }

    /// What was found so far.
    #[must_use]
    pub fn found(&self) -> &[NodeId] {
        &self.found
    }

    /// Whether everything has been searched, or so much found that it is enough.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Searches on in about `bytes` bytes of the value, and looks into the strings that hold JSON
    /// where the words are in them.
    pub fn advance(&mut self, tree: &mut Tree, bytes: usize) {
        let Some(needle) = self.needle.clone() else { return };
        let mut left = bytes;
        while !self.is_done && left > 0 {
            // The outermost text's values come first and in its order.
            if self.next >= tree.nodes.record(0).next {
                match tree.nodes.cut_at() {
                    Some(cut) => self.look_beyond(tree.value().as_str(), cut, &needle, left),
                    None => self.is_done = true,
                }
                return;
            }
            let id = self.next;
            let spent = self.look(tree, &needle, id);
            left = left.saturating_sub(spent.max(WEIGHT));
            self.next += 1;
            let is_last = self.next >= tree.nodes.record(0).next && tree.nodes.cut_at().is_none();
            self.is_done = is_last || self.found.len() >= MOST;
        }
    }

    /// Looks at the names and values of `text` from `cut` on, in about `bytes` bytes of it.
    fn look_beyond(&mut self, text: &str, cut: usize, needle: &Needle, bytes: usize) {
        let mut at = self.at.max(cut);
        let end = at.saturating_add(bytes);
        while at < end {
            let start = at;
            at = match text.as_bytes().get(at) {
                None => {
                    self.is_done = true;
                    break;
                }
                Some(b'"') => json_text::scan::string_end(text.as_bytes(), at),
                Some(b'{' | b'}' | b'[' | b']' | b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') => {
                    at += 1;
                    continue;
                }
                Some(_) => json_text::scan::scalar_end(text.as_bytes(), at),
            };
            if text.get(start..at).is_some_and(|literal| holds(needle, literal)) {
                self.beyond.count += 1;
                self.beyond.first.get_or_insert(start);
            }
        }
        self.at = at;
    }

    /// Looks at one value, and at those in the text that it holds.
    fn look(&mut self, tree: &mut Tree, needle: &Needle, id: Id) -> usize {
        let mut stack = vec![id];
        let mut spent = 0;
        while let Some(id) = stack.pop() {
            let literal = tree.nodes.text(id);
            let is_scalar = !matches!(literal.as_bytes().first(), Some(b'{' | b'['));
            spent += if is_scalar { literal.len() } else { WEIGHT };
            let in_name =
                tree.nodes.key(id).is_some_and(|key| needle.find(&scan::content(key), 0).is_some());
            let in_value = is_scalar && holds(needle, literal);
            let may_hold_json = literal.starts_with('"') && in_value;
            if may_hold_json && let Some(inside) = inside(tree, id) {
                if in_name {
                    self.found.push(NodeId(id));
                }
                // The values of a held text follow each other; the last on the stack comes first.
                stack.extend(inside.rev());
                continue;
            }
            if in_name || in_value {
                self.found.push(NodeId(id));
            }
        }
        spent
    }
}

fn holds(needle: &Needle, literal: &str) -> bool {
    if literal.starts_with('"') {
        needle.find(&scan::content(literal), 0).is_some()
    } else {
        needle.find(literal, 0).is_some()
    }
}

/// The values of the text that the string holds, as it is shown.
fn inside(tree: &mut Tree, id: Id) -> Option<std::ops::Range<Id>> {
    if tree.is_raw(id) {
        return None;
    }
    let (Opens::Members(_) | Opens::Table(_)) = tree.opens(id) else { return None };
    let first = tree.nodes.held(id)?;
    Some(first + 1..tree.nodes.record(first).next)
}

impl Tree {
    /// Opens what hides `node` and puts the reader at it: at its line, or at its table's row when
    /// it is a cell of it. Answers with the row.
    pub fn go_to(&mut self, node: NodeId) -> Option<usize> {
        let item = self.nodes.parent(node.0);
        let list = item.and_then(|item| self.nodes.parent(item).map(|list| (item, list)));
        let in_cell = match list {
            Some((item, list)) => match self.opens(list) {
                Opens::Table(inner) if self.nodes.record(item).parent == inner => {
                    let column =
                        self.nodes.key(node.0).and_then(|key| self.table(inner)?.column(key));
                    (column.is_some() && !self.is_open(item)).then_some(item)
                }
                _ => None,
            },
            None => None,
        };
        let shown = NodeId(in_cell.unwrap_or(node.0));
        self.reveal(shown);
        if in_cell.is_none() && self.opens(node.0) == Opens::Block {
            // The match may be beyond what its line shows.
            self.set_open(node, true);
        }
        let row = self.row_of(shown)?;
        self.set_current(self.rows.get(row).copied());
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;

    fn find(text: &str, searched: &str) -> Vec<String> {
        let mut tree = Tree::new(JsonText::parse(text).expect("valid"));
        tree.collapse();
        let mut find = Find::new(searched);
        while !find.is_done() {
            find.advance(&mut tree, 1);
        }
        let found = find.found().to_vec();
        found
            .iter()
            .map(|node| {
                let row = tree.go_to(*node).expect("revealed");
                let shown = tree.rows()[row].node;
                format!("{} at {}", tree.path(*node), tree.path(shown))
            })
            .collect()
    }

    #[test]
    fn names_and_values_are_found_and_opened() {
        assert_eq!(
            find(r#"{"Room": 1, "a": {"b": ["the ROOM"]}, "c": 210.0}"#, "room"),
            ["$.Room at $.Room", "$.a.b[0] at $.a.b[0]"]
        );
        assert_eq!(find(r#"{"c": 210.0}"#, "210.0"), ["$.c at $.c"]);
        assert_eq!(find("[1]", "  "), Vec::<String>::new());
    }

    #[test]
    fn json_inside_a_string_is_searched() {
        assert_eq!(
            find(r#"{"reply": "{\"fare\": \"OSL\", \"n\": [\"osl\"]}"}"#, "osl"),
            [
                "json($.reply).fare at json($.reply).fare",
                "json($.reply).n[0] at json($.reply).n[0]"
            ]
        );
    }

    #[test]
    fn values_outside_the_tree_are_searched_as_text() {
        let text =
            r#"{"rows": [{"a": "x"}, {"a": "y"}, {"a": "Z\u00e4"}, {"zä": "[zä]", "b": 7}]}"#;
        let mut tree = Tree::with_room(JsonText::parse(text).expect("valid"), 6);
        let missing = tree.missing().expect("not whole");
        assert_eq!((missing.path.as_str(), missing.held, missing.count), ("$.rows", 2, 4));
        let mut found = |searched: &str| {
            let mut find = Find::new(searched);
            while !find.is_done() {
                find.advance(&mut tree, 1);
            }
            (find.found().len(), find.beyond())
        };
        let first = text.find(r#""Z\u00e4"#);
        assert_eq!(found("zÄ"), (0, TruncatedSearch { count: 3, first }));
        assert_eq!(found("a"), (2, TruncatedSearch { count: 1, first: text.find(r#""a": "Z"#) }));
        assert_eq!(found("7").1.count, 1);
        assert_eq!(found("nowhere"), (0, TruncatedSearch::default()));
    }

    #[test]
    fn a_cell_is_found_in_its_row() {
        assert_eq!(
            find(r#"{"t": [{"a": 1, "b": "x"}, {"a": 2, "b": "Lisbon"}]}"#, "lisbon"),
            ["$.t[1].b at $.t[1]"]
        );
    }

    #[test]
    fn an_escaped_word_is_found() {
        assert_eq!(find(r#"["Montr\u00e9al"]"#, "montréal"), ["$[0] at $[0]"]);
    }
}
