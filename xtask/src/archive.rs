//! The archive of a platform, for those who install without pip: the program with its page, manual pages,
//! completions, licenses, and for Linux the unit for systemd.
//!
//! The same commit and the same binary give the same bytes: files are sorted, belong to root and have the time of
//! the commit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use xtask::process;
use xtask::stamp::files_below;
use xtask::workspace::Workspace;

use crate::build;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const CHECKSUMS: &str = "SHA256SUMS";
/// Files of the checkout at the top of every archive.
const DOCUMENTS: [&str; 4] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
/// Shells, and the names under which they look for completions.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "rehearsal.bash"), ("fish", "rehearsal.fish"), ("zsh", "_rehearsal")];

/// What to build the archive for.
#[derive(Args, Default)]
pub(crate) struct Options {
    /// Build for this target instead of the compiler's own, for example `x86_64-unknown-linux-musl`; its programs
    /// must run on this machine, because the binary writes its manual pages and completions
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
}

/// A file of the archive, which everyone may read.
struct Entry {
    path: String,
    contents: Vec<u8>,
    mode: u32,
}

impl Entry {
    fn file(path: &str, contents: Vec<u8>) -> Self {
        Self { path: path.to_owned(), contents, mode: 0o644 }
    }

    /// A file that everyone may run.
    fn program(path: &str, contents: Vec<u8>) -> Self {
        Self { path: path.to_owned(), contents, mode: 0o755 }
    }
}

/// Builds the program if something changed, and packs it. Returns the archive's path.
///
/// The checksums of all archives in its folder are beside it, as `sha256sum --check` reads them.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<PathBuf> {
    let binary = build::run_for(workspace, options.target.as_deref())?;
    let target = match &options.target {
        Some(target) => target.clone(),
        None => process::host_triple()?,
    };
    let folder = workspace.target().join("archives");
    let archive = pack(workspace, &binary, &target, commit_time(workspace)?, &folder)?;
    fs::write(folder.join(CHECKSUMS), checksums(&folder)?)
        .with_context(|| format!("cannot write {CHECKSUMS} in {}", folder.display()))?;
    Ok(archive)
}

/// Writes `rehearsal-VERSION-TARGET.tar.gz` into `folder`. All files are in one folder with that name.
fn pack(
    workspace: &Workspace,
    binary: &Path,
    target: &str,
    time: u64,
    folder: &Path,
) -> Result<PathBuf> {
    let mut entries = vec![Entry::program("rehearsal", read(binary)?)];
    for name in DOCUMENTS {
        entries.push(Entry::file(name, read(&workspace.root().join(name))?));
    }
    if target.contains("-linux-") {
        let unit = workspace.root().join("packaging").join("rehearsal.service");
        entries.push(Entry::file("systemd/rehearsal.service", read(&unit)?));
    }
    entries.extend(completions(binary)?);
    entries.extend(manual_pages(binary, &folder.join("man"))?);

    let name = format!("rehearsal-{VERSION}-{target}");
    let archive = folder.join(format!("{name}.tar.gz"));
    let bytes = compressed(&name, entries, time)?;
    fs::write(&archive, bytes).with_context(|| format!("cannot write {}", archive.display()))?;
    Ok(archive)
}

/// The archive's bytes: `entries` in the folder `top`, sorted by path, all with the time `time` in seconds since
/// 1970.
fn compressed(top: &str, mut entries: Vec<Entry>, time: u64) -> Result<Vec<u8>> {
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for Entry { path, contents, mode } in &entries {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(contents.len() as u64);
        header.set_mode(*mode);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        header.set_username("root")?;
        header.set_groupname("root")?;
        archive.append_data(&mut header, format!("{top}/{path}"), contents.as_slice())?;
    }
    Ok(archive.into_inner()?.finish()?)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn completions(binary: &Path) -> Result<Vec<Entry>> {
    let write = |(shell, name): (&str, &str)| {
        let mut command = Command::new(binary);
        command.args(["completions", shell]);
        let output = command
            .output()
            .with_context(|| format!("`{}` cannot run on this machine", process::line(&command)))?;
        ensure!(output.status.success(), "`{}` failed", process::line(&command));
        Ok(Entry::file(&format!("completions/{name}"), output.stdout))
    };
    COMPLETIONS.into_iter().map(write).collect()
}

/// The pages that `rehearsal man` writes into `folder`, which is removed again.
fn manual_pages(binary: &Path, folder: &Path) -> Result<Vec<Entry>> {
    if folder.is_dir() {
        // It has the pages of an interrupted run.
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    process::run(Command::new(binary).arg("man").arg(folder))?;
    let mut pages = Vec::new();
    for path in files_below(folder)? {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.with_context(|| format!("{} has no valid name", path.display()))?;
        pages.push(Entry::file(&format!("man/man1/{name}"), read(&path)?));
    }
    ensure!(!pages.is_empty(), "`rehearsal man` wrote no page");
    fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    Ok(pages)
}

/// The time of the commit in seconds since 1970, or of `SOURCE_DATE_EPOCH` if that is set.
fn commit_time(workspace: &Workspace) -> Result<u64> {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok();
    let seconds = given.or_else(|| {
        let mut command = Command::new("git");
        process::output(command.args(["log", "-1", "--format=%ct"]).current_dir(workspace.root()))
    });
    let seconds = seconds.context(
        "git does not show the time of the commit: set SOURCE_DATE_EPOCH to seconds since 1970",
    )?;
    seconds.parse().with_context(|| format!("`{seconds}` is not a number of seconds"))
}

/// One line for each archive in `folder`: its SHA-256 and its name.
fn checksums(folder: &Path) -> Result<String> {
    let mut lines = String::new();
    for path in files_below(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".tar.gz") {
            let digest = Sha256::digest(read(&path)?);
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            lines.push_str(&format!("{digest}  {name}\n"));
        }
    }
    Ok(lines)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Stands in for the program, which takes minutes to build.
    const PROGRAM: &str = "#!/bin/sh\n\
        case $1 in\n\
        completions) echo \"for $2\" ;;\n\
        man) echo page > \"$2/rehearsal.1\"; echo page > \"$2/rehearsal-serve.1\" ;;\n\
        esac\n";

    fn program(folder: &Path, text: &str) -> Result<PathBuf> {
        let path = folder.join("rehearsal");
        fs::write(&path, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }

    #[test]
    fn tar_lists_what_is_packed() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let binary = program(folder.path(), PROGRAM)?;
        let target = "x86_64-unknown-linux-musl";
        let out = folder.path().join("out");
        let archive = pack(&Workspace::find()?, &binary, target, 1_700_000_000, &out)?;
        let listed = process::output(Command::new("tar").arg("-tzf").arg(&archive));
        let top = format!("rehearsal-{VERSION}-{target}/");
        let listed = listed.context("tar cannot read the archive")?.replace(&top, "");
        assert_eq!(
            listed.lines().collect::<Vec<_>>(),
            [
                "CHANGELOG.md",
                "LICENSE-APACHE",
                "LICENSE-MIT",
                "README.md",
                "completions/_rehearsal",
                "completions/rehearsal.bash",
                "completions/rehearsal.fish",
                "man/man1/rehearsal-serve.1",
                "man/man1/rehearsal.1",
                "rehearsal",
                "systemd/rehearsal.service",
            ]
        );
        Ok(())
    }

    #[test]
    fn the_same_files_give_the_same_bytes_and_a_checksum() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let binary = program(folder.path(), PROGRAM)?;
        let workspace = Workspace::find()?;
        let out = folder.path().join("out");
        let first = read(&pack(&workspace, &binary, "aarch64-apple-darwin", 1, &out)?)?;
        let second = read(&pack(&workspace, &binary, "aarch64-apple-darwin", 1, &out)?)?;
        assert!(first == second, "two archives of the same files differ");
        let sums = checksums(&out)?;
        let (digest, name) = sums.trim_end().split_once("  ").context("the checksum is missing")?;
        assert_eq!(digest.len(), 64);
        assert_eq!(name, format!("rehearsal-{VERSION}-aarch64-apple-darwin.tar.gz"));
        Ok(())
    }

    #[test]
    fn a_program_without_manual_pages_is_an_error() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let binary = program(folder.path(), "#!/bin/sh\n[ \"$1\" != man ]\n")?;
        let out = folder.path().join("out");
        let packed = pack(&Workspace::find()?, &binary, "aarch64-apple-darwin", 1, &out);
        let error = packed.expect_err("there are no pages");
        assert!(error.to_string().contains("rehearsal man"), "{error:#}");
        Ok(())
    }
}
