//! Edits the calls of an ADK turn and their responses, in either shape of its intermediate data.

use json_text::JsonText;

use super::{EditError, NewCall, require_call, require_place};
use crate::OriginalForm;
use crate::adk::{self, FunctionCall, FunctionResponse, IntermediateData};

/// The position of the response to a call.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    Listed(usize),
    InEvent { event: usize, part: usize },
}

fn calls_of(data: &mut IntermediateData) -> impl Iterator<Item = &mut FunctionCall> {
    let in_events = data
        .invocation_events
        .iter_mut()
        .filter_map(|event| event.content.as_mut()?.parts.as_mut())
        .flatten()
        .filter_map(|part| part.function_call.as_mut());
    data.tool_uses.iter_mut().chain(in_events)
}

/// The position of the response to the call at `call`, if it is recorded.
pub(super) fn answer_to(data: &IntermediateData, call: usize) -> Option<Answer> {
    let id = data.calls().nth(call)?.id.clone();
    let without_id = data.calls().take(call).filter(|call| call.id.is_none()).count();
    let listed = data.tool_responses.iter().enumerate();
    let listed = listed.map(|(at, it)| (Answer::Listed(at), it));
    let in_events = data.invocation_events.iter().enumerate().flat_map(|(event, it)| {
        let parts = it.content.iter().flat_map(adk::Content::parts).enumerate();
        parts.filter_map(move |(part, it)| {
            Some((Answer::InEvent { event, part }, it.function_response.as_ref()?))
        })
    });
    let mut answers = listed.chain(in_events);
    match id {
        Some(id) => answers.find(|(_, it)| it.id.as_deref() == Some(&id)),
        None => answers.filter(|(_, it)| it.id.is_none()).nth(without_id),
    }
    .map(|(place, _)| place)
}

pub(super) fn set_adk_call(
    data: &mut IntermediateData,
    call: usize,
    new: NewCall,
) -> Result<(), EditError> {
    let answer = answer_to(data, call);
    let count = data.calls().count();
    let it = calls_of(data).nth(call).ok_or(EditError::NoCall { call, calls: count })?;
    it.name = Some(new.name.clone());
    it.args = Some(new.arguments);
    let id = it.id.clone();
    match (answer, new.response) {
        (Some(answer), Some(response)) => {
            if let Some(it) = response_at(data, answer) {
                it.name = Some(new.name);
                it.response = Some(response);
            }
        }
        (Some(answer), None) => remove_answer(data, answer),
        (None, Some(response)) => add_answer(data, call, id, new.name, response),
        (None, None) => {}
    }
    Ok(())
}

pub(super) fn insert_adk_call(
    data: &mut IntermediateData,
    at: usize,
    id: &str,
    new: NewCall,
) -> Result<(), EditError> {
    require_place(at, data.calls().count())?;
    let call = FunctionCall::new(id, new.name.clone(), new.arguments);
    if data.invocation_events.is_empty() {
        data.tool_uses.insert(at, call);
    } else {
        let place = event_of(data, at);
        let beside = place.min(data.invocation_events.len().saturating_sub(1));
        let author = data.invocation_events.get(beside).map(|event| event.author.clone());
        let mut part = empty_part();
        part.function_call = Some(call);
        data.invocation_events.insert(place, event(author.unwrap_or_default(), part));
    }
    if let Some(response) = new.response {
        add_answer(data, at, Some(id.to_owned()), new.name, response);
    }
    Ok(())
}

pub(super) fn remove_adk_call(data: &mut IntermediateData, call: usize) -> Result<(), EditError> {
    require_call(call, data.calls().count())?;
    if let Some(answer) = answer_to(data, call) {
        remove_answer(data, answer);
    }
    if call < data.tool_uses.len() {
        data.tool_uses.remove(call);
        return Ok(());
    }
    let mut left = call - data.tool_uses.len();
    for event in 0..data.invocation_events.len() {
        let parts = data.invocation_events[event].content.iter().flat_map(adk::Content::parts);
        let places: Vec<usize> = parts
            .enumerate()
            .filter(|(_, part)| part.function_call.is_some())
            .map(|(place, _)| place)
            .collect();
        if let Some(place) = places.get(left) {
            remove_part(data, event, *place, |part| part.function_call = None);
            return Ok(());
        }
        left -= places.len();
    }
    Ok(())
}

/// The index of the event with the call at `call`, or the number of events.
fn event_of(data: &IntermediateData, call: usize) -> usize {
    let mut left = call;
    for (place, event) in data.invocation_events.iter().enumerate() {
        let parts = event.content.iter().flat_map(adk::Content::parts);
        let calls = parts.filter(|part| part.function_call.is_some()).count();
        if left < calls {
            return place;
        }
        left -= calls;
    }
    data.invocation_events.len()
}

pub(super) fn response_at(
    data: &mut IntermediateData,
    at: Answer,
) -> Option<&mut FunctionResponse> {
    match at {
        Answer::Listed(at) => data.tool_responses.get_mut(at),
        Answer::InEvent { event, part } => data
            .invocation_events
            .get_mut(event)
            .and_then(|event| event.content.as_mut()?.parts.as_mut()?.get_mut(part))
            .and_then(|part| part.function_response.as_mut()),
    }
}

fn remove_answer(data: &mut IntermediateData, at: Answer) {
    match at {
        Answer::Listed(at) => drop(data.tool_responses.remove(at)),
        Answer::InEvent { event, part } => {
            remove_part(data, event, part, |part| part.function_response = None);
        }
    }
}

/// Records the response to the call at `call`, right after those of the calls before it.
fn add_answer(
    data: &mut IntermediateData,
    call: usize,
    id: Option<String>,
    name: String,
    response: JsonText,
) {
    let (name, response) = (Some(name), Some(response));
    let answer = FunctionResponse { id, name, response, written: OriginalForm::default() };
    if data.invocation_events.is_empty() {
        let before = (0..call).rev().find_map(|earlier| match answer_to(data, earlier) {
            Some(Answer::Listed(at)) => Some(at + 1),
            _ => None,
        });
        data.tool_responses.insert(before.unwrap_or_default(), answer);
    } else {
        let place = event_of(data, call);
        let author = data.invocation_events.get(place).map(|event| event.author.clone());
        let mut part = empty_part();
        part.function_response = Some(answer);
        let behind = (place + 1).min(data.invocation_events.len());
        data.invocation_events.insert(behind, event(author.unwrap_or_default(), part));
    }
}

/// Removes a field of a part; an empty part or event is removed too.
fn remove_part(
    data: &mut IntermediateData,
    event: usize,
    place: usize,
    take: impl FnOnce(&mut adk::Part),
) {
    let Some(parts) =
        data.invocation_events.get_mut(event).and_then(|it| it.content.as_mut()?.parts.as_mut())
    else {
        return;
    };
    if let Some(part) = parts.get_mut(place) {
        take(part);
        let says_nothing = part.function_call.is_none()
            && part.function_response.is_none()
            && part.text.is_none()
            && part.written.extras().next().is_none();
        if says_nothing {
            parts.remove(place);
        }
    }
    if parts.is_empty() {
        data.invocation_events.remove(event);
    }
}

fn empty_part() -> adk::Part {
    let mut part = adk::Part::text("");
    part.text = None;
    part
}

fn event(author: String, part: adk::Part) -> adk::InvocationEvent {
    let mut content = adk::Content::model("");
    content.parts = Some(vec![part]);
    adk::InvocationEvent {
        author,
        content: Some(content),
        model_version: None,
        written: OriginalForm::default(),
    }
}
