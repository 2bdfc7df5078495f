//! Instructions with their placeholders filled in, as an ADK agent's are.

use serde_json::{Map, Value};

use super::native::instruction_context;

/// The instruction as the model would get it: `{key}` filled from the session state.
///
/// # Errors
/// What the person should know when it cannot be filled in.
pub(super) async fn resolved_instruction(
    agent: &str,
    session: &str,
    user_id: &str,
    state: &Map<String, Value>,
    written: &str,
) -> Result<String, String> {
    let context = instruction_context(agent, session, user_id, state.clone());
    adk_core::inject_session_state(&context, written).await.map_err(|error| unfilled(&error))
}

/// What the person should know when an instruction is shown as it is written.
pub(super) fn unfilled(error: &adk_core::AdkError) -> String {
    format!(
        "The instruction is shown as written: {}. Give the key an initial value, or write {{key?}}.",
        error.message
    )
}
