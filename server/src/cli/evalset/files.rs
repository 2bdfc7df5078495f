//! From what was typed to files, and from files to sets.

use std::path::{Path, PathBuf};

use evalset::{EvalSet, Reading, Severity};

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

/// Reads a file in which nothing is an error.
pub(super) fn sound_set(path: &Path) -> Result<EvalSet, EvalsetError> {
    let Reading { set, unread, mut faults, .. } = reading(path)?;
    faults.retain(|fault| fault.severity() == Severity::Error);
    match set {
        Some(set) if faults.is_empty() && unread.is_empty() => Ok(set),
        _ => Err(EvalsetError::Faulty { path: path.to_owned(), faults }),
    }
}

/// What a file is called without what says that it is an eval set: the name that ADK gives to the
/// case of an older list.
pub(super) fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let ends = [".evalset.json", ".test.json", ".json"];
    ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name).to_owned()
}
