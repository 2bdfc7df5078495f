//! Exports: appends the case on a blocking thread and returns a receipt.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agents::RunnerDifference;
use agents::registry::{RegisteredAgent, Registry};
use api::{
    ApiError, CaseDownload, ExportChoices, ExportPreview, ExportReceipt, LiveExportPlan,
    LostResult, UnmetCalls,
};
use evalset::adk::{EvalCase, EvalSetHeader, SessionInput};
use evalset::{Layout, eval_set_id, seconds, selectable_id, snake_case};
use evalset_file::{Appended, EvalSetFiles};
use json_text::JsonText;
use live::{LiveSessionId, SessionEvent};
use session::{GoldenTrace, Unmet};
use trace_export::{CaseOptions, LostResults, eval_case, given_id, live_case, object, tags};

use crate::access::AttributedEntry;
use crate::blocking::run_blocking;
use crate::sessions::{HostSession, StoredResults};

/// How much of the case the receipt contains, in bytes.
const PREVIEW_BYTES: usize = 64 * 1024;

/// A rehearsal to export.
pub(crate) struct RehearsalExport {
    /// The agent.
    pub(crate) agent: Arc<RegisteredAgent>,
    /// The host's part of the session; `None` after a restart of the host.
    pub(crate) session: Option<Arc<HostSession>>,
    /// The large results that the page knows by call id.
    pub(crate) stored_results: Arc<StoredResults>,
    /// What happened.
    pub(crate) trace: GoldenTrace,
    /// The initial state that the person entered, if `session` is gone.
    pub(crate) state: Option<JsonText>,
    /// The person's choices.
    pub(crate) choices: ExportChoices,
}

impl RehearsalExport {
    /// What google-adk's runner would do otherwise than the case will have it.
    fn runner_differences(&self) -> Vec<String> {
        let view = self.session.as_ref().map(|session| session.view());
        differences_of(view.map(|view| view.runner_differences).unwrap_or_default(), &self.choices)
    }
}

/// The differences of a case that is made with these choices.
fn differences_of(found: Vec<RunnerDifference>, choices: &ExportChoices) -> Vec<String> {
    let is_left_out = |one: &RunnerDifference| {
        one.turn.is_some_and(|turn| choices.left_out_turns.contains(&turn))
            || one.call_id.as_ref().is_some_and(|call| choices.left_out.contains(call))
    };
    found.into_iter().filter(|one| !is_left_out(one)).map(|one| one.text).collect()
}

/// Appends the rehearsal to the eval-set file at `path`.
///
/// # Errors
/// [`ApiError::ResultsLost`] if a large result is gone, [`ApiError::Export`] if the case cannot be
/// written; the file is then unchanged.
pub(crate) async fn export(
    export: RehearsalExport,
    path: PathBuf,
    audit_entry: AttributedEntry,
) -> Result<ExportReceipt, ApiError> {
    let name = export.agent.name.clone();
    let runner_differences = export.runner_differences();
    let case = case_of_rehearsal(export).await?;
    let receipt = append_in_background(path, &name, case, audit_entry).await?;
    Ok(ExportReceipt { runner_differences, ..receipt })
}

/// An eval set with only the rehearsal's case, to download.
///
/// # Errors
/// As [`preview`].
pub(crate) async fn case_file(export: RehearsalExport) -> Result<CaseDownload, ApiError> {
    let agent = Arc::clone(&export.agent);
    let header = header(&agent.name);
    let path = agent.eval_set_path.display().to_string();
    let case = case_of_rehearsal(export).await?;
    let text =
        case.to_json().map_err(|error| ApiError::Export { reason: error.to_string(), path })?;
    let name = format!("{}.evalset.json", header.eval_set_id);
    Ok(CaseDownload { name, text: header.file_with(&text) + "\n" })
}

/// The header of a new eval set of the agent `name`.
fn header(name: &str) -> EvalSetHeader {
    EvalSetHeader {
        eval_set_id: eval_set_id(name),
        name: name.to_owned(),
        creation_timestamp: seconds(jiff::Timestamp::now()),
    }
}

/// The case that the rehearsal would be exported as, and what of it a model could not repeat.
///
/// # Errors
/// As [`export`], and [`ApiError::Export`] if google-adk would not read the case.
pub(crate) async fn preview(
    export: RehearsalExport,
    path: PathBuf,
) -> Result<ExportPreview, ApiError> {
    let unmet = Unmet::ALL.into_iter().filter_map(|reason| {
        let calls = export.trace.calls().filter(|call| call.unmet() == Some(reason));
        let tools: Vec<String> = calls.map(|call| call.call.tool_name.to_string()).collect();
        (!tools.is_empty()).then_some(UnmetCalls { reason, tools })
    });
    let unmet = unmet.collect();
    let runner_differences = export.runner_differences();
    let adk_tool_responses = export.choices.adk_tool_responses.unwrap_or_default();
    let case = case_of_rehearsal(export).await?;
    let (wanted_id, file) = (case.eval_id.clone(), path.display().to_string());
    let case = run_blocking("look up the case's ID", move || Ok(with_next_id(case, &path))).await?;
    let text = case
        .to_json()
        .map_err(|error| ApiError::Export { reason: error.to_string(), path: file })?;
    let text = text.laid_out(&Layout::two_spaces());
    let (eval_id, (case, is_whole)) = (case.eval_id, beginning(&text));
    Ok(ExportPreview {
        selectable_id: selectable_id(&eval_id),
        taken_id: (eval_id != wanted_id).then_some(wanted_id),
        eval_id,
        adk_tool_responses,
        unmet,
        runner_differences,
        case,
        is_whole,
    })
}

/// The case with the id that it would be written with now. What is wrong with the file is reported by the
/// export.
fn with_next_id(mut case: EvalCase, path: &Path) -> EvalCase {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(eval_id) = files_for(&path).with_wait(Duration::ZERO).next_id(&path, &case) {
        case.eval_id = eval_id;
    }
    case
}

/// The beginning of a case's text, and whether it is the whole text.
fn beginning(text: &str) -> (String, bool) {
    let end = text.floor_char_boundary(PREVIEW_BYTES);
    (text.get(..end).unwrap_or_default().to_owned(), end == text.len())
}

/// The case that the rehearsal is exported as.
///
/// # Errors
/// [`ApiError::ResultsLost`] if a large result is gone, [`ApiError::NotExportable`] if nothing is left or
/// the given id cannot be one.
pub(crate) async fn case_of_rehearsal(export: RehearsalExport) -> Result<EvalCase, ApiError> {
    let RehearsalExport { agent, session, stored_results, trace, state, choices } = export;
    let app_name = match &session {
        Some(session) => session.view().app_name,
        None => agent.app_name().await.unwrap_or_else(|| agent.name.clone()),
    };
    let state = match &session {
        Some(session) => session.initial_state.clone(),
        None => state.unwrap_or_else(|| object(&agent.seed.state)),
    };
    let input = SessionInput::new(app_name, agent.seed.user_id.clone(), state);
    let options = CaseOptions {
        tags: tags(choices.tags),
        note: choices.note.trim().to_owned(),
        left_out: choices.left_out,
        left_out_turns: choices.left_out_turns,
        left_out_responses: choices.left_out_responses,
        leave_out: choices.leave_out,
        adk_tool_responses: choices.adk_tool_responses.unwrap_or_default(),
    };
    let session_id = trace.session_id.clone();
    let case = eval_case(&agent.name, input, trace, &options, |call_id| {
        let held = stored_results.whole(&session_id, call_id);
        held.inspect_err(|error| tracing::error!(%call_id, "stored result: {error}")).ok().flatten()
    });
    let mut case = case.map_err(results_lost)?;
    if case.turns().is_empty() {
        let reason = "every turn is left out. Keep at least one".to_owned();
        return Err(ApiError::NotExportable(reason));
    }
    if let Some(eval_id) =
        given_id(choices.eval_id).map_err(|invalid| ApiError::NotExportable(invalid.to_string()))?
    {
        case.eval_id = eval_id;
    }
    Ok(case)
}

fn results_lost(LostResults { calls }: LostResults) -> ApiError {
    let lost = calls.into_iter();
    let lost = lost.map(|call| LostResult { call_id: call.call_id, tool: call.tool_name });
    ApiError::ResultsLost(lost.collect())
}

/// Where a live session with these events would be exported to, and which of its turns can be.
pub(crate) fn live_plan(registry: &Registry, events: &[SessionEvent]) -> LiveExportPlan {
    let (name, path) = app_and_file(registry, events);
    let agent = find(registry, &name).map(|agent| agent.id.clone());
    let runs = trace_export::runs(events);
    LiveExportPlan { runs, path: path.display().to_string(), agent }
}

/// Appends the answered turns of a live session as a case.
///
/// # Errors
/// [`ApiError::NotExportable`] if no turn has a response, [`ApiError::Export`] if the case cannot
/// be written; the file is then unchanged.
pub(crate) async fn export_live(
    registry: &Registry,
    session: LiveSessionId,
    events: &[SessionEvent],
    turns: &[u64],
    audit_entry: AttributedEntry,
) -> Result<ExportReceipt, ApiError> {
    let (name, path) = app_and_file(registry, events);
    append_in_background(path, &name, case_of_live(registry, session, events, turns)?, audit_entry)
        .await
}

/// The case that these turns are exported as.
///
/// # Errors
/// [`ApiError::NotExportable`] if no turn has a response.
pub(crate) fn case_of_live(
    registry: &Registry,
    session: LiveSessionId,
    events: &[SessionEvent],
    turns: &[u64],
) -> Result<EvalCase, ApiError> {
    let (name, _) = app_and_file(registry, events);
    let seed = find(registry, &name).map(|agent| agent.seed.clone());
    let (user, state) = seed
        .map_or_else(|| ("user".to_owned(), BTreeMap::new()), |seed| (seed.user_id, seed.state));
    let input = SessionInput::new(name.clone(), user, object(&state));
    let case = live_case(&name, &session.to_string(), input, events, turns);
    case.ok_or_else(|| {
        ApiError::NotExportable("none of the selected requests has a response".to_owned())
    })
}

/// The app of a live session and its eval-set file: those of the registered agent with the name of
/// the agent that talked to the user, otherwise that name and a file in `evals/`.
fn app_and_file(registry: &Registry, events: &[SessionEvent]) -> (String, PathBuf) {
    let name = trace_export::root(events).unwrap_or("agent").to_owned();
    let path = match find(registry, &name) {
        Some(agent) => agent.eval_set_path.clone(),
        None => Path::new("evals").join(format!("{}.evalset.json", eval_set_id(&name))),
    };
    (name, path)
}

fn find(registry: &Registry, name: &str) -> Option<Arc<RegisteredAgent>> {
    let name = snake_case(name);
    registry.agents().iter().find(|agent| snake_case(&agent.name) == name).cloned()
}

/// The job writes the audit entry, because the caller may have disconnected.
async fn append_in_background(
    path: PathBuf,
    name: &str,
    case: EvalCase,
    audit_entry: AttributedEntry,
) -> Result<ExportReceipt, ApiError> {
    let header = header(name);
    run_blocking("finish the export", move || {
        let receipt = append(&path, case, &header)?;
        audit_entry.with("eval_id", &receipt.eval_id).with("file", &receipt.path).write();
        Ok(receipt)
    })
    .await
}

/// The writer of the eval-set file at `path`, limited to allowed folders.
pub(super) fn files_for(path: &Path) -> EvalSetFiles {
    // The configured file's folder and the working directory: a link in an agent's folder could
    // otherwise lead anywhere.
    let roots = path.parent().map(PathBuf::from).into_iter().chain(std::env::current_dir());
    EvalSetFiles::within(roots)
}

fn append(path: &Path, case: EvalCase, header: &EvalSetHeader) -> Result<ExportReceipt, ApiError> {
    let refused = |reason: String| {
        tracing::warn!("export: {reason}");
        ApiError::Export { reason, path: path.display().to_string() }
    };
    let absolute = std::path::absolute(path).map_err(|error| refused(error.to_string()))?;
    let appended = files_for(&absolute)
        .append(&absolute, case, header)
        .map_err(|error| refused(error.to_string()))?;
    Ok(receipt(appended))
}

fn receipt(appended: Appended) -> ExportReceipt {
    let (already_there, created) = match &appended {
        Appended::Added { new_file, .. } => (false, *new_file),
        Appended::AlreadyThere { .. } => (true, false),
    };
    let (Appended::Added { file, eval_id, text, cases, .. }
    | Appended::AlreadyThere { file, eval_id, text, cases }) = appended;
    let (preview, preview_is_whole) = beginning(&text);
    ExportReceipt {
        path: file.display().to_string(),
        eval_id,
        cases,
        preview_is_whole,
        preview,
        already_there,
        created,
        runner_differences: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use evalset::adk::{Content, Invocation};
    use session::CallId;

    use super::*;

    fn case(session: &str, text: &str) -> EvalCase {
        let turn = Invocation::new(format!("{session}_inv_0"), Content::user(text));
        EvalCase::new("math_agent_t", vec![turn])
    }

    fn header() -> EvalSetHeader {
        EvalSetHeader {
            eval_set_id: eval_set_id("MathAgent"),
            name: "MathAgent".to_owned(),
            creation_timestamp: 1.into(),
        }
    }

    #[test]
    fn what_is_left_out_of_a_case_does_not_differ_from_a_run() {
        let call = CallId::parse("c1").expect("valid");
        let difference = |text: &str, turn, call_id: Option<&CallId>| RunnerDifference {
            text: text.to_owned(),
            turn,
            call_id: call_id.cloned(),
        };
        let found = [
            difference("state", None, None),
            difference("model", Some(0), None),
            difference("tool", Some(1), Some(&call)),
        ];
        let texts = |choices| differences_of(found.to_vec(), &choices);
        assert_eq!(texts(ExportChoices::default()), ["state", "model", "tool"]);
        let without_turn = ExportChoices { left_out_turns: vec![0], ..ExportChoices::default() };
        assert_eq!(texts(without_turn), ["state", "tool"]);
        let without_call = ExportChoices { left_out: vec![call], ..ExportChoices::default() };
        assert_eq!(texts(without_call), ["state", "model"]);
    }

    #[test]
    fn the_receipt_contains_the_file_and_the_case_and_whether_it_is_new() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("evals/math.evalset.json");
        let export = |session: &str, text: &str| {
            append(&path, case(session, text), &header()).expect("exported")
        };
        let first = export("s1", "hi");
        assert_eq!(first.path, path.canonicalize().expect("made").display().to_string());
        assert_eq!((first.eval_id.as_str(), first.cases), ("math_agent_t", 1));
        assert!(first.created && !first.already_there && first.preview_is_whole);
        assert!(first.preview.contains("\"text\": \"hi\""));
        let second = export("s2", &"é".repeat(PREVIEW_BYTES));
        assert_eq!((second.eval_id.as_str(), second.cases), ("math_agent_t_2", 2));
        assert_eq!(with_next_id(case("s3", "hi"), &path).eval_id, "math_agent_t_3");
        assert!(!second.created && !second.preview_is_whole);
        assert!(second.preview.len() <= PREVIEW_BYTES && second.preview.ends_with('é'));
        let again = export("s1", "hi");
        assert!(again.already_there && !again.created);
        assert_eq!((again.eval_id.as_str(), again.cases), ("math_agent_t", 2));
        assert!(again.preview.contains("\"text\": \"hi\""));
    }

    #[test]
    fn a_failed_export_names_the_file_and_the_remedy() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = append(folder.path(), case("s1", "hi"), &header());
        let Err(ApiError::Export { reason, path }) = refused else { panic!("{refused:?}") };
        assert_eq!(path, folder.path().display().to_string());
        assert!(reason.contains("is a folder; name a file in it"), "{reason}");
        let outside = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("link.json");
        std::os::unix::fs::symlink(outside.path().join("x.json"), &link).expect("linked");
        let refused = append(&link, case("s1", "hi"), &header());
        assert!(
            matches!(refused, Err(ApiError::Export { reason, .. }) if reason.contains("outside"))
        );
    }
}
