//! Instructions with their placeholders filled in, as an ADK agent's are.

use serde_json::{Map, Value};

use super::native::instruction_context;

/// The instruction as the model would get it: `{key}` filled from the session state.
///
/// # Errors
/// [`InstructionError`] when a key is missing or the template is invalid.
pub(super) async fn resolved_instruction(
    agent: &str,
    session: &str,
    user_id: &str,
    state: &Map<String, Value>,
    written: &str,
) -> Result<String, InstructionError> {
    let context = instruction_context(agent, session, user_id, state.clone());
    adk_core::inject_session_state(&context, written).await.map_err(InstructionError)
}

/// Why the placeholders of an instruction cannot be filled in. Views show it as a warning.
#[derive(Debug, thiserror::Error)]
#[error(
    "The instruction is shown as written: {}. Give the key an initial value, or write {{key?}}.",
    .0.message
)]
pub(super) struct InstructionError(pub(super) adk_core::AdkError);
