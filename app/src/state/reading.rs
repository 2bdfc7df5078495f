//! [`Reading`]: one value as its reader left it, and [`Readings`]: those of a rehearsal.
//!
//! The tree itself lies in [`value_tree`]; here it becomes reactive. What changes which rows there
//! are counts a revision up, and everything drawn follows from that.

use std::collections::HashMap;
use std::time::Duration;

use json_text::JsonText;
use leptos::prelude::*;
use session::CallId;
use value_tree::{Block, Find, Layout, NodeId, Row, RowKind, RowState, RowView, Tree, Window};

/// The height of a line in pixels, as the stylesheet has it.
pub const LINE: f64 = 20.0;
/// How high a block is taken to be until it has been drawn and measured, in pixels.
const BLOCK: f64 = 140.0;
/// How many rows are drawn beyond each edge of what is in sight.
const BEYOND: usize = 12;
/// How many bytes are searched before the page may breathe.
const SLICE: usize = 2 * 1024 * 1024;

/// What a search has found so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Found {
    /// How many values.
    pub count: usize,
    /// At which of them the reader is, from 0.
    pub at: usize,
    /// Whether everything has been searched.
    pub is_done: bool,
}

/// One value, as small as its handles.
#[derive(Clone, Copy)]
pub struct Reading {
    tree: StoredValue<Tree>,
    revision: RwSignal<u32>,
    /// Counts the values that this reading has had.
    generation: StoredValue<u32>,
    heights: RwSignal<HashMap<NodeId, f64>>,
    layout: Memo<Layout>,
    find: StoredValue<Find>,
    /// Tells this reading's elements from those of others in the document.
    pub number: usize,
    /// How far its list was scrolled, in pixels.
    pub scrolled: StoredValue<f64>,
    /// Whether the whole value is shown as text.
    pub raw: RwSignal<bool>,
    /// The row at which the reader is.
    pub current: RwSignal<Option<Row>>,
    /// Counts the times that the current row was to come into sight.
    pub revealed: RwSignal<u32>,
    /// Whether the search field is shown.
    pub is_searching: RwSignal<bool>,
    /// What is searched.
    pub searched: RwSignal<String>,
    /// What was found.
    pub found: RwSignal<Found>,
}

/// Begins to read `value`. Its signals belong to the current owner.
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
        current: RwSignal::new(None),
        revealed: RwSignal::new(0),
        is_searching: RwSignal::new(false),
        searched: RwSignal::new(String::new()),
        found: RwSignal::new(Found::default()),
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

    /// Puts another value in the place of this one; what the reader did to it stays done where both
    /// have a value at the same path.
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

    /// How many values there are, with those in strings that were looked into. Tracked.
    #[must_use]
    pub fn count(self) -> usize {
        self.revision.track();
        self.tree.with_value(Tree::len)
    }

    /// Whether the tree holds every value of the text. Tracked.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.revision.track();
        self.tree.with_value(Tree::is_whole)
    }

    /// Where the rows lie. Tracked.
    #[must_use]
    pub fn layout(self) -> Layout {
        self.layout.get()
    }

    /// What of the rows to draw in a view so high that is scrolled so far. Tracked.
    #[must_use]
    pub fn window(self, scrolled: f64, view: f64) -> Window {
        self.layout.with(|layout| layout.window(scrolled, view, BEYOND))
    }

    /// The rows in `window`, each with its place among all rows and the number of the value it was
    /// read from: a row of another value is another row. Tracked.
    #[must_use]
    pub fn drawn(self, window: &Window) -> Vec<(usize, u32, RowState)> {
        self.revision.track();
        let states = self.tree.with_value(|tree| tree.states(window.rows.clone()));
        let generation = self.generation.get_value();
        let drawn = states.into_iter().enumerate();
        drawn.map(|(at, row)| (window.rows.start + at, generation, row)).collect()
    }

    /// What the row at `place` shows.
    #[must_use]
    pub fn view(self, place: usize) -> Option<RowView> {
        self.with_tree(|tree| Some(tree.view(place)))
    }

    /// What a value opens into where that is one block.
    #[must_use]
    pub fn block(self, node: NodeId) -> Option<Block> {
        self.with_tree(|tree| Some(tree.block(node)))
    }

    /// The place of a value as a path. Nothing for the value itself.
    #[must_use]
    pub fn path(self, node: NodeId) -> String {
        self.tree.with_value(|tree| tree.path(node))
    }

    /// What to copy of a value.
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

    /// Shows a recognised value raw, or as what it is.
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

    /// Shows a recognised value raw that was not, and the other way round.
    pub fn switch_raw(self, node: NodeId) {
        let raw = self.with_tree(|tree| tree.switched_raw(node));
        if let Some(raw) = raw {
            self.set_raw(node, raw);
        }
    }

    /// Opens so many levels and closes what lies deeper.
    pub fn expand(self, levels: usize) {
        self.with_tree(|tree| {
            match levels {
                0 => tree.collapse(),
                levels => tree.expand(levels),
            }
            Some(())
        });
        self.change();
    }

    /// Takes in how high a block turned out to be.
    pub fn measured(self, node: NodeId, height: f64) {
        let known = self.heights.with_untracked(|heights| heights.get(&node).copied());
        if known.is_none_or(|known| (known - height).abs() >= 1.0) {
            self.heights.try_update(|heights| heights.insert(node, height));
        }
    }

    /// The current row's place among the rows; what hides it when it was closed away.
    #[must_use]
    pub fn current_row(self) -> Option<usize> {
        self.tree.with_value(Tree::current_row)
    }

    /// Puts the reader at a row, without bringing it into sight.
    pub fn stand_at(self, row: Option<Row>) {
        self.with_tree(|tree| {
            tree.set_current(row);
            Some(())
        });
        self.current.set(row);
    }

    /// Puts the reader at the first row, without bringing it into sight.
    pub fn stand_at_first(self) {
        self.stand_at(self.row(0));
    }

    /// Puts the reader at the row at `place` and brings it into sight. Beyond the ends, at an end.
    pub fn go_to_row(self, place: usize) {
        let row = self.tree.with_value(|tree| {
            let rows = tree.rows();
            let place = place.min(rows.len().checked_sub(1)?);
            // The names of columns are no place to be.
            let is_header = rows[place].kind == RowKind::Header;
            rows.get(place + usize::from(is_header)).copied()
        });
        if row.is_some() {
            self.stand_at(row);
            self.reveal();
        }
    }

    /// Puts the reader so many rows further.
    pub fn go_by(self, rows: isize) {
        let Some(at) = self.current_row() else { return self.go_to_row(0) };
        let is_header = |at: usize| {
            self.tree.with_value(|tree| {
                tree.rows().get(at).is_some_and(|row| row.kind == RowKind::Header)
            })
        };
        let next = at.saturating_add_signed(rows);
        // Upwards, past the names of columns.
        let next = if rows < 0 && is_header(next) { next.saturating_sub(1) } else { next };
        self.go_to_row(next);
    }

    /// Opens the current row, or goes to the first of what it opened into.
    pub fn go_in(self) {
        let Some(at) = self.current_row() else { return self.go_to_row(0) };
        let Some(row) = self.row(at) else { return };
        let is_below =
            |row: Row, at: usize| self.row(at + 1).is_some_and(|it| it.depth > row.depth);
        if row.kind == RowKind::Block || self.set_open(row.node, true) {
            return;
        }
        if is_below(row, at) {
            self.go_to_row(at + 1);
        }
    }

    /// Closes the current row, or goes to what it stands in.
    pub fn go_out(self) {
        let Some(at) = self.current_row() else { return };
        let Some(row) = self.row(at) else { return };
        if row.kind != RowKind::Block && self.set_open(row.node, false) {
            return;
        }
        if let Some(above) = self.tree.with_value(|tree| tree.row_above(at)) {
            let is_header = self.row(above).is_some_and(|row| row.kind == RowKind::Header);
            self.go_to_row(if is_header { above.saturating_sub(1) } else { above });
        }
    }

    fn row(self, at: usize) -> Option<Row> {
        self.tree.with_value(|tree| tree.rows().get(at).copied())
    }

    /// Searches for `text`, a slice at a time.
    pub fn search(self, text: String) {
        self.find.set_value(Find::new(&text));
        self.searched.set(text);
        self.found.set(Found::default());
        self.search_on();
    }

    fn search_on(self) {
        let searched = self.searched.get_untracked();
        let had_none = self.found.read_untracked().count == 0;
        let found = self.with_tree(|tree| {
            self.find.try_update_value(|find| {
                find.advance(tree, SLICE);
                (find.found().len(), find.is_done())
            })
        });
        let Some((count, is_done)) = found else { return };
        self.found.update(|found| *found = Found { count, is_done, ..*found });
        if had_none && count > 0 {
            self.go_to_found(0);
        }
        if !is_done {
            let again = move || {
                // The reader may have typed on, or closed what is read.
                if self.searched.try_get_untracked().is_some_and(|now| now == searched) {
                    self.search_on();
                }
            };
            set_timeout(again, Duration::ZERO);
        }
    }

    /// Goes so many finds further, around the ends.
    pub fn go_to_next(self, by: isize) {
        let Found { count, at, .. } = self.found.get_untracked();
        if count > 0 {
            self.go_to_found((at + count).saturating_add_signed(by) % count);
        }
    }

    fn go_to_found(self, at: usize) {
        let Some(node) = self.find.with_value(|find| find.found().get(at).copied()) else { return };
        let row = self.with_tree(|tree| tree.go_to(node));
        self.found.update(|found| found.at = at);
        self.change();
        if let Some(row) = row {
            self.go_to_row(row);
        }
    }

    fn reveal(self) {
        self.revealed.update(|times| *times = times.wrapping_add(1));
    }

    fn change(self) {
        self.revision.update(|revision| *revision = revision.wrapping_add(1));
    }

    /// Recognition looks at values when they are asked for, so every look may change the tree.
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

/// Which value of a rehearsal is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ReadingKey {
    /// The arguments of a call.
    Arguments(CallId),
    /// The result of a call.
    Result(CallId),
    /// The structured content of an MCP tool's result.
    Structured(CallId),
    /// A block of an MCP tool's result, by its place.
    Block(CallId, usize),
    /// The session's state.
    State,
    /// The whole history.
    History,
    /// The case that was exported.
    Case,
    /// What was said in the row at this place.
    Said(usize),
}

/// The values that were read in one rehearsal.
#[derive(Clone, Copy)]
pub struct Readings {
    owner: StoredValue<Option<Owner>>,
    begun: StoredValue<HashMap<ReadingKey, Reading>>,
}

impl Readings {
    pub(super) fn new() -> Self {
        Self { owner: StoredValue::new(Owner::current()), begun: StoredValue::new(HashMap::new()) }
    }

    /// The reading that was begun for `key`, if one was.
    #[must_use]
    pub fn begun(self, key: &ReadingKey) -> Option<Reading> {
        self.begun.with_value(|begun| begun.get(key).copied())
    }

    /// The reading of `value` as it was left.
    #[must_use]
    pub fn of(self, key: ReadingKey, value: &JsonText) -> Reading {
        if let Some(reading) = self.begun(&key) {
            reading.take_in(value);
            return reading;
        }
        let make = || use_reading(value);
        // A value is read for as long as the rehearsal lasts, not for as long as its row is open.
        let reading = match self.owner.get_value() {
            Some(owner) => owner.with(make),
            None => make(),
        };
        self.begun.update_value(|begun| {
            begun.insert(key, reading);
        });
        reading
    }

    pub(super) fn forget(self) {
        let nothing = JsonText::null();
        self.begun.update_value(|begun| {
            for (_, reading) in begun.drain() {
                // The handles live on with the rehearsal; the values need not.
                reading.tree.set_value(Tree::new(nothing.clone()));
            }
        });
    }
}
