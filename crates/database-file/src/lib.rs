//! What the SQLite files of the program have in common: only one host uses a file ([`Lock`]), a file names the
//! version that wrote it ([`migrate`]), and a copy is complete ([`copy`], [`check`]).

mod copy;
mod lock;
mod version;

pub use copy::{CopyError, check, copy};
pub use lock::{Lock, LockError};
pub use version::{MigrateError, Writer, migrate};
