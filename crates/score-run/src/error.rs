//! Why a run came to no end.

use std::io;
use std::path::PathBuf;

use evalset::Fault;
use evalset_file::AppendError;

/// Each message names the file and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file could not be gone through.
    #[error(transparent)]
    File(#[from] AppendError),
    /// A file cannot be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// Nothing of a file that is read as a whole can be read.
    #[error("{}: {fault}", path.display())]
    Faulty {
        /// The file.
        path: PathBuf,
        /// The first thing that is wrong.
        fault: Box<Fault>,
    },
    /// A file of ADK's history where expectations belong.
    #[error(
        "{} tells what an agent did, not what is expected; give it with --actual, and the eval set \
         with --expected",
        path.display()
    )]
    History {
        /// The file.
        path: PathBuf,
    },
    /// What was scored could not be written.
    #[error("the report cannot be written: {0}")]
    Output(#[from] io::Error),
    /// A thread has ended; a fault of ours.
    #[error("scoring ended unexpectedly; please report this with the files: {0}")]
    Panicked(String),
}
