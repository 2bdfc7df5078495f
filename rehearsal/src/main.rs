//! The command line: parse a command, run it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{CommandFactory as _, Parser as _};
use json_text::written_out::visible_name;
use rehearsal::cli::{
    self, Added, AdkFolderArguments, AgentsArguments, BackupArguments, Command, CommandLine,
    Copied, CredentialArguments, EvalsetCommand, EvalsetError, InitArguments, LintArguments,
    RestoreArguments, ScoreArguments, ServeArguments, ServedAgents, Status, TokenCommand,
    ToolsCommand, UserCommand, Verdict,
};
use rehearsal::config::{Config, FILE_NAME, Origin, Overrides};
use rehearsal::runs::StoredRuns;
use rehearsal::{LiveSessions, Reload, Running, SimulatedAgentConfig, Simulator};

/// What a person has to know who names agents in a folder with a configuration.
const UNREAD: &str = "rehearsal.toml is not read, because agents are named on the command line: its people, tokens and \
     folders do not apply. To use it, add --config rehearsal.toml";

fn main() -> ExitCode {
    let line = command_line();
    let outcome = match line.command {
        Command::Serve(arguments) => serve(&arguments),
        Command::Doctor(arguments) => doctor(&arguments),
        Command::Agents(arguments) => agents(&arguments),
        Command::Tools { command: ToolsCommand::Lint(arguments) } => lint(&arguments),
        Command::Evalset { command } => evalset(&command),
        Command::Score(arguments) => score(&arguments),
        Command::Eval(arguments) => eval(&arguments),
        Command::Fork(arguments) => fork(&arguments),
        Command::Diagnose(arguments) => diagnose(&arguments),
        Command::User { command: UserCommand::Add(arguments) } => add_user(&arguments),
        Command::Token { command: TokenCommand::Add(arguments) } => add_token(&arguments),
        Command::Init(arguments) => init(&arguments),
        Command::AdkFolder(arguments) => adk_folder(&arguments),
        Command::Backup(arguments) => back_up(&arguments),
        Command::Restore(arguments) => restore(&arguments),
        Command::Man(arguments) => cli::write_manual(&arguments.folder)
            .with_context(|| format!("{} cannot be written", arguments.folder.display()))
            .map(|()| ExitCode::SUCCESS),
        Command::Completions(arguments) => {
            cli::write_completions(arguments.shell, &mut io::stdout())
                .map(|()| ExitCode::SUCCESS)
                .map_err(Into::into)
        }
    };
    outcome.unwrap_or_else(|error| {
        cli::note_error(&with_causes(&error));
        ExitCode::FAILURE
    })
}

/// The error and its causes, without repetition.
fn with_causes(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain().map(ToString::to_string) {
        match message.as_str() {
            "" => message = cause,
            earlier if !earlier.contains(&cause) => message = format!("{earlier}: {cause}"),
            _ => {}
        }
    }
    message
}

/// `cargo leptos watch` runs the program without arguments, and means the page.
fn command_line() -> CommandLine {
    let watched = std::env::var_os("LEPTOS_WATCH").is_some() && std::env::args_os().len() == 1;
    if watched {
        return CommandLine::parse_from(["rehearsal", "serve"]);
    }
    CommandLine::try_parse().unwrap_or_else(|error| {
        if error.use_stderr() {
            for variable in options_from_environment() {
                eprintln!("note: {variable}");
            }
        }
        error.exit()
    })
}

/// Notes about the environment variables that set options: a wrong value may come from one of them.
fn options_from_environment() -> Vec<String> {
    let options = variables_of(&CommandLine::command());
    let mut set: Vec<String> = std::env::vars_os()
        .filter(|(name, _)| options.contains(name))
        .filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            Some(match value.is_empty() {
                true => format!("{name} is empty: set a value, or unset it"),
                false => format!(
                    "{name} is set and gives its option's value, unless the command line does"
                ),
            })
        })
        .collect();
    set.sort();
    set
}

/// The variables that set options of the command or of one below it.
fn variables_of(command: &clap::Command) -> HashSet<OsString> {
    let own = command.get_arguments().filter_map(|option| option.get_env().map(OsString::from));
    own.chain(command.get_subcommands().flat_map(variables_of)).collect()
}

fn serve(arguments: &ServeArguments) -> anyhow::Result<ExitCode> {
    let overrides = arguments.overrides();
    let is_unread = overrides.config.is_none()
        && !overrides.folders.is_empty()
        && Path::new(FILE_NAME).is_file();
    let config = Config::load(&overrides, &cli::example_names());
    // An address that requires a login may have people in the file.
    let config = match config {
        Err(error) if is_unread => bail!("{error}. {UNREAD}"),
        config => config?,
    };
    let served = ServedAgents::new(config.clone());
    let agents = served.agents_of(&config)?;
    cli::start_logging(arguments.log_format);
    if is_unread {
        tracing::warn!("{UNREAD}");
    }
    let live = LiveSessions::at(config.live.database.clone());
    if !config.listen.ip().to_canonical().is_loopback() {
        tracing::warn!(
            "{} can be reached from other machines: put a TLS proxy in front of it, or passwords and \
             tokens are sent unencrypted",
            config.listen
        );
    }
    let simulator = Simulator::new().owning_its_process();
    let simulator = simulator.listen(config.listen).base_path(config.base_path.clone());
    let simulator = simulator.agents(agents).live(live);
    let simulator = simulator.access(config.access.clone()).folders(config.folders.clone());
    let simulator = simulator.adk_tool_responses(config.adk_tool_responses);
    let simulator = simulator.retention(config.live.retention);
    let runs = StoredRuns::new(arguments.store.clone(), PathBuf::new(), None).serving(served.now());
    let runs_address = runs.address();
    let simulator = simulator.when_serving(move |address| drop(runs_address.set(address)));
    let simulator = simulator.runs(runs);
    let proxies = config.security.trusted_proxies.iter().copied();
    let simulator = proxies.fold(simulator, Simulator::trust_proxy);
    let origins = config.security.allowed_origins.iter().cloned().map(String::from);
    let simulator = origins.fold(simulator, Simulator::allow_origin);
    let reload = |running: &Running| reload(arguments, &config, &served, running);
    runtime()?.block_on(simulator.serve_reloading(reload, || served.next_list()))?;
    Ok(ExitCode::SUCCESS)
}

/// Has a host that was started with `begun` take up the configuration as it is now.
fn reload(arguments: &ServeArguments, begun: &Config, served: &ServedAgents, running: &Running) {
    let read = Config::load(&arguments.overrides(), &cli::example_names());
    let read = read.map_err(anyhow::Error::from).and_then(|config| match &begun.origin {
        // Without it, the examples would take the place of its agents.
        Origin::File(path) if config.origin != begun.origin => {
            Err(anyhow::anyhow!("{} does not exist", path.display()))
        }
        _ => Ok(config),
    });
    let taken_up = read.and_then(|config| {
        let agents = served.agents_of(&config)?;
        let changed = config.fixed_differences(begun);
        if !changed.is_empty() {
            tracing::warn!("restart the host for the changes of {}", changed.join(", "));
        }
        running.reload(reloaded(&config, agents))?;
        Ok(config)
    });
    match taken_up {
        Ok(config) => {
            served.set(config);
            tracing::info!("the configuration was read again");
        }
        Err(error) => tracing::error!("the configuration is unchanged: {}", with_causes(&error)),
    }
}

fn reloaded(config: &Config, agents: Vec<SimulatedAgentConfig>) -> Reload {
    let security = config.security.clone();
    Reload {
        agents: Some(agents),
        folders: config.folders.clone(),
        adk_tool_responses: config.adk_tool_responses,
        access: config.access.clone(),
        allowed_origins: security.allowed_origins.into_iter().map(String::from).collect(),
        trusted_proxies: security.trusted_proxies,
        retention: config.live.retention,
    }
}

fn back_up(arguments: &BackupArguments) -> anyhow::Result<ExitCode> {
    print_copied(&runtime()?.block_on(cli::back_up(arguments))?)
}

fn restore(arguments: &RestoreArguments) -> anyhow::Result<ExitCode> {
    print_copied(&runtime()?.block_on(cli::restore(arguments))?)
}

fn print_copied(copied: &[Copied]) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    for Copied { from, to, replaced } in copied {
        writeln!(out, "{} -> {}", from.display(), to.display())?;
        if let Some(replaced) = replaced {
            writeln!(out, "  what was there is in {}", replaced.display())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn doctor(arguments: &ServeArguments) -> anyhow::Result<ExitCode> {
    let config = Config::load(&arguments.overrides(), &cli::example_names());
    let folder = arguments.agents.folders.first().map_or(Path::new("."), PathBuf::as_path);
    let mut out = io::stdout().lock();
    let is_complete = runtime()?.block_on(cli::examine(&config, folder, &mut out))?;
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn agents(arguments: &AgentsArguments) -> anyhow::Result<ExitCode> {
    let config = Config::load(&arguments.agents.overrides(), &cli::example_names())?;
    let agents = cli::simulated_agents(&config)?;
    // As text, each agent is printed once it is inspected: a slow one does not delay the others.
    let is_text = arguments.brief || arguments.format == cli::Format::Text;
    let prints_each = is_text && !agents.is_empty();
    let mut written = Ok(());
    let mut write = |reports: &[cli::AgentReport]| {
        if written.is_ok() {
            let out = &mut io::stdout().lock();
            written = match arguments.brief && !reports.is_empty() {
                true => cli::write_brief(reports, out),
                false => cli::write_reports(reports, arguments.format, out),
            };
        }
    };
    let is_watched = io::stderr().is_terminal();
    let begins = |name: &str| {
        if is_watched {
            eprintln!("Looking at {}…", visible_name(name));
        }
    };
    let seen = |report: &cli::AgentReport| {
        if prints_each {
            write(std::slice::from_ref(report));
        }
    };
    let reports = runtime()?.block_on(cli::inspect(agents, begins, |text| eprint!("{text}"), seen));
    if !prints_each {
        write(&reports);
    }
    match written {
        // A reader such as `head` has closed the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        written => written.context("standard output cannot be written")?,
    }
    Ok(if cli::all_ready(&reports) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn lint(arguments: &LintArguments) -> anyhow::Result<ExitCode> {
    let linted = match runtime()?.block_on(cli::lint_tools(arguments)) {
        Ok(linted) => linted,
        Err(error) => {
            cli::note_error(&error);
            return Ok(ExitCode::from(2));
        }
    };
    match cli::write_lint(&linted, arguments.format, &mut io::stdout().lock()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        written => written.context("standard output cannot be written")?,
    }
    Ok(if linted.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn evalset(command: &EvalsetCommand) -> anyhow::Result<ExitCode> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let status = cli::evalset(command, &mut out)
        .and_then(|status| out.flush().map(|()| status).map_err(EvalsetError::from));
    match status {
        Ok(Status::Success) => Ok(ExitCode::SUCCESS),
        Ok(Status::Findings) => Ok(ExitCode::FAILURE),
        // A reader such as `head` has closed the pipe.
        Err(EvalsetError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            // Findings are printed before the error.
            let _ = out.flush();
            cli::note_error(&error);
            Ok(ExitCode::from(if error.is_usage() { 2 } else { 1 }))
        }
    }
}

fn score(arguments: &ScoreArguments) -> anyhow::Result<ExitCode> {
    let mut out = io::BufWriter::new(io::stdout());
    let scored = cli::score(arguments, &mut out);
    let flushed = out.flush();
    match scored {
        Ok(_) if flushed.as_ref().is_err_and(|it| it.kind() == io::ErrorKind::BrokenPipe) => {
            Ok(ExitCode::SUCCESS)
        }
        Ok(verdict) => {
            flushed.context("standard output cannot be written")?;
            Ok(exit_code(verdict))
        }
        Err(error) if error.is_broken_pipe() => Ok(ExitCode::SUCCESS),
        Err(error) => {
            cli::note_error(&error);
            Ok(ExitCode::from(2))
        }
    }
}

fn eval(arguments: &cli::EvalCommandLine) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout();
    evaluated(runtime()?.block_on(cli::eval(arguments, &mut out)))
}

fn fork(arguments: &cli::ForkArguments) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout();
    evaluated(runtime()?.block_on(cli::fork(arguments, &mut out)))
}

fn diagnose(arguments: &cli::DiagnoseArguments) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout();
    evaluated(runtime()?.block_on(cli::diagnose(arguments, &mut out)))
}

fn evaluated(ended: Result<Verdict, cli::EvalError>) -> anyhow::Result<ExitCode> {
    match ended {
        Ok(verdict) => Ok(exit_code(verdict)),
        Err(error) if error.is_broken_pipe() => Ok(ExitCode::SUCCESS),
        Err(error) => {
            cli::note_error(&error);
            Ok(ExitCode::from(2))
        }
    }
}

fn exit_code(verdict: Verdict) -> ExitCode {
    match verdict {
        Verdict::Passed => ExitCode::SUCCESS,
        Verdict::Failed => ExitCode::FAILURE,
        Verdict::Unscored => ExitCode::from(3),
        // As shells report SIGINT.
        Verdict::Interrupted => ExitCode::from(130),
    }
}

fn add_user(arguments: &CredentialArguments) -> anyhow::Result<ExitCode> {
    let password = cli::read_password(&arguments.name)?;
    let added = cli::add_user(arguments, &password)?;
    print_added(&added, &mut io::stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}

fn add_token(arguments: &CredentialArguments) -> anyhow::Result<ExitCode> {
    let (token, added) = cli::add_token(arguments)?;
    let mut out = io::stdout().lock();
    // Alone on standard output, for scripts; the rest is for people.
    writeln!(out, "{token}")?;
    print_added(&added, &mut io::stderr().lock())?;
    eprintln!("This is the only time that the token is shown.");
    Ok(ExitCode::SUCCESS)
}

fn print_added(added: &Added, out: &mut impl io::Write) -> io::Result<()> {
    match added {
        Added::Written { path, replaced: false } => writeln!(out, "added to {}", path.display()),
        Added::Written { path, replaced: true } => writeln!(out, "replaced in {}", path.display()),
        Added::Printed(text) => {
            writeln!(
                out,
                "There is no rehearsal.toml here. Add this to your configuration:\n\n{text}"
            )
        }
    }
}

fn init(arguments: &InitArguments) -> anyhow::Result<ExitCode> {
    let created = cli::init(&arguments.folder)?;
    let mut out = io::stdout().lock();
    for file in &created.files {
        writeln!(out, "wrote {}", created.folder.join(file).display())?;
    }
    let enter = match created.folder.to_str() {
        Some(".") => String::new(),
        _ => format!("cd {} && ", created.folder.display()),
    };
    writeln!(out, "Next: {enter}rehearsal serve")?;
    writeln!(
        out,
        "The weather agent needs google-adk in a Python that is found: pip install \"google-adk[eval]\""
    )?;
    Ok(ExitCode::SUCCESS)
}

fn adk_folder(arguments: &AdkFolderArguments) -> anyhow::Result<ExitCode> {
    let overrides = Overrides { config: arguments.config.clone(), ..Overrides::default() };
    let config = Config::load(&overrides, &cli::example_names())?;
    let model = arguments.model.as_deref();
    let written = cli::write_adk_folder(&config, &arguments.agent, model, &arguments.out)?;
    let mut out = io::stdout().lock();
    for file in &written.files {
        writeln!(out, "wrote {}", written.folder.join(file).display())?;
    }
    for left_out in &written.left_out {
        writeln!(out, "not written: {left_out}")?;
    }
    let (folder, set) = (written.folder.display(), written.eval_set_path.display());
    let unseen = match runtime()?.block_on(cli::unseen_by_adk(written.agent)) {
        Ok(unseen) => unseen,
        Err(fault) => {
            let reason = fault.reason;
            out.flush()?;
            bail!(
                "the folder {folder} is written, but its tools were not checked against ADK: {reason} Run the \
                 command again when the server responds"
            );
        }
    };
    for tool in unseen {
        writeln!(out, "not seen by ADK: {tool}")?;
    }
    writeln!(out, "Next: pip install \"google-adk[eval]\" mcp && adk eval {folder} {set}")?;
    Ok(ExitCode::SUCCESS)
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the threads that serve cannot be started")
}
