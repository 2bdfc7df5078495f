//! Arguments of `rehearsal evalset`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::super::Format;

/// Commands of `rehearsal evalset`.
#[derive(Debug, Clone, Subcommand)]
pub enum EvalsetCommand {
    /// List the cases of files: id, number of turns
    #[command(after_help = "\
With --format json every case is one line, with `file`, `index`, `eval_id` and `turns`; with a filter \
also `tags` and `tools`.
A file of any size is listed in constant memory.

Examples:
  rehearsal evalset list evals
  rehearsal evalset list 'evals/**/*.json' --tool get_weather
  rehearsal evalset list evals/home.evalset.json --format json | jq -r .eval_id

Exits with 0, with 1 if a file cannot be read, with 2 if no file exists.")]
    List(ListArguments),
    /// Print cases as conversations
    #[command(after_help = "\
Examples:
  rehearsal evalset show evals/home.evalset.json
  rehearsal evalset show evals/home.evalset.json lights_off --format json
  rehearsal evalset show evals/home.evalset.json '#3'

Exits with 0, with 1 if the file cannot be read, with 2 if the file or case does not exist.")]
    Show(ShowArguments),
    /// Report everything that ADK or AgentFlow would reject or lose
    #[command(after_help = "\
Every finding has the file, the line and the column, the case and the path in it, and what to do. \
With --format json every finding is one line.

Examples:
  rehearsal evalset lint evals
  rehearsal evalset lint 'evals/*.json' --format json | jq 'select(.severity == \"error\")'

Exits with 0 if there are no errors, with 1 if there are, with 2 if no file exists.")]
    Lint(LintFilesArguments),
    /// Convert files between ADK's format and AgentFlow's, without loss
    #[command(after_help = "\
What the other format has no field for is kept and restored on the way back: ADK's under `metadata.adk`, AgentFlow's \
under `agentflow` of each case.
One file goes to --output or to standard output, several go into --output-folder under their names.

Examples:
  rehearsal evalset convert --to agentflow evals/home.evalset.json
  rehearsal evalset convert --to adk old.test.json --output home.evalset.json
  rehearsal evalset convert --to adk flows/*.evalset.json --output-folder evals

Exits with 0, with 1 if a file has errors (then nothing is written), with 2 if no file exists.")]
    Convert(ConvertArguments),
    /// Merge files into one
    #[command(after_help = "\
Examples:
  rehearsal evalset merge evals/*.evalset.json --output all.evalset.json
  rehearsal evalset merge a.json b.json --output both.evalset.json --id both --rename

Exits with 0, with 1 if a file has errors or an id is repeated, with 2 if no file exists.")]
    Merge(MergeArguments),
    /// Split a file into several
    #[command(after_help = "\
Examples:
  rehearsal evalset split all.evalset.json --output-folder parts
  rehearsal evalset split all.evalset.json --output-folder parts --cases 100

Exits with 0, with 1 if the file has errors, with 2 if it does not exist.")]
    Split(SplitArguments),
    /// Add cases to a file without changing its other bytes
    #[command(after_help = "\
The file is locked, written durably, and safe against other writers and a sudden end, as an export \
is. Cases get its format and layout. A case that the file has already, unchanged, is skipped, so that \
a command that could not finish can be run again. To create a file, use merge.

Examples:
  rehearsal evalset append evals/home.evalset.json new.evalset.json
  rehearsal evalset append evals/home.evalset.json 'inbox/*.json' --rename

Exits with 0, with 1 if a file has errors or an id already exists, with 2 if no file exists.")]
    Append(AppendArguments),
    /// Compare two files case by case
    #[command(after_help = "\
Cases are matched by their ids. Numbers and keys compare as Python compares them: 1 equals 1.0, and \
the order of keys does not count. A file in the other format is converted first.

Examples:
  rehearsal evalset diff before.evalset.json after.evalset.json
  rehearsal evalset diff a.json b.json --format json | jq .path

Exits with 0 if the files are equal, with 1 if they differ, with 2 if one cannot be read.")]
    Diff(DiffArguments),
}

/// The format of the files to read.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct FormatIs {
    /// The format of the files that are read [default: detected from their content]
    #[arg(long = "format-is", value_enum, value_name = "FORMAT")]
    format_is: Option<Target>,
}

impl FormatIs {
    /// The given format, if there is one.
    #[must_use]
    pub fn chosen(self) -> Option<evalset::Format> {
        self.format_is.map(evalset::Format::from)
    }
}

/// Arguments of `rehearsal evalset list`.
#[derive(Debug, Clone, Args)]
pub struct ListArguments {
    /// Files, folders, or patterns such as 'evals/**/*.json'
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// Select cases with this tag; with several, any of them
    #[arg(long = "tag", value_name = "TAG", value_delimiter = ',')]
    pub tags: Vec<String>,
    /// Select cases that call this tool; with several, any of them
    #[arg(long = "tool", value_name = "TOOL", value_delimiter = ',')]
    pub tools: Vec<String>,
    /// Select cases by id, such as 'lights_*'
    #[arg(long = "case", value_name = "PATTERN")]
    pub case: Option<String>,
    /// The output format; json is one object per line
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The format of the files
    #[command(flatten)]
    pub format_is: FormatIs,
}

/// Arguments of `rehearsal evalset show`.
#[derive(Debug, Clone, Args)]
pub struct ShowArguments {
    /// The file
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The cases, by id or by place such as '#0'; all of them unless some are named
    #[arg(value_name = "CASE")]
    pub cases: Vec<String>,
    /// The output format; json is the case as in the file
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The format of the files
    #[command(flatten)]
    pub format_is: FormatIs,
}

/// Arguments of `rehearsal evalset lint`.
#[derive(Debug, Clone, Args)]
pub struct LintFilesArguments {
    /// Files, folders, or patterns such as 'evals/**/*.json'
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// The output format; json is one object per line
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The format of the files
    #[command(flatten)]
    pub format_is: FormatIs,
}

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Google ADK's
    Adk,
    /// AgentFlow's
    Agentflow,
}

impl From<Target> for evalset::Format {
    fn from(target: Target) -> Self {
        match target {
            Target::Adk => Self::Adk,
            Target::Agentflow => Self::AgentFlow,
        }
    }
}

/// Arguments of `rehearsal evalset convert`.
#[derive(Debug, Clone, Args)]
pub struct ConvertArguments {
    /// Files, folders, or patterns such as 'evals/**/*.json'
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// The format to write
    #[arg(long, value_enum)]
    pub to: Target,
    /// The output for one file [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "output_folder")]
    pub output: Option<PathBuf>,
    /// The folder for several files, under their names
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output_folder: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// The format of the files
    #[command(flatten)]
    pub format_is: FormatIs,
}

/// Arguments of `rehearsal evalset merge`.
#[derive(Debug, Clone, Args)]
pub struct MergeArguments {
    /// Files, folders, or patterns; their cases keep this order
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// The file to write
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The format to write [default: the first file's]
    #[arg(long, value_enum)]
    pub to: Option<Target>,
    /// The id of the new set [default: the name of the output]
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Number repeated ids: `a`, `a_2`, `a_3`
    #[arg(long)]
    pub rename: bool,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// The format of the files
    #[command(flatten)]
    pub format_is: FormatIs,
}

/// Arguments of `rehearsal evalset split`.
#[derive(Debug, Clone, Args)]
pub struct SplitArguments {
    /// The file
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The folder for the parts
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output_folder: PathBuf,
    /// The number of cases per part
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub cases: u64,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
    /// The format of the files
    #[command(flatten)]
    pub format_is: FormatIs,
}

/// Arguments of `rehearsal evalset append`.
#[derive(Debug, Clone, Args)]
pub struct AppendArguments {
    /// The file to append to
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Files, folders, or patterns with the cases to add
    #[arg(required = true, value_name = "FROM", value_hint = ValueHint::AnyPath)]
    pub from: Vec<String>,
    /// Number ids that already exist: `a`, `a_2`, `a_3`
    #[arg(long)]
    pub rename: bool,
}

/// Arguments of `rehearsal evalset diff`.
#[derive(Debug, Clone, Args)]
pub struct DiffArguments {
    /// The earlier file
    #[arg(value_hint = ValueHint::FilePath)]
    pub before: PathBuf,
    /// The later file
    #[arg(value_hint = ValueHint::FilePath)]
    pub after: PathBuf,
    /// The output format; json is one object per line
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The format of the files
    #[command(flatten)]
    pub format_is: FormatIs,
}
