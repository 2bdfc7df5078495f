//! `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`.

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::response::Response;
use model_wire::{GeminiCall, gemini};

use super::Endpoints;
use super::request_text::RequestText;
use super::session_lookup::unreadable;
use crate::vendors::{Api, refusal};

pub(super) async fn handle(
    State(endpoints): State<Endpoints>,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> Response {
    let params = match params {
        Ok(params) => params,
        Err(rejection) => return refusal(Api::Gemini, &unreadable(&rejection).into()),
    };
    let called = params.iter().find(|(key, _)| *key == "model").map_or("", |(_, value)| value);
    let GeminiCall { model, stream } = match GeminiCall::read(called) {
        Ok(call) => call,
        Err(fault) => return refusal(Api::Gemini, &fault),
    };
    let events =
        request.uri().query().is_some_and(|query| query.split('&').any(|it| it == "alt=sse"));
    let api = if stream && !events { Api::GeminiList } else { Api::Gemini };
    let model = model.to_owned();
    let read = async |text: RequestText| {
        let mut asked = text.read(move |text| gemini::read(text, &model)).await?;
        asked.stream = stream;
        Ok(asked)
    };
    endpoints.handle(api, request, read).await
}
