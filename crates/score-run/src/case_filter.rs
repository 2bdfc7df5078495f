//! [`CaseFilter`]: which cases are scored.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The most tags remembered for the hint about a mistyped tag.
const MAX_REMEMBERED_TAGS: usize = 1000;

/// A filter of cases: both conditions must match.
#[derive(Default)]
pub struct CaseFilter<'c> {
    /// Matches the wanted ids; `None` matches all.
    pub id: Option<&'c (dyn Fn(&str) -> bool + Sync)>,
    /// Tags, one of which a case must have; empty matches all.
    pub tags: &'c [String],
    seen: Mutex<BTreeSet<String>>,
}

impl<'c> CaseFilter<'c> {
    /// Cases whose id matches `id`, and that have one of `tags`.
    #[must_use]
    pub fn new(id: Option<&'c (dyn Fn(&str) -> bool + Sync)>, tags: &'c [String]) -> Self {
        Self { id, tags, seen: Mutex::default() }
    }

    /// Tags of cases that did not match, at most 1,000.
    #[must_use]
    pub fn other_tags(&self) -> Vec<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl CaseFilter<'_> {
    pub(crate) fn takes_id(&self, eval_id: Option<&str>) -> bool {
        self.id.is_none_or(|takes| eval_id.is_some_and(takes))
    }

    pub(crate) fn takes_tags(&self, tags: &[String]) -> bool {
        let takes = self.tags.is_empty() || self.tags.iter().any(|wanted| tags.contains(wanted));
        if !takes {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if seen.len() < MAX_REMEMBERED_TAGS {
                seen.extend(tags.iter().cloned());
            }
        }
        takes
    }
}
