//! [`RecordedTurns`]: the events of a session of google-adk as the turns of a recorded case.
//!
//! A session has every message of the user, so each of them begins a turn here. In an eval set of `adk web`, a turn has only
//! the last message that was sent while its calls waited.

use std::collections::BTreeMap;

use evalset::adk::{Content, IntermediateData, Invocation, InvocationEvent};
use evalset::{Case, Format, Origin, Severity};
use json_text::{JsonIndex, JsonText, JsonValue, Kind};
use serde_json::{Map, Value};

use crate::recorded_session::{CallFacts, is_of_tool};

/// The tool with which a model gives a structured response. google-adk then writes the response as an event of its own.
const SET_MODEL_RESPONSE: &str = "set_model_response";

/// What cannot be read in a recording: the place, such as `events[3].content`, and the reason with the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub(crate) struct EventFault {
    place: String,
    reason: String,
}

impl EventFault {
    pub(crate) fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place: place.into(), reason: reason.into() }
    }

    /// With the name of the file before the place.
    pub(crate) fn in_file(mut self, name: &str) -> Self {
        self.place = format!("{name}: {}", self.place);
        self
    }
}

/// The turns of a session, and what its events tell of calls beyond the turns.
#[derive(Debug, Default)]
pub(crate) struct RecordedTurns {
    pub(crate) turns: Vec<Invocation>,
    pub(crate) facts: BTreeMap<String, CallFacts>,
    /// The changes of the state that came with each message of the user.
    pub(crate) changes: Vec<Map<String, Value>>,
}

/// An event as it is read.
struct RecordedEvent {
    author: String,
    content: Content,
    /// Whether google-adk takes it for the end of its turn.
    is_final: bool,
    /// Whether the user sent it. Agents write events of the user too, with the path of their node.
    is_message: bool,
    /// What changed in the state.
    changes: Map<String, Value>,
}

impl RecordedTurns {
    /// Reads the member `events` of a session.
    ///
    /// # Errors
    /// Every event that cannot be read, or that there is nothing to send.
    pub(crate) fn read(session: &JsonText) -> Result<Self, Vec<EventFault>> {
        let document = JsonIndex::of(session);
        let one = |place: &str, reason: String| vec![EventFault::new(place, reason)];
        let Some(events) = document.root().member("events") else {
            return Err(one("events", "they are missing; save a session of `adk web`".to_owned()));
        };
        if events.kind() != Kind::Array {
            let reason = format!("{} is there, and a list is expected", events.kind().phrase());
            return Err(one("events", reason));
        }
        let (mut read, mut faults) = (Vec::new(), Vec::new());
        for (at, event) in events.items().enumerate() {
            match event_of(event, &format!("events[{at}]")) {
                Ok(event) => read.extend(event),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        match read.first() {
            None => Err(one(
                "events",
                "no message is recorded, so nothing can be sent; save a session of `adk web` in which the agent ran"
                    .to_owned(),
            )),
            Some(first) if !first.is_message => Err(one(
                "events[0]",
                format!(
                    "{} begins the session, and a message of the user is expected; add it",
                    first.author
                ),
            )),
            Some(_) => Ok(Self::of(read)),
        }
    }

    fn of(events: Vec<RecordedEvent>) -> Self {
        let mut recorded = Self::default();
        let mut rest = events.into_iter().peekable();
        while let Some(message) = rest.next() {
            let mut of_turn = Vec::new();
            while let Some(event) = rest.next_if(|event| !event.is_message) {
                recorded.note_facts(&event);
                of_turn.push(event);
            }
            let id = format!("turn-{}", recorded.turns.len() + 1);
            recorded.turns.push(turn(id, message.content, of_turn));
            recorded.changes.push(message.changes);
        }
        recorded
    }

    /// Notes what the calls returned that the event responds to.
    fn note_facts(&mut self, event: &RecordedEvent) {
        let parts = event.content.parts().iter();
        let responses = parts.filter_map(|part| part.function_response.as_ref());
        let of_calls = responses.filter_map(|it| Some((it.id.clone()?, it.response.as_ref()?)));
        let mut of_calls = of_calls.peekable();
        while let Some((id, response)) = of_calls.next() {
            let facts = self.facts.entry(id).or_default();
            let result = evalset::adk::AdkMark::result_of(response);
            if is_of_tool(&result) {
                facts.result = Some(result);
            }
            // Of calls that returned together, the event has the changes together.
            let is_last = of_calls.peek().is_none();
            facts.changes.push(if is_last { event.changes.clone() } else { Map::new() });
        }
    }
}

/// A turn as google-adk makes one of events: the last that ends it has the response, and one with a text before others.
fn turn(id: String, message: Content, events: Vec<RecordedEvent>) -> Invocation {
    let has_text = |event: &RecordedEvent| !event.content.text().is_empty();
    let ends = |is_wanted: &dyn Fn(&RecordedEvent) -> bool| {
        events.iter().rposition(|event| event.is_final && is_wanted(event))
    };
    let end = ends(&has_text).or_else(|| ends(&|_| true));
    let final_response = end.and_then(|at| events.get(at)).map(|event| event.content.clone());
    let (mut kept, mut is_written_by_adk) = (Vec::new(), false);
    for (at, RecordedEvent { author, content, .. }) in events.into_iter().enumerate() {
        let calls = content.parts().iter().any(|part| part.function_call.is_some());
        let is_of_model = content.role.as_deref() != Some("user");
        // The model has given it by a call already.
        if !(is_of_model && std::mem::take(&mut is_written_by_adk)) {
            let content = (end != Some(at) || calls).then(|| content.clone());
            let written = evalset::OriginalForm::default();
            kept.push(InvocationEvent { author, content, model_version: None, written });
        }
        let responses = content.parts().iter().filter_map(|part| part.function_response.as_ref());
        is_written_by_adk |=
            responses.into_iter().any(|it| it.name.as_deref() == Some(SET_MODEL_RESPONSE));
    }
    let data = IntermediateData { invocation_events: kept, ..IntermediateData::default() };
    Invocation { final_response, intermediate_data: Some(data), ..Invocation::new(id, message) }
}

/// An event; `None` if nothing is in it, or only a part of a response that is streamed.
fn event_of(event: JsonValue<'_>, place: &str) -> Result<Option<RecordedEvent>, EventFault> {
    if event.kind() != Kind::Object {
        let reason = format!("{} is there, and an event is expected", event.kind().phrase());
        return Err(EventFault::new(place, reason));
    }
    if member(event, "partial", "partial").is_some_and(JsonValue::is_true) {
        return Ok(None);
    }
    let Some(content) = member(event, "content", "content") else { return Ok(None) };
    let content = content_of(content.text(), &format!("{place}.content"))?;
    if content.parts().is_empty() {
        return Ok(None);
    }
    let author = member(event, "author", "author").and_then(JsonValue::string);
    let author = author.unwrap_or_default().into_owned();
    let path = member(event, "nodeInfo", "node_info").and_then(|node| node.member("path"));
    let is_of_node = path.and_then(JsonValue::string).is_some_and(|path| !path.is_empty());
    let actions = member(event, "actions", "actions");
    let action = |camel, snake| actions.and_then(|actions| member(actions, camel, snake));
    let is_listed = |list: JsonValue<'_>| list.kind() == Kind::Array && !list.is_empty();
    let waits = member(event, "longRunningToolIds", "long_running_tool_ids").is_some_and(is_listed);
    let skips = action("skipSummarization", "skip_summarization").is_some_and(JsonValue::is_true);
    let has_calls = content
        .parts()
        .iter()
        .any(|part| part.function_call.is_some() || part.function_response.is_some());
    let changes = action("stateDelta", "state_delta");
    let changes = changes.and_then(|it| it.to_json().decode().ok()).unwrap_or_default();
    Ok(Some(RecordedEvent {
        is_message: author == "user" && !is_of_node,
        is_final: waits || skips || !has_calls,
        author,
        content,
        changes,
    }))
}

/// The member under either of its names, unless it is null.
fn member<'d>(of: JsonValue<'d>, camel: &str, snake: &str) -> Option<JsonValue<'d>> {
    let found = of.member(camel).or_else(|| of.member(snake));
    found.filter(|value| value.kind() != Kind::Null)
}

/// A message, checked as google-genai does it.
pub(crate) fn content_of(content: &str, place: &str) -> Result<Content, EventFault> {
    let case = format!("{{\"eval_id\":\"-\",\"conversation\":[{{\"user_content\":{content}}}]}}");
    let (case, faults) = evalset::read_case(&case, Format::Adk, Origin::default());
    let refused = faults.iter().find(|fault| fault.severity() == Severity::Error);
    if let Some(fault) = refused {
        let path = fault.path.strip_prefix("conversation[0].user_content").unwrap_or_default();
        return Err(EventFault::new(format!("{place}{path}"), fault.problem.to_string()));
    }
    let Some(Case::Adk(case)) = case else {
        return Err(EventFault::new(place, "it is not a message"));
    };
    let turn = case.conversation.into_iter().flatten().next();
    turn.map(|turn| turn.user_content).ok_or_else(|| EventFault::new(place, "it is not a message"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(events: &Value) -> Result<RecordedTurns, String> {
        let session = JsonText::from_value(&json!({ "events": events }));
        RecordedTurns::read(&session)
            .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    }

    fn says(author: &str, text: &str) -> Value {
        let role = if author == "user" { "user" } else { "model" };
        json!({ "author": author, "content": { "role": role, "parts": [{ "text": text }] } })
    }

    #[test]
    fn each_message_of_the_user_begins_a_turn() {
        let call = json!({ "author": "desk", "content": { "role": "model", "parts": [
            { "functionCall": { "id": "fc-1", "name": "book", "args": { "seat": "4A" } } }] } });
        let result = json!({
            "author": "desk",
            "actions": { "stateDelta": { "seat": "4A" } },
            "content": { "role": "user", "parts": [
                { "functionResponse": { "id": "fc-1", "name": "book", "response": { "result": 7 } } }] },
        });
        let mut of_node = says("user", "Of a node");
        of_node["nodeInfo"] = json!({ "path": "desk@1" });
        let mut partial = says("desk", "Boo");
        partial["partial"] = json!(true);
        let events = json!([
            says("user", "Book 4A"),
            call,
            result,
            partial,
            says("desk", "Booked"),
            of_node,
            says("user", "Thanks"),
            says("desk", "Bye")
        ]);
        let recorded = read(&events).expect("turns");
        let said = |content: &Content| content.text();
        let texts: Vec<_> = recorded
            .turns
            .iter()
            .map(|turn| (said(&turn.user_content), turn.final_response.as_ref().map(said)))
            .collect();
        let expected = [("Book 4A", "Of a node"), ("Thanks", "Bye")];
        assert_eq!(texts, expected.map(|(one, two)| (one.to_owned(), Some(two.to_owned()))));
        let facts = &recorded.facts["fc-1"];
        assert_eq!(facts.result, Some(JsonText::from_value(&json!(7))));
        assert_eq!(facts.changes, [json!({ "seat": "4A" }).as_object().cloned().expect("object")]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let error = |events: &Value| read(events).expect_err("refused");
        assert_eq!(error(&json!(3)), "events: a number is there, and a list is expected");
        assert!(error(&json!([])).starts_with("events: no message is recorded"));
        assert!(error(&json!([says("desk", "Hi")])).starts_with("events[0]: desk begins"));
        let unknown = json!([{ "author": "user", "content": { "parts": [{ "txt": "Hi" }] } }, 5]);
        let error = error(&unknown);
        assert!(error.starts_with("events[0].content.parts[0]: ADK rejects"), "{error}");
        assert!(
            error.ends_with("events[1]: a number is there, and an event is expected"),
            "{error}"
        );
    }
}
