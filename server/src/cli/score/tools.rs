//! [`Tools`]: whether somebody calls the tools that a config names.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use case_trace::LazyTrace;
use score_report::ScoredCase;
use scoring::config::Config;

/// So many names are kept to find the nearest among.
const MOST: usize = 10_000;

/// The tools that a config names, and those that the cases of either side call.
#[derive(Debug)]
pub(super) struct Tools<'c> {
    named: Vec<&'c str>,
    called: Mutex<BTreeSet<String>>,
}

impl<'c> Tools<'c> {
    pub(super) fn of(config: &'c Config) -> Self {
        Self { named: config.tools(), called: Mutex::default() }
    }

    pub(super) fn look_at(&self, case: &ScoredCase) {
        if self.named.is_empty() {
            return;
        }
        for side in [&case.expected, &case.actual].into_iter().flatten().map(LazyTrace::trace) {
            let turns = &side.trace.invocations;
            let calls = turns
                .iter()
                .flat_map(|turn| turn.tool_calls.iter().chain(turn.accepted.iter().flatten()));
            let mut called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
            for name in calls.filter_map(|call| call.name.as_ref()) {
                let is_wanted = called.len() < MOST || self.named.contains(&name.as_str());
                if is_wanted && !called.contains(name) {
                    called.insert(name.clone());
                }
            }
        }
    }

    /// Of each tool that no case calls, that it is so, and which one may be meant.
    pub(super) fn notes(self) -> Vec<String> {
        let called = self.called.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mistyped = self.named.into_iter().filter(|named| !called.contains(*named));
        let note = |named: &str| {
            let distance = |name: &&String| strsim::damerau_levenshtein(named, name);
            let near = called.iter().filter(|name| distance(name) <= named.len().div_ceil(4));
            let meant = near.min_by_key(distance).map(|name| format!("; did you mean {name:?}?"));
            let meant = meant.unwrap_or_default();
            format!("the config names the tool {named:?}, which no case calls{meant}")
        };
        mistyped.map(note).collect()
    }
}
