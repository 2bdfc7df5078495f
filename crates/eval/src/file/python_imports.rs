//! The Python files beside a file that it imports, on which what its functions do depends too.

use std::collections::BTreeMap;
use std::path::Path;

use super::content_hash;
use crate::python::fingerprint_of;

/// Adds the hashes of the modules and packages of `folder` that `source` imports, and that those import, by their names
/// from there. Only statements count: what is imported by a computed name is not known.
pub(super) fn add(folder: &Path, source: &str, hashes: &mut BTreeMap<String, String>) {
    for module in source.lines().flat_map(imported) {
        let (file, package) = (format!("{module}.py"), folder.join(module));
        if hashes.contains_key(&file) {
            continue;
        }
        if let Ok(source) = std::fs::read_to_string(folder.join(&file)) {
            hashes.insert(file, content_hash::of(&[&source]));
            add(folder, &source, hashes);
        } else if package.is_dir() {
            hashes.insert(format!("the package {module}"), fingerprint_of(&package));
        }
    }
}

/// The outermost modules that a line imports.
fn imported(line: &str) -> Vec<&str> {
    let line = line.trim_start();
    let modules: Vec<&str> = match (line.strip_prefix("import "), line.strip_prefix("from ")) {
        (Some(modules), _) => modules.split(',').collect(),
        (_, Some(module)) => vec![module],
        _ => Vec::new(),
    };
    let is_of_name = |it: char| it.is_alphanumeric() || it == '_';
    let names =
        modules.into_iter().filter_map(|it| it.trim_start().split(|it| !is_of_name(it)).next());
    names.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_those_that_statements_name() {
        for (line, modules) in [
            ("import helpers", &["helpers"][..]),
            ("    import helpers.dates as dates, prices", &["helpers", "prices"]),
            ("from helpers.dates import day  # for bookings", &["helpers"]),
            ("from .helpers import day", &[]),
            ("important = 1", &[]),
        ] {
            assert_eq!(imported(line), modules, "{line}");
        }
    }

    #[test]
    fn files_that_imported_files_import_count_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written");
        };
        std::fs::create_dir(folder.path().join("rooms")).expect("created");
        write("rooms/__init__.py", "FREE = 3\n");
        write("helpers.py", "import mocks, prices\nfrom rooms import FREE\n");
        write("prices.py", "import os\n");
        let hashes = || {
            let mut hashes = BTreeMap::from([("mocks.py".to_owned(), String::new())]);
            add(folder.path(), "import helpers\n", &mut hashes);
            hashes
        };
        let before = hashes();
        let names: Vec<_> = before.keys().map(String::as_str).collect();
        assert_eq!(names, ["helpers.py", "mocks.py", "prices.py", "the package rooms"]);
        write("rooms/__init__.py", "FREE = 4\n");
        let after = hashes();
        let changed = before.iter().filter(|(name, hash)| after[*name] != **hash);
        assert_eq!(changed.map(|(name, _)| name).collect::<Vec<_>>(), ["the package rooms"]);
    }
}
