//! Errors of the `evalset` commands.

use std::io;
use std::path::{Path, PathBuf};

use evalset::CaseFault;
use evalset_file::AppendError;

/// [`EvalsetError::is_usage`] separates errors in the command line from errors in files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalsetError {
    /// A path or pattern matches no file.
    #[error("no file matches {asked}; {}", meant(asked, nearest.as_deref()))]
    NoFile {
        /// The path or pattern.
        asked: String,
        /// An existing file with a similar name.
        nearest: Option<PathBuf>,
    },
    /// A folder without eval sets.
    #[error("{} contains no *.evalset.json or *.test.json files; name the files", folder.display())]
    NoEvalSet {
        /// The folder.
        folder: PathBuf,
    },
    /// An invalid pattern.
    #[error(
        "the pattern {pattern} is not valid: {reason}; * and ? match characters, ** matches folders"
    )]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// The pattern's error.
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
    /// The pipe has too much data.
    #[error("{}: the input is longer than {most} bytes; write it to a file first", path.display())]
    LongPipe {
        /// The pipe.
        path: PathBuf,
        /// The limit in bytes.
        most: u64,
    },
    /// The file has errors.
    #[error("{}: {}", path.display(), fault_lines(faults, *more))]
    Faulty {
        /// The file.
        path: PathBuf,
        /// The first errors.
        faults: Vec<CaseFault>,
        /// How many further errors there are.
        more: usize,
    },
    /// The output of `append` is also one of its inputs.
    #[error("{} is the file to append to; remove it from the source files", path.display())]
    IntoItself {
        /// The file as it was named or found.
        path: PathBuf,
    },
    /// The file changed while the command ran.
    #[error("{} changed while it was read; run the command again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file that is to be compared has errors.
    #[error("{}: {}; fix it to compare it", path.display(), fault_lines(faults, *more))]
    NotCompared {
        /// The file.
        path: PathBuf,
        /// The first errors.
        faults: Vec<CaseFault>,
        /// How many further errors there are.
        more: usize,
    },
    /// The file is in another format than the given one.
    #[error(
        "{} is not in {}: {evidence}, so it is in {}; leave out --format-is to read it in its own format",
        path.display(), given.title(), shown.title()
    )]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// The given format.
        given: evalset::Format,
        /// The format of the file.
        shown: evalset::Format,
        /// What in the file shows it.
        evidence: String,
    },
    /// The case does not exist.
    #[error("{} has no case {wanted}{}", path.display(), near(nearest.as_deref()))]
    NoSuchCase {
        /// The file.
        path: PathBuf,
        /// The id or index as it was entered.
        wanted: String,
        /// A similar id.
        nearest: Option<String>,
    },
    /// Two cases have the same id.
    #[error("the eval_id {eval_id:?} is in {} and in {}; rename one, or add --rename", first.display(), second.display())]
    IdTwice {
        /// The id.
        eval_id: String,
        /// The location of the first case.
        first: PathBuf,
        /// The location of the second case.
        second: PathBuf,
    },
    /// Several inputs for one output file.
    #[error("{count} files cannot be written to one output; use a folder with --output-folder")]
    ManyFiles {
        /// How many.
        count: usize,
    },
    /// Two inputs have the same output file.
    #[error("two files have the same output {}; convert them one by one", path.display())]
    SameOutput {
        /// The file.
        path: PathBuf,
    },
    /// The output exists already.
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
    /// The file cannot be searched or changed.
    #[error(transparent)]
    File(#[from] AppendError),
    /// Standard output cannot be written.
    #[error("standard output cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl EvalsetError {
    /// The most errors that are printed for a file; `rehearsal evalset lint` prints all.
    pub(super) const FAULTS_TOLD: usize = 20;

    /// Whether the command line is wrong: the exit code is then 2, otherwise 1.
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
            | Self::OtherFormat { .. }
            | Self::NotCompared { .. }
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

fn fault_lines(faults: &[CaseFault], more: usize) -> String {
    let mut lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    if more > 0 {
        lines.push(format!("and {more} more, see `rehearsal evalset lint`"));
    }
    match lines.as_slice() {
        [one] => one.clone(),
        _ => format!("{} errors\n  {}", faults.len() + more, lines.join("\n  ")),
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
