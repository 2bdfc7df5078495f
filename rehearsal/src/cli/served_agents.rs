//! [`ServedAgents`]: the configuration that a host serves, and its agents as folders are added and removed.

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use agents::SimulatedAgentConfig;

use super::sources::Revisions;
use crate::config::{AgentConfig, Config, Served, ServedNow, agents_now};

/// How often the folders of agents are read.
const LOOK: Duration = Duration::from_secs(2);

/// The configuration that a host serves.
pub struct ServedAgents {
    config: RefCell<Config>,
    now: ServedNow,
    revisions: Revisions,
}

impl ServedAgents {
    /// The configuration with which a host starts.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let now = ServedNow::new(Served::from(&config));
        Self { config: RefCell::new(config), now, revisions: Revisions::default() }
    }

    /// What the host serves, for its parts that look it up.
    #[must_use]
    pub fn now(&self) -> ServedNow {
        self.now.clone()
    }

    /// The agents of `config`, those that are served already with the same revision.
    ///
    /// # Errors
    /// An example that does not exist, or cannot be written to disk.
    pub fn agents_of(&self, config: &Config) -> anyhow::Result<Vec<SimulatedAgentConfig>> {
        self.revisions.simulated_agents(config)
    }

    /// Notes that the host has taken up `config`.
    pub fn set(&self, config: Config) {
        self.now.set(Served::from(&config));
        self.config.replace(config);
    }

    /// Waits until folders of agents were added or removed, and returns the agents. A folder that is moved or copied may
    /// be gone for a moment: what two looks in a row have found counts.
    pub async fn next_list(&self) -> Vec<SimulatedAgentConfig> {
        let mut before = None;
        loop {
            tokio::time::sleep(LOOK).await;
            let (served, folders) = self.served();
            let found = look(served.clone(), folders).await.inspect_err(|error| {
                tracing::debug!("a folder of agents cannot be read: {error}");
            });
            let found = found.ok();
            let is_settled = found == before;
            before.clone_from(&found);
            // The configuration may have been read again meanwhile.
            let is_served = self.served().0 == served;
            if let Some(found) = found.filter(|found| is_settled && is_served && *found != served)
                && let Some(agents) = self.take_up(found)
            {
                return agents;
            }
        }
    }

    /// The agents, and the folders of agents.
    fn served(&self) -> (Vec<AgentConfig>, Vec<PathBuf>) {
        let config = self.config.borrow();
        (config.agents.clone(), config.agent_folders.clone())
    }

    fn take_up(&self, agents: Vec<AgentConfig>) -> Option<Vec<SimulatedAgentConfig>> {
        let config = Config { agents, ..self.config.borrow().clone() };
        let made = self.agents_of(&config).inspect_err(|error| {
            tracing::error!("the list of agents is unchanged: {error:#}");
        });
        let made = made.ok()?;
        self.set(config);
        Some(made)
    }
}

/// `agents` with those that the folders have now.
async fn look(agents: Vec<AgentConfig>, folders: Vec<PathBuf>) -> io::Result<Vec<AgentConfig>> {
    if folders.is_empty() {
        return Ok(agents);
    }
    tokio::task::spawn_blocking(move || agents_now(&agents, &folders)).await?
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::config::Overrides;

    fn add(folder: &Path) {
        fs::create_dir(folder).expect("made");
        fs::write(folder.join("agent.py"), "").expect("written");
    }

    fn names(agents: &[SimulatedAgentConfig]) -> Vec<&str> {
        agents.iter().map(|agent| &*agent.name).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_folder_that_is_added_or_removed_changes_the_list() {
        let parent = tempfile::tempdir().expect("a folder");
        add(&parent.path().join("weather"));
        let folders = vec![parent.path().to_path_buf()];
        let overrides = Overrides { folders, ..Overrides::default() };
        let config = Config::load(&overrides, &[]).expect("an agent");
        let served = ServedAgents::new(config.clone());
        let begun = served.agents_of(&config).expect("made");

        add(&parent.path().join("sales"));
        let added = served.next_list().await;
        assert_eq!(names(&added), ["sales", "weather"]);
        assert_eq!(added[1].revision, begun[0].revision, "it goes on");
        assert_ne!(added[0].revision, begun[0].revision);

        fs::rename(parent.path().join("weather"), parent.path().join("climate")).expect("renamed");
        let renamed = served.next_list().await;
        assert_eq!(names(&renamed), ["climate", "sales"]);
        assert_eq!(renamed[1].revision, added[0].revision);

        fs::remove_dir_all(parent.path()).expect("removed");
        assert_eq!(names(&served.next_list().await), [""; 0]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_folder_that_is_back_at_the_next_look_was_not_removed() {
        let parent = tempfile::tempdir().expect("a folder");
        let (folder, aside) = (parent.path().join("weather"), parent.path().join(".weather"));
        add(&folder);
        let folders = vec![parent.path().to_path_buf()];
        let overrides = Overrides { folders, ..Overrides::default() };
        let served = ServedAgents::new(Config::load(&overrides, &[]).expect("an agent"));
        fs::rename(&folder, &aside).expect("moved");
        let mut next = std::pin::pin!(served.next_list());
        let once = tokio::time::timeout(LOOK + LOOK / 2, next.as_mut()).await;
        assert!(once.is_err(), "one look does not count");
        fs::rename(&aside, &folder).expect("moved back");
        add(&parent.path().join("sales"));
        assert_eq!(names(&next.await), ["sales", "weather"]);
    }
}
