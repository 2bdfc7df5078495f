//! `rehearsal evalset`: eval-set files listed, shown, checked, converted, joined, parted, compared.
//!
//! What the formats are is `evalset`'s, what files are is `evalset-file`'s; here is what reads
//! arguments and prints. Each command says how it went: everything in order, something found (a
//! fault, a difference), or nothing to work on.

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
mod sound_file;
mod split;

use std::fmt::Display;
use std::io::Write;

pub use arguments::{
    AppendArguments, ConvertArguments, DiffArguments, EvalsetCommand, LintFilesArguments,
    ListArguments, MergeArguments, ShowArguments, SplitArguments, Target,
};
pub use error::EvalsetError;

/// How a command went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Went {
    /// Everything is in order.
    Well,
    /// Something was found: a fault, a difference, a file that cannot be read.
    Found,
}

/// Runs a command; what it finds goes to `out`, what is wrong with single files to standard error.
///
/// # Errors
/// [`EvalsetError`] when there is nothing to work on, or when the work could not be done.
pub fn evalset(command: &EvalsetCommand, out: &mut impl Write) -> Result<Went, EvalsetError> {
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
