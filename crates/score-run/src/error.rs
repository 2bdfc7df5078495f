//! Why a run came to no end, and why a case cannot be scored.

use std::io;
use std::path::PathBuf;

use case_trace::Misread;
use evalset::Fault;
use evalset_file::AppendError;

/// Why a case cannot be scored, though its file can be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CaseFault {
    /// Its format's own reader would refuse it.
    #[error("{}: {fault}", path.display())]
    Faulty { path: PathBuf, fault: Box<Fault> },
    /// What is read of it for scoring alone cannot be meant.
    #[error("{}: {fault}", path.display())]
    Misread { path: PathBuf, fault: Misread },
    /// Nothing of it can be read.
    #[error("{}: case #{index} cannot be read; see `rehearsal evalset lint`", path.display())]
    Unread { path: PathBuf, index: u64 },
    /// Its id is another's in the expected file.
    #[error("{} has several cases with this id; give each its own", path.display())]
    ExpectedAgain { path: PathBuf },
    /// Its id is another's in the actual file.
    #[error("{} has several cases with this id; the first was scored", path.display())]
    ActualAgain { path: PathBuf },
    /// Several files have a partner for it.
    #[error(
        "this id stands in {}; name one of them, or give the sets the eval_set_id of the expected \
         one",
        listed(paths)
    )]
    SeveralPartners { paths: Vec<PathBuf> },
    /// Several runs of its set have a partner for it.
    #[error(
        "this id stands in {}, which are runs of one set; score one of them{}",
        listed(paths),
        newest.as_ref().map_or(String::new(), |it| format!(
            ", such as the newest: --actual {}",
            it.display()
        ))
    )]
    SeveralRuns { paths: Vec<PathBuf>, newest: Option<PathBuf> },
    /// The file has changed since the cases were paired.
    #[error("its partner has another id by now; do not change files while they are scored")]
    Changed,
}

fn listed(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join(" and in ")
}

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
