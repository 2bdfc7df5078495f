//! [`Tokens`]: a cursor over the tokens of a case.

use super::{Form, Text};

/// Values nested deeper than this are left to the model, which knows ADK's limit.
const MAX_DEPTH: usize = 64;

/// The block size of the escapes, in bytes.
const STRETCH: usize = 64;

/// A position among the tokens of a case. Invalid JSON and unusual spellings give `None`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens<'b> {
    pub(super) bytes: &'b [u8],
    starts: &'b [u32],
    /// The remaining escapes, after those of earlier strings.
    escapes: &'b [u32],
    /// The next token.
    next: usize,
    /// Where the case begins.
    pub(super) base: usize,
}

impl<'b> Tokens<'b> {
    pub(super) fn new(bytes: &'b [u8], starts: &'b [u32], escapes: &'b [u32]) -> Option<Self> {
        let base = *starts.first()? as usize;
        // Of a file's chunk those before the case are many.
        let passed = escapes.partition_point(|stretch| *stretch as usize + STRETCH <= base);
        Some(Self { bytes, starts, escapes: &escapes[passed..], next: 0, base })
    }

    /// The number of tokens passed.
    pub(super) fn passed(&self) -> usize {
        self.next
    }

    /// The offset of the next token, and its first byte.
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
    pub(super) fn open(&mut self, mark: u8) -> Option<()> {
        (self.token()?.1 == mark).then_some(())
    }

    /// Whether another item of a list follows.
    #[inline]
    pub(super) fn item(&mut self, first: &mut bool) -> Option<bool> {
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

    /// The next key, if another member follows. A key with an escape is not a known one.
    #[inline]
    #[expect(clippy::option_option, reason = "the outer one says that the case is not plain")]
    pub(super) fn member(&mut self, first: &mut bool) -> Option<Option<&'b [u8]>> {
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
        // Whitespace between the two is unusual, and left to the model.
        match self.bytes.get(quote + 1..colon)? {
            [key @ .., b'"'] => Some(Some(key)),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn string(&mut self) -> Option<Text> {
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

    /// The closing quote of the string that begins at `quote`; only whitespace is between it and the next
    /// token.
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
    pub(super) fn pass_string(&mut self) -> Option<()> {
        let (quote, byte) = self.token()?;
        let (after, _) = self.peek()?;
        if byte != b'"' {
            return None;
        }
        self.form(quote, after).map(|_| ())
    }

    /// Whether a string has escapes; `None` if one of them is half of a surrogate pair, which the model
    /// reports.
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

    /// Skips a number; `None` for `NaN` and `Infinity`.
    #[inline]
    pub(super) fn pass_number(&mut self) -> Option<usize> {
        let (start, byte) = self.token()?;
        let digit = match byte {
            b'-' => *self.bytes.get(start + 1)?,
            _ => byte,
        };
        digit.is_ascii_digit().then_some(start)
    }

    pub(super) fn number(&mut self) -> Option<Text> {
        let start = self.pass_number()?;
        let digit = |byte: &u8| byte.is_ascii_digit() || b"-+.eE".contains(byte);
        let rest = self.bytes.get(start..)?;
        let length = rest.iter().position(|byte| !digit(byte))?;
        let place = |at: usize| u32::try_from(at - self.base).ok();
        Some(Text { start: place(start)?, end: place(start + length)?, form: Form::AsIs })
    }

    /// The next object's text.
    pub(super) fn object(&mut self) -> Option<Text> {
        let (start, byte) = self.peek()?;
        if byte != b'{' {
            return None;
        }
        self.value(MAX_DEPTH)?;
        let end = *self.starts.get(self.next - 1)? as usize + 1;
        let place = |at: usize| u32::try_from(at - self.base).ok();
        Some(Text { start: place(start)?, end: place(end)?, form: Form::AsIs })
    }

    /// Skips any JSON value.
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
