//! [`Journal`]: a file in which a client records the results that it got.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file to which a client appends a line for each result.
pub(crate) struct Journal {
    file: File,
}

impl Journal {
    pub(crate) fn open(folder: &Path, name: &str) -> Self {
        let folder = folder_in(folder);
        fs::create_dir_all(&folder).unwrap();
        Self { file: File::create(folder.join(name)).unwrap() }
    }

    /// Appends a line with these fields.
    pub(crate) fn write(&mut self, words: &[&str]) {
        let line = format!("{}\n", words.join("\t"));
        self.file.write_all(line.as_bytes()).unwrap();
    }
}

/// Every line of every journal with this name prefix.
pub(crate) fn lines(folder: &Path, begin: &str) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder_in(folder)).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with(begin) {
            let text = fs::read_to_string(path).unwrap();
            lines.extend(text.lines().map(|line| line.split('\t').map(str::to_owned).collect()));
        }
    }
    lines
}

fn folder_in(folder: &Path) -> PathBuf {
    folder.join("journals")
}
