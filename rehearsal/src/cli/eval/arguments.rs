//! Arguments of `rehearsal eval`.

use std::convert::Infallible;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args, Subcommand, ValueEnum, ValueHint};
use eval::file::MOST_REPEATS;
use eval::python::Isolation;
use eval::store::DEFAULT_STORE;
use eval::tool_mode::{ToolMode, UnknownToolMode};
use score_report::Form;

/// `rehearsal eval`: runs suites, unless another command is given.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct EvalCommandLine {
    /// Another command.
    #[command(subcommand)]
    pub command: Option<EvalCommand>,
    /// Arguments of a run.
    #[command(flatten)]
    pub run: EvalArguments,
}

/// What can be done with runs besides running.
#[derive(Debug, Clone, Subcommand)]
pub enum EvalCommand {
    /// Merge runs of --shard into one run, and report it
    #[command(after_help = "\
Examples:
  rehearsal eval triage.eval.yaml --shard 1/2 --store shard-1.sqlite
  rehearsal eval triage.eval.yaml --shard 2/2 --store shard-2.sqlite
  rehearsal eval merge triage.eval.yaml --from shard-1.sqlite shard-2.sqlite --format junit

Give the suites and options as for the shards. Exits as `rehearsal eval`, and with 1 if a case has no \
result in any of the files.")]
    Merge(Box<MergeRunsArguments>),
    /// Write a suite from a recorded case: its tools answered by mocks as recorded, its criteria proposed
    #[command(after_help = "\
Example:
  rehearsal eval init agents/home/home.evalset.json --case warmer --output home.eval.yaml

Then edit the suite: mocks for other arguments, a user that is played by a model, metrics.")]
    Init(InitSuiteArguments),
    /// List the stored runs, or the results of one
    #[command(after_help = "\
Examples:
  rehearsal eval runs                    every run, the newest first
  rehearsal eval runs last               the results of the last run
  rehearsal eval runs 12 --format json   those of run 12 with their metrics, and its forks")]
    Runs(ListRunsArguments),
    /// Start the MCP servers of a suite, and write the tools that they declare
    #[command(after_help = "\
Example:
  rehearsal eval tools library.eval.yaml --output tools.json

Name the file in the suite as `subject: { mcp: { declarations: tools.json, ... } }`. The servers then start \
only where a case lets one of their tools run.")]
    Tools(ToolsOfSuiteArguments),
}

/// Arguments of `rehearsal eval runs`.
#[derive(Debug, Clone, Args)]
pub struct ListRunsArguments {
    /// The run: its number, or `last`; without it, all runs are listed
    #[arg(value_name = "RUN", value_parser = run)]
    pub run: Option<RunChoice>,
    /// The file that keeps the results of runs
    #[arg(long, value_name = "FILE", default_value = DEFAULT_STORE, value_hint = ValueHint::FilePath)]
    pub store: PathBuf,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: ForkFormat,
}

/// Arguments of `rehearsal eval tools`.
#[derive(Debug, Clone, Args)]
pub struct ToolsOfSuiteArguments {
    /// The suite
    #[arg(value_name = "SUITE", value_hint = ValueHint::FilePath)]
    pub suite: PathBuf,
    /// The file; an existing one is replaced [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The Python interpreter, or its virtual environment, for an agent without its own
    #[arg(long, env = "REHEARSAL_PYTHON", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub python: Option<PathBuf>,
}

/// Arguments of `rehearsal eval init`.
#[derive(Debug, Clone, Args)]
pub struct InitSuiteArguments {
    /// The eval set, or a recording
    #[arg(value_name = "EVALSET", value_hint = ValueHint::FilePath)]
    pub eval_set: PathBuf,
    /// The id of the case [default: the only one]
    #[arg(long = "case", value_name = "ID")]
    pub case: Option<String>,
    /// The agent: a folder that `adk web` loads [default: the folder of the eval set, or the one with
    /// the folder `tests`]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub agent: Option<PathBuf>,
    /// The new file; an existing one is not replaced [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// Arguments of `rehearsal eval merge`.
#[derive(Debug, Clone, Args)]
pub struct MergeRunsArguments {
    /// The stores of the shards; of each, the last run of the suites is merged
    #[arg(long, required = true, num_args = 1.., value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub from: Vec<PathBuf>,
    /// Arguments of a run.
    #[command(flatten)]
    pub run: EvalArguments,
}

/// Arguments of `rehearsal eval`.
#[derive(Debug, Clone, Args)]
pub struct EvalArguments {
    /// Suites in YAML or JSON, eval sets of google-adk and AgentFlow, or recordings of google-adk: tests of
    /// `adk test`, and `spec.yaml` of conformance tests
    #[arg(required_unless_present = "schema", value_name = "SUITE", value_hint = ValueHint::FilePath)]
    pub suites: Vec<PathBuf>,
    /// Select cases by name, such as 'chest_*'; with several, any of them
    #[arg(long = "case", value_name = "PATTERN")]
    pub cases: Vec<String>,
    /// Select cases with this tag; with several, any of them
    #[arg(long = "tag", value_name = "TAG", value_delimiter = ',')]
    pub tags: Vec<String>,
    /// The number of cases that run at the same time [default: one per processor]
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<NonZeroUsize>,
    /// How cases of an agent in Python are kept apart
    #[arg(long, value_enum, default_value_t)]
    pub isolation: EvalIsolation,
    /// Cancel the other cases when one errs, fails or is terminated
    #[arg(long)]
    pub stop_on_first_failure: bool,
    /// The agent of eval sets and recordings: a folder that `adk web` loads [default: the folder of the
    /// eval set, or the one with the folder `tests`]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub agent: Option<PathBuf>,
    /// The criteria of eval sets: ADK's test_config.json [default: test_config.json beside the eval
    /// set, else ADK's own criteria]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// The model of the agent at every depth, such as gemini-2.5-pro; `replay` responds as the
    /// recorded case, of an eval set or of `golden` in a suite; with several, each case runs with each
    /// [default: the models that the agent names; for recorded sessions, `replay`]
    #[arg(long = "model", value_name = "MODEL", value_parser = NonEmptyStringValueParser::new())]
    pub models: Vec<String>,
    /// Whether the names of cases end with those of `models`, even if it is only one.
    #[arg(skip)]
    pub names_models: bool,
    /// The judge of all metrics that a model judges, such as gemini-2.5-flash [default: the models that
    /// the metrics name]
    #[arg(long, value_name = "MODEL", value_parser = NonEmptyStringValueParser::new())]
    pub judge: Option<String>,
    /// Decides which calls the faults of suites hit; the same seed hits the same calls [default: as the
    /// suite says, else 0]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Tools of eval sets that run, with all their effects; every other call is answered by the
    /// recording or by the model of --simulate-tools, or is an error
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pub real_tools: Vec<String>,
    /// Tools of eval sets that run and can change their session, and nothing else
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pub sealed_tools: Vec<String>,
    /// The model that plays the other tools of eval sets, such as gemini-2.5-flash, where the recording
    /// has no answer
    #[arg(long, value_name = "MODEL", value_parser = NonEmptyStringValueParser::new())]
    pub simulate_tools: Option<String>,
    /// Refuse to run where the kernel cannot close everything that the agent may not do
    #[arg(long)]
    pub require_seal: bool,
    /// The Python interpreter, or its virtual environment, for agents without their own
    #[arg(long, env = "REHEARSAL_PYTHON", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub python: Option<PathBuf>,
    /// The suite is made of cases in Python, so errors say what to change there
    #[arg(long, hide = true)]
    pub of_python: bool,
    /// Run the agent of the only case turn by turn, as standard input says
    #[arg(long, hide = true)]
    pub runner: bool,
    /// The only case that is wanted.
    #[arg(skip)]
    pub only: Option<String>,
    /// The address of the host that runs the cases, where people respond.
    #[arg(skip)]
    pub host: Option<String>,
    /// How often each case is run [default: as the suite says, else once]
    #[arg(long, value_name = "NUMBER", value_parser = repeats)]
    pub repeats: Option<NonZeroU32>,
    /// Run only this part of the cases, such as 1/4 for the first of four; `rehearsal eval merge` puts
    /// the parts together
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// Continue a run of the same suites, the last one if no number is given: what has ended is not
    /// run again. Give the other options as before
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true,
        default_missing_value = "last", value_parser = run)]
    pub resume: Option<RunChoice>,
    /// Continue a run, the last one if --resume names none, and run again what ended with an error
    #[arg(long, conflicts_with = "rescore")]
    pub retry_errors: bool,
    /// Evaluate the metrics again on the stored ledgers of a run, given by its number or as `last`;
    /// nothing is run
    #[arg(long, value_name = "RUN", value_parser = run, conflicts_with = "resume")]
    pub rescore: Option<RunChoice>,
    /// Begin the report with what has changed since a run, given by its number or as `last`, or since
    /// a report that was written with --format json
    #[arg(long, value_name = "RUN", value_parser = baseline)]
    pub baseline: Option<BaselineChoice>,
    /// The file that keeps the results of runs
    #[arg(long, value_name = "FILE", default_value = DEFAULT_STORE, value_hint = ValueHint::FilePath)]
    pub store: PathBuf,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    pub format: EvalFormat,
    /// The report file; an existing file is replaced [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Also write the results into this folder as ADK's *.evalset_result.json; `adk web` shows those in
    /// AGENT/.adk/eval_history
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub adk_results: Option<PathBuf>,
    /// Print the names and tags of the selected cases, and stop there; as JSON with --format json
    #[arg(long)]
    pub list: bool,
    /// Print the JSON Schema of suites (docs/eval-suite.schema.json), and stop there
    #[arg(long)]
    pub schema: bool,
}

impl EvalArguments {
    /// Those of `rehearsal eval` with these suites, interpreter and store, and without another option.
    pub(crate) fn of_suites(suites: Vec<PathBuf>, python: Option<PathBuf>, store: PathBuf) -> Self {
        Self {
            suites,
            cases: Vec::new(),
            tags: Vec::new(),
            jobs: None,
            isolation: EvalIsolation::default(),
            stop_on_first_failure: false,
            agent: None,
            config: None,
            models: Vec::new(),
            names_models: false,
            judge: None,
            seed: None,
            real_tools: Vec::new(),
            sealed_tools: Vec::new(),
            simulate_tools: None,
            require_seal: false,
            python,
            of_python: false,
            runner: false,
            only: None,
            host: None,
            repeats: None,
            shard: None,
            resume: None,
            retry_errors: false,
            rescore: None,
            baseline: None,
            store,
            format: EvalFormat::Text,
            output: None,
            adk_results: None,
            list: false,
            schema: false,
        }
    }

    /// The number of cases that run at the same time.
    pub(crate) fn jobs(&self) -> usize {
        let of_machine = || std::thread::available_parallelism().ok();
        self.jobs.or_else(of_machine).map_or(1, NonZeroUsize::get)
    }
}

/// Arguments of `rehearsal fork`.
#[derive(Debug, Clone, Args)]
#[command(group = ArgGroup::new("verdict").args(["pass", "fail"]).multiple(true))]
pub struct ForkArguments {
    /// The run: its number, or `last`. Or a recorded case: an eval set, a session that was exported, or AGENT/.adk/session.db
    #[arg(value_name = "RUN|FILE", value_parser = fork_source, value_hint = ValueHint::FilePath)]
    pub source: ForkSource,
    /// The case [default: the only one that did not pass; of a file, the only one]
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    /// The repeat of the case [default: the first that did not pass]
    #[arg(long, value_name = "NUMBER")]
    pub repeat: Option<NonZeroU32>,
    /// The step at which it forks; without it, the steps are printed, and nothing is run
    #[arg(long, value_name = "NUMBER")]
    pub step: Option<NonZeroUsize>,
    /// What happens at the step: JSON such as '{"response": {"calls": [{"tool": "refund", "args": {}}]}}', or @FILE.
    /// Without it, the step itself is done again
    #[arg(long, value_name = "JSON", requires = "step")]
    pub edit: Option<String>,
    /// What is changed in every request to a model: JSON such as '{"instructions": {"desk": "Refund at once."}}', or @FILE
    #[arg(long, value_name = "JSON", requires = "step")]
    pub change: Option<String>,
    /// Also print what is changed in requests as a patch of the agent's files, which stay as they are
    #[arg(long, conflicts_with_all = ["pass", "fail"])]
    pub patch: bool,
    /// The model that goes on, such as gemini-2.5-pro, or `person` [default: the model of the case]
    #[arg(long, value_name = "MODEL", requires = "step", value_parser = NonEmptyStringValueParser::new())]
    pub then: Option<String>,
    /// What a tool does from the step on: real, sealed, recorded, refused or simulated:MODEL [default: what the case says]
    #[arg(long, value_name = "TOOL=MODE", requires = "step", value_parser = tool_mode)]
    pub tool: Vec<(String, ToolMode)>,
    /// A person says which continuations pass, in place of the case's metrics or of its golden path, which decides where it has
    /// no metrics
    #[arg(long, requires = "step")]
    pub by_person: bool,
    /// RUN is what `rehearsal fork --by-person` stored: these repeats of it pass
    #[arg(long, value_name = "REPEAT", num_args = 1.., value_delimiter = ',', conflicts_with_all = ["step", "resume"])]
    pub pass: Vec<NonZeroU32>,
    /// As --pass, for repeats that fail
    #[arg(long, value_name = "REPEAT", num_args = 1.., value_delimiter = ',', conflicts_with_all = ["step", "resume"])]
    pub fail: Vec<NonZeroU32>,
    /// Why they pass or fail
    #[arg(
        long,
        value_name = "TEXT",
        requires = "verdict",
        default_value = "",
        hide_default_value = true
    )]
    pub note: String,
    /// How often the agent goes on, with the edit and without it [default: 5; of a fork that continues, as before]
    #[arg(long, value_name = "NUMBER", value_parser = repeats)]
    pub times: Option<NonZeroU32>,
    /// RUN is itself what `rehearsal fork` stored: continue it, to --times in all
    #[arg(long, conflicts_with_all = ["case", "repeat", "step"])]
    pub resume: bool,
    /// The number of continuations that run at the same time [default: one per processor]
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<NonZeroUsize>,
    /// How continuations of an agent in Python are kept apart
    #[arg(long, value_enum, default_value_t)]
    pub isolation: EvalIsolation,
    /// The agent of eval sets, as for `rehearsal eval`
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub agent: Option<PathBuf>,
    /// The criteria of eval sets, as for `rehearsal eval`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// The judge of all metrics that a model judges
    #[arg(long, value_name = "MODEL", value_parser = NonEmptyStringValueParser::new())]
    pub judge: Option<String>,
    /// Tools of eval sets that run from the step on, with all their effects
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pub real_tools: Vec<String>,
    /// Tools of eval sets that run from the step on and can change their session, and nothing else
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pub sealed_tools: Vec<String>,
    /// The model that plays the other tools of eval sets
    #[arg(long, value_name = "MODEL", value_parser = NonEmptyStringValueParser::new())]
    pub simulate_tools: Option<String>,
    /// The Python interpreter, or its virtual environment, for agents without their own
    #[arg(long, env = "REHEARSAL_PYTHON", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub python: Option<PathBuf>,
    /// The file that keeps the results of runs
    #[arg(long, value_name = "FILE", default_value = DEFAULT_STORE, value_hint = ValueHint::FilePath)]
    pub store: PathBuf,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: ForkFormat,
}

/// Arguments of `rehearsal diagnose`.
#[derive(Debug, Clone, Args)]
pub struct DiagnoseArguments {
    /// A case that a person rehearsed: an eval set, or a session that was exported. Or a run with a result that passed
    #[arg(value_name = "FILE|RUN", value_parser = fork_source, value_hint = ValueHint::FilePath)]
    pub source: ForkSource,
    /// The case [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    /// How often the agent goes on from each step at most; half of it first, the rest where it may decide [default: 20]
    #[arg(long, value_name = "NUMBER", value_parser = repeats)]
    pub times: Option<NonZeroU32>,
    /// The model that goes on [default: the model of the case, or the agent's own]
    #[arg(long, value_name = "MODEL", value_parser = NonEmptyStringValueParser::new())]
    pub then: Option<String>,
    /// What is tried where the model leaves the path: a change of requests as for `rehearsal fork --change`, or @FILE
    #[arg(long, value_name = "JSON")]
    pub change: Vec<String>,
    /// Another model that is tried there
    #[arg(long, value_name = "MODEL", value_parser = NonEmptyStringValueParser::new())]
    pub model: Vec<String>,
    /// What a tool does where it is not given: real, sealed, recorded, refused or simulated:MODEL
    #[arg(long, value_name = "TOOL=MODE", value_parser = tool_mode)]
    pub tool: Vec<(String, ToolMode)>,
    /// The number of runs at the same time [default: one per processor]
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<NonZeroUsize>,
    /// The agent of eval sets, as for `rehearsal eval`
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub agent: Option<PathBuf>,
    /// The criteria of eval sets, as for `rehearsal eval`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// The Python interpreter, or its virtual environment, for agents without their own
    #[arg(long, env = "REHEARSAL_PYTHON", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub python: Option<PathBuf>,
    /// The file that keeps the results of runs
    #[arg(long, value_name = "FILE", default_value = DEFAULT_STORE, value_hint = ValueHint::FilePath)]
    pub store: PathBuf,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: ForkFormat,
}

impl DiagnoseArguments {
    /// Those with which the cases of these suites are read.
    pub(super) fn of_suites(&self, suites: Vec<PathBuf>) -> EvalArguments {
        EvalArguments {
            jobs: self.jobs,
            agent: self.agent.clone(),
            config: self.config.clone(),
            ..EvalArguments::of_suites(suites, self.python.clone(), self.store.clone())
        }
    }
}

/// The format of what `rehearsal fork` and `rehearsal eval runs` print.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ForkFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

impl ForkArguments {
    /// Those with which the cases of these suites are read.
    pub(super) fn of_suites(&self, suites: Vec<PathBuf>) -> EvalArguments {
        EvalArguments {
            jobs: self.jobs,
            isolation: self.isolation,
            agent: self.agent.clone(),
            config: self.config.clone(),
            judge: self.judge.clone(),
            real_tools: self.real_tools.clone(),
            sealed_tools: self.sealed_tools.clone(),
            simulate_tools: self.simulate_tools.clone(),
            ..EvalArguments::of_suites(suites, self.python.clone(), self.store.clone())
        }
    }
}

/// What is forked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkSource {
    /// A stored run.
    Run(RunChoice),
    /// A file with recorded cases.
    File(PathBuf),
}

fn fork_source(text: &str) -> Result<ForkSource, String> {
    if let Ok(choice) = run(text) {
        return Ok(ForkSource::Run(choice));
    }
    let path = PathBuf::from(text);
    match path.is_file() {
        true => Ok(ForkSource::File(path)),
        false => {
            Err("expected the number of a run, last, or a file with recorded cases".to_owned())
        }
    }
}

fn tool_mode(text: &str) -> Result<(String, ToolMode), String> {
    let (tool, mode) = text
        .split_once('=')
        .ok_or_else(|| "expected TOOL=MODE, such as refund=sealed".to_owned())?;
    let mode = mode.parse().map_err(|error: UnknownToolMode| error.to_string())?;
    Ok((tool.trim().to_owned(), mode))
}

fn repeats(text: &str) -> Result<NonZeroU32, String> {
    let number = text.parse().ok().filter(|number: &NonZeroU32| number.get() <= MOST_REPEATS);
    number.ok_or_else(|| format!("give a number from 1 to {MOST_REPEATS}"))
}

/// How cases are kept apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum EvalIsolation {
    /// A process of its own for each case
    #[default]
    Process,
    /// Several cases in a process, one after the other: takes less time, and what a case changes outside of
    /// its session stays for the next one
    Batch,
    /// All cases in one process at the same time: they share everything but their sessions
    Shared,
}

impl From<EvalIsolation> for Isolation {
    fn from(isolation: EvalIsolation) -> Self {
        match isolation {
            EvalIsolation::Process => Self::Process,
            EvalIsolation::Batch => Self::Batch,
            EvalIsolation::Shared => Self::Shared,
        }
    }
}

/// The format of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum EvalFormat {
    /// For people: cases that did not pass, and a table
    #[default]
    Text,
    /// For programs: an EvalReport, see docs/eval-report.schema.json
    Json,
    /// For CI systems: JUnit's XML
    Junit,
    /// One page that works offline, with the conversations
    Html,
    /// For a comment on a pull request
    Markdown,
    /// For programs: what each run gave, with its ledger, and how many ended in which way
    Results,
}

impl EvalFormat {
    /// The form of a report; `None` for the results as they are.
    pub(super) fn form(self) -> Option<Form> {
        Some(match self {
            Self::Text => Form::Text,
            Self::Json => Form::Json,
            Self::Junit => Form::Junit,
            Self::Html => Form::Html,
            Self::Markdown => Form::Markdown,
            Self::Results => return None,
        })
    }
}

/// A part of the runs of a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 0.
    pub index: usize,
    /// The number of parts.
    pub of: usize,
}

impl Shard {
    /// Whether the run at this place belongs to the part.
    #[must_use]
    pub fn contains(self, place: usize) -> bool {
        place % self.of == self.index
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/');
    let parts = parts.and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((part, of)) if (1..=of).contains(&part) => Ok(Shard { index: part - 1, of }),
        _ => Err("expected I/N with I from 1 to N, such as 1/4".to_owned()),
    }
}

/// A run in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunChoice {
    /// The last run of the given suites.
    Last,
    /// The run of this number.
    Number(i64),
}

fn run(text: &str) -> Result<RunChoice, String> {
    match text {
        "last" => Ok(RunChoice::Last),
        number => number
            .parse()
            .map(RunChoice::Number)
            .map_err(|_| "expected the number of a run, or last".to_owned()),
    }
}

/// What a run is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaselineChoice {
    /// A run in the store.
    Run(RunChoice),
    /// A report.
    Report(PathBuf),
}

fn baseline(text: &str) -> Result<BaselineChoice, Infallible> {
    Ok(run(text).map_or_else(|_| BaselineChoice::Report(PathBuf::from(text)), BaselineChoice::Run))
}
