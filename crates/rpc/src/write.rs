//! Converts values to messages.

use json_text::JsonText;
use live::{
    Content, DisplayName, FunctionDeclaration, FunctionResponse, HumanResponse, LlmRequest, Part,
    Payload, Role, RunOutcome, SessionEvent, Status,
};

use crate::wire;
use crate::wire::part::Kind as PartKind;
use crate::wire::session_event::Payload as WirePayload;

/// The message of an event.
#[must_use]
pub fn event_to_wire(event: SessionEvent) -> wire::SessionEvent {
    wire::SessionEvent {
        event_id: event.event_id.to_string(),
        session_id: event.session_id.to_string(),
        timestamp_ms: event.at.0,
        turn_id: event.turn_id.to_string(),
        agent_name: event.agent_name.to_string(),
        sequence: event.sequence.0,
        invocation_id: event.invocation_id.to_string(),
        by: event.by.as_ref().map(person_to_wire),
        payload: Some(payload_to_wire(event.payload)),
    }
}

/// The message of a payload.
#[must_use]
pub fn payload_to_wire(payload: Payload) -> WirePayload {
    match payload {
        Payload::Request(it) => WirePayload::Request(request(it)),
        Payload::Response(it) => WirePayload::Response(response(it)),
        Payload::Cancelled(reason) => {
            WirePayload::Cancelled(wire::TurnCancelled { reason: reason.to_string() })
        }
        Payload::ToolResult(it) => WirePayload::ToolResult(wire::ToolResult {
            response: Some(function_response(it.response)),
            failed: it.failed,
            duration_ms: it.duration_ms,
        }),
        Payload::RunEnded(it) => {
            let outcome = match it.outcome {
                RunOutcome::Completed => wire::RunOutcome::Completed,
                RunOutcome::Failed => wire::RunOutcome::Failed,
                RunOutcome::Cancelled => wire::RunOutcome::Cancelled,
            };
            WirePayload::RunEnded(wire::RunEnded { outcome: outcome.into(), message: it.message })
        }
    }
}

/// The message of a person.
#[must_use]
pub fn person_to_wire(person: &DisplayName) -> wire::Person {
    wire::Person { display_name: person.to_string() }
}

/// The message of a session's status.
#[must_use]
pub fn status_to_wire(status: Status) -> wire::SessionStatus {
    match status {
        Status::Active => wire::SessionStatus::Active,
        Status::Completed => wire::SessionStatus::Completed,
    }
}

fn request(value: LlmRequest) -> wire::SimulatedLlmRequest {
    let tool = |tool: live::Tool| wire::Tool {
        function_declarations: tool.function_declarations.into_iter().map(declaration).collect(),
    };
    wire::SimulatedLlmRequest {
        contents: value.contents.into_iter().map(content).collect(),
        system_instruction: value.system_instruction,
        tools: value.tools.into_iter().map(tool).collect(),
        generation_config: value.generation_config.as_ref().map(text),
        output_schema: value.output_schema.as_ref().map(text),
        model: value.model,
        user_content: value.user_content.map(content),
    }
}

fn response(value: HumanResponse) -> wire::HumanResponse {
    wire::HumanResponse { candidates: value.candidates.into_iter().map(content).collect() }
}

fn content(value: Content) -> wire::Content {
    let role = match value.role {
        Role::User => wire::Role::User,
        Role::Model => wire::Role::Model,
        Role::Function => wire::Role::Function,
    };
    wire::Content { role: role.into(), parts: value.parts.into_iter().map(part).collect() }
}

fn part(value: Part) -> wire::Part {
    let kind = match value {
        Part::Text(text) => PartKind::Text(text),
        Part::Thought(text) => PartKind::Thought(text),
        Part::FunctionCall(call) => PartKind::FunctionCall(wire::FunctionCall {
            id: call.id,
            name: call.name,
            args: call.args.as_ref().map(text),
        }),
        Part::FunctionResponse(response) => PartKind::FunctionResponse(function_response(response)),
        Part::InlineData(data) => PartKind::InlineData(wire::InlineData {
            mime_type: data.mime_type,
            data: data.data,
            display_name: data.display_name,
        }),
        Part::Other(other) => {
            PartKind::Other(wire::OtherPart { kind: other.kind, json: text(&other.json) })
        }
    };
    wire::Part { kind: Some(kind) }
}

fn function_response(value: FunctionResponse) -> wire::FunctionResponse {
    wire::FunctionResponse {
        id: value.id,
        name: value.name,
        response: value.response.as_ref().map(text),
    }
}

fn declaration(value: FunctionDeclaration) -> wire::FunctionDeclaration {
    wire::FunctionDeclaration {
        name: value.name,
        description: value.description,
        parameters: value.parameters.as_ref().map(text),
        response: value.response.as_ref().map(text),
    }
}

fn text(json: &JsonText) -> String {
    json.as_str().to_owned()
}
