//! [`EvalFile`]: an open file of either side.

use std::path::Path;
use std::sync::Arc;

use case_trace::CaseTrace;
use evalset::adk::EvalSetResult;
use evalset::{Format, Severity};
use evalset_file::Cases;

use crate::error::{RunError, ScoringFault};
use crate::facts::{FileFacts, Whole};
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

impl EvalFile {
    pub(crate) fn open(
        path: &Path,
        pairing: Pairing,
        format: Option<Format>,
    ) -> Result<Self, RunError> {
        let head = head(path)?;
        let facts = |format| Arc::new(FileFacts::of(path, format));
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
