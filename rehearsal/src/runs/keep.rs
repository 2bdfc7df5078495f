//! Keeps a result of a run as an eval case of its agent.

use std::path::{Path, PathBuf};

use api::KeptResult;
use eval::EvalCase;
use eval::fork::ForkOf;
use eval::ledger::Event;
use eval::result::EvalResult;
use eval::store::RunInfo;
use evalset::adk::{EvalSetHeader, SessionInput};
use evalset::{eval_id, eval_set_id, seconds, selectable_id, snake_case};
use evalset_file::{AppendError, Appended, EvalSetFiles};
use jiff::Timestamp;
use json_text::JsonText;
use trace_export::{KeptRun, run_case};

use crate::config::{AgentConfig, AgentSourceConfig};

/// Why a result cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeepError {
    /// Nothing happened in it.
    #[error("the agent was sent no message in this run, so that there is nothing to keep")]
    Empty,
    /// Its messages are not ADK's.
    #[error(transparent)]
    Parts(#[from] evalset::adk::InvalidParts),
    /// The file cannot be written.
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// Appends the result to the eval set of the agent. Suites are named in `folder`.
///
/// # Errors
/// [`KeepError`]; the file is then unchanged.
pub(super) fn keep(
    case: &EvalCase,
    run: &RunInfo,
    result: &EvalResult,
    agents: &[AgentConfig],
    folder: &Path,
) -> Result<KeptResult, KeepError> {
    let trace = eval::trace::trace(&result.events);
    if trace.invocations.is_empty() {
        return Err(KeepError::Empty);
    }
    let began = Timestamp::from_millisecond(run.created_at).unwrap_or_default();
    let id = format!("{}_{}_{}", eval_id(&case.name, began), run.number, result.repeat);
    let (path, name) = eval_set_of(case, agents, folder);
    let kept = KeptRun {
        eval_id: selectable_id(&id).unwrap_or(id),
        session_input: SessionInput::new(snake_case(&name), "user", initial_state(result)),
        trace: &trace,
        began,
        note: note(run, result),
        tags: match run.fork_of {
            Some(_) => vec!["fork".to_owned()],
            None => Vec::new(),
        },
    };
    let header = EvalSetHeader {
        eval_set_id: eval_set_id(&name),
        name,
        creation_timestamp: seconds(Timestamp::now()),
    };
    let path = std::path::absolute(&path).unwrap_or(path);
    // The file's folder and the working directory: a link in an agent's folder could otherwise lead anywhere.
    let roots = path.parent().map(PathBuf::from).into_iter().chain(std::env::current_dir());
    let appended = EvalSetFiles::within(roots).append(&path, run_case(kept)?, &header)?;
    let is_new = matches!(appended, Appended::Added { .. });
    let (Appended::Added { file, eval_id, .. } | Appended::AlreadyThere { file, eval_id, .. }) =
        appended;
    Ok(KeptResult { path: file.display().to_string(), eval_id, is_new })
}

/// The eval set of the agent that the case runs, and the agent's name. An agent that is not served has it where
/// `adk web` looks for it.
fn eval_set_of(case: &EvalCase, agents: &[AgentConfig], folder: &Path) -> (PathBuf, String) {
    let suite = folder.join(&case.source.suite);
    let folder = case.subject.folder();
    let is_of_case = |agent: &&AgentConfig| match (&agent.source, folder) {
        (AgentSourceConfig::AdkPython { folder: served, .. }, Some(folder)) => {
            is_same(served, folder)
        }
        _ => false,
    };
    if let Some(agent) = agents.iter().find(is_of_case) {
        return (agent.eval_set_path.clone(), agent.name.clone());
    }
    let name = match folder.and_then(Path::file_name) {
        Some(name) => name.to_string_lossy().into_owned(),
        // `home.eval.yaml` is of `home`.
        None => {
            let file = suite.file_name().unwrap_or_default().to_string_lossy();
            file.split('.').next().unwrap_or_default().to_owned()
        }
    };
    let folder = folder.or_else(|| suite.parent()).unwrap_or(Path::new(""));
    (folder.join(format!("{}.evalset.json", eval_set_id(&name))), name)
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn initial_state(result: &EvalResult) -> JsonText {
    let state = result.events.iter().find_map(|entry| match &entry.event {
        Event::InitialState { state } => Some(state.clone()),
        _ => None,
    });
    state.unwrap_or_else(|| JsonText::from_value(&serde_json::json!({})))
}

/// Where the case comes from.
fn note(run: &RunInfo, result: &EvalResult) -> String {
    match &run.fork_of {
        None => format!("Run {}, repeat {}.", run.number, result.repeat),
        Some(ForkOf { run: source, case, repeat, step, at, changes, .. }) => {
            let edit = at.as_ref().map(|at| format!(", with {at}")).unwrap_or_default();
            let changes = match JsonText::serialize(changes) {
                Ok(changes) if changes.as_str() != "{}" => format!(", with the changes {changes}"),
                _ => String::new(),
            };
            format!(
                "Forked from run {source}, {case}, repeat {repeat}, at step {step}{edit}{changes}."
            )
        }
    }
}
