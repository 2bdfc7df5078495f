//! [`Place`]: which session and which agent a request belongs to.
//!
//! The path says so, `/s/{session}` and `/a/{agent}` before the vendor's own, or the headers
//! `x-rehearsal-session` and `x-rehearsal-agent` do; the path wins.
//! A session's id opens that session. Any other word is a name: the session that was opened under it,
//! and a new one once that is completed. Without a word the agent's name is the session's, and without
//! that the model's is the agent's.

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use live::{AgentName, Invalid, InvocationId, LiveSessionId, Note, Status};
use sha2::{Digest, Sha256};

use crate::live::{LiveError, LiveSessions};

const SESSION: &str = "x-rehearsal-session";
const AGENT: &str = "x-rehearsal-agent";
const RUN: &str = "x-rehearsal-run";

/// What a request says of where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    session: Option<SessionWord>,
    agent: Option<AgentName>,
    pub(super) invocation_id: InvocationId,
}

/// The session of a request, which may still be to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) id: LiveSessionId,
    /// The completed one of the same name before it: what was asked there is answered there.
    pub(super) before: Option<LiveSessionId>,
    description: Note,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SessionWord {
    Id(LiveSessionId),
    Name(String),
}

impl Place {
    /// Reads the path's parameters and the headers.
    pub(super) async fn of(parts: &mut Parts) -> Result<Self, Invalid> {
        let params = match RawPathParams::from_request_parts(parts, &()).await {
            Ok(params) => Some(params),
            Err(RawPathParamsRejection::MissingPathParams(_)) => None,
            Err(rejection) => return Err(unreadable(&rejection)),
        };
        let param = |name: &str| {
            let mut found = params.iter().flatten().filter(|(key, _)| *key == name);
            found.next().map(|(_, value)| value.to_owned())
        };
        let session = word(param("session"), &parts.headers, SESSION)?;
        let agent = word(param("agent"), &parts.headers, AGENT)?;
        let run = word(None, &parts.headers, RUN)?.unwrap_or_default();
        Self::read(session.as_deref(), agent.as_deref(), &run)
    }

    fn read(session: Option<&str>, agent: Option<&str>, run: &str) -> Result<Self, Invalid> {
        let named = |field: &'static str| move |invalid: Invalid| Invalid::new(field, invalid.rule);
        Ok(Self {
            session: session.map(SessionWord::read).transpose()?,
            agent: agent.map(AgentName::parse).transpose().map_err(named(AGENT))?,
            invocation_id: InvocationId::parse(run).map_err(named(RUN))?,
        })
    }

    /// The agent, which the model stands for where no name is given.
    pub(super) fn agent(&self, model: Option<&str>) -> Result<AgentName, Invalid> {
        match &self.agent {
            Some(agent) => Ok(agent.clone()),
            None => {
                let plain = model.unwrap_or("agent").chars().filter(|it| !it.is_control());
                AgentName::parse(&plain.take(100).collect::<String>())
                    .map_err(|invalid| Invalid::new("model", invalid.rule))
            }
        }
    }

    /// The session; nothing is opened.
    pub(super) async fn find(
        &self,
        agent: &AgentName,
        sessions: &LiveSessions,
    ) -> Result<Found, LiveError> {
        match &self.session {
            Some(SessionWord::Id(id)) => {
                Ok(Found { id: *id, before: None, description: Note::cut(agent.as_str()) })
            }
            Some(SessionWord::Name(name)) => by_name(name, sessions).await,
            None => by_name(agent.as_str(), sessions).await,
        }
    }
}

impl Found {
    /// Opens it where it is not.
    pub(super) async fn open(&self, sessions: &LiveSessions) -> Result<(), LiveError> {
        match sessions.create(Some(self.id), Some(self.description.clone())).await {
            // It is there, under a description of its own.
            Err(LiveError::SessionTaken(_)) => Ok(()),
            opened => opened.map(drop),
        }
    }
}

/// The path holds what is no text.
pub(super) fn unreadable(rejection: &RawPathParamsRejection) -> Invalid {
    Invalid::new("path", format!("must be UTF-8 once its escapes are read: {rejection}"))
}

impl SessionWord {
    fn read(word: &str) -> Result<Self, Invalid> {
        if let Ok(id) = LiveSessionId::parse(word) {
            return Ok(Self::Id(id));
        }
        match AgentName::parse(word) {
            Ok(name) => Ok(Self::Name(name.to_string())),
            Err(invalid) => Err(Invalid::new(SESSION, invalid.rule)),
        }
    }
}

/// The first session of this name that is not completed. The ids are made from the name and a number,
/// so that a host that was started anew finds them again and two requests at once find the same one.
///
/// The next number is taken only once a session is completed: the completed ones come first, and the
/// end of them is found by halving.
async fn by_name(name: &str, sessions: &LiveSessions) -> Result<Found, LiveError> {
    let numbered = |number| LiveSessionId::from_random(digest("session", name, number));
    let is_completed = async |number| match sessions.session(numbered(number)).await {
        Ok(known) => Ok(known.session.status == Status::Completed),
        Err(LiveError::UnknownSession(_)) => Ok(false),
        Err(error) => Err(error),
    };
    let mut first = 0_u64;
    if is_completed(0).await? {
        let (mut completed, mut step) = (0, 1);
        while is_completed(completed + step).await? {
            (completed, step) = (completed + step, step * 2);
        }
        first = completed + step;
        while first - completed > 1 {
            let middle = completed + (first - completed) / 2;
            if is_completed(middle).await? { completed = middle } else { first = middle }
        }
    }
    Ok(Found {
        id: numbered(first),
        before: first.checked_sub(1).map(numbered),
        description: Note::cut(name),
    })
}

fn digest(kind: &str, name: &str, number: u64) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.update(kind.as_bytes());
    hash.update([0]);
    hash.update(number.to_le_bytes());
    hash.update(name.as_bytes());
    let mut first = [0; 16];
    first.copy_from_slice(&hash.finalize()[..16]);
    first
}

/// A word from the path, else from a header; an empty one is none.
fn word(
    param: Option<String>,
    headers: &HeaderMap,
    name: &'static str,
) -> Result<Option<String>, Invalid> {
    let word = match (param, headers.get(name)) {
        (Some(param), _) => Some(param),
        (None, Some(value)) => {
            let text = std::str::from_utf8(value.as_bytes());
            Some(text.map_err(|_| Invalid::new(name, "must be UTF-8"))?.to_owned())
        }
        (None, None) => None,
    };
    Ok(word.filter(|word| !word.is_empty()))
}
