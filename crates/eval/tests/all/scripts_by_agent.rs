//! A scripted model with responses for each agent.

use std::path::Path;

use eval::file::{ReadOptions, read};
use eval::{EvalCase, check_cases, run_eval};

/// A case with this script, for an agent that uses an agent as a tool, which uses another one.
fn case(script: &str) -> Option<EvalCase> {
    let options = ReadOptions { python: Some(test_needs::python()?), ..ReadOptions::default() };
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/nested");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.eval.yaml");
    let text = format!(
        "subject: {{ adk: {} }}\n\
         cases:\n\
         - name: a\n\
         \x20 first_message: Hi\n\
         \x20 tools: {{ look: {{ returns: {{ found: true }} }} }}\n\
         \x20 model: {{ scripted: {script} }}\n\
         \x20 metrics: [{{ event_count: {{ name: looked, event: tool_call, filter: {{ name: look, agent: inner }}, is: 1 }} }}]\n",
        agent.display()
    );
    std::fs::write(&path, text).expect("written");
    let cases = read(&path, &options).unwrap_or_else(|error| panic!("{error}"));
    cases.into_iter().next()
}

const INNER: &str = "inner: [{ calls: [{ tool: look, args: { place: here } }] }, It is here]";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_agent_has_its_own_responses() {
    let asks =
        |tool: &str| format!("{{ calls: [{{ tool: {tool}, args: {{ request: Where? }} }}] }}");
    let script = format!(
        "{{ {INNER}, root: [{}, Found], middle: [{}, Yes] }}",
        asks("middle"),
        asks("inner")
    );
    let Some(whole) = case(&script) else { return };
    run_eval(&whole).await.assert_passed();

    let incomplete = case(&format!("{{ {INNER}, root: [{}] }}", asks("middle"))).expect("a case");
    let error = run_eval(&incomplete).await.error.expect("an error").message;
    assert_eq!(
        error,
        "the model has scripts for inner, root, and middle asks for a response. Add a script for it"
    );

    let mistyped = case("{ rot: [Done] }").expect("a case");
    let (_, fault) = check_cases(std::iter::once(&mistyped), 1).await.expect_err("refused");
    assert_eq!(
        fault.to_string(),
        "the model has a script for rot, an agent that does not exist; did you mean root?"
    );
}
