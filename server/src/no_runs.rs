//! [`NoRuns`]: a host without eval runs, such as one in a program of somebody's own.

use api::host::RunHost;
use api::{
    ActRequest, AdkSessionList, ApiError, CaseRun, CaseRunId, CaseUnderWay, ForkRequest, ForkView,
    KeptResult, RecordedRequest, RunComparison, RunDetail, RunList, RunPlan, RunRequest, SuiteList,
};
use async_trait::async_trait;

/// Has no runs, and says how to get them.
pub(crate) struct NoRuns;

fn none<T>() -> Result<T, ApiError> {
    Err(ApiError::Run(
        "This host does not read eval runs. Start it with `rehearsal serve` to see them."
            .to_owned(),
    ))
}

#[async_trait]
impl RunHost for NoRuns {
    async fn list_runs(&self) -> Result<RunList, ApiError> {
        none()
    }

    async fn list_suites(&self) -> Result<SuiteList, ApiError> {
        none()
    }

    async fn read_run(&self, _run: i64) -> Result<RunDetail, ApiError> {
        none()
    }

    async fn read_case_run(
        &self,
        _run: i64,
        _case: String,
        _repeat: Option<u32>,
        _suite: Option<String>,
    ) -> Result<CaseRun, ApiError> {
        none()
    }

    async fn compare_runs(&self, _run: i64, _with: Option<i64>) -> Result<RunComparison, ApiError> {
        none()
    }

    async fn plan_run(&self, _request: RunRequest) -> Result<RunPlan, ApiError> {
        none()
    }

    async fn start_run(&self, _request: RunRequest) -> Result<i64, ApiError> {
        none()
    }

    async fn act_through_runner(&self, _request: ActRequest) -> Result<i64, ApiError> {
        none()
    }

    async fn take_over(&self, _: CaseRunId, _: String, _: bool) -> Result<CaseUnderWay, ApiError> {
        none()
    }

    async fn stop_run(&self, _run: i64) -> Result<(), ApiError> {
        none()
    }

    async fn start_fork(&self, _request: ForkRequest) -> Result<ForkView, ApiError> {
        none()
    }

    async fn read_fork(&self, _run: i64) -> Result<ForkView, ApiError> {
        none()
    }

    async fn stop_fork(&self, _run: i64) -> Result<ForkView, ApiError> {
        none()
    }

    async fn continue_fork(&self, _run: i64, _times: u32) -> Result<ForkView, ApiError> {
        none()
    }

    async fn give_again(&self, _request: RecordedRequest) -> Result<CaseRunId, ApiError> {
        none()
    }

    async fn list_adk_sessions(&self) -> Result<AdkSessionList, ApiError> {
        none()
    }

    async fn set_verdict(
        &self,
        _result: CaseRunId,
        _passed: bool,
        _note: String,
    ) -> Result<(), ApiError> {
        none()
    }

    async fn keep_result(&self, _result: CaseRunId) -> Result<KeptResult, ApiError> {
        none()
    }
}
