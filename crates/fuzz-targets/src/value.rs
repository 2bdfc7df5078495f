//! Any value and any user actions: a tree never panics, its rows equal those of a new tree, and a search
//! ends.
//!
//! The input is a value, a line end, the searched text, a line end, and bytes that choose actions.

use json_text::{JsonText, Pretty};
use value_tree::{Find, Tree};

/// How many rows are looked at after each step.
const LOOKED_AT: usize = 200;

/// Runs the checks on one input.
pub(crate) fn check(data: &[u8]) {
    let mut parts = data.splitn(3, |byte| *byte == b'\n');
    let text = |part: Option<&[u8]>| {
        part.and_then(|part| std::str::from_utf8(part).ok().map(str::to_owned))
    };
    let Some(value) = text(parts.next()).and_then(|text| JsonText::parse(&text).ok()) else {
        return;
    };
    let searched = text(parts.next()).unwrap_or_default();
    let choices = parts.next().unwrap_or_default();
    lay_out(&value, choices.first().copied().unwrap_or(1));
    let mut tree = Tree::new(value);
    look(&mut tree);
    for choice in choices.chunks(2).take(32) {
        let (place, act) = (usize::from(choice[0]), choice.get(1).copied().unwrap_or(0));
        let Some(row) = tree.rows().get(place % tree.row_count().max(1)).copied() else { return };
        match act % 6 {
            0 => drop(tree.toggle(row.node)),
            1 => tree.set_raw(row.node, act & 64 != 0),
            2 => drop(tree.expand(usize::from(act / 16))),
            3 => tree.collapse(),
            4 => tree.set_current(Some(row)),
            _ => find(&mut tree, &searched),
        }
        look(&mut tree);
        let mut fresh = Tree::new(tree.value().clone());
        fresh.carry_over(&tree);
        let rows = |tree: &Tree| -> Vec<_> {
            let rows = tree.rows().iter().take(LOOKED_AT);
            rows.map(|row| (tree.path(row.node), row.kind, row.depth)).collect()
        };
        assert_eq!(rows(&tree), rows(&fresh), "rows that are spliced are rows that are built");
    }
    find(&mut tree, &searched);
}
fn look(tree: &mut Tree) {
    for at in 0..tree.row_count().min(LOOKED_AT) {
        let view = tree.view(at);
        assert!(view.held <= view.count);
        let _ = (tree.copied(view.row.node), tree.header_of(at), tree.block(view.row.node));
    }
}

fn find(tree: &mut Tree, searched: &str) {
    let mut find = Find::new(searched);
    for _ in 0..100_000 {
        if find.is_done() {
            break;
        }
        find.advance(tree, 1_000);
    }
    assert!(find.is_done(), "a search ends");
    for node in find.found().to_vec().into_iter().take(20) {
        let row = tree.go_to(node).expect("what is found can be shown");
        assert!(row < tree.row_count());
    }
}

/// In parts as in one piece, and the same value.
fn lay_out(value: &JsonText, bytes: u8) {
    let mut pretty = Pretty::of(value);
    let mut text = String::new();
    while let Some(part) = pretty.next_part(usize::from(bytes).max(1)) {
        text.push_str(&part);
    }
    assert_eq!(text, value.pretty());
    let again = JsonText::parse(&text).expect("what is laid out is JSON");
    assert_eq!(again.compact(), value.compact());
}
