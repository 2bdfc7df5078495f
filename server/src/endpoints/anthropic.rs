//! `POST /v1/messages`.

use axum::extract::{Request, State};
use axum::response::Response;
use model_wire::{ApiFault, anthropic};

use super::Endpoints;
use crate::vendors::Api;

pub(super) async fn handle(State(endpoints): State<Endpoints>, request: Request) -> Response {
    let read = async |text: &str| anthropic::read(text).map_err(ApiFault::from);
    endpoints.handle(Api::Anthropic, request, read).await
}
