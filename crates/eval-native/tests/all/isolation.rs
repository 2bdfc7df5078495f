//! Cases at once see nothing of each other.

use std::sync::Arc;

use adk_agent::LlmAgentBuilder;
use adk_core::{Agent, ToolContext};
use adk_tool::FunctionTool;
use eval::given_model::{GivenModel, ModelTurn};
use eval::{EvalCase, EvalSuite, ToolUse, run_eval_suite};
use eval_native::{Interceptor, NativeSubject};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::triage::{no_model, value};

const CASES: usize = 500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cases_at_once_with_the_same_names_see_nothing_of_each_other() {
    // No case goes on before every one is within its first call.
    let barrier = Arc::new(Barrier::new(CASES));
    let build = move |interceptor: &Interceptor| -> adk_core::Result<Arc<dyn Agent>> {
        let barrier = Arc::clone(&barrier);
        let meet = FunctionTool::new("meet", "meet", move |context: Arc<dyn ToolContext>, args| {
            let barrier = Arc::clone(&barrier);
            async move {
                let get = |key| context.session().and_then(|session| session.state().get(key));
                let (owner, before) = (get("owner"), get("seen"));
                barrier.wait().await;
                let mut seen = before.unwrap_or_else(|| json!([]));
                seen.as_array_mut().expect("a list").push(json!([owner, args["number"]]));
                let mut actions = context.actions();
                actions.state_delta.insert("seen".to_owned(), seen);
                context.set_actions(actions);
                Ok(json!({}))
            }
        });
        let agent = LlmAgentBuilder::new("same")
            .model(interceptor.model("same", no_model)?)
            .tool(interceptor.tool(Arc::new(meet)));
        Ok(Arc::new(agent.build()?))
    };
    let subject = Arc::new(NativeSubject::new(build));
    let cases = (0..CASES).map(|number| {
        let call = || ModelTurn::call("meet", value(&json!({ "number": number })));
        let mut case = EvalCase::new("same", subject.clone())
            .first_message("Hi")
            .model(GivenModel::scripted(vec![call(), call(), ModelTurn::text("Done")]))
            .tool("meet", ToolUse::Real);
        case.initial_state = value(&json!({ "owner": number }));
        case
    });
    let suite = EvalSuite { cases: cases.collect(), jobs: CASES, stop_on_first_failure: false };
    let result = run_eval_suite(&suite, |_| ()).await;
    assert_eq!(result.summary.passed, CASES);
    for (number, result) in result.results.iter().enumerate() {
        let last = serde_json::to_value(&result.events.last().expect("an end").event);
        let seen: Vec<Value> = vec![json!([number, number]); 2];
        assert_eq!(last.expect("serializes")["state"], json!({ "owner": number, "seen": seen }));
    }
}
