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
