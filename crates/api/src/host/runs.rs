//! [`RunHost`]: stored eval runs, and their forks.

use crate::{
    ActRequest, AdkSessionList, CaseRun, CaseRunId, CaseUnderWay, ForkRequest, ForkView,
    KeptResult, RecordedRequest, RunComparison, RunDetail, RunList, RunPlan, RunRequest, SuiteList,
};

super::host_functions! {
    /// Stored eval runs, and their forks.
    trait RunHost;

    /// The stored runs.
    "list_runs": fn list_runs() -> RunList;

    /// The suites that can be run, whether or not they ever ran.
    "list_suites": fn list_suites() -> SuiteList;

    /// A run with its results.
    "read_run": fn read_run(run: i64) -> RunDetail;

    /// A result of a run; without `repeat` the first that did not pass, and without `suite` the first suite with
    /// the case.
    "read_case_run": fn read_case_run(
        run: i64,
        case: String,
        repeat: Option<u32>,
        suite: Option<String>,
    ) -> CaseRun;

    /// A run beside another one of its suites; without `with`, the one that it is compared with by itself.
    "compare_runs": fn compare_runs(run: i64, with: Option<i64>) -> RunComparison;

    /// What a run would do, without starting it.
    "plan_run": fn plan_run(request: RunRequest) -> RunPlan;

    /// Starts a run, and returns its number.
    "start_run": fn start_run(request: RunRequest) -> i64;

    /// Starts a run of an agent in which a person, who is asked in a live session, is the model of every agent in it and
    /// the user. Returns its number.
    "act_through_runner": fn act_through_runner(request: ActRequest) -> i64;

    /// Stops a run that this host started. Results that there are, are kept.
    "stop_run": fn stop_run(run: i64) -> ();

    /// Lets a person take a place of a case that this host is running, `agent`, `user` or `tool NAME`, or hand it back.
    "take_over": fn take_over(case: CaseRunId, place: String, is_taken: bool) -> CaseUnderWay;

    /// Begins the continuations of a fork. Returns when they have begun; [`read_fork`] says how far they are.
    "start_fork": fn start_fork(request: ForkRequest) -> ForkView;

    /// A fork, by the number of either of its runs.
    "read_fork": fn read_fork(run: i64) -> ForkView;

    /// Stops the continuations of a fork. Those that have ended are kept.
    "stop_fork": fn stop_fork(run: i64) -> ForkView;

    /// Continues a fork until each side has `times` continuations.
    "continue_fork": fn continue_fork(run: i64, times: u32) -> ForkView;

    /// Gives a recorded case again, without the model and its tools, unless the store has it as it is now. Returns its
    /// result.
    "give_again": fn give_again(request: RecordedRequest) -> CaseRunId;

    /// The sessions of `adk web` with the agents of the host.
    "list_adk_sessions": fn list_adk_sessions() -> AdkSessionList;

    /// Notes what a person says of a continuation, with a note, which may be empty.
    "set_verdict": fn set_verdict(result: CaseRunId, passed: bool, note: String) -> ();

    /// Appends a result to the eval set of its agent as a case that expects what the agent did.
    "keep_result": fn keep_result(result: CaseRunId) -> KeptResult;
}
