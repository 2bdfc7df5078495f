//! What both formats have a field for, carried from one to the other.

use json_text::{JsonText, Kind, Node};

use crate::OriginalForm;
use crate::adk::{
    self, AdkMark, Content, FunctionCall, FunctionResponse, IntermediateResponse, Part,
};
use crate::agentflow::{self, MessageBody, MessageContent, Role, ToolCall, part_of};
use crate::model::{Casing, text_of};

/// Placeholders for names that ADK requires and an AgentFlow case may lack.
const APP_NAME: &str = "app";
const USER_ID: &str = "user";

/// The name of the initial state in AgentFlow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateName {
    /// That of the package.
    State,
    /// That of the documentation.
    InitialState,
}

pub(super) fn to_agentflow(case: &adk::EvalCase, state_name: StateName) -> agentflow::EvalCase {
    let mark = AdkMark::of(case);
    let turns = case.turns().iter().map(|turn| turn_to_agentflow(turn, mark.as_ref())).collect();
    let mut to = agentflow::EvalCase::new(&case.eval_id, turns);
    to.session_input = case.session_input.as_ref().map(|input| {
        let unless = |name: &String, placeholder| (name != placeholder).then(|| name.clone());
        let (state, initial_state) = match state_name {
            StateName::State => (input.state.clone(), None),
            StateName::InitialState => (None, input.state.clone()),
        };
        agentflow::SessionInput {
            app_name: unless(&input.app_name, APP_NAME),
            user_id: unless(&input.user_id, USER_ID),
            state,
            thread_id: input.session_id.clone(),
            initial_state,
            ..Default::default()
        }
    });
    to
}

pub(super) fn to_adk(case: &agentflow::EvalCase) -> adk::EvalCase {
    let turns = case.conversation.iter().map(turn_to_adk).collect();
    let mut to = adk::EvalCase::new(&case.eval_id, turns);
    to.session_input = case.session_input.as_ref().map(|input| adk::SessionInput {
        app_name: input.app_name.clone().unwrap_or_else(|| APP_NAME.to_owned()),
        user_id: input.user_id.clone().unwrap_or_else(|| USER_ID.to_owned()),
        session_id: input.thread_id.clone(),
        state: input.initial().cloned(),
        written: OriginalForm::default(),
    });
    to
}

pub(super) fn set_to_agentflow(set: &adk::EvalSet) -> agentflow::EvalSet {
    let mut to = agentflow::EvalSet::new(&set.eval_set_id, Vec::new());
    to.name = set.name.clone().unwrap_or_default();
    to.description = set.description.clone().unwrap_or_default();
    to
}

pub(super) fn set_to_adk(set: &agentflow::EvalSet) -> adk::EvalSet {
    let text = |text: &String| (!text.is_empty()).then(|| text.clone());
    // ADK makes a file name of the id.
    let mut to = adk::EvalSet::new(set.eval_set_id.replace(['/', '\\'], "_"), Vec::new());
    to.name = text(&set.name);
    to.description = text(&set.description);
    to
}

fn turn_to_agentflow(turn: &adk::Invocation, mark: Option<&AdkMark>) -> agentflow::Invocation {
    let user = message(&turn.user_content, Role::User);
    let mut to = agentflow::Invocation::new(&turn.invocation_id, user);
    if let Some(data) = &turn.intermediate_data {
        to.expected_tool_trajectory = data
            .calls_with_responses(turn.final_response.as_ref())
            .map(|(call, response)| ToolCall {
                name: call.name.clone().unwrap_or_default(),
                args: call.args.clone(),
                call_id: call.id.clone(),
                result: response.and_then(|it| result_of(it, mark)),
                written: OriginalForm::default(),
            })
            .collect();
        let messages = data.intermediate_responses.iter();
        to.expected_intermediate_responses = messages
            .map(|messages| MessageContent::new(Role::Assistant, body(&messages.parts)))
            .collect();
    }
    to.expected_final_response =
        turn.final_response.as_ref().map(|response| message(response, Role::Assistant));
    to
}

pub(super) fn turn_to_adk(turn: &agentflow::Invocation) -> adk::Invocation {
    let mut to = adk::Invocation::new(&turn.invocation_id, content(&turn.user_content));
    let (calls, messages) = (&turn.expected_tool_trajectory, &turn.expected_intermediate_responses);
    if !calls.is_empty() || !messages.is_empty() {
        let mut data = adk::IntermediateData::default();
        for call in calls {
            let name = Some(call.name.clone());
            let id = call.call_id.clone();
            if let Some(result) = &call.result {
                data.tool_responses.push(FunctionResponse {
                    id: id.clone(),
                    name: name.clone(),
                    response: Some(response_of(result)),
                    written: OriginalForm::default(),
                });
            }
            // In AgentFlow, absent arguments are empty. ADK distinguishes the two.
            let args = Some(call.args.clone().unwrap_or_else(empty_object));
            data.tool_uses.push(FunctionCall { id, args, name, written: OriginalForm::default() });
        }
        data.intermediate_responses = messages
            .iter()
            .map(|messages| IntermediateResponse {
                author: agentflow::AUTHOR.to_owned(),
                parts: parts(messages),
            })
            .collect();
        to.intermediate_data = Some(data);
    }
    to.final_response = turn.expected_final_response.as_ref().map(content);
    to
}

/// The tool's result: what the mark says that it returned, else the response without the `result` that wraps a
/// value.
fn result_of(response: &FunctionResponse, mark: Option<&AdkMark>) -> Option<JsonText> {
    let recorded = response.response.as_ref().filter(|it| it.kind() == Kind::Object)?;
    let result = match mark {
        Some(mark) => mark.returned(response)?,
        None => AdkMark::result_of(recorded),
    };
    // A null would be read as no result at all.
    Some(if result.kind() == Kind::Null { recorded.clone() } else { result })
}

fn empty_object() -> JsonText {
    JsonText::from_value(&serde_json::Value::Object(serde_json::Map::new()))
}

/// ADK's responses are objects.
fn response_of(result: &JsonText) -> JsonText {
    match result.open() {
        Node::Object(members) if !matches!(members.as_slice(), [(key, _)] if key == "result") => {
            result.clone()
        }
        _ => {
            let wrapped = format!("{{\"result\":{result}}}");
            JsonText::parse(&wrapped).unwrap_or_else(|_| JsonText::null())
        }
    }
}

fn message(content: &Content, otherwise: Role) -> MessageContent {
    let role = match content.role.as_deref() {
        Some("user") => Role::User,
        Some("model") => Role::Assistant,
        Some("tool") => Role::Tool,
        _ => otherwise,
    };
    MessageContent::new(role, body(content.parts()))
}

fn content(message: &MessageContent) -> Content {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "model",
        Role::Tool => "tool",
    };
    let (parts, written) = (Some(parts(message)), OriginalForm::default());
    Content { parts, role: Some(role.to_owned()), written }
}

/// A single text part is a string; other parts are a list of objects.
fn body(parts: &[Part]) -> MessageBody {
    match parts {
        [] => MessageBody::Text(String::new()),
        [part] if part.is_text() => MessageBody::Text(part.text.clone().unwrap_or_default()),
        parts => MessageBody::Objects(parts.iter().map(object_of).collect()),
    }
}

fn parts(message: &MessageContent) -> Vec<Part> {
    match &message.content {
        MessageBody::Text(text) => vec![Part::text(text)],
        MessageBody::Objects(objects) => objects.iter().filter_map(part_of).collect(),
    }
}

fn object_of(part: &Part) -> JsonText {
    let text = if part.is_text() {
        let text = part.text.as_deref().unwrap_or_default();
        format!("{{\"type\":\"text\",\"text\":{}}}", crate::model::json_string(text))
    } else {
        text_of(part, Casing::Snake)
    };
    JsonText::parse(&text).unwrap_or_else(|_| JsonText::null())
}
