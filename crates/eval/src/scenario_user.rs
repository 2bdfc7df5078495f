//! [`ScenarioUser`]: the prompt of the user of a scenario, as the agent's framework writes it.

use std::fmt;
use std::sync::Arc;

use json_text::JsonText;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::function_error::FunctionError;
use crate::ledger::{Entry, Event};
use crate::subject::Subject;
use crate::written_answer::END;

/// Stands for the conversation in a prompt.
const HISTORY: &str = "\u{f8ff}conversation\u{f8ff}";

/// The user of a scenario of google-adk.
pub(crate) struct ScenarioUser {
    subject: Arc<dyn Subject>,
    args: JsonText,
    shows_calls: bool,
    prompt: OnceCell<Option<String>>,
}

impl fmt::Debug for ScenarioUser {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ScenarioUser").field(&self.args).finish()
    }
}

impl ScenarioUser {
    /// The user of this scenario, in the format of google-adk, with the instructions of the config.
    pub(crate) fn new(
        subject: Arc<dyn Subject>,
        scenario: &Value,
        custom_instructions: Option<&str>,
    ) -> Self {
        let args = json!({
            "scenario": scenario,
            "custom_instructions": custom_instructions,
            "stop_signal": END,
            "history": HISTORY,
        });
        let args = JsonText::from_value(&args);
        Self { subject, args, shows_calls: false, prompt: OnceCell::new() }
    }

    /// Shows the user the subject's calls of tools and their results, too.
    pub(crate) fn shows_calls(mut self, shows_calls: bool) -> Self {
        self.shows_calls = shows_calls;
        self
    }

    /// The prompt for the next message; `None` if the framework has none.
    ///
    /// # Errors
    /// Why the framework refuses the scenario or the instructions.
    pub(crate) async fn prompt(&self, events: &[Entry]) -> Result<Option<String>, FunctionError> {
        let asked = || async { self.subject.scenario_prompt(&self.args).await };
        let prompt = self.prompt.get_or_try_init(asked).await?;
        Ok(prompt
            .as_ref()
            .map(|prompt| prompt.replace(HISTORY, &history(events, self.shows_calls))))
    }
}

/// The conversation as google-adk shows it to its users: every text of the subject's events, with its author. Of a call,
/// the arguments and the result are JSON, where google-adk prints Python's objects.
fn history(events: &[Entry], shows_calls: bool) -> String {
    // Those of agents used as tools are not in the subject's session.
    let is_inner = |call: &str| {
        events.iter().any(|entry| {
            matches!(&entry.event, Event::ToolCall { call_id, is_inner: true, .. } if call_id == call)
        })
    };
    let lines = events.iter().filter_map(|entry| match &entry.event {
        Event::UserMessage { text, .. } => Some(format!("user: {text}")),
        Event::Message { agent, text, is_inner: false, .. } => Some(format!("{agent}: {text}")),
        Event::ToolCall { name, args, agent, is_inner: false, .. } if shows_calls => {
            Some(format!("{agent} called tool '{name}' with args: {args}"))
        }
        Event::ToolResult { call_id, name, result, .. } if shows_calls && !is_inner(call_id) => {
            Some(format!("Tool '{name}' returned: {result}"))
        }
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n\n")
}
