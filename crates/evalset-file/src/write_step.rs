//! [`WriteStep`]: the points of a write at which a crash leaves different states on the disk.

use std::io;

/// In their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteStep {
    /// Nothing written yet.
    Begun,
    /// The journal is written but not flushed.
    JournalWritten,
    /// The journal is flushed, but not its directory entry.
    JournalFlushed,
    /// The journal survives a crash.
    JournalDurable,
    /// Part of the tail is written.
    TailPart,
    /// All of the tail is written but not flushed.
    TailWritten,
    /// The file is complete on the disk, and the journal still exists.
    TailFlushed,
    /// The journal is removed.
    JournalGone,
    /// A new file's draft is written but not flushed.
    DraftWritten,
    /// A new file's draft is flushed but not yet renamed.
    DraftFlushed,
    /// A new file is renamed, but its directory entry is not flushed.
    DraftNamed,
}

/// Observes the steps of a write; tests interrupt it here.
pub trait WriteObserver: std::fmt::Debug + Send + Sync {
    /// Called after `step`; an error is handled like an I/O error.
    ///
    /// # Errors
    /// An error to simulate.
    fn reached(&self, step: WriteStep) -> io::Result<()>;

    /// Bytes of the tail written at a time.
    fn part(&self) -> usize {
        8 << 20
    }
}

/// Observes nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NoObserver;

impl WriteObserver for NoObserver {
    fn reached(&self, _: WriteStep) -> io::Result<()> {
        Ok(())
    }
}
