//! Scans an eval-set file: checks it, and finds its cases and ids.
//!
//! The scan checks the whole file as UTF-8 and as JSON with one chunk of it in memory, and yields the
//! cases one by one.

mod grammar;
mod keys;
mod outline;
mod scalar;
mod structure;
mod syntax_fault;
mod text;
mod utf8;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

pub(crate) use outline::{Outline, ScannedCase, Span};
use structure::Structure;
pub(crate) use syntax_fault::{SyntaxFault, SyntaxFaultKind};
use utf8::Utf8;

/// Bytes read at a time.
const CHUNK: usize = 256 << 10;

/// A scan in progress. It has one chunk of the file, and the cases that ended in it.
#[derive(Debug)]
pub(crate) struct Scan {
    length: u64,
    /// The offset of the next chunk.
    at: u64,
    /// The offset of the current chunk.
    chunk: u64,
    structure: Structure,
    utf8: Utf8,
    buffer: Vec<u8>,
    outline: Option<Outline>,
    /// The fault after the last cases found.
    fault: Option<SyntaxFault>,
    /// Whether a set must have an id.
    needs_id: bool,
}

impl Scan {
    /// At the start of a file of `length` bytes.
    pub(crate) fn new(length: u64) -> Self {
        Self {
            length,
            at: 0,
            chunk: 0,
            structure: Structure::default(),
            utf8: Utf8::default(),
            buffer: vec![0; CHUNK],
            outline: None,
            fault: None,
            needs_id: true,
        }
    }

    /// Accepts a set without an id.
    pub(crate) fn without_id(mut self) -> Self {
        self.needs_id = false;
        self
    }

    /// Accepts ADK's older lists.
    pub(crate) fn with_older_lists(mut self) -> Self {
        self.structure.take_older_lists();
        self
    }

    /// Looks for turns with these invocation ids.
    pub(crate) fn looking_for(mut self, invocation_ids: Vec<String>) -> Self {
        self.structure.look_for(invocation_ids);
        self
    }

    /// Whether the file is an older list.
    pub(crate) fn is_older(&self) -> bool {
        self.structure.is_older()
    }

    /// Whether the file is a list whose items are the turns of one case.
    pub(crate) fn is_one_case(&self) -> bool {
        self.structure.is_one_case()
    }

    /// The number of bytes read.
    pub(crate) fn read(&self) -> u64 {
        self.at
    }

    /// The length of the file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The bytes of a range, if it is in the current chunk.
    pub(crate) fn at_hand(&self, from: u64, to: u64) -> Option<&[u8]> {
        let begin = usize::try_from(from.checked_sub(self.chunk)?).ok()?;
        let length = usize::try_from(self.at - self.chunk).ok()?;
        self.buffer.get(..length)?.get(begin..usize::try_from(to - self.chunk).ok()?)
    }

    /// The outline of the file, after it is read completely.
    pub(crate) fn outline(&self) -> Option<&Outline> {
        self.outline.as_ref()
    }

    /// Why a file that was read completely could not be loaded with the case that is to be appended: an
    /// item is not an object, or with `of_adk`, a case lacks a field that ADK requires.
    pub(crate) fn unloadable(&self, of_adk: bool) -> Option<SyntaxFault> {
        let incomplete = self.structure.incomplete_for_adk().filter(|_| of_adk);
        let faults = [self.structure.no_object(), incomplete].into_iter().flatten();
        faults.min_by_key(|fault| fault.at)
    }

    /// The next case; `None` at the end of a valid file.
    ///
    /// # Errors
    /// The outer error is an I/O error; the inner one is a fault of the file.
    pub(crate) fn next(
        &mut self,
        file: &File,
    ) -> io::Result<Result<Option<ScannedCase>, SyntaxFault>> {
        loop {
            if let Some(case) = self.structure.next_case() {
                return Ok(Ok(Some(case)));
            }
            if let Some(fault) = self.fault {
                return Ok(Err(fault));
            }
            if self.outline.is_some() {
                return Ok(Ok(None));
            }
            if self.at < self.length {
                self.fault = self.read_chunk(file)?.err();
            } else {
                match self.finish() {
                    Ok(outline) => self.outline = Some(outline),
                    Err(fault) => self.fault = Some(fault),
                }
            }
        }
    }

    fn read_chunk(&mut self, file: &File) -> io::Result<Result<(), SyntaxFault>> {
        let length = usize::try_from(self.length - self.at).unwrap_or(CHUNK).min(CHUNK);
        let bytes = &mut self.buffer[..length];
        file.read_exact_at(bytes, self.at)?;
        self.chunk = self.at;
        self.at += length as u64;
        Ok(match self.utf8.take(bytes) {
            Ok(()) => self.structure.take(bytes, self.chunk),
            Err(valid) => self
                .structure
                .take(&bytes[..valid], self.chunk)
                .and(Err(SyntaxFault::invalid(self.chunk + valid as u64, "the text is not UTF-8"))),
        })
    }

    fn finish(&self) -> Result<Outline, SyntaxFault> {
        if !self.utf8.is_between() {
            return Err(SyntaxFault::invalid(self.length, "the text is not UTF-8"));
        }
        match self.needs_id {
            true => self.structure.finish(self.length),
            false => self.structure.finish_with_cases(self.length),
        }
    }
}

/// Checks that a text is exactly one case.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check_case(text: &str) -> io::Result<()> {
    let mut structure = Structure::in_list();
    if let Err(fault) = structure.take(text.as_bytes(), 0) {
        return Err(io::Error::other(format!("{:?} at byte {}", fault.kind, fault.at)));
    }
    match structure.next_case() {
        Some(case) if (case.span.start, case.span.end) == (0, text.len() as u64) => Ok(()),
        _ => Err(io::Error::other("the text is not exactly one object")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn scanned(bytes: &[u8]) -> Result<(Outline, Vec<ScannedCase>), SyntaxFault> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        let mut scan = Scan::new(bytes.len() as u64).looking_for(vec!["yes".to_owned()]);
        let mut cases = Vec::new();
        while let Some(case) = scan.next(&file).expect("read")? {
            cases.push(case);
        }
        let outline = *scan.outline().expect("at the end");
        scan.unloadable(true).map_or(Ok((outline, cases)), Err)
    }

    #[test]
    fn outline_gives_offsets() {
        let text = br#"{"eval_cases": [{"eval_id": "a", "conversation": []}, {"conversationScenario": null, "conversation": [{"invocation_id": "i"}], "evalId": "b"}], "eval_set_id": ""}"#;
        let (outline, cases) = scanned(text).expect("an eval set");
        let last = Span { parting: 52, start: 54, end: 141 };
        assert_eq!(outline, Outline { list_open: 15, list_close: 141, last: Some(last), cases: 2 });
        let found = |eval_id: &str, turns, span| ScannedCase {
            span,
            eval_id: Some(eval_id.to_owned()),
            turns,
            has_wanted_turn: false,
        };
        let first = Span { parting: 15, start: 16, end: 52 };
        assert_eq!(cases, [found("a", 0, first), found("b", 1, last)]);
    }

    #[test]
    fn nested_eval_ids_are_ignored() {
        let text = br#"{"eval_id": "no", "eval_set_id": "s", "x": {"eval_cases": [{"eval_id": "no"}]},
            "eval_cases": [{"x": {"eval_id": "no", "conversation": [{"invocation_id": "yes"}]},
            "conversation": [[{"invocation_id": "yes"}], {"y": [{"invocation_id": "yes"}], "invocationId": "other"}],
            "e\u0076alId": "y\u0065s", "eval_id": null, "text": "\"eval_id\": \"no\""},
            {"eval_id": "a", "conversation": [{"invocation_id": "y\u0065s"}]}]}"#;
        let (_, cases) = scanned(text).expect("an eval set");
        let found: Vec<_> =
            cases.iter().map(|it| (it.eval_id.as_deref(), it.has_wanted_turn)).collect();
        assert_eq!(found, [(Some("yes"), false), (Some("a"), true)]);
    }

    #[test]
    fn chunks_may_end_anywhere() {
        let text = "{\"eval_set_id\":\"s\" , \"eval_cases\" :[{\"eval_id\":\"\\u00e9\\\"é\",\"conversation\":[{\"invocation_id\":\"yes\"}],\"n\":[-1.5e+3,true]} ,7 , {\"evalId\":\"b\"}]}";
        let scan = |parts: &[&[u8]]| {
            let mut structure = Structure::default();
            structure.look_for(vec!["yes".to_owned()]);
            let mut base = 0;
            for part in parts {
                structure.take(part, base).expect("sound");
                base += part.len() as u64;
            }
            let cases: Vec<_> = std::iter::from_fn(|| structure.next_case()).collect();
            (structure.finish(base).expect("an eval set"), cases)
        };
        let whole = scan(&[text.as_bytes()]);
        let ids: Vec<_> = whole.1.iter().map(|case| case.eval_id.as_deref()).collect();
        assert_eq!(ids, [Some("é\"é"), None, Some("b")]);
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let bytes = text.as_bytes();
                let parts = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(scan(&parts), whole, "{first} {second}");
            }
        }
    }

    #[test]
    fn case_that_is_checked_is_one_object() {
        for good in ["{}", r#"{"n": [NaN, {"a": "\u00e9"}]}"#] {
            check_case(good).expect("one object");
        }
        for bad in ["", "{", "{} ", "{},{}", "[]", "7", r#"{"a": 01}"#] {
            assert!(check_case(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn nesting_is_followed_and_bounded() {
        let nested = |depth: usize| {
            let (open, close) = ("[".repeat(depth), "]".repeat(depth));
            format!("{{\"x\":{open}{close},\"eval_set_id\":\"s\",\"eval_cases\":[]}}")
        };
        assert!(scanned(nested(100_000).as_bytes()).is_ok());
        assert!(scanned(nested(1 << 20).as_bytes()).is_err());
    }

    fn json_like() -> impl Strategy<Value = Vec<u8>> {
        let token = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\",
            "\"a\"",
            "\"a\":",
            "null",
            "true",
            "1",
            "-",
            "0",
            ".5",
            "e3",
            " ",
            "\n",
            "\\u00e9",
            "\\n",
            "é",
            "\u{1}",
            "x",
            "\"\\\\\"",
            "{\"b\":[1,2]}",
            "                                                                ",
        ]);
        prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat().into_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn grammar_matches_serde_json(middle in json_like(), flip in any::<(u16, u8)>(), lead in 0_usize..70) {
            let mut valid = format!("{{\"eval_set_id\":\"s\",{}\"x\":", " ".repeat(lead)).into_bytes();
            valid.extend_from_slice(&middle);
            valid.extend_from_slice(b",\"eval_cases\":[]}");
            let mut flipped = br#"{"eval_set_id":"s","x":[{"k":"v\u00e9\n","n":-1.5e+3,"l":[true,null]},"\\"],"eval_cases":[]}"#.to_vec();
            flipped.splice(18..18, std::iter::repeat_n(b' ', lead));
            let at = usize::from(flip.0) % flipped.len();
            flipped[at] = flip.1;
            for text in [valid, flipped] {
                let expected = std::str::from_utf8(&text).is_ok()
                    && serde_json::from_slice::<serde::de::IgnoredAny>(&text).is_ok();
                let found = match scanned(&text) {
                    Ok(_) => true,
                    Err(SyntaxFault { kind: SyntaxFaultKind::Invalid(_), .. }) => false,
                    // The rest of the file was not scanned.
                    Err(_) => continue,
                };
                prop_assert_eq!(found, expected, "{}", String::from_utf8_lossy(&text));
            }
        }
    }
}
