//! [`Place`]: which session and which agent a request says that it belongs to.

use live::{AgentName, Invalid, InvocationId, LiveSessionId};

/// The header that names the session where the path does not.
pub const SESSION_HEADER: &str = "x-rehearsal-session";
/// The header that names the agent where the path does not.
pub const AGENT_HEADER: &str = "x-rehearsal-agent";
/// The header that names the agent's run.
pub const RUN_HEADER: &str = "x-rehearsal-run";

/// What a request says of where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The session, where one is named.
    pub session: Option<SessionWord>,
    /// The agent, where one is named.
    pub agent: Option<AgentName>,
    /// The agent's run; empty where none is named.
    pub invocation_id: InvocationId,
}

/// How a session is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionWord {
    /// By its id.
    Id(LiveSessionId),
    /// By a name, under which sessions follow one another: 1 to 100 characters, no control characters.
    Name(String),
}

impl Place {
    /// Checks the words of the path or of the headers.
    ///
    /// # Errors
    /// [`Invalid`], which names the header that says the same as the path.
    pub fn read(session: Option<&str>, agent: Option<&str>, run: &str) -> Result<Self, Invalid> {
        let named = |field: &'static str| move |invalid: Invalid| Invalid::new(field, invalid.rule);
        Ok(Self {
            session: session.map(SessionWord::read).transpose()?,
            agent: agent.map(AgentName::given).transpose().map_err(named(AGENT_HEADER))?,
            invocation_id: InvocationId::parse(run).map_err(named(RUN_HEADER))?,
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

impl SessionWord {
    fn read(word: &str) -> Result<Self, Invalid> {
        if let Ok(id) = LiveSessionId::parse(word) {
            return Ok(Self::Id(id));
        }
        match AgentName::given(word) {
            Ok(name) => Ok(Self::Name(name.to_string())),
            Err(invalid) => Err(Invalid::new(SESSION_HEADER, invalid.rule)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_its_id_or_by_a_word() {
        let id = "936da01f-9abd-4d9d-80c7-02af85c822a8";
        let session = |word| Place::read(Some(word), None, "").map(|place| place.session);
        assert!(matches!(session(id), Ok(Some(SessionWord::Id(_)))));
        assert_eq!(session("demo"), Ok(Some(SessionWord::Name("demo".to_owned()))));
        let blank = session(" ").expect_err("nothing to see").to_string();
        assert_eq!(blank, "x-rehearsal-session: must not be blank");
        let refused = session("a\nb").expect_err("a control character").to_string();
        assert_eq!(refused, "x-rehearsal-session: must have no control characters");
    }

    #[test]
    fn the_model_stands_for_an_agent_without_a_name() {
        let unnamed = Place::read(None, None, "").expect("valid");
        let agent = |model| unnamed.agent(model).map(|name| name.to_string());
        assert_eq!(agent(Some("gpt\u{7}-5")), Ok("gpt-5".to_owned()));
        assert_eq!(agent(None), Ok("agent".to_owned()));
        assert_eq!(agent(Some("\u{7}")).expect_err("nothing is left").field, "model");
    }
}
