//! Carries the view state of a value over to its replacement.

use std::collections::{HashMap, VecDeque};

use json_text::Kind;

use crate::nodes::NodeId;
use crate::row::Row;
use crate::tree::{OPEN, RAW, Tree};
use json_text::index::Id;

impl Tree {
    /// Opens what was open in `before` and shows raw what was shown raw, where both have a value at
    /// the same path, so that a state that a tool changed keeps its view.
    pub fn carry_over(&mut self, before: &Self) {
        let mut pairs = vec![(0, 0)];
        let mut current = None;
        while let Some((old, new)) = pairs.pop() {
            if before.current.is_some_and(|row| row.node.0 == old) {
                current = before.current.map(|row| Row { node: NodeId(new), ..row });
            }
            let (was, is) = (before.nodes.kind(old), self.nodes.kind(new));
            if was != is {
                continue;
            }
            // An empty container cannot be opened or closed.
            if before.nodes.record(old).count > 0 || was == Kind::String {
                let kept = before.marks[old as usize] & (OPEN | RAW);
                let mark = &mut self.marks[new as usize];
                *mark = *mark & !(OPEN | RAW) | kept;
            }
            if let Some(held_before) = before.nodes.held(old) {
                self.shape(new);
                pairs.extend(self.nodes.held(new).map(|held| (held_before, held)));
            }
            match is {
                Kind::Array => pairs.extend(before.nodes.members(old).zip(self.nodes.members(new))),
                Kind::Object => pairs.extend(by_name(before, old, self, new)),
                _ => {}
            }
        }
        self.current = current;
        self.rebuild();
    }
}

/// The members of both objects with the same name, pairwise; repeated names in order.
fn by_name(before: &Tree, old: Id, after: &Tree, new: Id) -> Vec<(Id, Id)> {
    let mut names: HashMap<Option<&str>, VecDeque<Id>> = HashMap::new();
    for member in before.nodes.members(old) {
        names.entry(before.nodes.key(member)).or_default().push_back(member);
    }
    let pair = |member| Some((names.get_mut(&after.nodes.key(member))?.pop_front()?, member));
    after.nodes.members(new).filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;

    fn tree(text: &str) -> Tree {
        Tree::new(JsonText::parse(text).expect("valid"))
    }

    fn names(tree: &mut Tree) -> Vec<String> {
        (0..tree.row_count()).map(|row| tree.view(row).name).collect()
    }

    #[test]
    fn open_and_closed_values_stay_so() {
        let mut before = tree(r#"{"a": {"x": 1}, "b": {"y": {"z": 2}}}"#);
        before.collapse();
        let node = before.rows()[1].node;
        before.toggle(node);
        before.set_current(Some(before.rows()[1]));
        let mut after = tree(r#"{"new": [1], "b": {"y": {"z": 3}}, "a": {"x": 1}}"#);
        after.carry_over(&before);
        assert_eq!(names(&mut after), ["new", "0", "b", "y", "a"]);
        assert_eq!(after.current_row(), Some(2));
    }

    #[test]
    fn repeated_names_are_matched_by_order() {
        let text = r#"{"a": {"x": 1}, "a": {"y": 2}}"#;
        let mut before = tree(text);
        before.collapse();
        before.toggle(before.rows()[0].node);
        let mut after = tree(text);
        after.carry_over(&before);
        assert_eq!(names(&mut after), ["a", "x", "a"]);
    }

    #[test]
    fn raw_values_stay_raw() {
        let mut before = tree(r#"{"a": "{\"x\": 1}"}"#);
        let node = before.rows()[0].node;
        before.set_raw(node, true);
        let mut after = tree(r#"{"a": "{\"x\": 2}"}"#);
        after.carry_over(&before);
        assert!(after.view(0).is_raw);
    }
}
