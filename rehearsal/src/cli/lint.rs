//! `rehearsal tools lint`: reports problems in an agent's tools, or in the declarations of a file. The rules
//! are in `tool-lint`; this module reads and prints.

mod text;

use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use agents::SessionView;
use session::AgentId;
use tool_lint::{DeclarationError, FoundDeclaration, Report, Severity, declarations_in, lint_list};

use super::agents::look;
use super::sources::place_of;
use super::{Format, LintArguments, example_names, simulated_agents};
use crate::config::{AgentSourceConfig, Config};

/// The checked declarations and their findings.
#[derive(Debug)]
pub struct Linted {
    /// The name of the agent or the file.
    source: String,
    reports: Vec<Report>,
}

/// Why there is nothing to check.
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
    /// The file has no JSON object.
    #[error(
        "{source_name} contains no declaration; write one JSON object per line{}",
        first.as_ref().map(|first| format!(". {}", at_line(first))).unwrap_or_default()
    )]
    NoDeclaration {
        /// The file's name.
        source_name: String,
        /// The first other line, and why it is not a declaration.
        first: Option<(usize, DeclarationError)>,
    },
    /// Neither a file nor an agent.
    #[error("no file and no agent `{target}`; the agents are {}", known.join(", "))]
    UnknownAgent {
        /// The name given.
        target: String,
        /// The ids of the agents.
        known: Vec<String>,
    },
    /// The agent cannot be loaded.
    #[error("the agent {name} cannot be loaded: {reason}")]
    Faulted {
        /// The agent.
        name: String,
        /// Its error.
        reason: String,
    },
    /// The agents of the configuration are invalid.
    #[error("{0:#}")]
    Configuration(#[from] anyhow::Error),
}

/// A line's error counts its columns within the line.
fn at_line((line, error): &(usize, DeclarationError)) -> String {
    match error {
        DeclarationError::Line(_) => format!("Line {line}: {error}"),
        DeclarationError::Value(_) => error.to_string(),
    }
}

impl Linted {
    /// Whether a finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    fn count(&self, severity: Severity) -> usize {
        self.reports.iter().map(|report| report.count(severity)).sum()
    }
}

/// Checks the tools that `arguments` select.
///
/// # Errors
/// [`LintError`] if there is nothing to check.
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
    // Invalid UTF-8 affects only its line.
    let found = declarations_in(&String::from_utf8_lossy(bytes));
    if !found.iter().any(|found| found.declaration.is_ok()) {
        let first = found.into_iter().find_map(|it| it.line.zip(it.declaration.err()));
        return Err(LintError::NoDeclaration { source_name: source.to_owned(), first });
    }
    Ok(Linted { source: source.to_owned(), reports: lint_list(&found) })
}

async fn of_agent(arguments: &LintArguments) -> Result<Linted, LintError> {
    let target = arguments.target.as_str();
    let folder = PathBuf::from(target);
    let folders = if folder.is_dir() { vec![folder.clone()] } else { Vec::new() };
    let named_by_folder = !folders.is_empty();
    let config = Config::load(&arguments.overrides(folders), &example_names())
        .map_err(anyhow::Error::from)?;
    let below = config.agents.iter().filter_map(|agent| match &agent.source {
        AgentSourceConfig::AdkPython { folder: of_agent, .. } if named_by_folder => {
            (of_agent.parent() == Some(&folder)).then(|| of_agent.display().to_string())
        }
        _ => None,
    });
    let below: Vec<String> = below.collect();
    if !below.is_empty() {
        return Err(LintError::UnknownAgent { target: target.to_owned(), known: below });
    }
    let agents = simulated_agents(&config)?;
    let known: Vec<String> =
        agents.iter().map(|agent| AgentId::from_display_name(&agent.name).to_string()).collect();
    let place = if named_by_folder {
        // Folders come after the agents of a configuration.
        agents.len().checked_sub(1)
    } else {
        let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
        place_of(target, &names)
    };
    let Some(agent) = place.and_then(|place| agents.into_iter().nth(place)) else {
        return Err(LintError::UnknownAgent { target: target.to_owned(), known });
    };
    let report = look(agent, |text| eprint!("{text}")).await;
    let name = report.name;
    let Some(view) = report.view else {
        let reason = report.fault.map(|fault| fault.reason).unwrap_or_default();
        return Err(LintError::Faulted { name, reason });
    };
    Ok(Linted { source: name, reports: reports_of(view) })
}

/// The warnings of loading the agent, if any, and its tools.
fn reports_of(view: SessionView) -> Vec<Report> {
    let tools = view.tools.into_iter();
    let tools =
        tools.map(|tool| FoundDeclaration { line: None, declaration: Ok(tool.declaration) });
    let mut reports = lint_list(&tools.collect::<Vec<_>>());
    reports.splice(0..0, Report::of_agent(&view.warnings));
    reports
}

/// Writes the findings.
///
/// # Errors
/// `out` cannot be written.
pub fn write_lint(linted: &Linted, format: Format, out: &mut impl Write) -> io::Result<()> {
    match format {
        Format::Json => linted.reports.iter().try_for_each(|report| {
            serde_json::to_writer(&mut *out, report)?;
            writeln!(out)
        }),
        Format::Text => text::write(linted, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_an_agents_warnings_apart_from_tools() {
        let view = serde_json::json!({
            "app_name": "clash", "agent": {"name": "clash"}, "instruction": "", "state": {},
            "tools": [{"name": "echo", "description": "Echoes it.", "provided_by": "one",
                "declaration": {"name": "echo", "description": "Echoes it."}}],
            "warnings": ["echo of two is left out: one has a tool of that name."],
        });
        let view = serde_json::from_value(view).expect("a view");
        let linted = Linted { source: "clash".to_owned(), reports: reports_of(view) };
        assert!(!linted.has_errors());
        let written = |format| {
            let mut out = Vec::new();
            write_lint(&linted, format, &mut out).expect("memory can be written");
            String::from_utf8(out).expect("text")
        };
        let text = written(Format::Text);
        let first = "(the agent)\n  warning agent-warning                 the whole\n          echo of two is \
                     left out: one has a tool of that name.\n";
        assert!(text.starts_with(first), "{text}");
        let last = "clash: 1 tool, 1 without findings; 0 errors, 1 warning;";
        assert!(text.lines().last().is_some_and(|line| line.starts_with(last)), "{text}");
        let json = written(Format::Json);
        let tools: Vec<serde_json::Value> =
            json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(
            (&tools[0]["tool"], &tools[1]["tool"]),
            (&serde_json::Value::Null, &"echo".into())
        );
    }
}
