//! [`AdkUser`]: a user agent that is an agent of google-adk.
//!
//! It is not under test: it runs in a process of its own in each run, without gate and barrier, with its own tools. All
//! its answers are turns of one session, which has its own state.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::adk_python::interpreter::find_interpreter;
use agents::adk_python::package;
use async_trait::async_trait;
use json_text::JsonText;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::messages::{AdkUsage, Exception};
use crate::ledger::{Event, Role};
use crate::model::correction;
use crate::process::{CallProcess, CallProcesses, StartError};
use crate::state_conflict::merge_noting;
use crate::user_agent::{
    ConversationMessage, UserAgent, UserAgentError, UserAnswer, UserContext, answer_outside_a_run,
};
use crate::written_answer::{BEGINNING, SILENCE, response, said_at_the_end, unusable_answer};
use crate::yields::{YieldInfo, YieldKind};

/// The module of the package that it runs.
const MODULE: &str = "rehearsal_adk.evaluation.agent_user";

/// A user agent that is an agent of google-adk.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AdkUser {
    folder: PathBuf,
    python: PathBuf,
    model: Option<String>,
    retries: u32,
}

impl AdkUser {
    /// The agent in `folder`, run by `python` or else by the interpreter of the folder.
    #[must_use]
    pub fn new(folder: &Path, python: Option<&Path>) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let python = find_interpreter(&folder, python).program;
        Self { folder, python, model: None, retries: 1 }
    }

    /// Gives the agent and those in it this model, in place of those that they name.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Sets how often an answer is asked for again that a tool cannot take.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The process of this agent, which has the session of the run.
    fn process(&self, processes: &CallProcesses) -> Result<Arc<CallProcess>, StartError> {
        let Self { folder, python, model, retries } = self;
        let model = model.as_deref().unwrap_or_default();
        let (folder, python) = (folder.display(), python.display());
        let key = format!("{MODULE}\n{folder}\n{python}\n{model}\n{retries}");
        processes.get_or_start(key, || self.start())
    }

    fn start(&self) -> Result<CallProcess, StartError> {
        let package = package::unpacked().map_err(StartError::Package)?;
        let mut command = package::program(&self.python, MODULE, &package, &self.folder);
        command.arg(&self.folder).args(&self.model);
        CallProcess::start(&mut command, format!("the process of {}", self.name()))
            .map_err(|cause| StartError::Process { program: self.python.clone(), cause })
    }

    /// What the agent says to a message. Its calls and the tokens of its models are noted, also where it fails.
    async fn said(
        &self,
        process: &CallProcess,
        message: &Message<'_>,
        turn: &mut Turn<'_>,
    ) -> Result<String, UserAgentError> {
        let said = process.call(message).await;
        let Said { text, error, calls, usage } = said.map_err(UserAgentError::failed)?;
        let ledger = turn.context.ledger;
        for AdkUsage { model, input, output } in usage {
            let (role, agent) = (Role::UserAgent, turn.agent.clone());
            ledger.add(Event::ModelUsage { role, agent, model, input, output });
        }
        for Called { name, args, result, changes } in calls {
            let agent = turn.agent.clone();
            let changed = JsonText::from_value(&Value::Object(changes.clone()));
            ledger.add(Event::UserAgentCall { agent, name, args, result, changes: changed });
            merge_noting(ledger, &mut turn.changes, changes);
        }
        match (text, error) {
            (Some(text), None) => Ok(text),
            (_, Some(Exception { message, traceback, .. })) => {
                let folder = self.folder.display();
                Err(format!("{folder}: {message}\n{traceback}").trim_end().into())
            }
            (None, None) => Err("it gave no answer".into()),
        }
    }
}

/// A message to the agent, as its process gets it.
#[derive(Serialize)]
struct Message<'a> {
    /// What the subject said and the user answered before; `None` for a message that is not part of the conversation.
    heard: Option<Vec<(&'a str, &'a str)>>,
    prompt: &'a str,
}

/// What the process answers.
#[derive(Deserialize)]
struct Said {
    text: Option<String>,
    error: Option<Exception>,
    calls: Vec<Called>,
    usage: Vec<AdkUsage>,
}

#[derive(Deserialize)]
struct Called {
    name: String,
    args: JsonText,
    result: JsonText,
    changes: Map<String, Value>,
}

/// One answer, while the agent works on it.
struct Turn<'a> {
    agent: String,
    context: &'a UserContext<'a>,
    /// What calls have changed, by scope.
    changes: Map<String, Value>,
}

/// The conversation as pairs of what the subject said and what the user answered, and the prompt.
fn paired(heard: &[ConversationMessage]) -> (Vec<(&str, &str)>, &str) {
    let mut pairs = Vec::new();
    let mut prompt = "";
    let spoken = |prompt, is_first| match (prompt, is_first) {
        ("", true) => BEGINNING,
        ("", false) => SILENCE,
        (prompt, _) => prompt,
    };
    for message in heard {
        match message {
            ConversationMessage::Prompt(text) => prompt = text,
            ConversationMessage::Own(text) => {
                pairs.push((spoken(prompt, pairs.is_empty()), text.as_str()));
                prompt = "";
            }
        }
    }
    let prompt = spoken(prompt, pairs.is_empty());
    (pairs, prompt)
}

#[async_trait]
impl UserAgent for AdkUser {
    async fn answer(
        &self,
        number: usize,
        heard: &[ConversationMessage],
        info: &YieldInfo,
    ) -> Result<UserAnswer, UserAgentError> {
        answer_outside_a_run(self, number, heard, info).await
    }

    async fn answer_in_run(
        &self,
        _: usize,
        heard: &[ConversationMessage],
        info: &YieldInfo,
        context: &UserContext<'_>,
    ) -> Result<UserAnswer, UserAgentError> {
        let process = self.process(context.processes).map_err(UserAgentError::failed)?;
        let (heard, prompt) = paired(heard);
        let mut turn = Turn { agent: info.kind.to_string(), context, changes: Map::new() };
        let message = Message { heard: Some(heard), prompt };
        let mut text = self.said(&process, &message, &mut turn).await?;
        let output = match info.kind {
            YieldKind::Loop => match said_at_the_end(&text) {
                Some(said) => {
                    return Ok(UserAnswer::Ends {
                        message: (!said.is_empty()).then(|| JsonText::string(&said)),
                        changes: JsonText::from_value(&Value::Object(turn.changes)),
                    });
                }
                None => JsonText::string(&text),
            },
            YieldKind::Tool { .. } => {
                let mut repeats = 0;
                loop {
                    let texts = std::slice::from_ref(&text);
                    let error = match response(texts, &context.wanted) {
                        Ok(response) => break response,
                        Err(error) => error,
                    };
                    if repeats == self.retries {
                        return Err(unusable_answer(&self.name(), &text, &error));
                    }
                    repeats += 1;
                    let again = Message { heard: None, prompt: &correction(&error) };
                    text = self.said(&process, &again, &mut turn).await?;
                }
            }
        };
        let changes = JsonText::from_value(&Value::Object(turn.changes));
        Ok(UserAnswer::Says { output, changes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_of_the_user_has_a_prompt() {
        let own = |text: &str| ConversationMessage::Own(text.to_owned());
        let prompt = |text: &str| ConversationMessage::Prompt(text.to_owned());
        assert_eq!(paired(&[prompt("")]), (vec![], BEGINNING));
        assert_eq!(paired(&[own("Hi"), prompt("What?")]), (vec![(BEGINNING, "Hi")], "What?"));
        let heard = [prompt("Hello"), own("Hi"), prompt(""), own("Well?"), prompt("")];
        assert_eq!(paired(&heard), (vec![("Hello", "Hi"), (SILENCE, "Well?")], SILENCE));
    }
}
