//! `rehearsal evalset`: lists, shows, checks, converts, merges, splits and compares eval-set files.
//!
//! This module reads arguments and prints; `evalset` has the formats and `evalset-file` the files.
//! Each command returns a [`Status`], or an error if there is no input.

mod append;
mod arguments;
mod convert;
mod diff;
mod error;
pub(super) mod files;
mod filter;
mod lint;
mod list;
mod lookup;
mod merge;
mod output;
pub(super) mod progress;
mod show;
mod split;
mod valid_file;

use std::fmt::Display;
use std::io::Write;

pub use arguments::{
    AppendArguments, ConvertArguments, DiffArguments, EvalsetCommand, FormatIs, LintFilesArguments,
    ListArguments, MergeArguments, ShowArguments, SplitArguments, Target,
};
pub use error::EvalsetError;

/// The outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// No errors and no differences.
    Success,
    /// An error, a difference, or a file that cannot be read.
    Findings,
}

/// Runs a command; writes its findings to `out` and the faults of single files to standard error.
///
/// # Errors
/// [`EvalsetError`] if there is nothing to work on or the command failed.
pub fn evalset(command: &EvalsetCommand, out: &mut impl Write) -> Result<Status, EvalsetError> {
    match command {
        EvalsetCommand::List(arguments) => list::list(arguments, out),
        EvalsetCommand::Show(arguments) => show::show(arguments, out),
        EvalsetCommand::Lint(arguments) => lint::lint(arguments, out),
        EvalsetCommand::Convert(arguments) => convert::convert(arguments, out),
        EvalsetCommand::Merge(arguments) => merge::merge(arguments, out),
        EvalsetCommand::Split(arguments) => split::split(arguments, out),
        EvalsetCommand::Append(arguments) => append::append(arguments, out),
        EvalsetCommand::Diff(arguments) => diff::diff(arguments, out),
    }
}

/// `1 case`, `2 cases`.
fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
