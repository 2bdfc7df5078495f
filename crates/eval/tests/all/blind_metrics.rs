//! Metrics that look for what an agent does not have: they would pass whatever the agent does.

use std::path::{Path, PathBuf};

use eval::file::{ReadOptions, read, read_text};
use eval::model::Models;
use eval::run_failure::AtFault;
use eval::{EvalCase, EvalResult, Status, check_cases, check_metrics, rescore, run_eval};
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
    let checked = check_cases(std::iter::once(&case), 1).await;
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
            "node_output",
            "{ node: triagge }",
            "the node triagge, which the agent does not have; did you mean triage?",
        ),
        (
            "model_usage",
            "{ role: subject, agent: triagge }",
            "the agent triagge, which the agent does not have; did you mean triage?",
        ),
        (
            "value_replaced",
            "{ in: the result of page_doctors }",
            "the result of page_doctors, which the agent does not have; did you mean the result of page_doctor?",
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

/// The runs of an agent with tools and agents that only running it shows, one with each of these metrics.
async fn runs_of_unknown(metrics: &[String]) -> Option<Vec<EvalResult>> {
    let python = test_needs::python()?;
    let folder = tempfile::tempdir().expect("a folder");
    let suite = folder.path().join("s.eval.yaml");
    let agent = agents().join("reviewing");
    let case = |(at, metric): (usize, &String)| {
        format!("  - {{ name: c{at}, first_message: A poem, metrics: [{metric}] }}\n")
    };
    let text = format!(
        "subject: {{ adk: {} }}\ntools: {{ draft: real, review: real }}\ncases:\n{}",
        agent.display(),
        metrics.iter().enumerate().map(case).collect::<String>()
    );
    std::fs::write(&suite, &text).expect("written");
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    let cases = read(&suite, &options).unwrap_or_else(|error| panic!("{text}: {error}"));
    let checked = check_cases(cases.iter(), 1).await;
    assert!(checked.is_ok(), "{:?}", checked.err().map(|it| it.1));
    let mut results = Vec::new();
    for case in &cases {
        results.push(run_eval(case).await);
    }
    Some(results)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_neither_the_agent_nor_the_run_has_is_a_fault_of_the_metric() {
    let unknown = [
        ("tool_call", "{ name: publissh }", "the tool publissh"),
        ("tool_call", "{ name: { $regex: ^publissh$ } }", "the tool ^publissh$"),
        ("tool_result", "{ name: { $in: [publissh] } }", "the tool publissh"),
        ("tool_call", "{ agent: review_floww }", "the agent review_floww"),
        ("message", "{ agent: polishr }", "the agent polishr"),
        ("node_output", "{ node: review_floww }", "the node review_floww"),
        ("model_usage", "{ agent: polishr }", "the agent polishr"),
        ("model_usage", "{ role: subject, agent: polishr }", "the agent polishr"),
        ("value_replaced", "{ in: the result of publissh }", "the result of publissh"),
    ];
    let metrics = unknown.map(|(event, filter, _)| count(event, filter));
    let Some(results) = runs_of_unknown(&metrics).await else { return };
    for ((event, filter, wanted), result) in unknown.into_iter().zip(results) {
        assert_eq!(result.status, Status::Error, "{event} {filter}");
        let error = result.error.expect("an error");
        assert_eq!(error.at_fault, AtFault::Metric, "{event} {filter}");
        let begin = format!(
            "the metric none looks for {wanted}, which neither the agent shows nor the run had, so it would pass whatever happens; did you mean "
        );
        assert!(error.message.starts_with(&begin), "{}", error.message);
        let has_way = error.message.contains("say in `tools` what happens to its calls");
        assert_eq!(has_way, wanted.starts_with("the tool"), "{}", error.message);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_the_agent_or_the_run_has_is_known() {
    // A node of the graph, an agent that code may run, its tool, and what the run had.
    let metrics = [
        ("tool_call", "{ name: publish }"),
        ("message", "{ agent: polisher }"),
        ("model_usage", "{ agent: polisher }"),
        ("tool_call", "{ name: spell }"),
        ("node_output", "{ node: review_flow, output: none }"),
        ("value_replaced", "{ in: { $regex: ^the } }"),
    ];
    let mut metrics: Vec<_> = metrics.iter().map(|(event, filter)| count(event, filter)).collect();
    // One that fails shows why.
    metrics.push(count("tool_call", "{ name: publissh }").replace("is: 0", "is: 1"));
    let Some(results) = runs_of_unknown(&metrics).await else { return };
    for (metric, result) in metrics.iter().zip(results) {
        let fails = metric.contains("is: 1");
        let wanted = if fails { Status::Failed } else { Status::Passed };
        assert_eq!(result.status, wanted, "{metric}: {:?}", result.error);
        assert_eq!(result.notes, [""; 0], "{metric}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_nothing_lists_and_the_run_does_not_have_is_noted() {
    for (event, filter, looks_for) in [
        ("model_usage", "{ model: gemini-2.5-prro }", "`model` gemini-2.5-prro"),
        ("request_apart", "{ asked_by: { $ne: sumarizer } }", "`asked_by` sumarizer"),
    ] {
        let Some((_folder, case)) = case(&adk(), &count(event, filter)) else { return };
        let result = run_eval(&case).await;
        result.assert_passed();
        let note = format!(
            "the metric none looks for {looks_for}, which the run did not have; check the name"
        );
        assert_eq!(result.notes, std::slice::from_ref(&note));
        assert_eq!(rescore(&case, result).await.notes, [note]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tools_of_a_toolset_are_known_once_a_model_may_call_them() {
    for (name, status) in [("find_rooom", Status::Error), ("find_room", Status::Passed)] {
        let subject = format!("{{ adk: {} }}", agents().join("offering").display());
        let metric = count("tool_call", &format!("{{ name: {name} }}"));
        let Some((_folder, case)) = case(&subject, &metric) else { return };
        let result = run_eval(&case).await;
        assert_eq!(result.status, status, "{name}: {:?}", result.error);
    }
}

#[test]
fn values_that_the_engine_gives_and_names_of_the_case_are_checked_as_it_is_read() {
    for (event, filter, wanted) in [
        (
            "tool_fault",
            "{ effect: raises }",
            r#"`effect` of events tool_fault is an object, and never "raises"; look for one of effect.raises, effect.returns, effect.latency_ms, effect.truncates, as in { "effect.raises": { "$exists": true } }"#,
        ),
        (
            "tool_fault",
            "{ effect.latency: { $exists: true } }",
            "`effect` of events tool_fault has no member latency; did you mean latency_ms?",
        ),
        (
            "tool_fault",
            "{ effect: { $ne: { truncate: 1 } } }",
            "`effect` of events tool_fault has no member truncate; did you mean truncates?",
        ),
        (
            "value_replaced",
            "{ in: stat }",
            "`in` of events value_replaced is never stat; it is state, the result of …, the arguments of …, the message of …, the output of …",
        ),
        ("user_agent_call", "{ agent: ask }", "the case has no user agent of ask; there are none"),
        (
            "fault",
            "{ code: unmocked_tol }",
            "`code` of events fault is never unmocked_tol; did you mean unmocked_tool?",
        ),
    ] {
        let text = format!(
            "subject: {}\ncases:\n  - name: a\n    first_message: Hi\n    metrics: [{}]\n",
            adk(),
            count(event, filter)
        );
        let read =
            read_text(&text, Path::new("."), &ReadOptions::default(), &Models::of_environment());
        let faults = read.err().unwrap_or_default();
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert!(faults.len() == 1 && faults[0].contains(wanted), "{filter}: {faults:?}");
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
async fn a_metric_that_is_evaluated_later_must_look_for_what_the_agent_had() {
    let of = |name: &str| count("tool_call", &format!("{{ name: {name} }}"));
    let Some((_folder, first)) = case(&adk(), &of("read")) else { return };
    let result = run_eval(&first).await;
    result.assert_passed();
    let stored = serde_json::to_string(&result).expect("JSON");
    let stored: EvalResult = serde_json::from_str(&stored).expect("a result");
    assert_eq!(stored, result);
    // It has another tool, which was not called.
    let Some((_folder, other)) = case(&adk(), &of("page_doctor")) else { return };
    assert!(check_metrics(&other, &stored).is_ok());
    rescore(&other, stored.clone()).await.assert_passed();
    let Some((_folder, mistyped)) = case(&adk(), &of("page_doctors")) else { return };
    let refused = check_metrics(&mistyped, &stored).expect_err("refused").to_string();
    let wanted = "the metric none looks for the tool page_doctors, which the agent does not have; did you mean page_doctor?";
    assert_eq!(refused, wanted);
    let again = rescore(&mistyped, stored.clone()).await;
    assert_eq!(again.error.map(|error| error.at_fault), Some(AtFault::Metric));
    // A result of an earlier version has no names.
    let older = EvalResult { names: None, ..stored };
    let again = rescore(&mistyped, older).await;
    assert!(again.notes.len() == 1 && again.notes[0].contains("run the case again"), "{again:?}");
    assert_eq!(rescore(&other, again).await.notes.len(), 1, "noted once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_run_showed_late_is_known_to_metrics_that_are_evaluated_later() {
    let metrics =
        ["publish", "publissh"].map(|name| count("tool_call", &format!("{{ name: {name} }}")));
    let Some(results) = runs_of_unknown(&metrics[..1]).await else { return };
    for (metric, status) in metrics.iter().zip([Status::Passed, Status::Error]) {
        let Some((_folder, case)) = case(&adk(), metric) else { return };
        let again = rescore(&case, results[0].clone()).await;
        assert_eq!(again.status, status, "{metric}: {:?}", again.error);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_that_are_false_are_there() {
    let metric = "{ event_count: { name: said, event: message, filter: { is_inner: false, is_intermediate: false }, is: 1 } }";
    let Some((_folder, case)) = case(&adk(), metric) else { return };
    run_eval(&case).await.assert_passed();
}
