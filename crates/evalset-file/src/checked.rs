//! [`CheckedCases`]: a file read case by case with all that is wrong in it, in constant memory.
//!
//! The file is scanned twice. The first scan checks it as a whole and reads what surrounds its cases, so
//! that faults are reported in file order, as [`evalset::read`] does. The second scan parses each case.
//! What is remembered are fingerprints of the ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use evalset::adk::LegacySet;
use evalset::{
    Case, CaseFault, CaseLocation, DetectedFormat, EvalSet, Format, FormatDetector, Layout,
    Problem, Reading, read_case,
};
use json_text::Position;
use xxhash_rust::xxh3::xxh3_64;

use crate::AppendError;
use crate::cases::{Cases, LONGEST_FRAME};

/// A file that is not a set of cases, or has too much text around them, is read as a whole up to this
/// length, for a better error.
const WHOLE_UP_TO: u64 = 64 << 20;

/// What a file turned out to be.
#[derive(Debug)]
pub enum Checked {
    /// A set, whose cases are read one by one.
    Cases(Box<CheckedCases>),
    /// Something else, read as a whole: the older list that is the turns of one case, and what is no
    /// set of cases.
    Whole(Box<Reading>),
    /// Not JSON, and long: this is wrong with it.
    Broken(CaseFault),
}

/// A set whose cases are read one by one, each with its faults.
///
/// ```
/// use evalset_file::{Checked, CheckedCases};
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("set.evalset.json");
/// std::fs::write(&path, r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [{}]}]}"#)?;
/// let Checked::Cases(mut cases) = CheckedCases::open(&path)? else { panic!("a set") };
/// assert!(cases.faults_before().is_empty());
/// let case = cases.next().expect("one case")?;
/// assert_eq!(
///     case.faults[0].to_string(),
///     "line 1, column 71, case \"a\" at conversation[0]: an invocation needs \"user_content\"; add it"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CheckedCases {
    cases: Cases,
    format: Format,
    evidence: String,
    /// The text up to the `[` of the cases, and from their `]` on.
    around: (String, String),
    before: Vec<CaseFault>,
    behind: Vec<CaseFault>,
    /// The ids that were met, as fingerprints, and which case has each.
    ids: HashMap<u64, usize>,
}

/// A case as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedCase {
    /// Its index, from 0.
    pub index: usize,
    /// The case; none when it cannot be read.
    pub case: Option<Case>,
    /// Its text.
    pub text: String,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The column there, in characters, from 1.
    pub column: u64,
    /// What is wrong in it, in the order of the file.
    pub faults: Vec<CaseFault>,
}

impl CheckedCases {
    /// Opens a file, and goes through it once.
    ///
    /// # Errors
    /// The file does not exist, cannot be read, or has an unfinished write. Faults in its content are not
    /// errors.
    pub fn open(path: &Path) -> Result<Checked, AppendError> {
        Self::open_as(path, None)
    }

    /// Opens a file as [`CheckedCases::open`] does, in the given format, if there is one.
    ///
    /// # Errors
    /// Those of [`CheckedCases::open`].
    pub fn open_as(path: &Path, chosen: Option<Format>) -> Result<Checked, AppendError> {
        let mut cases = Cases::open_any_set(path)?;
        let length = cases.progress().1;
        let mut detector = FormatDetector::default();
        let mut sure = chosen.map(DetectedFormat::chosen);
        let around = loop {
            match cases.next() {
                Some(Ok(_)) if cases.is_one_case() => return read_whole(path, chosen),
                Some(Ok(_)) if cases.is_older() && chosen == Some(Format::AgentFlow) => {
                    return read_whole(path, chosen);
                }
                Some(Ok(_)) if cases.is_older() => sure = Some(DetectedFormat::older()),
                Some(Ok(case)) if sure.is_none() => {
                    let found = detector.inspect(&cases.text(&case)?);
                    sure = found.map(|_| detector.detected());
                }
                Some(Ok(_)) => {}
                None => break cases.frame_parts()?,
                Some(Err(error)) => return not_a_set(path, length, error, chosen),
            }
        };
        let (Some((head, tail)), Some(end)) = (around, cases.end_of_list()?) else {
            if length <= WHOLE_UP_TO {
                return read_whole(path, chosen);
            }
            return Err(AppendError::FrameTooLong { path: path.to_owned(), limit: LONGEST_FRAME });
        };
        // A set with "eval_cases" is ADK's if no case shows the format.
        let DetectedFormat { format, evidence } = sure.unwrap_or_else(|| detector.detected());
        let mut before = evalset::read_as(format!("{head}{tail}").as_bytes(), format).faults;
        let begins = end_of(&head);
        let mut behind =
            before.split_off(before.partition_point(|fault| (fault.line, fault.column) < begins));
        for fault in &mut behind {
            if fault.line == begins.0 {
                fault.column = fault.column - begins.1 + end.1;
            }
            fault.line = fault.line - begins.0 + end.0;
        }
        let cases = Cases::open_any_set(path)?;
        let around = (head, tail);
        let ids = HashMap::new();
        Ok(Checked::Cases(Box::new(Self { cases, format, evidence, around, before, behind, ids })))
    }

    /// What shows the format.
    #[must_use]
    pub fn evidence(&self) -> &str {
        &self.evidence
    }

    /// The detected format of the cases.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Faults before the cases.
    #[must_use]
    pub fn faults_before(&self) -> &[CaseFault] {
        &self.before
    }

    /// Faults after the cases.
    #[must_use]
    pub fn faults_after(&self) -> &[CaseFault] {
        &self.behind
    }

    /// The number of bytes read, and the length of the file.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        self.cases.progress()
    }

    /// The set with `first` for its only case, or with none; none when the set cannot be read.
    #[must_use]
    pub fn set_with(&self, first: Option<&Case>) -> Option<EvalSet> {
        let (head, tail) = &self.around;
        // A list that was read empty would be remembered as one, and written so without cases.
        let text = first.map(|case| case.to_json().laid_out(&Layout::compact()));
        let text = format!("{head}{}{tail}", text.unwrap_or_default());
        let mut set = evalset::read_as(text.as_bytes(), self.format).set?;
        match (&mut set, first.cloned()) {
            (_, None) => {}
            (EvalSet::Adk(set), Some(Case::Adk(case))) => set.eval_cases = vec![case],
            (EvalSet::AgentFlow(set), Some(Case::AgentFlow(case))) => set.eval_cases = vec![case],
            (EvalSet::AdkLegacy(set), Some(Case::AdkLegacy(case))) => {
                *set = LegacySet::Sessions(vec![case]);
            }
            _ => return None,
        }
        Some(set)
    }
}

impl Iterator for CheckedCases {
    type Item = Result<CheckedCase, AppendError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_next().transpose()
    }
}

impl CheckedCases {
    fn read_next(&mut self) -> Result<Option<CheckedCase>, AppendError> {
        let Some(found) = self.cases.next().transpose()? else { return Ok(None) };
        let text = self.cases.text(&found)?;
        let origin = self.cases.origin(&found)?;
        let (line, column) = (origin.line, origin.column);
        let index = usize::try_from(found.index).unwrap_or(usize::MAX);
        let (case, mut faults) = read_case(&text, self.format, origin);
        let eval_id = case.as_ref().map(|case| case.eval_id().to_owned()).or(found.eval_id);
        if let Some(eval_id) = eval_id {
            match self.ids.entry(xxh3_64(eval_id.as_bytes())) {
                Entry::Vacant(free) => {
                    free.insert(index);
                }
                Entry::Occupied(taken) => {
                    let case = Some(CaseLocation { index, eval_id: Some(eval_id.clone()) });
                    let problem = Problem::DuplicateId { eval_id, first: *taken.get() };
                    let at = faults.partition_point(|it| (it.line, it.column) <= (line, column));
                    faults
                        .insert(at, CaseFault { case, path: String::new(), line, column, problem });
                }
            }
        }
        Ok(Some(CheckedCase { index, case, text, line, column, faults }))
    }
}

/// The result for a file that is not a set of cases.
fn not_a_set(
    path: &Path,
    length: u64,
    error: AppendError,
    chosen: Option<Format>,
) -> Result<Checked, AppendError> {
    let broken = |line, column, problem| {
        Checked::Broken(CaseFault { case: None, path: String::new(), line, column, problem })
    };
    match error {
        AppendError::InvalidJson { line, column, reason, .. } if length > WHOLE_UP_TO => {
            Ok(broken(line, column, Problem::NotJson { reason: reason.to_owned() }))
        }
        AppendError::ByteOrderMark { .. } if length > WHOLE_UP_TO => {
            Ok(broken(1, 1, Problem::ByteOrderMark))
        }
        AppendError::NotAnEvalSet { .. } | AppendError::CasesTwice { .. }
            if length > WHOLE_UP_TO =>
        {
            Err(error)
        }
        AppendError::InvalidJson { .. }
        | AppendError::ByteOrderMark { .. }
        | AppendError::NotAnEvalSet { .. }
        | AppendError::CasesTwice { .. } => read_whole(path, chosen),
        error => Err(error),
    }
}

fn read_whole(path: &Path, chosen: Option<Format>) -> Result<Checked, AppendError> {
    let bytes = std::fs::read(path).map_err(|source| AppendError::Io {
        path: path.to_owned(),
        operation: "reading",
        source,
    })?;
    let reading = match chosen {
        // Only ADK's older format is a list, which is detected with certainty.
        Some(Format::Adk) if is_list(&bytes) => evalset::read(&bytes),
        Some(format) => evalset::read_as(&bytes, format),
        None => evalset::read(&bytes),
    };
    Ok(Checked::Whole(Box::new(reading)))
}

fn is_list(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[')
}

/// The line and column of the end of a text, both from 1.
fn end_of(text: &str) -> (u64, u64) {
    let Position { line, column } = Position::START.after(text.as_bytes());
    (line, column)
}
