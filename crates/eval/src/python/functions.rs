//! [`PythonFunction`]: a mock, a user, a user's tool or a metric that the author of a case wrote in Python.
//!
//! Functions run in a process of their own, one for each run that calls any, so that they work with every
//! subject, share nothing with the agent and may keep a state for the case.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use agents::adk_python::interpreter::find_interpreter;
use async_trait::async_trait;
use json_text::JsonText;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::OnceCell;

use super::function_process::{Reply, function_process};
use super::messages::Exception;
use crate::bridge::CalledFormat;
use crate::confirmation::{Confirmation, ConfirmationRequest};
use crate::function_error::FunctionError;
use crate::ledger::{Entry, Ledger};
use crate::metric::{Metric, MetricResult};
use crate::mock::{MockContext, MockFailure, MockFunction};
use crate::persona_tool::PersonaFunction;
use crate::process::CallProcesses;
use crate::scope_change::check_scopes;
use crate::user_agent::{
    ConversationMessage, UserAgent, UserAgentError, UserAnswer, UserContext, YieldedTo,
    answer_outside_a_run,
};
use crate::yields::{YieldInfo, YieldKind};

/// A function in a Python file.
#[derive(Debug, Clone)]
pub struct PythonFunction {
    pub(super) file: PathBuf,
    name: String,
    pub(super) python: PathBuf,
    /// Whether it may read or change the state as a mock, once it was asked for.
    uses_state: Arc<OnceCell<bool>>,
}

impl PythonFunction {
    /// The function `name` at the top level of `file`, run by `python` or else by the interpreter of the
    /// file's folder, as an agent's there.
    #[must_use]
    pub fn new(file: &Path, name: impl Into<String>, python: Option<&Path>) -> Self {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
        let folder = file.parent().unwrap_or(Path::new("."));
        let python = find_interpreter(folder, python).program;
        Self { file, name: name.into(), python, uses_state: Arc::default() }
    }

    /// What the function returns for these arguments, outside of a run.
    ///
    /// # Errors
    /// As [`PythonFunction::answer`].
    pub(super) async fn call_outside_a_run(
        &self,
        processes: &CallProcesses,
        args: &JsonText,
    ) -> Result<JsonText, MockFailure> {
        let nothing = JsonText::from_value(&Value::Object(Map::new()));
        let context = CallContext {
            call_id: "",
            tool_name: &self.name,
            invocation_id: "",
            state: &nothing,
            prefixes: &[],
            tool_confirmation: None,
            now_ms: 0,
        };
        self.called(processes, Input::Mock { args, defaults: &nothing, context }).await
    }

    /// What the function says as a user; `None` if it ends the conversation.
    ///
    /// # Errors
    /// What the function raises, or why it cannot be called.
    async fn user(&self, yielded: &YieldedTo<'_>) -> Result<Option<Answer>, UserAgentError> {
        let prompt = match yielded.heard.last() {
            Some(ConversationMessage::Prompt(prompt)) => prompt,
            _ => "",
        };
        let input = Input::User { prompt, user: UserSeen::of(yielded) };
        let answer = self.called(yielded.context.processes, input).await;
        answer.map_err(UserAgentError::failed)?.decode().map_err(UserAgentError::failed)
    }

    async fn called(
        &self,
        processes: &CallProcesses,
        input: Input<'_>,
    ) -> Result<JsonText, MockFailure> {
        self.result(self.reply(processes, input).await?)
    }

    async fn reply(
        &self,
        processes: &CallProcesses,
        input: Input<'_>,
    ) -> Result<Reply, MockFailure> {
        let process = function_process(processes, self).map_err(MockFailure::broken)?;
        let call = Call { file: &self.file, function: &self.name, input };
        process.call(&call).await.map_err(MockFailure::broken)
    }

    fn result(&self, reply: Reply) -> Result<JsonText, MockFailure> {
        match reply {
            Reply { result: Some(result), .. } => Ok(result),
            Reply { raises: Some(message), .. } => Err(MockFailure::Raises(message)),
            Reply { error: Some(Exception { message, traceback, .. }), .. } => {
                let place = self.file.display();
                Err(MockFailure::Broken(format!("{place}:{}: {message}\n{traceback}", self.name)))
            }
            Reply { .. } => Err(MockFailure::Broken("it gave no answer".to_owned())),
        }
    }
}

#[async_trait]
impl MockFunction for PythonFunction {
    /// What the function returns for a call. Its changes of the state are made in the context.
    ///
    /// # Errors
    /// [`MockFailure::Raises`] if it raises `ToolError`, [`MockFailure::Broken`] if it fails otherwise or
    /// cannot be called.
    async fn answer(&self, _: &JsonText, context: &MockContext) -> Result<JsonText, MockFailure> {
        let input = Input::Mock {
            args: &context.received.args,
            defaults: &context.received.defaults,
            context: CallContext {
                call_id: &context.call_id,
                tool_name: &context.tool_name,
                invocation_id: &context.invocation_id,
                state: &context.state.to_json(),
                prefixes: context.state.scopes().prefixed(),
                tool_confirmation: context.confirmation.as_ref(),
                now_ms: context.now_ms,
            },
        };
        let mut reply = self.reply(&context.processes, input).await?;
        let skip_summarization = reply.skip_summarization;
        match reply.asks.take() {
            Some(asked) => {
                context.request_confirmation(ConfirmationRequest { skip_summarization, ..asked });
            }
            None => context.skips_summarization.store(skip_summarization, Ordering::Relaxed),
        }
        context.state.replace(std::mem::take(&mut reply.state));
        let changes = std::mem::take(&mut reply.changes);
        check_scopes(&changes, context.state.scopes(), |scope| context.state.has(scope))
            .and_then(|()| context.state.change(changes))
            .map_err(MockFailure::broken)?;
        self.result(reply)
    }

    /// Whether it may read or change the state of the session: it gets the context of the call, or changes the
    /// state beside its result. So may one that cannot be called, the fault of which is shown at its call.
    async fn uses_state(&self, processes: &CallProcesses) -> bool {
        let ask = || async {
            let answer = self.called(processes, Input::UsesState { uses_state: () }).await;
            answer.map_or(true, |answer| answer.decode().unwrap_or(true))
        };
        *self.uses_state.get_or_init(ask).await
    }
}

#[async_trait]
impl CalledFormat for PythonFunction {
    async fn format(
        &self,
        processes: &CallProcesses,
        names: &Value,
    ) -> Result<JsonText, FunctionError> {
        let made = self.called(processes, Input::Bridge { bridge: names }).await;
        made.map_err(FunctionError::new)
    }
}

#[async_trait]
impl PersonaFunction for PythonFunction {
    async fn call(
        &self,
        args: &JsonText,
        yielded: &YieldedTo<'_>,
    ) -> Result<(JsonText, Map<String, Value>), MockFailure> {
        let input = Input::PersonaTool { args, user: UserSeen::of(yielded) };
        let answer = self.called(yielded.context.processes, input).await?;
        match answer.decode() {
            Ok(Some(Answer { output, changes })) => Ok((output, changes)),
            Ok(None) => Ok((JsonText::from_value(&Value::Null), Map::new())),
            Err(error) => Err(MockFailure::broken(error)),
        }
    }
}

/// A user agent that is a function in Python.
#[derive(Debug, Clone)]
pub struct PythonUser(PythonFunction);

impl PythonUser {
    /// The user for whom this function answers.
    #[must_use]
    pub fn new(function: PythonFunction) -> Self {
        Self(function)
    }
}

#[async_trait]
impl UserAgent for PythonUser {
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
        let Some(Answer { output, changes }) =
            self.0.user(&YieldedTo { heard, info, context, state: context.state }).await?
        else {
            return Ok(UserAnswer::ends());
        };
        let changes = JsonText::from_value(&changes.into());
        Ok(if info.kind == YieldKind::Loop && output == JsonText::null() {
            UserAnswer::Ends { message: None, changes }
        } else {
            UserAnswer::Says { output, changes }
        })
    }
}

/// A metric that is a function in Python. It gets the events of the ledger, as [`Entry`] serializes.
#[derive(Debug, Clone)]
pub struct PythonMetric(PythonFunction);

impl PythonMetric {
    /// The metric that this function measures. It has the function's name.
    #[must_use]
    pub fn new(function: PythonFunction) -> Self {
        Self(function)
    }
}

#[async_trait]
impl Metric for PythonMetric {
    fn name(&self) -> &str {
        &self.0.name
    }

    async fn evaluate(&self, events: &[Entry]) -> MetricResult {
        let result = self.evaluate_noting(events, &Ledger::begin()).await;
        result.unwrap_or_else(|error| MetricResult::unscored(error.to_string()))
    }

    async fn evaluate_noting(
        &self,
        events: &[Entry],
        _: &Ledger,
    ) -> Result<MetricResult, FunctionError> {
        let result = self.0.called(&CallProcesses::default(), Input::Metric { events }).await;
        result.map_err(FunctionError::new)?.decode().map_err(FunctionError::new)
    }
}

/// A call, as the process gets it.
#[derive(Serialize)]
struct Call<'a> {
    file: &'a Path,
    function: &'a str,
    #[serde(flatten)]
    input: Input<'a>,
}

/// What a function is called with.
#[derive(Serialize)]
#[serde(untagged)]
enum Input<'a> {
    Mock { args: &'a JsonText, defaults: &'a JsonText, context: CallContext<'a> },
    User { prompt: &'a str, user: UserSeen<'a> },
    PersonaTool { args: &'a JsonText, user: UserSeen<'a> },
    Metric { events: &'a [Entry] },
    Bridge { bridge: &'a Value },
    UsesState { uses_state: () },
}

/// What a user agent sees of its yield.
#[derive(Serialize)]
struct UserSeen<'a> {
    tool_name: Option<&'a str>,
    call_id: Option<&'a str>,
    args: Option<&'a JsonText>,
    interim: Option<&'a JsonText>,
    invocation_id: &'a str,
    conversation: Vec<Said<'a>>,
    state: &'a JsonText,
    now_ms: u64,
}

impl<'a> UserSeen<'a> {
    fn of(yielded: &'a YieldedTo<'_>) -> Self {
        let said = yielded.heard.iter().map(|message| match message {
            ConversationMessage::Prompt(text) => Said { role: "agent", text },
            ConversationMessage::Own(text) => Said { role: "user", text },
        });
        Self {
            tool_name: match &yielded.info.kind {
                YieldKind::Loop => None,
                YieldKind::Tool { tool_name } => Some(tool_name),
            },
            call_id: yielded.info.call_id.as_deref(),
            args: yielded.info.args.as_ref(),
            interim: yielded.info.interim.as_ref(),
            invocation_id: &yielded.info.invocation_id,
            conversation: said.collect(),
            state: yielded.state,
            now_ms: yielded.context.ledger.now_ms(),
        }
    }
}

#[derive(Serialize)]
struct Said<'a> {
    role: &'static str,
    text: &'a str,
}

/// What a function gives as a user agent, or as a tool of one.
#[derive(Deserialize)]
struct Answer {
    output: JsonText,
    changes: Map<String, Value>,
}

#[derive(Serialize)]
struct CallContext<'a> {
    call_id: &'a str,
    tool_name: &'a str,
    invocation_id: &'a str,
    state: &'a JsonText,
    /// The scopes whose keys are in the state with a prefix.
    prefixes: &'static [&'static str],
    tool_confirmation: Option<&'a Confirmation>,
    now_ms: u64,
}
