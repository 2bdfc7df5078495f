//! The addresses of runs and of their results.

use api::CaseRunId;

use app::state::base_path::address;
use app::state::browser::in_address;
use app::state::case_address::{below, escaped};

/// The address of a run.
pub fn run_address(run: i64) -> String {
    address(&format!("/runs/{run}"))
}

/// The address of a result, where `with_suite` says whether its run has several suites; with the step at which it forks.
pub fn case_address(id: &CaseRunId, with_suite: bool, fork: Option<usize>) -> String {
    let mut path = below(&format!("/runs/{}", id.run), &id.case);
    let mut add = |name: &str, value: &str| {
        path.push(if path.contains('?') { '&' } else { '?' });
        path.push_str(&format!("{name}={value}"));
    };
    add("repeat", &id.repeat.to_string());
    if with_suite {
        add("suite", &in_address(&escaped(&id.suite)));
    }
    if let Some(step) = fork {
        add("fork", &step.to_string());
    }
    address(&path)
}
