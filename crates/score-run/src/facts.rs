//! [`FileFacts`]: what the cases of a file refer to.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use case_trace::{CaseTrace, InvalidField};
use evalset::{Case, Format, Origin, Severity, read_case};
use evalset_file::stem;

use crate::error::ScoringFault;
use crate::line_index::LineIndex;

/// [`CaseTrace::of`], or [`CaseTrace::of_expected`].
pub(crate) type TraceOf = fn(&Case) -> Result<CaseTrace, InvalidField>;

/// A case of a history file: its id, and its trace or why there is none.
pub(crate) type Whole = (String, Result<CaseTrace, ScoringFault>);

/// Facts about a file that its cases refer to.
#[derive(Debug)]
pub(crate) struct FileFacts {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    /// The id of a case without one: of ADK's older files with the turns of one case.
    stem: String,
    lines: Mutex<LineIndex>,
}

impl FileFacts {
    pub(crate) fn of(path: &Path, format: Format) -> Self {
        let lines = Mutex::new(LineIndex::of(path));
        Self { path: path.to_owned(), format, stem: stem(path), lines }
    }

    /// The id of a case by its text.
    pub(crate) fn id_in(&self, text: &str) -> Option<String> {
        let case: serde_json::Value = serde_json::from_str(text).ok()?;
        let eval_id = match self.format {
            Format::AdkLegacy if case.is_array() => return Some(self.stem.clone()),
            Format::AdkLegacy => case.get("name"),
            Format::Adk | Format::AgentFlow => case.get("evalId").or_else(|| case.get("eval_id")),
        };
        eval_id?.as_str().map(str::to_owned)
    }

    /// Parses a case's text, which begins at `start` in the file; an error has its place there.
    /// `trace` makes the trace of the parsed case.
    pub(crate) fn read(
        &self,
        text: &str,
        start: u64,
        index: u64,
        trace: TraceOf,
    ) -> Result<CaseTrace, ScoringFault> {
        let case = usize::try_from(index).ok();
        // The id of a case that is only a list of turns is the file's name.
        let is_whole_file = self.format == Format::AdkLegacy && text.starts_with('[');
        let eval_id = is_whole_file.then_some(self.stem.as_str());
        let parse = |origin: Origin<'_>| {
            let (case, faults) = read_case(text, self.format, origin);
            let fault = faults.into_iter().find(|fault| fault.severity() == Severity::Error);
            match (case, fault) {
                (Some(case), None) => Ok(case),
                (_, fault) => Err(fault.map(Box::new)),
            }
        };
        let read = parse(Origin { case, eval_id, ..Origin::default() }).or_else(|_| {
            // Parses again with the position, because errors are rare and counting lines is slow.
            let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            let (line, column) = lines.place(start).unwrap_or((1, 1));
            parse(Origin { line, column, case, eval_id })
        });
        let path = || self.path.clone();
        match read {
            Ok(case) => {
                trace(&case).map_err(|fault| ScoringFault::InvalidField { path: path(), fault })
            }
            Err(Some(fault)) => Err(ScoringFault::Faulty { path: path(), fault }),
            Err(None) => Err(ScoringFault::Unread { path: path(), index }),
        }
    }
}
