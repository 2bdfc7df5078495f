//! [`PersonAsked`]: a request to an agent's model that a person answers in the model's place.

use json_text::JsonText;
use serde::Deserialize;
use serde_json::json;

use crate::model::{CallingReply, ModelMessage, ModelRequest, ModelTool, ReplyCall};

/// A request as the package sends it.
#[derive(Debug, Deserialize)]
pub(super) struct PersonAsked {
    /// The agent.
    pub(super) agent: String,
    instruction: String,
    contents: Vec<Content>,
    tools: Vec<Tool>,
}

#[derive(Debug, Deserialize)]
struct Content {
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    function_call: Option<Call>,
    function_response: Option<Response>,
    inline_data: Option<Data>,
    file_data: Option<Data>,
}

#[derive(Debug, Deserialize)]
struct Call {
    id: Option<String>,
    name: String,
    #[serde(default = "JsonText::null")]
    args: JsonText,
}

#[derive(Debug, Deserialize)]
struct Response {
    id: Option<String>,
    name: Option<String>,
    #[serde(default = "JsonText::null")]
    response: JsonText,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    mime_type: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Tool {
    name: String,
    #[serde(default)]
    description: String,
    parameters: Option<JsonText>,
}

impl PersonAsked {
    /// The request as a person's session takes it. Pictures and files are named in brackets.
    pub(super) fn request(self) -> ModelRequest {
        let tools = self.tools.into_iter().map(|tool| ModelTool {
            name: tool.name,
            description: tool.description,
            parameters: tool.parameters.unwrap_or_else(|| {
                JsonText::from_value(&json!({ "type": "object", "properties": {} }))
            }),
        });
        ModelRequest {
            instruction: self.instruction,
            messages: messages(&self.contents),
            tools: tools.collect(),
            ..ModelRequest::default()
        }
    }
}

/// The conversation. Each response that calls tools has the results that follow it, null for those that are not there.
fn messages(contents: &[Content]) -> Vec<ModelMessage> {
    let mut messages = Vec::new();
    let mut numbered = 1;
    for (at, content) in contents.iter().enumerate() {
        let text = text(content);
        let calls: Vec<&Call> =
            content.parts.iter().filter_map(|part| part.function_call.as_ref()).collect();
        if !calls.is_empty() {
            let results = results(&calls, contents.get(at + 1..).unwrap_or_default());
            let calls: Vec<ReplyCall> = calls
                .iter()
                .map(|call| ReplyCall { name: call.name.clone(), args: call.args.clone() })
                .collect();
            let reply = CallingReply::given(&text, &calls, numbered);
            numbered += calls.len();
            messages.push(ModelMessage::Called(reply, results));
        } else if !text.is_empty() {
            messages.push(match content.role.as_deref() {
                Some("model") => ModelMessage::FromModel(text),
                _ => ModelMessage::ToModel(text),
            });
        }
    }
    messages
}

fn text(content: &Content) -> String {
    let parts = content.parts.iter().filter(|part| !part.thought);
    let texts = parts.filter_map(|part| {
        let data = part.inline_data.as_ref().or(part.file_data.as_ref());
        let named = |data: &Data| format!("[{}]", data.mime_type.as_deref().unwrap_or("a file"));
        part.text.clone().or_else(|| data.map(named))
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The results of calls: the responses with their ids, or else the next ones of their names.
fn results(calls: &[&Call], after: &[Content]) -> Vec<JsonText> {
    let next_calls =
        |content: &&Content| content.parts.iter().all(|part| part.function_call.is_none());
    let responses = after.iter().take_while(next_calls).flat_map(|content| &content.parts);
    let mut responses: Vec<&Response> =
        responses.filter_map(|part| part.function_response.as_ref()).collect();
    let mut result = |call: &Call| {
        let is_of = |it: &&&Response| it.id.is_some() && it.id == call.id;
        let named = |it: &&&Response| it.name.as_deref() == Some(&*call.name);
        let found = responses.iter().find(is_of).or_else(|| responses.iter().find(named)).copied();
        let found = found?;
        responses.retain(|other| !std::ptr::eq(*other, found));
        Some(found.response.clone())
    };
    calls.iter().map(|call| result(call).unwrap_or_else(JsonText::null)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_results_that_follow_them() {
        let asked: PersonAsked = serde_json::from_value(json!({
            "agent": "desk", "instruction": "Be kind.",
            "contents": [
                { "role": "user", "parts": [{ "text": "Refund 7." }, { "inlineData": { "mimeType": "image/png" } }] },
                { "role": "model", "parts": [
                    { "text": "Hm.", "thought": true },
                    { "functionCall": { "id": "a", "name": "look", "args": { "order": 7 } } },
                    { "functionCall": { "id": "b", "name": "look", "args": { "order": 8 } } },
                ] },
                { "role": "user", "parts": [
                    { "functionResponse": { "id": "b", "name": "look", "response": { "total": 8 } } },
                    { "functionResponse": { "id": "a", "name": "look", "response": { "total": 7 } } },
                ] },
                { "role": "model", "parts": [{ "text": "Done." }] },
            ],
            "tools": [{ "name": "look", "description": "Looks." }],
        }))
        .expect("a request");
        let request = asked.request();
        assert_eq!(request.instruction, "Be kind.");
        let [
            ModelMessage::ToModel(first),
            ModelMessage::Called(_, results),
            ModelMessage::FromModel(last),
        ] = &*request.messages
        else {
            panic!("{:?}", request.messages);
        };
        assert_eq!((first.as_str(), last.as_str()), ("Refund 7.\n[image/png]", "Done."));
        let results: Vec<_> = results.iter().map(|it| it.compact().to_string()).collect();
        assert_eq!(results, [r#"{"total":7}"#, r#"{"total":8}"#]);
    }
}
