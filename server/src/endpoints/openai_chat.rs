//! `POST /v1/chat/completions`.

use axum::extract::{Request, State};
use axum::response::Response;
use model_wire::openai_chat;

use super::Endpoints;
use super::request_text::RequestText;
use crate::vendors::Api;

pub(super) async fn handle(State(endpoints): State<Endpoints>, request: Request) -> Response {
    let read = async |text: RequestText| text.read(openai_chat::read).await;
    endpoints.handle(Api::OpenAiChat, request, read).await
}
