//! A fake [`EvalSetHost`] with one removable case.

use std::sync::Arc;

use api::{
    Actual, ApiError, CaseChange, CaseComparison, CaseList, CaseName, CaseQuery, CaseVersion,
    CaseView, EvalSetList, SetId,
};
use app::host::{EvalSetHost, provide};
use async_trait::async_trait;
use axum::http::StatusCode;
use json_text::JsonText;
use serde_json::{Value, json};

use super::{call, expect_not_found};

/// Has the case at index 3 of the set `weather`.
struct FakeEvalSets;

fn unknown<T>(set: &SetId) -> Result<T, ApiError> {
    Err(ApiError::UnknownSet(set.to_string()))
}

#[async_trait]
impl EvalSetHost for FakeEvalSets {
    async fn list_eval_sets(&self) -> Result<EvalSetList, ApiError> {
        Ok(EvalSetList { sets: Vec::new(), folders: Vec::new() })
    }

    async fn list_cases(&self, set: SetId, _asked: CaseQuery) -> Result<CaseList, ApiError> {
        unknown(&set)
    }

    async fn read_case(
        &self,
        set: SetId,
        _eval_id: String,
        _index: u64,
    ) -> Result<CaseView, ApiError> {
        unknown(&set)
    }

    async fn change_case(
        &self,
        set: SetId,
        _case: CaseVersion,
        _change: CaseChange,
    ) -> Result<CaseView, ApiError> {
        unknown(&set)
    }

    async fn duplicate_case(&self, set: SetId, _case: CaseVersion) -> Result<CaseView, ApiError> {
        unknown(&set)
    }

    async fn remove_case(&self, set: SetId, case: CaseVersion) -> Result<(), ApiError> {
        match set.as_str() {
            "weather" if case.index == 3 => Ok(()),
            "weather" => Err(ApiError::CaseChanged),
            _ => unknown(&set),
        }
    }

    async fn insert_case(
        &self,
        set: SetId,
        _index: u64,
        _text: JsonText,
    ) -> Result<CaseView, ApiError> {
        unknown(&set)
    }

    async fn compare_cases(
        &self,
        expected: CaseName,
        _actual: Actual,
    ) -> Result<CaseComparison, ApiError> {
        unknown(&expected.set)
    }
}

fn host() {
    provide::<dyn EvalSetHost>(Arc::new(FakeEvalSets));
}

#[tokio::test]
async fn a_case_is_removed_by_the_host_of_eval_sets() {
    let case = |index| json!({ "set": "weather", "case": { "index": index, "digest": "d" } });
    assert_eq!(call("remove_case", &case(3), host).await, (StatusCode::OK, Value::Null));
    let changed = (StatusCode::CONFLICT, json!("CaseChanged"));
    assert_eq!(call("remove_case", &case(4), host).await, changed);
    let listed = call("list_eval_sets", &json!({}), host).await;
    assert_eq!(listed, (StatusCode::OK, json!({ "sets": [], "folders": [] })));
}

#[tokio::test]
async fn each_function_of_an_eval_set_passes_its_set() {
    let case = json!({ "index": 0, "digest": "d" });
    let query =
        json!({ "searched": "", "order": "File", "skipped": 0, "most": 9, "holding": null });
    let name = json!({ "set": "gone", "eval_id": "e", "at": null });
    let functions = [
        ("list_cases", json!({ "set": "gone", "asked": query })),
        ("read_case", json!({ "set": "gone", "eval_id": "e", "index": 0 })),
        ("change_case", json!({ "set": "gone", "case": case, "change": { "EvalId": "x" } })),
        ("duplicate_case", json!({ "set": "gone", "case": case })),
        ("remove_case", json!({ "set": "gone", "case": case })),
        ("insert_case", json!({ "set": "gone", "index": 0, "text": {} })),
        ("compare_cases", json!({ "expected": name, "actual": { "Case": name } })),
    ];
    expect_not_found(functions, json!({ "UnknownSet": "gone" }), host).await;
}
