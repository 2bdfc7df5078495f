//! Recorded cases that the page forks: sessions of `adk web`, cases of eval sets and rehearsals.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use api::{AdkSession, AdkSessionList, RecordedKind, RecordedRequest};
use eval::adk_sessions::{self, SavedSession};
use eval::recorded_source::{RecordedKind as Kind, RecordedSource};
use evalset::Case;
use json_text::JsonText;
use session::AgentId;
use sha2::{Digest as _, Sha256};

use crate::config::{AgentConfig, AgentSourceConfig};

/// Where `adk web` keeps the sessions of an agent, in its folder.
const SESSIONS: &str = ".adk/session.db";
/// The folder beside the store in which the cases are that the page forks.
const CASES: &str = "recorded";
/// The criteria of `adk eval`, beside an eval set.
const CRITERIA: &str = "test_config.json";
/// At most so many characters of a message are listed.
const MOST_CHARACTERS: usize = 160;

/// Why a recorded case cannot be given again.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordedError {
    /// The host does not serve the agent.
    #[error("this host serves no agent {0}; reload the page")]
    NoAgent(AgentId),
    /// It is not an agent of google-adk.
    #[error(
        "{0} is not an agent of google-adk in Python, and only those can be given a recorded case again"
    )]
    OtherAgent(String),
    /// The text is not a case.
    #[error("the case cannot be read: {0}")]
    NotACase(String),
    /// It cannot be written.
    #[error("the case cannot be written to {}: {cause}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: std::io::Error,
    },
}

/// A recorded case in a file.
pub(super) struct RecordedFile {
    pub(super) path: PathBuf,
    /// The id of the case.
    pub(super) case: String,
    pub(super) source: RecordedSource,
}

/// The file of the case that is asked for. A case that comes as a text is written to a file beside the store, so that its forks
/// can run again when its eval set has changed.
///
/// # Errors
/// [`RecordedError`].
pub(super) fn file_of(
    request: RecordedRequest,
    agents: &[AgentConfig],
    store: &Path,
) -> Result<RecordedFile, RecordedError> {
    match request {
        RecordedRequest::Session { agent, session } => {
            let (_, folder) = folder_of(&agent, agents)?;
            let (kind, agent) = (Kind::AdkSession, Some(absolute(folder)));
            Ok(RecordedFile {
                path: folder.join(SESSIONS),
                case: session,
                source: RecordedSource { kind, agent, criteria: None },
            })
        }
        RecordedRequest::Case { agent, kind, text } => {
            let (config, folder) = folder_of(&agent, agents)?;
            let (case, text) = only_case(&text)?;
            let beside = store.parent().unwrap_or(Path::new(""));
            let hash = Sha256::digest(text.as_bytes());
            let hash: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
            let name = format!("{hash}.evalset.json");
            let path = beside.join(CASES).join(agent.as_str()).join(name);
            write(&path, &text)?;
            let kind = match kind {
                RecordedKind::Case => Kind::Case,
                RecordedKind::AdkSession => Kind::AdkSession,
                RecordedKind::Rehearsal => Kind::Rehearsal,
            };
            let (agent, criteria) = (Some(absolute(folder)), criteria_of(config));
            Ok(RecordedFile { path, case, source: RecordedSource { kind, agent, criteria } })
        }
    }
}

/// The agent and its folder.
///
/// # Errors
/// [`RecordedError`] if it is not served, or not of google-adk.
pub(super) fn folder_of<'a>(
    id: &AgentId,
    agents: &'a [AgentConfig],
) -> Result<(&'a AgentConfig, &'a Path), RecordedError> {
    let is_it = |agent: &&AgentConfig| AgentId::from_display_name(&agent.name) == *id;
    let agent = agents.iter().find(is_it).ok_or_else(|| RecordedError::NoAgent(id.clone()))?;
    match &agent.source {
        AgentSourceConfig::AdkPython { folder, .. } => Ok((agent, folder)),
        _ => Err(RecordedError::OtherAgent(agent.name.clone())),
    }
}

/// The absolute path.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The criteria beside the eval set of an agent, as `adk eval` finds them.
fn criteria_of(agent: &AgentConfig) -> Option<PathBuf> {
    let path = agent.eval_set_path.with_file_name(CRITERIA);
    path.is_file().then(|| absolute(&path))
}

/// The id of the only case of an eval set or of a case by itself, and an eval set with it.
fn only_case(text: &JsonText) -> Result<(String, String), RecordedError> {
    let invalid = |text: String| RecordedError::NotACase(text);
    let alone = format!("{{\"eval_set_id\":\"recorded\",\"eval_cases\":[{text}]}}");
    let is_set = json_text::JsonIndex::of(text).root().member("eval_cases").is_some();
    let set = if is_set { text.to_string() } else { alone };
    let reading = evalset::read(set.as_bytes());
    if reading.has_errors() {
        let faults = reading.faults.iter().map(ToString::to_string).collect::<Vec<_>>();
        return Err(invalid(faults.join("; ")));
    }
    let cases = reading.set.map(|set| set.into_cases("recorded").into_iter());
    let mut cases = cases.ok_or_else(|| invalid("there is no case in it".to_owned()))?;
    match (cases.next(), cases.next()) {
        (Some(Case::Adk(case)), None) => {
            let text = JsonText::parse(&set).map_err(|error| invalid(error.to_string()))?;
            Ok((case.eval_id, text.pretty()))
        }
        _ => Err(invalid("one case of google-adk is expected".to_owned())),
    }
}

/// A name for a file with this text: files of equal names are equal.
pub(super) fn name_of(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a private file, unless it is there. It is there as a whole, or not at all.
///
/// # Errors
/// [`RecordedError::Unwritable`].
pub(super) fn write(path: &Path, text: &str) -> Result<(), RecordedError> {
    let written = || {
        if path.is_file() {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder)?;
        // Its owner's only.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|cause| RecordedError::Unwritable { path: path.to_owned(), cause })
}

/// The sessions of `adk web` with these agents.
pub(super) async fn adk_sessions(agents: &[AgentConfig]) -> AdkSessionList {
    let mut list = AdkSessionList { sessions: Vec::new(), faults: Vec::new() };
    for agent in agents {
        let AgentSourceConfig::AdkPython { folder, .. } = &agent.source else { continue };
        let path = folder.join(SESSIONS);
        if !path.is_file() {
            continue;
        }
        match adk_sessions::list(&path).await {
            Ok(sessions) => {
                let sessions = sessions.into_iter().filter(|session| session.events > 0);
                list.sessions.extend(sessions.map(|session| view(agent, session)));
            }
            Err(error) => list.faults.push(format!("{}: {error}.", path.display())),
        }
    }
    list.sessions.sort_by_key(|session| std::cmp::Reverse(session.updated));
    list
}

fn view(agent: &AgentConfig, session: SavedSession) -> AdkSession {
    AdkSession {
        agent: AgentId::from_display_name(&agent.name),
        agent_name: agent.name.clone(),
        session: session.id,
        updated: session.updated,
        events: session.events,
        message: session.first_message.chars().take(MOST_CHARACTERS).collect(),
    }
}
