//! [`Step`]: the moments of an append at which a crash would find different things on the disk.

use std::io;

/// In the order in which they are passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing written yet.
    Begun,
    /// The journal is written but not flushed.
    JournalWritten,
    /// The journal is flushed, its name is not.
    JournalFlushed,
    /// The journal will be found after a crash.
    JournalStands,
    /// Part of the tail is written.
    TailPart,
    /// All of the tail is written but not flushed.
    TailWritten,
    /// The file is whole on the disk, the journal still there.
    TailFlushed,
    /// The journal is gone.
    JournalGone,
    /// A new file's draft is written but not flushed.
    DraftWritten,
    /// A new file's draft is flushed and not yet in its place.
    DraftFlushed,
    /// A new file has its name, which is not flushed.
    DraftNamed,
}

/// Watches an append step by step; tests cut it short here.
pub trait Steps: std::fmt::Debug + Send + Sync {
    /// Called after `step`; an error is treated like one of the disk's.
    ///
    /// # Errors
    /// Whatever the watcher wants to happen.
    fn reached(&self, step: Step) -> io::Result<()>;

    /// Bytes of the tail written at a time.
    fn part(&self) -> usize {
        8 << 20
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Unwatched;

impl Steps for Unwatched {
    fn reached(&self, _: Step) -> io::Result<()> {
        Ok(())
    }
}
