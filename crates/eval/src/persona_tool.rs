//! [`PersonaTool`]: what a simulated user can do besides talking, with its effect on the agent's state.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use json_text::JsonText;
use serde_json::{Map, Value, json};

use crate::change_templates::ChangeTemplates;
use crate::mock::{MockFailure, TemplateError};
use crate::model::ModelTool;
use crate::user_agent::{UserAgentError, YieldedTo};

/// A tool of a simulated user. A call can change the state of the agent's session.
#[derive(Debug, Clone)]
pub struct PersonaTool {
    declaration: ModelTool,
    effect: Effect,
}

/// What a call does.
#[derive(Clone)]
enum Effect {
    /// It changes the state so, by scope, and nothing else.
    Changes(ChangeTemplates),
    /// What a function does.
    Function(Arc<dyn PersonaFunction>),
}

impl fmt::Debug for Effect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changes(changes) => formatter.debug_tuple("Changes").field(changes).finish(),
            Self::Function(_) => formatter.write_str("Function"),
        }
    }
}

/// A tool of a simulated user that is a function.
#[async_trait]
pub trait PersonaFunction: Send + Sync {
    /// What the model gets back for a call at this yield, and what the call changes in the main session's state, by scope.
    ///
    /// # Errors
    /// [`MockFailure::Raises`] is the tool's error, which the model gets to read; [`MockFailure::Broken`] ends the run as
    /// the user agent's fault.
    async fn call(
        &self,
        args: &JsonText,
        yielded: &YieldedTo<'_>,
    ) -> Result<(JsonText, Map<String, Value>), MockFailure>;
}

impl PersonaTool {
    /// A tool that makes these changes of the state, by scope. Texts in them are templates over the arguments,
    /// `args`, and give JSON if their text is JSON.
    ///
    /// # Errors
    /// [`TemplateError`] of the first template that cannot be read.
    pub fn new(
        declaration: ModelTool,
        changes: &Map<String, Value>,
    ) -> Result<Self, TemplateError> {
        let changes = ChangeTemplates::of(changes)?;
        Ok(Self { declaration, effect: Effect::Changes(changes) })
    }

    /// A tool that calls a function with the arguments. The model gets what it returns.
    #[must_use]
    pub fn function(declaration: ModelTool, function: impl PersonaFunction + 'static) -> Self {
        Self { declaration, effect: Effect::Function(Arc::new(function)) }
    }

    /// Whether a call sees what the calls before it changed, so that it replaces nothing unknowingly.
    pub(crate) fn sees_state(&self) -> bool {
        matches!(self.effect, Effect::Function(_))
    }

    pub(crate) fn declaration(&self) -> &ModelTool {
        &self.declaration
    }

    /// What the model gets back for a call, and what the call changes, by scope.
    ///
    /// # Errors
    /// What is wrong with a function. A call with other arguments than declared does not fail: the model gets the
    /// reason, and can make it again.
    pub(crate) async fn call(
        &self,
        args: &JsonText,
        yielded: &YieldedTo<'_>,
    ) -> Result<(JsonText, Map<String, Value>), UserAgentError> {
        let called = match &self.effect {
            Effect::Changes(templates) => templates
                .fill(args)
                .map(|changed| (JsonText::from_value(&json!({ "done": true })), changed))
                .map_err(|error| error.to_string()),
            Effect::Function(function) => match function.call(args, yielded).await {
                Ok(answer) => Ok(answer),
                Err(broken @ MockFailure::Broken(_)) => return Err(UserAgentError::failed(broken)),
                Err(failure) => Err(failure.to_string()),
            },
        };
        Ok(called
            .unwrap_or_else(|error| (JsonText::from_value(&json!({ "error": error })), Map::new())))
    }
}
