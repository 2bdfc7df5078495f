//! [`plain`]: the cases that most files are full of, read straight into a trace.
//!
//! A plain case is one of ADK's, in snake_case, with nothing but calls, responses and texts: what ADK
//! itself writes for a recorded conversation. It is read in one pass that knows just these fields and
//! builds no model. Whatever else is met, a fault above all, gives none, and the case goes the way
//! through its model, which reads everything and says what is wrong. So this adds no rule of its own;
//! a property test holds both ways against each other.

use std::borrow::Cow;

use json_text::{JsonText, Node};
use scoring::{Invocation, ToolCall, Trace};

use crate::CaseTrace;

/// Values nested deeper than this are read the other way, which knows how deep ADK reads.
const DEEPEST: usize = 64;

/// Reads a plain case of ADK's; none when it is anything else.
///
/// `text` must be JSON, as whoever has cut it from a file knows; it may still hold `NaN`, which JSON
/// has not.
#[must_use]
pub fn plain(text: &str) -> Option<CaseTrace> {
    let mut reader = Plain { text, at: 0 };
    let case = reader.case()?;
    reader.blank();
    (reader.at == text.len()).then_some(case)
}

/// No key that is known is longer.
const LONGEST_KEY: usize = 32;

struct Plain<'t> {
    text: &'t str,
    at: usize,
}

/// The fields of one object that have been met, one bit each: none may stand twice.
#[derive(Default)]
struct Met(u32);

impl Met {
    fn once(&mut self, field: u32) -> Option<()> {
        let bit = 1 << field;
        let again = self.0 & bit != 0;
        self.0 |= bit;
        (!again).then_some(())
    }
}

impl<'t> Plain<'t> {
    fn case(&mut self) -> Option<CaseTrace> {
        let (mut eval_id, mut conversation, mut met) = (None, None, Met::default());
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                "eval_id" => {
                    met.once(0)?;
                    eval_id = Some(self.string()?.into_owned());
                }
                "conversation" => {
                    met.once(1)?;
                    conversation = Some(self.list(Self::turn)?);
                }
                "session_input" => {
                    met.once(2)?;
                    self.session_input()?;
                }
                "creation_timestamp" => {
                    met.once(3)?;
                    self.number()?;
                }
                _ => return None,
            }
        }
        let trace = Trace { invocations: conversation?, final_state: None };
        Some(CaseTrace { eval_id: eval_id?, name: None, tags: Vec::new(), trace })
    }

    fn session_input(&mut self) -> Option<()> {
        let mut met = Met::default();
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                "app_name" => {
                    met.once(0)?;
                    self.string()?;
                }
                "user_id" => {
                    met.once(1)?;
                    self.string()?;
                }
                "state" => {
                    met.once(2)?;
                    self.object()?;
                }
                _ => return None,
            }
        }
        (met.0 & 0b11 == 0b11).then_some(())
    }

    fn turn(&mut self) -> Option<Invocation> {
        let (mut turn, mut met) = (Invocation::default(), Met::default());
        let mut answers = Vec::new();
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                "user_content" => {
                    met.once(0)?;
                    turn.user_text = self.content()?.unwrap_or_default();
                }
                "invocation_id" => {
                    met.once(1)?;
                    turn.id = self.string()?.into_owned();
                }
                "final_response" => {
                    met.once(2)?;
                    turn.final_response = self.content()?;
                }
                "intermediate_data" => {
                    met.once(3)?;
                    self.intermediate_data(&mut turn, &mut answers)?;
                }
                "creation_timestamp" => {
                    met.once(4)?;
                    self.number()?;
                }
                "duration" => {
                    met.once(5)?;
                    turn.timing.total = Some(self.number()?);
                }
                "model_duration" => {
                    met.once(6)?;
                    turn.timing.model = Some(self.number()?);
                }
                "tool_duration" => {
                    met.once(7)?;
                    turn.timing.tool = Some(self.number()?);
                }
                _ => return None,
            }
        }
        for call in &mut turn.tool_calls {
            let id = call.id.as_ref();
            // Of several answers to one call the last counts.
            let answer = id.and_then(|id| answers.iter().rfind(|(to, _)| to == id));
            call.result = answer.and_then(|(_, answer)| answer.clone());
        }
        (met.0 & 1 == 1).then_some(turn)
    }

    /// The joined texts of a message; the inner none is that of a message without parts.
    #[expect(clippy::option_option, reason = "the outer one says that the case is not plain")]
    fn content(&mut self) -> Option<Option<String>> {
        let (mut text, mut met) = (None, Met::default());
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                "parts" => {
                    met.once(0)?;
                    text = Some(self.parts()?);
                }
                "role" => {
                    met.once(1)?;
                    self.string()?;
                }
                _ => return None,
            }
        }
        Some(text)
    }

    fn parts(&mut self) -> Option<String> {
        let mut joined = String::new();
        self.open(b'[')?;
        let mut first = true;
        while self.item(&mut first)? {
            self.open(b'{')?;
            let mut only = true;
            if self.member(&mut only)? != Some("text") {
                return None;
            }
            let text = self.string()?;
            if self.member(&mut only)?.is_some() {
                return None;
            }
            if joined.is_empty() {
                joined = text.into_owned();
            } else if !text.is_empty() {
                joined.push('\n');
                joined.push_str(&text);
            }
        }
        Some(joined)
    }

    fn intermediate_data(
        &mut self,
        turn: &mut Invocation,
        answers: &mut Vec<(String, Option<JsonText>)>,
    ) -> Option<()> {
        let mut met = Met::default();
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                "tool_uses" => {
                    met.once(0)?;
                    turn.tool_calls = self.list(Self::call)?;
                }
                "tool_responses" => {
                    met.once(1)?;
                    let given = self.list(Self::answer)?;
                    answers.extend(given.into_iter().filter_map(|(to, it)| Some((to?, it))));
                }
                "intermediate_responses" => {
                    met.once(2)?;
                    self.open(b'[')?;
                    if self.item(&mut true)? {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn call(&mut self) -> Option<ToolCall> {
        let (mut call, mut met) = (ToolCall::default(), Met::default());
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                "args" => {
                    met.once(0)?;
                    call.args = Some(self.object()?);
                }
                "name" => {
                    met.once(1)?;
                    call.name = Some(self.string()?.into_owned());
                }
                "id" => {
                    met.once(2)?;
                    call.id = Some(self.string()?.into_owned());
                }
                _ => return None,
            }
        }
        Some(call)
    }

    /// Which call is answered, and with what.
    fn answer(&mut self) -> Option<(Option<String>, Option<JsonText>)> {
        let (mut id, mut answer, mut met) = (None, None, Met::default());
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                "id" => {
                    met.once(0)?;
                    id = Some(self.string()?.into_owned());
                }
                "name" => {
                    met.once(1)?;
                    self.string()?;
                }
                "response" => {
                    met.once(2)?;
                    answer = Some(unwrapped(self.object()?));
                }
                _ => return None,
            }
        }
        Some((id, answer))
    }

    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        self.open(b'[')?;
        let mut first = true;
        while self.item(&mut first)? {
            items.push(read(self)?);
        }
        Some(items)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blank(&mut self) {
        // Files are mostly indented with spaces, many at a time.
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ') if bytes.get(self.at..self.at + 8) == Some(b"        ") => self.at += 8,
                Some(byte) if *byte <= b' ' => self.at += 1,
                _ => return,
            }
        }
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        self.blank();
        (self.byte()? == bracket).then(|| self.at += 1)
    }

    /// Whether another item follows.
    fn item(&mut self, first: &mut bool) -> Option<bool> {
        self.blank();
        match (self.byte()?, std::mem::take(first)) {
            (b']' | b'}', _) => {
                self.at += 1;
                Some(false)
            }
            (b',', false) => {
                self.at += 1;
                Some(true)
            }
            (_, true) => Some(true),
            _ => None,
        }
    }

    /// The next key, if another member follows. One with an escape is none that is known, whatever
    /// is taken for its end.
    #[expect(clippy::option_option, reason = "the outer one says that the case is not plain")]
    fn member(&mut self, first: &mut bool) -> Option<Option<&'t str>> {
        if !self.item(first)? {
            return Some(None);
        }
        self.blank();
        // Keys that are known are short.
        let rest = self.text.as_bytes().get(self.at..)?;
        let length = rest.get(1..)?.iter().take(LONGEST_KEY).position(|byte| *byte == b'"')?;
        if rest.first() != Some(&b'"') {
            return None;
        }
        let key = self.text.get(self.at + 1..self.at + 1 + length)?;
        self.at += length + 2;
        self.blank();
        if self.byte()? != b':' {
            return None;
        }
        self.at += 1;
        Some(Some(key))
    }

    fn string(&mut self) -> Option<Cow<'t, str>> {
        self.blank();
        if self.byte()? != b'"' {
            return None;
        }
        let start = self.at;
        let escapes = self.pass_string()?;
        let raw = self.text.get(start..self.at)?;
        if escapes {
            // Half of a surrogate pair is refused here, and told the other way.
            return serde_json::from_str::<String>(raw).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(raw.get(1..raw.len() - 1)?))
    }

    /// Passes the string that begins here: whether an escape stands in it.
    fn pass_string(&mut self) -> Option<bool> {
        let bytes = self.text.as_bytes();
        let mut escapes = false;
        self.at += 1;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', bytes.get(self.at..)?)?;
            if *bytes.get(self.at)? == b'"' {
                self.at += 1;
                return Some(escapes);
            }
            escapes = true;
            self.at += 2;
        }
    }

    fn number(&mut self) -> Option<f64> {
        self.blank();
        let rest = self.text.as_bytes().get(self.at..)?;
        let digit = |byte: &u8| byte.is_ascii_digit() || b"-+.eE".contains(byte);
        let length = rest.iter().position(|byte| !digit(byte)).unwrap_or(rest.len());
        let number = self.text.get(self.at..self.at + length)?.parse().ok()?;
        self.at += length;
        Some(number)
    }

    /// The object that is next, as it stands.
    fn object(&mut self) -> Option<JsonText> {
        self.blank();
        if self.byte()? != b'{' {
            return None;
        }
        let (start, mut open) = (self.at, 0_usize);
        loop {
            match self.byte()? {
                b'"' => {
                    let begin = self.at;
                    // An escape may be half of a surrogate pair.
                    if self.pass_string()? && self.text.get(begin..self.at)?.contains("\\u") {
                        return None;
                    }
                    continue;
                }
                b'{' | b'[' => open += 1,
                b'}' | b']' => open -= 1,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                // This also finds what JSON has not, such as NaN.
                return JsonText::parse(self.text.get(start..self.at)?).ok();
            }
            if open > DEEPEST {
                return None;
            }
        }
    }
}

/// What a tool answered, out of the `{"result": ...}` in which ADK wraps what is no object.
pub(crate) fn unwrapped(text: JsonText) -> JsonText {
    if let Node::Object(members) = text.open()
        && let [(key, value)] = members.as_slice()
        && key == "result"
    {
        return JsonText::from(*value);
    }
    text
}
