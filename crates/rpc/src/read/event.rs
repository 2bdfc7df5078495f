//! Events, and short texts such as names.

use live::{
    AgentName, DisplayName, EventId, Invalid, InvocationId, LiveSessionId, Note, Payload, RunEnd,
    RunOutcome, Sequence, SessionEvent, Timestamp, ToolOutcome, TurnId,
};
use prost::Message;

use super::content::{function_response, human_response, llm_request};
use crate::wire;
use crate::wire::record_event_request::Payload as RecordPayload;
use crate::wire::session_event::Payload as WirePayload;

/// Decodes a stored event.
///
/// # Errors
/// [`Invalid`] if the bytes are not a valid `SessionEvent`.
pub fn stored_event(bytes: &[u8]) -> Result<SessionEvent, Invalid> {
    let message = wire::SessionEvent::decode(bytes)
        .map_err(|fault| Invalid::new("event", format!("must be a SessionEvent: {fault}")))?;
    event(message)
}

/// Checks an event.
///
/// # Errors
/// [`Invalid`] with the path of the field below the event.
pub fn event(message: wire::SessionEvent) -> Result<SessionEvent, Invalid> {
    let payload = match message.payload {
        Some(WirePayload::Request(request)) => {
            Payload::Request(llm_request(request).map_err(|fault| fault.within("request"))?)
        }
        Some(WirePayload::Response(response)) => {
            Payload::Response(human_response(response).map_err(|fault| fault.within("response"))?)
        }
        Some(WirePayload::Cancelled(cancelled)) => Payload::Cancelled(Note::cut(&cancelled.reason)),
        Some(WirePayload::ToolResult(result)) => tool_result(result)?,
        Some(WirePayload::RunEnded(end)) => run_ended(end)?,
        None => return Err(Invalid::new("payload", "must be given")),
    };
    if message.sequence == 0 {
        return Err(Invalid::new("sequence", "must be at least 1"));
    }
    Ok(SessionEvent {
        event_id: EventId::parse(&message.event_id)?,
        session_id: LiveSessionId::parse(&message.session_id)?,
        sequence: Sequence(message.sequence),
        at: Timestamp(message.timestamp_ms),
        turn_id: TurnId::parse(&message.turn_id)?,
        agent_name: AgentName::parse(&message.agent_name)?,
        invocation_id: InvocationId::parse(&message.invocation_id)?,
        // Stored names may break the newer rules of `given`.
        by: message
            .by
            .map(|by| DisplayName::parse(&by.display_name))
            .transpose()
            .map_err(|fault| fault.within("by"))?,
        payload,
    })
}

/// Checks a tool result or the end of a run that an agent records.
///
/// # Errors
/// [`Invalid`] with the path of the field.
pub fn recorded(payload: Option<RecordPayload>) -> Result<Payload, Invalid> {
    match payload {
        Some(RecordPayload::ToolResult(result)) => tool_result(result),
        Some(RecordPayload::RunEnded(end)) => run_ended(end),
        None => Err(Invalid::new("payload", "must be tool_result or run_ended")),
    }
}

fn tool_result(message: wire::ToolResult) -> Result<Payload, Invalid> {
    let response =
        message.response.ok_or_else(|| Invalid::new("tool_result.response", "must be given"))?;
    if message.duration_ms.is_some_and(|duration| duration < 0) {
        return Err(Invalid::new("tool_result.duration_ms", "must not be negative"));
    }
    Ok(Payload::ToolResult(ToolOutcome {
        response: function_response(response)
            .map_err(|fault| fault.within("tool_result.response"))?,
        failed: message.failed,
        duration_ms: message.duration_ms,
    }))
}

fn run_ended(message: wire::RunEnded) -> Result<Payload, Invalid> {
    let outcome = match wire::RunOutcome::try_from(message.outcome) {
        Ok(wire::RunOutcome::Completed) => RunOutcome::Completed,
        Ok(wire::RunOutcome::Failed) => RunOutcome::Failed,
        Ok(wire::RunOutcome::Cancelled) => RunOutcome::Cancelled,
        Ok(wire::RunOutcome::Unspecified) | Err(_) => {
            let rule = "must be completed, failed or cancelled";
            return Err(Invalid::new("run_ended.outcome", rule));
        }
    };
    Ok(Payload::RunEnded(RunEnd { outcome, message: message.message }))
}

/// Checks an agent's name.
///
/// # Errors
/// [`Invalid`] with the rule.
pub fn agent_name(text: &str) -> Result<AgentName, Invalid> {
    AgentName::given(text)
}

/// Checks a run's id.
///
/// # Errors
/// [`Invalid`] with the rule.
pub fn invocation_id(text: &str) -> Result<InvocationId, Invalid> {
    InvocationId::parse(text)
}

/// A description, cut to the stored length; `None` if blank.
#[must_use]
pub fn description(text: Option<&str>) -> Option<Note> {
    text.filter(|text| !text.trim().is_empty()).map(Note::cut)
}

/// Checks a person's name, if there is one.
///
/// # Errors
/// [`Invalid`] with the rule.
pub fn person(message: Option<wire::Person>) -> Result<Option<DisplayName>, Invalid> {
    let read = |person: wire::Person| DisplayName::given(&person.display_name);
    message.map(read).transpose().map_err(|fault| fault.within("by"))
}

/// Checks a person's name; `field` is its field name for errors.
///
/// # Errors
/// [`Invalid`] with the rule, or that it must be given.
pub fn required_person(field: &str, message: Option<wire::Person>) -> Result<DisplayName, Invalid> {
    let person = message.ok_or_else(|| Invalid::new(field, "must name a person"))?;
    DisplayName::given(&person.display_name).map_err(|fault| fault.within(field))
}
