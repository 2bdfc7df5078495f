//! [`Golden`]: the recorded case of an eval set or a session that a case is made from or compared with.

use std::path::{Path, PathBuf};

use case_trace::{CaseRubrics, CaseTrace};
use evalset::Case;
use json_text::JsonText;
use scoring::{ToolCall, Trace};

use crate::message::{RecordedCalls, recorded_calls};
use crate::recorded::Recording;
use crate::recorded_file::{self, RecordedFileError};
use crate::recorded_session::{ASKING, RecordedCase, RecordedSession, as_adk};

/// A recorded case: what the user said, what tools returned and what the agent responded.
#[derive(Debug, Clone)]
pub struct Golden {
    /// Its id.
    pub id: String,
    /// What happened. The calls by which google-adk itself asks the user are not in it: their arguments differ from run
    /// to run.
    pub trace: Trace,
    /// The user and the model.
    pub session: RecordedSession,
    /// All calls by their ids.
    pub calls: RecordedCalls,
    /// Rubrics of the case and its turns.
    pub rubrics: CaseRubrics,
    /// The state before the first message.
    pub initial_state: JsonText,
    /// Labels.
    pub tags: Vec<String>,
}

/// Why a recorded case cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not a valid eval set.
    #[error("{} is not an eval set that can be read: {}", .path.display(), .faults.join("; "))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        faults: Vec<String>,
    },
    /// The file is not a recorded session that can be used.
    #[error("{} is not a recorded session that can be read: {}", .path.display(), .faults.join("; "))]
    InvalidSession {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        faults: Vec<String>,
    },
    /// The eval set has no such case.
    #[error("{} has no case {wanted}; {hint}", .path.display())]
    NoCase {
        /// The file.
        path: PathBuf,
        /// The id that was asked for.
        wanted: String,
        /// The nearest ids.
        hint: String,
    },
    /// The eval set has several cases, and none is named.
    #[error("{} has the cases {}; name one of them", .path.display(), .known.join(", "))]
    Several {
        /// The file.
        path: PathBuf,
        /// Their ids.
        known: Vec<String>,
    },
    /// The case has no recorded conversation.
    #[error("the case {0} has no recorded conversation")]
    NothingRecorded(String),
}

impl Golden {
    /// What its tools did.
    #[must_use]
    pub fn recording(&self) -> Recording {
        Recording::of_session(&self.trace, &self.session)
    }

    /// The case `wanted` of a file with recorded cases, or its only one.
    ///
    /// # Errors
    /// [`GoldenError`] if the eval set does not have the case, or if google-adk refuses the file.
    pub fn read(path: &Path, wanted: Option<&str>) -> Result<Self, GoldenError> {
        let invalid = |faults| GoldenError::Invalid { path: path.to_path_buf(), faults };
        let read = recorded_file::read(path, wanted).map_err(|error| match error {
            RecordedFileError::Read(source) => {
                GoldenError::Read { path: path.to_path_buf(), source }
            }
            RecordedFileError::Invalid(format, faults) if format.is_of_sessions() => {
                GoldenError::InvalidSession { path: path.to_path_buf(), faults }
            }
            RecordedFileError::Invalid(_, faults) => invalid(faults),
        })?;
        let mut recorded = Vec::new();
        for case in read {
            let found = CaseTrace::of_expected(&case.case);
            let found = found.map_err(|error| invalid(vec![error.to_string()]))?;
            recorded.push((found, case));
        }
        let known: Vec<String> = recorded.iter().map(|(found, _)| found.eval_id.clone()).collect();
        let at = match wanted {
            None if recorded.len() > 1 => {
                return Err(GoldenError::Several { path: path.to_path_buf(), known });
            }
            None => 0,
            Some(wanted) => known.iter().position(|id| id == wanted).ok_or_else(|| {
                let (path, wanted) = (path.to_path_buf(), wanted.to_owned());
                let hint = scoring::nearest::nearest(&wanted, known.iter().map(String::as_str));
                GoldenError::NoCase { path, wanted, hint }
            })?,
        };
        if at >= recorded.len() {
            return Err(invalid(vec!["there are no cases".to_owned()]));
        }
        let (mut found, case) = recorded.swap_remove(at);
        if found.trace.invocations.is_empty() {
            return Err(GoldenError::NothingRecorded(found.eval_id));
        }
        let RecordedCase { case, session: facts } = case;
        if let Some(facts) = &facts {
            facts.complete(&mut found.trace);
        }
        let session = RecordedSession::of(&case, &found.trace, facts);
        let calls = recorded_calls(&found.trace);
        remove_requests(&mut found.trace);
        Ok(Self {
            id: found.eval_id,
            trace: found.trace,
            session,
            calls,
            rubrics: found.rubrics,
            initial_state: initial_state(&case),
            tags: found.tags,
        })
    }
}

/// Removes the calls by which google-adk itself asks the user.
pub(crate) fn remove_requests(trace: &mut Trace) {
    let is_asking = |call: &ToolCall| call.name.as_deref().is_some_and(|it| it.starts_with(ASKING));
    for turn in &mut trace.invocations {
        turn.tool_calls.retain(|call| !is_asking(call));
    }
}

/// The state of the session input.
pub(crate) fn initial_state(case: &Case) -> JsonText {
    as_adk(case)
        .session_input
        .and_then(|input| input.state)
        .unwrap_or_else(|| JsonText::from_value(&serde_json::json!({})))
}
