//! The example of the guide, and how a test with it fails.

use std::sync::Arc;

use eval::given_model::{GivenModel, ModelTurn};
use eval::metric::{Assertion, StateMetric};
use eval::{EvalCase, run_eval};
use serde_json::json;

use crate::triage::{triage, value};

#[test]
fn the_guide_shows_the_example_that_is_tested() {
    let guide = include_str!("../../../../docs/guide/eval-runs.md");
    let parts = guide.split("```rust\n").skip(1);
    let parts: Vec<_> = parts.filter_map(|part| part.split("```").next()).collect();
    let example = include_str!("guide_example.rs");
    assert!(parts.join("\n") == example, "copy guide_example.rs to the guide");
}

async fn failure(case: &EvalCase) -> String {
    let result = run_eval(case).await;
    let panic = std::panic::catch_unwind(|| result.assert_passed()).expect_err("a failure");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_failed_test_says_what_failed() {
    let escalated = StateMetric {
        name: "escalated".to_owned(),
        scope: "session".to_owned(),
        key: "escalation".to_owned(),
        assertion: Assertion::parse(&value(&json!({ "$exists": true }))).expect("conditions"),
    };
    let case = EvalCase::new("chest-pain", triage())
        .first_message("Hi")
        .model(GivenModel::scripted(vec![ModelTurn::text("Hello")]))
        .metric(Arc::new(escalated));
    let message = failure(&case).await;
    assert!(message.starts_with("the case chest-pain is failed\nescalated failed: "), "{message}");
    assert!(message.contains(r#""type":"message","agent":"triage","text":"Hello""#), "{message}");

    let read = ModelTurn::call("read", value(&json!({ "policy_id": "x" })));
    let case =
        EvalCase::new("read", triage()).first_message("Hi").model(GivenModel::scripted(vec![read]));
    let message = failure(&case).await;
    assert!(message.contains("\nEvalToolError: the tool read was called"), "{message}");
}
