//! Finds a case in its file, shows it, and identifies its text by its digest.

use api::{ApiError, CaseView};
use case_view::case_view;
use evalset::{Format, Origin};
use evalset_file::{AppendError, Cases, FoundCase};
use sha2::{Digest as _, Sha256};

/// The case with that id; of several the one at `index`, or the first.
pub(super) fn find(
    cases: &mut Cases,
    eval_id: &str,
    index: Option<u64>,
) -> Result<FoundCase, ApiError> {
    let mut first = None;
    for next in cases {
        let next = next.map_err(refused)?;
        if next.eval_id.as_deref().unwrap_or_default() != eval_id {
            continue;
        }
        if index.is_none_or(|index| next.index == index) {
            return Ok(next);
        }
        first = first.or(Some(next));
    }
    first.ok_or_else(|| ApiError::UnknownCase(eval_id.to_owned()))
}

pub(super) fn text_of<'c>(
    cases: &mut Cases,
    found: &'c FoundCase,
) -> Result<(String, Origin<'c>), ApiError> {
    let origin = cases.origin(found).map_err(refused)?;
    Ok((cases.text(found).map_err(refused)?, origin))
}

/// The digest by which the page identifies the text that it has read.
pub(super) fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The case for the page, with its place in its file.
pub(super) fn found_case_view(
    found: &FoundCase,
    text: &str,
    format: Format,
    origin: Origin<'_>,
) -> Result<CaseView, ApiError> {
    Ok(CaseView {
        digest: digest(text),
        index: found.index,
        eval_id: found.eval_id.clone().unwrap_or_default(),
        ..case_view(text, format, origin)?
    })
}

pub(super) fn refused(error: AppendError) -> ApiError {
    match error {
        AppendError::CaseChanged { .. } => ApiError::CaseChanged,
        error => ApiError::EvalSet(error.to_string()),
    }
}
