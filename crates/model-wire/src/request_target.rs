//! [`RequestTarget`]: the session and the agent that a request names.

use live::{AgentName, Invalid, InvocationId, LiveSessionId};

/// The header that names the session where the path does not.
pub const SESSION_HEADER: &str = "x-rehearsal-session";
/// The header that names the agent where the path does not.
pub const AGENT_HEADER: &str = "x-rehearsal-agent";
/// The part of a path that names the session.
pub const SESSION_SEGMENT: &str = "/s/SESSION";
/// The part of a path that names the agent.
pub const AGENT_SEGMENT: &str = "/a/AGENT";
/// The header that names the agent's run.
pub const RUN_HEADER: &str = "x-rehearsal-run";
/// The header with the seconds after which a request that no client waits for any more is canceled.
pub const CANCEL_AFTER_HEADER: &str = "x-rehearsal-cancel-after";

/// The session, agent and run that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestTarget {
    /// The session, where one is named.
    pub session: Option<SessionSelector>,
    /// The agent, where one is named.
    pub agent: Option<AgentName>,
    /// The agent's run; empty where none is named.
    pub invocation_id: InvocationId,
}

/// A name in a request, and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'w> {
    /// The header, or the part of the path.
    pub source: &'static str,
    /// The name.
    pub text: &'w str,
}

impl Name<'_> {
    fn rejected(self, invalid: Invalid) -> Invalid {
        Invalid::new(self.source, invalid.rule)
    }
}

/// How a session is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionSelector {
    /// By its id.
    Id(LiveSessionId),
    /// By a name, under which sessions follow one another: 1 to 100 characters, no control characters.
    Name(String),
}

impl RequestTarget {
    /// Checks the names from the path or the headers.
    ///
    /// # Errors
    /// [`Invalid`], with the source of the name as the field.
    pub fn read(
        session: Option<Name<'_>>,
        agent: Option<Name<'_>>,
        run: &str,
    ) -> Result<Self, Invalid> {
        let agent = agent.map(|name| AgentName::given(name.text).map_err(|it| name.rejected(it)));
        let run = Name { source: RUN_HEADER, text: run };
        Ok(Self {
            session: session.map(SessionSelector::read).transpose()?,
            agent: agent.transpose()?,
            invocation_id: InvocationId::parse(run.text).map_err(|it| run.rejected(it))?,
        })
    }

    /// The agent; if it is not named, the model.
    ///
    /// # Errors
    /// [`Invalid`] when there is neither a name nor a model with a printable character.
    pub fn agent(&self, model: Option<&str>) -> Result<AgentName, Invalid> {
        match &self.agent {
            Some(agent) => Ok(agent.clone()),
            None => {
                let plain = model.unwrap_or("agent").chars().filter(|it| !it.is_control());
                AgentName::given(&plain.take(100).collect::<String>())
                    .map_err(|invalid| Invalid::new("model", invalid.rule))
            }
        }
    }
}

impl SessionSelector {
    fn read(name: Name<'_>) -> Result<Self, Invalid> {
        if let Ok(id) = LiveSessionId::parse(name.text) {
            return Ok(Self::Id(id));
        }
        match AgentName::given(name.text) {
            Ok(name) => Ok(Self::Name(name.to_string())),
            Err(invalid) => Err(name.rejected(invalid)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_its_id_or_by_a_name() {
        let id = "936da01f-9abd-4d9d-80c7-02af85c822a8";
        let named_by = |source, text| RequestTarget::read(Some(Name { source, text }), None, "");
        let session = |text| named_by(SESSION_HEADER, text).map(|place| place.session);
        assert!(matches!(session(id), Ok(Some(SessionSelector::Id(_)))));
        assert_eq!(session("demo"), Ok(Some(SessionSelector::Name("demo".to_owned()))));
        let blank = session(" ").expect_err("nothing to see").to_string();
        assert_eq!(blank, "x-rehearsal-session: must not be blank");
        let refused = session("a\nb").expect_err("a control character").to_string();
        assert_eq!(refused, "x-rehearsal-session: must not contain control characters");
        let refused =
            named_by(SESSION_SEGMENT, &"x".repeat(101)).expect_err("too long").to_string();
        assert_eq!(refused, "/s/SESSION: must have 1 to 100 characters, not 101");
    }

    #[test]
    fn model_name_replaces_a_missing_agent_name() {
        let unnamed = RequestTarget::read(None, None, "").expect("valid");
        let agent = |model| unnamed.agent(model).map(|name| name.to_string());
        assert_eq!(agent(Some("gpt\u{7}-5")), Ok("gpt-5".to_owned()));
        assert_eq!(agent(None), Ok("agent".to_owned()));
        assert_eq!(agent(Some("\u{7}")).expect_err("nothing is left").field, "model");
    }
}
