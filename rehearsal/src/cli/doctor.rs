//! `rehearsal doctor`: what the program finds on this machine, without secrets, for people and bug reports.

use std::env;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agents::adk_python::interpreter::find_interpreter;
use agents::adk_python::package;
use database_file::CopyError;
use live_store::SqliteStore;

use crate::config::{AgentConfig, AgentSourceConfig, Config, ConfigError, FILE_NAME, Origin};

/// How long a Python may take to start and import google-adk.
const IMPORT: Duration = Duration::from_secs(60);

/// Variables that hold keys, or say which service is used. Only whether they are set is shown.
const KEYS: [&str; 8] = [
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_CLOUD_PROJECT",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "OLLAMA_HOST",
    "REHEARSAL_SERVER_URL",
    "REHEARSAL_TOKEN",
];

/// Prints its version, that of google-adk, `-` without it, and whether there is pip.
const PROBE: &str = "import sys, importlib.metadata as m\n\
    print('%d.%d.%d' % sys.version_info[:3])\n\
    try: print(m.version('google-adk'))\n\
    except m.PackageNotFoundError: print('-')\n\
    import importlib.util; print('pip' if importlib.util.find_spec('pip') else '-')\n";

/// How a finding is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Good,
    /// Something does not work, and other things do.
    Missing,
    /// The program cannot serve.
    Bad,
}

/// A line of the report.
struct Finding {
    what: &'static str,
    level: Level,
    text: String,
}

/// What is found, line by line.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, what: &'static str, level: Level, text: impl Into<String>) {
        self.0.push(Finding { what, level, text: text.into() });
    }
}

/// Looks for what serving needs, with the Python of an agent in `folder`, and prints what was found. Returns whether a page can be served and nothing is missing.
///
/// # Errors
/// `out` cannot be written.
pub async fn examine(
    config: &Result<Config, ConfigError>,
    folder: &Path,
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut found = Findings::default();
    program(&mut found);
    configuration(config, &mut found);
    let config = config.as_ref().ok();
    python(config, folder, &mut found).await;
    found.add("keys", Level::Good, keys(|name| env::var_os(name).is_some_and(|it| !it.is_empty())));
    if let Some(config) = config {
        agents(config, &mut found);
        exports(config, &mut found);
        let is_running = database(&config.live.database, &mut found).await;
        address(config, is_running, &mut found);
    }
    for Finding { what, level, text } in &found.0 {
        let mark = match level {
            Level::Good => "ok",
            Level::Missing => "missing",
            Level::Bad => "error",
        };
        writeln!(out, "{mark:<8} {what:<14} {text}")?;
    }
    Ok(found.0.iter().all(|finding| finding.level == Level::Good))
}

fn program(found: &mut Findings) {
    let version = env!("CARGO_PKG_VERSION");
    let (os, arch) = (env::consts::OS, env::consts::ARCH);
    found.add("rehearsal", Level::Good, format!("{version}, {os} {arch}"));
    if let Ok(program) = env::current_exe() {
        found.add("program", Level::Good, program.display().to_string());
    }
}

fn configuration(config: &Result<Config, ConfigError>, found: &mut Findings) {
    match config {
        Ok(config) => {
            let agents = config.agents.len();
            let text = match &config.origin {
                Origin::File(path) => format!("{}, {agents} agents", path.display()),
                Origin::CommandLine if Path::new(FILE_NAME).is_file() => format!(
                    "{FILE_NAME} is not read, {agents} agents of the command line. To use it, add \
                     --config {FILE_NAME}"
                ),
                Origin::CommandLine => format!("none, {agents} agents of the command line"),
                Origin::Examples => "none, so the example agents are served".to_owned(),
            };
            found.add("configuration", Level::Good, text);
        }
        Err(error) => found.add("configuration", Level::Bad, without_the_line(&error.to_string())),
    }
}

/// The error of a configuration. A line of the file may contain a secret, so only its place is shown.
fn without_the_line(error: &str) -> String {
    let place = error.split(": ").next().unwrap_or_default();
    let is_number = |part: &str| part.parse::<u32>().is_ok();
    match place.rsplit(':').take(2).filter(|part| is_number(part)).count() {
        2 => format!(
            "{place}: there is a mistake. The line may contain a secret and is left out here; \
             `rehearsal agents` shows it"
        ),
        _ => error.lines().next().unwrap_or_default().to_owned(),
    }
}

/// The folders of agents in Python, which are loaded only when they are served.
fn agents(config: &Config, found: &mut Findings) {
    for agent in &config.agents {
        let AgentSourceConfig::AdkPython { folder, .. } = &agent.source else { continue };
        if !folder.is_dir() {
            let text = format!(
                "{}: the folder {} does not exist. Correct `folder`, or remove the agent",
                agent.name,
                folder.display()
            );
            found.add("agents", Level::Missing, text);
        }
    }
}

/// The folders of the eval sets that sessions are exported to.
fn exports(config: &Config, found: &mut Findings) {
    let fault = |agent: &AgentConfig| {
        let (folder, error) = creatable(&agent.eval_set_path).err()?;
        let folder = folder.display();
        Some(format!(
            "{}: {folder} cannot be written: {error}. To export sessions, allow access to it, or \
             name another file with `eval_set_path` in {FILE_NAME}",
            agent.name
        ))
    };
    let faults: Vec<String> = config.agents.iter().filter_map(fault).collect();
    if faults.is_empty() {
        found.add("exports", Level::Good, "the folders of the eval sets can be written");
    }
    for fault in faults {
        found.add("exports", Level::Missing, fault);
    }
}

async fn python(config: Option<&Config>, folder: &Path, found: &mut Findings) {
    let named = config.and_then(|config| config.python.as_deref());
    let interpreter = find_interpreter(folder, named);
    let begin = Instant::now();
    let mut probe = tokio::process::Command::new(&interpreter.program);
    let lines = match output(probe.args(["-c", PROBE])).await {
        Ok(lines) => lines,
        Err(error) => {
            let text = format!(
                "{interpreter} does not start: {error}. Agents in Python need one: install Python \
                 3.10 or newer, or name it with --python"
            );
            return found.add("python", Level::Missing, text);
        }
    };
    let mut lines = lines.lines();
    let version = lines.next().unwrap_or_default();
    found.add("python", Level::Good, format!("{version}, {interpreter}"));
    match lines.next().unwrap_or("-") {
        "-" => {
            let python = interpreter.program.display();
            let install = match lines.next() {
                Some("pip") => format!("{python} -m pip install google-adk"),
                // As in environments that uv made.
                _ => format!("uv pip install --python {python} google-adk"),
            };
            let text = format!("none in that Python. Agents in Python need it: {install}");
            return found.add("google-adk", Level::Missing, text);
        }
        version => found.add("google-adk", Level::Good, version),
    }
    let package = match package::unpacked() {
        Ok(package) => package,
        Err(error) => {
            let text = format!("its files cannot be written: {error}");
            return found.add("worker", Level::Bad, text);
        }
    };
    let started = "import sys; sys.path.insert(0, sys.argv[1]); import rehearsal_adk.worker, google.adk.agents";
    let mut worker = tokio::process::Command::new(&interpreter.program);
    match output(worker.args(["-c", started]).arg(&package)).await {
        Ok(_) => {
            let took = begin.elapsed().as_secs_f64();
            let text = format!("starts, {took:.1} s with google-adk, from {}", package.display());
            found.add("worker", Level::Good, text);
        }
        Err(error) => found.add("worker", Level::Bad, format!("does not start: {error}")),
    }
}

/// The output of a program that ends in time, or why there is none.
async fn output(command: &mut tokio::process::Command) -> Result<String, String> {
    let ran = tokio::time::timeout(IMPORT, command.kill_on_drop(true).output()).await;
    let ran = ran.map_err(|_| format!("it does not end within {} s", IMPORT.as_secs()))?;
    let ran = ran.map_err(|error| error.to_string())?;
    if ran.status.success() {
        return Ok(String::from_utf8_lossy(&ran.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&ran.stderr);
    Err(errors.lines().next_back().unwrap_or("it fails without a message").to_owned())
}

/// Which of the variables are set.
fn keys(is_set: impl Fn(&str) -> bool) -> String {
    let set: Vec<&str> = KEYS.into_iter().filter(|name| is_set(name)).collect();
    match set.is_empty() {
        true => format!("none of {} is set", KEYS.join(", ")),
        false => format!("set: {}", set.join(", ")),
    }
}

/// Whether the address is free. A host with the database may be the one that uses it.
fn address(config: &Config, is_running: bool, found: &mut Findings) {
    let listen = config.listen;
    match TcpListener::bind(listen) {
        Ok(_) => found.add("address", Level::Good, format!("{listen} is free")),
        Err(error) if is_running && error.kind() == io::ErrorKind::AddrInUse => {
            let text = format!("{listen} is in use, and a host is running with this database");
            found.add("address", Level::Good, text);
        }
        Err(error) => {
            let text = format!(
                "{listen} cannot be used: {error}. Stop what uses it, or serve with --listen 127.0.0.1:0"
            );
            found.add("address", Level::Missing, text);
        }
    }
}

/// Whether the database can be used. Returns whether a host uses it.
async fn database(path: &Path, found: &mut Findings) -> bool {
    let state = database_state(path);
    let is_used = matches!(state, Ok((_, true)));
    let state = match state {
        Ok((text, is_used)) if is_used || !path.is_file() => Ok(text),
        Ok((text, _)) => opens(path).await.map(|()| format!("{text}, complete")),
        Err(error) => Err(error),
    };
    let (level, text) = match state {
        Ok(text) => (Level::Good, text),
        Err(error) => (Level::Bad, error),
    };
    found.add("live sessions", level, format!("{}: {text}", path.display()));
    is_used
}

/// Opens a copy, because opening a database brings it to this version.
async fn opens(path: &Path) -> Result<(), String> {
    let bytes = path.metadata().map_or(0, |metadata| metadata.len());
    // A new file of nothing is one that a host would fill.
    if bytes == 0 {
        return Ok(());
    }
    database_file::check(path).await.map_err(|error| match &error {
        CopyError::Locked { .. } => "another program has locked it. End that program".to_owned(),
        CopyError::Damaged { cause, .. } => {
            format!("it is damaged: {cause}. Move the file away, or restore a backup")
        }
        CopyError::Unwritable { .. } => error.to_string(),
    })?;
    let folder = tempfile::tempdir().map_err(|error| format!("it cannot be checked: {error}"))?;
    let copy = folder.path().join("live.sqlite");
    database_file::copy(path, &copy).await.map_err(|error| error.to_string())?;
    let opened = SqliteStore::open(&copy).await.map(drop);
    let name = |error: String| error.replace(&copy.display().to_string(), "this file");
    opened.map_err(|error| name(error.to_string()))
}

/// What is at the path of the database and whether a host uses it, or why it cannot be used.
fn database_state(path: &Path) -> Result<(String, bool), String> {
    let mut file = match File::options().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match creatable(path) {
                Ok(()) => Ok(("it will be created".to_owned(), false)),
                Err((folder, error)) => Err(format!(
                    "{} cannot be written: {error}. Allow access to it, or name another file with \
                     --live-database",
                    folder.display()
                )),
            };
        }
        Err(error) => return Err(format!("it cannot be opened: {error}. Allow access to it")),
    };
    let mut begin = [0; 16];
    let is_database = file.read_exact(&mut begin).is_ok() && begin == *b"SQLite format 3\0";
    let bytes = file.metadata().map_or(0, |metadata| metadata.len());
    if bytes > 0 && !is_database {
        return Err("it is not a database of SQLite. Move it away".to_owned());
    }
    let mut lock = path.as_os_str().to_owned();
    lock.push(".lock");
    let is_used = File::open(PathBuf::from(lock))
        .is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
    let used = if is_used { ", a host uses it" } else { "" };
    Ok((format!("{bytes} bytes{used}"), is_used))
}

/// Whether the file could be created, with the folders above it; otherwise the folder that prevents it, and why.
fn creatable(path: &Path) -> Result<(), (&Path, io::Error)> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let existing = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    tempfile::tempfile_in(existing).map(drop).map_err(|error| (existing, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_and_never_shown() {
        assert_eq!(keys(|name| name.starts_with("OPENAI")), "set: OPENAI_API_KEY");
        assert!(keys(|_| false).starts_with("none of GEMINI_API_KEY, "));
    }

    #[test]
    fn a_line_of_the_configuration_is_not_shown() {
        let error =
            "a.toml:8:48: unclosed inline table\n  | headers = { Authorization = \"sk-1\"\n  | ^";
        let shown = without_the_line(error);
        assert!(shown.starts_with("a.toml:8:48: there is a mistake"), "{shown}");
        assert!(!shown.contains("sk-1"), "{shown}");
        let other = "cannot read the configuration none.toml: No such file or directory";
        assert_eq!(without_the_line(other), other);
    }

    #[tokio::test]
    async fn a_database_that_cannot_be_opened_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("live.sqlite");
        drop(SqliteStore::open(&path).await.expect("made"));
        assert_eq!(opens(&path).await, Ok(()));
        let bytes = std::fs::read(&path).expect("read");
        std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("cut");
        let error = opens(&path).await.expect_err("damaged");
        assert!(error.ends_with("Move the file away, or restore a backup"), "{error}");
    }

    #[test]
    fn a_database_is_told_from_other_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data/live.sqlite");
        assert_eq!(database_state(&path), Ok(("it will be created".to_owned(), false)));
        let other = folder.path().join("notes.txt");
        std::fs::write(&other, "Notes, longer than a header.").expect("written");
        let error = database_state(&other).expect_err("no database");
        assert_eq!(error, "it is not a database of SQLite. Move it away");
    }
}
