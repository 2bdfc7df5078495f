//! Requests to services, through their clients in [`super::services`].

use adk_core::{AdkError, Content, FinishReason, FunctionResponseData, Llm, LlmRequest, Part};
use futures::StreamExt as _;
use json_text::JsonText;
use serde_json::json;

use super::failure::{FailureKind, ModelFailure};
use super::name::Service;
use super::{CallingReply, ModelMessage, ModelReply, ModelRequest, ReplyCall};

/// Asks once.
pub(super) async fn ask(
    llm: &dyn Llm,
    service: Service,
    name: &str,
    request: &ModelRequest,
) -> Result<ModelReply, ModelFailure> {
    let failed = |error: &AdkError| ModelFailure::of(name, error);
    // Without a stream, the client for Anthropic gives up after a minute.
    let streams = service == Service::Anthropic;
    let mut responses = llm
        .generate_content(sent(llm.name(), service, request), streams)
        .await
        .map_err(|error| failed(&error))?;
    let (mut input, mut output) = (0, 0);
    let mut content = Content::new("model");
    let mut reason = None;
    while let Some(response) = responses.next().await {
        let response = response.map_err(|error| failed(&error))?;
        if let Some(message) = response.error_message {
            return Err(ModelFailure::new(name, FailureKind::Unavailable, message));
        }
        if let Some(usage) = response.usage_metadata {
            let tokens = |count: i32| u64::try_from(count).unwrap_or(0);
            input = tokens(usage.prompt_token_count);
            output = tokens(usage.candidates_token_count);
        }
        reason = response.finish_reason.or(reason);
        // The last response of a stream has the whole text.
        if !response.partial {
            content = response.content.unwrap_or(content);
        }
    }
    if streams && reason.is_none() {
        let message = "its answer ended before it was complete";
        return Err(ModelFailure::new(name, FailureKind::Unavailable, message));
    }
    let (text, calls) = (text(&content), calls(&content));
    let may_be_empty = request.may_be_empty && reason == Some(FinishReason::Stop);
    if text.trim().is_empty() && calls.is_empty() && !may_be_empty {
        let why = reason.map_or_else(String::new, |reason| format!(" (it ended by {reason:?})"));
        let message = format!("its answer has no text{why}");
        let kind = match service {
            // The host would give the response of the person again.
            Service::Person => FailureKind::Refused,
            _ => FailureKind::Unavailable,
        };
        return Err(ModelFailure::new(name, kind, message));
    }
    Ok(ModelReply { content: CallingReply(content), text, calls, input, output })
}

/// Whether a response has more than thoughts.
pub(super) fn says_something(content: &Content) -> bool {
    content.parts.iter().any(|part| match part {
        Part::Text { text } => !text.trim().is_empty(),
        Part::Thinking { .. } => false,
        _ => true,
    })
}

fn calls(content: &Content) -> Vec<ReplyCall> {
    let calls = content.parts.iter().filter_map(|part| match part {
        Part::FunctionCall { name, args, .. } => {
            Some(ReplyCall { name: name.clone(), args: JsonText::from_value(args) })
        }
        _ => None,
    });
    calls.collect()
}

fn text(content: &Content) -> String {
    let texts = content.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    without_thoughts(texts.collect())
}

/// The text without the thoughts that some servers leave at its beginning.
fn without_thoughts(text: String) -> String {
    match text.trim_start().strip_prefix("<think>") {
        None => text,
        Some(thoughts) => {
            thoughts.split_once("</think>").map_or("", |(_, said)| said.trim_start()).to_owned()
        }
    }
}

/// The request as `adk-model` wants it: the instruction, then messages of both sides in turn.
fn sent(model: &str, service: Service, request: &ModelRequest) -> LlmRequest {
    // The client for Gemini drops contents of other roles than these.
    let instruction = if service == Service::Gemini { "user" } else { "system" };
    let mut contents = Vec::new();
    if !request.instruction.is_empty() {
        contents.push(Content::new(instruction).with_text(&request.instruction));
    }
    for message in &request.messages {
        let (role, text) = match message {
            ModelMessage::ToModel(text) => ("user", text),
            ModelMessage::FromModel(text) => ("model", text),
            ModelMessage::Called(CallingReply(content), results) => {
                contents.push(content.clone());
                contents.extend(returned(service, content, results));
                continue;
            }
        };
        match contents.last_mut() {
            Some(last) if last.role == role => {
                last.parts.push(Part::Text { text: format!("\n\n{text}") });
            }
            _ => contents.push(Content::new(role).with_text(text)),
        }
    }
    let declared = request.tools.iter().map(|tool| {
        let parameters = tool.parameters.to_value().unwrap_or_default();
        let declaration = json!({ "description": tool.description, "parameters": parameters });
        (tool.name.clone(), declaration)
    });
    LlmRequest {
        model: model.to_owned(),
        contents,
        config: request.config.0.clone(),
        tools: declared.collect(),
        previous_response_id: None,
    }
}

/// The results of calls. Gemini wants all of them in one message, and the client for OpenAI takes one of each.
fn returned(service: Service, content: &Content, results: &[JsonText]) -> Vec<Content> {
    let calls = content.parts.iter().filter_map(|part| match part {
        Part::FunctionCall { name, id, .. } => Some((name, id)),
        _ => None,
    });
    let parts = calls.zip(results).map(|((name, id), result)| Part::FunctionResponse {
        function_response: FunctionResponseData::new(name, result.to_value().unwrap_or_default()),
        id: id.clone(),
        annotations: None,
    });
    let content = |parts| Content { role: "function".to_owned(), parts };
    match service {
        Service::Gemini => vec![content(parts.collect())],
        _ => parts.map(|part| content(vec![part])).collect(),
    }
}
