//! The time of a tree on the host: `cargo bench -p value-tree`. The figures in the browser
//! are those of the stories' bench.

use divan::Bencher;
use json_text::JsonText;
use value_tree::{Find, Tree};

fn main() {
    divan::main();
}

/// A list of flights with about `nodes` values.
fn flights(nodes: usize) -> JsonText {
    let one = r#"{"number":"RH000001","from":"LIS","to":"OSL","minutes":185}"#;
    let text = format!("[{}]", vec![one; nodes / 5].join(","));
    JsonText::parse(&text).unwrap_or_else(|_| JsonText::null())
}

#[divan::bench(args = [1_000, 100_000, 1_000_000])]
fn index(bencher: Bencher<'_, '_>, nodes: usize) {
    let value = flights(nodes);
    bencher.bench(|| Tree::new(value.clone()));
}

#[divan::bench(args = [1_000, 100_000, 1_000_000])]
fn toggle_at_the_top(bencher: Bencher<'_, '_>, nodes: usize) {
    let mut tree = Tree::new(flights(nodes));
    tree.expand(usize::MAX);
    let node = tree.rows()[2].node;
    bencher.bench_local(|| tree.toggle(node));
}

#[divan::bench(args = [1_000, 100_000, 1_000_000])]
fn expand_all(bencher: Bencher<'_, '_>, nodes: usize) {
    let mut tree = Tree::new(flights(nodes));
    bencher.bench_local(|| tree.expand(usize::MAX));
}

#[divan::bench(args = [1_000, 100_000, 1_000_000])]
fn find_nothing(bencher: Bencher<'_, '_>, nodes: usize) {
    let mut tree = Tree::new(flights(nodes));
    bencher.bench_local(|| {
        let mut find = Find::new("helsinki");
        find.advance(&mut tree, usize::MAX);
        find.found().len()
    });
}
