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

/// A word that names something, and where it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'w> {
    /// The header, or the part of the path.
    pub said: &'static str,
    /// The word itself.
    pub text: &'w str,
}

impl Word<'_> {
    fn refused(self, invalid: Invalid) -> Invalid {
        Invalid::new(self.said, invalid.rule)
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
    /// Checks what the path or the headers say.
    ///
    /// # Errors
    /// [`Invalid`], which names where the word was said.
    pub fn read(
        session: Option<Word<'_>>,
        agent: Option<Word<'_>>,
        run: &str,
    ) -> Result<Self, Invalid> {
        let agent = agent.map(|word| AgentName::given(word.text).map_err(|it| word.refused(it)));
        let run = Word { said: RUN_HEADER, text: run };
        Ok(Self {
            session: session.map(SessionSelector::read).transpose()?,
            agent: agent.transpose()?,
            invocation_id: InvocationId::parse(run.text).map_err(|it| run.refused(it))?,
        })
    }

    /// The agent, which the model stands for where no name is given.
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
    fn read(word: Word<'_>) -> Result<Self, Invalid> {
        if let Ok(id) = LiveSessionId::parse(word.text) {
            return Ok(Self::Id(id));
        }
        match AgentName::given(word.text) {
            Ok(name) => Ok(Self::Name(name.to_string())),
            Err(invalid) => Err(word.refused(invalid)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_its_id_or_by_a_word() {
        let id = "936da01f-9abd-4d9d-80c7-02af85c822a8";
        let said_by = |said, text| RequestTarget::read(Some(Word { said, text }), None, "");
        let session = |text| said_by(SESSION_HEADER, text).map(|place| place.session);
        assert!(matches!(session(id), Ok(Some(SessionSelector::Id(_)))));
        assert_eq!(session("demo"), Ok(Some(SessionSelector::Name("demo".to_owned()))));
        let blank = session(" ").expect_err("nothing to see").to_string();
        assert_eq!(blank, "x-rehearsal-session: must not be blank");
        let refused = session("a\nb").expect_err("a control character").to_string();
        assert_eq!(refused, "x-rehearsal-session: must not contain control characters");
        let refused = said_by(SESSION_SEGMENT, &"x".repeat(101)).expect_err("too long").to_string();
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
