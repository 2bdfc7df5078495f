//! What the page asks of the host's eval sets.

use api::{
    Actual, ApiError, CaseChange, CaseComparison, CaseList, CaseName, CaseQuery, CaseVersion,
    CaseView, EvalSetList, SetId,
};
use json_text::JsonText;
use leptos::prelude::*;
use server_fn::codec::Json;

/// The eval sets of the registered agents and of the configured folders.
#[server(prefix = "/api", endpoint = "list_eval_sets", input = Json, output = Json)]
pub async fn list_eval_sets() -> Result<EvalSetList, ApiError> {
    crate::host::eval_sets()?.list_eval_sets().await
}

/// The cases of a set that are asked for.
#[server(prefix = "/api", endpoint = "list_cases", input = Json, output = Json)]
pub async fn list_cases(set: SetId, asked: CaseQuery) -> Result<CaseList, ApiError> {
    crate::host::eval_sets()?.list_cases(set, asked).await
}

/// The case at `index` of a set; by its id if another case is there now.
#[server(prefix = "/api", endpoint = "read_case", input = Json, output = Json)]
pub async fn read_case(set: SetId, eval_id: String, index: u64) -> Result<CaseView, ApiError> {
    crate::host::eval_sets()?.read_case(set, eval_id, index).await
}

/// Changes a case of a set, if it still is what the page has read; returns the case after the change.
#[server(prefix = "/api", endpoint = "change_case", input = Json, output = Json)]
pub async fn change_case(
    set: SetId,
    case: CaseVersion,
    change: CaseChange,
) -> Result<CaseView, ApiError> {
    crate::host::eval_sets()?.change_case(set, case, change).await
}

/// Puts a copy of a case behind it, under an id of its own; gives the copy.
#[server(prefix = "/api", endpoint = "duplicate_case", input = Json, output = Json)]
pub async fn duplicate_case(set: SetId, case: CaseVersion) -> Result<CaseView, ApiError> {
    crate::host::eval_sets()?.duplicate_case(set, case).await
}

/// Takes a case out of a set, if it still is what the page has read.
#[server(prefix = "/api", endpoint = "remove_case", input = Json, output = Json)]
pub async fn remove_case(set: SetId, case: CaseVersion) -> Result<(), ApiError> {
    crate::host::eval_sets()?.remove_case(set, case).await
}

/// Inserts a case into a set at `index`, or behind the last when there are fewer:
/// how a removal is undone. It keeps its id, even if another case has it now.
#[server(prefix = "/api", endpoint = "insert_case", input = Json, output = Json)]
pub async fn insert_case(set: SetId, index: u64, text: JsonText) -> Result<CaseView, ApiError> {
    crate::host::eval_sets()?.insert_case(set, index, text).await
}

/// Holds `actual` against the case `expected`.
#[server(prefix = "/api", endpoint = "compare_cases", input = Json, output = Json)]
pub async fn compare_cases(expected: CaseName, actual: Actual) -> Result<CaseComparison, ApiError> {
    match actual {
        Actual::Live { session, turns } => {
            crate::host::live_sessions()?.compare_live_session(expected, session, turns).await
        }
        actual => crate::host::eval_sets()?.compare_cases(expected, actual).await,
    }
}
