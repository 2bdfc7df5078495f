//! [`plugin_wheel`]: the package `rehearsal_adk` as a wheel, which a host serves so that
//! `pip install http://HOST/python/...` needs neither a checkout nor an index.
//!
//! The format is that of the [binary distribution format](https://packaging.python.org/en/latest/specifications/binary-distribution-format/)
//! of Python packages. Name, version and dependencies are those of `python/pyproject.toml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::sync::LazyLock;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rust_embed::RustEmbed;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

#[derive(RustEmbed)]
#[folder = "python/rehearsal_adk"]
#[include = "*.py"]
#[include = "*.binpb"]
#[include = "py.typed"]
struct Package;

/// What describes the package.
const PYPROJECT: &str = include_str!("../python/pyproject.toml");

/// A wheel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wheel {
    /// The file name, which tells pip the package, its version and the platforms.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
}

#[derive(Deserialize)]
struct PyProject {
    project: Project,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Project {
    name: String,
    version: String,
    description: String,
    requires_python: String,
    license: String,
    dependencies: Vec<String>,
    entry_points: BTreeMap<String, BTreeMap<String, String>>,
}

/// The version of the package in this build.
#[must_use]
pub fn version() -> &'static str {
    &PROJECT.version
}

/// The wheel of this build.
#[must_use]
pub fn plugin_wheel() -> &'static Wheel {
    static WHEEL: LazyLock<Wheel> = LazyLock::new(|| packed(&PROJECT));
    &WHEEL
}

static PROJECT: LazyLock<Project> = LazyLock::new(|| {
    let read: Result<PyProject, _> = toml::from_str(PYPROJECT);
    read.expect("a test reads it").project
});

fn packed(project: &Project) -> Wheel {
    let distribution = project.name.replace('-', "_");
    let info = format!("{distribution}-{}.dist-info", project.version);
    let mut files: BTreeMap<String, Vec<u8>> = Package::iter()
        .filter_map(|path| {
            Some((format!("rehearsal_adk/{path}"), Package::get(&path)?.data.into_owned()))
        })
        .collect();
    for (name, text) in [
        ("METADATA", metadata(project)),
        (
            "WHEEL",
            "Wheel-Version: 1.0\nGenerator: rehearsal\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
                .to_owned(),
        ),
        ("entry_points.txt", entry_points(project)),
    ] {
        files.insert(format!("{info}/{name}"), text.into_bytes());
    }
    let mut record = String::new();
    for (path, bytes) in &files {
        let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
        let _ = writeln!(record, "{path},sha256={hash},{}", bytes.len());
    }
    let record_path = format!("{info}/RECORD");
    let _ = writeln!(record, "{record_path},,");
    files.insert(record_path, record.into_bytes());
    Wheel {
        name: format!("{distribution}-{}-py3-none-any.whl", project.version),
        bytes: zipped(&files),
    }
}

fn metadata(project: &Project) -> String {
    let mut text = format!(
        "Metadata-Version: 2.4\nName: {}\nVersion: {}\nSummary: {}\nLicense-Expression: {}\nRequires-Python: {}\n",
        project.name,
        project.version,
        project.description,
        project.license,
        project.requires_python
    );
    for dependency in &project.dependencies {
        let _ = writeln!(text, "Requires-Dist: {dependency}");
    }
    text
}

fn entry_points(project: &Project) -> String {
    let mut text = String::new();
    for (group, points) in &project.entry_points {
        let _ = writeln!(text, "[{group}]");
        for (name, target) in points {
            let _ = writeln!(text, "{name} = {target}");
        }
    }
    text
}

/// The files as an archive, which is the same for the same files.
fn zipped(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let stored = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        archive.start_file(path, stored).expect("writing to memory succeeds");
        archive.write_all(bytes).expect("writing to memory succeeds");
    }
    archive.finish().expect("writing to memory succeeds").into_inner()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_wheel_has_the_package_and_what_pip_reads() {
        let wheel = plugin_wheel();
        assert_eq!(wheel.name, format!("rehearsal_adk-{}-py3-none-any.whl", version()));
        assert_eq!(version(), env!("CARGO_PKG_VERSION"), "one version for all");
        let mut archive =
            zip::ZipArchive::new(Cursor::new(wheel.bytes.as_slice())).expect("an archive");
        let mut read = |name: &str| {
            let mut text = String::new();
            archive.by_name(name).expect(name).read_to_string(&mut text).expect("text");
            text
        };
        let info = format!("rehearsal_adk-{}.dist-info", version());
        let metadata = read(&format!("{info}/METADATA"));
        assert!(metadata.contains("\nName: rehearsal-adk\n"), "{metadata}");
        assert!(metadata.contains("\nRequires-Dist: google-adk>="), "{metadata}");
        let points = read(&format!("{info}/entry_points.txt"));
        assert_eq!(points, "[pytest11]\nrehearsal = rehearsal_adk.pytest_plugin\n");
        let record = read(&format!("{info}/RECORD"));
        for file in
            ["rehearsal_adk/live/plugin.py,sha256=", "rehearsal_adk/live/rehearsal_v1.binpb,"]
        {
            assert!(record.contains(file), "{record}");
        }
        let own = format!("__version__ = \"{}\"\n", version());
        assert!(read("rehearsal_adk/__init__.py").contains(&own));
        assert!(read("rehearsal_adk/eval.py").contains("class EvalCase"));
        assert!(!record.contains("__pycache__"));
    }
}
