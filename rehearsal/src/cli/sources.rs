//! Creates the agents of a configuration, and numbers what it says of them, for a host that reads it again.

use std::cell::RefCell;
use std::path::PathBuf;

use agents::SimulatedAgentConfig;
use agents::adk_python::AdkPythonSource;
use agents::mcp::{McpAgent, McpSource};
use agents::native::{NativeAgent, NativeSource};
use agents::{AgentSource, SessionSeed};
use anyhow::Context as _;
use json_text::JsonText;
use session::AgentId;

use crate::config::{AgentConfig, AgentSourceConfig, Config, Origin, default_eval_set_path};
use crate::examples;

/// A built-in agent: its name in `example = "..."`, its display name, and the agent.
struct Example {
    key: &'static str,
    name: &'static str,
    make: fn() -> NativeAgent,
}

const EXAMPLES: [Example; 3] = [
    Example { key: "math", name: "Math Agent", make: examples::math_agent },
    Example { key: "travel", name: "Travel Desk", make: examples::travel_agent },
    Example { key: "poet", name: "Poet", make: examples::poet_agent },
];

/// The allowed names in `example = "..."`, for [`Config::load`].
#[must_use]
pub fn example_names() -> Vec<&'static str> {
    EXAMPLES.iter().map(|example| example.key).collect()
}

/// The agents of a configuration, or the built-in examples without any.
///
/// # Errors
/// An example that does not exist, or cannot be written to disk.
pub fn simulated_agents(config: &Config) -> anyhow::Result<Vec<SimulatedAgentConfig>> {
    if config.origin == Origin::Examples {
        let in_rust = EXAMPLES.iter().map(shipped);
        let mut agents: Vec<SimulatedAgentConfig> = in_rust.collect();
        agents.push(shipped_smart_home(config)?);
        agents.extend(
            shipped_mcp(config)?.into_iter().map(|named| {
                SimulatedAgentConfig::mcp(named.name, named.agent, named.eval_set_path)
            }),
        );
        return Ok(agents);
    }
    config.agents.iter().map(|agent| configured(agent, config)).collect()
}

/// What the configurations that a host has read say of agents, each with a number.
#[derive(Default)]
pub(super) struct Revisions(RefCell<Vec<Description>>);

/// What an agent is made from.
#[derive(PartialEq)]
struct Description {
    /// Its entry; `None` for a built-in example.
    entry: Option<AgentConfig>,
    /// The interpreter of the whole configuration, if the agent uses it.
    python: Option<PathBuf>,
}

impl Revisions {
    /// As [`simulated_agents`], with the number of what `config` says of each agent as its revision.
    ///
    /// # Errors
    /// As [`simulated_agents`].
    pub(super) fn simulated_agents(
        &self,
        config: &Config,
    ) -> anyhow::Result<Vec<SimulatedAgentConfig>> {
        let mut agents = simulated_agents(config)?;
        let entries = config.agents.iter().map(Some).chain(std::iter::repeat(None));
        for (agent, entry) in agents.iter_mut().zip(entries) {
            agent.revision = Some(self.number(Description::of(entry, config)));
        }
        Ok(agents)
    }

    fn number(&self, description: Description) -> u64 {
        let mut known = self.0.borrow_mut();
        let place = known.iter().position(|other| *other == description).unwrap_or_else(|| {
            known.push(description);
            known.len() - 1
        });
        place as u64
    }
}

impl Description {
    fn of(entry: Option<&AgentConfig>, config: &Config) -> Self {
        let mut entry = entry.cloned();
        let takes_python = match entry.as_mut().map(|entry| &mut entry.source) {
            None | Some(AgentSourceConfig::AdkPython { python: None, .. }) => true,
            Some(AgentSourceConfig::Mcp(agent)) => {
                if agent.instruction_file.is_some() {
                    // The agent reads it, and the page offers a reload when it changes.
                    agent.instruction.clear();
                }
                false
            }
            Some(_) => false,
        };
        Self { entry, python: config.python.clone().filter(|_| takes_python) }
    }
}

fn shipped(example: &Example) -> SimulatedAgentConfig {
    let source = AgentSourceConfig::Native { example: example.key.to_owned() };
    let eval_set_path = default_eval_set_path(example.name, &source);
    SimulatedAgentConfig::native(example.name, (example.make)(), eval_set_path)
}

/// The Python example. Without google-adk it is listed with an error.
fn shipped_smart_home(config: &Config) -> anyhow::Result<SimulatedAgentConfig> {
    const NAME: &str = "Smart Home";
    let folder = examples::smart_home_folder()
        .context("the smart home example cannot be written to disk")?;
    // Exports go to the working directory, not to the folder in the cache.
    let place = AgentSourceConfig::Native { example: "smart_home".to_owned() };
    let eval_set_path = default_eval_set_path(NAME, &place);
    let source = AdkPythonSource::new(folder, config.python.clone());
    let mut agent = SimulatedAgentConfig::new(NAME, source, eval_set_path);
    agent.seed.state.insert("owner".to_owned(), JsonText::string("Ada"));
    Ok(agent)
}

/// The agent with the id `target`, else the one with that name, ignoring case.
pub(super) fn place_of(target: &str, names: &[&str]) -> Option<usize> {
    let id = |name: &&str| AgentId::from_display_name(name).as_str() == target;
    let name = |name: &&str| name.eq_ignore_ascii_case(target);
    names.iter().position(id).or_else(|| names.iter().position(name))
}

/// An MCP agent and what surrounds it.
pub(super) struct NamedMcpAgent {
    pub(super) name: String,
    pub(super) agent: McpAgent,
    pub(super) eval_set_path: PathBuf,
}

/// The MCP agents of a configuration, or the built-in ones without any agent.
pub(super) fn mcp_agents(config: &Config) -> anyhow::Result<Vec<NamedMcpAgent>> {
    if config.origin == Origin::Examples {
        return shipped_mcp(config);
    }
    let agents = config.agents.iter().filter_map(|agent| match &agent.source {
        AgentSourceConfig::Mcp(definition) => Some(NamedMcpAgent {
            name: agent.name.clone(),
            agent: (**definition).clone(),
            eval_set_path: agent.eval_set_path.clone(),
        }),
        AgentSourceConfig::Native { .. } | AgentSourceConfig::AdkPython { .. } => None,
    });
    Ok(agents.collect())
}

/// The MCP examples. Without Node or Python they are listed with an error.
fn shipped_mcp(config: &Config) -> anyhow::Result<Vec<NamedMcpAgent>> {
    let files =
        examples::files_agent().context("the files of the example cannot be written to disk")?;
    let clock = examples::clock_agent(config.python.as_deref());
    let named = |name: &str, agent: McpAgent| NamedMcpAgent {
        name: name.to_owned(),
        agent,
        eval_set_path: default_eval_set_path_of(name),
    };
    Ok(vec![named("Files", files), named("World Clock", clock)])
}

/// The default file of exports of an agent without a folder.
fn default_eval_set_path_of(name: &str) -> PathBuf {
    default_eval_set_path(name, &AgentSourceConfig::Native { example: String::new() })
}

fn configured(agent: &AgentConfig, config: &Config) -> anyhow::Result<SimulatedAgentConfig> {
    let source: Box<dyn AgentSource> = match &agent.source {
        AgentSourceConfig::Native { example } => {
            let known = EXAMPLES.iter().find(|known| known.key == example);
            let known = known.ok_or_else(|| anyhow::anyhow!("there is no example `{example}`"))?;
            Box::new(NativeSource::new((known.make)()))
        }
        AgentSourceConfig::AdkPython { folder, python } => {
            Box::new(AdkPythonSource::new(folder, python.clone().or_else(|| config.python.clone())))
        }
        AgentSourceConfig::Mcp(agent) => Box::new(McpSource::new((**agent).clone())),
    };
    Ok(SimulatedAgentConfig {
        name: agent.name.clone(),
        agent: source,
        eval_set_path: agent.eval_set_path.clone(),
        seed: SessionSeed {
            user_id: agent.user_id.clone(),
            state: agent.state.clone(),
            is_whole: false,
        },
        revision: None,
    })
}

#[cfg(test)]
mod unit {
    use std::path::Path;

    use super::{Revisions, place_of};
    use crate::config::{Config, Overrides};

    #[test]
    fn a_description_that_is_read_again_has_the_same_number() {
        let revisions = Revisions::default();
        let numbers = |python: &str, text: &str| -> Vec<Option<u64>> {
            let overrides = Overrides { python: Some(python.into()), ..Overrides::default() };
            let text =
                format!("{text}[[agent]]\nname = \"B\"\nsource = \"native\"\nexample = \"math\"\n");
            let config = Config::from_text(&text, Path::new("a.toml"), &overrides, &["math"]);
            let agents = revisions.simulated_agents(&config.expect("valid")).expect("made");
            agents.into_iter().map(|agent| agent.revision).collect()
        };
        let python = "[[agent]]\nname = \"A\"\nsource = \"adk_python\"\nfolder = \"a\"\n";
        let (begun, other) = (numbers("p", python), numbers("q", python));
        assert_eq!(numbers("p", python), begun);
        assert_ne!(other[0], begun[0], "another interpreter");
        assert_eq!(other[1], begun[1], "which this one does not use");
        let own = numbers("p", &format!("{python}python = \"own\"\n"));
        assert_eq!(numbers("q", &format!("{python}python = \"own\"\n")), own);
        let state = numbers("p", &format!("{python}state = {{ a = 1 }}\n"));
        assert!(state[0] != begun[0] && state[1] == begun[1], "{state:?}");
    }

    #[test]
    fn finds_an_agent_by_id_and_by_name() {
        let names = ["World Clock", "PyStdio", "pystdio 2"];
        for (target, place) in [
            ("pystdio", Some(1)),
            ("PyStdio", Some(1)),
            ("world-clock", Some(0)),
            ("world clock", Some(0)),
            ("pystdio-2", Some(2)),
            ("py_stdio", None),
        ] {
            assert_eq!(place_of(target, &names), place, "{target}");
        }
    }
}
