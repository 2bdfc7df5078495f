//! Searching text in a value, in slices.

use std::time::Duration;

use leptos::prelude::*;
use value_tree::{Find, TruncatedSearch};

use super::Reading;

/// The number of bytes that are searched at once, so that the page does not freeze.
const SLICE: usize = 2 * 1024 * 1024;

/// The results of a search so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchProgress {
    /// The number of matching values.
    pub count: usize,
    /// The index of the current match.
    pub at: usize,
    /// The matches in the text that the tree leaves out.
    pub beyond: TruncatedSearch,
    /// Whether everything has been searched.
    pub is_done: bool,
}

impl Reading {
    /// Starts a search for `text`.
    pub fn search(self, text: String) {
        self.find.set_value(Find::new(&text));
        self.searched.set(text);
        self.found.set(SearchProgress::default());
        self.search_on();
    }

    fn search_on(self) {
        let searched = self.searched.get_untracked();
        let had_none = self.found.read_untracked().count == 0;
        let found = self.with_tree(|tree| {
            self.find.try_update_value(|find| {
                find.advance(tree, SLICE);
                (find.found().len(), find.beyond(), find.is_done())
            })
        });
        let Some((count, beyond, is_done)) = found else { return };
        self.found.update(|found| *found = SearchProgress { count, beyond, is_done, ..*found });
        if had_none && count > 0 {
            self.go_to_found(0);
        }
        if !is_done {
            let again = move || {
                // The person may have changed the text or closed the value.
                if self.searched.try_get_untracked().is_some_and(|now| now == searched) {
                    self.search_on();
                }
            };
            set_timeout(again, Duration::ZERO);
        }
    }

    /// Moves by `by` matches, wrapping around the ends.
    pub fn go_to_next(self, by: isize) {
        let SearchProgress { count, at, .. } = self.found.get_untracked();
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

    /// Shows the first match in the text that the tree leaves out.
    pub fn go_beyond(self) {
        if let Some(at) = self.found.get_untracked().beyond.first {
            self.raw_from.set(at);
            self.raw.set(true);
        }
    }
}
