//! [`UserAgent`]: who responds when the subject waits.

use std::error::Error;

use async_trait::async_trait;
use json_text::JsonText;

use crate::function_error::FunctionError;
use crate::ledger::Ledger;
use crate::message::Message;
use crate::process::CallProcesses;
use crate::scopes::Scopes;
use crate::state_change::ChangeError;
use crate::yields::YieldInfo;

/// Who responds when the subject waits for the user.
#[async_trait]
pub trait UserAgent: Send + Sync {
    /// Answers one yield. `number` counts the earlier answers of this user agent in the run, and `heard` is
    /// the conversation from the user's side so far; its last message is the prompt.
    ///
    /// # Errors
    /// [`UserAgentError`]: why there is no answer. It ends the run as the user agent's fault.
    async fn answer(
        &self,
        number: usize,
        heard: &[ConversationMessage],
        info: &YieldInfo,
    ) -> Result<UserAnswer, UserAgentError>;

    /// Whether answer `number`, counted from 0, is a message with responses to calls that wait.
    fn responds_to_calls(&self, _: usize) -> bool {
        false
    }

    /// Answers as [`UserAgent::answer`] does, with what the run has for its user agents. The engine calls this.
    ///
    /// # Errors
    /// As [`UserAgent::answer`].
    async fn answer_in_run(
        &self,
        number: usize,
        heard: &[ConversationMessage],
        info: &YieldInfo,
        _: &UserContext<'_>,
    ) -> Result<UserAnswer, UserAgentError> {
        self.answer(number, heard, info).await
    }
}

/// Why a user agent gave no answer.
///
/// A user agent of your own makes it from a text: `Err("the form has no name; add one".into())`.
#[derive(Debug, thiserror::Error)]
pub enum UserAgentError {
    /// A script has no answer left.
    #[error("its script has {given} of the {needed} answers that were needed. Add an answer")]
    ScriptEnded {
        /// How many answers it has.
        given: usize,
        /// How many were needed until now.
        needed: usize,
    },
    /// The last answer of a model or an agent cannot be used either.
    #[error("the answer of {name} cannot be used: {reason}. It was: {shown}")]
    Unusable {
        /// The model or agent.
        name: String,
        /// Why the answer cannot be used.
        reason: String,
        /// The beginning of the answer.
        shown: String,
    },
    /// A model does nothing but call tools.
    #[error(
        "{model} calls tools again and again and writes nothing. Say in the persona when to call them"
    )]
    OnlyCalls {
        /// The model.
        model: String,
    },
    /// It changes the state in a way that cannot be made.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// Its own code failed, or something that it uses, such as a model or a process.
    #[error(transparent)]
    Failed(#[from] FunctionError),
}

impl UserAgentError {
    /// The error of something that a user agent uses.
    pub fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(FunctionError::new(error))
    }
}

impl From<String> for UserAgentError {
    fn from(message: String) -> Self {
        Self::failed(message)
    }
}

impl From<&str> for UserAgentError {
    fn from(message: &str) -> Self {
        Self::failed(message)
    }
}

/// What a run has for its user agents.
pub struct UserContext<'a> {
    /// The ledger, for what an answer takes, such as the tokens of a model.
    pub ledger: &'a Ledger,
    /// The state of the main session at the yield.
    pub state: &'a JsonText,
    /// Where the scopes are in it.
    pub(crate) scopes: Scopes,
    /// The id of the run, unlike that of any other.
    pub(crate) run_id: &'a str,
    /// The processes of the run.
    pub(crate) processes: &'a CallProcesses,
    /// What the tool that waits can take.
    pub(crate) wanted: Wanted<'a>,
}

/// A yield as a user agent sees it while it answers.
pub struct YieldedTo<'a> {
    /// The conversation from the user's side so far.
    pub heard: &'a [ConversationMessage],
    /// What the subject waits for.
    pub info: &'a YieldInfo,
    /// What the run has for its user agents.
    pub context: &'a UserContext<'a>,
    /// The state of the main session, with what the user agent has changed since the yield.
    pub state: &'a JsonText,
}

/// What a tool that waits can take as its answer.
pub(crate) struct Wanted<'a> {
    /// The JSON Schema of the answer as a user agent gives it, if it is known.
    pub(crate) schema: Option<JsonText>,
    /// Why an answer cannot be used; `None` if it can.
    pub(crate) refusal: &'a (dyn Fn(&JsonText) -> Option<String> + Send + Sync),
}

impl Wanted<'_> {
    /// Any answer.
    pub(crate) const ANYTHING: Self = Self { schema: None, refusal: &|_| None };
}

/// The answer of a user agent that is asked outside of a run: with an empty ledger and state.
pub(crate) async fn answer_outside_a_run(
    user: &dyn UserAgent,
    number: usize,
    heard: &[ConversationMessage],
    info: &YieldInfo,
) -> Result<UserAnswer, UserAgentError> {
    let (ledger, state) = (Ledger::begin(), JsonText::from_value(&serde_json::json!({})));
    let processes = CallProcesses::default();
    let context = UserContext {
        ledger: &ledger,
        state: &state,
        scopes: Scopes::default(),
        run_id: "",
        processes: &processes,
        wanted: Wanted::ANYTHING,
    };
    user.answer_in_run(number, heard, info, &context).await
}

/// A message of the conversation from the user's side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationMessage {
    /// What the subject said or asked.
    Prompt(String),
    /// What the user said.
    Own(String),
}

/// What a user agent gives back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserAnswer {
    /// The next message, or the response of the tool that waits, and changes of the main session's state.
    Says {
        /// The answer. As a message, a string, or an object with `parts` as google-adk has them.
        output: JsonText,
        /// Changes by scope; an empty object for none.
        changes: JsonText,
    },
    /// The user ends the conversation.
    Ends {
        /// What the user says before that, if it is anything. The subject answers it.
        message: Option<JsonText>,
        /// Changes by scope; an empty object for none.
        changes: JsonText,
    },
    /// The tool that waits gets no answer, and the conversation goes on.
    NoAnswer,
}

impl UserAnswer {
    /// An answer that changes no state.
    #[must_use]
    pub fn says(output: JsonText) -> Self {
        Self::Says { output, changes: JsonText::from_value(&serde_json::json!({})) }
    }

    /// An end without a message, which changes no state.
    #[must_use]
    pub fn ends() -> Self {
        Self::Ends { message: None, changes: JsonText::from_value(&serde_json::json!({})) }
    }
}

/// A user agent with prepared answers, given in order. After the last one it ends the conversation; a tool
/// that waits then is a failure.
#[derive(Debug)]
pub struct ScriptedUser {
    answers: Vec<UserAnswer>,
}

impl ScriptedUser {
    /// A user agent with these answers.
    #[must_use]
    pub fn new(answers: Vec<UserAnswer>) -> Self {
        Self { answers }
    }

    /// A user agent that says these texts.
    #[must_use]
    pub fn saying<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let says = |text| UserAnswer::says(JsonText::string(text));
        Self::new(texts.into_iter().map(says).collect())
    }
}

#[async_trait]
impl UserAgent for ScriptedUser {
    fn responds_to_calls(&self, number: usize) -> bool {
        let Some(UserAnswer::Says { output, .. }) = self.answers.get(number) else { return false };
        Message::of_output(output).is_ok_and(|message| message.responses().next().is_some())
    }

    async fn answer(
        &self,
        number: usize,
        _: &[ConversationMessage],
        info: &YieldInfo,
    ) -> Result<UserAnswer, UserAgentError> {
        match (self.answers.get(number), &info.call_id) {
            (Some(answer), _) => Ok(answer.clone()),
            (None, None) => Ok(UserAnswer::ends()),
            (None, Some(_)) => {
                let (given, needed) = (self.answers.len(), number + 1);
                Err(UserAgentError::ScriptEnded { given, needed })
            }
        }
    }
}
