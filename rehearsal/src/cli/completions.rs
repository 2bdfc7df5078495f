//! `rehearsal completions`: completions for shells.

use std::io::{self, ErrorKind, Write};

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::CommandLine;

/// Writes the completions for `shell`. A closed pipe is not an error.
///
/// # Errors
/// `out` cannot be written.
pub fn write_completions(shell: Shell, out: &mut impl Write) -> io::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), "rehearsal", &mut text);
    match out.write_all(&text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
