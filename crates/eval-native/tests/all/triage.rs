//! The clinical triage agent, as `crates/eval/tests/agents/triage` has it for google-adk.

use std::sync::Arc;

use adk_agent::LlmAgentBuilder;
use adk_core::{AdkError, Agent, Llm, Tool, ToolContext};
use adk_tool::FunctionTool;
use eval::ledger::Entry;
use eval::{EvalResult, ToolMock, ToolUse};
use eval_native::{Interceptor, NativeSubject};
use json_text::JsonText;
use serde_json::{Value, json};

pub(crate) fn value(value: &Value) -> JsonText {
    JsonText::from_value(value)
}

pub(crate) fn returns(result: &Value) -> ToolUse {
    ToolUse::Mock(ToolMock::Returns(value(result)))
}

/// A tool whose body is an accident.
pub(crate) fn real(name: &'static str) -> FunctionTool {
    FunctionTool::new(name, name, move |_, _| async move {
        Err(AdkError::tool(format!("the body of {name} ran")))
    })
}

/// A tool that writes what `change` makes of its arguments and the state to the session's state.
pub(crate) fn writes(
    name: &'static str,
    key: &'static str,
    change: fn(&Value, Option<Value>) -> Value,
) -> FunctionTool {
    FunctionTool::new(name, name, move |context: Arc<dyn ToolContext>, args| async move {
        let before = context.session().and_then(|session| session.state().get(key));
        let mut actions = context.actions();
        actions.state_delta.insert(key.to_owned(), change(&args, before));
        context.set_actions(actions);
        Ok(json!({ "done": true }))
    })
}

/// What a factory gives an agent that must have a model of its own.
pub(crate) fn no_model() -> adk_core::Result<Arc<dyn Llm>> {
    Err(AdkError::config("the model's key is missing"))
}

pub(crate) fn record_answer() -> FunctionTool {
    writes("record_answer", "beliefs", |args, before| {
        let mut beliefs = before.unwrap_or_else(|| json!({}));
        let question = args["question"].as_str().unwrap_or_default();
        beliefs[question] = args["answer"].clone();
        beliefs
    })
}

fn build(interceptor: &Interceptor) -> adk_core::Result<Arc<dyn Agent>> {
    let escalate = writes(
        "escalate",
        "escalation",
        |args, _| json!({ "urgencyLevel": args["urgency_level"], "reason": args["reason"] }),
    );
    let tools: [Arc<dyn Tool>; 5] = [
        Arc::new(real("read")),
        Arc::new(record_answer()),
        Arc::new(escalate),
        Arc::new(real("ask").with_long_running(true)),
        Arc::new(real("page_doctor")),
    ];
    let mut agent = LlmAgentBuilder::new("triage")
        .model(interceptor.model("triage", no_model)?)
        .instruction("You triage patients. Ask, read the policy, and escalate emergencies.")
        .require_tool_confirmation("page_doctor");
    for tool in tools {
        agent = agent.tool(interceptor.tool(tool));
    }
    Ok(Arc::new(agent.build()?))
}

pub(crate) fn triage() -> Arc<NativeSubject> {
    Arc::new(NativeSubject::new(build))
}

/// The events as lines: their type and what tells them apart.
pub(crate) fn shown(events: &[Entry]) -> String {
    let line = |entry: &Entry| {
        let value = serde_json::to_value(&entry.event).expect("serializes");
        let members = ["name", "text", "from", "tool_name", "response", "changes", "reason"];
        let shown: Vec<String> =
            members.iter().filter_map(|name| value.get(*name)).map(ToString::to_string).collect();
        format!("{} {}", entry.event.name(), shown.join(" "))
    };
    events.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The message of the error that a run ended with.
pub(crate) fn error(result: &EvalResult) -> String {
    result.error.as_ref().map(|error| error.message.clone()).unwrap_or_default()
}
