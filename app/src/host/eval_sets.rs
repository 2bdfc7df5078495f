//! [`EvalSetHost`]: eval sets and their cases.

use api::{
    Actual, ApiError, CaseChange, CaseComparison, CaseList, CaseName, CaseQuery, CaseVersion,
    CaseView, EvalSetList, SetId,
};
use async_trait::async_trait;
use json_text::JsonText;

/// Eval sets and their cases. Each method is the server function of the same name.
#[async_trait]
#[expect(missing_docs, reason = "each method is documented at its server function")]
pub trait EvalSetHost: Send + Sync + 'static {
    async fn list_eval_sets(&self) -> Result<EvalSetList, ApiError>;
    async fn list_cases(&self, set: SetId, asked: CaseQuery) -> Result<CaseList, ApiError>;
    async fn read_case(
        &self,
        set: SetId,
        eval_id: String,
        index: u64,
    ) -> Result<CaseView, ApiError>;
    async fn change_case(
        &self,
        set: SetId,
        case: CaseVersion,
        change: CaseChange,
    ) -> Result<CaseView, ApiError>;
    async fn duplicate_case(&self, set: SetId, case: CaseVersion) -> Result<CaseView, ApiError>;
    async fn remove_case(&self, set: SetId, case: CaseVersion) -> Result<(), ApiError>;
    async fn insert_case(
        &self,
        set: SetId,
        index: u64,
        text: JsonText,
    ) -> Result<CaseView, ApiError>;
    async fn compare_cases(
        &self,
        expected: CaseName,
        actual: Actual,
    ) -> Result<CaseComparison, ApiError>;
}
