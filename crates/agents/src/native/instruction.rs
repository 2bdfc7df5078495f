//! Fills the placeholders of an instruction from the session state, as ADK does. MCP agents use it too.

use std::sync::{Arc, Mutex};

use adk_core::RunConfig;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::context::{CallContext, CallSession};
use super::stored::{StateCopy, Stored};

/// The instruction as the model would get it: `{key}` filled from the session state.
///
/// # Errors
/// [`InstructionError`] when a key is missing or the template is invalid.
pub async fn resolved_instruction(
    agent: &str,
    session: &str,
    user_id: &str,
    state: &Map<String, Value>,
    written: &str,
) -> Result<String, InstructionError> {
    let context = instruction_context(agent, session, user_id, state.clone());
    adk_core::inject_session_state(&context, written).await.map_err(InstructionError)
}

/// A context without a tool, whose session has this state.
fn instruction_context(
    agent: &str,
    session: &str,
    user_id: &str,
    state: Map<String, Value>,
) -> CallContext {
    let stored = Arc::new(Stored::new(user_id.to_owned(), state.clone()));
    CallContext {
        agent_name: agent.to_owned(),
        invocation_id: format!("{session}_inv_0"),
        call_id: String::new(),
        tool: None,
        user_content: stored.user_content(),
        session: CallSession {
            id: session.to_owned(),
            app_name: agent.to_owned(),
            user_id: user_id.to_owned(),
            state: StateCopy(state),
            history: Vec::new(),
        },
        stored,
        actions: Mutex::default(),
        run_config: RunConfig::default(),
        cancel: CancellationToken::new(),
    }
}

/// Why the placeholders of an instruction cannot be filled in. Views show it as a warning.
#[derive(Debug, thiserror::Error)]
#[error(
    "The instruction is shown as written: {}. Give the key an initial value, or write {{key?}}.",
    .0.message
)]
pub struct InstructionError(pub(super) adk_core::AdkError);

impl InstructionError {
    /// What is wrong with the placeholders, without a remedy.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.message
    }
}
