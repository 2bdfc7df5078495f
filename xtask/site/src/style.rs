//! One stylesheet out of `style/main.css` and the files that it imports.
//!
//! `@import "name.css";` is replaced by the file's contents, deeply and once each.
//! Nothing else is changed: brotli makes minifying worth a kilobyte, and what a person reads in
//! the browser's inspector is what stands in the source.

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

/// `name.css` of ` "name.css";`: a file of ours, neither an address nor an import with conditions.
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
    fn imports_are_replaced_in_order_and_once() -> Result<()> {
        let folder = folder(&[
            ("main.css", "@import \"tokens.css\";\n@import \"parts/a.css\";\nbody {}\n"),
            ("tokens.css", ":root {}\n"),
            ("parts/a.css", "@import \"../tokens.css\";\na {}\n"),
        ])?;
        assert_eq!(bundle(&folder.path().join("main.css"))?, ":root {}\na {}\nbody {}\n");
        Ok(())
    }

    #[test]
    fn a_missing_import_is_named_with_the_line_that_wants_it() -> Result<()> {
        let folder = folder(&[("main.css", "/* one */\n@import \"gone.css\";\n")])?;
        let error = bundle(&folder.path().join("main.css")).expect_err("gone.css is not there");
        assert!(format!("{error:#}").contains("main.css:2"), "{error:#}");
        Ok(())
    }

    #[test]
    fn what_is_not_a_file_of_ours_is_refused() -> Result<()> {
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
