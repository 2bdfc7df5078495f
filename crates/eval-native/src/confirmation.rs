//! [`Confirmations`]: asks the user agent of a tool whether a call may run.

use std::fmt;
use std::sync::Arc;

use adk_core::{
    Result, ToolConfirmationDecision, ToolConfirmationHandler, ToolConfirmationRequest,
};
use async_trait::async_trait;
use eval::subject::{CONFIRMATION, PendingCall};
use json_text::{JsonIndex, JsonText};

use crate::shared::Shared;

/// Asks the user agent of a tool whether a call may run. Its response is `{"confirmed": true}` or
/// `{"confirmed": false}`; anything else ends the run.
pub(crate) struct Confirmations(pub(crate) Arc<Shared>);

impl fmt::Debug for Confirmations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Confirmations")
    }
}

#[async_trait]
impl ToolConfirmationHandler for Confirmations {
    async fn decide(&self, request: &ToolConfirmationRequest) -> Result<ToolConfirmationDecision> {
        let of = request.function_call_id.as_deref().unwrap_or_default();
        let call = PendingCall {
            call_id: format!("{of}-confirmation"),
            name: CONFIRMATION.to_owned(),
            tool: request.tool_name.clone(),
            args: JsonText::from_value(&request.args),
            interim: None,
        };
        let response = self.0.waits.response(call).await;
        let is_confirmed = response.is_some_and(|response| {
            let document = JsonIndex::of(&response);
            document.root().member("confirmed").is_some_and(|value| value.is_true())
        });
        Ok(match is_confirmed {
            true => ToolConfirmationDecision::Approve,
            false => ToolConfirmationDecision::Deny,
        })
    }
}
