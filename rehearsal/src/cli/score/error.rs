//! Why nothing was scored.

use std::io;
use std::path::PathBuf;

use score_run::RunError;
use scoring::ConfigFault;

use super::super::evalset::EvalsetError;

/// Each message says what to do. The exit code is 2 for all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// An error of the input files.
    #[error(transparent)]
    Files(#[from] EvalsetError),
    /// The judge cannot be asked.
    #[error("--judge: {0}")]
    Judge(String),
    /// The config does not exist.
    #[error("no config {}{}", path.display(), near(nearest.as_ref()))]
    NoConfig {
        /// The file.
        path: PathBuf,
        /// An existing file with a similar name.
        nearest: Option<PathBuf>,
    },
    /// The config cannot be read.
    #[error("the config {} cannot be read: {cause}", path.display())]
    UnreadableConfig {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// The config is invalid.
    #[error("the config {} is not valid:{}", path.display(), fault_lines(faults))]
    Config {
        /// The file.
        path: PathBuf,
        /// Its errors.
        faults: Vec<ConfigFault>,
    },
    /// The baseline cannot be read.
    #[error("the baseline {} cannot be read: {cause}", path.display())]
    Baseline {
        /// The file.
        path: PathBuf,
        /// The reason, with what to do.
        cause: String,
    },
    /// Several folders have a config.
    #[error(
        "{} and {} both contain a test_config.json; choose one with --config",
        first.display(),
        second.display()
    )]
    SeveralConfigs {
        /// A folder.
        first: PathBuf,
        /// Another.
        second: PathBuf,
    },
    /// The report would overwrite an input file.
    #[error("{} is one of the files that are read; use another --output", path.display())]
    OutputIsInput {
        /// The file.
        path: PathBuf,
    },
    /// The report cannot be written.
    #[error("{} cannot be written: {cause}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// No case is selected.
    #[error("no case has {asked}; {remedy}")]
    NoCase {
        /// The name given.
        asked: String,
        /// What to do.
        remedy: String,
    },
    /// The files have no cases.
    #[error("no cases in {files}; record one, or use other files")]
    Empty {
        /// The files.
        files: String,
    },
    /// The files could not be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Standard output cannot be written.
    #[error("standard output cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl ScoreError {
    /// Whether a reader such as `head` has closed the pipe.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        let (Self::Output(cause) | Self::Run(RunError::Output(cause))) = self else { return false };
        cause.kind() == io::ErrorKind::BrokenPipe
    }
}

fn near(nearest: Option<&PathBuf>) -> String {
    match nearest {
        Some(nearest) => format!("; did you mean {}?", nearest.display()),
        None => "; check the path".to_owned(),
    }
}

fn fault_lines(faults: &[ConfigFault]) -> String {
    faults.iter().map(|fault| format!("\n  {fault}")).collect()
}
