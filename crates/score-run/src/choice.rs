//! [`Choice`]: which cases are scored.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// So many tags are remembered for whoever mistyped one.
const REMEMBERED: usize = 1000;

/// Which cases are scored: all that meet both.
#[derive(Default)]
pub struct Choice<'c> {
    /// Whether an id is one that is looked for; every one is without it.
    pub id: Option<&'c (dyn Fn(&str) -> bool + Sync)>,
    /// Tags, of which a case needs one; none asks for nothing.
    pub tags: &'c [String],
    seen: Mutex<BTreeSet<String>>,
}

impl<'c> Choice<'c> {
    /// Cases whose id `id` takes, and that have one of `tags`.
    #[must_use]
    pub fn new(id: Option<&'c (dyn Fn(&str) -> bool + Sync)>, tags: &'c [String]) -> Self {
        Self { id, tags, seen: Mutex::default() }
    }

    /// The tags of cases that were not chosen, as far as they are remembered.
    #[must_use]
    pub fn other_tags(&self) -> Vec<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl Choice<'_> {
    pub(crate) fn takes_id(&self, eval_id: Option<&str>) -> bool {
        self.id.is_none_or(|takes| eval_id.is_some_and(takes))
    }

    pub(crate) fn takes_tags(&self, tags: &[String]) -> bool {
        let takes = self.tags.is_empty() || self.tags.iter().any(|wanted| tags.contains(wanted));
        if !takes {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if seen.len() < REMEMBERED {
                seen.extend(tags.iter().cloned());
            }
        }
        takes
    }
}
