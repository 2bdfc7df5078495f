//! Resolves arguments to files, and opens them as eval sets.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use evalset::{CaseFault, DetectedFormat, EvalSet, Format, Reading, Severity};
use evalset_file::{Cases, Checked, CheckedCases};
use tempfile::TempDir;

use super::error::EvalsetError;

/// The most bytes that are read from a pipe.
const MOST_OF_PIPE: u64 = 4 << 30;

/// The selected files, in order and each once: paths as given, the eval sets of folders, matches of
/// patterns.
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
    let mut found = files_below(folder)?;
    let is_set = |name: &str| name.ends_with(".evalset.json") || name.ends_with(".test.json");
    found.retain(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_set));
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

/// The files in a folder and below, sorted, without hidden ones. A folder that several links lead to
/// is searched once, under its own path if that is below as well.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, EvalsetError> {
    let unreadable = |path: &Path, cause| EvalsetError::Unreadable { path: path.to_owned(), cause };
    // Paths do not begin with `./`.
    let folder = folder.strip_prefix(".").unwrap_or(folder);
    let (mut found, mut searched) = (Vec::new(), HashSet::new());
    let (mut folders, mut links) = (vec![folder.to_owned()], Vec::new());
    // Links wait until all folders are searched.
    while let Some(folder) = folders.pop().or_else(|| links.pop()) {
        let listed = if folder == Path::new("") { Path::new(".") } else { &folder };
        let real = listed.canonicalize().map_err(|cause| unreadable(listed, cause))?;
        if !searched.insert(real) {
            continue;
        }
        let entries = std::fs::read_dir(listed).map_err(|cause| unreadable(listed, cause))?;
        for entry in entries {
            let entry = entry.map_err(|cause| unreadable(listed, cause))?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let path = folder.join(entry.file_name());
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            match std::fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() && is_link => links.push(path),
                Ok(metadata) if metadata.is_dir() => folders.push(path),
                Ok(metadata) if metadata.is_file() => found.push(path),
                // A broken link, or no file.
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The matches of a pattern with `**`, which is matched with every file below its fixed part.
fn matches_below(
    pattern: &glob::Pattern,
    options: glob::MatchOptions,
) -> Result<Vec<PathBuf>, EvalsetError> {
    let has_meta =
        |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    let path = Path::new(pattern.as_str());
    let begin: PathBuf = path.components().take_while(|part| !has_meta(part)).collect();
    if !begin.as_os_str().is_empty() && !begin.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = files_below(&begin)?;
    found.retain(|path| pattern.matches_path_with(path, options));
    Ok(found)
}

fn entries(pattern: &str) -> Result<Vec<PathBuf>, EvalsetError> {
    let options = glob::MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: true,
        ..glob::MatchOptions::new()
    };
    let bad = |error: glob::PatternError| EvalsetError::BadPattern {
        pattern: pattern.to_owned(),
        reason: error.msg.to_owned(),
    };
    if pattern.contains("**") {
        let plain = pattern.strip_prefix("./").unwrap_or(pattern);
        return matches_below(&glob::Pattern::new(plain).map_err(bad)?, options);
    }
    let paths = glob::glob_with(pattern, options).map_err(bad)?;
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

/// A file in the same folder with a similar name.
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

/// The files of ADK's history in a folder and below.
pub(in crate::cli) fn history_in(folder: &Path) -> Result<Vec<PathBuf>, EvalsetError> {
    let mut found = files_below(folder)?;
    found.retain(|path| path.to_string_lossy().ends_with(".evalset_result.json"));
    Ok(found)
}

/// A file that can be read more than once. A pipe is copied to a temporary file, which is deleted
/// on drop.
#[derive(Debug)]
pub(in crate::cli) struct Source {
    path: PathBuf,
    #[expect(dead_code, reason = "it is removed with this")]
    copied: Option<TempDir>,
}

impl Source {
    /// Opens `path`.
    pub(in crate::cli) fn of(path: &Path) -> Result<Self, EvalsetError> {
        Self::with_most(path, MOST_OF_PIPE)
    }

    fn with_most(path: &Path, most: u64) -> Result<Self, EvalsetError> {
        let metadata = std::fs::metadata(path);
        if metadata.map_or(true, |metadata| metadata.is_file() || metadata.is_dir()) {
            return Ok(Self { path: path.to_owned(), copied: None });
        }
        let uncopied = |cause| EvalsetError::Uncopied { path: path.to_owned(), cause };
        let folder = tempfile::Builder::new().prefix("rehearsal-pipe-").tempdir();
        let folder = folder.map_err(uncopied)?;
        // Error messages name the copy, which has the pipe's file name.
        let names = path.components().filter(|part| matches!(part, Component::Normal(_)));
        let copy = folder.path().join(names.collect::<PathBuf>());
        copy.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(uncopied)?;
        let pipe = File::open(path)
            .map_err(|cause| EvalsetError::Unreadable { path: path.to_owned(), cause })?;
        let mut file = File::create_new(&copy).map_err(uncopied)?;
        let bytes = io::copy(&mut pipe.take(most.saturating_add(1)), &mut file);
        if bytes.map_err(uncopied)? > most {
            return Err(EvalsetError::LongPipe { path: path.to_owned(), most });
        }
        Ok(Self { path: copy, copied: Some(folder) })
    }

    /// The file.
    pub(in crate::cli) fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens a file to read it case by case, or reads it as a whole if its format requires that.
pub(super) fn checked(source: &Source, chosen: Option<Format>) -> Result<Checked, EvalsetError> {
    let path = source.path();
    File::open(path).map_err(|cause| EvalsetError::Unreadable { path: path.to_owned(), cause })?;
    Ok(CheckedCases::open_as(path, chosen)?)
}

/// The format in which the cases of a file that is not checked are read.
///
/// # Errors
/// The file cannot be read, or shows that it is in another format than the given one.
pub(super) fn format_of(
    path: &Path,
    source: &Source,
    given: Option<Format>,
) -> Result<Format, EvalsetError> {
    if let Some(given) = given
        && let Some(DetectedFormat { format, evidence }) = Cases::shown_format(source.path())?
        && (given == Format::AgentFlow) != (format == Format::AgentFlow)
    {
        return Err(EvalsetError::OtherFormat {
            path: path.to_owned(),
            given,
            shown: format,
            evidence,
        });
    }
    Ok(Cases::format(source.path(), given)?)
}

/// The value that was read, unless it has errors.
pub(super) fn sound(path: &Path, reading: Reading) -> Result<EvalSet, EvalsetError> {
    let Reading { set, unread, faults, .. } = reading;
    let mut errors = Errors::default();
    errors.take(faults);
    match set {
        Some(set) if errors.is_none() && unread.is_empty() => Ok(set),
        _ => Err(errors.of(path)),
    }
}

/// The errors of a file: the first ones and their number.
#[derive(Debug, Default)]
pub(super) struct Errors {
    first: Vec<CaseFault>,
    more: usize,
}

impl Errors {
    /// Adds the faults that are errors.
    pub(super) fn take(&mut self, faults: impl IntoIterator<Item = CaseFault>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A pipe to which `text` is written when it is read.
    fn pipe(folder: &Path, text: &'static str) -> PathBuf {
        let pipe = folder.join("cases.test.json");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo").success());
        let into = pipe.clone();
        std::thread::spawn(move || std::fs::write(into, text));
        pipe
    }

    #[test]
    fn copies_a_pipe_until_it_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = pipe(folder.path(), "[]");
        let source = Source::of(&path).expect("copied");
        let copy = source.path().to_owned();
        assert!(copy.is_file(), "{}", copy.display());
        for _ in 0..2 {
            assert_eq!(std::fs::read_to_string(&copy).expect("read"), "[]");
        }
        let named = path.strip_prefix("/").expect("from the root");
        assert!(copy.ends_with(named), "{}", copy.display());
        drop(source);
        assert!(!copy.exists());
    }

    #[test]
    fn rejects_a_pipe_with_too_much_data() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = pipe(folder.path(), "[1234]");
        let actual = Source::with_most(&path, 5).expect_err("too long").to_string();
        assert!(actual.contains("is longer than 5 bytes; write it to a file first"), "{actual}");
    }

    #[test]
    fn reads_a_file_without_copying_it() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in [folder.path().to_owned(), folder.path().join("none")] {
            assert_eq!(Source::of(&path).expect("no pipe").path(), path);
        }
    }
}
