//! Finds the session of a request.
//!
//! The path names it, with `/s/{session}` and `/a/{agent}` before the vendor's path, or the headers
//! `x-rehearsal-session` and `x-rehearsal-agent` do; the path has precedence.
//! A session's id selects that session. Any other text is a name: it selects the session that was
//! opened with it, or a new one after that is completed. Without a name, the session has the agent's
//! name, and without an agent's name, the model's. With authentication, each caller has such a session
//! of its own, and each token has its own sessions of every name.

use std::time::Duration;

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use live::{AgentName, Invalid, LiveSessionId, Note};
use model_wire::{
    AGENT_HEADER, AGENT_SEGMENT, Name, RUN_HEADER, RequestTarget, SESSION_HEADER, SESSION_SEGMENT,
    SessionSelector,
};
use sha2::{Digest, Sha256};

use crate::access::{self, Caller, How};
use crate::live::{LiveError, LiveSessions, now};

/// Reads the session, the agent and the run from the path's parameters and the headers.
pub(super) async fn request_target(parts: &mut Parts) -> Result<RequestTarget, Invalid> {
    let params = match RawPathParams::from_request_parts(parts, &()).await {
        Ok(params) => Some(params),
        Err(RawPathParamsRejection::MissingPathParams(_)) => None,
        Err(rejection) => return Err(unreadable(&rejection)),
    };
    // The path has precedence. An empty header is ignored; an empty path segment is an error.
    let word = |param: &str, segment, header| {
        let found = params.iter().flatten().find(|(key, _)| *key == param);
        match found {
            Some((_, text)) => Ok(Some(Name { source: segment, text })),
            None => header_value(&parts.headers, header)
                .map(|it| it.filter(|word| !word.text.is_empty())),
        }
    };
    let session = word("session", SESSION_SEGMENT, SESSION_HEADER)?;
    let agent = word("agent", AGENT_SEGMENT, AGENT_HEADER)?;
    let run = header_value(&parts.headers, RUN_HEADER)?;
    RequestTarget::read(session, agent, run.map_or("", |run| run.text))
}

/// The session of a request. It may not be opened yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResolvedSession {
    pub(super) id: LiveSessionId,
    /// The earlier sessions of the same name: a repeated request may have its turn there.
    pub(super) earlier: Earlier,
    description: Note,
}

impl ResolvedSession {
    /// Finds the session without opening it.
    pub(super) async fn of(
        target: &RequestTarget,
        agent: &AgentName,
        sessions: &LiveSessions,
    ) -> Result<Self, LiveError> {
        let named = match &target.session {
            Some(SessionSelector::Id(id)) => {
                let (description, earlier) = (Note::cut(agent.as_str()), Earlier::default());
                return Ok(Self { id: *id, earlier, description });
            }
            Some(SessionSelector::Name(name)) => name.as_str(),
            None => agent.as_str(),
        };
        // People share the sessions that they name.
        let is_own = |caller: &Caller| caller.how == How::Token || target.session.is_none();
        let (name, description) = match access::caller().filter(is_own) {
            // No session is named like this: names have no control characters.
            Some(caller) => {
                (format!("{}\n{named}", caller.identity()), format!("{named} ({})", caller.name))
            }
            None => (named.to_owned(), named.to_owned()),
        };
        let number = first_open(&name, sessions).await?;
        Ok(Self {
            id: numbered(&name, number),
            earlier: Earlier { name, number },
            description: Note::cut(&description),
        })
    }

    /// The name that all sessions for requests with this target share, or the session's id.
    pub(super) fn scope(&self) -> String {
        if self.earlier.name.is_empty() { self.id.to_string() } else { self.earlier.name.clone() }
    }

    /// Whether the session is this one, or an earlier one of the same name.
    pub(super) fn has_session(&self, id: LiveSessionId) -> bool {
        let Earlier { name, number } = &self.earlier;
        id == self.id || (0..*number).rev().any(|earlier| numbered(name, earlier) == id)
    }

    /// Opens the session if it is not open.
    pub(super) async fn open(&self, sessions: &LiveSessions) -> Result<(), LiveError> {
        match sessions.create(Some(self.id), Some(self.description.clone())).await {
            // It exists with another description, or another token's: then no request is stored in it.
            Err(LiveError::SessionTaken(_)) => Ok(()),
            opened => opened.map(drop),
        }
    }
}

/// The completed sessions of a name, from the newest back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Earlier {
    name: String,
    /// The number after that of the next session to return; 0 if none is left.
    number: u64,
}

impl Earlier {
    /// The next one, unless it was completed longer ago than `reach`, which the opening time of the
    /// session after it shows.
    pub(super) async fn next(
        &mut self,
        reach: Duration,
        sessions: &LiveSessions,
    ) -> Result<Option<LiveSessionId>, LiveError> {
        let Some(number) = self.number.checked_sub(1) else { return Ok(None) };
        match sessions.session(numbered(&self.name, self.number)).await {
            Ok(after) if age(after.session.created_at.0) > reach => return Ok(None),
            // The session after it is not open yet.
            Ok(_) | Err(LiveError::UnknownSession(_)) => {}
            Err(error) => return Err(error),
        }
        self.number = number;
        Ok(Some(numbered(&self.name, number)))
    }
}

/// The time since a moment, given in milliseconds since 1970.
pub(super) fn age(at_ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(now().0 - at_ms).unwrap_or_default())
}

/// The error for a path that is not UTF-8.
pub(super) fn unreadable(rejection: &RawPathParamsRejection) -> Invalid {
    Invalid::new("path", format!("must be UTF-8 after decoding its escapes: {rejection}"))
}

/// The id is derived from the name and a number, so that it is the same after a restart of the host
/// and for concurrent requests.
fn numbered(name: &str, number: u64) -> LiveSessionId {
    LiveSessionId::from_random(digest("session", name, number))
}

/// The number of the first session of this name that accepts the caller's requests.
///
/// A number is used only after the session before it is completed, so the completed ones come first
/// and a binary search finds their end. One that somebody else has opened, or that is from before owners
/// were stored, counts as completed.
async fn first_open(name: &str, sessions: &LiveSessions) -> Result<u64, LiveError> {
    let is_open = |number| sessions.accepts_requests(numbered(name, number));
    if is_open(0).await? {
        return Ok(0);
    }
    let (mut completed, mut step) = (0, 1);
    while !is_open(completed + step).await? {
        (completed, step) = (completed + step, step * 2);
    }
    let mut first = completed + step;
    while first - completed > 1 {
        let middle = completed + (first - completed) / 2;
        if is_open(middle).await? { first = middle } else { completed = middle }
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

/// The text of a header.
fn header_value<'h>(
    headers: &'h HeaderMap,
    name: &'static str,
) -> Result<Option<Name<'h>>, Invalid> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = std::str::from_utf8(value.as_bytes());
    let text = text.map_err(|_| Invalid::new(name, "must be UTF-8"))?;
    Ok(Some(Name { source: name, text }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Rule;

    /// Longer than any test takes.
    const LONG: Duration = Duration::from_secs(60 * 60);

    #[tokio::test]
    async fn a_token_passes_over_sessions_of_its_name_that_are_not_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let sessions = LiveSessions::at(folder.path().join("live.sqlite"));
        let target = RequestTarget::read(None, None, "").expect("valid");
        let agent = AgentName::parse("planner").expect("a name");
        let find = async || ResolvedSession::of(&target, &agent, &sessions).await.expect("found");
        let first = access::as_token("7f3a", Rule::Opener, find()).await;
        // From a host without owners.
        first.open(&sessions).await.expect("opened");
        let second = access::as_token("7f3a", Rule::Opener, async {
            let found = find().await;
            found.open(&sessions).await.expect("opened");
            assert_eq!(find().await.id, found.id, "it is its own");
            found
        });
        let second = second.await;
        assert_ne!(second.id, first.id);
        let known = sessions.session(second.id).await.expect("open").session;
        assert_eq!(known.owner.as_deref(), Some("token 7f3a"));
        sessions.close().await;
    }

    #[tokio::test]
    async fn finds_completed_sessions_of_a_name_within_the_reach() {
        let folder = tempfile::tempdir().expect("a folder");
        let sessions = LiveSessions::at(folder.path().join("live.sqlite"));
        let target =
            RequestTarget::read(Some(Name { source: SESSION_SEGMENT, text: "demo" }), None, "");
        let target = target.expect("valid");
        let agent = AgentName::parse("planner").expect("a name");
        let mut opened = Vec::new();
        for _ in 0..3 {
            let found = ResolvedSession::of(&target, &agent, &sessions).await.expect("found");
            found.open(&sessions).await.expect("opened");
            sessions.complete(found.id, false, None).await.expect("completed");
            opened.push(found.id);
        }
        let found = ResolvedSession::of(&target, &agent, &sessions).await.expect("found");
        let (mut all, mut none) = (found.earlier.clone(), found.earlier);
        while let Some(id) = all.next(LONG, &sessions).await.expect("read") {
            assert_eq!(Some(id), opened.pop());
        }
        assert!(opened.is_empty(), "all of them");

        // The last was completed a moment ago; the earlier ones before it was opened.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let last = none.next(Duration::ZERO, &sessions).await.expect("read");
        assert!(last.is_some(), "nothing was opened after it");
        assert_eq!(none.next(Duration::ZERO, &sessions).await.expect("read"), None);
        sessions.close().await;
    }
}
