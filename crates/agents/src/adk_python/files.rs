//! [`source_files`]: the files that an agent is loaded from. [`fingerprint`]: whether they are still the same.
//!
//! The host compares fingerprints instead of subscribing to the file system's events: those miss changes
//! on network and container mounts, and subscribing to a folder includes its virtual environment.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::{DirEntry, WalkDir};

/// The endings of code, configurations, prompts and tables.
const ENDINGS: [&str; 17] = [
    "py", "yaml", "yml", "json", "jsonl", "toml", "ini", "xml", "csv", "tsv", "sql", "md", "txt",
    "prompt", "j2", "jinja", "jinja2",
];
/// The endings of files that ADK and Rehearsal write into the folder.
const WRITTEN: [&str; 3] = [".evalset.json", ".evalset_result.json", ".test.json"];
/// Folders with more files are not searched further.
const MOST: usize = 10_000;

/// A number that changes when a file is added, removed or written that the agent in `folder` is loaded
/// from: code, configurations, prompts, and the `.env` that ADK reads. Caches, virtual environments, other
/// hidden files, eval sets and `eval_set` are left out.
pub(super) fn fingerprint(folder: &Path, eval_set: &Path) -> u64 {
    let eval_set = std::path::absolute(eval_set).unwrap_or_else(|_| eval_set.to_path_buf());
    let mut hasher = DefaultHasher::new();
    for file in source_files(folder).filter(|file| *file != eval_set) {
        add(&mut hasher, &file);
    }
    if let Some(file) = environment_file(folder) {
        add(&mut hasher, &file);
    }
    hasher.finish()
}

/// The nearest `.env`, which ADK reads.
pub fn environment_file(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(".env")).find(|file| file.is_file())
}

/// The files in an agent's folder that it may be loaded from: code, configurations, prompts and tables, in the order of
/// their names. Caches, virtual environments, hidden files and eval sets are left out.
pub fn source_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let files = WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter();
    let files = files.filter_entry(|entry| entry.depth() == 0 || is_searched(entry)).flatten();
    let files = files.take(MOST).filter(|file| file.file_type().is_file());
    files.map(DirEntry::into_path)
}

fn add(hasher: &mut DefaultHasher, file: &Path) {
    let metadata = file.metadata().ok();
    let modified = metadata.as_ref().and_then(|it| it.modified().ok());
    let length = metadata.map_or(0, |it| it.len());
    (file, length, modified.unwrap_or(SystemTime::UNIX_EPOCH)).hash(hasher);
}

/// Whether it is a folder to search, or a file that counts.
fn is_searched(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    if name.starts_with('.') {
        return false;
    }
    if entry.file_type().is_dir() {
        let is_environment = || entry.path().join("pyvenv.cfg").is_file();
        return name != "__pycache__" && name != "node_modules" && !is_environment();
    }
    let ending = Path::new(&*name).extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
        && !WRITTEN.iter().any(|written| name.ends_with(written))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn changes_with_the_files_that_the_agent_is_loaded_from() {
        let root = tempfile::tempdir().expect("made");
        let agent = root.path().join("weather");
        let cases = agent.join("cases.json");
        let write = |path: &str, text: &str| {
            let path = agent.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            // As editors save: a new file in place of the old one.
            let new = path.with_extension("tmp~");
            fs::write(&new, text).expect("written");
            fs::rename(new, path).expect("renamed");
        };
        write("agent.py", "one");
        let mut before = fingerprint(&agent, &cases);
        let mut differs = || {
            let now = fingerprint(&agent, &cases);
            std::mem::replace(&mut before, now) != now
        };
        assert!(!differs());
        for (path, text) in [
            ("agent.py", "two"),
            ("agent.py", "six"),
            ("tools/clock.py", ""),
            ("prompts/system.md", ""),
            ("root_agent.yaml", ""),
            (".env", "KEY=1"),
            ("../.env", "KEY=2"),
        ] {
            write(path, text);
            // The nearest file wins.
            assert_eq!(differs(), path != "../.env", "{path}");
        }
        fs::remove_file(agent.join(".env")).expect("removed");
        assert!(differs());
        write("../.env", "KEY=33");
        assert!(differs());
        for path in [
            "__pycache__/agent.cpython-312.pyc",
            "__pycache__/agent.py",
            "weather.evalset.json",
            "cases.json",
            ".adk/session.json",
            ".agent.py.swp",
            "agent.py~",
            "4913",
            "node_modules/x/package.json",
            "own/pyvenv.cfg",
            "own/lib/thing.py",
            "data.sqlite",
        ] {
            write(path, "x");
            assert!(!differs(), "{path}");
        }
        fs::remove_file(agent.join("tools/clock.py")).expect("removed");
        assert!(differs());
    }
}
