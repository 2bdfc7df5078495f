//! Arguments of `rehearsal eval`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// Arguments of `rehearsal eval`.
#[derive(Debug, Clone, Args)]
pub struct EvalArguments {
    /// Suites in YAML or JSON, or eval sets of google-adk and AgentFlow
    #[arg(required_unless_present = "schema", value_name = "SUITE", value_hint = ValueHint::FilePath)]
    pub suites: Vec<PathBuf>,
    /// Select cases by name, such as 'chest_*'
    #[arg(long = "case", env = "REHEARSAL_EVAL_CASE", value_name = "PATTERN")]
    pub case: Option<String>,
    /// Select cases with this tag; with several, any of them
    #[arg(long = "tag", env = "REHEARSAL_EVAL_TAG", value_name = "TAG", value_delimiter = ',')]
    pub tags: Vec<String>,
    /// The number of cases that run at the same time [default: one per processor]
    #[arg(long, env = "REHEARSAL_EVAL_JOBS", value_name = "NUMBER")]
    pub jobs: Option<NonZeroUsize>,
    /// Cancel the other cases when one errs, fails or is terminated
    #[arg(long, env = "REHEARSAL_EVAL_STOP_ON_FIRST_FAILURE")]
    pub stop_on_first_failure: bool,
    /// The agent of eval sets: a folder that `adk web` loads [default: the folder of the eval set]
    #[arg(long, env = "REHEARSAL_EVAL_AGENT", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub agent: Option<PathBuf>,
    /// The criteria of eval sets: ADK's test_config.json [default: test_config.json beside the eval
    /// set, else ADK's own criteria]
    #[arg(long, env = "REHEARSAL_EVAL_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// The model of the agent at every depth, such as gemini-2.5-pro; `replay` responds as the
    /// recorded trace of an eval set [default: the models that the agent names]
    #[arg(long, env = "REHEARSAL_EVAL_MODEL", value_name = "MODEL")]
    pub model: Option<String>,
    /// Tools of eval sets that run; every other call is answered by the recording, or is an error
    #[arg(long, env = "REHEARSAL_EVAL_REAL_TOOLS", value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pub real_tools: Vec<String>,
    /// The Python interpreter, or its virtual environment, for agents without their own
    #[arg(long, env = "REHEARSAL_PYTHON", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub python: Option<PathBuf>,
    /// The format of the results
    #[arg(long, env = "REHEARSAL_EVAL_FORMAT", value_enum, default_value_t)]
    pub format: EvalFormat,
    /// The file for the results; an existing file is replaced [default: standard output]
    #[arg(long, short, env = "REHEARSAL_EVAL_OUTPUT", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Print the JSON Schema of suites, and stop there
    #[arg(long, env = "REHEARSAL_EVAL_SCHEMA")]
    pub schema: bool,
}

/// The format of the results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum EvalFormat {
    /// A line for each case as it ends, and why it did not pass
    #[default]
    Text,
    /// One object with every result and its ledger
    Json,
}
