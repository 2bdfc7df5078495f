//! Errors of suite files.

use std::fmt;
use std::path::PathBuf;

/// Why a suite cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not a valid suite.
    #[error("{}", invalid(.path, .faults))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, in the order of the file.
        faults: Vec<SuiteFault>,
    },
}

/// One thing that is wrong with a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteFault {
    /// The member, such as `cases[0].tools.read`; empty where the message has the line.
    pub place: String,
    /// What is wrong, and the remedy.
    pub message: String,
}

impl fmt::Display for SuiteFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(formatter, "{}: ", self.place)?;
        }
        formatter.write_str(&self.message)
    }
}

fn invalid(path: &std::path::Path, faults: &[SuiteFault]) -> String {
    let lines: Vec<String> =
        faults.iter().map(|fault| format!("{}: {fault}", path.display())).collect();
    lines.join("\n")
}
