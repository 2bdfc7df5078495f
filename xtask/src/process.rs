//! Running other programs so that a person can follow: the command line is printed, its output
//! passes through, and a failure says what was run.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::{Build, Workspace};

/// Runs `command` to its end with its output passed through; anything but success is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    let status = command.status().with_context(|| format!("`{line}` could not be started"))?;
    judge(&line, status)
}

fn judge(line: &str, status: ExitStatus) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    match status.code() {
        Some(code) => bail!("`{line}` ended with exit code {code}"),
        None => bail!("`{line}` was ended by a signal"),
    }
}

/// Prints the command line, then runs it.
pub fn run_aloud(command: &mut Command) -> Result<()> {
    eprintln!("{}", line(command));
    run(command)
}

/// A program that runs beside this one. It is ended with it.
#[derive(Debug)]
pub struct Beside {
    child: Child,
    line: String,
}

impl Beside {
    /// Prints the command line and starts it; its output passes through.
    pub fn start(command: &mut Command) -> Result<Self> {
        let line = line(command);
        eprintln!("{line} &");
        let child = command.spawn().with_context(|| format!("`{line}` could not be started"))?;
        Ok(Self { child, line })
    }

    /// Waits for its end; anything but success is an error.
    pub fn end(mut self) -> Result<()> {
        let status = self.child.wait().with_context(|| format!("`{}` was lost", self.line))?;
        judge(&self.line, status)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // One that has ended refuses, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What `command` prints on standard output, trimmed; `None` when it cannot run or fails.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The platform that the compiler is for, such as `x86_64-unknown-linux-gnu`.
///
/// # Errors
///
/// When there is no compiler, or it does not say.
pub fn host_triple() -> Result<String> {
    let version = answer(Command::new("rustc").arg("-vV")).context("rustc does not start")?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not name its platform")?.to_owned())
}

/// The command line as a person would type it, without the folders of programs.
pub fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
    command.get_args().fold(program.into_owned(), |line, argument| {
        let argument = argument.to_string_lossy();
        if argument.is_empty() || argument.contains(char::is_whitespace) {
            format!("{line} '{argument}'")
        } else {
            format!("{line} {argument}")
        }
    })
}

/// `cargo`, in the top folder, with the target folder of this run.
///
/// The variables that `cargo run` set for this program are taken out again: build scripts would
/// see them change from call to call and rebuild.
pub fn cargo(workspace: &Workspace) -> Command {
    let mut command = Command::new("cargo");
    for (name, _) in env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("CARGO_PKG_") || name_text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
        .current_dir(workspace.root())
        .env("CARGO_TARGET_DIR", workspace.target())
        .env("REHEARSAL_SITE_DIR", workspace.site(Build::Shipped));
    command
}

/// `cargo` for a program with its page: views are erased to one type, which makes the client a fifth
/// smaller and unoptimized less than half as large. Host and client must agree on it, for it decides
/// what markup is hydrated.
pub fn page_cargo(workspace: &Workspace) -> Command {
    let mut command = cargo(workspace);
    let flags = env::var("RUSTFLAGS").unwrap_or_default();
    command.env("RUSTFLAGS", format!("{flags} --cfg erase_components").trim());
    command
}

/// A program of npm's, which is a script with another name on Windows.
pub fn npm_program(name: &str) -> Command {
    if cfg!(windows) { Command::new(format!("{name}.cmd")) } else { Command::new(name) }
}

/// The first file called `name` on `PATH`.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|candidate| candidate.is_file())
}

/// `PATH` with `folders` before everything else.
pub fn path_with(folders: &[PathBuf]) -> Result<OsString> {
    let inherited = env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(env::split_paths(&inherited));
    env::join_paths(all).context("a folder's name holds the separator of PATH")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_reads_as_typed() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["test", "--", "a name", ""]);
        assert_eq!(line(&command), "cargo test -- 'a name' ''");
    }

    #[test]
    fn a_failure_names_the_command_and_its_exit_code() {
        let mut command = Command::new("cargo");
        command.args(["--no-such-option"]).stderr(Stdio::null());
        let error = run(&mut command).expect_err("cargo refuses the option");
        assert_eq!(error.to_string(), "`cargo --no-such-option` ended with exit code 1");
    }
}
