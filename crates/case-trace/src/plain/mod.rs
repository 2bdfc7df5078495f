//! [`PlainCase`]: a fast reader for the most common cases.
//!
//! A plain case is an ADK case in snake_case with only calls, responses and texts, as ADK writes a
//! recorded conversation, and a single text in each message of the user. It is read in one pass over its
//! tokens, and only stores offsets. Any other field, and any fault, gives `None`: then the model reads the
//! case and reports faults. So this adds no rules; a property test compares both readers.

mod reader;
mod tokens;
mod view;

use std::borrow::Cow;

use evalset::adk::responses_of_calls;
use json_text::{JsonText, Node};
use scoring::{Invocation, Timing, ToolCall, Trace};

use crate::CaseTrace;
use reader::Reader;

/// A plain case: its text, and the offsets of its values. It is reused for many cases.
#[derive(Debug, Clone, Default)]
pub struct PlainCase {
    text: String,
    /// Joined texts of messages with several parts.
    joined: String,
    eval_id: Text,
    turns: Vec<Turn>,
    calls: Vec<Call>,
    answers: Vec<Answer>,
}

/// The range of a text without its quotes, from the case's first byte.
#[derive(Debug, Clone, Copy, Default)]
struct Text {
    start: u32,
    end: u32,
    form: Form,
}

/// How a text is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Form {
    /// Absent.
    #[default]
    Absent,
    AsIs,
    /// With escapes.
    Escaped,
    /// In the joined texts, unescaped.
    Joined,
}

#[derive(Debug, Clone, Copy, Default)]
struct Turn {
    id: Text,
    user: Text,
    response: Text,
    /// The ends of its calls and responses among those of the case.
    calls_end: u32,
    answers_end: u32,
    total: Text,
    model: Text,
    tool: Text,
}

#[derive(Debug, Clone, Copy, Default)]
struct Call {
    name: Text,
    args: Text,
    id: Text,
}

/// The call and the value of a response.
#[derive(Debug, Clone, Copy, Default)]
struct Answer {
    id: Text,
    name: Text,
    response: Text,
}

impl PlainCase {
    /// Reads a plain case from the offsets of the tokens in `bytes`, the first of which is the case's
    /// `{`, and returns its number of tokens. `None` for any other case; then this value is invalid.
    ///
    /// Strings, numbers and words must have been checked; `NaN` and `Infinity` may be among them.
    /// `escapes` are the offsets of blocks of 64 bytes with an escape in a string. This checks that the
    /// tokens form a JSON object.
    #[must_use]
    pub fn fill(&mut self, bytes: &[u8], starts: &[u32], escapes: &[u32]) -> Option<usize> {
        self.text.clear();
        self.joined.clear();
        self.turns.clear();
        self.calls.clear();
        self.answers.clear();
        Reader::new(bytes, starts, escapes, self)?.case()
    }

    /// The buffer for the case's text, which the caller fills.
    pub fn text_mut(&mut self) -> &mut String {
        &mut self.text
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The number of turns.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.turns.len()
    }

    /// Its id.
    #[must_use]
    pub fn eval_id(&self) -> Cow<'_, str> {
        self.text(self.eval_id).unwrap_or_default()
    }

    /// The user's first message.
    #[must_use]
    pub fn first_message(&self) -> Cow<'_, str> {
        self.turns.first().and_then(|turn| self.text(turn.user)).unwrap_or_default()
    }

    /// The id, before the text is stored: `bytes` begin with the case.
    #[must_use]
    pub fn eval_id_in(&self, bytes: &[u8]) -> Option<String> {
        let Text { start, end, form } = self.eval_id;
        let (start, end) = (start as usize, end as usize);
        match form {
            Form::AsIs => String::from_utf8(bytes.get(start..end)?.to_vec()).ok(),
            _ => serde_json::from_slice(bytes.get(start.checked_sub(1)?..=end)?).ok(),
        }
    }

    /// How long all turns took together, in seconds; `None` if one is not measured.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        let total = |turn: &Turn| self.text(turn.total)?.parse::<f64>().ok();
        let seconds: Option<f64> = self.turns.iter().map(total).sum();
        seconds.filter(|_| !self.turns.is_empty())
    }

    /// The whole trace.
    #[must_use]
    pub fn trace(&self) -> CaseTrace {
        let invocations = (0..self.turns.len()).map(|place| self.invocation(place)).collect();
        CaseTrace {
            eval_id: self.eval_id().into_owned(),
            trace: Trace { invocations, final_state: None },
            ..CaseTrace::default()
        }
    }

    fn invocation(&self, place: usize) -> Invocation {
        let turn = self.turns.get(place).copied().unwrap_or_default();
        let owned = |text| self.text(text).map(Cow::into_owned);
        let seconds = |text| self.text(text).and_then(|number| number.parse().ok());
        Invocation {
            id: owned(turn.id).unwrap_or_default(),
            user_text: owned(turn.user).unwrap_or_default(),
            tool_calls: self.calls_made(place),
            final_response: owned(turn.response),
            timing: Timing {
                total: seconds(turn.total),
                model: seconds(turn.model),
                tool: seconds(turn.tool),
            },
            ..Invocation::default()
        }
    }

    fn calls_made(&self, turn: usize) -> Vec<ToolCall> {
        let (calls, answers) = (self.calls_of(turn), self.answers_of(turn));
        let key = |id, name| (self.text(id), self.text(name));
        let answered = responses_of_calls(
            &calls.iter().map(|it| key(it.id, it.name)).collect::<Vec<_>>(),
            &answers.iter().map(|it| key(it.id, it.name)).collect::<Vec<_>>(),
        );
        let made = calls.iter().zip(answered).map(|(call, answer)| {
            let answer = answer.and_then(|at| answers.get(at));
            ToolCall {
                name: self.text(call.name).map(Cow::into_owned),
                args: self.json(call.args),
                author: None,
                result: answer.and_then(|answer| self.json(answer.response)).map(unwrapped),
                id: self.text(call.id).map(Cow::into_owned),
            }
        });
        made.collect()
    }

    fn calls_of(&self, turn: usize) -> &[Call] {
        let end = |turn: &Turn| turn.calls_end as usize;
        let before = turn.checked_sub(1).and_then(|before| self.turns.get(before)).map_or(0, end);
        self.calls.get(before..self.turns.get(turn).map_or(0, end)).unwrap_or_default()
    }

    fn answers_of(&self, turn: usize) -> &[Answer] {
        let end = |turn: &Turn| turn.answers_end as usize;
        let before = turn.checked_sub(1).and_then(|before| self.turns.get(before)).map_or(0, end);
        self.answers.get(before..self.turns.get(turn).map_or(0, end)).unwrap_or_default()
    }

    fn text(&self, text: Text) -> Option<Cow<'_, str>> {
        let (start, end) = (text.start as usize, text.end as usize);
        match text.form {
            Form::Absent => None,
            Form::AsIs => self.text.get(start..end).map(Cow::Borrowed),
            Form::Joined => self.joined.get(start..end).map(Cow::Borrowed),
            Form::Escaped => {
                let quoted = self.text.get(start.checked_sub(1)?..=end)?;
                serde_json::from_str(quoted).ok().map(Cow::Owned)
            }
        }
    }

    /// A value's text.
    fn raw(&self, text: Text) -> Option<&str> {
        match text.form {
            Form::Absent => None,
            _ => self.text.get(text.start as usize..text.end as usize),
        }
    }

    fn json(&self, text: Text) -> Option<JsonText> {
        JsonText::parse(self.raw(text)?).ok()
    }
}

/// The result of a tool, out of the `{"result": ...}` in which ADK wraps a value that is not an object.
pub(crate) fn unwrapped(text: JsonText) -> JsonText {
    if let Node::Object(members) = text.open()
        && let [(key, value)] = members.as_slice()
        && key == "result"
    {
        return JsonText::from(*value);
    }
    text
}
