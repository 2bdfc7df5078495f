//! `rehearsal adk-folder`: writes an MCP agent as a folder that `adk web` and `adk eval` load.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agents::AgentFault;
use agents::mcp::{FolderFile, McpAgent, McpSource, adk_folder, left_out, why_unloadable};
use evalset::snake_case;

use super::sources::{mcp_agents, place_of};
use crate::config::Config;

/// What [`write_adk_folder`] wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdkFolder {
    /// The agent's folder.
    pub folder: PathBuf,
    /// The files in it.
    pub files: Vec<&'static str>,
    /// The settings of the agent that the files do not contain.
    pub left_out: Vec<String>,
    /// The eval-set file that the agent's exports go to.
    pub eval_set_path: PathBuf,
    /// The agent.
    pub agent: McpAgent,
}

/// The tools that the agent has here and that ADK does not see or cannot call, a clause each.
///
/// # Errors
/// The servers cannot be asked.
pub async fn unseen_by_adk(agent: McpAgent) -> Result<Vec<String>, AgentFault> {
    McpSource::new(agent).unseen_by_adk().await
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdkFolderError {
    /// No MCP agent has this name.
    #[error(
        "no MCP agent `{wanted}`{}",
        if known.is_empty() {
            ": the configuration has none. Agents with source = \"adk_python\" are ADK folders already"
                .to_owned()
        } else {
            format!("; there are: {}", known.join(", "))
        }
    )]
    UnknownAgent {
        /// The name as given.
        wanted: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// No model is configured.
    #[error("the agent `{agent}` has no model: add --model, such as --model gemini-2.5-flash")]
    NoModel {
        /// The agent.
        agent: String,
    },
    /// ADK could not load the folder.
    #[error(
        "the agent `{agent}` is not written, because ADK cannot load a folder named `{folder}`: {reason}. \
         Rename the agent, such as `My {agent}`"
    )]
    Unloadable {
        /// The agent.
        agent: String,
        /// The name of its folder.
        folder: String,
        /// Why.
        reason: &'static str,
    },
    /// A different file exists already.
    #[error("{} already exists and differs: move it, or use another folder with --out", path.display())]
    InTheWay {
        /// The file.
        path: PathBuf,
    },
    /// An error of the operating system.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// What could not be read or written.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The example agents cannot be set up.
    #[error("{0:#}")]
    Agents(#[from] anyhow::Error),
}

/// Writes the agent `wanted` (its id, its name, or its folder's name) into a folder with its name
/// in `out`. Existing files with the same content stay.
///
/// # Errors
/// The agent does not exist, has no model, or cannot be written; then nothing changed.
pub fn write_adk_folder(
    config: &Config,
    wanted: &str,
    model: Option<&str>,
    out: &Path,
) -> Result<AdkFolder, AdkFolderError> {
    let agents = mcp_agents(config)?;
    let names: Vec<&str> = agents.iter().map(|named| named.name.as_str()).collect();
    // ADK requires a folder name that is a Python package name.
    let by_folder = |name: &&str| snake_case(name) == snake_case(wanted);
    let place = place_of(wanted, &names).or_else(|| names.iter().position(by_folder));
    let Some(named) = place.map(|place| &agents[place]) else {
        return Err(AdkFolderError::UnknownAgent {
            wanted: wanted.to_owned(),
            known: agents.into_iter().map(|named| named.name).collect(),
        });
    };
    let agent: &McpAgent = &named.agent;
    let Some(model) = model.or(agent.model.as_deref()) else {
        return Err(AdkFolderError::NoModel { agent: named.name.clone() });
    };
    if let Some(reason) = why_unloadable(&agent.name) {
        let (agent, folder) = (named.name.clone(), agent.name.clone());
        return Err(AdkFolderError::Unloadable { agent, folder, reason });
    }
    let cwd = std::env::current_dir()
        .map_err(|source| AdkFolderError::Io { path: PathBuf::from("."), source })?;
    let folder = out.join(&agent.name);
    let files = adk_folder(agent, model, &cwd);
    require_free(&folder, &files)?;
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |source| AdkFolderError::Io { path, source }
    };
    fs::create_dir_all(&folder).map_err(io(&folder))?;
    for (name, text) in &files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(io(&path))?;
    }
    Ok(AdkFolder {
        folder,
        files: files.into_iter().map(|(name, _)| name).collect(),
        left_out: left_out(agent),
        eval_set_path: named.eval_set_path.clone(),
        agent: agent.clone(),
    })
}

/// Existing files may contain changes, so they are never overwritten.
fn require_free(folder: &Path, files: &[FolderFile]) -> Result<(), AdkFolderError> {
    for (name, text) in files {
        let path = folder.join(name);
        match fs::read(&path) {
            Ok(there) if there == text.as_bytes() => {}
            Ok(_) => return Err(AdkFolderError::InTheWay { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(AdkFolderError::Io { path, source }),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Overrides;

    #[test]
    fn writes_no_folder_that_adk_cannot_load() {
        let out = tempfile::tempdir().expect("made");
        let write = |name: &str| {
            let text = format!(
                "[[agent]]\nname = \"{name}\"\nsource = \"mcp\"\ninstruction = \"Go.\"\n\
                 [[agent.server]]\nname = \"s\"\ncommand = \"c\"\n"
            );
            let path = Path::new("rehearsal.toml");
            let config = Config::from_text(&text, path, &Overrides::default(), &[]);
            write_adk_folder(&config.expect("valid"), name, Some("m"), out.path())
        };
        for name in ["JSON", "2nd agent", "user"] {
            let error = write(name).expect_err("ADK could not load it");
            assert!(matches!(error, AdkFolderError::Unloadable { .. }), "{error}");
            assert!(error.to_string().contains("Rename the agent"), "{error}");
        }
        let left: Vec<_> = fs::read_dir(out.path()).expect("a folder").collect();
        assert!(left.is_empty(), "{left:?}");
        assert_eq!(write("My JSON").expect("written").folder, out.path().join("my_json"));
    }
}
