//! `rehearsal tools lint`: an agent's tools, or the declarations of a file, as a model and a person
//! would stumble over them. The rules are in `tool-lint`; here is what reads and prints.

use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use json_text::JsonText;
use session::AgentId;
use tool_lint::{Finding, Found, Report, Severity, declarations_in, lint_list};

use super::agents::look;
use super::{Format, LintArguments, example_names, simulated_agents};
use crate::config::Config;

/// The declarations looked at, and what was found.
#[derive(Debug)]
pub struct Linted {
    /// The agent's name or the file's.
    source: String,
    reports: Vec<Report>,
}

/// Why there is nothing to look at.
#[derive(Debug, thiserror::Error)]
pub enum LintError {
    /// The file cannot be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// The file is read and holds no JSON object.
    #[error("{source_name} holds no declaration; write one JSON object a line")]
    NoDeclaration {
        /// The file's name.
        source_name: String,
    },
    /// Neither a file nor an agent.
    #[error("there is no file and no agent `{target}`; the agents are {}", known.join(", "))]
    UnknownAgent {
        /// What was asked for.
        target: String,
        /// The ids of the agents there are.
        known: Vec<String>,
    },
    /// The agent cannot be loaded, so its tools are not known.
    #[error("the agent {name} cannot be loaded: {reason}")]
    Faulted {
        /// The agent.
        name: String,
        /// Its fault.
        reason: String,
    },
    /// The configuration names agents that cannot be had.
    #[error("{0:#}")]
    Configuration(#[from] anyhow::Error),
}

impl Linted {
    /// Whether something is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    fn count(&self, severity: Severity) -> usize {
        self.reports.iter().map(|report| report.count(severity)).sum()
    }
}

/// Looks at what `arguments` name.
///
/// # Errors
/// [`LintError`] when there is nothing to look at.
pub async fn lint_tools(arguments: &LintArguments) -> Result<Linted, LintError> {
    let target = arguments.target.as_str();
    if target == "-" {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|cause| LintError::Unreadable { path: "standard input".into(), cause })?;
        return of_text("standard input", &bytes);
    }
    let path = Path::new(target);
    if path.is_file() {
        let unreadable = |cause| LintError::Unreadable { path: path.to_owned(), cause };
        return of_text(target, &std::fs::read(path).map_err(unreadable)?);
    }
    of_agent(arguments).await
}

fn of_text(source: &str, bytes: &[u8]) -> Result<Linted, LintError> {
    // A byte that is no text spoils its line alone.
    let found = declarations_in(&String::from_utf8_lossy(bytes));
    if !found.iter().any(|found| found.declaration.is_ok()) {
        return Err(LintError::NoDeclaration { source_name: source.to_owned() });
    }
    Ok(Linted { source: source.to_owned(), reports: lint_list(&found) })
}

async fn of_agent(arguments: &LintArguments) -> Result<Linted, LintError> {
    let target = arguments.target.as_str();
    let folder = PathBuf::from(target);
    let folders = if folder.is_dir() { vec![folder] } else { Vec::new() };
    let named_by_folder = !folders.is_empty();
    let config = Config::load(&arguments.overrides(folders), &example_names())
        .map_err(anyhow::Error::from)?;
    let agents = simulated_agents(&config)?;
    let known: Vec<String> =
        agents.iter().map(|agent| AgentId::from_display_name(&agent.name).to_string()).collect();
    let place = if named_by_folder {
        // Folders come after the agents of a configuration.
        agents.len().checked_sub(1)
    } else {
        let id = |index: usize| known.get(index).is_some_and(|id| id == target);
        let name = |index: usize| agents[index].name.eq_ignore_ascii_case(target);
        (0..agents.len()).find(|index| id(*index)).or_else(|| (0..agents.len()).find(|i| name(*i)))
    };
    let Some(agent) = place.and_then(|place| agents.into_iter().nth(place)) else {
        return Err(LintError::UnknownAgent { target: target.to_owned(), known });
    };
    let report = look(agent).await;
    let name = report.name;
    let Some(view) = report.view else {
        let reason = report.fault.map(|fault| fault.reason).unwrap_or_default();
        return Err(LintError::Faulted { name, reason });
    };
    let tools: Vec<Found> = view
        .tools
        .into_iter()
        .map(|tool| Found { line: None, declaration: Ok::<JsonText, String>(tool.declaration) })
        .collect();
    Ok(Linted { source: name, reports: lint_list(&tools) })
}

/// Writes what was found.
///
/// # Errors
/// `out` cannot be written.
pub fn write_lint(linted: &Linted, format: Format, out: &mut impl Write) -> io::Result<()> {
    match format {
        Format::Json => linted.reports.iter().try_for_each(|report| {
            serde_json::to_writer(&mut *out, report)?;
            writeln!(out)
        }),
        Format::Text => write_text(linted, out),
    }
}

fn write_text(linted: &Linted, out: &mut impl Write) -> io::Result<()> {
    for report in linted.reports.iter().filter(|report| !report.findings.is_empty()) {
        let tool = report.tool.as_deref().unwrap_or("(no tool)");
        let line = report.line.map(|line| format!(", line {line}")).unwrap_or_default();
        writeln!(out, "{}{line}", shown(tool))?;
        for finding in &report.findings {
            write_finding(finding, out)?;
        }
        if report.values.survived < report.values.made {
            let values = report.values;
            writeln!(
                out,
                "  {} of {} values made for it survive the form",
                values.survived, values.made
            )?;
        }
        writeln!(out)?;
    }
    let made: usize = linted.reports.iter().map(|report| report.values.made).sum();
    let survived: usize = linted.reports.iter().map(|report| report.values.survived).sum();
    let clean = linted.reports.iter().filter(|report| report.findings.is_empty()).count();
    // What is no declaration is an error and no tool.
    let tools = linted.reports.iter().filter(|report| report.tool.is_some()).count();
    let unread = match linted.reports.len() - tools {
        0 => String::new(),
        1 => " 1 entry is no tool;".to_owned(),
        count => format!(" {count} entries are no tools;"),
    };
    writeln!(
        out,
        "{}: {}, {clean} without a finding;{unread} {}, {}; {survived} of {made} values survive \
         the form.",
        shown(&linted.source),
        counted(tools, "tool"),
        counted(linted.count(Severity::Error), "error"),
        counted(linted.count(Severity::Warning), "warning"),
    )
}

fn write_finding(finding: &Finding, out: &mut impl Write) -> io::Result<()> {
    let severity = finding.rule.severity().name();
    let place = if finding.pointer.is_empty() { "the whole" } else { &finding.pointer };
    writeln!(out, "  {severity:<8}{:<30}{}", finding.rule.name(), shown(place))?;
    for line in wrapped(&shown(&finding.message), 86) {
        writeln!(out, "          {line}")?;
    }
    Ok(())
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Control characters are a declaration's own business and not the terminal's.
fn shown(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// The text in lines of at most `width` characters where its words allow.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
