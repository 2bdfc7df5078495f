//! The state that `initial_state.json` in an agent's folder gives new sessions, as in `adk web`.
//!
//! It is read for each new session, so an edit holds for the next one. `adk web` ignores a file that it cannot read; here
//! that is an error, because a person would rehearse with a state that the agent never has.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use json_text::{JsonText, JsonTextError, Kind, Node};

use crate::{AgentFault, SessionSeed};

/// The name that `adk web` looks for.
const FILE: &str = "initial_state.json";

/// Why the file gives no state.
#[derive(Debug, thiserror::Error)]
enum InitialStateError {
    #[error("{} cannot be read: {cause}. Make it readable, or remove it.", .path.display())]
    Unreadable { path: PathBuf, cause: io::Error },
    #[error("{} is not JSON: {cause}. Fix it, or remove it.", .path.display())]
    NotJson { path: PathBuf, cause: JsonTextError },
    #[error(
        "{} must be a JSON object such as {{\"city\": \"Oslo\"}}. Found {}. Fix it, or remove it.",
        .path.display(), .found.phrase()
    )]
    NotAnObject { path: PathBuf, found: Kind },
}

impl From<InitialStateError> for AgentFault {
    fn from(error: InitialStateError) -> Self {
        Self { reason: error.to_string(), error_type: None, traceback: None }
    }
}

/// The seed with the members of the file that it does not have itself. A seed that is whole stays as it is.
pub(super) async fn with_initial_state(
    folder: &Path,
    seed: &SessionSeed,
) -> Result<SessionSeed, AgentFault> {
    if seed.is_whole {
        return Ok(seed.clone());
    }
    let mut state = read(folder.join(FILE)).await?;
    state.extend(seed.state.clone());
    Ok(SessionSeed { state, ..seed.clone() })
}

async fn read(path: PathBuf) -> Result<BTreeMap<String, JsonText>, InitialStateError> {
    if !tokio::fs::metadata(&path).await.is_ok_and(|it| it.is_file()) {
        return Ok(BTreeMap::new());
    }
    let text = match tokio::fs::read_to_string(&path).await {
        Ok(text) => text,
        Err(cause) => return Err(InitialStateError::Unreadable { path, cause }),
    };
    let state = match JsonText::parse(&text) {
        Ok(state) => state,
        Err(cause) => return Err(InitialStateError::NotJson { path, cause }),
    };
    match state.open() {
        Node::Object(members) => {
            // google-adk creates no session with keys of one invocation.
            let lasting = members.into_iter().filter(|(key, _)| !key.starts_with("temp:"));
            Ok(lasting.map(|(key, value)| (key, value.into())).collect())
        }
        _ => Err(InitialStateError::NotAnObject { path, found: state.kind() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn seeded(text: &str, configured: &str, is_whole: bool) -> Result<String, String> {
        let folder = tempfile::tempdir().expect("made");
        std::fs::write(folder.path().join(FILE), text).expect("written");
        let state = JsonText::parse(configured).expect("valid").decode().expect("an object");
        let seed = SessionSeed { state, is_whole, ..SessionSeed::default() };
        let shown = |fault: AgentFault| {
            fault.reason.replace(&folder.path().display().to_string(), "FOLDER")
        };
        let seed = with_initial_state(folder.path(), &seed).await.map_err(shown)?;
        Ok(JsonText::serialize(&seed.state).expect("written").to_string())
    }

    #[tokio::test]
    async fn configured_members_win_over_those_of_the_file() {
        let file = r#"{"city": "Oslo", "user:tier": "gold", "temp:x": 1, "sizes": [1, 2.50]}"#;
        let merged = seeded(file, r#"{"city":"Lisbon"}"#, false).await;
        let expected = r#"{"city":"Lisbon","sizes":[1, 2.50],"user:tier":"gold"}"#;
        assert_eq!(merged.as_deref(), Ok(expected));
        assert_eq!(seeded(file, r#"{"a":1}"#, true).await.as_deref(), Ok(r#"{"a":1}"#));
    }

    #[tokio::test]
    async fn a_broken_file_is_named_unless_the_state_is_whole() {
        let error = seeded("{\"city\": }", "{}", false).await.expect_err("not JSON");
        assert!(error.starts_with("FOLDER/initial_state.json is not JSON: "), "{error}");
        assert!(error.ends_with("Fix it, or remove it."), "{error}");
        let error = seeded("[1]", "{}", false).await.expect_err("a list");
        let expected = "FOLDER/initial_state.json must be a JSON object such as {\"city\": \"Oslo\"}. Found an array. \
                        Fix it, or remove it.";
        assert_eq!(error, expected);
        assert_eq!(seeded("[1]", "{}", true).await.as_deref(), Ok("{}"));
    }
}
