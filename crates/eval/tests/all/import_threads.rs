//! Agents whose import starts threads.

use std::path::Path;
use std::sync::Arc;

use eval::given_model::{GivenModel, ModelTurn};
use eval::python::AdkPythonSubject;
use eval::subject::Subject as _;
use eval::{EvalCase, Status, run_eval};

/// What the header of a run says about the agent, with these variables, after a case.
async fn limits(environment: &[(&str, &str)]) -> Option<String> {
    let python = test_needs::python()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/threaded");
    let subject = environment
        .iter()
        .fold(AdkPythonSubject::new(&folder, Some(&python)), |subject, (name, value)| {
            subject.environment(*name, *value)
        });
    let subject = Arc::new(subject);
    let case = EvalCase::new("threaded", subject.clone())
        .first_message("Hi")
        .model(GivenModel::scripted(vec![ModelTurn::text("Hello")]));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    Some(subject.limits(&case.needs()).await.join(". "))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_that_import_numeric_libraries_are_forked() {
    for library in ["numpy", "pandas", "grpc", "tiktoken"] {
        let Some(limits) = limits(&[("THREADS", library)]).await else { return };
        assert!(
            limits.starts_with("each case runs in a process of its own"),
            "{library}: {limits}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_header_says_whose_threads_forbid_a_fork() {
    let numpys = [("THREADS", "numpy"), ("OPENBLAS_NUM_THREADS", "2")];
    let Some(limits_of_numpy) = limits(&numpys).await else { return };
    assert!(limits_of_numpy.contains("cannot be forked: 1 of numpy. "), "{limits_of_numpy}");
    let Some(limits) = limits(&[("THREADS", "own")]).await else { return };
    assert!(limits.contains("cannot be forked: 1 of threaded (waiting). "), "{limits}");
}
