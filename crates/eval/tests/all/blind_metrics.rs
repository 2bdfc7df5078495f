//! Metrics that look for what an agent does not have: they would pass whatever the agent does.

use std::path::{Path, PathBuf};

use eval::fault::AtFault;
use eval::file::{ReadOptions, read};
use eval::{EvalCase, Status, check_cases, rescore, run_eval};
use tempfile::TempDir;

fn agents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents")
}

fn adk() -> String {
    format!("{{ adk: {} }}", agents().join("triage").display())
}

fn mcp(declared: &str) -> String {
    let tools = agents().join("library/tools.json");
    let declarations = if declared.is_empty() {
        String::new()
    } else {
        format!(", declarations: {}", tools.display())
    };
    format!(
        "{{ mcp: {{ servers: {{ library: {{ command: none }} }}, model: ollama/a, instruction: Help{declarations} }} }}"
    )
}

/// A case of a suite with this metric, in which the model only answers.
fn case(subject: &str, metric: &str) -> Option<(TempDir, EvalCase)> {
    let python = test_needs::python()?;
    let folder = tempfile::tempdir().expect("a folder");
    let suite = folder.path().join("s.eval.yaml");
    let text = format!(
        "subject: {subject}\ncases:\n  - name: a\n    first_message: Hi\n    model: {{ scripted: [Done] }}\n    metrics: [{metric}]\n"
    );
    std::fs::write(&suite, text).expect("written");
    let cases = read(&suite, &ReadOptions { python: Some(python), ..ReadOptions::default() });
    let mut cases = cases.unwrap_or_else(|error| panic!("{metric}: {error}"));
    Some((folder, cases.remove(0)))
}

/// What is wrong with the metric, before anything runs.
async fn refused(subject: &str, metric: &str) -> Option<String> {
    let (_folder, case) = case(subject, metric)?;
    let checked = check_cases(std::iter::once(&case)).await;
    Some(checked.err().map(|(_, fault)| fault.to_string()).unwrap_or_default())
}

fn count(event: &str, filter: &str) -> String {
    format!("{{ event_count: {{ name: none, event: {event}, filter: {filter}, is: 0 }} }}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_metric_that_looks_for_what_the_agent_does_not_have_is_refused() {
    for (event, filter, wanted) in [
        (
            "tool_call",
            "{ name: page_doctors }",
            "the tool page_doctors, which the agent does not have; did you mean page_doctor?",
        ),
        (
            "tool_result",
            "{ $or: [{ name: reed }] }",
            "the tool reed, which the agent does not have; did you mean read?",
        ),
        (
            "tool_fault",
            "{ name: { $in: [read, bok] } }",
            "the tool bok, which the agent does not have; did you mean book?",
        ),
        (
            "yield",
            "{ tool_name: aks }",
            "the tool aks, which the agent does not have; did you mean ask?",
        ),
        (
            "message",
            "{ agent: triagge }",
            "the agent triagge, which the agent does not have; did you mean triage?",
        ),
        (
            "tool_call",
            "{ name: page_doctor, args.nam: { $regex: ^Dr } }",
            "the argument nam of page_doctor, which the agent does not have; did you mean name?",
        ),
    ] {
        let Some(error) = refused(&adk(), &count(event, filter)).await else { return };
        assert_eq!(error, format!("the metric none looks for {wanted}"), "{event}");
    }
    for (event, filter) in [
        ("tool_call", "{ name: page_doctor, agent: triage }"),
        ("tool_call", "{ name: transfer_to_agent }"),
        ("tool_call", "{ name: { $regex: ^page_ } }"),
        ("tool_call", "{ args.name: page_doctors }"),
        ("tool_call", "{ name: page_doctor, args: { name: Ann } }"),
        ("message", "{ is_inner: false }"),
    ] {
        let refused = refused(&adk(), &count(event, filter)).await;
        assert_eq!(refused.as_deref(), Some(""), "{event} {filter}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_metric_on_an_agent_with_mcp_servers_knows_its_tools() {
    let metric = count("tool_call", "{ name: serch }");
    let Some(error) = refused(&mcp("declared"), &metric).await else { return };
    assert_eq!(
        error,
        "the metric none looks for the tool serch, which the agent does not have; did you mean search?"
    );
    let found = refused(&mcp("declared"), &count("tool_call", "{ name: search }")).await;
    assert_eq!(found.as_deref(), Some(""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_did_not_begin_is_not_measured_later() {
    let Some((_folder, case)) = case(&adk(), &count("tool_call", "{ name: reed }")) else { return };
    let result = run_eval(&case).await;
    let error = result.error.clone().expect("an error");
    assert_eq!((result.status, error.at_fault), (Status::Error, AtFault::Metric));
    let again = rescore(&case, result).await;
    assert_eq!(again.status, Status::Error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_that_are_false_are_there() {
    let metric = "{ event_count: { name: said, event: message, filter: { is_inner: false, is_intermediate: false }, is: 1 } }";
    let Some((_folder, case)) = case(&adk(), metric) else { return };
    run_eval(&case).await.assert_passed();
}
