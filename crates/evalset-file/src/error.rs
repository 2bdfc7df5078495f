//! Why a file could not be read, appended to or edited, and what to do about it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// With every variant, the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// ADK could not read the case.
    #[error("the case was not written: {0}")]
    Case(#[from] evalset::CaseError),
    /// The file, symbolic links resolved, is outside the writable folders.
    #[error(
        "{path:?} is outside the writable folders ({}); choose a file in one of them",
        listed(roots)
    )]
    OutsideRoots {
        /// The real path.
        path: PathBuf,
        /// The writable folders.
        roots: Vec<PathBuf>,
    },
    /// The path is a folder.
    #[error("{path:?} is a folder; name a file in it, such as {:?}", path.join("evals.evalset.json"))]
    Directory {
        /// The path.
        path: PathBuf,
    },
    /// The path is a pipe, a device or a socket.
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
    /// The undo journal beside the file cannot be created.
    #[error(
        "{folder:?} is not writable, and a journal must be created beside the eval set; make the folder writable or choose another file"
    )]
    FolderReadOnly {
        /// The folder.
        folder: PathBuf,
    },
    /// A list, ADK's older format.
    #[error(
        "{path:?} is a list, ADK's older format, which cannot be extended; \
         convert it with `rehearsal evalset convert --to adk`, or choose another file"
    )]
    LegacyList {
        /// The file.
        path: PathBuf,
    },
    /// The file is not JSON in UTF-8.
    #[error("{path:?} is not valid JSON at line {line}, column {column}: {reason}; fix it there")]
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
    #[error("{path:?} is not an eval set: line {line}, column {column}: {reason}")]
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
    /// Two lists of cases; readers disagree on which one to use.
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
    /// A byte order mark, which ADK's reader rejects.
    #[error(
        "{path:?} begins with a byte order mark, which ADK rejects; save it as UTF-8 without one"
    )]
    ByteOrderMark {
        /// The file.
        path: PathBuf,
    },
    /// Too much text around the cases.
    #[error(
        "{path:?} has more than {} MiB outside its cases; shorten that part, or move it to another \
         file",
        limit >> 20
    )]
    FrameTooLong {
        /// The file.
        path: PathBuf,
        /// The limit for the bytes before and after the cases together.
        limit: u64,
    },
    /// The text after the cases is too long to be moved.
    #[error(
        "{path:?} has {bytes} bytes after its last case, more than the {limit} that are moved; \
         put \"eval_cases\" last in the file"
    )]
    TailTooLong {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Another process holds the file's lock.
    #[error(
        "{path:?} has been locked by another process for {waited:?}; retry when it has finished"
    )]
    Busy {
        /// The file.
        path: PathBuf,
        /// The time waited.
        waited: Duration,
    },
    /// A program that does not lock the file wrote it at the same time.
    #[error("{path:?} was changed by another program just now; try again")]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("no space is left for {needed} more bytes at {path:?}; free some and try again")]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// The bytes needed.
        needed: u64,
    },
    /// A write was interrupted, or is in progress.
    #[error(
        "a write to {path:?} is unfinished; if no other process is writing it, any \
         edit or export recovers the file"
    )]
    HalfWritten {
        /// The file.
        path: PathBuf,
    },
    /// No case has that id or index.
    #[error("{path:?} has no case {wanted}; it has {cases}, see `rehearsal evalset list`")]
    NoSuchCase {
        /// The file.
        path: PathBuf,
        /// The id or the index.
        wanted: String,
        /// The number of cases.
        cases: u64,
    },
    /// The case has changed since it was read.
    #[error("the case at index {index} of {path:?} changed in the meantime; reload it")]
    CaseChanged {
        /// The file.
        path: PathBuf,
        /// Its index.
        index: u64,
    },
    /// Several cases have the id.
    #[error("{path:?} has several cases {eval_id:?}; select one by its index")]
    SeveralCases {
        /// The file.
        path: PathBuf,
        /// Their id.
        eval_id: String,
    },
    /// The id is already used in the file.
    #[error("{path:?} already has a case {eval_id:?}; use another eval_id")]
    DuplicateId {
        /// The file.
        path: PathBuf,
        /// The id.
        eval_id: String,
    },
    /// The file to edit does not exist.
    #[error("there is no file {path:?}; check the path")]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// A write was interrupted and the file was changed afterwards, so that undoing is not safe.
    #[error(
        "an earlier write to {path:?} was interrupted and the file has changed since: it is not valid \
         JSON at line {line}, column {column}; fix it there and delete {journal:?}"
    )]
    Interrupted {
        /// The file.
        path: PathBuf,
        /// The journal of the earlier write.
        journal: PathBuf,
        /// From 1.
        line: u64,
        /// From 1, in characters.
        column: u64,
    },
    /// An error of the operating system.
    #[error("{operation} {path:?} failed: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was attempted, such as "reading".
        operation: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}

fn listed(roots: &[PathBuf]) -> String {
    roots.iter().map(|root| format!("{root:?}")).collect::<Vec<_>>().join(", ")
}

/// Converts I/O errors to [`AppendError`].
pub(crate) trait IoContext<T> {
    fn during(self, operation: &'static str, path: &std::path::Path) -> Result<T, AppendError>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn during(self, operation: &'static str, path: &std::path::Path) -> Result<T, AppendError> {
        self.map_err(|source| AppendError::Io { path: path.to_owned(), operation, source })
    }
}

/// Whether the disk is full.
pub(crate) fn is_disk_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Whether writing is not permitted.
pub(crate) fn is_denied(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}
