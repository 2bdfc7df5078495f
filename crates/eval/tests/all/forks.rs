//! Runs that are forked: what happened before a step is given again, and the agent goes on from there.

use std::path::Path;

use eval::file::{ReadOptions, read};

use crate::fork_equality::first_difference;
use crate::recorded_cases::{recorded, replayed};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_with_the_recorded_model_gives_the_run_again() {
    let Some(python) = test_needs::python() else { return };
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/triage.eval.yaml");
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    for case in read(&suite, &options).expect("a suite") {
        let steps = first_difference(&case).await.unwrap_or_else(|error| panic!("{error}"));
        assert!(steps > 2, "{} has {steps} steps", case.name);
    }
}

/// Confirmations, long-running tools, transfers, errors, several calls at once: the agent is made for all of them, and its
/// model and user for any order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forks_of_generated_runs_give_them_again() {
    let Some(python) = test_needs::python() else { return };
    let seeds = std::env::var("REHEARSAL_TEST_SEEDS").unwrap_or_else(|_| "0 16".to_owned());
    let cases = replayed(&recorded(&python, &seeds), &python);
    let mut steps = 0;
    for case in &cases {
        steps += first_difference(case).await.unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(steps > 4 * cases.len(), "{steps} steps");
}
