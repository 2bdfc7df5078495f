//! [`SetFile`]: an eval-set file of an agent or of a configured folder.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use agents::registry::{RegisteredAgent, Registry};
use api::{ApiError, CaseView, EvalSetContents, EvalSetList, EvalSetSummary, FolderSummary, SetId};
use evalset::snake_case;
use session::AgentId;

use crate::folders::{FoundFile, changed, find};

/// The endings of eval sets' file names.
const ENDINGS: [&str; 2] = [".evalset.json", ".test.json"];

/// An eval-set file.
#[derive(Debug, Clone)]
pub(crate) struct SetFile {
    pub(crate) id: SetId,
    /// The file's name, with its path below a configured folder.
    pub(crate) name: String,
    /// The absolute path.
    pub(crate) path: PathBuf,
    /// The agent that exports to the file.
    pub(crate) agent: Option<AgentId>,
    agent_name: String,
    /// The app and the user in new session inputs of its cases.
    pub(super) app_name: String,
    pub(super) user_id: String,
}

impl SetFile {
    /// The file of an agent.
    pub(crate) fn of(agent: &RegisteredAgent) -> Self {
        let path = std::path::absolute(&agent.eval_set_path);
        let path = path.unwrap_or_else(|_| agent.eval_set_path.clone());
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Self {
            id: SetId::from(agent.id.clone()),
            name: name.unwrap_or_default(),
            path,
            agent: Some(agent.id.clone()),
            agent_name: agent.name.clone(),
            app_name: agent.name.clone(),
            user_id: agent.seed.user_id.clone(),
        }
    }

    fn found(FoundFile { id, name, path }: FoundFile) -> Self {
        let stem = name.rsplit('/').next().unwrap_or_default();
        let ending = ENDINGS.iter().find_map(|end| stem.strip_suffix(end));
        Self {
            id: SetId::new(id),
            app_name: ending.unwrap_or(stem).to_owned(),
            name,
            path,
            agent: None,
            agent_name: String::new(),
            user_id: "user".to_owned(),
        }
    }

    /// A file of no agent, for tests.
    #[cfg(test)]
    pub(super) fn at(id: &SetId, path: PathBuf) -> Self {
        Self::found(FoundFile { id: id.to_string(), name: "s.evalset.json".to_owned(), path })
    }

    /// What exists at the path.
    pub(crate) fn summary(&self) -> EvalSetSummary {
        let shown = self.path.display();
        let contents = match fs::metadata(&self.path) {
            Ok(metadata) if metadata.is_file() => {
                EvalSetContents::File { bytes: metadata.len(), changed: changed(&metadata) }
            }
            Ok(_) => EvalSetContents::Unreadable(format!(
                "{shown} is not a file. Name a file as the agent's eval_set_path."
            )),
            Err(error) if error.kind() == ErrorKind::NotFound => EvalSetContents::Nothing,
            Err(error) => EvalSetContents::Unreadable(format!("{shown} cannot be read: {error}.")),
        };
        EvalSetSummary {
            set: self.id.clone(),
            name: self.name.clone(),
            agent: self.agent.clone(),
            agent_name: self.agent_name.clone(),
            path: shown.to_string(),
            contents,
        }
    }

    /// The case, and the agent that can rehearse it.
    pub(crate) fn with_agent(&self, registry: &Registry, mut case: CaseView) -> CaseView {
        case.agent = self.agent.clone().or_else(|| {
            let name = snake_case(&case.app_name);
            let named = |agent: &&std::sync::Arc<RegisteredAgent>| {
                !name.is_empty() && snake_case(&agent.name) == name
            };
            registry.agents().iter().find(named).map(|agent| agent.id.clone())
        });
        case
    }
}

/// The host's eval sets.
#[derive(Debug, Clone)]
pub(crate) struct EvalSets {
    of_agents: Vec<SetFile>,
    folders: Vec<PathBuf>,
}

impl EvalSets {
    /// The sets of the agents and those in `folders`.
    pub(crate) fn new(registry: &Registry, folders: Vec<PathBuf>) -> Self {
        let of_agents = registry.agents().iter().map(|agent| SetFile::of(agent)).collect();
        Self { of_agents, folders }
    }

    /// The sets of the agents, then those in the folders. Reads the disk.
    pub(crate) fn list(&self) -> EvalSetList {
        let (found, folders) = self.in_folders();
        let all = self.of_agents.iter().chain(&found);
        EvalSetList { sets: all.map(SetFile::summary).collect(), folders }
    }

    /// The set with this id. Reads the disk if it is not an agent's.
    ///
    /// # Errors
    /// [`ApiError::UnknownSet`] if no set has the id.
    pub(crate) fn find(&self, id: &SetId) -> Result<SetFile, ApiError> {
        let of_agent = self.of_agents.iter().find(|set| set.id == *id).cloned();
        let found = of_agent.or_else(|| self.in_folders().0.into_iter().find(|set| set.id == *id));
        found.ok_or_else(|| ApiError::UnknownSet(id.to_string()))
    }

    /// The sets in the folders that do not belong to an agent.
    fn in_folders(&self) -> (Vec<SetFile>, Vec<FolderSummary>) {
        let is_agent = |id: &str| self.of_agents.iter().any(|set| set.id.as_str() == id);
        let (mut found, mut folders) =
            find(&self.folders, "folders.eval_sets", &ENDINGS, &is_agent);
        let own = self.of_agents.iter().filter_map(|set| set.path.canonicalize().ok());
        let own: Vec<PathBuf> = own.collect();
        found.retain(|file| file.path.canonicalize().map_or(true, |path| !own.contains(&path)));
        for folder in &mut folders {
            let within = |file: &&FoundFile| file.path.starts_with(&folder.path);
            folder.found = found.iter().filter(within).count() as u64;
        }
        (found.into_iter().map(SetFile::found).collect(), folders)
    }
}
