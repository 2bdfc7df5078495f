//! `POST /v1/messages`.

use axum::extract::{Request, State};
use axum::response::Response;
use model_wire::anthropic;

use super::Endpoints;
use super::request_text::RequestText;
use crate::vendors::Api;

pub(super) async fn handle(State(endpoints): State<Endpoints>, request: Request) -> Response {
    let read = async |text: RequestText| text.read(anthropic::read).await;
    endpoints.handle(Api::Anthropic, request, read).await
}
