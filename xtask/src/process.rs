//! Runs other programs: prints the command line, passes the output through, and names the command in
//! errors.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

/// Runs `command` and passes its output through. Fails unless the command succeeds.
pub fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    let status = command.status().with_context(|| format!("`{line}` could not be started"))?;
    check_status(&line, status)
}

pub(crate) fn check_status(line: &str, status: ExitStatus) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    match status.code() {
        Some(code) => bail!("`{line}` ended with exit code {code}"),
        None => bail!("`{line}` was ended by a signal"),
    }
}

/// Prints the command line, then runs it.
pub fn print_and_run(command: &mut Command) -> Result<()> {
    eprintln!("{}", line(command));
    run(command)
}

/// A program that runs in the background. Dropping this kills it.
#[derive(Debug)]
pub struct Background {
    child: Child,
    line: String,
}

impl Background {
    /// Prints the command line and starts it. Its output passes through.
    pub fn start(command: &mut Command) -> Result<Self> {
        let line = line(command);
        eprintln!("{line} &");
        let child = command.spawn().with_context(|| format!("`{line}` could not be started"))?;
        Ok(Self { child, line })
    }

    /// Waits for its end. Fails unless the program succeeds.
    pub fn wait(mut self) -> Result<()> {
        let status = self
            .child
            .wait()
            .with_context(|| format!("`{}` could not be waited for", self.line))?;
        check_status(&self.line, status)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // This fails if the program has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The standard output of `command`, trimmed; `None` if it cannot run or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The platform that the compiler is for, such as `x86_64-unknown-linux-gnu`.
///
/// # Errors
///
/// When there is no compiler, or its output names no platform.
pub fn host_triple() -> Result<String> {
    let version = output(Command::new("rustc").arg("-vV")).context("rustc does not start")?;
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
    env::join_paths(all).context("a folder's name contains the separator of PATH")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_a_command_line_as_typed() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["test", "--", "a name", ""]);
        assert_eq!(line(&command), "cargo test -- 'a name' ''");
    }

    #[test]
    fn a_failure_names_the_command_and_its_exit_code() {
        let mut command = Command::new("cargo");
        command.args(["--no-such-option"]).stderr(Stdio::null());
        let error = run(&mut command).expect_err("cargo rejects the option");
        assert_eq!(error.to_string(), "`cargo --no-such-option` ended with exit code 1");
    }
}
