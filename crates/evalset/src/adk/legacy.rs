//! ADK's older eval files: a list of sessions, or of one session's queries.

use json_text::JsonText;

use super::{
    Content, EvalCase, EvalSet, FunctionCall, IntermediateData, IntermediateResponse, Invocation,
    Part, SessionInput,
};
use crate::OriginalForm;
use crate::model::{Form, Keys, Others, Out, Shape, Value, json_string, model};
use crate::reading::{Problem, Reader};

/// ADK's reader ignores unknown fields.
const fn legacy(what: &'static str) -> Form {
    Form {
        what,
        keys: Keys::Exact,
        others: Others::Ignored,
        opaque: &[],
        is_case: false,
        lost: &[],
    }
}

/// An older file.
#[derive(Debug, Clone, PartialEq)]
pub enum LegacySet {
    /// Each item is a case.
    Sessions(Vec<LegacySession>),
    /// The items are the turns of a single case, whose id is the file's name.
    Queries(Vec<LegacyQuery>),
}

model! {
    /// One case.
    pub struct LegacySession { Form { is_case: true, ..legacy("a session") } }
    /// Its id.
    name: String = required,
    /// Its turns.
    data: Vec<LegacyQuery> = required,
    /// The session's initial values.
    initial_session: Option<LegacyStart> = not_null,
}

model! {
    /// The session's initial values.
    #[derive(Default)]
    pub struct LegacyStart { legacy("an initial session") }
    /// The ADK app.
    app_name: String = not_null,
    /// The user.
    user_id: String = not_null,
    /// The initial state: a JSON object.
    state: Option<JsonText> = object,
}

model! {
    /// One turn.
    pub struct LegacyQuery { legacy("a query") }
    /// The user's message; ADK reads null as empty.
    query: Option<String> = present,
    /// The expected calls.
    expected_tool_use: Vec<LegacyToolUse> = not_null,
    /// Expected messages of sub-agents.
    expected_intermediate_agent_responses: Vec<LegacyResponse> = not_null,
    /// The expected response; ADK reads null as empty.
    reference: Option<String> = optional,
}

model! {
    /// An expected call.
    pub struct LegacyToolUse {
        Form { opaque: &[("mock_tool_output", Shape::Any)], ..legacy("a tool use") }
    }
    /// The tool.
    tool_name: Option<String> = present,
    /// The arguments: a JSON object.
    tool_input: Option<JsonText> = present_object,
}

model! {
    /// An expected message of a sub-agent.
    pub struct LegacyResponse { legacy("an intermediate response") }
    /// The sub-agent.
    author: String = required,
    /// The message; ADK reads null as empty.
    text: Option<String> = present,
}

impl Value for LegacySet {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let begin = reader.offset();
        if is_list_of_sessions(reader, begin) {
            reader.set_id_key("name");
            Vec::read(reader).map(Self::Sessions)
        } else {
            let queries: Vec<LegacyQuery> = Vec::read(reader)?;
            if !queries.is_empty() {
                reader.fault(begin, Problem::QueriesOnly);
            }
            Some(Self::Queries(queries))
        }
    }

    fn write(&self, out: &mut Out) {
        match self {
            Self::Sessions(sessions) => sessions.write(out),
            Self::Queries(queries) => queries.write(out),
        }
    }
}

/// The first item decides: a session has `data`.
fn is_list_of_sessions(reader: &Reader<'_>, begin: usize) -> bool {
    let mut cursor = reader.cursor_at(begin);
    if cursor.kind() != json_text::Kind::Array {
        return false;
    }
    cursor.enter();
    if !cursor.more() || cursor.kind() != json_text::Kind::Object {
        return false;
    }
    cursor.enter();
    while cursor.more() {
        if cursor.key() == "data" {
            return true;
        }
        cursor.pass();
    }
    false
}

impl LegacySet {
    /// Converts the cases to ADK's current format. `name` becomes the set's id and, where the file
    /// is the turns of one case, that case's id: ADK takes the file's name.
    ///
    /// Unknown fields are kept among the case's extras, under `legacy`.
    #[must_use]
    pub fn to_current(&self, name: &str) -> EvalSet {
        let cases = match self {
            Self::Sessions(sessions) => sessions.iter().map(LegacySession::to_current).collect(),
            Self::Queries(queries) => {
                vec![current_case(name, queries, None, &OriginalForm::default())]
            }
        };
        EvalSet::new(name, cases)
    }
}

impl LegacySession {
    /// The single case of a list of turns.
    #[must_use]
    pub fn of_queries(name: impl Into<String>, data: Vec<LegacyQuery>) -> Self {
        let (name, written) = (name.into(), OriginalForm::default());
        Self { name, data, initial_session: None, written }
    }

    /// Converts the case to ADK's current format; see [`LegacySet::to_current`].
    #[must_use]
    pub fn to_current(&self) -> EvalCase {
        current_case(&self.name, &self.data, self.initial_session.as_ref(), &self.written)
    }
}

fn current_case(
    name: &str,
    queries: &[LegacyQuery],
    start: Option<&LegacyStart>,
    written: &OriginalForm,
) -> EvalCase {
    let mut leftovers = Leftovers::default();
    leftovers.take("", written);
    let turns = queries.iter().enumerate().map(|(index, query)| {
        let place = format!("data[{index}]");
        leftovers.take(&place, &query.written);
        for (call, tool_use) in query.expected_tool_use.iter().enumerate() {
            leftovers.take(&format!("{place}.expected_tool_use[{call}]"), &tool_use.written);
        }
        for (at, message) in query.expected_intermediate_agent_responses.iter().enumerate() {
            let list = "expected_intermediate_agent_responses";
            leftovers.take(&format!("{place}.{list}[{at}]"), &message.written);
        }
        query.to_current(name, index)
    });
    let mut case = EvalCase::new(name, turns.collect());
    if let Some(start) = start {
        leftovers.take("initial_session", &start.written);
        let LegacyStart { app_name, user_id, state, .. } = start;
        // ADK reads an empty one as absent.
        if *start != LegacyStart::default() {
            let state = state.clone().unwrap_or_else(empty_object);
            case.session_input = Some(SessionInput::new(app_name, user_id, state));
        }
    }
    if let Some(leftovers) = leftovers.into_json() {
        case.written.set_extra("legacy", leftovers);
    }
    case
}

impl LegacyQuery {
    fn to_current(&self, case: &str, index: usize) -> Invocation {
        let calls = self.expected_tool_use.iter().map(|tool_use| FunctionCall {
            id: None,
            args: tool_use.tool_input.clone(),
            name: tool_use.tool_name.clone(),
            written: OriginalForm::default(),
        });
        let message =
            self.expected_intermediate_agent_responses.iter().map(|message| IntermediateResponse {
                author: message.author.clone(),
                parts: vec![Part::text(message.text.clone().unwrap_or_default())],
            });
        let data = IntermediateData {
            tool_uses: calls.collect(),
            intermediate_responses: message.collect(),
            ..IntermediateData::default()
        };
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (query, reference) = (text(&self.query), text(&self.reference));
        Invocation {
            final_response: Some(Content::model(reference)),
            intermediate_data: Some(data),
            ..Invocation::new(format!("{case}_inv_{index}"), Content::user(query))
        }
    }
}

fn empty_object() -> JsonText {
    JsonText::from_value(&serde_json::Value::Object(serde_json::Map::new()))
}

/// Unknown fields, by their path.
#[derive(Debug, Default)]
struct Leftovers(String);

impl Leftovers {
    fn take(&mut self, place: &str, written: &OriginalForm) {
        for (key, value) in written.extras() {
            let separator = if self.0.is_empty() { '{' } else { ',' };
            self.0.push(separator);
            let place = if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
            self.0.push_str(&json_string(&place));
            self.0.push(':');
            self.0.push_str(value.as_str());
        }
    }

    fn into_json(mut self) -> Option<JsonText> {
        if self.0.is_empty() {
            return None;
        }
        self.0.push('}');
        JsonText::parse(&self.0).ok()
    }
}
