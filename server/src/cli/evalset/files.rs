//! From what was typed to files, and from files to sets.

use std::path::{Path, PathBuf};

use evalset::{EvalSet, Fault, Reading, Severity};
use evalset_file::{Checked, CheckedCases};

use super::error::EvalsetError;

/// The files that are meant, in order, each once: paths as they are, the eval sets of folders, what
/// matches patterns.
pub(in crate::cli) fn files(asked: &[String]) -> Result<Vec<PathBuf>, EvalsetError> {
    let mut files = Vec::new();
    for asked in asked {
        let path = Path::new(asked);
        let found = if path.is_dir() {
            eval_sets_in(path)?
        } else if path.exists() {
            vec![path.to_owned()]
        } else {
            matching(asked)?
        };
        for file in found {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

fn eval_sets_in(folder: &Path) -> Result<Vec<PathBuf>, EvalsetError> {
    let escaped = glob::Pattern::escape(&folder.to_string_lossy());
    let mut found = Vec::new();
    for name in ["*.evalset.json", "*.test.json"] {
        found.extend(entries(&format!("{escaped}/**/{name}"))?);
    }
    found.sort();
    if found.is_empty() {
        return Err(EvalsetError::NoEvalSet { folder: folder.to_owned() });
    }
    Ok(found)
}

fn matching(asked: &str) -> Result<Vec<PathBuf>, EvalsetError> {
    let found = entries(asked)?;
    if found.is_empty() {
        let nearest = nearest_path(Path::new(asked));
        return Err(EvalsetError::NoFile { asked: asked.to_owned(), nearest });
    }
    Ok(found)
}

fn entries(pattern: &str) -> Result<Vec<PathBuf>, EvalsetError> {
    let options = glob::MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: true,
        ..glob::MatchOptions::new()
    };
    let paths = glob::glob_with(pattern, options).map_err(|error| EvalsetError::BadPattern {
        pattern: pattern.to_owned(),
        reason: error.msg.to_owned(),
    })?;
    let mut found = Vec::new();
    for path in paths {
        let path = path.map_err(|error| EvalsetError::Unreadable {
            path: error.path().to_owned(),
            cause: error.into(),
        })?;
        if path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}

/// What lies where `path` would and is called nearly the same.
pub(in crate::cli) fn nearest_path(path: &Path) -> Option<PathBuf> {
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let near = names.map(|name| (strsim::damerau_levenshtein(wanted, &name), name));
    let near = near.filter(|(distance, name)| *distance <= name.len().div_ceil(4));
    let (_, name) = near.min()?;
    Some(folder.map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name)))
}

/// Reads a file with all that is wrong with it.
pub(super) fn reading(path: &Path) -> Result<Reading, EvalsetError> {
    let bytes = std::fs::read(path)
        .map_err(|cause| EvalsetError::Unreadable { path: path.to_owned(), cause })?;
    Ok(evalset::read(&bytes))
}

/// The files of ADK's history in a folder and below.
pub(in crate::cli) fn history_in(folder: &Path) -> Result<Vec<PathBuf>, EvalsetError> {
    let escaped = glob::Pattern::escape(&folder.to_string_lossy());
    let mut found = entries(&format!("{escaped}/**/*.evalset_result.json"))?;
    found.sort();
    Ok(found)
}

/// Whether what lies there is read once and from its start, as a pipe is.
pub(super) fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Opens a file to be read case by case, or reads it where that cannot be.
pub(super) fn checked(path: &Path) -> Result<Checked, EvalsetError> {
    let unreadable = |cause| EvalsetError::Unreadable { path: path.to_owned(), cause };
    if is_pipe(path) {
        return reading(path).map(|reading| Checked::Whole(Box::new(reading)));
    }
    std::fs::File::open(path).map_err(unreadable)?;
    Ok(CheckedCases::open(path)?)
}

/// Reads a file in which nothing is an error.
pub(super) fn sound_set(path: &Path) -> Result<EvalSet, EvalsetError> {
    sound(path, reading(path)?)
}

/// What was read, in which nothing is an error.
pub(super) fn sound(path: &Path, reading: Reading) -> Result<EvalSet, EvalsetError> {
    let Reading { set, unread, faults, .. } = reading;
    let mut errors = Errors::default();
    errors.take(faults);
    match set {
        Some(set) if errors.is_none() && unread.is_empty() => Ok(set),
        _ => Err(errors.of(path)),
    }
}

/// The errors of a file: the first of them, and how many there are.
#[derive(Debug, Default)]
pub(super) struct Errors {
    first: Vec<Fault>,
    more: usize,
}

impl Errors {
    /// Takes what is an error.
    pub(super) fn take(&mut self, faults: impl IntoIterator<Item = Fault>) {
        for fault in faults.into_iter().filter(|fault| fault.severity() == Severity::Error) {
            if self.first.len() < EvalsetError::FAULTS_TOLD {
                self.first.push(fault);
            } else {
                self.more += 1;
            }
        }
    }

    pub(super) fn is_none(&self) -> bool {
        self.first.is_empty()
    }

    pub(super) fn of(self, path: &Path) -> EvalsetError {
        let Self { first: faults, more } = self;
        EvalsetError::Faulty { path: path.to_owned(), faults, more }
    }
}
