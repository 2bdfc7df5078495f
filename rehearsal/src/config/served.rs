//! [`Served`]: the agents and folders of a host, which change while it runs.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use super::{AgentConfig, Config, agents_now};

/// What a host serves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Served {
    /// The agents.
    pub agents: Vec<AgentConfig>,
    /// The folders whose subfolders are agents, which come and go.
    pub agent_folders: Vec<PathBuf>,
    /// Additional folders of eval sets.
    pub eval_sets: Vec<PathBuf>,
    /// The interpreter for agents without their own.
    pub python: Option<PathBuf>,
}

/// What a host serves now: its parts share it.
#[derive(Debug, Clone, Default)]
pub struct ServedNow(Arc<RwLock<Served>>);

impl Served {
    /// The agents with those that the folders have now. Blocks while it reads the folders.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn agents_now(&self) -> io::Result<Vec<AgentConfig>> {
        agents_now(&self.agents, &self.agent_folders)
    }
}

impl From<&Config> for Served {
    fn from(config: &Config) -> Self {
        Self {
            agents: config.agents.clone(),
            agent_folders: config.agent_folders.clone(),
            eval_sets: config.folders.eval_sets.clone(),
            python: config.python.clone(),
        }
    }
}

impl ServedNow {
    /// What is served first.
    #[must_use]
    pub fn new(served: Served) -> Self {
        Self(Arc::new(RwLock::new(served)))
    }

    /// What is served now.
    #[must_use]
    pub fn get(&self) -> Served {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what is served from now on.
    pub fn set(&self, served: Served) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = served;
    }
}
