//! Which session a request belongs to.
//!
//! The path says so, `/s/{session}` and `/a/{agent}` before the vendor's own, or the headers
//! `x-rehearsal-session` and `x-rehearsal-agent` do; the path wins.
//! A session's id opens that session. Any other word is a name: the session that was opened under it,
//! and a new one once that is completed. Without a word the agent's name is the session's, and without
//! that the model's is the agent's.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use live::{AgentName, Invalid, LiveSessionId, Note, Status};
use model_wire::{
    AGENT_HEADER, AGENT_SEGMENT, Name, RUN_HEADER, RequestTarget, SESSION_HEADER, SESSION_SEGMENT,
    SessionSelector,
};
use sha2::{Digest, Sha256};

use crate::live::{LiveError, LiveSessions};

/// Reads what the path's parameters and the headers say.
pub(super) async fn place(parts: &mut Parts) -> Result<RequestTarget, Invalid> {
    let params = match RawPathParams::from_request_parts(parts, &()).await {
        Ok(params) => Some(params),
        Err(RawPathParamsRejection::MissingPathParams(_)) => None,
        Err(rejection) => return Err(unreadable(&rejection)),
    };
    // The path wins; an empty header says nothing, an empty place in the path has lost its word.
    let word = |param: &str, segment, header| {
        let found = params.iter().flatten().find(|(key, _)| *key == param);
        match found {
            Some((_, text)) => Ok(Some(Name { source: segment, text })),
            None => said(&parts.headers, header).map(|it| it.filter(|word| !word.text.is_empty())),
        }
    };
    let session = word("session", SESSION_SEGMENT, SESSION_HEADER)?;
    let agent = word("agent", AGENT_SEGMENT, AGENT_HEADER)?;
    let run = said(&parts.headers, RUN_HEADER)?;
    RequestTarget::read(session, agent, run.map_or("", |run| run.text))
}

/// The session of a request, which may still be to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) id: LiveSessionId,
    /// The completed ones of the same name before it: what was asked there is answered there.
    pub(super) earlier: Earlier,
    description: Note,
}

impl Found {
    /// The session; nothing is opened.
    pub(super) async fn by(
        place: &RequestTarget,
        agent: &AgentName,
        sessions: &LiveSessions,
    ) -> Result<Self, LiveError> {
        let name = match &place.session {
            Some(SessionSelector::Id(id)) => {
                let (description, earlier) = (Note::cut(agent.as_str()), Earlier::default());
                return Ok(Self { id: *id, earlier, description });
            }
            Some(SessionSelector::Name(name)) => name,
            None => agent.as_str(),
        };
        let number = first_not_completed(name, sessions).await?;
        Ok(Self {
            id: numbered(name, number),
            earlier: Earlier { name: name.to_owned(), number },
            description: Note::cut(name),
        })
    }

    /// What all sessions have in common that a request under the same words may get to.
    pub(super) fn scope(&self) -> String {
        if self.earlier.name.is_empty() { self.id.to_string() } else { self.earlier.name.clone() }
    }

    /// Opens it where it is not.
    pub(super) async fn open(&self, sessions: &LiveSessions) -> Result<(), LiveError> {
        match sessions.create(Some(self.id), Some(self.description.clone())).await {
            // It is there, under a description of its own.
            Err(LiveError::SessionTaken(_)) => Ok(()),
            opened => opened.map(drop),
        }
    }
}

/// The completed sessions of a name, from the newest back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Earlier {
    name: String,
    /// That of the session after the next one to look at; 0 when there is none.
    number: u64,
}

impl Earlier {
    /// The next one, unless it was completed longer ago than `reach`: the one after it has been
    /// opened before that.
    pub(super) async fn next(
        &mut self,
        reach: Duration,
        sessions: &LiveSessions,
    ) -> Result<Option<LiveSessionId>, LiveError> {
        let Some(number) = self.number.checked_sub(1) else { return Ok(None) };
        match sessions.session(numbered(&self.name, self.number)).await {
            Ok(after) if age(after.session.created_at.0) > reach => return Ok(None),
            // It is not opened yet.
            Ok(_) | Err(LiveError::UnknownSession(_)) => {}
            Err(error) => return Err(error),
        }
        self.number = number;
        Ok(Some(numbered(&self.name, number)))
    }
}

/// How long ago a moment is, given in milliseconds since 1970.
pub(super) fn age(at_ms: i64) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(Duration::from_millis(at_ms.unsigned_abs()))
}

/// The path holds what is no text.
pub(super) fn unreadable(rejection: &RawPathParamsRejection) -> Invalid {
    Invalid::new("path", format!("must be UTF-8 once its escapes are read: {rejection}"))
}

/// The ids are made from the name and a number, so that a host that was started anew finds them again
/// and two requests at once find the same one.
fn numbered(name: &str, number: u64) -> LiveSessionId {
    LiveSessionId::from_random(digest("session", name, number))
}

/// The number of the first session of this name that is not completed.
///
/// The next number is taken only once a session is completed: the completed ones come first, and the
/// end of them is found by halving.
async fn first_not_completed(name: &str, sessions: &LiveSessions) -> Result<u64, LiveError> {
    let is_completed = async |number| match sessions.session(numbered(name, number)).await {
        Ok(known) => Ok(known.session.status == Status::Completed),
        Err(LiveError::UnknownSession(_)) => Ok(false),
        Err(error) => Err(error),
    };
    if !is_completed(0).await? {
        return Ok(0);
    }
    let (mut completed, mut step) = (0, 1);
    while is_completed(completed + step).await? {
        (completed, step) = (completed + step, step * 2);
    }
    let mut first = completed + step;
    while first - completed > 1 {
        let middle = completed + (first - completed) / 2;
        if is_completed(middle).await? { completed = middle } else { first = middle }
    }
    Ok(first)
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

/// What a header says.
fn said<'h>(headers: &'h HeaderMap, name: &'static str) -> Result<Option<Name<'h>>, Invalid> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = std::str::from_utf8(value.as_bytes());
    let text = text.map_err(|_| Invalid::new(name, "must be UTF-8"))?;
    Ok(Some(Name { source: name, text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than a test takes.
    const LONG: Duration = Duration::from_secs(60 * 60);

    #[tokio::test]
    async fn completed_sessions_of_a_name_are_found_as_far_back_as_it_reaches() {
        let folder = tempfile::tempdir().expect("a folder");
        let sessions = LiveSessions::at(folder.path().join("live.sqlite"));
        let place =
            RequestTarget::read(Some(Name { source: SESSION_SEGMENT, text: "demo" }), None, "");
        let place = place.expect("valid");
        let agent = AgentName::parse("planner").expect("a name");
        let mut opened = Vec::new();
        for _ in 0..3 {
            let found = Found::by(&place, &agent, &sessions).await.expect("found");
            found.open(&sessions).await.expect("opened");
            sessions.complete(found.id, false, None).await.expect("completed");
            opened.push(found.id);
        }
        let found = Found::by(&place, &agent, &sessions).await.expect("found");
        let (mut all, mut none) = (found.earlier.clone(), found.earlier);
        while let Some(id) = all.next(LONG, &sessions).await.expect("read") {
            assert_eq!(Some(id), opened.pop());
        }
        assert!(opened.is_empty(), "each of them");

        // The last was completed a moment ago, those before it before it was opened.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let last = none.next(Duration::ZERO, &sessions).await.expect("read");
        assert!(last.is_some(), "nothing was opened after it");
        assert_eq!(none.next(Duration::ZERO, &sessions).await.expect("read"), None);
        sessions.close().await;
    }
}
