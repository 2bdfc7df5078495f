//! `POST /v1/chat/completions`.

use axum::extract::{Request, State};
use axum::response::Response;
use model_wire::{ApiFault, openai_chat};

use super::Endpoints;
use crate::vendors::Api;

pub(super) async fn handle(State(endpoints): State<Endpoints>, request: Request) -> Response {
    let read = async |text: &str| openai_chat::read(text).map_err(ApiFault::from);
    endpoints.handle(Api::OpenAiChat, request, read).await
}
