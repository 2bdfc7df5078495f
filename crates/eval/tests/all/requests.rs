//! What google-adk asks of the user for a tool or a node: credentials and input.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use eval::given_model::{GivenModel, ModelTurn};
use eval::python::AdkPythonSubject;
use eval::user_agent::{ConversationMessage, UserAgent, UserAgentError, UserAnswer};
use eval::yields::YieldInfo;
use eval::{EvalCase, Status, ToolUse, run_eval};
use json_text::JsonText;
use serde_json::{Value, json};

fn subject(agent: &str) -> Option<Arc<AdkPythonSubject>> {
    let python = test_needs::python()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(agent);
    Some(Arc::new(AdkPythonSubject::new(&folder, Some(&python))))
}

/// Gives what is asked for.
struct Giver;

#[async_trait]
impl UserAgent for Giver {
    async fn answer(
        &self,
        _: usize,
        _: &[ConversationMessage],
        info: &YieldInfo,
    ) -> Result<UserAnswer, UserAgentError> {
        let args = info.args.as_ref().expect("arguments").to_value().expect("JSON");
        let answer = match args.get("authConfig") {
            Some(config) => {
                let mut config = config.clone();
                config["exchangedAuthCredential"] = json!({ "authType": "apiKey", "apiKey": "k" });
                config
            }
            None => json!({ "result": 55 }),
        };
        Ok(UserAnswer::says(JsonText::from_value(&answer)))
    }
}

async fn events(case: EvalCase) -> Vec<Value> {
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let value = |entry: &eval::ledger::Entry| serde_json::to_value(&entry.event).expect("JSON");
    result.events.iter().map(value).collect()
}

fn yields(events: &[Value]) -> Vec<&str> {
    let yields = events.iter().filter(|event| event["type"] == "yield");
    yields.filter_map(|event| event["tool_name"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_credential_is_asked_under_the_tools_name() {
    let Some(subject) = subject("asking") else { return };
    let turns = vec![
        ModelTurn::call("open_account", JsonText::from_value(&json!({}))),
        ModelTurn::text("It is open"),
    ];
    let case = EvalCase::new("credential", subject)
        .first_message("Open it")
        .model(GivenModel::scripted(turns))
        .tool("open_account", ToolUse::Real)
        .user_for_tool("open_account", Arc::new(Giver));
    let events = events(case).await;
    assert_eq!(yields(&events), ["open_account"]);
    let opened = json!({ "opened_with": "k" });
    assert!(events.iter().any(|event| event["result"] == opened), "{events:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn input_is_asked_under_the_nodes_name() {
    let Some(subject) = subject("asking_flow") else { return };
    let case = EvalCase::new("input", subject)
        .first_message("Hi")
        .tool("ask_age", ToolUse::Real)
        .tool("note_age", ToolUse::Real)
        .user_for_tool("ask_age", Arc::new(Giver));
    let events = events(case).await;
    assert_eq!(yields(&events), ["ask_age"]);
    assert_eq!(events.last().expect("the end")["state"]["age"], 55);
}
