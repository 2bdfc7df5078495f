//! The command line: its arguments, and the commands that do not start the host.

mod adk_folder;
mod agents;
mod backup;
mod completions;
mod credentials;
mod doctor;
mod eval;
mod evalset;
mod init;
mod lint;
mod logging;
mod manual;
mod note_line;
mod output_file;
mod score;
mod served_agents;
mod sources;

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

pub use self::agents::{AgentReport, all_ready, inspect, write_brief, write_reports};
pub use self::eval::{
    BaselineChoice, DiagnoseArguments, EvalArguments, EvalCommand, EvalCommandLine, EvalError,
    EvalFormat, ForkArguments, ForkFormat, InitSuiteArguments, MergeRunsArguments, RunChoice,
    Shard, ToolsOfSuiteArguments, diagnose, eval, fork,
};
pub(crate) use self::eval::{
    ForkRun, case_of, cases, check_fit, fork_of, read_changes, read_move, recorded_run, stored,
    suite_name_in,
};
pub use adk_folder::{AdkFolder, AdkFolderError, unseen_by_adk, write_adk_folder};
pub use backup::{BackupArguments, BackupError, Copied, RestoreArguments, back_up, restore};
pub use completions::write_completions;
pub use credentials::{
    Added, CredentialArguments, CredentialError, TokenCommand, UserCommand, add_token, add_user,
    read_password,
};
pub use doctor::examine;
pub use evalset::{
    AppendArguments, ConvertArguments, DiffArguments, EvalsetCommand, EvalsetError, FormatIs,
    LintFilesArguments, ListArguments, MergeArguments, ShowArguments, SplitArguments, Status,
    Target, evalset,
};
pub use init::{Created, InitError, init};
pub use lint::{LintError, Linted, lint_tools, write_lint};
pub use logging::start_logging;
pub use manual::write_manual;
pub use note_line::note_error;
pub use score::{PairBy, ReportFormat, ScoreArguments, ScoreError, Verdict, score};
pub use served_agents::ServedAgents;
pub use sources::{example_names, simulated_agents};

use crate::BasePath;
use crate::config::{AllowedOrigin, ListenAddress, Overrides};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Act as an AI agent before its model does, and keep the trace as an eval case.
///
/// Open the page, choose an agent, read its instructions, call its real tools through forms, respond,
/// and export the trace as an eval case that `adk eval` runs.
#[derive(Debug, Parser)]
#[command(
    name = "rehearsal",
    version,
    styles = STYLES,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  rehearsal serve                     the examples, or the agents of ./rehearsal.toml
  rehearsal serve agents/weather      one ADK agent, with no configuration
  rehearsal agents --format json      what the host sees of every agent
  rehearsal tools lint agents/weather problems in its tools
  rehearsal evalset list evals        the recorded cases of a folder
  rehearsal score --expected evals/home.evalset.json --actual run.evalset.json
                                      scores of a run against recorded cases
  rehearsal eval triage.eval.yaml     an agent against simulated users, every tool mocked
  rehearsal init                      a commented rehearsal.toml and an example agent

Every option can also be set by the environment variable in brackets."
)]
pub struct CommandLine {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the page
    #[command(after_help = "\
Without folders and --config, ./rehearsal.toml is read if it exists; otherwise the example agents are \
served.
With folders only, no configuration is read: each agent runs in the virtual environment that `adk` \
would use, and its eval set is written to its folder.

Examples:
  rehearsal serve
  rehearsal serve agents/weather agents/travel --listen 127.0.0.1:4200
  rehearsal serve agents              every agent in the subfolders, as they come and go
  rehearsal serve --config team/rehearsal.toml")]
    Serve(ServeArguments),
    /// Look for what the program needs on this machine, and print it without secrets
    #[command(after_help = "\
Takes the arguments of `rehearsal serve`, and starts nothing but a Python. The output names no key, so \
it can be pasted into a bug report.

Exits with 0 if everything was found, with 1 if something is missing or in the way.")]
    Doctor(ServeArguments),
    /// Print every agent as the host sees it, with its tools and declarations, or its error
    #[command(after_help = "\
Examples:
  rehearsal agents
  rehearsal agents --brief
  rehearsal agents agents/weather --format json | jq '.[].view.tools[].name'

Exits with 0 if every agent can be loaded, with 1 if one cannot.")]
    Agents(AgentsArguments),
    /// Lint the tools of an agent
    #[command(subcommand_required = true, arg_required_else_help = true)]
    Tools {
        /// The command.
        #[command(subcommand)]
        command: ToolsCommand,
    },
    /// List, show, lint, convert, merge, split, append to and diff eval-set files
    #[command(subcommand_required = true, arg_required_else_help = true)]
    Evalset {
        /// The command.
        #[command(subcommand)]
        command: EvalsetCommand,
    },
    /// Score recorded runs against expected cases
    #[command(after_help = "\
Cases are paired by id. A case that is missing on the actual side is an error; one that is missing on \
the expected side is unscored.
The criteria are ADK's test_config.json or AgentFlow's EvalConfig; an unknown name in it is an error \
that suggests the nearest one.
Files of any size are scored in constant memory, except for the list of cases with --format html; \
results are in the order of the expected cases.

Examples:
  rehearsal score --expected evals/home.evalset.json --actual runs/home.evalset.json
  rehearsal score --expected evals --actual agent/.adk/eval_history/run.evalset_result.json
  rehearsal score --expected 'evals/*.json' --actual runs --config test_config.json \
    --format html --output report.html
  rehearsal score --expected evals --actual runs --format json | jq .summary

Exits with 0 if every case passed, with 1 if a case failed or could not be scored, with 3 if none \
failed and one is unscored, with 2 if nothing could be scored: an unknown path or metric, or a config \
or file that cannot be read.")]
    Score(ScoreArguments),
    /// Run agents through the cases of suites, with every tool mocked unless allowed
    #[command(after_help = "\
An eval set of google-adk runs unchanged: its messages are sent, its recorded results answer the tools, \
and its criteria score the run.

A suite is a YAML or JSON file. It names an agent, what each tool returns, who answers when the agent \
waits, and what is measured. A tool call that the case says nothing about ends the run before the tool's \
code runs.

Examples:
  rehearsal eval triage.eval.yaml
  rehearsal eval evals/*.eval.yaml --tag smoke --format json --output results.json
  rehearsal eval agents/weather/weather.evalset.json --model gemini-2.5-pro
  rehearsal eval home.evalset.json --agent agents/home --model replay
  rehearsal eval triage.eval.yaml --repeats 5 --format html --output report.html
  rehearsal eval init home.evalset.json --agent agents/home --output home.eval.yaml
  rehearsal eval tools library.eval.yaml --output tools.json
  rehearsal eval triage.eval.yaml --resume
  rehearsal eval triage.eval.yaml --rescore last --baseline last
  rehearsal eval --schema > suite.schema.json

Each result is stored in .rehearsal/eval.sqlite as its case ends. --resume continues the last run of the \
suites, for example after Ctrl-C, and runs nothing again that has ended.

Exits with 0 if every case passed, with 1 if a case failed, erred or was terminated, with 3 if none did \
and one is unscored, with 2 if a suite is not valid.")]
    Eval(Box<EvalCommandLine>),
    /// Give a stored run or a recorded case again up to a step, and let the agent go on from there several times
    #[command(after_help = "\
Examples:
  rehearsal fork last                                    the steps of the case that did not pass
  rehearsal fork last --step 4 --edit '{\"response\": {\"calls\": [{\"tool\": \"refund\", \"args\": {\"order\": 7}}]}}'
  rehearsal fork 12 --case refund --step 5 --edit '{\"result\": {\"status\": \"paid\"}}' --times 10
  rehearsal fork 12 --case refund --step 1 --edit '{\"message\": \"Refund order 7\"}' --then gemini-2.5-pro
  rehearsal fork 14 --resume --times 20
  rehearsal fork desk/.adk/session.db --case 4f0c8e3a    the steps of a session of adk web

What happened before the step happens again, without the model and without any tool. With --edit, the agent \
goes on --times times with the edit and as often without it, and a sentence says whether the step was the \
cause. From the step on, tools do what the case says. Both are stored as runs.

Exits with 0 if every continuation passed, with the edit if there is one, with 1 if one failed, with 3 if \
none counts, with 2 if the run cannot fork.")]
    Fork(Box<ForkArguments>),
    /// Give a path that passes up to each of its steps, and say where the model leaves it and what is at fault
    #[command(after_help = "\
Examples:
  rehearsal diagnose desk/desk_evals.evalset.json --case refund
  rehearsal diagnose desk/desk_evals.evalset.json --case refund --change @note.json --model gemini-2.5-pro
  rehearsal diagnose 12 --case refund --times 20

From each step at which a model responds, the agent goes on several times: the steps before it are given, without \
a model and without any tool. Where the share that passes rises, the model leaves the path. What --change and \
--model name is tried there, beside as many runs without it. Every step is a fork, stored as a run: a later call \
goes on with what there is.

Exits with 0 if the model reaches the goal by itself, with 1 if a cause is found, with 3 if it is undecided, with 2 if \
no path passes.")]
    Diagnose(Box<DiagnoseArguments>),
    /// Write a commented rehearsal.toml and an example ADK agent into an empty folder
    #[command(after_help = "\
Examples:
  rehearsal init my-agents && cd my-agents && rehearsal serve")]
    Init(InitArguments),
    /// Add people who may log in
    #[command(subcommand_required = true, arg_required_else_help = true)]
    User {
        /// The command.
        #[command(subcommand)]
        command: UserCommand,
    },
    /// Add tokens for programs: the plugin, gRPC clients, agents that call the model endpoints
    #[command(subcommand_required = true, arg_required_else_help = true)]
    Token {
        /// The command.
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Copy live sessions, eval runs and the configuration into a new folder
    #[command(after_help = "\
A host may run meanwhile: the copies have what was stored when the command began. Agents and their eval \
sets are files of yours and are not copied.

Examples:
  rehearsal backup backups/2026-11-27
  rehearsal backup backups/2026-11-27 --config team/rehearsal.toml

The folder appears once it is complete. Exits with 0 then, with 1 otherwise.")]
    Backup(BackupArguments),
    /// Put the files of a backup back
    #[command(after_help = "\
Stop the host first. Everything is checked before anything is changed: the SHA-256 of each file, the \
databases, and that this version of the program can read them.

Examples:
  rehearsal restore backups/2026-11-27
  rehearsal restore backups/2026-11-27 --replace

Exits with 0 if everything was restored, with 1 if nothing was.")]
    Restore(RestoreArguments),
    /// Write an MCP agent as a folder that `adk web` and `adk eval` load
    #[command(after_help = "\
Examples:
  rehearsal adk-folder world-clock
  rehearsal adk-folder \"Notes Keeper\" --config team/rehearsal.toml --out agents --model gemini-2.5-pro
  adk eval agents/notes_keeper evals/notes_keeper_evals.evalset.json")]
    AdkFolder(AdkFolderArguments),
    /// Print completions for a shell
    #[command(after_help = "\
Examples:
  rehearsal completions bash > ~/.local/share/bash-completion/completions/rehearsal
  rehearsal completions fish > ~/.config/fish/completions/rehearsal.fish
  rehearsal completions zsh  > ~/.zfunc/_rehearsal")]
    Completions(CompletionsArguments),
    /// Write manual pages into a folder
    #[command(after_help = "\
Examples:
  rehearsal man ~/.local/share/man/man1")]
    Man(ManArguments),
}

/// Commands of `rehearsal tools`.
#[derive(Debug, Subcommand)]
pub enum ToolsCommand {
    /// Report problems for models and people in an agent's tools
    #[command(after_help = "\
A file contains one declaration per line, or one JSON array; `-` is standard input. \
Anything else is an agent: its name or id in the configuration or among the examples, or the folder \
of an ADK agent.
With --format json every declaration is one line, with `tool`, `line`, `values`, `findings` and \
`portability`; each finding has `severity`, `rule`, `pointer` and `message`.

Examples:
  rehearsal tools lint weather
  rehearsal tools lint agents/weather
  rehearsal tools lint declarations.jsonl --format json | jq 'select(.findings != [])'

Exits with 0 if there are no errors, with 1 if there are, with 2 if there is nothing to check.")]
    Lint(LintArguments),
}

/// Arguments of `rehearsal tools lint`.
#[derive(Debug, Clone, Args)]
pub struct LintArguments {
    /// An agent's name, id or folder, a file of declarations, or - for standard input
    #[arg(value_name = "AGENT|DECLARATIONS.jsonl", value_hint = ValueHint::AnyPath)]
    pub target: String,
    /// The configuration that names the agent
    #[arg(long, env = "REHEARSAL_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// The Python interpreter, or its virtual environment, for agents without their own
    #[arg(long, env = "REHEARSAL_PYTHON", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub python: Option<PathBuf>,
    /// The output format; json is one object per line
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Which agents, and how to run them.
#[derive(Debug, Clone, Default, Args)]
pub struct AgentArguments {
    /// Folders of ADK agents that `adk web` loads, or folders of such folders
    #[arg(value_name = "AGENT_FOLDER", value_hint = ValueHint::DirPath)]
    pub folders: Vec<PathBuf>,
    /// The configuration; folders add agents to it
    #[arg(long, env = "REHEARSAL_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// The Python interpreter, or its virtual environment, for agents without their own
    #[arg(long, env = "REHEARSAL_PYTHON", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub python: Option<PathBuf>,
}

/// Arguments of `rehearsal serve`.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeArguments {
    /// Which agents.
    #[command(flatten)]
    pub agents: AgentArguments,
    /// The address to listen on, loopback unless people or tokens are configured; port 0 selects a
    /// free port [default: 127.0.0.1:4180]
    #[arg(long, env = "REHEARSAL_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<ListenAddress>,
    /// The path below which everything is served, such as /team, for a reverse proxy that passes the
    /// path on unchanged
    #[arg(long, env = "REHEARSAL_BASE_PATH", value_name = "PATH")]
    pub base_path: Option<BasePath>,
    /// The origin of another page that may call the host, such as Trunk's
    #[arg(
        long = "allow-origin",
        env = "REHEARSAL_ALLOW_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    pub allowed_origins: Vec<AllowedOrigin>,
    /// The SQLite file that stores live sessions [default: .rehearsal/live.sqlite]
    #[arg(long, env = "REHEARSAL_LIVE_DATABASE", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub live_database: Option<PathBuf>,
    /// The file that keeps the results of `rehearsal eval`
    #[arg(long, value_name = "FILE", default_value = ::eval::store::DEFAULT_STORE, value_hint = ValueHint::FilePath)]
    pub store: PathBuf,
    /// The format of the log on standard error; json is one object per line
    #[arg(long, env = "REHEARSAL_LOG_FORMAT", value_enum, default_value_t)]
    pub log_format: Format,
}

/// Arguments of `rehearsal agents`.
#[derive(Debug, Clone, Default, Args)]
pub struct AgentsArguments {
    /// Which agents.
    #[command(flatten)]
    pub agents: AgentArguments,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print one line per agent, whatever the format: its name, its runtime and the names of its tools
    #[arg(long)]
    pub brief: bool,
}

/// The output format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// JSON, for programs
    Json,
}

/// Arguments of `rehearsal init`.
#[derive(Debug, Clone, Args)]
pub struct InitArguments {
    /// The folder to write to; it is created if it does not exist
    #[arg(default_value = ".", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

/// Arguments of `rehearsal adk-folder`.
#[derive(Debug, Clone, Args)]
pub struct AdkFolderArguments {
    /// The agent, by its name or id
    pub agent: String,
    /// The configuration
    #[arg(long, env = "REHEARSAL_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// The agent's model, unless the configuration names one
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Where to create the agent's folder
    #[arg(long, value_name = "FOLDER", default_value = ".", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
}

/// Arguments of `rehearsal man`.
#[derive(Debug, Clone, Args)]
pub struct ManArguments {
    /// The folder, which is created
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

/// Arguments of `rehearsal completions`.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArguments {
    /// The shell
    pub shell: clap_complete::Shell,
}

impl ServeArguments {
    /// The options as overrides for [`crate::config::Config::load`].
    #[must_use]
    pub fn overrides(&self) -> Overrides {
        Overrides {
            listen: self.listen,
            base_path: self.base_path.clone(),
            allowed_origins: self.allowed_origins.clone(),
            live_database: self.live_database.clone(),
            ..self.agents.overrides()
        }
    }
}

impl LintArguments {
    /// The configuration with `folders` beside it, for [`crate::config::Config::load`].
    #[must_use]
    pub fn overrides(&self, folders: Vec<PathBuf>) -> Overrides {
        Overrides {
            config: self.config.clone(),
            folders,
            python: self.python.clone(),
            ..Overrides::default()
        }
    }
}

impl AgentArguments {
    /// The options as overrides for [`crate::config::Config::load`].
    #[must_use]
    pub fn overrides(&self) -> Overrides {
        Overrides {
            config: self.config.clone(),
            folders: self.folders.clone(),
            python: self.python.clone(),
            ..Overrides::default()
        }
    }
}

#[cfg(test)]
mod tests;
