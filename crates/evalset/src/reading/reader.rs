//! [`Reader`]: reads models from a text, and records every fault with its position.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use json_text::scan::{scalar_end, string_content, string_end};
use json_text::{JsonText, Kind, Position};

use super::case_fault::{CaseFault, CaseLocation, Problem, Severity};
use super::cursor::Cursor;
use super::path::{PathSegment, path_of};
use super::surrogate::lone_surrogate;

/// The levels of nesting that ADK's JSON parser reads, counted from the top of the file.
pub const DEPTH_LIMIT: usize = 201;

/// Where a separately read text begins in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin<'n> {
    /// The line of the text's first character, from 1.
    pub line: u64,
    /// Its column, from 1.
    pub column: u64,
    /// The index of the case, if the text is a case.
    pub case: Option<usize>,
    /// The id of a case whose text has none: for ADK's older list of turns, the file's name.
    pub eval_id: Option<&'n str>,
}

impl Origin<'_> {
    fn position(&self) -> Position {
        Position { line: self.line, column: self.column }
    }
}

impl Default for Origin<'_> {
    fn default() -> Self {
        Self { line: 1, column: 1, case: None, eval_id: None }
    }
}

/// Reads one text.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    cursor: Cursor<'a>,
    text: &'a str,
    origin: Origin<'a>,
    /// The nesting depth of the text in its file.
    around: usize,
    path: Vec<PathSegment<'a>>,
    /// The length of the path to the current case.
    case: Option<(usize, usize)>,
    faults: Vec<CaseFault>,
    unread: Vec<usize>,
    id_key: &'static str,
    /// The cases that have been read, by their ids.
    ids: HashMap<String, usize>,
    /// The last offset whose position was counted.
    counted: (usize, Position),
}

impl<'a> Reader<'a> {
    /// For `text`, which must be valid JSON.
    pub(crate) fn new(text: &'a str, origin: Origin<'a>) -> Self {
        Self {
            cursor: Cursor::new(text),
            text,
            origin,
            // The set, and the list of its cases.
            around: if origin.case.is_some() { 2 } else { 0 },
            path: Vec::new(),
            case: origin.case.map(|index| (0, index)),
            faults: Vec::new(),
            unread: Vec::new(),
            id_key: "eval_id",
            ids: HashMap::new(),
            counted: (0, origin.position()),
        }
    }

    /// The faults, and the indexes of the cases that cannot be read.
    pub(crate) fn finish(self) -> (Vec<CaseFault>, Vec<usize>) {
        (self.faults, self.unread)
    }

    pub(crate) fn kind(&mut self) -> Kind {
        self.cursor.kind()
    }

    pub(crate) fn offset(&mut self) -> usize {
        self.cursor.offset()
    }

    /// Another cursor at `offset`.
    pub(crate) fn cursor_at(&self, offset: usize) -> Cursor<'a> {
        let mut cursor = self.cursor.clone();
        cursor.go_to(offset);
        cursor
    }

    /// The end of the value that was just read.
    pub(crate) fn passed(&self) -> usize {
        self.cursor.passed()
    }

    /// The value at the cursor.
    pub(crate) fn between(&self, text: std::ops::Range<usize>) -> JsonText {
        verbatim(self.text.get(text).unwrap_or_default())
    }

    /// Notes that the case at `index` cannot be read.
    pub(crate) fn unread_case(&mut self, index: usize) {
        self.unread.push(index);
    }

    /// Notes a fault at `offset`.
    pub(crate) fn fault(&mut self, offset: usize, problem: Problem) {
        let (line, column) = self.line_and_column(offset);
        let (skipped, case) = match self.case {
            Some((length, index)) => (length, Some(CaseLocation { index, eval_id: None })),
            None => (0, None),
        };
        let path = path_of(self.path.get(skipped..).unwrap_or_default());
        self.faults.push(CaseFault { case, path, line, column, problem });
    }

    pub(super) fn line_and_column(&mut self, offset: usize) -> (u64, u64) {
        let bytes = self.text.as_bytes();
        let (mut from, mut position) = self.counted;
        if offset < from {
            (from, position) = (0, self.origin.position());
        }
        position = position.after(bytes.get(from..offset).unwrap_or_default());
        self.counted = (offset, position);
        (position.line, position.column)
    }

    /// Enters the next object. For another value, records the fault, skips it and returns false.
    pub(crate) fn enter_object(&mut self, wanted: &'static str) -> bool {
        self.enter(Kind::Object, wanted)
    }

    /// Enters the next list. For another value, records the fault, skips it and returns false.
    pub(crate) fn enter_list(&mut self, wanted: &'static str) -> bool {
        self.enter(Kind::Array, wanted)
    }

    fn enter(&mut self, kind: Kind, wanted: &'static str) -> bool {
        if self.kind() == kind {
            self.cursor.enter();
            return true;
        }
        self.wrong_type(wanted);
        false
    }

    /// Records that the next value has the wrong type, and skips it.
    pub(crate) fn wrong_type(&mut self, wanted: &'static str) {
        let found = with_article(self.kind());
        let offset = self.offset();
        self.fault(offset, Problem::WrongType { wanted, found });
        self.cursor.pass();
    }

    pub(crate) fn more(&mut self) -> bool {
        self.cursor.more()
    }

    /// The next key, and its offset.
    pub(crate) fn key(&mut self) -> (Cow<'a, str>, usize) {
        let offset = self.cursor.offset();
        (self.cursor.key(), offset)
    }

    /// Reads the value of `key`.
    pub(crate) fn under<T>(&mut self, key: Cow<'a, str>, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(PathSegment::Key(key));
        let value = read(self);
        self.path.pop();
        value
    }

    /// Reads the item at `index`.
    pub(crate) fn at<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(PathSegment::Index(index));
        let value = read(self);
        self.path.pop();
        value
    }

    /// The id of a case is the field `key`, or its camelCase form.
    pub(crate) fn set_id_key(&mut self, key: &'static str) {
        self.id_key = key;
    }

    /// Sets the nesting depth of the text in its file.
    pub(crate) fn add_outer_levels(&mut self, levels: usize) {
        self.around = levels;
    }

    /// Reads the case at `index` of a set; its faults get its id.
    pub(crate) fn case<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.offset();
        let first_fault = self.faults.len();
        let value = self.at(index, |reader| {
            let outer = reader.case.replace((reader.path.len(), index));
            let value = read(reader);
            if let Some(eval_id) = reader.id_at(start) {
                if let Some(&first) = reader.ids.get(&eval_id) {
                    reader.fault(start, Problem::DuplicateId { eval_id, first });
                } else {
                    reader.ids.insert(eval_id, index);
                }
            }
            reader.case = outer;
            value
        });
        if self.faults.len() > first_fault {
            self.name_faults(first_fault, start);
        }
        value
    }

    /// Gives the faults from `first` on the id of the case that begins at `start`.
    pub(crate) fn name_faults(&mut self, first: usize, start: usize) {
        let eval_id = self.id_at(start).or_else(|| self.origin.eval_id.map(str::to_owned));
        for fault in self.faults.iter_mut().skip(first) {
            if let Some(case) = &mut fault.case {
                case.eval_id.clone_from(&eval_id);
            }
        }
    }

    /// The id of the case that begins at `start`.
    fn id_at(&self, start: usize) -> Option<String> {
        let mut cursor = self.cursor_at(start);
        if cursor.kind() != Kind::Object {
            return None;
        }
        cursor.enter();
        while cursor.more() {
            let key = cursor.key();
            let is_id = key == self.id_key || self.id_key == "eval_id" && key == "evalId";
            if is_id && cursor.kind() == Kind::String {
                return cursor.string().ok().map(Cow::into_owned);
            }
            cursor.pass();
        }
        None
    }

    /// The next string. For another value, records the fault and skips it.
    pub(crate) fn string(&mut self) -> Option<Cow<'a, str>> {
        if self.kind() != Kind::String {
            self.wrong_type("a string");
            return None;
        }
        let offset = self.offset();
        match self.cursor.string() {
            Ok(string) => Some(string),
            Err(raw) => {
                let escape = lone_surrogate(raw).unwrap_or_default();
                self.fault(offset, Problem::LoneSurrogate { escape });
                None
            }
        }
    }

    /// Reads the next value, and has `look` read it again if it has no fault.
    pub(crate) fn read_and_look<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> T,
        look: impl FnOnce(&mut Self),
    ) -> T {
        let (start, before) = (self.offset(), self.faults.len());
        let value = read(self);
        let is_read = self.faults.iter().skip(before).all(|it| it.severity() != Severity::Error);
        if is_read {
            self.cursor.go_to(start);
            let looked = self.faults.len();
            look(self);
            // These were found by the first reading.
            let is_new = |fault: &CaseFault| {
                !matches!(fault.problem, Problem::RepeatedKey { .. } | Problem::TooLarge { .. })
            };
            let new: Vec<_> = self.faults.drain(looked..).filter(is_new).collect();
            self.faults.extend(new);
        }
        value
    }

    /// The text of the next value. Records what Python could not read.
    pub(crate) fn json(&mut self) -> JsonText {
        let offset = self.offset();
        let passed = self.cursor.pass();
        let above = self.around + self.path.len();
        if above + passed.depth > DEPTH_LIMIT {
            let (depth, limit) = (above + passed.depth, DEPTH_LIMIT);
            self.fault(offset, Problem::TooDeep { depth, limit });
        }
        if memchr::memmem::find(passed.text.as_bytes(), b"\\u").is_some()
            && let Some(escape) = lone_surrogate(passed.text)
        {
            self.fault(offset, Problem::LoneSurrogate { escape });
        }
        for (inside, problem) in value_faults(passed.text) {
            self.fault(offset + inside, problem);
        }
        verbatim(passed.text)
    }
}

/// What the format's own reader changes in a value, with offsets: of a repeated key it keeps the last
/// value, and it reads a number that is too large as infinity.
fn value_faults(text: &str) -> Vec<(usize, Problem)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // The keys of each object that is open; a list has none.
    let mut open: Vec<Option<HashSet<Cow<'_, str>>>> = Vec::new();
    let mut is_key = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at = match byte {
            b'"' => string_end(bytes, at),
            b'-' | b'0'..=b'9' => scalar_end(bytes, at),
            _ => at + 1,
        };
        let token = text.get(start..at).unwrap_or_default();
        match byte {
            b'{' => open.push(Some(HashSet::new())),
            b'[' => open.push(None),
            b'}' | b']' => drop(open.pop()),
            b'"' if is_key => {
                if let (Some(Some(keys)), Some(key)) = (open.last_mut(), string_content(token))
                    && !keys.insert(key.clone())
                {
                    found.push((start, Problem::RepeatedKey { key: key.into_owned() }));
                }
            }
            b'-' | b'0'..=b'9' if token.parse::<f64>().is_ok_and(f64::is_infinite) => {
                found.push((start, Problem::TooLarge { number: token.to_owned() }));
            }
            _ => {}
        }
        is_key = match byte {
            b'{' => true,
            b',' => matches!(open.last(), Some(Some(_))),
            b' ' | b'\t' | b'\n' | b'\r' => is_key,
            _ => false,
        };
    }
    found
}

fn verbatim(text: &str) -> JsonText {
    // Cut from text that is known to be JSON.
    JsonText::parse(text).unwrap_or_else(|_| JsonText::null())
}

fn with_article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "true or false",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "a list",
        Kind::Object => "an object",
    }
}
