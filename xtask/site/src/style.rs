//! Makes one stylesheet from a file such as `style/main.css` and the files that it imports.
//!
//! `@import "name.css";` is replaced by the file's contents, recursively, and each file once.
//! Nothing else is changed. With brotli, minifying would save a kilobyte, and the browser's inspector shows
//! the source.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The contents of `main` with every import in its place.
pub(crate) fn bundle(main: &Path) -> Result<String> {
    let mut bundled = String::new();
    append(main, &mut bundled, &mut BTreeSet::new())?;
    Ok(bundled)
}

fn append(path: &Path, bundled: &mut String, seen: &mut BTreeSet<PathBuf>) -> Result<()> {
    let cannot = || format!("cannot read {}", path.display());
    // One file may be written in two ways: `tokens.css` and `parts/../tokens.css`.
    if !seen.insert(fs::canonicalize(path).with_context(cannot)?) {
        return Ok(());
    }
    let text = fs::read_to_string(path).with_context(cannot)?;
    for (index, line) in text.lines().enumerate() {
        let place = || format!("{}:{}", path.display(), index + 1);
        match line.trim_start().strip_prefix("@import") {
            Some(rest) => {
                let Some(name) = imported(rest) else {
                    bail!(
                        "{}: only `@import \"file.css\";` on a line of its own is understood",
                        place()
                    );
                };
                let file = path.parent().unwrap_or(Path::new("")).join(name);
                append(&file, bundled, seen).with_context(place)?;
            }
            None => {
                bundled.push_str(line);
                bundled.push('\n');
            }
        }
    }
    Ok(())
}

/// `name.css` of ` "name.css";`: a local file, not a URL or an import with conditions.
fn imported(rest: &str) -> Option<&str> {
    let quoted = rest.trim().strip_suffix(';')?.trim_end();
    let name = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let plain = name.ends_with(".css") && !name.contains(['"', ':']) && !name.starts_with('/');
    plain.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> Result<tempfile::TempDir> {
        let folder = tempfile::tempdir()?;
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().context("a parent")?)?;
            fs::write(path, text)?;
        }
        Ok(folder)
    }

    #[test]
    fn replaces_imports_in_order_and_once() -> Result<()> {
        let folder = folder(&[
            ("main.css", "@import \"tokens.css\";\n@import \"parts/a.css\";\nbody {}\n"),
            ("tokens.css", ":root {}\n"),
            ("parts/a.css", "@import \"../tokens.css\";\na {}\n"),
        ])?;
        assert_eq!(bundle(&folder.path().join("main.css"))?, ":root {}\na {}\nbody {}\n");
        Ok(())
    }

    #[test]
    fn names_a_missing_import_with_its_line() -> Result<()> {
        let folder = folder(&[("main.css", "/* one */\n@import \"gone.css\";\n")])?;
        let error = bundle(&folder.path().join("main.css")).expect_err("gone.css is not there");
        assert!(format!("{error:#}").contains("main.css:2"), "{error:#}");
        Ok(())
    }

    #[test]
    fn rejects_other_imports() -> Result<()> {
        for import in [
            "@import \"https://example.org/a.css\";",
            "@import url(a.css);",
            "@import \"a.css\" screen;",
        ] {
            let folder = folder(&[("main.css", import)])?;
            let error = bundle(&folder.path().join("main.css")).expect_err(import);
            assert!(error.to_string().contains("main.css:1"), "{error:#}");
        }
        Ok(())
    }
}
