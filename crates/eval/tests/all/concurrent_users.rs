//! Several tools that wait at the same time, under a clock that only waiting moves.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use eval::ledger::Event;
use eval::subject::{Input, PendingCall, SubjectSession, TurnEnd};
use eval::user_agent::{ConversationMessage, UserAgentError, UserAnswer};
use eval::yields::YieldInfo;
use eval::{EvalCase, EvalResult, Gate, RunFailure, Status, Subject, UserAgent, run_eval};
use expect_test::expect;
use json_text::JsonText;
use serde_json::{Value, json};

/// An agent that waits for all these tools in its first turn, and then says what it got.
struct Waits(Vec<&'static str>);

struct Session {
    gate: Arc<Gate>,
    tools: Vec<&'static str>,
    state: JsonText,
}

#[async_trait]
impl Subject for Waits {
    async fn open(&self, gate: &Arc<Gate>) -> Result<Box<dyn SubjectSession>, RunFailure> {
        let state = gate.initial_state().clone();
        Ok(Box::new(Session { gate: Arc::clone(gate), tools: self.0.clone(), state }))
    }
}

#[async_trait]
impl SubjectSession for Session {
    async fn run(&mut self, input: Input) -> Result<TurnEnd, RunFailure> {
        let pending = match input {
            Input::Message(_) => self.tools.iter().map(|tool| waiting(tool)).collect(),
            Input::Responses(responses) => {
                let responses = responses.iter().map(|one| one.response.to_string());
                let text = responses.collect::<Vec<_>>().join(" ");
                let agent = "waits".to_owned();
                self.gate.ledger.add(Event::Message {
                    agent,
                    text,
                    is_intermediate: false,
                    is_inner: false,
                });
                Vec::new()
            }
        };
        Ok(TurnEnd { pending, state: self.state.clone() })
    }

    async fn change_state(&mut self, changes: JsonText) -> Result<JsonText, RunFailure> {
        self.state = changes;
        Ok(self.state.clone())
    }
}

fn waiting(tool: &str) -> PendingCall {
    PendingCall {
        call_id: format!("call of {tool}"),
        name: tool.to_owned(),
        tool: tool.to_owned(),
        args: JsonText::from_value(&json!({})),
        interim: None,
    }
}

/// A user that takes its time, and changes the state.
struct Slow {
    takes: Duration,
    changes: Value,
}

#[async_trait]
impl UserAgent for Slow {
    async fn answer(
        &self,
        _: usize,
        heard: &[ConversationMessage],
        _: &YieldInfo,
    ) -> Result<UserAnswer, UserAgentError> {
        tokio::time::sleep(self.takes).await;
        let output = JsonText::from_value(&json!(format!("{} messages", heard.len())));
        Ok(UserAnswer::Says { output, changes: JsonText::from_value(&self.changes) })
    }
}

fn slow(milliseconds: u64, changes: Value) -> Arc<dyn UserAgent> {
    Arc::new(Slow { takes: Duration::from_millis(milliseconds), changes })
}

/// When each event happened, and what tells it apart.
fn lines(result: &EvalResult) -> String {
    let line = |entry: &eval::ledger::Entry| {
        let value = serde_json::to_value(&entry.event).expect("serializes");
        let members =
            ["name", "text", "tool_name", "response", "changes", "pointer", "kept", "replaced"];
        let shown: Vec<String> =
            members.iter().filter_map(|name| value.get(*name)).map(ToString::to_string).collect();
        format!("{} ms {} {}", entry.at_ms, entry.event.name(), shown.join(" "))
            .trim_end()
            .to_owned()
    };
    result.events.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[tokio::test(start_paused = true)]
async fn answers_interleave_as_they_come_and_the_run_goes_on_after_the_last() {
    let case = EvalCase::new("it", Arc::new(Waits(vec!["weight", "height"])))
        .first_message("Hi")
        .user_for_tool("weight", slow(300, json!({ "patient": { "kg": 70, "seen": "by a" } })))
        .user_for_tool("height", slow(200, json!({ "patient": { "cm": 180, "seen": "by b" } })));
    let result = run_eval(&case).await;
    assert_eq!((result.status, result.turns), (Status::Passed, 1), "{:?}", result.error);
    expect![[r#"
        0 ms initial_state
        0 ms user_message "Hi"
        0 ms yield "weight"
        0 ms user_agent_prompt "Tool: weight\nArgs: {}"
        0 ms yield "height"
        0 ms user_agent_prompt "Tool: height\nArgs: {}"
        200 ms user_agent_response "2 messages"
        200 ms tool_result "height"
        300 ms user_agent_response "2 messages"
        300 ms tool_result "weight"
        300 ms state_conflict "/patient/seen" "by b" "by a"
        300 ms state_change {"patient":{"kg":70,"seen":"by b","cm":180}}
        300 ms message "\"2 messages\" \"2 messages\""
        300 ms termination"#]]
    .assert_eq(&lines(&result));
}

#[tokio::test(start_paused = true)]
async fn the_longest_duration_of_a_run_ends_it_while_users_think() {
    let mut case = EvalCase::new("it", Arc::new(Waits(vec!["weight", "height"])))
        .first_message("Hi")
        .user_for_tool("weight", slow(100, json!({})))
        .user_for_tool("height", slow(60_000, json!({})));
    case.terminate_when.max_duration = Some(Duration::from_secs(5));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Terminated, "{:?}", result.error);
    let last = result.events.last().expect("events");
    assert_eq!((last.at_ms, last.event.name()), (5000, "termination"));
}
