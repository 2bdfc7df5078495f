//! Arguments of `rehearsal score`. Their environment variables have a prefix of their own, because
//! `--config` and `--format` mean other things for the host.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use score_report::Form;
use score_run::Pairing;

use crate::cli::evalset::Target;

/// Arguments of `rehearsal score`.
#[derive(Debug, Clone, Args)]
pub struct ScoreArguments {
    /// Expected cases: eval sets, folders, or patterns such as 'evals/**/*.json'
    #[arg(long, required = true, num_args = 1.., value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub expected: Vec<String>,
    /// Recorded runs: eval sets, or files of ADK's history (*.evalset_result.json)
    #[arg(long, required = true, num_args = 1.., value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub actual: Vec<String>,
    /// The criteria: ADK's test_config.json or AgentFlow's EvalConfig [default: test_config.json
    /// beside the expected files, else the format's own criteria]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// Ask models about the criteria that a model judges: MODEL, such as gemini-2.5-flash, or those that
    /// the criteria name if none is given [default: such criteria are unscored]
    #[arg(long, value_name = "MODEL", num_args = 0..=1, require_equals = true,
        default_missing_value = "")]
    pub judge: Option<String>,
    /// The report format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
    /// The report file; an existing file is replaced [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// An earlier report, written with --format json: the report begins with what has changed since
    #[arg(long, value_name = "REPORT", value_hint = ValueHint::FilePath)]
    pub baseline: Option<PathBuf>,
    /// The lowest pass rate for exit code 0, from 0 to 1 [default: every case must pass]
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub min_pass_rate: Option<f64>,
    /// Select cases with this tag; with several, any of them
    #[arg(long = "tag", value_name = "TAG", value_delimiter = ',')]
    pub tags: Vec<String>,
    /// Select cases by id, such as 'lights_*'
    #[arg(long = "case", value_name = "PATTERN")]
    pub case: Option<String>,
    /// How cases of both sides are paired
    #[arg(long, value_enum, default_value_t)]
    pub pair: PairBy,
    /// The number of scoring threads; with two or more, one reading thread per side is added
    /// [default: one per processor]
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<NonZeroUsize>,
    /// The format of the eval sets on both sides [default: detected from their content]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format_is: Option<Target>,
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.0..=1.0).contains(rate));
    rate.ok_or_else(|| "expected a number from 0 to 1; 80% is 0.8".to_owned())
}

/// How cases of both sides are paired.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum PairBy {
    /// The same eval_id
    #[default]
    Id,
    /// The same position, counted over all files of a side
    Order,
    /// The same user messages in all turns
    Query,
}

impl From<PairBy> for Pairing {
    fn from(pair: PairBy) -> Self {
        match pair {
            PairBy::Id => Self::Id,
            PairBy::Order => Self::Order,
            PairBy::Query => Self::Query,
        }
    }
}

/// The report format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people: cases that did not pass, and a table
    #[default]
    Text,
    /// For programs: an EvalReport, see docs/eval-report.schema.json
    Json,
    /// For CI systems: JUnit's XML
    Junit,
    /// One page that works offline, with the trajectories side by side
    Html,
    /// For a comment on a pull request
    Markdown,
}

impl From<ReportFormat> for Form {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Text => Self::Text,
            ReportFormat::Json => Self::Json,
            ReportFormat::Junit => Self::Junit,
            ReportFormat::Html => Self::Html,
            ReportFormat::Markdown => Self::Markdown,
        }
    }
}
