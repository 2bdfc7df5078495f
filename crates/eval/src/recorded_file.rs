//! [`read`]: the recorded cases of a file, whatever wrote it: an eval set, a test of `adk test`, or a conformance test.

use std::io;
use std::path::{Path, PathBuf};

use evalset::Case;
use evalset::adk::EvalCase;
use json_text::{JsonIndex, JsonText, Kind};

use crate::recorded_events::{EventFault, RecordedTurns};
use crate::recorded_session::{RecordedCase, SessionFacts};
use crate::{adk_sessions, conformance};

/// What wrote a file with recorded cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedFormat {
    /// An eval set of google-adk or AgentFlow.
    EvalSet,
    /// A test of `adk test`, which is a session that `adk web` saved.
    AdkTest,
    /// A file of a conformance test: `spec.yaml`, or recordings that `adk conformance record` wrote.
    Conformance,
    /// The database in which `adk web` keeps sessions.
    AdkSessions,
}

/// Why a file has no recorded cases.
#[derive(Debug)]
pub(crate) enum RecordedFileError {
    /// It cannot be read.
    Read(io::Error),
    /// It is not valid. Each fault has its place.
    Invalid(RecordedFormat, Vec<String>),
}

impl RecordedFormat {
    /// The format of a file; `None` for one that cannot be read, and for others, such as suites.
    #[must_use]
    pub fn of_file(path: &Path) -> Option<Self> {
        Self::of(path, &std::fs::read(path).ok()?)
    }

    /// The format of a file with this name and content; `None` for other files, such as suites.
    #[must_use]
    pub fn of(path: &Path, content: &[u8]) -> Option<Self> {
        if adk_sessions::is_database(content) {
            return Some(Self::AdkSessions);
        }
        let text = std::str::from_utf8(content).ok()?;
        if conformance::is_conformance_test(path, text) {
            return Some(Self::Conformance);
        }
        let text = text.trim_start_matches('\u{feff}').trim();
        let json = JsonText::parse(text).ok()?;
        let document = JsonIndex::of(&json);
        let root = document.root();
        let has = |name| root.member(name).is_some();
        if root.kind() == Kind::Array {
            return Some(Self::EvalSet);
        }
        if has("cases") {
            return None;
        }
        if has("eval_cases") || has("evalCases") || has("eval_set_id") {
            return Some(Self::EvalSet);
        }
        has("events").then_some(Self::AdkTest)
    }

    /// The agent that the file names: a folder below the one that `adk web` serves.
    #[must_use]
    pub fn agent(self, path: &Path) -> Option<PathBuf> {
        match self {
            Self::Conformance => conformance::agent(path),
            Self::EvalSet | Self::AdkTest | Self::AdkSessions => None,
        }
    }

    /// Whether it has sessions as they ran, with everything that the user and the model said.
    #[must_use]
    pub fn is_of_sessions(self) -> bool {
        self != Self::EvalSet
    }

    /// Whether its cases say how the agent should act. In a session of `adk web`, it may have gone wrong.
    #[must_use]
    pub fn is_golden(self) -> bool {
        self != Self::AdkSessions
    }
}

/// The recorded cases of a file. Of a database with sessions, only the one with the id `only` is read, if it is given: others
/// may be broken.
///
/// # Errors
/// [`RecordedFileError`]
pub(crate) fn read(
    path: &Path,
    only: Option<&str>,
) -> Result<Vec<RecordedCase>, RecordedFileError> {
    let bytes = std::fs::read(path).map_err(RecordedFileError::Read)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let text = std::str::from_utf8(&bytes).ok();
    let format = RecordedFormat::of(path, &bytes);
    let faults = |format| {
        move |faults: Vec<EventFault>| {
            let faults = faults.iter().map(ToString::to_string).collect();
            RecordedFileError::Invalid(format, faults)
        }
    };
    match format {
        Some(format @ RecordedFormat::AdkSessions) => {
            adk_sessions::read(path, only).map_err(faults(format))
        }
        Some(format @ RecordedFormat::Conformance) => {
            Ok(vec![conformance::read(path).map_err(faults(format))?])
        }
        Some(format @ RecordedFormat::AdkTest) => {
            let text = text.unwrap_or_default().trim_start_matches('\u{feff}').trim();
            let session = JsonText::parse(text).unwrap_or_else(|_| JsonText::null());
            Ok(vec![of_session(&name, &session).map_err(faults(format))?])
        }
        Some(RecordedFormat::EvalSet) | None => of_eval_set(&name, &bytes),
    }
}

fn of_eval_set(name: &str, bytes: &[u8]) -> Result<Vec<RecordedCase>, RecordedFileError> {
    let invalid = |faults| RecordedFileError::Invalid(RecordedFormat::EvalSet, faults);
    let reading = evalset::read(bytes);
    if reading.has_errors() {
        return Err(invalid(reading.faults.iter().map(ToString::to_string).collect()));
    }
    let set = reading.set.ok_or_else(|| invalid(vec!["there are no cases".to_owned()]))?;
    let case = |case| RecordedCase { case, session: None };
    Ok(set.into_cases(name).into_iter().map(case).collect())
}

/// The case of a session, whose state is empty before its first message: `adk test` gives it none.
fn of_session(name: &str, session: &JsonText) -> Result<RecordedCase, Vec<EventFault>> {
    let RecordedTurns { turns, facts, .. } = RecordedTurns::read(session)?;
    let case = Case::Adk(EvalCase::new(name, turns));
    let facts = SessionFacts { calls: facts, ..SessionFacts::default() };
    Ok(RecordedCase { case, session: Some(facts) })
}
