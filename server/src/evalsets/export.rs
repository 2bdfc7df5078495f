//! Export: the case is appended on a thread that may block, and the page hears where it went.

use std::path::{Path, PathBuf};

use app::api::{ApiError, ExportReceipt};
use evalset::adk::{EvalCase, EvalSetHeader, SessionInput};
use evalset::{eval_set_id, seconds};
use evalset_file::{Appended, EvalSetFiles, default_cache};
use session::GoldenTrace;

use super::golden_trace::{eval_case, object};
use crate::agents::registry::RegisteredAgent;
use crate::sessions::HostSession;

/// How much of the case the page is shown, in bytes.
const PREVIEW_BYTES: usize = 64 * 1024;

/// Appends `trace` to the eval-set file of `agent`. `session` holds the large results that the
/// page knows by reference; it is gone when the host was restarted.
///
/// # Errors
/// [`ApiError::NotExportable`] when a large result is gone, [`ApiError::Export`] when the file could
/// not take the case; it is then as it was.
pub(crate) async fn export(
    agent: &RegisteredAgent,
    session: Option<&HostSession>,
    trace: GoldenTrace,
) -> Result<ExportReceipt, ApiError> {
    let app_name = session.map_or_else(|| agent.name.clone(), |session| session.view().app_name);
    let state = session.map_or_else(|| object(&agent.seed.state), |it| it.initial_state.clone());
    let input = SessionInput::new(app_name, agent.seed.user_id.clone(), state);
    let case = eval_case(&agent.name, input, trace, |call_id| {
        let held = session?.held.whole(call_id);
        held.inspect_err(|error| tracing::error!(%call_id, "held result: {error}")).ok().flatten()
    });
    let case = case.map_err(|gone| ApiError::NotExportable { reason: gone.to_string() })?;
    let header = EvalSetHeader {
        eval_set_id: eval_set_id(&agent.name),
        name: agent.name.clone(),
        creation_timestamp: seconds(jiff::Timestamp::now()),
    };
    let path = agent.eval_set_path.clone();
    let appended = tokio::task::spawn_blocking(move || append(&path, case, &header)).await;
    appended.map_err(|error| {
        tracing::error!(agent = %agent.id, "export: {error}");
        ApiError::Internal { what: "finish the export".to_owned() }
    })?
}

/// What writes the eval-set file at `path`, and no file elsewhere.
pub(super) fn files_for(path: &Path) -> EvalSetFiles {
    // The configured file's own folder and the working directory: a link that leads elsewhere, in an
    // agent's folder that came from elsewhere, is not followed.
    let roots = path.parent().map(PathBuf::from).into_iter().chain(std::env::current_dir());
    let files = EvalSetFiles::within(roots);
    match default_cache() {
        Some(cache) => files.with_cache(cache),
        None => files,
    }
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
    let end = text.floor_char_boundary(PREVIEW_BYTES);
    ExportReceipt {
        path: file.display().to_string(),
        eval_id,
        cases,
        preview_is_whole: end == text.len(),
        preview: text.get(..end).unwrap_or_default().to_owned(),
        already_there,
        created,
    }
}

#[cfg(test)]
mod tests {
    use evalset::adk::{Content, Invocation};

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
    fn the_receipt_says_where_what_and_whether_anew() {
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
        assert!(!second.created && !second.preview_is_whole);
        assert!(second.preview.len() <= PREVIEW_BYTES && second.preview.ends_with('é'));
        let again = export("s1", "hi");
        assert!(again.already_there && !again.created);
        assert_eq!((again.eval_id.as_str(), again.cases), ("math_agent_t", 2));
        assert!(again.preview.contains("\"text\": \"hi\""));
    }

    #[test]
    fn a_refusal_names_the_file_and_the_remedy() {
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
