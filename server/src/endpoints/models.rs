//! `GET /v1/models` and its counterparts, for clients that list models first: any model name is
//! accepted.

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{OriginalUri, RawPathParams};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::{IntoResponse, Response};
use json_text::JsonText;
use model_wire::{ApiFault, FaultKind};
use serde_json::{Value, json};

use super::session_lookup::unreadable;
use crate::vendors::{Api, refusal};

/// The only model that is listed.
const PERSON: &str = "person";

/// OpenAI's list with Gemini's, whose version 1 has the same path, or Anthropic's for a client that
/// sends `anthropic-version`.
pub(super) async fn all(headers: HeaderMap) -> Response {
    let listed = if is_anthropic(&headers) {
        json!({
            "data": [anthropic_model(PERSON)],
            "has_more": false,
            "first_id": PERSON,
            "last_id": PERSON,
        })
    } else {
        json!({
            "object": "list",
            "data": [openai_model(PERSON)],
            "models": [gemini_model(PERSON)],
        })
    };
    respond(&listed)
}

pub(super) async fn one(headers: HeaderMap, params: Params) -> Response {
    let is_anthropic = is_anthropic(&headers);
    let api = if is_anthropic { Api::Anthropic } else { Api::OpenAiChat };
    let describe = if is_anthropic { anthropic_model } else { openai_or_gemini_model };
    described(api, params, describe)
}

pub(super) async fn gemini_all() -> Response {
    respond(&json!({ "models": [gemini_model(PERSON)] }))
}

pub(super) async fn gemini_one(method: Method, uri: OriginalUri, params: Params) -> Response {
    let is_call = params.as_ref().is_ok_and(|params| named(params).contains(':'));
    match is_call {
        true => wrong_method(method, uri).await,
        false => described(Api::Gemini, params, gemini_model),
    }
}

/// A path parameter, if it is UTF-8.
type Params = Result<RawPathParams, RawPathParamsRejection>;

fn described(api: Api, params: Params, describe: impl FnOnce(&str) -> Value) -> Response {
    match params {
        Ok(params) => respond(&describe(named(&params))),
        Err(rejection) => refusal(api, &unreadable(&rejection).into()),
    }
}

/// The response to a vendor's path that does not exist here.
pub(super) async fn unknown(OriginalUri(uri): OriginalUri, headers: HeaderMap) -> Response {
    nothing_there(&uri, &headers)
}

/// Explains which paths exist, in the error format of the vendor that the client seems to use.
pub(crate) fn nothing_there(uri: &Uri, headers: &HeaderMap) -> Response {
    let path = uri.path();
    let api = Api::of_path(path).unwrap_or_else(|| {
        if is_anthropic(headers) {
            Api::Anthropic
        } else if path.ends_with("enerateContent") {
            Api::Gemini
        } else {
            Api::OpenAiChat
        }
    });
    let message = format!(
        "{path}: not found. The endpoints are /v1/chat/completions, /v1/responses, /v1/messages and \
         /v1beta/models/MODEL:generateContent, each alone or after /s/SESSION, /a/AGENT or \
         /s/SESSION/a/AGENT",
    );
    refusal(api, &ApiFault::new(FaultKind::NotFound, message))
}

/// The response to a method that a path does not support.
pub(super) async fn wrong_method(method: Method, OriginalUri(uri): OriginalUri) -> Response {
    let api = Api::of_path(uri.path()).unwrap_or(Api::OpenAiChat);
    let message = format!(
        "{}: {method} is not supported. Use POST for requests, and GET to list models",
        uri.path()
    );
    refusal(api, &ApiFault::new(FaultKind::WrongMethod, message))
}

fn named(params: &RawPathParams) -> &str {
    params.iter().find(|(key, _)| *key == "model").map_or(PERSON, |(_, value)| value)
}

fn is_anthropic(headers: &HeaderMap) -> bool {
    headers.contains_key("anthropic-version")
}

fn openai_model(name: &str) -> Value {
    json!({ "id": name, "object": "model", "created": 0, "owned_by": "rehearsal" })
}

/// Version 1 of Gemini's API has the path of OpenAI's.
fn openai_or_gemini_model(name: &str) -> Value {
    let mut model = openai_model(name);
    if let (Value::Object(model), Value::Object(gemini)) = (&mut model, gemini_model(name)) {
        model.extend(gemini);
    }
    model
}

fn anthropic_model(name: &str) -> Value {
    json!({
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "1970-01-01T00:00:00Z",
    })
}

fn gemini_model(name: &str) -> Value {
    json!({
        "name": format!("models/{name}"),
        "displayName": name,
        "supportedGenerationMethods": ["generateContent", "streamGenerateContent"],
    })
}

fn respond(value: &Value) -> Response {
    let body = JsonText::from_value(value).as_str().to_owned();
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}
