//! [`Reader`]: the fields of a plain case, and no others.

use super::tokens::Tokens;
use super::{Answer, Call, Form, PlainCase, Text, Turn};

/// Reads a case from its tokens; `None` for anything that a plain case does not have.
pub(super) struct Reader<'b, 'c> {
    tokens: Tokens<'b>,
    case: &'c mut PlainCase,
}

/// The fields of one object seen, one bit each, to find duplicates.
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

impl<'b, 'c> Reader<'b, 'c> {
    pub(super) fn new(
        bytes: &'b [u8],
        starts: &'b [u32],
        escapes: &'b [u32],
        case: &'c mut PlainCase,
    ) -> Option<Self> {
        Some(Self { tokens: Tokens::new(bytes, starts, escapes)?, case })
    }

    /// Reads the case, and returns its number of tokens.
    pub(super) fn case(mut self) -> Option<usize> {
        let (mut eval_id, mut has_turns, mut met) = (None, false, Met::default());
        self.tokens.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.tokens.member(&mut first)? {
            match key {
                b"eval_id" => {
                    met.once(0)?;
                    eval_id = Some(self.tokens.string()?);
                }
                b"conversation" => {
                    met.once(1)?;
                    has_turns = true;
                    self.list(Self::turn)?;
                }
                b"session_input" => {
                    met.once(2)?;
                    self.session_input()?;
                }
                b"creation_timestamp" => {
                    met.once(3)?;
                    self.tokens.pass_number()?;
                }
                _ => return None,
            }
        }
        self.case.eval_id = eval_id?;
        has_turns.then_some(self.tokens.passed())
    }

    fn session_input(&mut self) -> Option<()> {
        let mut met = Met::default();
        self.tokens.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.tokens.member(&mut first)? {
            match key {
                b"app_name" => {
                    met.once(0)?;
                    self.tokens.pass_string()?;
                }
                b"user_id" => {
                    met.once(1)?;
                    self.tokens.pass_string()?;
                }
                b"state" => {
                    met.once(2)?;
                    self.tokens.object()?;
                }
                _ => return None,
            }
        }
        (met.0 & 0b11 == 0b11).then_some(())
    }

    fn turn(&mut self) -> Option<()> {
        let (mut turn, mut met) = (Turn::default(), Met::default());
        self.tokens.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.tokens.member(&mut first)? {
            match key {
                b"user_content" => {
                    met.once(0)?;
                    // Of any other message, the trace has the parts.
                    let (text, parts) = self.content()?;
                    turn.user = (parts == 1).then_some(text)?;
                }
                b"invocation_id" => {
                    met.once(1)?;
                    turn.id = self.tokens.string()?;
                }
                b"final_response" => {
                    met.once(2)?;
                    turn.response = self.content()?.0;
                }
                b"intermediate_data" => {
                    met.once(3)?;
                    self.intermediate_data()?;
                }
                b"creation_timestamp" => {
                    met.once(4)?;
                    self.tokens.pass_number()?;
                }
                b"duration" => {
                    met.once(5)?;
                    turn.total = self.tokens.number()?;
                }
                b"model_duration" => {
                    met.once(6)?;
                    turn.model = self.tokens.number()?;
                }
                b"tool_duration" => {
                    met.once(7)?;
                    turn.tool = self.tokens.number()?;
                }
                _ => return None,
            }
        }
        turn.calls_end = u32::try_from(self.case.calls.len()).ok()?;
        turn.answers_end = u32::try_from(self.case.answers.len()).ok()?;
        self.case.turns.push(turn);
        (met.0 & 1 == 1).then_some(())
    }

    /// The joined texts of a message, and the number of its parts; an absent text is that of a message without parts.
    fn content(&mut self) -> Option<(Text, usize)> {
        let (mut content, mut met) = ((Text::default(), 0), Met::default());
        self.tokens.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.tokens.member(&mut first)? {
            match key {
                b"parts" => {
                    met.once(0)?;
                    content = self.parts()?;
                }
                b"role" => {
                    met.once(1)?;
                    self.tokens.pass_string()?;
                }
                _ => return None,
            }
        }
        Some(content)
    }

    fn parts(&mut self) -> Option<(Text, usize)> {
        // Without parts, the empty text.
        let (mut joined, mut count) = (Text { form: Form::AsIs, ..Text::default() }, 0);
        self.tokens.open(b'[')?;
        let mut first = true;
        while self.tokens.item(&mut first)? {
            count += 1;
            self.tokens.open(b'{')?;
            let mut only = true;
            if self.tokens.member(&mut only)? != Some(b"text") {
                return None;
            }
            let text = self.tokens.string()?;
            if self.tokens.member(&mut only)?.is_some() {
                return None;
            }
            if joined.start == joined.end {
                joined = text;
            } else if text.start != text.end {
                joined = self.join(joined, text)?;
            }
        }
        Some((joined, count))
    }

    fn join(&mut self, before: Text, text: Text) -> Option<Text> {
        let start = if before.form == Form::Joined {
            before.start
        } else {
            let start = u32::try_from(self.case.joined.len()).ok()?;
            self.push_joined(before)?;
            start
        };
        self.case.joined.push('\n');
        self.push_joined(text)?;
        Some(Text { start, end: u32::try_from(self.case.joined.len()).ok()?, form: Form::Joined })
    }

    fn push_joined(&mut self, text: Text) -> Option<()> {
        let Tokens { bytes, base, .. } = self.tokens;
        let (start, end) = (base + text.start as usize, base + text.end as usize);
        if text.form == Form::Escaped {
            let decoded: String = serde_json::from_slice(bytes.get(start - 1..=end)?).ok()?;
            self.case.joined.push_str(&decoded);
        } else {
            self.case.joined.push_str(std::str::from_utf8(bytes.get(start..end)?).ok()?);
        }
        Some(())
    }

    fn intermediate_data(&mut self) -> Option<()> {
        let mut met = Met::default();
        self.tokens.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.tokens.member(&mut first)? {
            match key {
                b"tool_uses" => {
                    met.once(0)?;
                    self.list(Self::call)?;
                }
                b"tool_responses" => {
                    met.once(1)?;
                    self.list(Self::answer)?;
                }
                b"intermediate_responses" => {
                    met.once(2)?;
                    self.tokens.open(b'[')?;
                    if self.tokens.item(&mut true)? {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn call(&mut self) -> Option<()> {
        let (mut call, mut met) = (Call::default(), Met::default());
        self.tokens.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.tokens.member(&mut first)? {
            match key {
                b"args" => {
                    met.once(0)?;
                    call.args = self.tokens.object()?;
                }
                b"name" => {
                    met.once(1)?;
                    call.name = self.tokens.string()?;
                }
                b"id" => {
                    met.once(2)?;
                    call.id = self.tokens.string()?;
                }
                _ => return None,
            }
        }
        self.case.calls.push(call);
        Some(())
    }

    fn answer(&mut self) -> Option<()> {
        let (mut answer, mut met) = (Answer::default(), Met::default());
        self.tokens.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.tokens.member(&mut first)? {
            match key {
                b"id" => {
                    met.once(0)?;
                    answer.id = self.tokens.string()?;
                }
                b"name" => {
                    met.once(1)?;
                    answer.name = self.tokens.string()?;
                }
                b"response" => {
                    met.once(2)?;
                    answer.response = self.tokens.object()?;
                }
                _ => return None,
            }
        }
        self.case.answers.push(answer);
        Some(())
    }

    fn list(&mut self, read: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        self.tokens.open(b'[')?;
        let mut first = true;
        while self.tokens.item(&mut first)? {
            read(self)?;
        }
        Some(())
    }
}
