//! Answers to the questions that an MCP server asks while its tool runs.

use api::{Answer, ApiError};
use leptos::prelude::*;
use server_fn::codec::Json;
use session::SessionId;

/// Answers a question. Fails with a message for each field that violates the form's schema.
#[server(prefix = "/api", endpoint = "answer_question", input = Json, output = Json)]
pub async fn answer_question(
    session: SessionId,
    number: u64,
    answer: Answer,
) -> Result<(), ApiError> {
    crate::host::calls()?.answer_question(session, number, answer).await
}
