//! [`Host`]: the binary, serving from a folder of its own.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A running host; stopped, and its folder removed, when dropped.
pub struct Host {
    child: Child,
    address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Host {
    /// Starts `binary serve` with these arguments in an empty folder, on a free port.
    ///
    /// # Panics
    /// If it does not serve, with its output.
    #[must_use]
    pub fn start(binary: &Path, python: Option<&Path>, arguments: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), binary, python, arguments, &[])
    }

    /// The same, in a folder that was prepared, with more variables.
    ///
    /// # Panics
    /// If it does not serve, with its output.
    #[must_use]
    pub fn start_in(
        folder: tempfile::TempDir,
        binary: &Path,
        python: Option<&Path>,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let mut command = Command::new(binary);
        command
            .arg("serve")
            .args(["--listen", "127.0.0.1:0"])
            .args(arguments)
            .current_dir(folder.path())
            .envs(variables.iter().copied())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if let Some(python) = python {
            command.env("REHEARSAL_PYTHON", python);
        }
        let mut child = command.spawn().expect("the binary starts");
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut output = String::new();
        let address = loop {
            let mut line = String::new();
            if lines.read_line(&mut line).unwrap() == 0 {
                panic!("the host ended: {output}");
            }
            output.push_str(&line);
            if let Some((_, address)) = line.split_once("serving at http://") {
                break address.trim().parse().expect("an address");
            }
        };
        // Later output must not fill the pipe.
        std::thread::spawn(move || {
            let mut rest = String::new();
            let _ = lines.read_to_string(&mut rest);
        });
        Self { child, address, folder }
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its working directory.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The processes that it started and that still run (Linux).
    #[must_use]
    pub fn children(&self) -> Vec<u32> {
        children_of(self.pid())
    }

    /// Stops it and waits; returns whether it ended successfully in time.
    pub fn stop(&mut self) -> bool {
        signal(self.pid(), Signal::TERM);
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(10) {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) && !self.stop() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Sends a signal to a process, which may have ended.
pub fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let _ = kill_process(pid.expect("a process id"), signal);
}

fn children_of(parent: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| status_of(*pid).is_some_and(|status| status.1 == parent))
        .collect()
}

/// Whether a process runs (Linux) and is not a zombie.
#[must_use]
pub fn runs(pid: u32) -> bool {
    status_of(pid).is_some_and(|status| status.0 != 'Z')
}

fn status_of(pid: u32) -> Option<(char, u32)> {
    let path: PathBuf = ["/proc", &pid.to_string(), "stat"].iter().collect();
    let text = std::fs::read_to_string(path).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}
