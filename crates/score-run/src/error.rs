//! Why a run fails, and why a case cannot be scored.

use std::io;
use std::path::PathBuf;

use case_trace::InvalidField;
use evalset::CaseFault;
use evalset_file::AppendError;

/// Why a case cannot be scored, though its file can be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScoringFault {
    /// The reader of its format rejects it.
    #[error("{}: {fault}", path.display())]
    Faulty { path: PathBuf, fault: Box<CaseFault> },
    /// Data that only scoring reads is invalid.
    #[error("{}: {fault}", path.display())]
    InvalidField { path: PathBuf, fault: InvalidField },
    /// It cannot be read at all.
    #[error("{}: case #{index} cannot be read; see `rehearsal evalset lint`", path.display())]
    Unread { path: PathBuf, index: u64 },
    /// Another case of the expected file has its id.
    #[error("{} has several cases with this id; give each its own", path.display())]
    ExpectedRepeated { path: PathBuf },
    /// Another case of the actual file has its id.
    #[error("{} has several cases with this id; the first was scored", path.display())]
    ActualRepeated { path: PathBuf },
    /// Several files have a case with its key.
    #[error(
        "this id is in {}; select one of them, or give the sets the eval_set_id of the expected \
         one",
        listed(paths)
    )]
    SeveralPartners { paths: Vec<PathBuf> },
    /// The file has changed since the cases were paired.
    #[error("the id of its partner changed; do not modify files while they are scored")]
    Changed,
}

fn listed(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join(" and in ")
}

/// Why a run fails. Each message names the file and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file cannot be scanned.
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
    /// A history file cannot be read.
    #[error("{}: {fault}", path.display())]
    Faulty {
        /// The file.
        path: PathBuf,
        /// The first error.
        fault: Box<CaseFault>,
    },
    /// A file of ADK's history on the expected side.
    #[error(
        "{} is a history of actual runs, not an eval set; give it with --actual, and the eval set \
         with --expected",
        path.display()
    )]
    History {
        /// The file.
        path: PathBuf,
    },
    /// The report cannot be written.
    #[error("the report cannot be written: {0}")]
    Output(#[from] io::Error),
    /// A thread panicked, which is a bug.
    #[error("scoring ended unexpectedly; please report this with the files: {0}")]
    Panicked(String),
}
