//! The site, once its client is compiled: everything that a browser fetches besides pages, as files
//! beneath `<target>/site`. A program of its own, which is compiled beside the client.
//!
//! ```text
//! pkg/rehearsal.js             wasm-bindgen's glue
//! pkg/rehearsal_bg.wasm        the client's first part, through wasm-opt
//! pkg/__wasm_split.js          fetches the later parts
//! pkg/split_scene.<hash>.wasm  the part of a rehearsal, through wasm-opt
//! pkg/rehearsal.css            style/main.css with its imports
//! ...                          public/ as it lies
//! *.br                         each of the above, compressed as far as brotli goes
//! ```
//!
//! Files are rewritten only when their contents change, so that cargo embeds the site anew only
//! when there is something new in it.

mod client;
mod compress;
mod style;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xtask::stamp;
use xtask::workspace::Workspace;

/// The name of the package in the page's addresses: `/pkg/rehearsal.js` and its siblings.
const NAME: &str = "rehearsal";

/// Builds what changed and removes what no longer belongs.
fn main() -> Result<()> {
    let workspace = &Workspace::find()?;
    let site = workspace.site();
    let mut kept = BTreeSet::new();
    for path in client::build(workspace, &site.join("pkg"))? {
        keep(&mut kept, path);
    }

    let css = style::bundle(&workspace.root().join("style").join("main.css"))?;
    let path = site.join("pkg").join(format!("{NAME}.css"));
    put(&path, css.as_bytes())?;
    keep(&mut kept, path);

    let public = workspace.root().join("public");
    for source in stamp::files_below(&public)? {
        let path = site.join(source.strip_prefix(&public).context("a file below public/")?);
        let contents = fs::read(&source).with_context(|| cannot("read", &source))?;
        put(&path, &contents)?;
        keep(&mut kept, path);
    }

    for path in stamp::files_below(&site)? {
        if !kept.contains(&path) {
            fs::remove_file(&path).with_context(|| cannot("remove", &path))?;
        }
    }
    Ok(())
}

fn keep(kept: &mut BTreeSet<PathBuf>, path: PathBuf) {
    kept.insert(compress::beside(&path));
    kept.insert(path);
}

/// Writes a file and its compressed twin, unless both are there with these contents.
fn put(path: &Path, contents: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| cannot("create", folder))?;
    }
    let twin = compress::beside(path);
    if twin.is_file() && fs::read(path).is_ok_and(|there| there == contents) {
        return Ok(());
    }
    stamp::lift(&twin)?;
    fs::write(path, contents).with_context(|| cannot("write", path))?;
    if compresses(path) {
        let packed = compress::brotli(contents)?;
        fs::write(&twin, packed).with_context(|| cannot("write", &twin))?;
    }
    Ok(())
}

/// Pictures and fonts are compressed in themselves.
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

    #[test]
    fn a_file_is_rewritten_only_when_it_changes() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("pkg").join("a.css");
        put(&path, b"body{}")?;
        let first = fs::metadata(&path)?.modified()?;
        put(&path, b"body{}")?;
        assert_eq!(fs::metadata(&path)?.modified()?, first);
        put(&path, b"html{}")?;
        assert_eq!(fs::read(&path)?, b"html{}");
        assert_eq!(compress::unpack(&fs::read(compress::beside(&path))?)?, b"html{}");
        Ok(())
    }

    #[test]
    fn a_picture_has_no_compressed_twin() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("icon.png");
        put(&path, b"\x89PNG")?;
        assert!(path.is_file());
        assert!(!compress::beside(&path).exists());
        Ok(())
    }
}
