//! Agents: the list, an agent's log, and reloading an agent.

use serde::{Deserialize, Serialize};
use session::AgentId;

/// One agent as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSummary {
    /// The id, used in URLs.
    pub id: AgentId,
    /// The display name.
    pub name: String,
    /// Where it comes from.
    pub source: SourceKind,
    /// Whether it can be rehearsed.
    pub status: AgentStatus,
    /// The agent's description; may be empty.
    pub description: String,
    /// The name of its model, if known.
    pub model: Option<String>,
    /// The names of its tools, if known.
    pub tools: Vec<String>,
    /// The eval-set file that its exports go to, as the configuration gives it.
    pub eval_set_path: String,
    /// The worker that runs it, such as `python 3.11.7 · google-adk 2.13.0`.
    pub runtime: Option<String>,
    /// How often it was loaded since the host started.
    pub loads: u64,
    /// Whether its files have changed since it was loaded.
    pub is_changed: bool,
    /// Whether it has been loading for several seconds.
    pub is_slow: bool,
    /// Whether it was removed while the host runs. The list does not show it, but its sessions can be exported.
    #[serde(default)]
    pub is_removed: bool,
}

/// The agent that a name in an address means, of agents with an id and a name each: the one with this id, else the only
/// one whose id or name differs in case at most, else the one of several with exactly this name. If there is none, a
/// number after the name does not count: an agent of a folder has one if its name was taken.
#[must_use]
pub fn agent_in_address<'a>(
    written: &str,
    agents: impl Iterator<Item = (&'a AgentId, &'a str)> + Clone,
) -> Option<&'a AgentId> {
    if let Some((id, _)) = agents.clone().find(|(id, _)| id.as_str() == written) {
        return Some(id);
    }
    let lower = written.to_lowercase();
    let is_alike = |text: &str| text.to_lowercase() == lower;
    let alike: Vec<_> =
        agents.clone().filter(|(id, name)| is_alike(id.as_str()) || is_alike(name)).collect();
    let meant = match alike.is_empty() {
        false => alike,
        true => agents
            .filter_map(|(id, name)| Some((id, without_number(name)?)))
            .filter(|(_, name)| is_alike(name))
            .collect(),
    };
    match meant[..] {
        [(only, _)] => Some(only),
        _ => meant.iter().find(|(_, name)| *name == written).map(|(id, _)| *id),
    }
}

/// `MathAgent` of `MathAgent-2`.
fn without_number(name: &str) -> Option<&str> {
    let (name, number) = name.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !name.is_empty()).then_some(name)
}

/// Where an agent comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SourceKind {
    /// Rust, against the `adk-core` traits.
    Native,
    /// A folder that `adk web` would load.
    AdkPython,
    /// An instruction and the tools of MCP servers.
    Mcp,
}

impl SourceKind {
    /// The display name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Native => "Rust",
            Self::AdkPython => "ADK Python",
            Self::Mcp => "MCP",
        }
    }
}

/// Whether an agent can be rehearsed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AgentStatus {
    /// It is being loaded.
    Starting,
    /// It can be rehearsed.
    Ready,
    /// It failed to load, for this reason.
    Faulted(AgentFault),
}

/// Why an agent cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentFault {
    /// One sentence: what happened and what to do.
    pub reason: String,
    /// The exception's class name, where there was one.
    pub error_type: Option<String>,
    /// The original traceback or output, where there was one.
    pub traceback: Option<String>,
}

/// One line that an agent printed or its worker logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// Counts from 0 since the start of the host.
    pub number: u64,
    /// Milliseconds since 1970, UTC.
    pub at_ms: i64,
    /// The line without its end.
    pub text: String,
    /// Whether the host wrote the line, not the agent: it marks where a new worker's lines begin.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_host: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_find_agents_without_regard_to_case() {
        let agents = [
            ("mathagent", "mathagent"),
            ("mathagent-2", "MathAgent"),
            ("poet", "Poet"),
            ("smart-home", "Smart Home"),
        ];
        let agents = agents.map(|(id, name)| (AgentId::parse(id).expect("valid"), name));
        for (written, expected) in [
            ("mathagent", Some("mathagent")),
            ("MathAgent", Some("mathagent-2")),
            ("MATHAGENT", None),
            ("MathAgent-2", Some("mathagent-2")),
            ("POET", Some("poet")),
            ("smart home", Some("smart-home")),
            ("Smart-Home", Some("smart-home")),
            ("smart", None),
            ("", None),
        ] {
            let found = agent_in_address(written, agents.iter().map(|(id, name)| (id, *name)));
            assert_eq!(found.map(AgentId::as_str), expected, "{written}");
        }
    }

    #[test]
    fn the_name_of_a_folder_finds_its_agent_whose_name_was_taken() {
        let agents = [
            ("math-agent", "Math Agent"),
            ("mathagent-2", "MathAgent-2"),
            ("poet-2", "poet-2"),
            ("poet-3", "Poet-3"),
            ("x-ray", "X-ray"),
        ];
        let agents = agents.map(|(id, name)| (AgentId::parse(id).expect("valid"), name));
        for (written, expected) in [
            ("MathAgent", Some("mathagent-2")),
            ("mathagent", Some("mathagent-2")),
            ("math agent", Some("math-agent")),
            ("Poet", Some("poet-3")),
            ("POET", None),
            ("X", None),
            ("", None),
        ] {
            let found = agent_in_address(written, agents.iter().map(|(id, name)| (id, *name)));
            assert_eq!(found.map(AgentId::as_str), expected, "{written}");
        }
    }
}
