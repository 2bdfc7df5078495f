//! What happens to live sessions when things go wrong: the host is killed under load, watchers
//! vanish, the disk is full.
//!
//! The host is a process of its own here, so that it can be killed as one.

#![expect(clippy::print_stdout, reason = "the number of attempts is printed")]

mod agents;
mod full_disk;
mod host;
mod journal;
mod killed;
