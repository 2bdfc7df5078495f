//! Completions for shells, made from the command line's own definition.

use std::io::Write;

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::CommandLine;

/// Writes the completions for `shell`.
pub fn write_completions(shell: Shell, out: &mut impl Write) {
    clap_complete::generate(shell, &mut CommandLine::command(), "rehearsal", out);
}
