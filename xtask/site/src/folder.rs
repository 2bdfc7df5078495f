//! [`SiteFolder`]: writes the files of a site that changed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xtask::stamp;
use xtask::workspace::Workspace;

use crate::{NAME, style};

/// Compresses the contents of a file.
pub type Compression = fn(&[u8]) -> Result<Vec<u8>>;

/// A site under construction.
///
/// A file is written only when its contents change, so that cargo embeds the site again only then.
#[derive(Debug)]
pub struct SiteFolder {
    root: PathBuf,
    compression: Option<Compression>,
    kept: BTreeSet<PathBuf>,
}

impl SiteFolder {
    /// The site in the folder `root`. With a compression, each file that it makes smaller has its
    /// compressed form beside it.
    pub fn new(root: PathBuf, compression: Option<Compression>) -> Self {
        Self { root, compression, kept: BTreeSet::new() }
    }

    /// Adds every file below `made` but `except`, as the client's package.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or written.
    pub fn add_package(&mut self, made: &Path, except: &Path) -> Result<()> {
        self.add_all(made, "pkg", except)
    }

    /// Adds the stylesheets, as `written` writes them, and the contents of `public/`, and removes what no longer belongs.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, written or removed.
    pub fn finish(
        mut self,
        workspace: &Workspace,
        written: impl Fn(&str) -> Result<String>,
    ) -> Result<()> {
        for (source, name) in [("main.css", NAME), ("views.css", "views")] {
            let css = style::bundle(&workspace.root().join("style").join(source))?;
            let css = written(&css)?;
            let path = self.root.join("pkg").join(format!("{name}.css"));
            self.put(path, css.as_bytes())?;
        }
        self.add_all(&workspace.root().join("public"), "", Path::new(""))?;
        for path in stamp::files_below(&self.root)? {
            if !self.kept.contains(&path) {
                fs::remove_file(&path).with_context(|| cannot("remove", &path))?;
            }
        }
        Ok(())
    }

    fn add_all(&mut self, from: &Path, to: &str, except: &Path) -> Result<()> {
        for source in stamp::files_below(from)? {
            if source == except {
                continue;
            }
            let name = source.strip_prefix(from).context("a file outside its folder")?;
            let contents = fs::read(&source).with_context(|| cannot("read", &source))?;
            self.put(self.root.join(to).join(name), &contents)?;
        }
        Ok(())
    }

    fn put(&mut self, path: PathBuf, contents: &[u8]) -> Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| cannot("create", folder))?;
        }
        let compressed = compressed_path(&path);
        let compression = self.compression.filter(|_| compresses(&path));
        let is_there = fs::read(&path).is_ok_and(|there| there == contents)
            && compressed.is_file() == compression.is_some();
        if !is_there {
            stamp::clear(&compressed)?;
            fs::write(&path, contents).with_context(|| cannot("write", &path))?;
            if let Some(compress) = compression {
                fs::write(&compressed, compress(contents)?)
                    .with_context(|| cannot("write", &compressed))?;
            }
        }
        self.kept.extend([path, compressed]);
        Ok(())
    }
}

/// The path of a file's compressed form: its name with `.br` added.
pub fn compressed_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".br");
    PathBuf::from(name)
}

/// Whether compression makes sense. Pictures and fonts are compressed already.
fn compresses(path: &Path) -> bool {
    let packed = ["png", "jpg", "jpeg", "webp", "avif", "woff2", "gif"];
    !path.extension().and_then(OsStr::to_str).is_some_and(|ending| packed.contains(&ending))
}

fn cannot(verb: &str, path: &Path) -> String {
    format!("cannot {verb} {}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half(contents: &[u8]) -> Result<Vec<u8>> {
        Ok(contents[..contents.len() / 2].to_vec())
    }

    #[test]
    fn rewrites_a_file_only_when_it_changes() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("pkg").join("a.css");
        let mut site = SiteFolder::new(folder.path().to_path_buf(), Some(half));
        site.put(path.clone(), b"body{}")?;
        let first = fs::metadata(&path)?.modified()?;
        site.put(path.clone(), b"body{}")?;
        assert_eq!(fs::metadata(&path)?.modified()?, first);
        site.put(path.clone(), b"html{}")?;
        assert_eq!(fs::read(&path)?, b"html{}");
        assert_eq!(fs::read(compressed_path(&path))?, b"htm");
        Ok(())
    }

    #[test]
    fn does_not_compress_pictures() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("icon.png");
        SiteFolder::new(folder.path().to_path_buf(), Some(half)).put(path.clone(), b"\x89PNG")?;
        assert!(path.is_file());
        assert!(!compressed_path(&path).exists());
        Ok(())
    }

    #[test]
    fn removes_compressed_files_if_there_is_no_compression() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.css");
        SiteFolder::new(folder.path().to_path_buf(), Some(half)).put(path.clone(), b"body{}")?;
        SiteFolder::new(folder.path().to_path_buf(), None).put(path.clone(), b"body{}")?;
        assert_eq!(fs::read(&path)?, b"body{}");
        assert!(!compressed_path(&path).exists());
        Ok(())
    }
}
