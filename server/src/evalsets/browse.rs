//! Eval-set files for the page to read: read anew each time, one case after the other, on a thread
//! that may block. The page names a registered agent and never a path.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use app::api::{ApiError, CaseList, CaseSummary, CaseView, EvalSetContents, EvalSetSummary};
use evalset::{Case, Format, Origin, read_case};
use evalset_file::{AppendError, Cases, FoundCase};

use super::case_view::{case_view, turns};
use crate::agents::registry::RegisteredAgent;

/// How many cases a page may ask for at once.
const MOST: u64 = 500;
/// How much of the first query stands on a line, in characters.
const QUERY: usize = 200;
/// How many tools a line names.
const TOOLS: usize = 12;
/// The longest case that is looked into, in bytes; a longer one is listed by its id.
const LOOKED_INTO: u64 = 32 * 1024 * 1024;

/// What stands where the agent's eval set is expected.
pub(crate) fn summary(agent: &RegisteredAgent) -> EvalSetSummary {
    let path =
        std::path::absolute(&agent.eval_set_path).unwrap_or_else(|_| agent.eval_set_path.clone());
    let contents = match fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => EvalSetContents::File { bytes: metadata.len() },
        Ok(_) => EvalSetContents::Unreadable(format!(
            "{} is no file. Name a file as the agent's eval_set_path.",
            path.display()
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => EvalSetContents::Nothing,
        Err(error) => {
            EvalSetContents::Unreadable(format!("{} cannot be read: {error}.", path.display()))
        }
    };
    EvalSetSummary {
        agent: agent.id.clone(),
        agent_name: agent.name.clone(),
        path: path.display().to_string(),
        contents,
    }
}

/// The cases that hold `searched`.
///
/// # Errors
/// [`ApiError::EvalSet`] when the file cannot be opened. One that is broken further on gives the
/// cases up to there.
pub(crate) async fn cases(
    agent: &RegisteredAgent,
    searched: String,
    skipped: u64,
    most: u64,
) -> Result<CaseList, ApiError> {
    let set = summary(agent);
    let mut list = CaseList {
        set: set.clone(),
        format: String::new(),
        cases: Vec::new(),
        fitting: 0,
        all: 0,
        fault: None,
    };
    match set.contents {
        EvalSetContents::File { .. } => {}
        EvalSetContents::Nothing => return Ok(list),
        EvalSetContents::Unreadable(reason) => return Err(ApiError::EvalSet { reason }),
    }
    blocking("list an eval set", move || {
        let wanted = searched.trim().to_lowercase();
        let page = skipped..skipped.saturating_add(most.min(MOST));
        let mut cases = Cases::open(Path::new(&set.path)).map_err(refused)?;
        let mut format = None;
        while let Some(found) = cases.next() {
            let found = match found {
                Ok(found) => found,
                Err(error) => {
                    list.fault = Some(error.to_string());
                    break;
                }
            };
            list.all += 1;
            let summary = summarised(&mut cases, &found, &mut format)?;
            if wanted.is_empty() || holds(&summary, &wanted) {
                if page.contains(&list.fitting) {
                    list.cases.push(summary);
                }
                list.fitting += 1;
            }
        }
        list.format = format.map_or_else(String::new, |format| format.name().to_owned());
        Ok(list)
    })
    .await
}

/// One case. The file may have changed since the page was told of it: the id counts, and the place
/// only where ids repeat.
///
/// # Errors
/// [`ApiError::UnknownCase`] when the file has no such case, [`ApiError::EvalSet`] when it cannot be
/// read.
pub(crate) async fn case(
    agent: &RegisteredAgent,
    eval_id: String,
    index: u64,
) -> Result<CaseView, ApiError> {
    let path = summary(agent).path;
    blocking("read a case", move || {
        let mut cases = Cases::open(Path::new(&path)).map_err(refused)?;
        let (mut found, mut format) = (None, None);
        while let Some(next) = cases.next() {
            let next = next.map_err(refused)?;
            if format.is_none() {
                format = Format::of_case(&cases.text(&next).map_err(refused)?);
            }
            if next.eval_id.as_deref().unwrap_or_default() == eval_id {
                let is_it = next.index == index;
                if is_it || found.is_none() {
                    found = Some(next);
                }
                if is_it {
                    break;
                }
            }
        }
        let Some(found) = found else { return Err(ApiError::UnknownCase { eval_id }) };
        let (text, origin) = text_of(&mut cases, &found)?;
        let (case, faults) = read_case(&text, format.unwrap_or(Format::Adk), origin);
        let faults = faults.iter().map(ToString::to_string).collect();
        case_view(&found, case.as_ref(), &text, faults)
    })
    .await
}

fn text_of(cases: &mut Cases, found: &FoundCase) -> Result<(String, Origin), ApiError> {
    let (line, column) = cases.place(found).map_err(refused)?;
    let text = cases.text(found).map_err(refused)?;
    Ok((text, Origin { line, column, case: usize::try_from(found.index).ok() }))
}

fn summarised(
    cases: &mut Cases,
    found: &FoundCase,
    format: &mut Option<Format>,
) -> Result<CaseSummary, ApiError> {
    let mut summary = CaseSummary {
        index: found.index,
        eval_id: found.eval_id.clone().unwrap_or_default(),
        query: String::new(),
        turns: found.turns,
        tools: Vec::new(),
        calls: 0,
        tags: Vec::new(),
        fault: None,
    };
    if found.end - found.start > LOOKED_INTO {
        return Ok(summary);
    }
    let (text, origin) = text_of(cases, found)?;
    if format.is_none() {
        *format = Format::of_case(&text);
    }
    let (case, faults) = read_case(&text, format.unwrap_or(Format::Adk), origin);
    summary.fault = faults.first().map(ToString::to_string);
    let Some(case) = case else { return Ok(summary) };
    if let Case::AgentFlow(case) = &case {
        summary.tags.clone_from(&case.tags);
    }
    let turns = turns(&case);
    summary.turns = turns.len() as u64;
    if let Some(first) = turns.first() {
        summary.query = first.query.chars().take(QUERY).collect();
    }
    let calls = turns.iter().flat_map(|turn| &turn.steps).filter_map(|step| match step {
        app::api::CaseStep::Call { tool, .. } => Some(tool),
        app::api::CaseStep::Said { .. } => None,
    });
    for tool in calls {
        summary.calls += 1;
        if summary.tools.len() < TOOLS {
            summary.tools.push(tool.clone());
        }
    }
    Ok(summary)
}

fn holds(summary: &CaseSummary, wanted: &str) -> bool {
    let texts = [&summary.eval_id, &summary.query];
    texts
        .into_iter()
        .chain(&summary.tools)
        .chain(&summary.tags)
        .any(|text| text.to_lowercase().contains(wanted))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
pub(super) fn refused(error: AppendError) -> ApiError {
    ApiError::EvalSet { reason: error.to_string() }
}

pub(super) async fn blocking<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!("{what}: {error}");
        ApiError::Internal { what: what.to_owned() }
    })?
}
