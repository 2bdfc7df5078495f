//! Restores file times in a new clone, for `cargo xtask test --keep-times`.
//!
//! Cargo recompiles files that are newer than their results, which in a new clone is every file. So each run
//! records the content hash and the time of every file that git has unchanged, and restores the time of files
//! with the same path and content. Edited files are not recorded. This is correct only if no other runs
//! compile in the target folder, as in `.ci/run`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use xtask::process;
use xtask::workspace::Workspace;

/// Restores the times of the last run, and records those of this one.
///
/// # Errors
///
/// When the folder is not a git checkout, or a file's time cannot be read or set.
pub(crate) fn restore(workspace: &Workspace) -> Result<()> {
    let root = workspace.root();
    let list = workspace.target().join("setup").join("file-times");
    let kept = fs::read_to_string(&list).unwrap_or_default();
    let kept = read(&kept, root);
    let mut lines = format!("{}\n", root.display());
    let mut restored = 0;
    for (path, contents) in unchanged(root)? {
        let file = root.join(&path);
        if let Some((before, time)) = kept.get(path.as_str())
            && *before == contents
        {
            let opened = fs::File::options().append(true).open(&file);
            let set = opened.and_then(|opened| opened.set_modified(*time));
            set.with_context(|| format!("the time of {} cannot be set", file.display()))?;
            restored += 1;
        }
        let time = fs::metadata(&file)?.modified()?.duration_since(UNIX_EPOCH)?;
        lines.push_str(&format!("{contents} {} {path}\n", time.as_nanos()));
    }
    if let Some(folder) = list.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&list, lines).with_context(|| format!("cannot write {}", list.display()))?;
    eprintln!("{restored} files have the times of the last run.");
    Ok(())
}

/// The files that git has unchanged, each with its content hash.
fn unchanged(root: &Path) -> Result<Vec<(String, String)>> {
    let git = |arguments: &[&str]| {
        process::output(Command::new("git").args(arguments).current_dir(root))
            .with_context(|| format!("`git {}` failed", arguments.join(" ")))
    };
    let changed = git(&["diff", "--name-only", "HEAD"])?;
    let changed: Vec<&str> = changed.lines().collect();
    let tracked = git(&["ls-tree", "-r", "HEAD"])?;
    // `100644 blob 9f2c...\tpath`; links and submodules are skipped.
    let files = tracked.lines().filter_map(|line| {
        let (entry, path) = line.split_once('\t')?;
        let (_, contents) = entry.strip_prefix("100")?.split_once(" blob ")?;
        let is_changed = changed.contains(&path) || path.starts_with('"');
        (!is_changed).then(|| (path.to_owned(), contents.to_owned()))
    });
    Ok(files.collect())
}

/// The recorded files of the checkout at `root`; empty if the list is of another checkout.
fn read<'l>(list: &'l str, root: &Path) -> HashMap<&'l str, (&'l str, SystemTime)> {
    let mut lines = list.lines();
    if lines.next().map(Path::new) != Some(root) {
        return HashMap::new();
    }
    let files = lines.filter_map(|line| {
        let mut parts = line.splitn(3, ' ');
        let (contents, time, path) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
        Some((path, (contents, UNIX_EPOCH + Duration::from_nanos(time))))
    });
    files.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_the_list_of_its_own_checkout() {
        let list = "/here\n9f2c 1500000000 a file.rs\n";
        let read_here = read(list, Path::new("/here"));
        let time = UNIX_EPOCH + Duration::from_millis(1_500);
        assert_eq!(read_here.get("a file.rs"), Some(&("9f2c", time)));
        assert!(read(list, Path::new("/there")).is_empty());
    }
}
