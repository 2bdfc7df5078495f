//! [`Structure`]: checks JSON's grammar, and finds the cases of the eval set.
//!
//! The grammar is checked at every depth. Keys are read only on the path to the cases and their
//! ids: `eval_cases[].eval_id` and `eval_cases[].conversation[].invocation_id`, in either of
//! the casings that ADK reads below the set. In ADK's older lists, `[].name` and `[].data[]` of the
//! sessions are read; a list of turns is a single case.

use std::collections::VecDeque;

use super::grammar::{Class, Expect};
use super::keys::{Key, LONGEST, unescaped};
use super::outline::{Outline, ScannedCase, Span};
use super::scalar::Scalar;
use super::syntax_fault::{SyntaxFault, SyntaxFaultKind};
use super::text::Text;

/// The maximum nesting depth.
const DEPTH_LIMIT: usize = 1 << 20;

/// The innermost open container on the path to the ids. Its number is its depth in a set; in an older list,
/// which has no set around its cases, the depth is one less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Level {
    #[default]
    Start = 0,
    Set = 1,
    Cases = 2,
    Case = 3,
    Conversation = 4,
    Invocation = 5,
}

/// The token in which the last chunk ended.
#[derive(Debug, Clone, Copy, Default)]
enum Within {
    /// None: the next byte is white space, or begins one.
    #[default]
    Between,
    Text(Text),
    Scalar(Scalar),
}

/// What a string is read for.
#[derive(Debug, Clone, Copy)]
enum Reading {
    Key,
    Id,
}

/// A scan in progress, which gets the file chunk by chunk.
#[derive(Debug, Default)]
pub(super) struct Structure {
    within: Within,
    expect: Expect,
    /// The open containers, the innermost last; true for an object.
    open: Vec<bool>,
    level: Level,
    /// The depth of `level`: only tokens there are more than grammar.
    watched_depth: usize,
    key: Key,
    reading: Option<Reading>,
    /// The string being read.
    text: Vec<u8>,
    /// Where the last key, or the current number or literal, begins.
    token_start: u64,
    /// Where the last string, number, literal or container ended.
    value_end: u64,

    /// Whether ADK's older lists are accepted.
    takes_older: bool,
    /// Whether the file is one.
    is_older: bool,
    /// Whether its items are the turns of one case, not sessions.
    is_one_case: bool,
    /// The invocation ids that are looked for.
    wanted: Vec<String>,
    outline: Outline,
    list_seen: bool,
    camel_case_list: Option<u64>,
    /// The file has the cases of a run.
    is_history: bool,
    set_id_seen: bool,
    parting: u64,
    case: CaseSoFar,
    /// The offset of the current item of the list of cases, if it is not an object.
    other_item: Option<u64>,
    /// The cases that ended and were not taken yet.
    found: VecDeque<ScannedCase>,
    /// The first case without a field that ADK requires.
    incomplete: Option<SyntaxFault>,
    /// The first item that is not an object.
    no_object: Option<SyntaxFault>,
}

/// What is known of the current case.
#[derive(Debug, Default)]
struct CaseSoFar {
    start: u64,
    eval_id: Option<String>,
    turns: u64,
    has_wanted_turn: bool,
    /// Which fields that ADK requires it has.
    has_id: bool,
    has_conversation: bool,
    has_scenario: bool,
    /// What a session of an older list has.
    has_data: bool,
}

impl Structure {
    /// In the list of cases, before the first one.
    pub(super) fn in_list() -> Self {
        Self {
            open: vec![true, false],
            expect: Expect::Item,
            level: Level::Cases,
            watched_depth: 2,
            list_seen: true,
            ..Self::default()
        }
    }

    /// Accepts ADK's older lists.
    pub(super) fn take_older_lists(&mut self) {
        self.takes_older = true;
    }

    /// Looks for turns with these invocation ids.
    pub(super) fn look_for(&mut self, invocation_ids: Vec<String>) {
        self.wanted = invocation_ids;
    }

    /// Whether the file is an older list.
    pub(super) fn is_older(&self) -> bool {
        self.is_older
    }

    /// Whether the file is a list whose items are the turns of one case.
    pub(super) fn is_one_case(&self) -> bool {
        self.is_one_case
    }

    /// The first case that ADK would reject, and with it the whole file.
    pub(super) fn incomplete_for_adk(&self) -> Option<SyntaxFault> {
        self.incomplete
    }

    /// The first item of the list of cases that is not an object.
    pub(super) fn no_object(&self) -> Option<SyntaxFault> {
        self.no_object
    }

    /// The next case that has ended.
    pub(super) fn next_case(&mut self) -> Option<ScannedCase> {
        self.found.pop_front()
    }

    /// Follows the chunk that begins at the offset `base`.
    pub(super) fn take(&mut self, bytes: &[u8], base: u64) -> Result<(), SyntaxFault> {
        let offset = |index: usize| base + index as u64;
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            match self.within {
                Within::Between => {
                    at += blanks(rest);
                    let Some(&byte) = bytes.get(at) else { return Ok(()) };
                    if byte < b' ' {
                        let reason = "a control character between tokens";
                        return Err(SyntaxFault::invalid(offset(at), reason));
                    }
                    self.token(byte, offset(at))?;
                    // A number or literal includes its first byte.
                    if !matches!(self.within, Within::Scalar(_)) {
                        at += 1;
                    }
                }
                Within::Text(mut text) => {
                    let end = text
                        .end(bytes, at)
                        .map_err(|(index, reason)| SyntaxFault::invalid(offset(index), reason))?;
                    if self.reading.is_some() && self.text.len() <= LONGEST + 1 {
                        self.text.extend_from_slice(&bytes[at..end.unwrap_or(bytes.len())]);
                    }
                    let Some(end) = end else {
                        self.within = Within::Text(text);
                        return Ok(());
                    };
                    at = end;
                    self.ended(offset(at));
                    if let Some(reading) = self.reading.take() {
                        self.string_read(reading);
                    }
                }
                Within::Scalar(scalar) => {
                    let ends = |byte: &u8| *byte <= b' ' || Class::of(*byte) != Class::Scalar;
                    let length = rest.iter().position(ends).unwrap_or(rest.len());
                    let scalar = scalar.take(&rest[..length]);
                    at += length;
                    self.within = Within::Scalar(scalar);
                    if scalar == Scalar::Bad {
                        return Err(self.bad_scalar());
                    }
                    if at == bytes.len() {
                        return Ok(());
                    }
                    if !scalar.is_whole() {
                        return Err(self.bad_scalar());
                    }
                    self.ended(offset(at));
                }
            }
        }
    }

    /// A string, number or literal ended before the offset `at`.
    fn ended(&mut self, at: u64) {
        self.within = Within::Between;
        self.value_end = at;
    }

    fn bad_scalar(&self) -> SyntaxFault {
        SyntaxFault::invalid(
            self.token_start,
            "neither a number nor true, false, null; a string needs double quotes",
        )
    }

    /// The outline at the end of the file, if it is an eval set for ADK.
    pub(super) fn finish(&self, length: u64) -> Result<Outline, SyntaxFault> {
        let outline = self.finish_with_cases(length)?;
        if !self.set_id_seen && !self.is_older {
            return Err(SyntaxFault::not_an_eval_set(
                0,
                "the key \"eval_set_id\" is missing or is not a string",
            ));
        }
        Ok(outline)
    }

    /// The outline at the end of the file, if it has cases.
    pub(super) fn finish_with_cases(&self, length: u64) -> Result<Outline, SyntaxFault> {
        match self.within {
            Within::Text(_) => {
                return Err(SyntaxFault::invalid(length, "the file ends inside a string"));
            }
            Within::Scalar(scalar) if !scalar.is_whole() => return Err(self.bad_scalar()),
            Within::Scalar(_) | Within::Between => {}
        }
        if self.expect != Expect::Nothing {
            let reason = match self.open.last() {
                None => "the file is empty",
                Some(true) => "the file ends inside an object; a } is missing",
                Some(false) => "the file ends inside a list; a ] is missing",
            };
            return Err(SyntaxFault::invalid(length, reason));
        }
        if !self.list_seen {
            return Err(match self.camel_case_list {
                Some(at) => SyntaxFault::not_an_eval_set(
                    at,
                    "the cases are under \"evalCases\", but ADK reads only \"eval_cases\"; \
                     rename the key",
                ),
                None if self.is_history => SyntaxFault::not_an_eval_set(
                    0,
                    "this is an eval history: `rehearsal score --actual` reads it",
                ),
                None => SyntaxFault::not_an_eval_set(0, "the key \"eval_cases\" is missing"),
            });
        }
        Ok(self.outline)
    }

    /// A token begins with `byte` at the offset `at`.
    fn token(&mut self, byte: u8, at: u64) -> Result<(), SyntaxFault> {
        let class = Class::of(byte);
        let before = self.expect;
        self.expect = before.after(class);
        if self.expect == Expect::Fault {
            return Err(SyntaxFault::invalid(at, before.instead_of(byte)));
        }
        match class {
            Class::Quote => self.within = Within::Text(Text::default()),
            Class::Scalar => {
                self.within = Within::Scalar(Scalar::default());
                self.token_start = at;
            }
            _ => {}
        }
        let watched = self.open.len() == self.watched_depth;
        match class {
            Class::Colon => {}
            Class::Quote | Class::Scalar | Class::Comma if !watched => {}
            Class::Quote if before.is_key() => self.begin(Reading::Key, at),
            Class::Quote | Class::Scalar => {
                self.value(class, at)?;
            }
            Class::Comma => {
                if self.level == Level::Cases {
                    self.end_other_item();
                    self.parting = at;
                }
            }
            Class::OpenObject | Class::OpenList => {
                let entered = if watched { self.value(class, at)? } else { None };
                if self.open.len() == DEPTH_LIMIT {
                    return Err(SyntaxFault::invalid(at, "nested deeper than a million levels"));
                }
                self.open.push(class == Class::OpenObject);
                if let Some(level) = entered {
                    self.move_to(level);
                }
            }
            Class::CloseObject | Class::CloseList => {
                if watched {
                    self.leave(at);
                }
                self.open.pop();
                self.expect = Expect::after_value_in(self.open.last().copied());
                self.value_end = at + 1;
            }
        }
        Ok(())
    }

    fn move_to(&mut self, level: Level) {
        self.level = level;
        self.watched_depth = (level as usize).saturating_sub(usize::from(self.is_older));
    }

    fn begin(&mut self, reading: Reading, at: u64) {
        self.reading = Some(reading);
        self.text.clear();
        self.token_start = at;
    }

    /// A string that is read has ended.
    fn string_read(&mut self, reading: Reading) {
        let mut text = std::mem::take(&mut self.text);
        // The closing quote; of a string that is too long, an arbitrary byte.
        text.pop();
        match (reading, unescaped(&text)) {
            (Reading::Key, key) => self.key_read(&key.unwrap_or_default()),
            (Reading::Id, Some(id)) if self.level == Level::Case => {
                self.case.eval_id = Some(id.into_owned());
            }
            (Reading::Id, Some(id)) => {
                self.case.has_wanted_turn |= self.wanted.iter().any(|wanted| *wanted == id);
            }
            (Reading::Id, None) => {}
        }
        self.text = text;
    }

    fn key_read(&mut self, key: &str) {
        self.key = match self.is_older {
            true => Key::in_older_list(self.level, key),
            false => Key::in_set(self.level, key),
        };
        match self.key {
            Key::Leads if self.is_older => self.case.has_data = true,
            Key::History => self.is_history = true,
            Key::CamelCaseList => {
                self.camel_case_list = self.camel_case_list.or(Some(self.token_start));
            }
            _ => {}
        }
    }

    /// A value begins in the watched container: the next level, if there is one.
    fn value(&mut self, class: Class, at: u64) -> Result<Option<Level>, SyntaxFault> {
        match (self.level, class) {
            (Level::Start, Class::OpenObject) => Ok(Some(Level::Set)),
            (Level::Start, Class::OpenList) if self.takes_older => {
                self.is_older = true;
                self.begin_list(at);
                Ok(Some(Level::Cases))
            }
            (Level::Start, Class::OpenList) => {
                Err(SyntaxFault { at, kind: SyntaxFaultKind::LegacyList })
            }
            (Level::Start, _) => Err(SyntaxFault::not_an_eval_set(
                at,
                "the file holds a single value, not an object",
            )),
            (Level::Set, Class::OpenList) if self.key == Key::Leads => {
                if self.list_seen {
                    let first = self.outline.list_open;
                    return Err(SyntaxFault { at, kind: SyntaxFaultKind::CasesTwice { first } });
                }
                self.begin_list(at);
                Ok(Some(Level::Cases))
            }
            (Level::Set, _) if self.key == Key::Leads => {
                Err(SyntaxFault::not_an_eval_set(at, "\"eval_cases\" is not a list"))
            }
            (Level::Set, Class::Quote) if self.key == Key::Id => {
                self.set_id_seen = true;
                Ok(None)
            }
            (Level::Cases, Class::OpenObject) if self.is_one_case => {
                self.case.turns += 1;
                Ok(None)
            }
            (Level::Cases, Class::OpenObject) => {
                self.case = CaseSoFar { start: at, ..CaseSoFar::default() };
                Ok(Some(Level::Case))
            }
            (Level::Cases, _) if self.is_older => {
                Err(SyntaxFault::not_an_eval_set(at, "an item of the list is not an object"))
            }
            (Level::Cases, _) => {
                let reason = "an item of \"eval_cases\" is not an object";
                self.no_object = self.no_object.or(Some(SyntaxFault::not_an_eval_set(at, reason)));
                self.other_item = Some(at);
                Ok(None)
            }
            (Level::Case, Class::OpenList) if self.key == Key::Leads => {
                self.case.has_conversation = true;
                Ok(Some(Level::Conversation))
            }
            (Level::Case, Class::OpenObject) if self.key == Key::Scenario => {
                self.case.has_scenario = true;
                Ok(None)
            }
            (Level::Conversation, Class::OpenObject) => {
                self.case.turns += 1;
                Ok(Some(Level::Invocation))
            }
            (Level::Case | Level::Invocation, Class::Quote) if self.key == Key::Id => {
                self.case.has_id |= self.level == Level::Case;
                self.begin(Reading::Id, at);
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    fn begin_list(&mut self, at: u64) {
        self.list_seen = true;
        self.outline.list_open = at;
        self.parting = at;
    }

    /// An item of the list of cases ends. One that is not an object counts as a case, so that its reader
    /// reports the fault.
    fn end_other_item(&mut self) {
        if let Some(start) = self.other_item.take() {
            self.case = CaseSoFar::default();
            self.end_case(Span { parting: self.parting, start, end: self.value_end });
        }
    }

    fn end_case(&mut self, span: Span) {
        self.outline.last = Some(span);
        self.outline.cases += 1;
        let CaseSoFar { eval_id, turns, has_wanted_turn, .. } = std::mem::take(&mut self.case);
        self.found.push_back(ScannedCase { span, eval_id, turns, has_wanted_turn });
    }

    /// The watched container ends with the bracket at the offset `at`.
    fn leave(&mut self, at: u64) {
        let outer = match self.level {
            Level::Start | Level::Set => Level::Start,
            Level::Cases => {
                self.end_other_item();
                if self.is_older && self.outline.cases == 0 {
                    self.is_one_case = true;
                    let start = self.outline.list_open;
                    self.end_case(Span { parting: start, start, end: at + 1 });
                }
                self.outline.list_close = at;
                if self.is_older { Level::Start } else { Level::Set }
            }
            // The first item determines whether they are sessions.
            Level::Case if self.is_older && self.outline.cases == 0 && !self.case.has_data => {
                self.is_one_case = true;
                self.case = CaseSoFar { turns: 1, ..CaseSoFar::default() };
                Level::Cases
            }
            Level::Case => {
                self.incomplete = self.incomplete.or_else(|| self.case.lacks());
                let start = self.case.start;
                self.end_case(Span { parting: self.parting, start, end: at + 1 });
                Level::Cases
            }
            Level::Conversation => Level::Case,
            Level::Invocation => Level::Conversation,
        };
        self.move_to(outer);
        self.key = Key::Other;
    }
}

/// How many bytes of white space are at the beginning.
#[inline]
fn blanks(bytes: &[u8]) -> usize {
    // Files are indented with spaces.
    let (blocks, _) = bytes.as_chunks::<8>();
    let at = 8 * blocks.iter().take_while(|block| **block == [b' '; 8]).count();
    let rest = bytes.get(at..).unwrap_or_default();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    at + rest.iter().position(|byte| !is_blank(byte)).unwrap_or(rest.len())
}

impl CaseSoFar {
    /// The field that ADK requires and the case lacks.
    fn lacks(&self) -> Option<SyntaxFault> {
        let reason = match (self.has_id, self.has_conversation, self.has_scenario) {
            (true, true, false) | (true, false, true) => return None,
            (false, ..) => "ADK requires an \"eval_id\" in each case; add one",
            (true, false, false) => {
                "ADK requires a \"conversation\" or a \"conversation_scenario\" in each \
                 case; add one, or remove the case"
            }
            (true, true, true) => {
                "ADK requires a \"conversation\" or a \"conversation_scenario\" in each \
                 case, not both; remove one"
            }
        };
        Some(SyntaxFault::not_an_eval_set(self.start, reason))
    }
}
