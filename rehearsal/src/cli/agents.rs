//! `rehearsal agents`: prints every agent as the host sees it, or its error.

use std::io::{self, Write};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use agents::SimulatedAgentConfig;
use agents::{
    AgentFacts, AgentFault, AgentLog, AgentSource, SessionView, SourceError, SourceKind, ToolView,
};
use json_text::JsonText;
use json_text::written_out::visible_text;
use serde::Serialize;
use session::SessionId;

use super::Format;

/// After how long an agent that is still being loaded is reported, as on the page.
const SLOW: Duration = Duration::from_secs(5);
/// The number of lines of its output that are shown then.
const LAST_LINES: usize = 6;

/// One agent as the host sees it.
#[derive(Debug, Serialize)]
pub struct AgentReport {
    /// The display name.
    pub(super) name: String,
    /// `native`, `adk_python` or `mcp`.
    source: &'static str,
    /// The file that exports are appended to.
    eval_set_path: String,
    /// The runtime, if known.
    runtime: Option<String>,
    /// The instructions and tools that the model would see at the start of a session.
    pub(super) view: Option<SessionView>,
    /// Why the agent cannot be rehearsed.
    pub(super) fault: Option<AgentFault>,
}

/// Loads each agent, opens a session of it, and closes both. Calls `begins` with its name before
/// and `seen` with its report after. `slow` gets a text about an agent that takes long to load.
pub async fn inspect(
    agents: Vec<SimulatedAgentConfig>,
    mut begins: impl FnMut(&str),
    mut slow: impl FnMut(&str),
    mut seen: impl FnMut(&AgentReport),
) -> Vec<AgentReport> {
    // One after the other: a Python agent takes seconds of processor time and half a gigabyte.
    let mut reports = Vec::with_capacity(agents.len());
    for agent in agents {
        begins(&agent.name);
        let report = look(agent, &mut slow).await;
        seen(&report);
        reports.push(report);
    }
    reports
}

/// Whether every agent can be rehearsed.
#[must_use]
pub fn all_ready(reports: &[AgentReport]) -> bool {
    reports.iter().all(|report| report.fault.is_none())
}

/// Prints the reports.
///
/// # Errors
/// `out` cannot be written.
pub fn write_reports(
    reports: &[AgentReport],
    format: Format,
    out: &mut impl Write,
) -> io::Result<()> {
    match format {
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, reports)?;
            writeln!(out)
        }
        Format::Text if reports.is_empty() => {
            writeln!(out, "No agents. Name a folder, or add [[agent]] to rehearsal.toml.")
        }
        Format::Text => reports.iter().try_for_each(|report| {
            let mut text = Vec::new();
            write_text(report, &mut text)?;
            out.write_all(visible_text(&String::from_utf8_lossy(&text)).as_bytes())
        }),
    }
}

/// Prints a line for each agent: its name, its runtime and its tools' names, or why it cannot be loaded.
///
/// # Errors
/// `out` cannot be written.
pub fn write_brief(reports: &[AgentReport], out: &mut impl Write) -> io::Result<()> {
    for report in reports {
        let runtime = report.runtime.as_deref().unwrap_or(report.source);
        let said = match (&report.view, &report.fault) {
            (_, Some(fault)) => format!("FAULT: {}", fault.reason),
            (Some(view), None) => {
                let names: Vec<&str> = view.tools.iter().map(|tool| tool.name.as_str()).collect();
                let count = counted(names.len(), "tool");
                let tools = if names.is_empty() { "no tools".to_owned() } else { count };
                let colon = if names.is_empty() { "" } else { ": " };
                let warnings = match view.warnings.len() {
                    0 => String::new(),
                    count => format!("; {}", counted(count, "warning")),
                };
                format!("{tools}{colon}{}{warnings}", names.join(", "))
            }
            (None, None) => String::new(),
        };
        write_block(out, 0, &format!("{} ({runtime}): {}", report.name, said.replace('\n', " ")))?;
    }
    Ok(())
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

pub(super) async fn look(config: SimulatedAgentConfig, mut slow: impl FnMut(&str)) -> AgentReport {
    let SimulatedAgentConfig { name, agent, eval_set_path, seed, .. } = config;
    let seen = async {
        let log = Arc::new(AgentLog::default());
        let load = agent.load(&seed, Arc::clone(&log));
        let facts = watched(load, SLOW, &log, || slow(&still_loading(&name, &log))).await?;
        let session = session()?;
        let view = agent.open_session(&session, &seed).await.map_err(fault_of)?;
        agent.close_session(&session).await;
        Ok::<(AgentFacts, SessionView), AgentFault>((facts, view))
    };
    let seen = seen.await;
    let source = kind(agent.as_ref());
    agent.shut_down().await;
    let eval_set_path = eval_set_path.display().to_string();
    match seen {
        Ok((facts, view)) => AgentReport {
            name,
            source,
            eval_set_path,
            runtime: facts.runtime,
            view: Some(view),
            fault: None,
        },
        Err(fault) => AgentReport {
            name,
            source,
            eval_set_path,
            runtime: None,
            view: None,
            fault: Some(fault),
        },
    }
}

/// Waits for `load`. Calls `slow` if it takes longer than `limit`, and again after each further `limit`
/// with new output.
async fn watched<T>(
    load: impl Future<Output = T>,
    limit: Duration,
    log: &AgentLog,
    mut slow: impl FnMut(),
) -> T {
    let (mut load, mut shown) = (pin!(load), None);
    loop {
        match tokio::time::timeout(limit, &mut load).await {
            Ok(loaded) => return loaded,
            Err(_) if shown == Some(log.next_number()) => {}
            Err(_) => {
                shown = Some(log.next_number());
                slow();
            }
        }
    }
}

/// That the agent is still being loaded, and its last output.
fn still_loading(name: &str, log: &AgentLog) -> String {
    let lines = log.lines();
    let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
    let output = if last.is_empty() { "No output yet." } else { "Last output:" };
    let mut text = format!("Still loading {name}. Press Ctrl-C to stop. {output}\n").into_bytes();
    for line in last {
        // Memory can be written.
        let _ = write_block(&mut text, 2, &line.text);
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn session() -> Result<SessionId, AgentFault> {
    let id = uuid::Uuid::new_v4().to_string();
    SessionId::parse(&id).map_err(|error| AgentFault {
        reason: error.to_string(),
        error_type: None,
        traceback: None,
    })
}

fn kind(agent: &dyn AgentSource) -> &'static str {
    match agent.kind() {
        SourceKind::Native => "native",
        SourceKind::AdkPython => "adk_python",
        SourceKind::Mcp => "mcp",
    }
}

fn fault_of(error: SourceError) -> AgentFault {
    match error {
        SourceError::Faulted(fault) => fault,
        other => AgentFault { reason: other.to_string(), error_type: None, traceback: None },
    }
}

fn write_text(report: &AgentReport, out: &mut impl Write) -> io::Result<()> {
    let runtime = report.runtime.as_deref().unwrap_or(report.source);
    writeln!(out, "{} ({runtime})", report.name)?;
    writeln!(out, "  exports to {}", report.eval_set_path)?;
    if let Some(fault) = &report.fault {
        writeln!(out, "  FAULT: {}", fault.reason)?;
        if let Some(traceback) = &fault.traceback {
            write_block(out, 4, traceback)?;
        }
    }
    if let Some(view) = &report.view {
        write_view(view, out)?;
    }
    writeln!(out)
}

fn write_view(view: &SessionView, out: &mut impl Write) -> io::Result<()> {
    let model = view.agent.model.as_deref().unwrap_or("no model");
    writeln!(out, "  {} {}, {model}", view.agent.kind, view.agent.name)?;
    if !view.agent.description.is_empty() {
        writeln!(out, "  {}", view.agent.description)?;
    }
    for warning in &view.warnings {
        writeln!(out, "  warning: {warning}")?;
    }
    writeln!(out, "  instruction:")?;
    write_block(out, 4, &view.instruction)?;
    for (label, schema) in [("input", &view.input_schema), ("output", &view.output_schema)] {
        if let Some(schema) = schema {
            writeln!(out, "  {label} schema:")?;
            write_block(out, 4, &schema.pretty())?;
        }
    }
    for sub_agent in &view.sub_agents {
        writeln!(out, "  sub-agent {}: {}", sub_agent.name, sub_agent.description)?;
    }
    for tool in &view.tools {
        write_tool(tool, out)?;
    }
    if view.tools.is_empty() {
        writeln!(out, "  no tools")?;
    }
    if !view.model_side_tools.is_empty() {
        writeln!(out, "  run by the model's service: {}", view.model_side_tools.join(", "))?;
    }
    Ok(())
}

fn write_tool(tool: &ToolView, out: &mut impl Write) -> io::Result<()> {
    let mut marks = Vec::new();
    if tool.long_running {
        marks.push("long-running".to_owned());
    }
    if tool.needs_confirmation {
        marks.push("requires confirmation".to_owned());
    }
    if !tool.provided_by.is_empty() && tool.provided_by != "agent" {
        marks.push(format!("from {}", tool.provided_by));
    }
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    writeln!(out, "  tool {}{marks}:", tool.name)?;
    write_block(out, 4, &JsonText::pretty(&tool.declaration))
}

/// Leaves out control characters, which could change the terminal, and escapes what reorders text.
fn write_block(out: &mut impl Write, indent: usize, text: &str) -> io::Result<()> {
    for line in text.lines() {
        let line: String = line
            .chars()
            .filter(|character| !character.is_control() || *character == '\t')
            .collect();
        writeln!(out, "{:indent$}{}", "", visible_text(&line))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::simulated_agents;
    use rehearsal_server::Folders;

    use crate::config::{Config, LiveConfig, Origin, SecurityConfig};

    async fn reports() -> Vec<AgentReport> {
        let config = Config {
            listen: crate::config::DEFAULT_LISTEN,
            base_path: rehearsal_server::BasePath::default(),
            agents: Vec::new(),
            agent_folders: Vec::new(),
            python: None,
            security: SecurityConfig::default(),
            access: rehearsal_server::Access::default(),
            live: LiveConfig::default(),
            folders: Folders::default(),
            adk_tool_responses: false,
            origin: Origin::Examples,
        };
        let agents = simulated_agents(&config).expect("the examples are in every build");
        let (mut begun, mut actual) = (Vec::new(), Vec::new());
        let begins = |name: &str| begun.push(name.to_owned());
        let seen = |report: &AgentReport| actual.push(report.name.clone());
        let reports = inspect(agents, begins, |_| {}, seen).await;
        assert_eq!(begun, actual);
        reports
    }

    fn written(reports: &[AgentReport], format: Format) -> String {
        let mut out = Vec::new();
        write_reports(reports, format, &mut out).expect("memory can be written");
        String::from_utf8(out).expect("reports are text")
    }

    #[tokio::test]
    async fn reports_the_examples_with_their_declarations() {
        let mut reports = reports().await;
        // The Python agent is ready only if google-adk is installed.
        reports.retain(|report| report.source == "native");
        assert!(all_ready(&reports));
        let text = written(&reports, Format::Text);
        for expected in ["Math Agent (", "  tool add:", "\"name\": \"add\"", "  no tools"] {
            assert!(text.contains(expected), "{expected} is missing in:\n{text}");
        }
        let mut brief = Vec::new();
        write_brief(&reports, &mut brief).expect("memory can be written");
        let brief = String::from_utf8(brief).expect("text");
        assert_eq!(brief.lines().count(), reports.len(), "{brief}");
        assert!(brief.contains("): 2 tools: add, multiply"), "{brief}");
        let json: serde_json::Value =
            serde_json::from_str(&written(&reports, Format::Json)).expect("JSON");
        assert_eq!(json[0]["view"]["tools"][0]["name"], "add");
        assert_eq!(json[0]["source"], "native");
    }

    #[tokio::test]
    async fn an_agent_that_hangs_is_reported_with_its_last_output() {
        let log = AgentLog::default();
        let text = still_loading("Weather", &log);
        assert_eq!(text, "Still loading Weather. Press Ctrl-C to stop. No output yet.\n");
        (0..9).for_each(|number| log.push(&format!("\u{1b}[1mline {number}")));
        let text = still_loading("Weather", &log);
        assert!(text.starts_with("Still loading Weather. Press Ctrl-C to stop. Last output:\n"));
        assert!(!text.contains("line 2") && text.ends_with("  [1mline 8\n"), "{text}");
        let (mut shown, limit) = (0, Duration::from_millis(1));
        assert_eq!(watched(async { 1 }, limit, &log, || shown += 1).await, 1);
        assert_eq!(shown, 0);
        let slow = async {
            tokio::time::sleep(limit * 100).await;
            log.push("more");
            tokio::time::sleep(limit * 100).await;
            2
        };
        assert_eq!(watched(slow, limit, &log, || shown += 1).await, 2, "it still loads");
        assert_eq!(shown, 2, "once without and once with new output");
    }

    #[test]
    fn reports_a_fault_with_its_traceback() {
        let report = AgentReport {
            name: "Weather".to_owned(),
            source: "adk_python",
            eval_set_path: "weather/weather_evals.evalset.json".to_owned(),
            runtime: None,
            view: None,
            fault: Some(AgentFault {
                reason: "No module named 'httpx'. Install it.".to_owned(),
                error_type: Some("ModuleNotFoundError".to_owned()),
                traceback: Some("Traceback:\n  \u{1b}[31magent.py\u{1b}[0m".to_owned()),
            }),
        };
        assert!(!all_ready(std::slice::from_ref(&report)));
        let mut brief = Vec::new();
        write_brief(std::slice::from_ref(&report), &mut brief).expect("memory can be written");
        let expected = b"Weather (adk_python): FAULT: No module named 'httpx'. Install it.\n";
        assert_eq!(brief, expected);
        let text = written(&[report], Format::Text);
        assert!(text.contains("  FAULT: No module named 'httpx'. Install it.\n"), "{text}");
        assert!(text.contains("      [31magent.py[0m\n"), "escapes reach the terminal: {text:?}");
    }
}
