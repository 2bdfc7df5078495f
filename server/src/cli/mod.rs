//! The command line: what can be asked for, and the commands that need no serving host.

mod adk_folder;
mod agents;
mod completions;
mod evalset;
mod init;
mod know;
mod lint;
mod logging;
mod score;
mod sources;

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

pub use adk_folder::{AdkFolder, AdkFolderError, write_adk_folder};
pub use agents::{AgentReport, all_ready, inspect, write_reports};
pub use completions::write_completions;
pub use evalset::{
    AppendArguments, ConvertArguments, DiffArguments, EvalsetCommand, EvalsetError,
    LintFilesArguments, ListArguments, MergeArguments, ShowArguments, SplitArguments, Target, Went,
    evalset,
};
pub use init::{Created, InitError, init};
pub use know::{
    Added, KnowArguments, KnowError, TokenCommand, UserCommand, add_token, add_user, read_password,
};
pub use lint::{LintError, Linted, lint_tools, write_lint};
pub use logging::start_logging;
pub use score::{PairBy, ReportFormat, ScoreArguments, ScoreError, Verdict, score};
pub use sources::{example_names, simulated_agents};

use crate::config::{AllowedOrigin, ListenAddress, Overrides};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Play an AI agent's part before the model does, and keep the performance as a golden trace.
///
/// Open the page, pick an agent, read its instructions, call its real tools through forms, answer,
/// and export what you did as an eval case that `adk eval` runs.
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
  rehearsal tools lint agents/weather what a model would stumble over in its tools
  rehearsal evalset list evals        the recorded cases of a folder
  rehearsal score --expected evals/home.evalset.json --actual run.evalset.json
                                      how well a run meets what was recorded
  rehearsal init                      a commented rehearsal.toml and an example agent

Every option can also be given as the variable named beside it."
)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the page
    #[command(after_help = "\
Without a folder and without a configuration, ./rehearsal.toml is read where there is one; otherwise \
the example agents are served.
With folders alone no configuration is read: each agent's virtual environment is looked for as `adk` \
would run it, and its eval set lands in its folder.

Examples:
  rehearsal serve
  rehearsal serve agents/weather agents/travel --listen 127.0.0.1:4200
  rehearsal serve --config team/rehearsal.toml")]
    Serve(ServeArguments),
    /// Show what the host sees: every agent, its tools with declarations, or its fault
    #[command(after_help = "\
Examples:
  rehearsal agents
  rehearsal agents agents/weather --format json | jq '.[].view.tools[].name'

Ends with 0 when every agent can be rehearsed, with 1 when one has a fault.")]
    Agents(AgentsArguments),
    /// Look at tools as a model and a person would
    #[command(subcommand_required = true, arg_required_else_help = true)]
    Tools {
        /// What to do with the tools.
        #[command(subcommand)]
        command: ToolsCommand,
    },
    /// List, show, lint, convert, merge, split, append to and diff eval-set files
    #[command(subcommand_required = true, arg_required_else_help = true)]
    Evalset {
        /// What to do with the files.
        #[command(subcommand)]
        command: EvalsetCommand,
    },
    /// Score what an agent did against recorded cases
    #[command(after_help = "\
Cases are paired by their ids. A case that the actual side lacks is an error; one that the expected \
side lacks is unscored.
The criteria are ADK's test_config.json or AgentFlow's EvalConfig, as they are; a name in it that is \
not known is an error that tells the nearest.
Files of any size are scored in constant memory, but for the list of cases of --format html; results \
stand in the order of the expected cases, whatever the number of threads.

Examples:
  rehearsal score --expected evals/home.evalset.json --actual runs/home.evalset.json
  rehearsal score --expected evals --actual agent/.adk/eval_history/run.evalset_result.json
  rehearsal score --expected 'evals/*.json' --actual runs --config test_config.json \
    --format html --output report.html
  rehearsal score --expected evals --actual runs --format json | jq .summary

Ends with 0 when every case passed, with 1 when one failed or could not be scored at all, with 3 when \
none failed and one is unscored, with 2 when nothing could be scored: a path, a metric, a config or \
a file that cannot be read.")]
    Score(ScoreArguments),
    /// Write a commented rehearsal.toml and an example ADK agent into an empty folder
    #[command(after_help = "\
Examples:
  rehearsal init my-agents && cd my-agents && rehearsal serve")]
    Init(InitArguments),
    /// Add people who may log in
    #[command(subcommand_required = true, arg_required_else_help = true)]
    User {
        /// What to do.
        #[command(subcommand)]
        command: UserCommand,
    },
    /// Add tokens for programs: the plugin, gRPC clients, agents that call the model endpoints
    #[command(subcommand_required = true, arg_required_else_help = true)]
    Token {
        /// What to do.
        #[command(subcommand)]
        command: TokenCommand,
    },
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
}

/// What can be done with tools.
#[derive(Debug, Subcommand)]
pub enum ToolsCommand {
    /// Say of every tool what a person or a model would stumble over
    #[command(after_help = "\
A file holds one declaration a line, or one JSON array of them; `-` is standard input. \
Anything else is an agent: its name or id in the configuration or among the examples, or the folder \
of an ADK agent.
With --format json every declaration is one line, with `tool`, `line`, `values` and `findings`; each \
finding has `severity`, `rule`, `pointer` and `message`.

Examples:
  rehearsal tools lint weather
  rehearsal tools lint agents/weather
  rehearsal tools lint declarations.jsonl --format json | jq 'select(.findings != [])'

Ends with 0 when nothing is an error, with 1 when something is, with 2 when there is nothing to look \
at.")]
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
    /// The Python interpreter, or its virtual environment, for agents that name none
    #[arg(long, env = "REHEARSAL_PYTHON", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub python: Option<PathBuf>,
    /// For reading, or for programs: then one JSON object a line
    #[arg(long, env = "REHEARSAL_FORMAT", value_enum, default_value_t)]
    pub format: Format,
}

/// Which agents, and how to run them.
#[derive(Debug, Clone, Default, Args)]
pub struct AgentArguments {
    /// Folders of ADK agents, as `adk web` would load them
    #[arg(value_name = "AGENT_FOLDER", value_hint = ValueHint::DirPath)]
    pub folders: Vec<PathBuf>,
    /// The configuration; folders add to its agents
    #[arg(long, env = "REHEARSAL_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// The Python interpreter, or its virtual environment, for agents that name none
    #[arg(long, env = "REHEARSAL_PYTHON", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub python: Option<PathBuf>,
}

/// Arguments of `rehearsal serve`.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeArguments {
    /// Which agents.
    #[command(flatten)]
    pub agents: AgentArguments,
    /// The address to serve, loopback unless people or tokens are configured; port 0 takes a free
    /// port [default: 127.0.0.1:4180]
    #[arg(long, env = "REHEARSAL_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<ListenAddress>,
    /// Another page that may call the host, such as Trunk's in development
    #[arg(
        long = "allow-origin",
        env = "REHEARSAL_ALLOW_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    pub allowed_origins: Vec<AllowedOrigin>,
    /// The SQLite file that keeps live sessions [default: .rehearsal/live.sqlite]
    #[arg(long, env = "REHEARSAL_LIVE_DATABASE", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub live_database: Option<PathBuf>,
}

/// Arguments of `rehearsal agents`.
#[derive(Debug, Clone, Default, Args)]
pub struct AgentsArguments {
    /// Which agents.
    #[command(flatten)]
    pub agents: AgentArguments,
    /// For reading, or for programs
    #[arg(long, env = "REHEARSAL_FORMAT", value_enum, default_value_t)]
    pub format: Format,
}

/// How a command answers.
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
    /// The folder to write into; it is created where it does not exist
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
    /// The model that plays the agent, unless the configuration names one
    #[arg(long, env = "REHEARSAL_MODEL", value_name = "MODEL")]
    pub model: Option<String>,
    /// Where the agent's folder is made
    #[arg(long, env = "REHEARSAL_OUT", value_name = "FOLDER", default_value = ".", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
}

/// Arguments of `rehearsal completions`.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArguments {
    /// The shell
    pub shell: clap_complete::Shell,
}

impl ServeArguments {
    /// What was said here, for [`crate::config::Config::load`].
    #[must_use]
    pub fn overrides(&self) -> Overrides {
        Overrides {
            listen: self.listen,
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
    /// What was said here, for [`crate::config::Config::load`].
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
