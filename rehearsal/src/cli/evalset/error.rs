//! Why a command could not do its work.

use std::io;
use std::path::{Path, PathBuf};

use evalset::Fault;
use evalset_file::AppendError;

/// Each message says what to do. [`EvalsetError::is_usage`] tells which ones are about the command
/// and not about what the files hold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalsetError {
    /// A path or pattern names no file.
    #[error("no file matches {asked}; {}", meant(asked, nearest.as_deref()))]
    NoFile {
        /// The path or pattern.
        asked: String,
        /// One that is there and is called nearly the same.
        nearest: Option<PathBuf>,
    },
    /// A folder in which no eval set lies.
    #[error("{} contains no *.evalset.json or *.test.json files; name the files", folder.display())]
    NoEvalSet {
        /// The folder.
        folder: PathBuf,
    },
    /// A pattern that cannot be understood.
    #[error(
        "the pattern {pattern} is not valid: {reason}; * and ? match characters, ** matches folders"
    )]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file cannot be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// A pipe cannot be copied into a file.
    #[error("the input of {} cannot be copied to a temporary file: {cause}", path.display())]
    Uncopied {
        /// The pipe.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// A pipe brings more than is copied.
    #[error("{}: the input is longer than {most} bytes; write it to a file first", path.display())]
    LongPipe {
        /// The pipe.
        path: PathBuf,
        /// How many bytes are taken.
        most: u64,
    },
    /// The file has errors, so that it cannot be worked with.
    #[error("{}: {}", path.display(), fault_lines(faults, *more))]
    Faulty {
        /// The file.
        path: PathBuf,
        /// What is wrong, as far as it is told.
        faults: Vec<Fault>,
        /// How many other faults there are.
        more: usize,
    },
    /// The file that is appended to is among those whose cases are to be appended.
    #[error("{} is the file to append to; remove it from the source files", path.display())]
    IntoItself {
        /// The file, as it was named or found.
        path: PathBuf,
    },
    /// The file is not what it was a moment ago.
    #[error("{} changed while it was read; run the command again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A case that is not there.
    #[error("{} has no case {wanted}{}", path.display(), near(nearest.as_deref()))]
    NoSuchCase {
        /// The file.
        path: PathBuf,
        /// As it was asked for.
        wanted: String,
        /// One with nearly that id.
        nearest: Option<String>,
    },
    /// Two cases with one id.
    #[error("the eval_id {eval_id:?} is in {} and in {}; rename one, or add --rename", first.display(), second.display())]
    IdTwice {
        /// The id.
        eval_id: String,
        /// Where it stood first.
        first: PathBuf,
        /// Where it stands again.
        second: PathBuf,
    },
    /// Several files for one output.
    #[error("{count} files cannot be written to one output; use a folder with --output-folder")]
    ManyFiles {
        /// How many.
        count: usize,
    },
    /// Two inputs that would be written to one file.
    #[error("two files have the same output {}; convert them one by one", path.display())]
    SameOutput {
        /// The file.
        path: PathBuf,
    },
    /// Something is there already.
    #[error("{} already exists; use another output, or add --force", path.display())]
    InTheWay {
        /// The file.
        path: PathBuf,
    },
    /// The output cannot be written.
    #[error("{} cannot be written: {cause}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// The file could not be looked through or changed.
    #[error(transparent)]
    File(#[from] AppendError),
    /// Standard output cannot be written.
    #[error("standard output cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl EvalsetError {
    /// So many faults of a file are told at most; `rehearsal evalset lint` tells all.
    pub(super) const FAULTS_TOLD: usize = 20;

    /// Whether the command itself cannot be followed: the exit code is 2 then, and 1 otherwise.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NoFile { .. }
            | Self::NoEvalSet { .. }
            | Self::BadPattern { .. }
            | Self::Unreadable { .. }
            | Self::Uncopied { .. }
            | Self::LongPipe { .. }
            | Self::NoSuchCase { .. }
            | Self::ManyFiles { .. }
            | Self::SameOutput { .. }
            | Self::IntoItself { .. }
            | Self::InTheWay { .. }
            | Self::File(AppendError::NoFile { .. } | AppendError::Directory { .. }) => true,
            Self::Faulty { .. }
            | Self::Changed { .. }
            | Self::IdTwice { .. }
            | Self::Unwritable { .. }
            | Self::File(_)
            | Self::Output(_) => false,
        }
    }
}

fn fault_lines(faults: &[Fault], more: usize) -> String {
    let mut lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    if more > 0 {
        lines.push(format!("and {more} more, see `rehearsal evalset lint`"));
    }
    match lines.as_slice() {
        [one] => one.clone(),
        _ => format!("{} faults\n  {}", faults.len() + more, lines.join("\n  ")),
    }
}

fn meant(asked: &str, nearest: Option<&Path>) -> String {
    match nearest {
        Some(nearest) => format!("did you mean {}?", nearest.display()),
        None if asked.contains(['*', '?', '[']) => {
            "check the path, and put quotes around a pattern".to_owned()
        }
        None => "check the path".to_owned(),
    }
}

fn near(nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("; did you mean {nearest:?}?"),
        None => "; see `rehearsal evalset list`".to_owned(),
    }
}
