//! [`Reader`]: from token to token through a plain case.

use super::{Answer, Call, Form, PlainCase, Text, Turn};

/// Values nested deeper than this are read the other way, which knows how deep ADK reads.
const DEEPEST: usize = 64;

/// The bytes of which one entry of the escapes speaks.
const STRETCH: usize = 64;

pub(super) struct Reader<'b, 'c> {
    bytes: &'b [u8],
    starts: &'b [u32],
    /// Those that no string before the one at hand lies in.
    escapes: &'b [u32],
    /// The next token.
    next: usize,
    /// Where the case begins.
    base: usize,
    case: &'c mut PlainCase,
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

impl<'b, 'c> Reader<'b, 'c> {
    pub(super) fn new(
        bytes: &'b [u8],
        starts: &'b [u32],
        escapes: &'b [u32],
        case: &'c mut PlainCase,
    ) -> Option<Self> {
        let base = *starts.first()? as usize;
        // Of a file's chunk those before the case are many.
        let passed = escapes.partition_point(|stretch| *stretch as usize + STRETCH <= base);
        Some(Self { bytes, starts, escapes: &escapes[passed..], next: 0, base, case })
    }

    /// Reads the case: how many tokens it has.
    pub(super) fn case(mut self) -> Option<usize> {
        let (mut eval_id, mut has_turns, mut met) = (None, false, Met::default());
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                b"eval_id" => {
                    met.once(0)?;
                    eval_id = Some(self.string()?);
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
                    self.pass_number()?;
                }
                _ => return None,
            }
        }
        self.case.eval_id = eval_id?;
        has_turns.then_some(self.next)
    }

    fn session_input(&mut self) -> Option<()> {
        let mut met = Met::default();
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                b"app_name" => {
                    met.once(0)?;
                    self.pass_string()?;
                }
                b"user_id" => {
                    met.once(1)?;
                    self.pass_string()?;
                }
                b"state" => {
                    met.once(2)?;
                    self.object()?;
                }
                _ => return None,
            }
        }
        (met.0 & 0b11 == 0b11).then_some(())
    }

    fn turn(&mut self) -> Option<()> {
        let (mut turn, mut met) = (Turn::default(), Met::default());
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                b"user_content" => {
                    met.once(0)?;
                    turn.user = self.content()?;
                }
                b"invocation_id" => {
                    met.once(1)?;
                    turn.id = self.string()?;
                }
                b"final_response" => {
                    met.once(2)?;
                    turn.response = self.content()?;
                }
                b"intermediate_data" => {
                    met.once(3)?;
                    self.intermediate_data()?;
                }
                b"creation_timestamp" => {
                    met.once(4)?;
                    self.pass_number()?;
                }
                b"duration" => {
                    met.once(5)?;
                    turn.total = self.number()?;
                }
                b"model_duration" => {
                    met.once(6)?;
                    turn.model = self.number()?;
                }
                b"tool_duration" => {
                    met.once(7)?;
                    turn.tool = self.number()?;
                }
                _ => return None,
            }
        }
        turn.calls_end = u32::try_from(self.case.calls.len()).ok()?;
        turn.answers_end = u32::try_from(self.case.answers.len()).ok()?;
        self.case.turns.push(turn);
        (met.0 & 1 == 1).then_some(())
    }

    /// The joined texts of a message; an absent one is that of a message without parts.
    fn content(&mut self) -> Option<Text> {
        let (mut text, mut met) = (Text::default(), Met::default());
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                b"parts" => {
                    met.once(0)?;
                    text = self.parts()?;
                }
                b"role" => {
                    met.once(1)?;
                    self.pass_string()?;
                }
                _ => return None,
            }
        }
        Some(text)
    }

    fn parts(&mut self) -> Option<Text> {
        // Of no part, the empty text.
        let mut joined = Text { form: Form::AsIs, ..Text::default() };
        self.open(b'[')?;
        let mut first = true;
        while self.item(&mut first)? {
            self.open(b'{')?;
            let mut only = true;
            if self.member(&mut only)? != Some(b"text") {
                return None;
            }
            let text = self.string()?;
            if self.member(&mut only)?.is_some() {
                return None;
            }
            if joined.start == joined.end {
                joined = text;
            } else if text.start != text.end {
                joined = self.join(joined, text)?;
            }
        }
        Some(joined)
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
        let (start, end) = (self.base + text.start as usize, self.base + text.end as usize);
        if text.form == Form::Escaped {
            let decoded: String = serde_json::from_slice(self.bytes.get(start - 1..=end)?).ok()?;
            self.case.joined.push_str(&decoded);
        } else {
            self.case.joined.push_str(std::str::from_utf8(self.bytes.get(start..end)?).ok()?);
        }
        Some(())
    }

    fn intermediate_data(&mut self) -> Option<()> {
        let mut met = Met::default();
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
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

    fn call(&mut self) -> Option<()> {
        let (mut call, mut met) = (Call::default(), Met::default());
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                b"args" => {
                    met.once(0)?;
                    call.args = self.object()?;
                }
                b"name" => {
                    met.once(1)?;
                    call.name = self.string()?;
                }
                b"id" => {
                    met.once(2)?;
                    call.id = self.string()?;
                }
                _ => return None,
            }
        }
        self.case.calls.push(call);
        Some(())
    }

    fn answer(&mut self) -> Option<()> {
        let (mut answer, mut met) = (Answer::default(), Met::default());
        self.open(b'{')?;
        let mut first = true;
        while let Some(key) = self.member(&mut first)? {
            match key {
                b"id" => {
                    met.once(0)?;
                    answer.id = self.string()?;
                }
                b"name" => {
                    met.once(1)?;
                    self.pass_string()?;
                }
                b"response" => {
                    met.once(2)?;
                    answer.response = self.object()?;
                }
                _ => return None,
            }
        }
        self.case.answers.push(answer);
        Some(())
    }

    fn list(&mut self, read: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        self.open(b'[')?;
        let mut first = true;
        while self.item(&mut first)? {
            read(self)?;
        }
        Some(())
    }

    /// Where the next token begins, and its first byte.
    #[inline]
    fn peek(&self) -> Option<(usize, u8)> {
        let start = *self.starts.get(self.next)? as usize;
        Some((start, *self.bytes.get(start)?))
    }

    #[inline]
    fn token(&mut self) -> Option<(usize, u8)> {
        let token = self.peek()?;
        self.next += 1;
        Some(token)
    }

    #[inline]
    fn open(&mut self, mark: u8) -> Option<()> {
        (self.token()?.1 == mark).then_some(())
    }

    /// Whether another item of a list follows.
    #[inline]
    fn item(&mut self, first: &mut bool) -> Option<bool> {
        match (self.peek()?.1, std::mem::take(first)) {
            (b']', _) => {
                self.next += 1;
                Some(false)
            }
            (b',', false) => {
                self.next += 1;
                // Nothing that is an item begins with a bracket that closes.
                Some(true)
            }
            (_, true) => Some(true),
            _ => None,
        }
    }

    /// The next key as it stands, if another member follows. One with an escape is none that is
    /// known.
    #[inline]
    #[expect(clippy::option_option, reason = "the outer one says that the case is not plain")]
    fn member(&mut self, first: &mut bool) -> Option<Option<&'b [u8]>> {
        let quote = match (self.token()?, std::mem::take(first)) {
            ((_, b'}'), _) => return Some(None),
            ((quote, b'"'), true) => quote,
            ((_, b','), false) => {
                let (quote, byte) = self.token()?;
                if byte != b'"' {
                    return None;
                }
                quote
            }
            _ => return None,
        };
        let (colon, byte) = self.token()?;
        if byte != b':' {
            return None;
        }
        // Nobody writes white space between the two; whoever does goes the other way.
        match self.bytes.get(quote + 1..colon)? {
            [key @ .., b'"'] => Some(Some(key)),
            _ => None,
        }
    }

    #[inline]
    fn string(&mut self) -> Option<Text> {
        let (quote, byte) = self.token()?;
        let (after, _) = self.peek()?;
        if byte != b'"' {
            return None;
        }
        let end = self.end_of(quote, after)?;
        let form = self.form(quote, after)?;
        let place = |at: usize| u32::try_from(at - self.base).ok();
        Some(Text { start: place(quote + 1)?, end: place(end)?, form })
    }

    /// Where the closing quote stands of the string that begins at `quote`: nothing but white space
    /// is between it and the next token.
    #[inline]
    fn end_of(&self, quote: usize, after: usize) -> Option<usize> {
        let mut rest = self.bytes.get(quote + 1..after)?;
        // Mostly a line feed and the indent.
        while let Some((before, b"        ")) = rest.split_last_chunk::<8>() {
            rest = before;
        }
        while let [before @ .., b' ' | b'\n' | b'\r' | b'\t'] = rest {
            rest = before;
        }
        rest.last().is_some_and(|byte| *byte == b'"').then_some(quote + rest.len())
    }

    #[inline]
    fn pass_string(&mut self) -> Option<()> {
        let (quote, byte) = self.token()?;
        let (after, _) = self.peek()?;
        if byte != b'"' {
            return None;
        }
        self.form(quote, after).map(|_| ())
    }

    /// Whether escapes stand in a string; none when one of them is half of a surrogate pair, which
    /// is told the other way.
    #[inline]
    fn form(&mut self, quote: usize, after: usize) -> Option<Form> {
        while let [stretch, rest @ ..] = self.escapes
            && *stretch as usize + STRETCH <= quote
        {
            self.escapes = rest;
        }
        match self.escapes.first() {
            Some(stretch) if (*stretch as usize) < after => self.form_of(quote, after),
            _ => Some(Form::AsIs),
        }
    }

    #[cold]
    fn form_of(&self, quote: usize, after: usize) -> Option<Form> {
        let string = self.bytes.get(quote..=self.end_of(quote, after)?)?;
        if memchr::memchr(b'\\', string).is_none() {
            return Some(Form::AsIs);
        }
        if memchr::memmem::find(string, b"\\u").is_some() {
            serde_json::from_slice::<String>(string).ok()?;
        }
        Some(Form::Escaped)
    }

    /// Passes a number, which is none when it is one of those that JSON has not.
    #[inline]
    fn pass_number(&mut self) -> Option<usize> {
        let (start, byte) = self.token()?;
        let digit = match byte {
            b'-' => *self.bytes.get(start + 1)?,
            _ => byte,
        };
        digit.is_ascii_digit().then_some(start)
    }

    fn number(&mut self) -> Option<Text> {
        let start = self.pass_number()?;
        let digit = |byte: &u8| byte.is_ascii_digit() || b"-+.eE".contains(byte);
        let rest = self.bytes.get(start..)?;
        let length = rest.iter().position(|byte| !digit(byte))?;
        let place = |at: usize| u32::try_from(at - self.base).ok();
        Some(Text { start: place(start)?, end: place(start + length)?, form: Form::AsIs })
    }

    /// The object that is next, as it stands.
    fn object(&mut self) -> Option<Text> {
        let (start, byte) = self.peek()?;
        if byte != b'{' {
            return None;
        }
        self.value(DEEPEST)?;
        let end = *self.starts.get(self.next - 1)? as usize + 1;
        let place = |at: usize| u32::try_from(at - self.base).ok();
        Some(Text { start: place(start)?, end: place(end)?, form: Form::AsIs })
    }

    /// Passes any value that JSON has.
    fn value(&mut self, deepest: usize) -> Option<()> {
        let (start, byte) = self.token()?;
        match byte {
            b'"' => self.plain_escapes(start),
            b'{' => {
                let mut first = true;
                let deeper = deepest.checked_sub(1)?;
                loop {
                    let (mut quote, mut byte) = self.token()?;
                    match (byte, std::mem::take(&mut first)) {
                        (b'}', _) => return Some(()),
                        (b',', false) => (quote, byte) = self.token()?,
                        (b'"', true) => {}
                        _ => return None,
                    }
                    if byte != b'"' {
                        return None;
                    }
                    self.plain_escapes(quote)?;
                    self.open(b':')?;
                    self.value(deeper)?;
                }
            }
            b'[' => {
                let mut first = true;
                let deeper = deepest.checked_sub(1)?;
                while self.item(&mut first)? {
                    self.value(deeper)?;
                }
                Some(())
            }
            b't' | b'f' | b'n' | b'0'..=b'9' => Some(()),
            b'-' => self.bytes.get(start + 1)?.is_ascii_digit().then_some(()),
            _ => None,
        }
    }

    /// Whether the string at `quote`, whose token has just been passed, has no escape by number: it
    /// may be half of a surrogate pair.
    #[inline]
    fn plain_escapes(&mut self, quote: usize) -> Option<()> {
        let (after, _) = self.peek()?;
        if self.form(quote, after)? == Form::AsIs {
            return Some(());
        }
        let string = self.bytes.get(quote..after)?;
        memchr::memmem::find(string, b"\\u").is_none().then_some(())
    }
}
