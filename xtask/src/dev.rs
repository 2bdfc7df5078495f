//! `cargo xtask dev`: rebuild and reload while editing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use xtask::workspace::Workspace;
use xtask::{process, stamp};

use crate::setup;

/// How often imported stylesheets are checked for changes.
const POLL: Duration = Duration::from_millis(400);

/// The name that `cargo leptos` gives `main.css`. Until it exists, `cargo leptos` may still clear the folder.
const COPIED: &str = "rehearsal.css";

/// Runs `cargo leptos watch` with its tools on `PATH`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    setup::for_dev(workspace)?;
    // `site-root` in Cargo.toml is relative to the checkout, wherever the target folder is.
    let site = workspace.root().join("target").join("site");
    // `cargo leptos` clears the folder, and fails if files are written meanwhile.
    if site.exists() {
        fs::remove_dir_all(&site).with_context(|| format!("{} stays", site.display()))?;
    }
    // The page is embedded by the folder's real path, which only a folder that exists has.
    fs::create_dir_all(&site).with_context(|| format!("{} cannot be made", site.display()))?;
    keep_imports_beside(workspace.root().join("style"), site.join("pkg"));
    let path =
        process::path_with(&[workspace.cargo_programs().join("bin"), workspace.npm_programs()])?;
    let mut command = workspace.cargo();
    command
        .args(["leptos", "watch"])
        .args(arguments)
        .env("PATH", path)
        .env("REHEARSAL_SITE_DIR", site);
    if std::env::var_os("REHEARSAL_PYTHON").is_none() && workspace.python().is_file() {
        command.env("REHEARSAL_PYTHON", workspace.python());
    }
    eprintln!("{}", process::line(&command));
    process::run(&mut command)?;
    Ok(ExitCode::SUCCESS)
}

/// Copies imported stylesheets beside `main.css`, now and whenever they change, until this program ends.
/// `cargo leptos` copies only `main.css`.
fn keep_imports_beside(style: PathBuf, pkg: PathBuf) {
    thread::spawn(move || {
        let mut was_reported = false;
        loop {
            if let Err(error) = copy_imports(&style, &pkg)
                && !was_reported
            {
                eprintln!("warning: the stylesheets are not up to date: {error:#}");
                was_reported = true;
            }
            thread::sleep(POLL);
        }
    });
}

fn copy_imports(style: &Path, pkg: &Path) -> Result<()> {
    if !pkg.join(COPIED).is_file() {
        return Ok(());
    }
    for source in stamp::files_below(style)? {
        let Ok(name) = source.strip_prefix(style) else { continue };
        let path = pkg.join(name);
        let contents = fs::read(&source)?;
        if name == Path::new("main.css") || fs::read(&path).is_ok_and(|there| there == contents) {
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, contents)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_follow_their_sources_and_the_main_file_is_left_to_cargo_leptos() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (style, pkg) = (folder.path().join("style"), folder.path().join("pkg"));
        fs::create_dir_all(&style)?;
        fs::write(style.join("main.css"), "@import \"a.css\";")?;
        fs::write(style.join("a.css"), "a {}")?;
        copy_imports(&style, &pkg)?;
        assert!(!pkg.exists());
        fs::create_dir_all(&pkg)?;
        fs::write(pkg.join(COPIED), "@import \"a.css\";")?;
        copy_imports(&style, &pkg)?;
        fs::write(style.join("a.css"), "b {}")?;
        copy_imports(&style, &pkg)?;
        assert_eq!(fs::read_to_string(pkg.join("a.css"))?, "b {}");
        assert!(!pkg.join("main.css").exists());
        Ok(())
    }
}
