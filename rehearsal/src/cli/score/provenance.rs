//! What a report is compared with, and where its cases came from.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use score_report::Baseline;
use scoring::report::Sources;

use super::error::ScoreError;
use super::inputs::{Inputs, called};

/// Reads an earlier report.
pub(in crate::cli) fn baseline(path: &Path) -> Result<Baseline, ScoreError> {
    let unreadable = |cause: String| ScoreError::Baseline { path: path.to_owned(), cause };
    let text = std::fs::read_to_string(path).map_err(|cause| unreadable(cause.to_string()))?;
    let report = report_view::read(&text).map_err(|cause| unreadable(cause.to_string()))?;
    Ok(Baseline::new(called(&[path.to_owned()]), report.cases))
}

/// The files of both sides, the config's file, and the commit of the expected files.
pub(super) fn sources(inputs: &Inputs, config: Option<&Path>) -> Sources {
    let shown = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    Sources {
        expected: shown(&inputs.expected),
        actual: shown(&inputs.actual),
        config: config.map(|path| path.display().to_string()),
        commit: inputs.expected.first().and_then(|path| commit(path)),
    }
}

/// The commit that is checked out where the file is; `None` without Git or a repository.
pub(in crate::cli) fn commit(file: &Path) -> Option<String> {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let mut git = Command::new("git");
    git.arg("-C").arg(folder.unwrap_or(Path::new("."))).args(["rev-parse", "HEAD"]);
    let output = git.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let commit = text.trim();
    (output.status.success() && !commit.is_empty()).then(|| commit.to_owned())
}
