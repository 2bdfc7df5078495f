//! Why a file could not be read, appended to or edited, and what to do about it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The file is as it was before: every variant says so by being returned.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The case itself is one that ADK could not read.
    #[error("the case was not written: {0}")]
    Case(#[from] evalset::CaseError),
    /// The real file, symbolic links followed, lies where nothing may be written.
    #[error(
        "{path:?} is outside the folders that may be written ({}); \
         choose a file inside one of them",
        listed(roots)
    )]
    OutsideRoots {
        /// The real path.
        path: PathBuf,
        /// The folders that may be written.
        roots: Vec<PathBuf>,
    },
    /// The path names a folder.
    #[error("{path:?} is a folder; name a file in it, such as {:?}", path.join("evals.evalset.json"))]
    Directory {
        /// The path.
        path: PathBuf,
    },
    /// The path names a pipe, a device or a socket.
    #[error("{path:?} is a {kind}, not a file; choose another file")]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// No permission to write the file, or a read-only file system.
    #[error("{path:?} is read-only; make it writable (chmod u+w) or choose another file")]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The undo journal stands beside the file and cannot be made.
    #[error(
        "{folder:?} cannot be written, and a journal must stand beside the eval set while it \
         is written; make the folder writable or choose another file"
    )]
    FolderReadOnly {
        /// The folder.
        folder: PathBuf,
    },
    /// ADK's older form: a list.
    #[error(
        "{path:?} is a list, ADK's older form of eval files, which this host does not extend; \
         convert it with `rehearsal evalset convert --to adk`, or choose another file"
    )]
    LegacyList {
        /// The file.
        path: PathBuf,
    },
    /// The file is not JSON in UTF-8.
    #[error(
        "{path:?} is not valid JSON at line {line}, column {column}: {reason}; repair it there"
    )]
    InvalidJson {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// From 1, in characters.
        column: u64,
        /// What is wrong.
        reason: &'static str,
    },
    /// The file is JSON that ADK's `EvalSet` does not read.
    #[error("{path:?} is no eval set, see line {line}, column {column}: {reason}")]
    NotAnEvalSet {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// From 1, in characters.
        column: u64,
        /// What is wrong.
        reason: &'static str,
    },
    /// Readers disagree on which of two lists counts.
    #[error(
        "{path:?} has two \"eval_cases\", at lines {first_line} and {second_line}, and readers see \
         only one of them; merge them"
    )]
    CasesTwice {
        /// The file.
        path: PathBuf,
        /// From 1.
        first_line: u64,
        /// From 1.
        second_line: u64,
    },
    /// A byte order mark, which ADK's reader refuses.
    #[error("{path:?} begins with a byte order mark, which ADK refuses; save it as plain UTF-8")]
    ByteOrderMark {
        /// The file.
        path: PathBuf,
    },
    /// A set says more of itself than is read of one.
    #[error(
        "{path:?} holds more than {} MiB around its cases; make that shorter, or keep it in another \
         file",
        limit >> 20
    )]
    FrameTooLong {
        /// The file.
        path: PathBuf,
        /// How many bytes there may be before and behind the cases together.
        limit: u64,
    },
    /// What follows the cases has to be moved, and is too long for that.
    #[error(
        "{path:?} has {bytes} bytes after its last case, more than the {limit} that are moved; \
         put \"eval_cases\" last in the file"
    )]
    TailTooLong {
        /// The file.
        path: PathBuf,
        /// How long the tail is.
        bytes: u64,
        /// How long it may be.
        limit: u64,
    },
    /// Another process holds the file's lock.
    #[error(
        "{path:?} has been locked by another process for {waited:?}; try again when it is done"
    )]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long was waited.
        waited: Duration,
    },
    /// Somebody who does not lock wrote the file at this very moment.
    #[error("{path:?} was changed by another program just now; try again")]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// No room.
    #[error("no space is left for {needed} more bytes at {path:?}; free some and try again")]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// How much the case needs.
        needed: u64,
    },
    /// A write was cut short, or is under way.
    #[error(
        "a write to {path:?} has not come to its end; if no other process is at work on it, any \
         edit or export settles that"
    )]
    HalfWritten {
        /// The file.
        path: PathBuf,
    },
    /// No case goes by that name or number.
    #[error("{path:?} has no case {wanted}; it has {cases}, see `rehearsal evalset list`")]
    NoSuchCase {
        /// The file.
        path: PathBuf,
        /// The id or the index.
        wanted: String,
        /// How many there are.
        cases: u64,
    },
    /// The case is not what it was when it was read.
    #[error("the case at index {index} of {path:?} changed in the meantime; reload it")]
    CaseChanged {
        /// The file.
        path: PathBuf,
        /// Where the case stood.
        index: u64,
    },
    /// Two cases go by one name.
    #[error("{path:?} has several cases {eval_id:?}; name the one that is meant by its index")]
    SeveralCases {
        /// The file.
        path: PathBuf,
        /// Their id.
        eval_id: String,
    },
    /// Ids are unique in a file.
    #[error("{path:?} has a case {eval_id:?} already; give this one another eval_id")]
    DuplicateId {
        /// The file.
        path: PathBuf,
        /// The id.
        eval_id: String,
    },
    /// There is no such file to edit.
    #[error("there is no file {path:?}; check the path")]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// A write was cut short, and then somebody changed the file, so that undoing is no longer safe.
    #[error(
        "an earlier write to {path:?} was cut short and the file was changed since: it is not valid \
         JSON at line {line}, column {column}; repair it there and delete {journal:?}"
    )]
    Interrupted {
        /// The file.
        path: PathBuf,
        /// What the earlier write would have put there.
        journal: PathBuf,
        /// From 1.
        line: u64,
        /// From 1, in characters.
        column: u64,
    },
    /// The operating system refused.
    #[error("{doing} {path:?} failed: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done, such as "reading".
        doing: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}

fn listed(roots: &[PathBuf]) -> String {
    roots.iter().map(|root| format!("{root:?}")).collect::<Vec<_>>().join(", ")
}

/// Turns the system's refusals into [`AppendError`]s.
pub(crate) trait Doing<T> {
    fn doing(self, doing: &'static str, path: &std::path::Path) -> Result<T, AppendError>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, doing: &'static str, path: &std::path::Path) -> Result<T, AppendError> {
        self.map_err(|source| AppendError::Io { path: path.to_owned(), doing, source })
    }
}

/// Whether the system says that there is no room.
pub(crate) fn is_no_room(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Whether the system says that writing is not allowed.
pub(crate) fn is_denied(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}
