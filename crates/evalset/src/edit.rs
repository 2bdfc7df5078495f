//! Changing what a case expects, one thing at a time, and leaving the rest as it stood.
//!
//! A turn is named by its place in the conversation, a call by its place among the calls of its
//! turn, both from 0, in either shape of ADK's intermediate data. A call's answer is the response
//! with its id; where ids are missing, the one at the same place among those without.

use json_text::{JsonText, Kind};

use crate::adk::{self, FunctionCall, FunctionResponse, IntermediateData};
use crate::agentflow::{self, MessageBody, MessageContent, ToolCall};
use crate::{Case, Written};

/// Why a case was not changed. It is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The conversation is shorter.
    #[error("turn {} was to be changed, and the case has {turns}; read it anew", turn + 1)]
    NoTurn {
        /// The turn that was meant, from 0.
        turn: usize,
        /// How many there are.
        turns: usize,
    },
    /// The turn has fewer calls.
    #[error("call {} was to be changed, and the turn has {calls}; read it anew", call + 1)]
    NoCall {
        /// The call that was meant, from 0.
        call: usize,
        /// How many there are.
        calls: usize,
    },
    /// A value of another kind than the format takes.
    #[error("{what} must be a JSON object")]
    NotAnObject {
        /// Which value.
        what: &'static str,
    },
    /// An older list has no fields for most of what can be changed.
    #[error(
        "cases of ADK's older lists are not changed here; \
         convert the file with `rehearsal evalset convert` first"
    )]
    OlderList,
    /// Calls of several agents in a list of events keep the order of their events.
    #[error("the calls are recorded as events of several agents; change their order in the JSON")]
    InEvents,
}

/// A call as it is to stand in a case.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCall {
    /// The tool.
    pub name: String,
    /// The arguments: a JSON object.
    pub arguments: JsonText,
    /// What it answers, if that is to be recorded: in an ADK case a JSON object.
    pub response: Option<JsonText>,
}

impl Case {
    /// Gives the case another id.
    ///
    /// # Errors
    /// [`EditError::OlderList`].
    pub fn set_eval_id(&mut self, eval_id: impl Into<String>) -> Result<(), EditError> {
        match self {
            Self::Adk(case) => case.eval_id = eval_id.into(),
            Self::AgentFlow(case) => case.eval_id = eval_id.into(),
            Self::AdkLegacy(_) => return Err(EditError::OlderList),
        }
        Ok(())
    }

    /// Has the user say something else. Parts that are no text stay.
    ///
    /// # Errors
    /// There is no such turn.
    pub fn set_query(&mut self, turn: usize, text: &str) -> Result<(), EditError> {
        match self.turn(turn)? {
            Turn::Adk(turn) => say(&mut turn.user_content, text),
            Turn::AgentFlow(turn) => say_in_agentflow(&mut turn.user_content, text),
        }
        Ok(())
    }

    /// Expects another answer, or with `None` none at all.
    ///
    /// # Errors
    /// There is no such turn.
    pub fn set_response(&mut self, turn: usize, text: Option<&str>) -> Result<(), EditError> {
        match (self.turn(turn)?, text) {
            (Turn::Adk(turn), None) => turn.final_response = None,
            (Turn::Adk(turn), Some(text)) => match &mut turn.final_response {
                Some(content) => say(content, text),
                absent => *absent = Some(adk::Content::model(text)),
            },
            (Turn::AgentFlow(turn), None) => turn.expected_final_response = None,
            (Turn::AgentFlow(turn), Some(text)) => match &mut turn.expected_final_response {
                Some(message) => say_in_agentflow(message, text),
                absent => *absent = Some(MessageContent::assistant(text)),
            },
        }
        Ok(())
    }

    /// Expects another tool, other arguments or another answer at a call. Its id stays.
    ///
    /// # Errors
    /// There is no such call, or a value is of the wrong kind.
    pub fn set_call(&mut self, turn: usize, call: usize, new: NewCall) -> Result<(), EditError> {
        require_object("the arguments", &new.arguments)?;
        match self.turn(turn)? {
            Turn::Adk(turn) => {
                require_answer(new.response.as_ref())?;
                let data = turn.intermediate_data.get_or_insert_default();
                set_adk_call(data, call, new)
            }
            Turn::AgentFlow(turn) => {
                let calls = &mut turn.expected_tool_trajectory;
                let count = calls.len();
                let it = calls.get_mut(call).ok_or(EditError::NoCall { call, calls: count })?;
                it.name = new.name;
                it.args = Some(new.arguments);
                it.result = new.response;
                Ok(())
            }
        }
    }

    /// Expects one more call, before the one that stands at `at` now, or behind the last. `id` tells
    /// it from the others.
    ///
    /// # Errors
    /// There is no such place, or a value is of the wrong kind.
    pub fn insert_call(
        &mut self,
        turn: usize,
        at: usize,
        id: &str,
        new: NewCall,
    ) -> Result<(), EditError> {
        require_object("the arguments", &new.arguments)?;
        match self.turn(turn)? {
            Turn::Adk(turn) => {
                require_answer(new.response.as_ref())?;
                let data = turn.intermediate_data.get_or_insert_default();
                insert_adk_call(data, at, id, new)
            }
            Turn::AgentFlow(turn) => {
                let calls = &mut turn.expected_tool_trajectory;
                require_place(at, calls.len())?;
                let mut call = ToolCall::new(new.name, new.arguments);
                call.call_id = Some(id.to_owned());
                call.result = new.response;
                calls.insert(at, call);
                Ok(())
            }
        }
    }

    /// Expects a call no more; its answer goes with it.
    ///
    /// # Errors
    /// There is no such call.
    pub fn remove_call(&mut self, turn: usize, call: usize) -> Result<(), EditError> {
        match self.turn(turn)? {
            Turn::Adk(turn) => {
                let data = turn.intermediate_data.get_or_insert_default();
                remove_adk_call(data, call)
            }
            Turn::AgentFlow(turn) => {
                let calls = &mut turn.expected_tool_trajectory;
                require_call(call, calls.len())?;
                calls.remove(call);
                Ok(())
            }
        }
    }

    /// Moves a call, so that it stands at `to` afterwards.
    ///
    /// # Errors
    /// There is no such call, or the calls are recorded as events.
    pub fn move_call(&mut self, turn: usize, from: usize, to: usize) -> Result<(), EditError> {
        match self.turn(turn)? {
            Turn::Adk(turn) => {
                let data = turn.intermediate_data.get_or_insert_default();
                if !data.invocation_events.is_empty() {
                    return Err(EditError::InEvents);
                }
                require_call(from, data.tool_uses.len())?;
                require_call(to, data.tool_uses.len())?;
                let call = data.tool_uses.remove(from);
                data.tool_uses.insert(to, call);
                if data.tool_responses.len() == data.tool_uses.len() {
                    let order: Vec<Option<String>> =
                        data.tool_uses.iter().map(|call| call.id.clone()).collect();
                    let place = |response: &FunctionResponse| {
                        order.iter().position(|id| id.is_some() && *id == response.id)
                    };
                    // Without ids, answers belong to their places and stay there.
                    if data.tool_responses.iter().all(|response| place(response).is_some()) {
                        data.tool_responses.sort_by_key(place);
                    }
                }
                Ok(())
            }
            Turn::AgentFlow(turn) => {
                let calls = &mut turn.expected_tool_trajectory;
                require_call(from, calls.len())?;
                require_call(to, calls.len())?;
                let call = calls.remove(from);
                calls.insert(to, call);
                Ok(())
            }
        }
    }

    /// Starts the session with another state: a JSON object. `app_name` and `user_id` stand in a
    /// session input that an ADK case had not.
    ///
    /// # Errors
    /// The state is no object.
    pub fn set_initial_state(
        &mut self,
        state: JsonText,
        app_name: &str,
        user_id: &str,
    ) -> Result<(), EditError> {
        require_object("the state", &state)?;
        match self {
            Self::Adk(case) => match &mut case.session_input {
                Some(input) => input.state = Some(state),
                absent => *absent = Some(adk::SessionInput::new(app_name, user_id, state)),
            },
            Self::AgentFlow(case) => {
                case.session_input.get_or_insert_default().initial_state = Some(state);
            }
            Self::AdkLegacy(_) => return Err(EditError::OlderList),
        }
        Ok(())
    }

    fn turn(&mut self, turn: usize) -> Result<Turn<'_>, EditError> {
        match self {
            Self::Adk(case) => {
                let turns = case.conversation.as_deref_mut().unwrap_or_default();
                let missing = EditError::NoTurn { turn, turns: turns.len() };
                turns.get_mut(turn).map(Turn::Adk).ok_or(missing)
            }
            Self::AgentFlow(case) => {
                let missing = EditError::NoTurn { turn, turns: case.conversation.len() };
                case.conversation.get_mut(turn).map(Turn::AgentFlow).ok_or(missing)
            }
            Self::AdkLegacy(_) => Err(EditError::OlderList),
        }
    }
}

/// A turn of either format.
enum Turn<'a> {
    Adk(&'a mut adk::Invocation),
    AgentFlow(&'a mut agentflow::Invocation),
}

/// Where the answer to a call stands.
#[derive(Clone, Copy)]
enum Answer {
    Listed(usize),
    InEvent { event: usize, part: usize },
}

fn require_object(what: &'static str, value: &JsonText) -> Result<(), EditError> {
    if value.kind() == Kind::Object { Ok(()) } else { Err(EditError::NotAnObject { what }) }
}

fn require_answer(response: Option<&JsonText>) -> Result<(), EditError> {
    response.map_or(Ok(()), |response| require_object("the response", response))
}

fn require_call(call: usize, calls: usize) -> Result<(), EditError> {
    if call < calls { Ok(()) } else { Err(EditError::NoCall { call, calls }) }
}

fn require_place(at: usize, calls: usize) -> Result<(), EditError> {
    if at <= calls { Ok(()) } else { Err(EditError::NoCall { call: at, calls }) }
}

/// Puts `text` in the place of the message's texts; thoughts and other parts stay.
fn say(content: &mut adk::Content, text: &str) {
    let parts = content.parts.get_or_insert_default();
    let is_text = |part: &adk::Part| part.text.is_some() && part.thought != Some(true);
    let first = parts.iter().position(is_text);
    match first {
        Some(first) => {
            let mut position = 0;
            parts.retain(|part| {
                position += 1;
                position - 1 == first || !is_text(part)
            });
            if let Some(part) = parts.get_mut(first) {
                part.text = Some(text.to_owned());
            }
        }
        None => parts.push(adk::Part::text(text)),
    }
}

fn say_in_agentflow(message: &mut MessageContent, text: &str) {
    message.content = MessageBody::Text(text.to_owned());
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

/// Where the answer to the call at `call` stands, if it is recorded.
fn answer_to(data: &IntermediateData, call: usize) -> Option<Answer> {
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

fn set_adk_call(data: &mut IntermediateData, call: usize, new: NewCall) -> Result<(), EditError> {
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

fn insert_adk_call(
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

fn remove_adk_call(data: &mut IntermediateData, call: usize) -> Result<(), EditError> {
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

/// The place among the events of the one that holds the call at `call`; behind the last without one.
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

fn response_at(data: &mut IntermediateData, at: Answer) -> Option<&mut FunctionResponse> {
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

/// Records the answer to the call at `call`, right behind what is recorded of the calls before it.
fn add_answer(
    data: &mut IntermediateData,
    call: usize,
    id: Option<String>,
    name: String,
    response: JsonText,
) {
    let (name, response) = (Some(name), Some(response));
    let answer = FunctionResponse { id, name, response, written: Written::default() };
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

/// Takes something out of a part; a part or an event that then says nothing goes too.
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
        written: Written::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Origin, read_case};

    const LISTS: &str = r#"{"eval_id":"a","zzz":9007199254740993,"conversation":[{"invocation_id":"i",
        "user_content":{"parts":[{"text":"one"},{"inline_data":{"data":"","mime_type":"a/b"}},{"text":"two"}]},
        "intermediate_data":{"tool_uses":[{"id":"1","name":"add","args":{"a":1}},{"id":"2","name":"log","args":{}}],
        "tool_responses":[{"id":"1","name":"add","response":{"result":2}},{"id":"2","name":"log","response":{"result":null}}]},
        "final_response":{"parts":[{"text":"8"}],"role":"model"}}]}"#;

    const EVENTS: &str = r#"{"eval_id":"a","conversation":[{"invocation_id":"i",
        "user_content":{"parts":[{"text":"one"}]},
        "intermediate_data":{"invocation_events":[
            {"author":"root","content":{"parts":[{"text":"Hm."},{"function_call":{"id":"1","name":"add","args":{}}}]}},
            {"author":"root","content":{"parts":[{"function_response":{"id":"1","name":"add","response":{"result":2}}}]}},
            {"author":"helper","content":{"parts":[{"function_call":{"id":"2","name":"log","args":{}}}]}}]}}]}"#;

    fn case(text: &str, format: Format) -> Case {
        let (case, faults) = read_case(text, format, Origin { line: 1, column: 1, case: None });
        assert_eq!(faults, []);
        case.expect("a case")
    }

    fn text(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    fn call(name: &str, arguments: &str, response: Option<&str>) -> NewCall {
        NewCall { name: name.into(), arguments: text(arguments), response: response.map(text) }
    }

    /// Each call with the answer that belongs to it: `add{"a":1} -> {"result":2}`.
    fn told(case: &Case) -> Vec<String> {
        match case {
            Case::Adk(case) => {
                let data = case.turns()[0].intermediate_data.clone().unwrap_or_default();
                let mut told = Vec::new();
                for (at, call) in data.calls().enumerate() {
                    let mut copy = data.clone();
                    let answer = answer_to(&data, at).and_then(|at| {
                        response_at(&mut copy, at).and_then(|it| it.response.clone())
                    });
                    let answer = answer.map_or_else(|| "?".to_owned(), |it| it.to_string());
                    let name = call.name.clone().unwrap_or_default();
                    let arguments = call.args.clone().map_or_else(String::new, |it| it.to_string());
                    told.push(format!("{name}{arguments} -> {answer}"));
                }
                told
            }
            Case::AgentFlow(case) => case.conversation[0]
                .expected_tool_trajectory
                .iter()
                .map(|call| {
                    let arguments = call.args.clone().map_or_else(String::new, |it| it.to_string());
                    let answer =
                        call.result.clone().map_or_else(|| "?".to_owned(), |it| it.to_string());
                    format!("{}{arguments} -> {answer}", call.name)
                })
                .collect(),
            Case::AdkLegacy(_) => Vec::new(),
        }
    }

    #[test]
    fn what_is_said_changes_and_other_parts_stay() {
        let mut it = case(LISTS, Format::Adk);
        it.set_query(0, "three").expect("changed");
        it.set_response(0, Some("9")).expect("changed");
        let written = it.to_json().laid_out(&crate::Layout::compact());
        assert!(
            written.contains(r#"[{"text":"three"},{"inline_data":{"data":"","mime_type":"a/b"}}]"#),
            "{written}"
        );
        assert!(
            written.contains(r#""zzz":9007199254740993"#) && written.contains(r#"{"text":"9"}"#)
        );
        it.set_response(0, None).expect("changed");
        assert!(!it.to_json().laid_out(&crate::Layout::compact()).contains("\"9\""));
        assert_eq!(it.set_query(1, "x"), Err(EditError::NoTurn { turn: 1, turns: 1 }));
    }

    #[test]
    fn calls_change_with_their_answers_in_lists() {
        let mut it = case(LISTS, Format::Adk);
        it.set_call(0, 0, call("add", r#"{"a":2}"#, Some(r#"{"result":3}"#))).expect("changed");
        it.insert_call(0, 1, "n", call("mul", "{}", Some(r#"{"result":0}"#))).expect("added");
        let expected = [
            r#"add{"a":2} -> {"result":3}"#,
            r#"mul{} -> {"result":0}"#,
            r#"log{} -> {"result":null}"#,
        ];
        assert_eq!(told(&it), expected);
        it.move_call(0, 2, 0).expect("moved");
        assert_eq!(told(&it), [expected[2], expected[0], expected[1]]);
        it.remove_call(0, 1).expect("removed");
        assert_eq!(told(&it), [expected[2], expected[1]]);
        it.set_call(0, 0, call("log", "{}", None)).expect("changed");
        assert_eq!(told(&it), ["log{} -> ?", expected[1]]);
        assert_eq!(it.remove_call(0, 2), Err(EditError::NoCall { call: 2, calls: 2 }));
        assert_eq!(
            it.set_call(0, 0, call("log", "[]", None)),
            Err(EditError::NotAnObject { what: "the arguments" })
        );
    }

    #[test]
    fn calls_change_with_their_answers_in_events() {
        let mut it = case(EVENTS, Format::Adk);
        it.set_call(0, 0, call("add", r#"{"a":2}"#, Some(r#"{"result":3}"#))).expect("changed");
        it.set_call(0, 1, call("log", "{}", Some(r#"{"result":1}"#))).expect("changed");
        assert_eq!(told(&it), [r#"add{"a":2} -> {"result":3}"#, r#"log{} -> {"result":1}"#]);
        it.insert_call(0, 1, "n", call("mul", "{}", Some(r#"{"result":0}"#))).expect("added");
        assert_eq!(told(&it)[1], r#"mul{} -> {"result":0}"#);
        it.remove_call(0, 0).expect("removed");
        assert_eq!(told(&it), [r#"mul{} -> {"result":0}"#, r#"log{} -> {"result":1}"#]);
        let written = it.to_json().laid_out(&crate::Layout::compact());
        assert!(written.contains(r#"[{"text":"Hm."}]"#), "its words stay: {written}");
        assert!(!written.contains("[]"), "no empty event stays: {written}");
        assert_eq!(it.move_call(0, 0, 1), Err(EditError::InEvents));
        let (again, faults) =
            read_case(&written, Format::Adk, Origin { line: 1, column: 1, case: None });
        assert!(again.is_some() && faults.is_empty(), "{faults:?}");
    }

    #[test]
    fn a_turn_without_intermediate_data_gets_some() {
        let mut it = case(
            r#"{"eval_id":"a","conversation":[{"user_content":{"parts":[{"text":"x"}]}}]}"#,
            Format::Adk,
        );
        it.insert_call(0, 0, "n", call("add", "{}", None)).expect("added");
        assert_eq!(told(&it), ["add{} -> ?"]);
        it.set_initial_state(text(r#"{"a":1}"#), "app", "user").expect("set");
        assert!(it.to_json().laid_out(&crate::Layout::compact()).contains(r#""state":{"a":1}"#));
    }

    #[test]
    fn agentflow_cases_change_alike() {
        let mut it = case(
            r#"{"eval_id":"a","conversation":[{"invocation_id":"i","user_content":{"role":"user","content":"x"},
                "expected_tool_trajectory":[{"name":"add","args":{},"result":2}]}]}"#,
            Format::AgentFlow,
        );
        it.set_query(0, "y").expect("changed");
        it.insert_call(0, 0, "n", call("mul", "{}", Some("7"))).expect("added");
        assert_eq!(told(&it), ["mul{} -> 7", "add{} -> 2"]);
        it.move_call(0, 0, 1).expect("moved");
        it.remove_call(0, 0).expect("removed");
        assert_eq!(told(&it), ["mul{} -> 7"]);
        it.set_response(0, Some("done")).expect("changed");
        it.set_eval_id("b").expect("changed");
        assert_eq!(it.eval_id(), "b");
        assert!(it.to_json().laid_out(&crate::Layout::compact()).contains("\"done\""));
    }
}
