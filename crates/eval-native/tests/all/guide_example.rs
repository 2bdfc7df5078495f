use std::sync::Arc;

use adk_agent::LlmAgentBuilder;
use adk_core::{AdkError, Agent};
use adk_tool::FunctionTool;
use eval::given_model::{GivenModel, ModelTurn};
use eval::{EvalCase, JsonText, ToolMock, ToolUse, run_eval};
use eval_native::{Interceptor, NativeSubject};
use serde_json::json;

fn librarian(interceptor: &Interceptor) -> adk_core::Result<Arc<dyn Agent>> {
    let search = FunctionTool::new("search", "Searches the catalog", |_, args| async move {
        Err(AdkError::tool(format!("the catalog was asked for {args}")))
    });
    // Called only if the case gives no model.
    let model = interceptor.model("librarian", || Err(AdkError::config("no key")))?;
    let agent = LlmAgentBuilder::new("librarian")
        .instruction("You find books.")
        .model(model)
        .tool(interceptor.tool(Arc::new(search)))
        .build()?;
    Ok(Arc::new(agent))
}

#[tokio::test]
async fn the_librarian_searches_before_it_answers() {
    let args = JsonText::from_value(&json!({ "title": "Emma" }));
    let found = JsonText::from_value(&json!({ "shelf": 7 }));
    let case = EvalCase::new("emma", Arc::new(NativeSubject::new(librarian)))
        .first_message("Where is Emma?")
        .tool("search", ToolUse::Mock(ToolMock::Returns(found)))
        .model(GivenModel::scripted(vec![
            ModelTurn::call("search", args),
            ModelTurn::text("On shelf 7"),
        ]));
    run_eval(&case).await.assert_passed();
}

use eval::continuations::{Continuations, Fork, sentence};
use eval::fork::Move;
use eval::metric::{Assertion, EventCountMetric};
use eval::model::Models;

#[tokio::test]
async fn the_librarian_is_wrong_without_a_search() -> Result<(), Box<dyn std::error::Error>> {
    let found = JsonText::from_value(&json!({ "shelf": 7 }));
    let searches = EventCountMetric {
        name: "searches".to_owned(),
        event: "tool_call".to_owned(),
        filter: None,
        assertion: Assertion::parse(&JsonText::from_value(&json!(1)))?,
    };
    let case = EvalCase::new("emma", Arc::new(NativeSubject::new(librarian)))
        .first_message("Where is Emma?")
        .tool("search", ToolUse::Mock(ToolMock::Returns(found)))
        .model(GivenModel::scripted(vec![
            ModelTurn::text("On shelf 3"),
            ModelTurn::text("On shelf 7"),
        ]))
        .metric(Arc::new(searches));
    let result = run_eval(&case).await;

    // Step 1 is the message of the user, and step 2 the response of the model.
    let search = r#"{"response": {"calls": [{"tool": "search", "args": {"title": "Emma"}}]}}"#;
    let fork = Fork { step: 2, at: Some(Move::read(search)?), times: 5, ..Fork::default() };
    let sides = fork.sides(&case, &result, &Models::of_environment())?;
    let mut with = Continuations::default();
    with.run(&sides.with, 4, None, |_| {}).await?;
    let mut without = Continuations::default();
    without.run(&sides.without.ok_or("no edit")?, 4, None, |_| {}).await?;
    let said = sentence(fork.step, fork.changed().as_ref(), &with, Some(&without));
    assert!(
        said.starts_with("Step 2 was the cause: with your call 5 of 5 pass, without it 0 of 5")
    );
    Ok(())
}
