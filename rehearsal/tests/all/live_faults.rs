//! Live sessions during failures: the host is killed under load, watchers disconnect, the disk is full.
//!
//! The host is a separate process here, so that it can be killed.

#![expect(clippy::print_stdout, reason = "the number of attempts is printed")]

pub(super) mod agents;
mod full_disk;
pub(super) mod host;
mod journal;
mod killed;
