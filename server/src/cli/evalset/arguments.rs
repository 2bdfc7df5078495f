//! What can be asked of eval-set files.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::super::Format;

/// What can be done with eval-set files.
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

Ends with 0, with 1 when a file cannot be read, with 2 when no file is there.")]
    List(ListArguments),
    /// Show cases as the conversations they are
    #[command(after_help = "\
Examples:
  rehearsal evalset show evals/home.evalset.json
  rehearsal evalset show evals/home.evalset.json lights_off --format json
  rehearsal evalset show evals/home.evalset.json '#3'

Ends with 0, with 1 when the file cannot be read, with 2 when there is no such file or case.")]
    Show(ShowArguments),
    /// Say of files everything that ADK or AgentFlow would refuse or lose
    #[command(after_help = "\
Every finding has the file, the line and the column, the case and the path in it, and what to do. \
With --format json every finding is one line.

Examples:
  rehearsal evalset lint evals
  rehearsal evalset lint 'evals/*.json' --format json | jq 'select(.severity == \"error\")'

Ends with 0 when nothing is an error, with 1 when something is, with 2 when no file is there.")]
    Lint(LintFilesArguments),
    /// Convert files between ADK's format and AgentFlow's, without loss
    #[command(after_help = "\
What the other format has no field for is kept and returns: ADK's under `metadata.adk`, AgentFlow's \
under `agentflow` of each case.
One file goes to --output or to standard output, several go into --output-folder under their names.

Examples:
  rehearsal evalset convert --to agentflow evals/home.evalset.json
  rehearsal evalset convert --to adk old.test.json --output home.evalset.json
  rehearsal evalset convert --to adk flows/*.evalset.json --output-folder evals

Ends with 0, with 1 when a file has errors (nothing is written then), with 2 when no file is there.")]
    Convert(ConvertArguments),
    /// Join files into one
    #[command(after_help = "\
Examples:
  rehearsal evalset merge evals/*.evalset.json --output all.evalset.json
  rehearsal evalset merge a.json b.json --output both.evalset.json --id both --rename

Ends with 0, with 1 when a file has errors or two cases go by one id, with 2 when no file is there.")]
    Merge(MergeArguments),
    /// Part a file into several
    #[command(after_help = "\
Examples:
  rehearsal evalset split all.evalset.json --output-folder parts
  rehearsal evalset split all.evalset.json --output-folder parts --cases 100

Ends with 0, with 1 when the file has errors, with 2 when there is no such file.")]
    Split(SplitArguments),
    /// Add the cases of files to a file, leaving its bytes as they are
    #[command(after_help = "\
The file is locked, written durably, and safe against other writers and a sudden end, as an export \
is. Cases take on its format and its layout. To begin a file, use merge.

Examples:
  rehearsal evalset append evals/home.evalset.json new.evalset.json
  rehearsal evalset append evals/home.evalset.json 'inbox/*.json' --rename

Ends with 0, with 1 when a file has errors or an id is taken, with 2 when no file is there.")]
    Append(AppendArguments),
    /// Compare two files case by case
    #[command(after_help = "\
Cases are matched by their ids. Numbers and keys compare as Python compares them: 1 equals 1.0, and \
the order of keys does not count. A file in the other format is converted first.

Examples:
  rehearsal evalset diff before.evalset.json after.evalset.json
  rehearsal evalset diff a.json b.json --format json | jq .path

Ends with 0 when both say the same, with 1 when they differ, with 2 when one cannot be read.")]
    Diff(DiffArguments),
}

/// Arguments of `rehearsal evalset list`.
#[derive(Debug, Clone, Args)]
pub struct ListArguments {
    /// Files, folders, or patterns such as 'evals/**/*.json'
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// Only cases with this tag; several: with one of them
    #[arg(long = "tag", env = "REHEARSAL_TAG", value_name = "TAG", value_delimiter = ',')]
    pub tags: Vec<String>,
    /// Only cases that call this tool; several: one of them
    #[arg(long = "tool", env = "REHEARSAL_TOOL", value_name = "TOOL", value_delimiter = ',')]
    pub tools: Vec<String>,
    /// Only cases whose id matches, such as 'lights_*'
    #[arg(long = "case", env = "REHEARSAL_CASE", value_name = "PATTERN")]
    pub case: Option<String>,
    /// For reading, or for programs: then one JSON object a line
    #[arg(long, env = "REHEARSAL_FORMAT", value_enum, default_value_t)]
    pub format: Format,
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
    /// For reading, or for programs: then the case as it stands in the file
    #[arg(long, env = "REHEARSAL_FORMAT", value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `rehearsal evalset lint`.
#[derive(Debug, Clone, Args)]
pub struct LintFilesArguments {
    /// Files, folders, or patterns such as 'evals/**/*.json'
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// For reading, or for programs: then one JSON object a line
    #[arg(long, env = "REHEARSAL_FORMAT", value_enum, default_value_t)]
    pub format: Format,
}

/// The format to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Google ADK's
    Adk,
    /// AgentFlow's
    Agentflow,
}

/// Arguments of `rehearsal evalset convert`.
#[derive(Debug, Clone, Args)]
pub struct ConvertArguments {
    /// Files, folders, or patterns such as 'evals/**/*.json'
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// The format to write
    #[arg(long, env = "REHEARSAL_TO", value_enum)]
    pub to: Target,
    /// Where one file goes [default: standard output]
    #[arg(long, short, env = "REHEARSAL_OUTPUT", value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "output_folder")]
    pub output: Option<PathBuf>,
    /// Where several files go, under their names
    #[arg(long, env = "REHEARSAL_OUTPUT_FOLDER", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output_folder: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long, env = "REHEARSAL_FORCE")]
    pub force: bool,
}

/// Arguments of `rehearsal evalset merge`.
#[derive(Debug, Clone, Args)]
pub struct MergeArguments {
    /// Files, folders, or patterns; their cases stand in this order
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// The file to write
    #[arg(long, short, env = "REHEARSAL_OUTPUT", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The format to write [default: the first file's]
    #[arg(long, env = "REHEARSAL_TO", value_enum)]
    pub to: Option<Target>,
    /// The id of the new set [default: the name of the output]
    #[arg(long, env = "REHEARSAL_ID", value_name = "ID")]
    pub id: Option<String>,
    /// Number ids that stand twice: `a`, `a_2`, `a_3`
    #[arg(long, env = "REHEARSAL_RENAME")]
    pub rename: bool,
    /// Write over a file that is there
    #[arg(long, env = "REHEARSAL_FORCE")]
    pub force: bool,
}

/// Arguments of `rehearsal evalset split`.
#[derive(Debug, Clone, Args)]
pub struct SplitArguments {
    /// The file
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Where the parts go
    #[arg(long, env = "REHEARSAL_OUTPUT_FOLDER", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output_folder: PathBuf,
    /// How many cases a part holds
    #[arg(long, env = "REHEARSAL_CASES", value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub cases: u64,
    /// Write over files that are there
    #[arg(long, env = "REHEARSAL_FORCE")]
    pub force: bool,
}

/// Arguments of `rehearsal evalset append`.
#[derive(Debug, Clone, Args)]
pub struct AppendArguments {
    /// The file that grows
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Files, folders, or patterns: whose cases are added
    #[arg(required = true, value_name = "FROM", value_hint = ValueHint::AnyPath)]
    pub from: Vec<String>,
    /// Number ids that are taken: `a`, `a_2`, `a_3`
    #[arg(long, env = "REHEARSAL_RENAME")]
    pub rename: bool,
}

/// Arguments of `rehearsal evalset diff`.
#[derive(Debug, Clone, Args)]
pub struct DiffArguments {
    /// What was
    #[arg(value_hint = ValueHint::FilePath)]
    pub before: PathBuf,
    /// What is
    #[arg(value_hint = ValueHint::FilePath)]
    pub after: PathBuf,
    /// For reading, or for programs: then one JSON object a line
    #[arg(long, env = "REHEARSAL_FORMAT", value_enum, default_value_t)]
    pub format: Format,
}
