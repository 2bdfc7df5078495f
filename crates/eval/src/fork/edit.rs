//! [`Move`]: what happens at the step at which a run forks, in place of what happened there.

use json_text::{JsonText, Kind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::given_model::{ModelCall, ModelTurn};
use crate::message::{Message, MessageError};

/// What happens at a step, and what changes in the state with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// What happens.
    pub edit: Edit,
    /// Keys of the state of the session with their new values. A response of a model changes none.
    pub state: Map<String, Value>,
}

/// What happens at a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// The user sends this message.
    Message(Message),
    /// The user answers the call that waits.
    Answer(JsonText),
    /// The model responds.
    Response(ModelTurn),
    /// The tool returns this.
    Result(JsonText),
    /// The tool raises an error with this message.
    Error(String),
}

/// Why a move cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// It is not JSON of this form.
    #[error(
        "the move is not valid: {0}. Write an object with one of `message`, `answer`, `response`, `result` and `error`, and with `state` for keys of the state that change, such as {{\"result\": {{\"price\": 20}}}}"
    )]
    Invalid(String),
    /// It has no member that says what happens, or several.
    #[error(
        "the move has {}; give it one of `message`, `answer`, `response`, `result` and `error`",
        if *.0 == 0 { "nothing that happens" } else { "several things that happen" }
    )]
    Number(usize),
    /// Its message is none that can be sent.
    #[error("the message of the move cannot be sent: {0}")]
    Message(#[from] MessageError),
    /// A response does not change the state.
    #[error(
        "a response of a model changes no state; leave out `state`, or fork at a message or a result"
    )]
    StateOfResponse,
    /// A response says nothing.
    #[error("the response of the move has neither a text nor a call; give it one")]
    Empty,
}

/// A move as JSON has it.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Written {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<JsonText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<JsonText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<JsonText>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "also_null")]
    result: Option<JsonText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    state: Map<String, Value>,
}

/// A result may be null.
fn also_null<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<JsonText>, D::Error> {
    JsonText::deserialize(from).map(Some)
}

/// A response that calls tools.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Calls {
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    args: Option<JsonText>,
}

impl Move {
    /// A move that changes no state.
    #[must_use]
    pub fn new(edit: Edit) -> Self {
        Self { edit, state: Map::new() }
    }

    /// Reads a move: an object with one of `message`, `answer`, `response`, `result` and `error`, and with `state` for keys of
    /// the state. A `response` is a text, or an object with `text` and `calls`, each with `tool` and `args`.
    ///
    /// ```
    /// use eval::fork::{Edit, Move};
    /// let refund = Move::read(r#"{"response": {"calls": [{"tool": "refund", "args": {"order": 7}}]}}"#)?;
    /// let Edit::Response(turn) = refund.edit else { panic!("a response") };
    /// assert_eq!(turn.calls[0].tool, "refund");
    /// # Ok::<(), eval::fork::MoveError>(())
    /// ```
    ///
    /// # Errors
    /// [`MoveError`] for anything else.
    pub fn read(text: &str) -> Result<Self, MoveError> {
        let invalid = |error: serde_json::Error| MoveError::Invalid(error.to_string());
        // Otherwise a list would be the members in order.
        if text.trim_start().starts_with('[') {
            return Err(MoveError::Invalid("it is a list".to_owned()));
        }
        let Written { message, answer, response, result, error, state } =
            serde_json::from_str(text).map_err(invalid)?;
        let message = message.map(|it| Message::of_output(&it).map(Edit::Message));
        let response = response.map(|it| response_of(&it).map(Edit::Response));
        let edits = [
            message.transpose()?,
            answer.map(Edit::Answer),
            response.transpose()?,
            result.map(Edit::Result),
            error.map(Edit::Error),
        ];
        let mut edits: Vec<Edit> = edits.into_iter().flatten().collect();
        match (edits.pop(), edits.len()) {
            (None, _) => Err(MoveError::Number(0)),
            (Some(Edit::Response(_)), 0) if !state.is_empty() => Err(MoveError::StateOfResponse),
            (Some(edit), 0) => Ok(Self { edit, state }),
            (Some(_), others) => Err(MoveError::Number(others + 1)),
        }
    }

    /// The move as [`Move::read`] reads it.
    #[must_use]
    pub fn json(&self) -> JsonText {
        let mut written = Written { state: self.state.clone(), ..Written::default() };
        match &self.edit {
            Edit::Message(message) => written.message = Some(message.output()),
            Edit::Answer(answer) => written.answer = Some(answer.clone()),
            Edit::Response(turn) => written.response = Some(response_json(turn)),
            Edit::Result(result) => written.result = Some(result.clone()),
            Edit::Error(message) => written.error = Some(message.clone()),
        }
        JsonText::serialize(&written).unwrap_or_else(|_| JsonText::null())
    }
}

/// A response with calls, as it is written. The ids of calls belong to the run that they are from.
#[derive(Serialize)]
struct WrittenTurn<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
    calls: Vec<WrittenCall<'a>>,
}

#[derive(Serialize)]
struct WrittenCall<'a> {
    tool: &'a str,
    args: &'a JsonText,
}

fn response_json(turn: &ModelTurn) -> JsonText {
    if turn.calls.is_empty() {
        return JsonText::string(&turn.text);
    }
    let calls = turn.calls.iter().map(|call| WrittenCall { tool: &call.tool, args: &call.args });
    let written = WrittenTurn { text: &turn.text, calls: calls.collect() };
    // Texts and JSON always serialize.
    JsonText::serialize(&written).unwrap_or_else(|_| JsonText::null())
}

fn response_of(written: &JsonText) -> Result<ModelTurn, MoveError> {
    let turn = match written.decode::<String>() {
        Ok(text) => ModelTurn::text(text),
        Err(_) => {
            let Calls { text, calls } = written
                .decode()
                .map_err(|error| MoveError::Invalid(format!("its response: {error}")))?;
            let calls = calls.into_iter().map(|Call { tool, args }| match args {
                None => Ok(ModelCall::new(tool, JsonText::from_value(&Value::Object(Map::new())))),
                Some(args) if args.kind() == Kind::Object => Ok(ModelCall::new(tool, args)),
                Some(_) => Err(MoveError::Invalid(format!(
                    "its response: `args` of the call of {tool} is not an object"
                ))),
            });
            ModelTurn { text, calls: calls.collect::<Result<_, _>>()? }
        }
    };
    if turn.text.trim().is_empty() && turn.calls.is_empty() {
        return Err(MoveError::Empty);
    }
    Ok(turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_reads_as_it_is_written() {
        for text in [
            r#"{"message":"Please refund me"}"#,
            r#"{"answer":{"confirmed":true},"state":{"user:tier":"gold"}}"#,
            r#"{"response":{"calls":[{"tool":"refund","args":{"euros":9007199254740993.10}}]}}"#,
            r#"{"response":{"text":"One moment.","calls":[{"tool":"wait","args":{}}]}}"#,
            r#"{"response":"Done."}"#,
            r#"{"result":null}"#,
            r#"{"result":{"price":1.50}}"#,
            r#"{"error":"timed out"}"#,
        ] {
            let read = Move::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read.json().as_str(), text);
        }
    }

    #[test]
    fn what_is_no_move_is_refused() {
        for (text, reason) in [
            ("[]", "the move is not valid"),
            ("{}", "nothing that happens"),
            (r#"{"state":{"a":1}}"#, "nothing that happens"),
            (r#"{"result":1,"error":"no"}"#, "several things"),
            (r#"{"respond":"yes"}"#, "unknown field `respond`"),
            (r#"{"response":" "}"#, "neither a text nor a call"),
            (
                r#"{"response":{"calls":[{"args":{}}]}}"#,
                "its response: the member `tool` is missing",
            ),
            (
                r#"{"response":{"calls":[{"tool":"pay","args":[1]}]}}"#,
                "`args` of the call of pay is not an object",
            ),
            (r#"{"response":"yes","state":{"a":1}}"#, "changes no state"),
            (r#"{"message":{"parts":[]}}"#, "the message has no parts"),
        ] {
            let error = Move::read(text).expect_err(text).to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
