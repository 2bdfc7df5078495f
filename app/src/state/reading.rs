//! [`Reading`]: the view state of one JSON value, and [`Readings`]: those of a rehearsal.
//!
//! The tree itself is in [`value_tree`]; here it becomes reactive: each change of its rows
//! increments a revision, which everything drawn follows. `navigation` moves from row to row,
//! `search` finds text.

mod navigation;
mod search;
mod store;

use std::collections::HashMap;

use json_text::JsonText;
use leptos::prelude::*;
use value_tree::{
    Block, Find, Layout, Missing, NodeId, Row, RowKind, RowState, RowView, Tree, Window,
};

pub use self::search::SearchProgress;
pub use self::store::{ReadingKey, Readings};

/// The height of a line in pixels, as in the stylesheet.
pub const LINE: f64 = 20.0;
/// The assumed height of a block until it is drawn and measured, in pixels.
const BLOCK: f64 = 140.0;
/// The number of rows that are drawn beyond each edge of the visible ones.
const BEYOND: usize = 12;

/// The view state of one value. Copies share its signals.
#[derive(Clone, Copy)]
pub struct Reading {
    tree: StoredValue<Tree>,
    revision: RwSignal<u32>,
    /// Incremented when the value is replaced.
    generation: StoredValue<u32>,
    heights: RwSignal<HashMap<NodeId, f64>>,
    layout: Memo<Layout>,
    find: StoredValue<Find>,
    /// The number in the ids of this reading's elements in the document.
    pub number: usize,
    /// The scroll position of its list, in pixels.
    scrolled: StoredValue<f64>,
    /// Whether the whole value is shown as text.
    pub raw: RwSignal<bool>,
    /// Where the shown part of that text begins, in bytes.
    pub raw_from: RwSignal<usize>,
    /// Whether the last expansion stopped early because it had too many rows.
    pub is_cut_short: RwSignal<bool>,
    /// The current row.
    pub current: RwSignal<Option<Row>>,
    /// Incremented when the current row is to be scrolled into sight.
    pub revealed: RwSignal<u32>,
    /// Whether the search field is shown.
    pub is_searching: RwSignal<bool>,
    /// The searched text.
    pub searched: RwSignal<String>,
    /// The results of the search.
    pub found: RwSignal<SearchProgress>,
}

/// The view state of `value`. Its signals belong to the current owner.
#[must_use]
pub fn use_reading(value: &JsonText) -> Reading {
    let tree = StoredValue::new(Tree::new(value.clone()));
    let revision = RwSignal::new(0);
    let heights = RwSignal::new(HashMap::new());
    let layout = Memo::new(move |_| {
        revision.track();
        heights.with(|heights: &HashMap<NodeId, f64>| {
            tree.with_value(|tree| {
                Layout::new(tree.rows(), LINE, |row| {
                    heights.get(&row.node).copied().unwrap_or(BLOCK)
                })
            })
        })
    });
    Reading {
        tree,
        revision,
        generation: StoredValue::new(0),
        heights,
        layout,
        find: StoredValue::new(Find::new("")),
        number: next_number(),
        scrolled: StoredValue::new(0.0),
        raw: RwSignal::new(false),
        raw_from: RwSignal::new(0),
        is_cut_short: RwSignal::new(false),
        current: RwSignal::new(None),
        revealed: RwSignal::new(0),
        is_searching: RwSignal::new(false),
        searched: RwSignal::new(String::new()),
        found: RwSignal::new(SearchProgress::default()),
    }
}

fn next_number() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NUMBERS: AtomicUsize = AtomicUsize::new(0);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

impl Reading {
    /// The value.
    #[must_use]
    pub fn value(self) -> JsonText {
        self.tree.with_value(|tree| tree.value().clone())
    }

    /// The scroll position, in pixels; `None` once the signals are disposed, as when the session
    /// started over before the page was drawn again.
    #[must_use]
    pub fn place(self) -> Option<f64> {
        self.scrolled.try_get_value()
    }

    /// Stores the scroll position, in pixels.
    pub fn keep_place(self, place: f64) {
        self.scrolled.set_value(place);
    }

    /// Replaces the value. What is open stays open where both values have the same path.
    pub fn take_in(self, value: &JsonText) {
        if self.tree.with_value(|tree| tree.value() == value) {
            return;
        }
        self.tree.update_value(|before| {
            let mut tree = Tree::new(value.clone());
            tree.carry_over(before);
            *before = tree;
        });
        self.generation.update_value(|generation| *generation = generation.wrapping_add(1));
        self.heights.update_untracked(HashMap::clear);
        self.current.set(self.tree.with_value(Tree::current));
        self.change();
        if !self.searched.read_untracked().is_empty() {
            self.search(self.searched.get_untracked());
        }
    }

    /// Whether there is anything to open or to find. Tracked.
    #[must_use]
    pub fn has_structure(self) -> bool {
        self.revision.track();
        self.tree.with_value(|tree| !tree.is_empty())
    }

    /// Whether there is more than one level to open. Tracked.
    #[must_use]
    pub fn has_depth(self) -> bool {
        self.revision.track();
        self.tree.with_value(Tree::has_depth)
    }

    /// The number of values, including those in strings that were parsed as JSON. Tracked.
    #[must_use]
    pub fn count(self) -> usize {
        self.revision.track();
        self.tree.with_value(Tree::len)
    }

    /// The length of the value's text in bytes. Tracked.
    #[must_use]
    pub fn byte_len(self) -> usize {
        self.revision.track();
        self.tree.with_value(|tree| tree.value().byte_len())
    }

    /// What the tree leaves out of the value; `None` if it holds the whole value. Tracked.
    #[must_use]
    pub fn missing(self) -> Option<Missing> {
        self.revision.track();
        self.tree.with_value(Tree::missing)
    }

    /// Whether the tree holds every value, including those in its strings. Tracked.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.revision.track();
        self.tree.with_value(Tree::is_whole)
    }

    /// The column header of the top row of a view with the height `view` and the scroll position
    /// `scrolled`, if the header is out of sight. Tracked.
    #[must_use]
    pub fn header_above(self, scrolled: f64, view: f64) -> Option<Row> {
        self.revision.track();
        let row = self.layout.with(|layout| layout.row_at(layout.place_at(scrolled, view)));
        self.tree.with_value(|tree| tree.header_of(row).map(|(_, header)| header))
    }

    /// What `row` shows.
    #[must_use]
    pub fn view_of(self, row: Row) -> Option<RowView> {
        self.with_tree(|tree| Some(tree.view_of(row)))
    }

    /// The positions of the rows. Tracked.
    #[must_use]
    pub fn layout(self) -> Layout {
        self.layout.get()
    }

    /// The rows to draw in a view with the height `view` and the scroll position `scrolled`.
    /// Tracked.
    #[must_use]
    pub fn window(self, scrolled: f64, view: f64) -> Window {
        self.layout.with(|layout| layout.window(scrolled, view, BEYOND))
    }

    /// The rows in `window`, each with its index among all rows and the generation of its value, so
    /// that rows of a replaced value are drawn again. Tracked.
    #[must_use]
    pub fn drawn(self, window: &Window) -> Vec<(usize, u32, RowState)> {
        self.revision.track();
        let states = self.tree.with_value(|tree| tree.states(window.rows.clone()));
        let generation = self.generation.get_value();
        let drawn = states.into_iter().enumerate();
        drawn.map(|(at, row)| (window.rows.start + at, generation, row)).collect()
    }

    /// What the row at the index `place` shows.
    #[must_use]
    pub fn view(self, place: usize) -> Option<RowView> {
        self.with_tree(|tree| Some(tree.view(place)))
    }

    /// The block of a value that is shown as one.
    #[must_use]
    pub fn block(self, node: NodeId) -> Option<Block> {
        self.with_tree(|tree| Some(tree.block(node)))
    }

    /// The path of a value; empty for the root.
    #[must_use]
    pub fn path(self, node: NodeId) -> String {
        self.tree.with_value(|tree| tree.path(node))
    }

    /// The text that copying a value yields.
    #[must_use]
    pub fn copied(self, node: NodeId) -> String {
        self.tree.with_value(|tree| tree.copied(node))
    }

    /// Opens a closed value and closes an open one.
    pub fn toggle(self, node: NodeId) {
        if self.with_tree(|tree| Some(tree.toggle(node))) == Some(true) {
            self.change();
        }
    }

    /// Opens or closes a value; false when that changes nothing.
    pub fn set_open(self, node: NodeId, open: bool) -> bool {
        let is_changed = self.with_tree(|tree| Some(tree.set_open(node, open))) == Some(true);
        if is_changed {
            self.change();
        }
        is_changed
    }

    /// Shows a recognized value raw or formatted.
    pub fn set_raw(self, node: NodeId, raw: bool) {
        self.with_tree(|tree| {
            tree.set_raw(node, raw);
            Some(())
        });
        self.heights.update_untracked(|heights| {
            heights.remove(&node);
        });
        self.change();
    }

    /// Switches a recognized value between raw and formatted.
    pub fn switch_raw(self, node: NodeId) {
        let raw = self.with_tree(|tree| tree.switched_raw(node));
        if let Some(raw) = raw {
            self.set_raw(node, raw);
        }
    }

    /// Opens the first `levels` levels and closes deeper ones. Stops at the most rows that a page
    /// can draw.
    pub fn expand(self, levels: usize) {
        let is_all = self.with_tree(|tree| {
            Some(match levels {
                0 => {
                    tree.collapse();
                    true
                }
                levels => tree.expand(levels),
            })
        });
        self.is_cut_short.set(is_all == Some(false));
        self.change();
    }

    /// Stores the measured height of a block.
    pub fn measured(self, node: NodeId, height: f64) {
        let known = self.heights.with_untracked(|heights| heights.get(&node).copied());
        if known.is_none_or(|known| (known - height).abs() >= 1.0) {
            self.heights.try_update(|heights| heights.insert(node, height));
        }
    }

    fn change(self) {
        self.revision.update(|revision| *revision = revision.wrapping_add(1));
    }

    /// The tree recognizes values lazily, so reading it may change it.
    fn with_tree<T>(self, look: impl FnOnce(&mut Tree) -> Option<T>) -> Option<T> {
        self.tree.try_update_value(look).flatten()
    }

    /// The id in the document of the list of rows.
    #[must_use]
    pub fn tree_id(self) -> String {
        format!("value-{}", self.number)
    }

    /// The id in the document of a row.
    #[must_use]
    pub fn element_id(self, row: Row) -> String {
        let part = match row.kind {
            RowKind::Block => "block",
            RowKind::Header => "head",
            RowKind::Line | RowKind::Cells => "row",
        };
        format!("value-{}-{part}-{}", self.number, row.node.number())
    }
}
