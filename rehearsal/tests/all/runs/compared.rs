//! A run beside another one of its suite.

use report_view::{Change, RunStatus};

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_compared_with_the_one_before_it() {
    let Some(python) = test_needs::python() else { return };
    let (folder, runs) = stored(&python);
    assert_eq!(runs.read_run(1).await.unwrap().compared_with, None);
    let Err(ApiError::Run(reason)) = runs.compare_runs(1, None).await else { panic!() };
    assert!(reason.contains("no other run of its suites"), "{reason}");

    // The agent gets worse at one case and better at the other.
    let suite = folder.path().join("suite.yaml");
    let text = std::fs::read_to_string(&suite).unwrap();
    let escalates = "{ calls: [{ tool: escalate, args: { urgency_level: high, reason: chest } }] }, Help is coming";
    let text = text.replace("Rest a little, Help is coming", escalates);
    let text = text.replace(
        "[Hello]",
        "[{ calls: [{ tool: escalate, args: { urgency_level: low, reason: hi } }] }, Hello]",
    );
    let text = text.replace(
        "first_message: Hi\n",
        "first_message: Hi\n    tools: { escalate: { returns: {} } }\n",
    );
    std::fs::write(&suite, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.arg("eval").arg(&suite).arg("--python").arg(&python);
    let ended = command.current_dir(folder.path()).output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{}", String::from_utf8_lossy(&ended.stderr));

    let comparison = runs.compare_runs(2, None).await.unwrap();
    assert_eq!((comparison.run, comparison.with, comparison.is_running), (2, 1, false));
    let others: Vec<i64> = comparison.others.iter().map(|other| other.run).collect();
    assert_eq!(others, [1]);
    let shown: Vec<_> = comparison
        .results
        .iter()
        .map(|it| {
            let (before, after) = (it.before.as_ref().unwrap(), it.after.as_ref().unwrap());
            (it.change, &*after.id.case, after.id.repeat, before.status, after.status)
        })
        .collect();
    use RunStatus::{Failed, Passed};
    assert_eq!(
        shown,
        [
            (Change::Regressed, "greeting", 1, Passed, Failed),
            (Change::Regressed, "greeting", 2, Passed, Failed),
            (Change::Improved, "chest pain", 1, Failed, Passed),
        ]
    );
    let difference = comparison.difference.unwrap();
    assert!(difference.contains("over 2 cases in both: no difference shown"), "{difference}");

    // The first run has none before it.
    let first = runs.compare_runs(1, None).await.unwrap();
    assert_eq!((first.with, first.results[0].change), (2, Change::Regressed));
    assert_eq!(runs.read_run(1).await.unwrap().compared_with, Some(2));
    for (with, reason) in [(1, "cannot be compared"), (9, "no run 9")] {
        let Err(ApiError::Run(error)) = runs.compare_runs(1, Some(with)).await else { panic!() };
        assert!(error.contains(reason), "{error}");
    }
}
