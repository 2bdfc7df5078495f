//! [`EvalFile`]: a file of either side, opened.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use case_trace::CaseTrace;
use evalset::adk::EvalSetResult;
use evalset::{Format, Origin, Reading, Severity, read_case};
use evalset_file::Cases;

use crate::error::{CaseFault, RunError};
use crate::heading::head;
use crate::lines::Lines;
use crate::pairing::Pairing;
use crate::plain::PlainCases;
use crate::room::Room;
use crate::stream::Stream;

/// A file of either side, opened.
#[derive(Debug)]
pub(crate) enum EvalFile {
    /// Gone through case by case.
    Stream(Stream),
    /// Read as a whole: ADK's history, and the older list that is the turns of one case.
    Whole(Arc<FileFacts>, Vec<Whole>),
}

/// A case of a file that was read as a whole: its id, and its trace or why there is none.
pub(crate) type Whole = (String, Result<CaseTrace, CaseFault>);

/// What is known of a file while its cases are on their way.
#[derive(Debug)]
pub(crate) struct FileFacts {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    lines: Mutex<Lines>,
}

impl EvalFile {
    pub(crate) fn open(path: &Path, pairing: Pairing, room: &Arc<Room>) -> Result<Self, RunError> {
        let head = head(path)?;
        let facts = |format| {
            let lines = Mutex::new(Lines::of(path));
            Arc::new(FileFacts { path: path.to_owned(), format, lines })
        };
        if EvalSetResult::is_begun_by(&head) {
            return Ok(Self::Whole(facts(Format::Adk), history(path)?));
        }
        if head.trim_start_matches('\u{feff}').trim_start().starts_with('[')
            && !is_list_of_sessions(path)?
        {
            return Ok(Self::Whole(facts(Format::AdkLegacy), older(path)?));
        }
        let facts = facts(Cases::told_format(path)?);
        let plain = PlainCases::new(facts.format == Format::Adk, room);
        let cases = Cases::open_with(path, plain)?;
        Ok(Self::Stream(Stream::new(facts, cases, pairing)))
    }
}

/// Whether a file is of ADK's history.
pub(crate) fn is_history(path: &Path) -> Result<bool, RunError> {
    head(path).map(|head| EvalSetResult::is_begun_by(&head))
}

/// Whether an older list is one of sessions, which are gone through one by one.
fn is_list_of_sessions(path: &Path) -> Result<bool, RunError> {
    Ok(Cases::open(path)?.next().is_some_and(|first| first.is_ok()))
}

fn history(path: &Path) -> Result<Vec<Whole>, RunError> {
    let (result, faults) = EvalSetResult::read_file(&bytes(path)?);
    let Some(result) = result else { return Err(faulty(path, faults)) };
    let mut cases: Vec<Whole> = result
        .eval_case_results
        .iter()
        .map(|case| (case.eval_id.clone(), Ok(CaseTrace::of_result(case))))
        .collect();
    // Those that are not among them could not be read.
    for fault in faults.into_iter().filter(|fault| fault.severity() == Severity::Error) {
        let Some(eval_id) = fault.case.as_ref().and_then(|case| case.eval_id.clone()) else {
            continue;
        };
        if !cases.iter().any(|(known, _)| *known == eval_id) {
            let (path, fault) = (path.to_owned(), Box::new(fault));
            cases.push((eval_id, Err(CaseFault::Faulty { path, fault })));
        }
    }
    Ok(cases)
}

fn older(path: &Path) -> Result<Vec<Whole>, RunError> {
    let Reading { set, mut faults, .. } = evalset::read(&bytes(path)?);
    faults.retain(|fault| fault.severity() == Severity::Error);
    let Some(set) = set.filter(|_| faults.is_empty()) else { return Err(faulty(path, faults)) };
    let read = set.into_cases(&stem(path)).into_iter().map(|case| {
        let misread = |fault| CaseFault::Misread { path: path.to_owned(), fault };
        (case.eval_id().to_owned(), CaseTrace::of(&case).map_err(misread))
    });
    Ok(read.collect())
}

fn bytes(path: &Path) -> Result<Vec<u8>, RunError> {
    std::fs::read(path).map_err(|cause| RunError::Unreadable { path: path.to_owned(), cause })
}

fn faulty(path: &Path, faults: Vec<evalset::Fault>) -> RunError {
    let path = path.to_owned();
    match faults.into_iter().next() {
        Some(fault) => RunError::Faulty { path, fault: Box::new(fault) },
        None => RunError::Unreadable { path, cause: std::io::Error::other("nothing is in it") },
    }
}

/// What a file is called without what says that it is an eval set.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let ends = [".evalset_result.json", ".evalset.json", ".test.json", ".json"];
    ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name).to_owned()
}

impl FileFacts {
    /// Reads a case's text, which begins at `start` in the file, by its model; an error tells its
    /// place there.
    pub(crate) fn read(&self, text: &str, start: u64, index: u64) -> Result<CaseTrace, CaseFault> {
        let case = usize::try_from(index).ok();
        let sound = |origin: Origin| {
            let (case, faults) = read_case(text, self.format, origin);
            let fault = faults.into_iter().find(|fault| fault.severity() == Severity::Error);
            match (case, fault) {
                (Some(case), None) => Ok(case),
                (_, fault) => Err(fault.map(Box::new)),
            }
        };
        let read = sound(Origin { case, ..Origin::default() }).or_else(|_| {
            // Once more, with the place: faults are rare, and counting lines is not free.
            let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            let (line, column) = lines.place(start).unwrap_or((1, 1));
            sound(Origin { line, column, case })
        });
        let path = || self.path.clone();
        match read {
            Ok(case) => {
                CaseTrace::of(&case).map_err(|fault| CaseFault::Misread { path: path(), fault })
            }
            Err(Some(fault)) => Err(CaseFault::Faulty { path: path(), fault }),
            Err(None) => Err(CaseFault::Unread { path: path(), index }),
        }
    }
}
