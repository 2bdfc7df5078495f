//! Questions: what the server of a tool asks the person while the tool runs.

use api::{Answer, ApiError};
use leptos::prelude::*;
use server_fn::codec::Json;
use session::SessionId;

/// Answers a question. Values that do not fit the form's schema are refused, field by field.
#[server(prefix = "/api", endpoint = "answer_question", input = Json, output = Json)]
pub async fn answer_question(
    session: SessionId,
    number: u64,
    answer: Answer,
) -> Result<(), ApiError> {
    crate::host::calls()?.answer_question(session, number, answer).await
}
