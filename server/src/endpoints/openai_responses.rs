//! `POST /v1/responses`.

use axum::extract::{Request, State};
use axum::response::Response;
use live::{Content, Invalid, Payload, TurnId};
use model_wire::{ApiFault, openai_responses};
use prost::Message as _;

use super::Endpoints;
use super::fault::of_host;
use super::request_text::RequestText;
use super::waiting_request::response;
use crate::parsing::parse;
use crate::vendors::Api;

pub(super) async fn handle(State(endpoints): State<Endpoints>, request: Request) -> Response {
    let read = async |text: RequestText| {
        let history = match text.read(openai_responses::previous_turn).await? {
            Some(turn) => endpoints.history(&turn).await?,
            None => Vec::new(),
        };
        text.read(|text| openai_responses::read(text, history)).await
    };
    endpoints.handle(Api::OpenAiResponses, request, read).await
}

impl Endpoints {
    /// The conversation up to the end of a turn, found by the digits of its response id.
    async fn history(&self, turn: &str) -> Result<Vec<Content>, ApiFault> {
        let unknown = || {
            let rule = "must be the id of a response from this host";
            ApiFault::from(Invalid::new("previous_response_id", rule))
        };
        let turn_id = uuid::Uuid::try_parse(turn).ok().and_then(TurnId::from_uuid);
        let turn_id = turn_id.ok_or_else(unknown)?;
        let known = self.sessions.turn(turn_id).await.map_err(of_host)?;
        let known = known.ok_or_else(unknown)?;
        let closed = known.closed.ok_or_else(unknown)?;
        let (asked, ended) = self.sessions.exchange(&known, &closed).await.map_err(of_host)?;
        let (asked, ended) = parse(asked.encoded_len() + ended.encoded_len(), || {
            (rpc::event(asked).map(|event| event.payload), response(ended))
        })
        .await;
        let Ok(Payload::Request(request)) = asked else { return Err(unknown()) };
        let first = ended?.candidates.into_iter().next().ok_or_else(unknown)?;
        Ok(openai_responses::history(turn, request.contents, first))
    }
}
