//! [`timeline`]: the ledger of a run, as people read it.
//!
//! Every form of a report draws these entries. Unknown events are shown by their names, so that a
//! report of a later version still reads.

use std::borrow::Cow;
use std::collections::HashMap;

use json_text::{JsonIndex, JsonText, JsonValue, Kind};

use crate::parts_for_people;

/// An event of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEntry {
    /// The place of the event in the ledger, from 0.
    pub event: usize,
    /// Milliseconds since the run began.
    pub at_ms: u64,
    /// How long the tool or the model took that gave it, in milliseconds; `None` if the ledger does not say when it
    /// began.
    pub took_ms: Option<u64>,
    /// The kind, for color and icon.
    pub kind: TimelineKind,
    /// Who did it: the user, an agent, a tool.
    pub who: String,
    /// What they did, in a few words; empty for what they said.
    pub what: String,
    /// Of a result, where it came from: a mock, the real tool, a user agent.
    pub from: Option<String>,
    /// What they said.
    pub text: Option<String>,
    /// The arguments, the result, the changes.
    pub value: Option<JsonText>,
}

/// What kind of event it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimelineKind {
    /// The user's message, or what stands for the user.
    User,
    /// A message of the agent.
    Agent,
    /// The call of a tool, with its result.
    Tool,
    /// The state of the session.
    State,
    /// The agent waits, or the run ends.
    Turn,
    /// Something went wrong.
    Error,
    /// The rest.
    Note,
}

impl TimelineKind {
    /// Its name in style sheets.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Tool => "tool",
            Self::State => "state",
            Self::Turn => "turn",
            Self::Error => "error",
            Self::Note => "note",
        }
    }
}

/// The entries of a ledger; none if it is not a list.
///
/// ```
/// use json_text::JsonText;
/// use scoring::report::timeline;
/// let events = r#"[
///     {"at_ms": 0, "type": "initial_state", "state": {}},
///     {"at_ms": 2, "type": "tool_result", "call_id": "1", "name": "book", "result": {"ok": true}, "from": "mock"}
/// ]"#;
/// let entries = timeline(&JsonText::parse(events).expect("JSON"));
/// let [entry] = entries.as_slice() else { panic!("the empty state is left out") };
/// assert_eq!((entry.who.as_str(), entry.what.as_str()), ("book", "returns"));
/// assert_eq!(entry.from.as_deref(), Some("mock"));
/// ```
#[must_use]
pub fn timeline(events: &JsonText) -> Vec<TimelineEntry> {
    let document = JsonIndex::of(events);
    let root = document.root();
    if root.kind() != Kind::Array {
        return Vec::new();
    }
    let mut begun = Begun::default();
    let events = root.items().map(Event).enumerate();
    let entries = events.filter_map(|(at, event)| {
        let took_ms = begun.took(event);
        Some(TimelineEntry { event: at, took_ms, ..entry(event)? })
    });
    entries.collect()
}

/// When the calls of tools and the requests to models began that have no result yet.
#[derive(Default)]
struct Begun<'d> {
    /// By the ids of the calls.
    calls: HashMap<Cow<'d, str>, u64>,
    /// By the names of the agents.
    requests: HashMap<Cow<'d, str>, u64>,
}

impl<'d> Begun<'d> {
    /// How long that took of which the event is the result. What an agent says and calls after a request is one
    /// response, whose first event has the time.
    fn took(&mut self, event: Event<'d>) -> Option<u64> {
        let began = match &*event.text("type") {
            "model_request" => {
                self.requests.insert(event.text("agent"), event.number("at_ms"));
                None
            }
            "tool_call" => {
                self.calls.insert(event.text("call_id"), event.number("at_ms"));
                self.requests.remove(&event.text("agent"))
            }
            "message" => self.requests.remove(&event.text("agent")),
            "tool_result" => self.calls.remove(&event.text("call_id")),
            _ => None,
        };
        Some(event.number("at_ms").saturating_sub(began?))
    }
}

#[derive(Clone, Copy)]
struct Event<'d>(JsonValue<'d>);

impl<'d> Event<'d> {
    fn member(self, name: &str) -> Option<JsonValue<'d>> {
        (self.0.kind() == Kind::Object).then(|| self.0.member(name)).flatten()
    }

    fn text(self, name: &str) -> Cow<'d, str> {
        self.member(name).and_then(JsonValue::string).unwrap_or_default()
    }

    fn value(self, name: &str) -> Option<JsonText> {
        Some(self.member(name)?.to_json())
    }

    fn is(self, name: &str) -> bool {
        self.member(name).is_some_and(JsonValue::is_true)
    }

    fn number(self, name: &str) -> u64 {
        self.member(name).and_then(|it| it.text().parse().ok()).unwrap_or_default()
    }

    fn by(
        self,
        kind: TimelineKind,
        who: impl Into<String>,
        what: impl Into<String>,
    ) -> TimelineEntry {
        TimelineEntry {
            event: 0,
            at_ms: self.number("at_ms"),
            took_ms: None,
            kind,
            who: who.into(),
            what: what.into(),
            from: None,
            text: None,
            value: None,
        }
    }
}

/// `None` if the event says nothing.
fn entry(event: Event<'_>) -> Option<TimelineEntry> {
    use TimelineKind::{Agent, Error, Note, State, Tool, Turn, User};

    let name = event.text("type");
    let inner = if event.is("is_inner") { "as a tool, " } else { "" };
    Some(match &*name {
        "initial_state" => {
            let value = event.value("state").filter(|state| state.compact().as_str() != "{}")?;
            TimelineEntry {
                value: Some(value),
                ..event.by(State, "session", "begins with the state")
            }
        }
        "user_message" => {
            let parts = event.member("parts").filter(|parts| parts.kind() == Kind::Array);
            let parts =
                parts.map(|parts| parts.items().map(JsonValue::to_json).collect::<Vec<_>>());
            let text =
                parts.map_or_else(|| event.text("text").into_owned(), |it| parts_for_people(&it));
            TimelineEntry { text: Some(text), ..event.by(User, "user", "") }
        }
        "message" => {
            let text = Some(event.text("text").into_owned());
            TimelineEntry {
                text,
                ..event.by(Agent, event.text("agent"), inner.trim_end_matches(", "))
            }
        }
        "tool_call" => {
            let what = format!("{inner}calls {}", event.text("name"));
            TimelineEntry {
                value: event.value("args"),
                ..event.by(Tool, event.text("agent"), what)
            }
        }
        "tool_result" => TimelineEntry {
            from: Some(words(&event.text("from"))),
            value: event.value("result"),
            ..event.by(Tool, event.text("name"), "returns")
        },
        "node_output" => TimelineEntry {
            value: event.value("output"),
            ..event.by(Tool, event.text("node"), "outputs")
        },
        "tool_fault" => TimelineEntry {
            value: event.value("effect"),
            ..event.by(Tool, event.text("name"), "has an injected fault")
        },
        "state_change" => TimelineEntry {
            from: Some(words(&event.text("by"))),
            value: event.value("changes"),
            ..event.by(State, "session", "changes its state")
        },
        "state_conflict" => {
            let text = |name| event.member(name).map_or("", JsonValue::text);
            let what = format!(
                "is changed twice at {}: {} replaces {}",
                event.text("pointer"),
                text("kept"),
                text("replaced")
            );
            event.by(Error, "session", what)
        }
        "value_replaced" => {
            let what = format!(
                "has {} at {}, which JSON cannot hold",
                event.text("value"),
                event.text("place")
            );
            event.by(Note, event.text("in"), what)
        }
        "effect_refused" => {
            let what = format!("was refused {} ({})", event.text("what"), event.text("place"));
            event.by(Note, "agent", what)
        }
        "yield" => match &*event.text("kind") {
            "tool" => TimelineEntry {
                value: event.value("interim").or_else(|| event.value("args")),
                ..event.by(Turn, event.text("tool_name"), "waits for the user")
            },
            _ => event.by(Turn, "agent", "waits for the user"),
        },
        "user_agent_prompt" => TimelineEntry {
            text: Some(event.text("text").into_owned()),
            ..event.by(User, "user agent", "gets")
        },
        "user_agent_call" => TimelineEntry {
            value: event.value("args"),
            ..event.by(User, "user agent", format!("calls {}", event.text("name")))
        },
        "user_agent_response" => {
            let response = event.member("response");
            let text = response.and_then(JsonValue::string).map(Cow::into_owned);
            let value = if text.is_some() { None } else { event.value("response") };
            TimelineEntry { text, value, ..event.by(User, "user agent", "responds") }
        }
        // What the model responds follows.
        "model_request" => return None,
        "model_usage" => {
            let (input, output) = (event.number("input"), event.number("output"));
            let what = format!("uses {}: {input} + {output} tokens", event.text("model"));
            let who = match &*event.text("role") {
                "subject" => event.text("agent").into_owned(),
                role => words(role),
            };
            event.by(Note, who, what)
        }
        "taken_over" => event.by(Note, "a person", format!("takes over: {}", event.text("place"))),
        "handed_back" => event.by(Note, "a person", format!("hands back: {}", event.text("place"))),
        "request_apart" => TimelineEntry {
            text: Some(event.text("response").into_owned()),
            ..event.by(
                Note,
                event.text("agent"),
                format!("asks its model apart from its turns, in {}", event.text("asked_by")),
            )
        },
        "fault" => {
            let what = match &*event.text("code") {
                "" => "is at fault".to_owned(),
                code => format!("is at fault ({code})"),
            };
            TimelineEntry {
                text: Some(event.text("message").into_owned()),
                ..event.by(Error, words(&event.text("at_fault")), what)
            }
        }
        "termination" => {
            let reason = event.text("reason");
            let what = match &*reason {
                "" => "ends with the state".to_owned(),
                reason => format!("is ended by {reason} with the state"),
            };
            TimelineEntry { value: event.value("state"), ..event.by(Turn, "run", what) }
        }
        unknown => TimelineEntry { value: Some(event.0.to_json()), ..event.by(Note, unknown, "") },
    })
}

/// A name of the ledger as people read it.
fn words(name: &str) -> String {
    match name {
        "subject" => "agent".to_owned(),
        "real" => "real tool".to_owned(),
        "sealed" => "sealed tool".to_owned(),
        "fault" => "injected fault".to_owned(),
        other => other.replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(events: &str) -> Vec<TimelineEntry> {
        timeline(&JsonText::parse(events).expect("JSON"))
    }

    #[test]
    fn user_parts_and_structured_responses_are_shown() {
        let entries = of(r#"[
            {"at_ms": 1, "type": "user_message", "text": "look", "parts": [{"text": "look"},
                {"inline_data": {"mime_type": "image/png", "data": "AAAA"}}]},
            {"at_ms": 2, "type": "user_agent_response", "response": {"approved": 1.50}},
            {"at_ms": 3, "type": "user_agent_response", "response": "yes"},
            {"at_ms": 4, "type": "termination", "reason": "max_turns", "state": {"a": 1}}
        ]"#);
        assert_eq!(entries[0].text.as_deref(), Some("look\n[image/png, 3 bytes]"));
        let value = entries[1].value.as_ref().map(JsonText::as_str);
        assert_eq!(
            (value, &entries[1].text),
            (Some(r#"{"approved": 1.50}"#), &None),
            "digits stay"
        );
        assert_eq!(entries[2].text.as_deref(), Some("yes"));
        assert_eq!(entries[3].what, "is ended by max_turns with the state");
    }

    #[test]
    fn results_have_the_time_since_their_calls_and_responses_since_their_requests() {
        let entries = of(r#"[
            {"at_ms": 0, "type": "user_message", "text": "go"},
            {"at_ms": 10, "type": "model_request", "agent": "root"},
            {"at_ms": 250, "type": "message", "agent": "root", "text": "One moment."},
            {"at_ms": 251, "type": "tool_call", "agent": "root", "call_id": "1", "name": "book"},
            {"at_ms": 251, "type": "tool_call", "agent": "root", "call_id": "2", "name": "pay"},
            {"at_ms": 300, "type": "tool_result", "call_id": "2", "name": "pay", "result": 1},
            {"at_ms": 900, "type": "tool_result", "call_id": "1", "name": "book", "result": 1}
        ]"#);
        let times: Vec<_> = entries.iter().map(|it| (it.event, it.took_ms)).collect();
        let (none, some) = (None, Some);
        assert_eq!(
            times,
            [(0, none), (2, some(240)), (3, none), (4, none), (5, some(49)), (6, some(649))]
        );
    }

    #[test]
    fn odd_events_are_no_error() {
        assert_eq!(of("{}"), []);
        let entries =
            of(r#"[7, {"type": "later_event", "x": [1]}, {"type": 3}, {"type": "tool_call"}]"#);
        let names: Vec<_> = entries.iter().map(|it| (it.who.as_str(), it.what.as_str())).collect();
        assert_eq!(names, [("", ""), ("later_event", ""), ("", ""), ("", "calls ")]);
    }
}
