//! [`Cases`]: iterates over the cases of a file in constant memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use evalset::{DetectedFormat, Format, FormatDetector, Origin};

use crate::AppendError;
use crate::error::IoContext as _;
use crate::explain::explain;
use crate::journal::Journal;
use crate::line_column::LineColumn;
use crate::place::{FilePaths, Roots};
use crate::scan::{Scan, Span};

/// The most cases inspected to detect the format of a file.
const FORMAT_SAMPLE: usize = 100;

/// The most text around the cases that is read, in bytes.
pub(crate) const LONGEST_FRAME: u64 = 16 << 20;

/// The cases of a file.
///
/// The file is checked as JSON while it is read: an error comes after the cases before it. Only one
/// chunk of the file is in memory.
///
/// In ADK's older format, a list of sessions has one case per session. A list of turns is a single
/// case: its text is the list, and its id is the file's name ([`stem`]).
///
/// ```
/// use evalset_file::Cases;
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("set.evalset.json");
/// std::fs::write(&path, r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "a"}, {"eval_id": "b"}]}"#)?;
/// let mut cases = Cases::open(&path)?;
/// let second = cases.nth(1).expect("two cases")?;
/// assert_eq!((second.index, second.eval_id.as_deref()), (1, Some("b")));
/// assert_eq!(cases.text(&second)?, r#"{"eval_id": "b"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Cases {
    file: File,
    path: PathBuf,
    scan: Scan,
    next: u64,
    ended: bool,
    counted: LineColumn,
}

/// The position of a case in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCase {
    /// Its index, from 0.
    pub index: u64,
    /// Its id, if it has one.
    pub eval_id: Option<String>,
    /// Its number of turns.
    pub turns: u64,
    /// The offset of its first byte.
    pub start: u64,
    /// The offset after its last byte.
    pub end: u64,
}

impl Cases {
    /// Opens a file.
    ///
    /// # Errors
    /// The file does not exist or cannot be opened, or a write to it was interrupted and the next write
    /// must recover it first.
    pub fn open(path: &Path) -> Result<Self, AppendError> {
        // A pipe has no real path.
        let metadata = std::fs::metadata(path).during("opening", path)?;
        if metadata.is_dir() {
            return Err(AppendError::Directory { path: path.to_owned() });
        }
        if !metadata.is_file() {
            return Err(AppendError::NotAFile { path: path.to_owned(), kind: "pipe or device" });
        }
        let place = FilePaths::of(path, &Roots::Anywhere)?;
        let file = File::open(&place.file).during("opening", path)?;
        let metadata = file.metadata().during("looking at", path)?;
        if half_written(&file, &place) {
            return Err(AppendError::HalfWritten { path: path.to_owned() });
        }
        Ok(Self {
            file,
            path: path.to_owned(),
            scan: Scan::new(metadata.len()).with_older_lists(),
            next: 0,
            ended: false,
            counted: LineColumn::default(),
        })
    }

    /// Opens a file that may lack the set's id.
    ///
    /// # Errors
    /// Those of [`Cases::open`].
    pub(crate) fn open_any_set(path: &Path) -> Result<Self, AppendError> {
        let mut cases = Self::open(path)?;
        cases.scan = cases.scan.without_id();
        Ok(cases)
    }

    /// The format in which the cases of a file are read: the chosen one, or the detected one. A list stays
    /// in ADK's older format if ADK's is chosen.
    ///
    /// # Errors
    /// Those of [`Cases::declared_format`].
    pub fn format(path: &Path, chosen: Option<Format>) -> Result<Format, AppendError> {
        let declared = Self::declared_format(path)?;
        Ok(match chosen {
            Some(Format::Adk) if declared == Format::AdkLegacy => declared,
            Some(chosen) => chosen,
            None => declared,
        })
    }

    /// The format of a file, detected from its first 100 cases, or from the set's own fields if it has no
    /// case; ADK's by default.
    ///
    /// # Errors
    /// Those of [`Cases::open`], and read errors.
    pub fn declared_format(path: &Path) -> Result<Format, AppendError> {
        Ok(Self::inspected(path)?.1)
    }

    /// The format that something in the file shows, with that as the evidence; `None` if nothing does, so that the
    /// detected format is a guess.
    ///
    /// # Errors
    /// Those of [`Cases::declared_format`].
    pub fn shown_format(path: &Path) -> Result<Option<DetectedFormat>, AppendError> {
        Ok(Self::inspected(path)?.0)
    }

    fn inspected(path: &Path) -> Result<(Option<DetectedFormat>, Format), AppendError> {
        let mut cases = Self::open(path)?;
        let mut detector = FormatDetector::default();
        for place in 0..FORMAT_SAMPLE {
            let next = cases.next();
            if cases.is_older() {
                return Ok((Some(DetectedFormat::older()), Format::AdkLegacy));
            }
            let case = match next {
                Some(Ok(case)) => case,
                None if place == 0 => {
                    let frame = cases.frame()?.unwrap_or_default();
                    let format = evalset::read(frame.as_bytes()).format;
                    return Ok((None, format.unwrap_or(Format::Adk)));
                }
                _ => break,
            };
            if let Some(format) = detector.inspect(&cases.text(&case)?) {
                return Ok((Some(detector.detected()), format));
            }
        }
        Ok((None, Format::Adk))
    }

    /// Whether the file is a list in ADK's older format; known from the first case on.
    #[must_use]
    pub fn is_older(&self) -> bool {
        self.scan.is_older()
    }

    /// Whether the file is a list whose items are the turns of a single case.
    pub(crate) fn is_one_case(&self) -> bool {
        self.scan.is_one_case()
    }

    /// The number of bytes read, and the length of the file.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.scan.read(), self.scan.length())
    }

    /// The case's text.
    ///
    /// # Errors
    /// Read errors.
    pub fn text(&self, case: &FoundCase) -> Result<String, AppendError> {
        let mut text = String::new();
        self.text_into(case, &mut text)?;
        Ok(text)
    }

    /// Replaces `text` with the case's text, which saves allocations. Cheapest right after the case is
    /// found.
    ///
    /// # Errors
    /// Read errors.
    pub fn text_into(&self, case: &FoundCase, text: &mut String) -> Result<(), AppendError> {
        text.clear();
        let at_hand = self.scan.at_hand(case.start, case.end);
        if let Some(found) = at_hand.and_then(|bytes| simdutf8::basic::from_utf8(bytes).ok()) {
            text.push_str(found);
        } else {
            *text = self.between(case.start, case.end).during("reading", &self.path)?;
        }
        Ok(())
    }

    fn between(&self, from: u64, to: u64) -> io::Result<String> {
        let mut bytes = vec![0; usize::try_from(to - from).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut bytes, from)?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }

    /// The line on which the case begins, and its column in characters, both from 1. Cheap for cases in
    /// file order.
    ///
    /// # Errors
    /// Read errors.
    pub fn place(&mut self, case: &FoundCase) -> Result<(u64, u64), AppendError> {
        self.count_lines(case.start).during("reading", &self.path)
    }

    /// The same as an [`Origin`], to parse the case's text separately.
    ///
    /// # Errors
    /// Read errors.
    pub fn origin<'c>(&mut self, case: &'c FoundCase) -> Result<Origin<'c>, AppendError> {
        let (line, column) = self.place(case)?;
        let index = usize::try_from(case.index).ok();
        Ok(Origin { line, column, case: index, eval_id: case.eval_id.as_deref() })
    }

    fn count_lines(&mut self, to: u64) -> io::Result<(u64, u64)> {
        let from = if to < self.counted.at { LineColumn::default() } else { self.counted };
        self.counted = from.advance_to(&self.file, to)?;
        Ok((self.counted.line, self.counted.column))
    }

    /// The set without its cases, after all cases are read.
    ///
    /// # Errors
    /// Read errors.
    pub fn frame(&self) -> Result<Option<String>, AppendError> {
        Ok(self.frame_parts()?.map(|(head, tail)| head + &tail))
    }

    /// The text up to the `[` of the cases, and from their `]` on, after all cases are read.
    pub(crate) fn frame_parts(&self) -> Result<Option<(String, String)>, AppendError> {
        let Some(outline) = self.scan.outline() else { return Ok(None) };
        let length = self.scan.length();
        if outline.list_open + (length - outline.list_close) > LONGEST_FRAME {
            return Ok(None);
        }
        let read = |from, to| self.between(from, to).during("reading", &self.path);
        Ok(Some((read(0, outline.list_open + 1)?, read(outline.list_close, length)?)))
    }

    /// The line and column of the `]` after the cases, after all cases are read.
    pub(crate) fn end_of_list(&mut self) -> Result<Option<(u64, u64)>, AppendError> {
        let Some(close) = self.scan.outline().map(|outline| outline.list_close) else {
            return Ok(None);
        };
        self.count_lines(close).during("reading", &self.path).map(Some)
    }
}

impl Iterator for Cases {
    type Item = Result<FoundCase, AppendError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let found = match self.scan.next(&self.file).during("reading", &self.path) {
            Ok(Ok(Some(scanned))) => {
                let Span { start, end, .. } = scanned.span;
                let index = self.next;
                self.next += 1;
                let eval_id = match self.is_one_case() {
                    true => Some(stem(&self.path)),
                    false => scanned.eval_id,
                };
                Ok(FoundCase { index, eval_id, turns: scanned.turns, start, end })
            }
            Ok(Ok(None)) => {
                self.ended = true;
                return None;
            }
            Ok(Err(fault)) => Err(explain(&self.file, &self.path, fault, None)),
            Err(error) => Err(error),
        };
        self.ended = found.is_err();
        Some(found)
    }
}

/// A file's name without the extension of an eval set or of ADK's history. ADK uses it as the id of a
/// case whose turns are the whole file.
#[must_use]
pub fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let ends = [".evalset_result.json", ".evalset.json", ".test.json", ".json"];
    ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name).to_owned()
}

/// Whether a journal shows an unfinished write. Readers take no lock, so a write in progress looks the
/// same.
fn half_written(file: &File, place: &FilePaths) -> bool {
    let journal = std::fs::read(&place.journal).ok();
    let Some(journal) = journal.as_deref().and_then(Journal::from_bytes) else { return false };
    journal.is_under_way(file).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legacy_sessions_are_cases() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.test.json");
        let second = r#"{"data": [{"query": "q", "name": "no"}, {"query": "r"}], "name": "b", "x": {"name": "no", "data": [1]}}"#;
        std::fs::write(&path, format!("[\n{{\"name\": \"a\", \"data\": []}},\n {second}]"))
            .expect("written");
        let mut cases = Cases::open(&path).expect("opened");
        let found: Vec<_> = cases.by_ref().map(|case| case.expect("a session")).collect();
        assert!(cases.is_older());
        let expected: Vec<_> =
            found.iter().map(|case| (case.eval_id.as_deref(), case.turns)).collect();
        assert_eq!(expected, [(Some("a"), 0), (Some("b"), 2)]);
        assert_eq!(cases.text(&found[1]).expect("read"), second);
        assert_eq!(cases.place(&found[1]).expect("read"), (3, 2));
        assert_eq!(cases.frame().expect("read").as_deref(), Some("[]"));
        assert_eq!(Cases::declared_format(&path).expect("read"), Format::AdkLegacy);
    }

    #[test]
    fn item_that_is_not_an_object_counts_as_a_case() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.json");
        let long = " ".repeat(300 << 10);
        for item in ["7", "-1.5e3", "null", r#""a, ]\" b""#, "[]", r#"[{"eval_id": "x"}, [1, {}]]"#]
        {
            for white in ["", " ", "\n  ", &long] {
                let items = [r#"{"eval_id": "a"}"#, item, r#"{"eval_id": "b"}"#, item];
                let list = items.join(&format!("{white},{white}"));
                let text = format!(r#"{{"eval_set_id": "s", "eval_cases": [{list}{white}]}}"#);
                std::fs::write(&path, text).expect("written");
                let mut cases = Cases::open(&path).expect("opened");
                let mut found = Vec::new();
                while let Some(case) = cases.next() {
                    let case = case.expect("scanned");
                    let text = cases.text(&case).expect("read");
                    found.push((case.eval_id, text));
                }
                let ids = [Some("a"), None, Some("b"), None].map(|id| id.map(str::to_owned));
                let expected: Vec<_> = ids.into_iter().zip(items.map(str::to_owned)).collect();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn error_follows_the_cases_before_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.json");
        let long = "x".repeat(300 << 10);
        let first = format!(r#"{{"eval_id": "a", "x": "{long}"}}"#);
        // A case that ends in the same block as the fault is not found.
        let space = " ".repeat(64);
        for (behind, reason) in [
            (
                &b"nonsense"[..],
                "neither a number nor true, false, null; a string needs double quotes",
            ),
            (b"{\"eval_id\": \"c\", \"x\": \"\xff\"}]}", "the text is not UTF-8"),
        ] {
            let before = format!(r#"{{"eval_cases": [{first}, {{"eval_id": "b"}},{space}"#);
            std::fs::write(&path, [before.as_bytes(), behind].concat()).expect("written");
            let mut cases = Cases::open(&path).expect("opened");
            let found: Vec<_> = (&mut cases).take(2).map(|case| case.expect("valid")).collect();
            let fault = cases.next().expect("the fault").expect_err("broken");
            assert!(fault.to_string().contains(reason), "{fault}");
            assert!(cases.next().is_none());
            // What was read last is not taken for what was before it.
            assert_eq!(cases.text(&found[0]).expect("read"), first);
            assert_eq!(cases.text(&found[1]).expect("read"), r#"{"eval_id": "b"}"#);
        }
    }

    #[test]
    fn list_of_queries_is_one_case() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.test.json");
        let long = format!(r#"[{{"query": "{}"}}, {{"query": "r"}}]"#, "é".repeat(200 << 10));
        for (text, turns) in [
            ("[]", 0),
            (r#"[{"query": "q", "name": "no"}]"#, 1),
            ("[{},\n {\"data\": []}, {\"x\": [{\"data\": [1]}]}]", 3),
            (&long, 2),
        ] {
            std::fs::write(&path, format!("\n  {text}\n")).expect("written");
            let mut cases = Cases::open(&path).expect("opened");
            let found: Vec<_> = cases.by_ref().map(|case| case.expect("a case")).collect();
            let [one] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!((one.index, one.eval_id.as_deref(), one.turns), (0, Some("old"), turns));
            assert_eq!(cases.text(one).expect("read"), text);
            let origin = cases.origin(one).expect("read");
            let at = Origin { line: 2, column: 3, case: Some(0), eval_id: Some("old") };
            assert_eq!(origin, at);
            assert_eq!(Cases::declared_format(&path).expect("read"), Format::AdkLegacy);
        }
    }

    #[test]
    fn legacy_list_of_other_values_has_no_cases() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.test.json");
        for (text, reason) in [
            ("[3]", "line 1, column 2: an item of the list is not an object"),
            (r#"[{"query": "q"}, []]"#, "line 1, column 18: an item of the list is not an object"),
            (r#"[{"query": "q"}"#, "the file ends inside a list; a ] is missing"),
        ] {
            std::fs::write(&path, text).expect("written");
            let first = Cases::open(&path).expect("opened").next().expect("the fault");
            let fault = first.expect_err("no case").to_string();
            assert!(fault.contains(reason), "{fault}");
            assert_eq!(Cases::declared_format(&path).expect("read"), Format::AdkLegacy);
        }
        std::fs::write(&path, r#"[{"query": "q"}] ]"#).expect("written");
        let mut cases = Cases::open(&path).expect("opened");
        assert!(cases.next().is_some_and(|case| case.is_ok()));
        assert!(cases.next().is_some_and(|fault| fault.is_err()));
    }

    #[test]
    fn name_without_extensions() {
        for (path, name) in [
            ("evals/home.evalset.json", "home"),
            ("home.test.json", "home"),
            ("home.json", "home"),
            ("app_s_1.evalset_result.json", "app_s_1"),
            ("/dev/fd/63", "63"),
            (".json", ""),
        ] {
            assert_eq!(stem(Path::new(path)), name);
        }
    }
}
