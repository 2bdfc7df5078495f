//! [`Structure`]: checks JSON's grammar, and finds the cases of the eval set.
//!
//! The grammar is checked at every depth. Keys are read only on the path to the cases and their
//! ids: `eval_cases[].eval_id` and `eval_cases[].conversation[].invocation_id`, in either of
//! the casings that ADK reads below the set. In ADK's older lists, `[].name` and `[].data[]` of the
//! sessions are read; a list of turns is a single case.

mod names;
mod quote;

use names::{Key, Reading};
use quote::ClosingQuote;

use super::grammar::{Class, Containers, Expect};
use super::masks::BLOCK;
use super::outline::{LastCase, Outline, Sink};
use super::reader::CaseTokens;
use super::syntax_fault::{SyntaxFault, SyntaxFaultKind};
use super::tokens::{Batch, Tokens};

/// The innermost open container on the path to the ids. Its number is its depth in a set; in an older list,
/// which has no set around its cases, the depth is one less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
enum Level {
    Start = 0,
    Set = 1,
    Cases = 2,
    Case = 3,
    Conversation = 4,
    Invocation = 5,
}

/// A scan in progress, which gets block by block.
#[derive(Debug, Clone)]
pub(super) struct Structure {
    tokens: Tokens,
    expect: Expect,
    open: Containers,

    place: Level,
    key: Key,
    reading: Option<Reading>,
    text: Vec<u8>,
    closing: ClosingQuote,
    text_at: u64,

    /// Whether ADK's older lists are accepted.
    takes_older: bool,
    /// Whether the file is one.
    is_older: bool,
    /// Whether its items are the turns of one case, not sessions.
    is_one_case: bool,
    outline: Outline,
    /// The list of cases has been opened, by this scan or by the one that it continues.
    list_seen: bool,
    list_closed: bool,
    camel_case_list: Option<u64>,
    /// The file has the cases of a run.
    is_history: bool,
    set_id_seen: bool,
    parting: u64,
    case_start: u64,
    /// State of the current case.
    turns: u64,
    /// Which fields that ADK requires the current case has.
    has_id: bool,
    has_conversation: bool,
    has_scenario: bool,
    /// What a session of an older list has.
    has_data: bool,
    /// The first case without a required field.
    incomplete: Option<SyntaxFault>,
    /// The offset of the current item of the list of cases, if it is not an object.
    other_item: Option<u64>,
    /// The first such item.
    no_object: Option<SyntaxFault>,
}

impl Structure {
    /// At the start of a file.
    pub(super) fn new() -> Self {
        Self {
            tokens: Tokens::at(0),
            expect: Expect::Top,
            open: Containers::default(),
            place: Level::Start,
            key: Key::Other,
            reading: None,
            text: Vec::new(),
            closing: ClosingQuote::default(),
            text_at: 0,
            takes_older: false,
            is_older: false,
            is_one_case: false,
            outline: Outline::default(),
            list_seen: false,
            list_closed: false,
            camel_case_list: None,
            is_history: false,
            set_id_seen: false,
            parting: 0,
            case_start: 0,
            turns: 0,
            has_id: false,
            has_conversation: false,
            has_scenario: false,
            has_data: false,
            incomplete: None,
            other_item: None,
            no_object: None,
        }
    }

    /// Accepts ADK's older lists.
    pub(super) fn with_older_lists(mut self) -> Self {
        self.takes_older = true;
        self
    }

    /// Whether the file is an older list.
    pub(super) fn is_older(&self) -> bool {
        self.is_older
    }

    /// Whether the file is a list whose items are the turns of one case.
    pub(super) fn is_one_case(&self) -> bool {
        self.is_one_case
    }

    /// Assumes to be in the list of cases, after the comma at `parting`, with `at` (a multiple
    /// of the block) the next block to come.
    pub(super) fn between_cases(at: u64, parting: u64) -> Self {
        let mut supposed = Self::new();
        supposed.tokens = Tokens::at(at);
        supposed.open.push(true);
        supposed.open.push(false);
        supposed.expect = Expect::Item;
        supposed.place = Level::Cases;
        supposed.list_seen = true;
        supposed.parting = parting;
        supposed
    }

    /// Whether this scan is where [`Self::between_cases`] assumes to be.
    pub(super) fn is_between_cases(&self, parting: u64) -> bool {
        self.tokens.is_between()
            && self.place == Level::Cases
            && self.open.depth() == Level::Cases as u32
            && self.expect == Expect::Item
            && self.parting == parting
    }

    /// Continues from the end of `later`, which began where this one is.
    pub(super) fn continued_by(self, later: Self) -> Self {
        Self {
            outline: Outline {
                list_open: self.outline.list_open,
                list_close: later.outline.list_close,
                last: later.outline.last.or(self.outline.last),
                cases: self.outline.cases + later.outline.cases,
            },
            camel_case_list: self.camel_case_list.or(later.camel_case_list),
            set_id_seen: self.set_id_seen || later.set_id_seen,
            incomplete: self.incomplete.or(later.incomplete),
            no_object: self.no_object.or(later.no_object),
            ..later
        }
    }

    /// The first case that ADK would reject, and with it the whole file. Cases that a sink read are not
    /// checked.
    pub(super) fn incomplete(&self) -> Option<SyntaxFault> {
        self.incomplete
    }

    /// The first item of the list of cases that is not an object.
    pub(super) fn no_object(&self) -> Option<SyntaxFault> {
        self.no_object
    }

    /// The last case that has ended so far.
    pub(super) fn last(&self) -> Option<LastCase> {
        self.outline.last
    }

    /// Reads the next blocks; returns whether they have a byte from 0x80 on.
    pub(super) fn take<S: Sink>(
        &mut self,
        blocks: &[[u8; BLOCK]],
        batch: &mut Batch,
        sink: &mut S,
    ) -> std::io::Result<Result<bool, SyntaxFault>> {
        let at = self.tokens.at;
        let bytes = blocks.as_flattened();
        let (count, filled) = batch.fill(blocks, &mut self.tokens);
        let tokens = CaseTokens { bytes, starts: batch.starts(count), escapes: batch.escapes() };
        Ok(self.follow(at, tokens, sink)?.and(filled))
    }

    /// Follows the tokens of blocks that begin at `at`.
    fn follow<S: Sink>(
        &mut self,
        at: u64,
        tokens: CaseTokens<'_>,
        sink: &mut S,
    ) -> std::io::Result<Result<(), SyntaxFault>> {
        let CaseTokens { bytes, starts, escapes } = tokens;
        if self.reading.is_some() {
            self.read_on(bytes, 0, sink)?;
        }
        // State that nearly every token needs is in registers; `self` is updated only for the few tokens
        // that are inspected.
        let mut expect = self.expect;
        let mut open = self.open.near();
        let mut watched_depth = self.watched_depth();
        let mut next = 0;
        while let Some(&start) = starts.get(next) {
            let token = next;
            next += 1;
            let index = start as usize;
            let Some(&byte) = bytes.get(index) else { break };
            let class = Class::of(byte);
            let before = expect;
            expect = before.after(class);
            if expect == Expect::Fault {
                return Ok(Err(SyntaxFault::invalid(at + index as u64, before.instead_of(byte))));
            }
            if open.depth() != watched_depth {
                let easy = match class {
                    Class::OpenObject => open.push(true),
                    Class::OpenList => open.push(false),
                    Class::CloseObject | Class::CloseList => match open.pop() {
                        Some(after) => {
                            expect = after;
                            true
                        }
                        None => false,
                    },
                    _ => true,
                };
                if easy {
                    continue;
                }
            }
            let watched = open.depth() == watched_depth;
            if watched && self.place == Level::Cases && class == Class::OpenObject {
                let start = at + index as u64;
                let rest = starts.get(token..).unwrap_or_default();
                if let Some(read) =
                    sink.read_case(start, CaseTokens { bytes, starts: rest, escapes })
                    && let Some(last) = starts.get(token + read.tokens.saturating_sub(1))
                {
                    next = token + read.tokens;
                    let case =
                        LastCase { parting: self.parting, start, end: at + u64::from(*last) + 1 };
                    self.outline.last = Some(case);
                    self.outline.cases += 1;
                    sink.case(case, read.turns)?;
                    expect = Expect::ItemEnd;
                    continue;
                }
            }
            self.expect = expect;
            self.open.set_near(open);
            let cases = self.outline.cases;
            if let Err(fault) = self.look_at(class, before, watched, at + index as u64) {
                return Ok(Err(fault));
            }
            if self.outline.cases != cases
                && let Some(case) = &mut self.outline.last
            {
                case.end -= white_before(bytes, at, case);
                sink.case(*case, self.turns)?;
            }
            if self.reading.is_some() {
                let whole =
                    whole_string(bytes, index, starts.get(next)).filter(|_| escapes.is_empty());
                match whole {
                    Some(text) => self.read_whole(text, sink)?,
                    None => self.read_on(bytes, index + 1, sink)?,
                }
            }
            expect = self.expect;
            open = self.open.near();
            watched_depth = self.watched_depth();
        }
        self.expect = expect;
        self.open.set_near(open);
        Ok(Ok(()))
    }

    fn watched_depth(&self) -> u32 {
        (self.place as u32).saturating_sub(u32::from(self.is_older))
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
        self.tokens.finish().map_err(|fault| SyntaxFault { at: length, ..fault })?;
        if self.expect != Expect::Nothing {
            let reason = match (self.open.depth(), self.open.in_object()) {
                (0, _) => "the file is empty",
                (_, true) => "the file ends inside an object; a } is missing",
                (_, false) => "the file ends inside a list; a ] is missing",
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

    /// Handles a valid token of the watched container, or one that opens or closes the 64th container.
    fn look_at(
        &mut self,
        class: Class,
        before: Expect,
        watched: bool,
        at: u64,
    ) -> Result<(), SyntaxFault> {
        match class {
            Class::Quote if before.is_key() => self.begin(Reading::Key, at),
            Class::Quote | Class::Scalar => {
                self.value(class, at)?;
            }
            Class::Colon => {}
            Class::Comma => {
                if self.place == Level::Cases {
                    self.end_other_item(at);
                    self.parting = at;
                }
            }
            Class::OpenObject | Class::OpenList => {
                let entered = if watched { self.value(class, at)? } else { None };
                if !self.open.push(class == Class::OpenObject) {
                    return Err(SyntaxFault::invalid(at, "nested deeper than a million levels"));
                }
                if let Some(place) = entered {
                    self.place = place;
                }
            }
            Class::CloseObject | Class::CloseList => {
                if watched {
                    self.leave(at)?;
                }
                self.expect = self.open.pop();
            }
        }
        Ok(())
    }

    /// A value begins in the watched container: the next level, if there is one.
    fn value(&mut self, class: Class, at: u64) -> Result<Option<Level>, SyntaxFault> {
        match (self.place, class) {
            (Level::Start, Class::OpenObject) => Ok(Some(Level::Set)),
            (Level::Start, Class::OpenList) if self.takes_older => {
                self.is_older = true;
                self.list_seen = true;
                self.outline.list_open = at;
                self.parting = at;
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
                self.list_seen = true;
                self.outline.list_open = at;
                self.parting = at;
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
                self.turns += 1;
                Ok(None)
            }
            (Level::Cases, Class::OpenObject) => {
                self.case_start = at;
                self.turns = 0;
                self.has_id = false;
                self.has_conversation = false;
                self.has_scenario = false;
                self.has_data = false;
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
                self.has_conversation = true;
                Ok(Some(Level::Conversation))
            }
            (Level::Case, Class::OpenObject) if self.key == Key::Scenario => {
                self.has_scenario = true;
                Ok(None)
            }
            (Level::Conversation, Class::OpenObject) => {
                self.turns += 1;
                Ok(Some(Level::Invocation))
            }
            (Level::Case | Level::Invocation, Class::Quote) if self.key == Key::Id => {
                self.has_id |= self.place == Level::Case;
                self.begin(Reading::Id, at);
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// An item of the list of cases ends before `at`. One that is not an object counts as a case, so that
    /// its reader reports the fault.
    fn end_other_item(&mut self, at: u64) {
        if let Some(start) = self.other_item.take() {
            self.turns = 0;
            self.outline.last = Some(LastCase { parting: self.parting, start, end: at });
            self.outline.cases += 1;
        }
    }

    fn leave(&mut self, at: u64) -> Result<(), SyntaxFault> {
        self.place = match self.place {
            Level::Start | Level::Set => Level::Start,
            Level::Cases => {
                self.end_other_item(at);
                if self.is_older && self.outline.cases == 0 {
                    self.is_one_case = true;
                    let start = self.outline.list_open;
                    self.outline.last = Some(LastCase { parting: start, start, end: at + 1 });
                    self.outline.cases = 1;
                }
                self.outline.list_close = at;
                self.list_closed = true;
                if self.is_older { Level::Start } else { Level::Set }
            }
            // The first item determines whether they are sessions.
            Level::Case if self.is_older && self.outline.cases == 0 && !self.has_data => {
                self.is_one_case = true;
                self.turns = 1;
                Level::Cases
            }
            Level::Case => {
                self.outline.last =
                    Some(LastCase { parting: self.parting, start: self.case_start, end: at + 1 });
                self.outline.cases += 1;
                let lacks = match (self.has_id, self.has_conversation, self.has_scenario) {
                    (true, true, false) | (true, false, true) => None,
                    (false, ..) => Some("ADK requires an \"eval_id\" in each case; add one"),
                    (true, false, false) => Some(
                        "ADK requires a \"conversation\" or a \"conversation_scenario\" in each \
                         case; add one, or remove the case",
                    ),
                    (true, true, true) => Some(
                        "ADK requires a \"conversation\" or a \"conversation_scenario\" in each \
                         case, not both; remove one",
                    ),
                };
                let fault =
                    lacks.map(|reason| SyntaxFault::not_an_eval_set(self.case_start, reason));
                self.incomplete = self.incomplete.or(fault);
                Level::Cases
            }
            Level::Conversation => Level::Case,
            Level::Invocation => Level::Conversation,
        };
        self.key = Key::Other;
        Ok(())
    }
}

/// The content of a string without escapes; `None` if whitespace follows it, or the next token is not in
/// the chunk.
fn whole_string<'b>(bytes: &'b [u8], quote: usize, after: Option<&u32>) -> Option<&'b [u8]> {
    match bytes.get(quote + 1..*after? as usize)? {
        [text @ .., b'"'] => Some(text),
        _ => None,
    }
}

/// How much whitespace precedes the end of the case in `bytes`, which begin at `at`.
fn white_before(bytes: &[u8], at: u64, case: &LastCase) -> u64 {
    let inside = |place: u64| usize::try_from(place.saturating_sub(at)).unwrap_or(usize::MAX);
    let text = bytes.get(inside(case.start)..inside(case.end)).unwrap_or_default();
    (text.len() - text.trim_ascii_end().len()) as u64
}
