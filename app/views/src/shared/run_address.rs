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

/// The run in which the people of a live session with this description are asked, if a host runs it: descriptions end
/// with `, run 12.1a2b3c4d`.
pub fn run_of_session(description: &str) -> Option<i64> {
    let (_, run) = description.rsplit_once(", run ")?;
    let (number, id) = run.split_once('.')?;
    let is_id = id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    number.parse().ok().filter(|_| is_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_of_a_stored_run_names_it() {
        assert_eq!(run_of_session("refund, run 7, run 12.1a2b3c4d"), Some(12));
        for other in
            ["refund", "refund, run 1a2b3c4d", "refund, run 12.5", "refund, run x.1a2b3c4d"]
        {
            assert_eq!(run_of_session(other), None, "{other}");
        }
    }
}
