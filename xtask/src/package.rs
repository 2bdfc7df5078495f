//! The crates as crates.io would have them, and the programs of the guides, built from nothing else.
//!
//! A copy of the checkout is packaged, because the package of `rehearsal` contains the built page, which is not in
//! the repository. In the copy, links to files elsewhere in the checkout are files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use xtask::process;
use xtask::stamp::files_below;
use xtask::workspace::{Build, Workspace};

use crate::build;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What crates.io takes.
const MOST_BYTES: u64 = 10 * 1024 * 1024;
const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// A guide with a program: its first block in TOML, and all its blocks in Rust.
struct Guide {
    file: &'static str,
    program: &'static str,
    source: &'static str,
}

const GUIDES: [Guide; 2] = [
    Guide { file: "docs/guide/rust.md", program: "greeter", source: "src/main.rs" },
    Guide { file: "docs/guide/eval-runs.md", program: "librarian", source: "tests/librarian.rs" },
];

/// The contents of files by their path in a folder.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A crate that is meant to be published: its name, and its folder in the checkout.
struct Published {
    name: String,
    folder: PathBuf,
}

/// Builds what the packages contain, packages all crates, and builds the programs of the guides from them. Returns
/// the folder of the `.crate` files.
pub(crate) fn run(workspace: &Workspace) -> Result<PathBuf> {
    build::run(workspace)?;
    let packages = pack(workspace)?;
    build_programs(workspace, &packages)?;
    Ok(packages)
}

/// Writes a `.crate` file for each published crate, and returns their folder. The page must be built.
pub(crate) fn pack(workspace: &Workspace) -> Result<PathBuf> {
    let tracked = tracked(workspace.root())?;
    let published = published(workspace.root(), &tracked)?;
    let copy = workspace.target().join("packages").join("checkout");
    write(&contents(workspace, &tracked, &published)?, &copy)?;

    let target = workspace.target().join("packages");
    let packages = target.join("package");
    let mut command = Command::new("cargo");
    // They are compiled by `build_programs`, away from these folders.
    command.args(["package", "--no-verify", "--quiet", "--target-dir"]).arg(&target);
    for Published { name, .. } in &published {
        command.args(["-p", name]);
    }
    process::print_and_run(command.current_dir(&copy))?;
    for Published { name, .. } in &published {
        let package = packages.join(format!("{name}-{VERSION}.crate"));
        let size = read(&package)?.len() as u64;
        ensure!(
            size < MOST_BYTES,
            "{} has {size} bytes, more than crates.io takes",
            package.display()
        );
    }
    Ok(packages)
}

/// Builds the programs of the guides and runs their tests, and one that depends on all of `rehearsal`, in a folder that has the unpacked
/// `.crate` files and nothing of the checkout.
pub(crate) fn build_programs(workspace: &Workspace, packages: &Path) -> Result<()> {
    let folder = workspace.target().join("packages").join("programs");
    let published = published(workspace.root(), &tracked(workspace.root())?)?;
    let mut files = Files::new();
    for Published { name, .. } in &published {
        for (path, contents) in unpacked(&packages.join(format!("{name}-{VERSION}.crate")))? {
            files.insert(Path::new("crates").join(path), contents);
        }
    }
    let root = String::from_utf8(read(&workspace.root().join("Cargo.toml"))?)?;
    files.insert("Cargo.toml".into(), manifest(&dev_profile(&root), &published).into());
    // The versions of other crates that the checkout has.
    files.insert("Cargo.lock".into(), read(&workspace.root().join("Cargo.lock"))?);
    for Guide { file, program, source } in GUIDES {
        let guide = String::from_utf8(read(&workspace.root().join(file))?)?;
        let dependencies = blocks(&guide, "toml").next();
        let dependencies = dependencies.with_context(|| format!("{file} has no program"))?;
        let code = blocks(&guide, "rust").collect::<Vec<_>>().join("\n");
        ensure!(!code.is_empty(), "{file} has no program");
        let manifest =
            format!("[package]\nname = \"{program}\"\nedition = \"2024\"\n\n{dependencies}");
        files.insert(Path::new(program).join("Cargo.toml"), manifest.into());
        files.insert(Path::new(program).join(source), code.into());
    }
    let all = format!(
        "[package]\nname = \"all\"\nedition = \"2024\"\n\n[dependencies]\nrehearsal = \"{VERSION}\"\n"
    );
    files.insert("all/Cargo.toml".into(), all.into());
    files.insert("all/src/lib.rs".into(), Vec::new());
    write(&files, &folder)?;

    let mut command = Command::new("cargo");
    command.args(["test", "--workspace"]).arg("--target-dir").arg(workspace.target());
    // As in a program elsewhere, without the flags of this checkout.
    process::print_and_run(command.current_dir(&folder).env("RUSTFLAGS", ""))
}

/// The files of the checkout that git has, by their path from its root.
fn tracked(root: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut command = Command::new("git");
    let listed = process::output(command.args(["ls-files", "-z"]).current_dir(root));
    let listed = listed.context("git cannot list the files of the checkout")?;
    let paths = listed.split('\0').filter(|path| !path.is_empty());
    Ok(paths.map(PathBuf::from).filter(|path| root.join(path).exists()).collect())
}

/// The crates whose manifests do not say `publish = false`.
fn published(root: &Path, tracked: &BTreeSet<PathBuf>) -> Result<Vec<Published>> {
    let mut found = Vec::new();
    for path in tracked.iter().filter(|path| path.ends_with("Cargo.toml")) {
        let manifest = String::from_utf8(read(&root.join(path))?)?;
        let name =
            manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        if let Some(name) = name
            && manifest.starts_with("[package]")
            && !manifest.lines().any(|line| line == "publish = false")
        {
            let folder = path.parent().unwrap_or(path).to_owned();
            found.push(Published { name: name.to_owned(), folder });
        }
    }
    Ok(found)
}

/// The checkout with the page in `rehearsal/site`, and the licenses in each published crate.
fn contents(
    workspace: &Workspace,
    tracked: &BTreeSet<PathBuf>,
    published: &[Published],
) -> Result<Files> {
    let root = workspace.root();
    let mut files = Files::new();
    for path in tracked {
        let whole = root.join(path);
        if !whole.is_dir() {
            files.insert(path.clone(), read(&whole)?);
            continue;
        }
        // A link to a folder: what git has in that folder.
        let folder =
            whole.canonicalize().with_context(|| format!("cannot follow {}", whole.display()))?;
        for file in tracked {
            if let Ok(below) = root.join(file).strip_prefix(&folder) {
                files.insert(path.join(below), read(&root.join(file))?);
            }
        }
    }
    let site = workspace.site(Build::Shipped);
    for file in files_below(&site)? {
        let name = file.strip_prefix(&site)?;
        files.insert(Path::new("rehearsal/site").join(name), read(&file)?);
    }
    for (Published { folder, .. }, license) in
        published.iter().flat_map(|it| LICENSES.map(|name| (it, name)))
    {
        files.insert(folder.join(license), read(&root.join(license))?);
    }
    Ok(files)
}

/// The files of a `.crate` file.
fn unpacked(package: &Path) -> Result<Files> {
    let bytes = read(package)?;
    let mut archive = tar::Archive::new(GzDecoder::new(bytes.as_slice()));
    let mut files = Files::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let mut contents = Vec::new();
        entry.read_to_end(&mut contents)?;
        files.insert(entry.path()?.into_owned(), contents);
    }
    Ok(files)
}

/// Makes the folder hold these files and no others. A file that does not change keeps its time, so that cargo does
/// not compile its crate again.
fn write(files: &Files, folder: &Path) -> Result<()> {
    for path in files_below(folder)? {
        if !files.contains_key(path.strip_prefix(folder)?) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    for (path, contents) in files {
        let path = folder.join(path);
        if fs::read(&path).is_ok_and(|there| there == *contents) {
            continue;
        }
        fs::create_dir_all(path.parent().unwrap_or(folder))
            .and_then(|()| fs::write(&path, contents))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The fenced blocks of a language in a text in Markdown.
fn blocks<'a>(text: &'a str, language: &str) -> impl Iterator<Item = &'a str> {
    let opened: Vec<&str> = text.split(&format!("\n```{language}\n")).skip(1).collect();
    opened.into_iter().filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
}

/// The workspace of the programs. What is not published yet comes from the unpacked packages.
fn manifest(profile: &str, published: &[Published]) -> String {
    let members = GUIDES.map(|guide| format!("\"{}\"", guide.program)).join(", ");
    let mut text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"all\", {members}]\nexclude = [\"crates\"]\n\n\
         {profile}\n[patch.crates-io]\n"
    );
    for Published { name, .. } in published {
        let _ = writeln!(text, "{name} = {{ path = \"crates/{name}-{VERSION}\" }}");
    }
    text
}

/// The tables of the profile `dev` of the workspace: with another, what the checkout has compiled would be compiled
/// again.
fn dev_profile(root: &str) -> String {
    let mut within = false;
    let mut lines = String::new();
    for line in root.lines() {
        if line.starts_with('[') {
            within = line.starts_with("[profile.dev]") || line.starts_with("[profile.dev.");
        }
        // Tools of the checkout, which no program depends on.
        if within && !line.starts_with("xtask-") {
            lines += line;
            lines.push('\n');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_blocks_of_a_language() {
        let text = "# A\n\n```toml\na = 1\n```\n\n```rust\nfn one() {}\n```\n\n```rust\nfn two() {}\n```\n";
        let found = |language| blocks(text, language).collect::<Vec<_>>();
        assert_eq!(found("toml"), ["a = 1\n"]);
        assert_eq!(found("rust"), ["fn one() {}\n", "fn two() {}\n"]);
        assert!(found("python").is_empty());
    }

    #[test]
    fn takes_the_tables_of_the_development_profile_alone() {
        let root = "[a]\nx = 1\n[profile.dev]\ndebug = 1\n[profile.dev.package.\"*\"]\ndebug = 0\n[profile.device]\nz = 1\n";
        assert_eq!(
            dev_profile(root),
            "[profile.dev]\ndebug = 1\n[profile.dev.package.\"*\"]\ndebug = 0\n"
        );
    }

    #[test]
    fn a_folder_holds_what_was_written_last() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let files = |names: &[&str]| -> Files {
            names.iter().map(|name| (PathBuf::from(name), name.as_bytes().to_vec())).collect()
        };
        write(&files(&["a", "b/c"]), folder.path())?;
        let kept = fs::metadata(folder.path().join("a"))?.modified()?;
        write(&files(&["a", "d"]), folder.path())?;
        assert_eq!(fs::metadata(folder.path().join("a"))?.modified()?, kept);
        let found = files_below(folder.path())?;
        assert_eq!(found, [folder.path().join("a"), folder.path().join("d")]);
        Ok(())
    }
}
