//! [`Subject`]: what a run drives, whatever its framework.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use json_text::{JsonIndex, JsonText, Kind};

use crate::allowed::AllowedEffects;
pub use crate::confirmation::CONFIRMATION;
use crate::function_error::FunctionError;
use crate::gate::Gate;
use crate::given_model::GivenModel;
use crate::message::Message;
use crate::names::Names;
use crate::request_changes::{OwnTexts, RequestChanges};
use crate::run_failure::RunFailure;
use crate::scopes::Scopes;

/// An agent that can be run.
#[async_trait]
pub trait Subject: Send + Sync {
    /// Loads the agent, and what the model of a case needs or else those of the agent, so that the time of the case does not
    /// include it. Returns the names that it shows.
    ///
    /// # Errors
    /// A [`RunFailure`] if the agent cannot be loaded.
    async fn prepare(&self, _: &Needs<'_>) -> Result<Names, RunFailure> {
        Ok(Names::default())
    }

    /// Checks that the agent can be given the model of the case, or else that its own models can be asked. Nothing is
    /// sent to them.
    ///
    /// # Errors
    /// [`RunFailure::GivenModel`] or [`RunFailure::OwnModel`] if not.
    async fn check_model(&self, _: &Arc<Gate>) -> Result<(), RunFailure> {
        Ok(())
    }

    /// Whether its tools can run without effects outside of the session, as [`crate::mock::ToolUse::Sealed`] says.
    fn seals_tools(&self) -> bool {
        false
    }

    /// Whether it calls a tool that asked for a confirmation again when the user has answered, so that its mock can ask.
    fn asks_confirmations(&self) -> bool {
        false
    }

    /// Why the requests to its models cannot be changed so; `None` if they can.
    fn unchangeable(&self, _: &RequestChanges) -> Option<String> {
        Some("the requests of this agent to its models cannot be changed".to_owned())
    }

    /// The instructions and descriptions that such changes replace.
    ///
    /// # Errors
    /// A [`RunFailure`] if the agent cannot be loaded.
    async fn own_texts(&self, _: &Needs<'_>) -> Result<OwnTexts, RunFailure> {
        Ok(OwnTexts::default())
    }

    /// Where the scopes of a case are in its state.
    fn scopes(&self) -> Scopes {
        Scopes::default()
    }

    /// Why a message of the user cannot be sent to the agent; `None` if it can.
    fn refusal(&self, _: &Message) -> Option<String> {
        None
    }

    /// Begins a session of its own, in which every tool call is decided by `gate`.
    ///
    /// # Errors
    /// A [`RunFailure`] if the agent cannot be loaded, or uses what cannot be intercepted.
    async fn open(&self, gate: &Arc<Gate>) -> Result<Box<dyn SubjectSession>, RunFailure>;

    /// The prompt of the simulated user of a scenario of google-adk, as the agent's google-adk writes it; `None` if it has
    /// none. `args` has the `scenario`, `custom_instructions`, the `stop_signal`, and in `history` what stands for the
    /// conversation.
    ///
    /// # Errors
    /// Why google-adk refuses them.
    async fn scenario_prompt(&self, _: &JsonText) -> Result<Option<String>, FunctionError> {
        Ok(None)
    }

    /// The name of what the agent is loaded from, and a hash of it; `None` if it is not known.
    fn fingerprint(&self) -> Option<(String, String)> {
        None
    }

    /// The folder of the agent; `None` if it has none.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// How runs of the case are kept apart, and what of them is closed and what nothing can intercept, in sentences for
    /// people.
    async fn limits(&self, _: &Needs<'_>) -> Vec<String> {
        Vec::new()
    }
}

/// What a case needs of its subject before it runs.
#[derive(Debug, Clone)]
pub struct Needs<'a> {
    /// The model that the case gives.
    pub model: Option<&'a GivenModel>,
    /// What it allows the subject's own code.
    pub(crate) allowed: AllowedEffects,
}

/// An agent in one run.
#[async_trait]
pub trait SubjectSession: Send {
    /// Runs the agent until it ends its turn or waits. Its events go to the ledger of the gate that opened the session.
    ///
    /// # Errors
    /// A [`RunFailure`] if its code fails.
    async fn run(&mut self, input: Input) -> Result<TurnEnd, RunFailure>;

    /// Changes the state between two runs, and returns the whole of it.
    ///
    /// # Errors
    /// A [`RunFailure`] if the session is gone.
    async fn change_state(&mut self, changes: JsonText) -> Result<JsonText, RunFailure>;
}

/// What the agent is given.
#[derive(Debug, Clone)]
pub enum Input {
    /// The user's message.
    Message(Message),
    /// Responses to the calls that it waits for.
    Responses(Vec<ToolResponse>),
}

/// A response to a call that waits.
#[derive(Debug, Clone)]
pub struct ToolResponse {
    /// The id of the call.
    pub call_id: String,
    /// The name under which the framework waits, such as `adk_request_confirmation`.
    pub name: String,
    /// The response.
    pub response: JsonText,
}

/// Where a turn ended.
#[derive(Debug, Clone)]
pub struct TurnEnd {
    /// The calls of the turn that a response of the user may come for; none if the agent ended its turn.
    pub pending: Vec<PendingCall>,
    /// The state of the session.
    pub state: JsonText,
}

/// A call that waits for the user.
#[derive(Debug, Clone)]
pub struct PendingCall {
    /// The id of the call.
    pub call_id: String,
    /// The name under which the framework waits.
    pub name: String,
    /// The tool that asks: of a request for confirmation, the one that is to be confirmed.
    pub tool: String,
    /// The arguments.
    pub args: JsonText,
    /// What a long-running tool has returned so far. The agent has gone on with it, and a response may still come.
    pub interim: Option<JsonText>,
}

impl PendingCall {
    /// Whether it waits for the tool's result, and not for a permission or an input that the tool asks for.
    pub(crate) fn is_for_result(&self) -> bool {
        self.name == self.tool
    }

    /// Why the framework cannot go on with `response`.
    pub(crate) fn refusal(&self, response: &JsonText) -> Option<&'static str> {
        let document = JsonIndex::of(response);
        let confirmed = document.root().member("confirmed").map(|it| it.kind());
        (self.name == CONFIRMATION && confirmed != Some(Kind::Bool)).then_some(
            "a call is to be confirmed. The answer is the object `{confirmed: true}` or `{confirmed: false}`",
        )
    }
}
