//! [`EvalSetFiles`]: the files that may be written, and how.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::place::Roots;
use crate::write_step::{NoObserver, WriteObserver};

/// The most bytes after the last case that an append moves.
pub(crate) const LONGEST_TAIL: u64 = 16 << 20;

/// Appends to and edits eval-set files in allowed folders.
#[derive(Debug, Clone)]
pub struct EvalSetFiles {
    pub(crate) roots: Roots,
    pub(crate) wait: Duration,
    pub(crate) longest_tail: u64,
    pub(crate) ids_may_repeat: bool,
    pub(crate) observer: Arc<dyn WriteObserver>,
}

impl EvalSetFiles {
    /// Only files in these folders and below, symbolic links resolved.
    #[must_use]
    pub fn within(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut distinct: Vec<PathBuf> = Vec::new();
        for root in roots {
            if !distinct.contains(&root) {
                distinct.push(root);
            }
        }
        Self::with_roots(Roots::Within(distinct))
    }

    /// Any file, for a path that the user entered.
    #[must_use]
    pub fn anywhere() -> Self {
        Self::with_roots(Roots::Anywhere)
    }

    fn with_roots(roots: Roots) -> Self {
        Self {
            roots,
            wait: Duration::from_secs(60),
            longest_tail: LONGEST_TAIL,
            ids_may_repeat: false,
            observer: Arc::new(NoObserver),
        }
    }

    /// How long to wait for the lock of another process; a minute by default.
    #[must_use]
    pub fn with_wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Allows repeated ids, to restore a case that had one.
    #[must_use]
    pub fn with_repeated_ids(mut self) -> Self {
        self.ids_may_repeat = true;
        self
    }

    /// The most bytes that an edit rewrites in place; more are written to a new file. For tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_longest_tail(mut self, bytes: u64) -> Self {
        self.longest_tail = bytes;
        self
    }

    /// For tests that interrupt an append.
    #[doc(hidden)]
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn WriteObserver>) -> Self {
        self.observer = observer;
        self
    }
}
