//! The files of configured folders. Folders are read again for each request, so changes show at
//! once. Files are named by ids, so that a browser never sends a path.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use api::FolderSummary;
use session::AgentId;
use sha2::{Digest as _, Sha256};

/// The configured folders. A missing folder is reported when it is listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders {
    /// Folders of eval sets.
    pub eval_sets: Vec<PathBuf>,
    /// Folders of JSON reports.
    pub reports: Vec<PathBuf>,
}

impl Folders {
    /// Whether no folder is configured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.eval_sets.is_empty() && self.reports.is_empty()
    }
}

/// The depth to which folders are searched.
const DEEPEST: usize = 12;
/// The most files that are listed for one folder.
const MOST: usize = 5_000;

/// A file in a configured folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundFile {
    /// The id by which a page requests it.
    pub(crate) id: String,
    /// The path below the folder, for display.
    pub(crate) name: String,
    /// The absolute path.
    pub(crate) path: PathBuf,
}

/// The modification time of a file, in milliseconds since 1970.
pub(crate) fn changed(metadata: &fs::Metadata) -> Option<i64> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

/// The files in `folders` that end in one of `endings`, each once and sorted by path, with a
/// summary of each folder. `key` is the configuration key of the folders; `taken` holds ids that
/// are already in use.
pub(crate) fn find(
    folders: &[PathBuf],
    key: &str,
    endings: &[&str],
    taken: &dyn Fn(&str) -> bool,
) -> (Vec<FoundFile>, Vec<FolderSummary>) {
    let mut files: Vec<FoundFile> = Vec::new();
    let mut known = HashSet::new();
    let mut summaries = Vec::with_capacity(folders.len());
    for folder in folders {
        let path = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        let mut search = Search { root: &path, endings, found: Vec::new(), faults: Vec::new() };
        match search.begin(key) {
            Ok(canonical) => search.search_folder(&path, &canonical, 0),
            Err(fault) => search.faults.push(fault),
        }
        let Search { mut found, mut faults, .. } = search;
        if found.len() > MOST {
            faults.push(format!(
                "{} contains more than {MOST} files, and only the first {MOST} are listed. \
                 Configure its subfolders instead.",
                path.display()
            ));
            found.truncate(MOST);
        }
        summaries.push(FolderSummary {
            path: path.display().to_string(),
            found: found.len() as u64,
            faults,
        });
        files.extend(found.into_iter().filter(|file| known.insert(file.path.clone())));
    }
    make_ids_unique(&mut files, taken);
    (files, summaries)
}

/// When several files would share an id, each gets one that includes its path. A stored link can
/// lead to a different file only if its own file is gone and exactly one other file has the same
/// name.
fn make_ids_unique(files: &mut [FoundFile], taken: &dyn Fn(&str) -> bool) {
    let mut users: HashMap<String, usize> = HashMap::new();
    for file in &*files {
        *users.entry(file.id.clone()).or_default() += 1;
    }
    for file in files {
        if taken(&file.id) || users.get(&file.id).is_some_and(|users| *users > 1) {
            let digest = Sha256::digest(file.path.to_string_lossy().as_bytes());
            let digits: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            file.id = format!("{}-{digits}", file.id);
        }
    }
}

struct Search<'l> {
    root: &'l Path,
    endings: &'l [&'l str],
    found: Vec<FoundFile>,
    faults: Vec<String>,
}

impl Search<'_> {
    fn begin(&self, key: &str) -> Result<PathBuf, String> {
        let shown = self.root.display();
        match fs::metadata(self.root) {
            Ok(metadata) if metadata.is_dir() => self
                .root
                .canonicalize()
                .map_err(|error| format!("{shown} cannot be read: {error}.")),
            Ok(_) => Err(format!(
                "{shown} is not a folder. Set {key} in rehearsal.toml to the folder that contains it."
            )),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(format!(
                "{shown} does not exist. Create it, or change {key} in rehearsal.toml."
            )),
            Err(error) => Err(format!(
                "{shown} cannot be read: {error}. Change its permissions, or change {key} in \
                 rehearsal.toml."
            )),
        }
    }

    fn search_folder(&mut self, folder: &Path, root: &Path, depth: usize) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.faults.push(format!("{} cannot be read: {error}.", folder.display()));
                return;
            }
        };
        let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') || self.found.len() > MOST {
                continue;
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth < DEEPEST {
                self.search_folder(&path, root, depth + 1);
            } else if let Some(end) = self.endings.iter().find(|end| name.ends_with(*end)) {
                // A link to outside of the folder is skipped.
                let is_within = !kind.is_symlink()
                    || path.canonicalize().is_ok_and(|path| path.starts_with(root));
                if is_within && path.is_file() {
                    self.take(path, end);
                }
            }
        }
    }

    fn take(&mut self, path: PathBuf, end: &str) {
        let name = path.strip_prefix(self.root).unwrap_or(&path);
        let name = name.to_string_lossy().replace('\\', "/");
        let stem = name.strip_suffix(end).unwrap_or(&name);
        let id = AgentId::from_display_name(stem).to_string();
        self.found.push(FoundFile { id, name, path });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDINGS: [&str; 2] = [".evalset.json", ".test.json"];

    fn write(folder: &Path, name: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, "{}").expect("written");
    }

    fn ids(files: &[FoundFile]) -> Vec<(&str, &str)> {
        files.iter().map(|file| (file.id.as_str(), file.name.as_str())).collect()
    }

    #[test]
    fn files_get_unique_ids_from_their_paths() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [
            "Home.evalset.json",
            "below/office.test.json",
            "below/other.json",
            ".hidden/x.evalset.json",
            "agent.evalset.json",
            "same.evalset.json",
            "same.test.json",
        ] {
            write(folder.path(), name);
        }
        let folders = [folder.path().to_owned(), folder.path().to_owned()];
        let (files, summaries) = find(&folders, "folders.eval_sets", &ENDINGS, &|id| id == "agent");
        let actual = ids(&files);
        assert_eq!(actual.len(), 5, "each once: {actual:?}");
        assert!(actual.contains(&("home", "Home.evalset.json")), "{actual:?}");
        assert!(actual.contains(&("below-office", "below/office.test.json")), "{actual:?}");
        let apart = |name: &str, base: &str| {
            let (id, _) = actual.iter().find(|(_, it)| *it == name).expect("listed");
            assert!(id.starts_with(base) && id.len() == base.len() + 9, "{id}");
        };
        apart("agent.evalset.json", "agent");
        apart("same.evalset.json", "same");
        apart("same.test.json", "same");
        assert_eq!(summaries[0].found, 5);
        assert_eq!(summaries[0].faults, Vec::<String>::new());
    }

    #[test]
    fn reports_a_missing_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let folders = [folder.path().join("none")];
        let (files, summaries) = find(&folders, "folders.reports", &ENDINGS, &|_| false);
        assert_eq!(files, []);
        let fault = &summaries[0].faults[0];
        assert!(fault.contains("does not exist") && fault.contains("folders.reports"), "{fault}");
        write(folder.path(), "file");
        let (_, summaries) = find(&[folder.path().join("file")], "k", &ENDINGS, &|_| false);
        assert!(summaries[0].faults[0].contains("is not a folder"), "{summaries:?}");
    }

    #[cfg(unix)]
    #[test]
    fn skips_links_that_lead_out_of_the_folder() {
        let (folder, outside) = (tempfile::tempdir().expect("a"), tempfile::tempdir().expect("b"));
        write(outside.path(), "out.evalset.json");
        write(folder.path(), "in.evalset.json");
        let link = |to: PathBuf, name: &str| {
            std::os::unix::fs::symlink(to, folder.path().join(name)).expect("linked");
        };
        link(outside.path().join("out.evalset.json"), "leads-out.evalset.json");
        link(outside.path().to_owned(), "folder");
        link(folder.path().join("in.evalset.json"), "stays.evalset.json");
        let (files, _) = find(&[folder.path().to_owned()], "k", &ENDINGS, &|_| false);
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["in.evalset.json", "stays.evalset.json"]);
    }
}
