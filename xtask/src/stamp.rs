//! Stamp files: a digest of a step's inputs beside its result, to skip a step whose inputs did not change.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest as _, Sha256};

/// A digest over named inputs.
#[derive(Default)]
pub struct Inputs(Sha256);

impl Inputs {
    /// Adds a text, such as a version or an option.
    pub fn text(mut self, text: &str) -> Self {
        self.add(text.as_bytes());
        self
    }

    /// Adds the contents of a file.
    pub fn file(mut self, path: &Path) -> Result<Self> {
        let contents = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        self.add(&contents);
        Ok(self)
    }

    /// The digest in hexadecimal.
    pub fn digest(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Adds the length before the contents, so that two inputs differ from one longer input.
    fn add(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}

/// Whether the stamp file contains `digest`.
pub fn matches(stamp: &Path, digest: &str) -> bool {
    fs::read_to_string(stamp).is_ok_and(|kept| kept.trim() == digest)
}

/// Removes a stamp before its result is changed, so that an interrupted step is repeated.
pub fn clear(stamp: &Path) -> Result<()> {
    match fs::remove_file(stamp) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", stamp.display()))
        }
        _ => Ok(()),
    }
}

/// Writes the stamp after the result is complete.
pub fn set(stamp: &Path, digest: &str) -> Result<()> {
    if let Some(folder) = stamp.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(stamp, digest).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Every file below `folder`, sorted by path.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot list {}", folder.display()));
            }
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_depends_on_contents_and_boundaries() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a");
        fs::write(&path, "one")?;
        let first = Inputs::default().file(&path)?.digest();
        fs::write(&path, "two")?;
        assert_ne!(Inputs::default().file(&path)?.digest(), first);
        assert_ne!(
            Inputs::default().text("ab").text("c").digest(),
            Inputs::default().text("a").text("bc").digest()
        );
        Ok(())
    }

    #[test]
    fn a_cleared_stamp_does_not_match() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let stamp = folder.path().join("deep").join("stamp");
        assert!(!matches(&stamp, "x"));
        set(&stamp, "x")?;
        assert!(matches(&stamp, "x"));
        assert!(!matches(&stamp, "y"));
        clear(&stamp)?;
        clear(&stamp)?;
        assert!(!matches(&stamp, "x"));
        Ok(())
    }
}
