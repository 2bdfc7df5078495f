//! [`EvalFile`]: an open file of either side.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use case_trace::{CaseTrace, InvalidField};
use evalset::adk::EvalSetResult;
use evalset::{Case, Format, Origin, Severity, read_case};
use evalset_file::{Cases, stem};

use crate::error::{RunError, ScoringFault};
use crate::line_index::LineIndex;
use crate::pairing::Pairing;
use crate::set_header::head;
use crate::stream::Stream;

/// An open file of either side.
#[derive(Debug)]
pub(crate) enum EvalFile {
    /// Streamed case by case.
    Stream(Stream),
    /// Read as a whole: ADK's history.
    Whole(Arc<FileFacts>, History),
}

/// A file of ADK's history.
#[derive(Debug)]
pub(crate) struct History {
    /// The set that was run.
    pub(crate) eval_set_id: String,
    pub(crate) cases: Vec<Whole>,
}

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

impl EvalFile {
    pub(crate) fn open(
        path: &Path,
        pairing: Pairing,
        format: Option<Format>,
    ) -> Result<Self, RunError> {
        let head = head(path)?;
        let facts = |format| {
            let lines = Mutex::new(LineIndex::of(path));
            Arc::new(FileFacts { path: path.to_owned(), format, stem: stem(path), lines })
        };
        if EvalSetResult::starts_like(&head) {
            return Ok(Self::Whole(facts(Format::Adk), history(path)?));
        }
        let facts = facts(Cases::format(path, format)?);
        Ok(Self::Stream(Stream::new(facts, Cases::open(path)?, pairing)))
    }
}

/// Whether a file is of ADK's history.
pub(crate) fn is_history(path: &Path) -> Result<bool, RunError> {
    head(path).map(|head| EvalSetResult::starts_like(&head))
}

fn history(path: &Path) -> Result<History, RunError> {
    let (result, faults) = EvalSetResult::read_file(&bytes(path)?);
    let Some(result) = result else { return Err(faulty(path, faults)) };
    let mut cases: Vec<Whole> = result
        .eval_case_results
        .iter()
        .map(|case| (case.eval_id.clone(), Ok(CaseTrace::of_result(case))))
        .collect();
    // Missing ones could not be read.
    for fault in faults.into_iter().filter(|fault| fault.severity() == Severity::Error) {
        let Some(eval_id) = fault.case.as_ref().and_then(|case| case.eval_id.clone()) else {
            continue;
        };
        if !cases.iter().any(|(known, _)| *known == eval_id) {
            let (path, fault) = (path.to_owned(), Box::new(fault));
            cases.push((eval_id, Err(ScoringFault::Faulty { path, fault })));
        }
    }
    Ok(History { eval_set_id: result.eval_set_id, cases })
}

fn bytes(path: &Path) -> Result<Vec<u8>, RunError> {
    std::fs::read(path).map_err(|cause| RunError::Unreadable { path: path.to_owned(), cause })
}

fn faulty(path: &Path, faults: Vec<evalset::CaseFault>) -> RunError {
    let path = path.to_owned();
    match faults.into_iter().next() {
        Some(fault) => RunError::Faulty { path, fault: Box::new(fault) },
        None => RunError::Unreadable { path, cause: std::io::Error::other("the file is empty") },
    }
}

impl FileFacts {
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
