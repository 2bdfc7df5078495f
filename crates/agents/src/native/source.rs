//! [`NativeSource`]: runs a [`NativeAgent`] in this process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::{ActiveAgent, AgentFault, SessionView, SourceKind, ToolHints, ToolView};
use adk_core::{EventActions, RunConfig, Tool};
use async_trait::async_trait;
use json_text::JsonText;
use serde_json::{Map, Value};
use session::{CallId, SessionId, ToolError, ToolName};
use tokio_util::sync::CancellationToken;

use super::NativeAgent;
use super::context::{CallContext, CallSession};
use super::instruction::InstructionError;
use super::run::run_tool;
use super::stored::{StateCopy, Stored};
use crate::arguments::exact_value;
use crate::schemas;
use crate::{
    AgentFacts, AgentLog, AgentSource, CallProgress, CallReport, SessionPast, SessionSeed,
    SourceError, ToolFailure, ToolInvocation,
};

/// The source of one native agent.
pub struct NativeSource {
    agent: NativeAgent,
    sessions: Mutex<HashMap<SessionId, Arc<Open>>>,
}

/// One open session.
struct Open {
    stored: Arc<Stored>,
    /// The call that waits for the person.
    waiting: Mutex<Option<ToolInvocation>>,
}

impl Open {
    fn with(stored: Stored) -> Arc<Self> {
        Arc::new(Self { stored: Arc::new(stored), waiting: Mutex::default() })
    }
}

/// A state as values.
fn values(state: &BTreeMap<String, JsonText>) -> impl Iterator<Item = (String, Value)> {
    state.iter().map(|(key, value)| (key.clone(), value.to_value().unwrap_or(Value::Null)))
}

impl NativeSource {
    /// A source for this agent.
    #[must_use]
    pub fn new(agent: NativeAgent) -> Self {
        Self { agent, sessions: Mutex::default() }
    }

    fn open(&self, session: &SessionId) -> Result<Arc<Open>, SourceError> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.get(session).cloned().ok_or_else(|| SourceError::UnknownSession(session.clone()))
    }

    fn tool(&self, name: &ToolName) -> Option<Arc<dyn Tool>> {
        self.agent.tools.iter().find(|tool| tool.name() == name.as_str()).cloned()
    }

    fn context(
        &self,
        session: &SessionId,
        stored: &Arc<Stored>,
        call: Option<(&CallId, &ToolName, &Value)>,
        cancel: CancellationToken,
    ) -> CallContext {
        let user_content = stored.user_content();
        let mut history = stored.user_contents();
        let turn = history.len().saturating_sub(1);
        if history.is_empty() {
            history.push(user_content.clone());
        }
        CallContext {
            agent_name: self.agent.name.clone(),
            invocation_id: format!("{session}_inv_{turn}"),
            call_id: call.map_or_else(String::new, |(call_id, ..)| call_id.to_string()),
            tool: call.map(|(_, name, input)| (name.to_string(), input.clone())),
            session: CallSession {
                id: session.to_string(),
                app_name: self.agent.name.clone(),
                user_id: stored.user_id.clone(),
                state: StateCopy(stored.snapshot()),
                history,
            },
            user_content,
            stored: Arc::clone(stored),
            actions: Mutex::new(EventActions::default()),
            run_config: RunConfig::default(),
            cancel,
        }
    }

    async fn view(&self, session: &SessionId, stored: &Arc<Stored>) -> SessionView {
        let context = self.context(session, stored, None, CancellationToken::new());
        let template = &self.agent.instruction;
        let mut warnings = Vec::new();
        let instruction = match adk_core::inject_session_state(&context, template).await {
            Ok(instruction) => instruction,
            Err(error) => {
                warnings.push(InstructionError(error).to_string());
                template.clone()
            }
        };
        let view = SessionView {
            app_name: self.agent.name.clone(),
            agent: ActiveAgent {
                name: self.agent.name.clone(),
                description: self.agent.description.clone(),
                kind: "NativeAgent".to_owned(),
                model: self.agent.model.clone(),
            },
            instruction,
            instruction_template: Some(template.clone()),
            tools: self.tool_views(&mut warnings),
            model_side_tools: self.built_in_tools(),
            input_schema: self.agent.input_schema.as_ref().map(JsonText::from_value),
            output_schema: self.agent.output_schema.as_ref().map(JsonText::from_value),
            sub_agents: Vec::new(),
            workflow: None,
            runner_differences: Vec::new(),
            state: JsonText::from_value(&Value::Object(stored.snapshot())),
            warnings,
            server_instructions: Vec::new(),
            artifacts: Vec::new(),
        };
        schemas::warned_of_unchecked(view).await
    }

    fn built_in_tools(&self) -> Vec<String> {
        let built_in = self.agent.tools.iter().filter(|tool| tool.is_builtin());
        built_in.map(|tool| tool.name().to_owned()).collect()
    }

    fn tool_views(&self, warnings: &mut Vec<String>) -> Vec<ToolView> {
        let mut views = Vec::with_capacity(self.agent.tools.len());
        for tool in self.agent.tools.iter().filter(|tool| !tool.is_builtin()) {
            let name = match ToolName::parse(tool.name()) {
                Ok(name) => name,
                Err(error) => {
                    warnings.push(format!("A tool is left out: {error}."));
                    continue;
                }
            };
            views.push(ToolView {
                needs_confirmation: self.agent.confirmed_tools.contains(name.as_str()),
                name,
                title: None,
                description: tool.enhanced_description(),
                declaration: JsonText::from_value(&tool.declaration()),
                parameters: tool.parameters_schema().as_ref().map(JsonText::from_value),
                response_schema: tool.response_schema().as_ref().map(JsonText::from_value),
                integers_of_64_bits: true,
                long_running: tool.is_long_running(),
                agent_model: None,
                can_be_played: false,
                provided_by: "agent".to_owned(),
                hints: ToolHints::default(),
            });
        }
        views
    }

    async fn run(&self, call: ToolInvocation, cancel: CancellationToken) -> CallReport {
        let open = match self.open(&call.session) {
            Ok(open) => open,
            Err(error) => return failed(ToolFailure::new("UnknownSession", error.to_string())),
        };
        let Some(tool) = self.tool(&call.tool) else {
            let message = format!("the agent has no tool {}", call.tool);
            return failed(ToolFailure::new(ToolError::INVALID_ARGUMENTS, message));
        };
        let arguments = match exact_value(&call.arguments) {
            Ok(arguments) => arguments,
            Err(failure) => return failed(failure),
        };
        let about = Some((&call.call_id, &call.tool, &arguments));
        let context = Arc::new(self.context(&call.session, &open.stored, about, cancel.clone()));
        let long_running = tool.is_long_running();
        let context_of_tool: Arc<CallContext> = Arc::clone(&context);
        let (result, duration_ms) = run_tool(tool, context_of_tool, arguments, cancel).await;
        let progress = match result {
            Err(failure) => CallProgress::Failed(failure),
            Ok(value) => {
                let actions = adk_core::ToolContext::actions(context.as_ref());
                open.stored.apply(actions.state_delta);
                if long_running {
                    *open.waiting.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some(call.clone());
                    CallProgress::AwaitsResult { first: Some(value) }
                } else {
                    CallProgress::Returned(value)
                }
            }
        };
        let view = self.view(&call.session, &open.stored).await;
        CallReport {
            state: Some(view.state.clone()),
            view: Some(view),
            ..CallReport::of(progress, duration_ms)
        }
    }

    fn take_waiting(&self, session: &SessionId, call_id: &CallId) -> Option<ToolInvocation> {
        let open = self.open(session).ok()?;
        let mut waiting = open.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.take_if(|call| call.call_id == *call_id)
    }
}

fn failed(failure: ToolFailure) -> CallReport {
    CallReport::failed(failure, 0.0)
}

fn nothing_waits(call_id: &CallId) -> CallReport {
    failed(ToolFailure::new(
        "UnknownCall",
        format!("the call {call_id} is not waiting for a confirmation or a result"),
    ))
}

#[async_trait]
impl AgentSource for NativeSource {
    fn kind(&self) -> SourceKind {
        SourceKind::Native
    }

    async fn load(
        &self,
        _seed: &SessionSeed,
        _log: Arc<AgentLog>,
    ) -> Result<AgentFacts, AgentFault> {
        Ok(AgentFacts {
            app_name: self.agent.name.clone(),
            description: self.agent.description.clone(),
            model: self.agent.model.clone(),
            tools: self.agent.tools.iter().map(|tool| tool.name().to_owned()).collect(),
            runtime: None,
        })
    }

    async fn open_session(
        &self,
        session: &SessionId,
        seed: &SessionSeed,
    ) -> Result<SessionView, SourceError> {
        let open = {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            let open = sessions.entry(session.clone()).or_insert_with(|| {
                let mut state = match seed.is_whole {
                    true => Map::new(),
                    false => self.agent.initial_state.clone(),
                };
                state.extend(values(&seed.state));
                Open::with(Stored::new(seed.user_id.clone(), state))
            });
            Arc::clone(open)
        };
        Ok(self.view(session, &open.stored).await)
    }

    async fn restore_session(
        &self,
        session: &SessionId,
        seed: &SessionSeed,
        past: &SessionPast,
    ) -> Result<Option<SessionView>, SourceError> {
        let stored = Stored::new(seed.user_id.clone(), values(&past.state).collect());
        for turn in &past.turns {
            stored.add_user_content(&turn.query.content);
        }
        let open = Open::with(stored);
        {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            sessions.insert(session.clone(), Arc::clone(&open));
        }
        Ok(Some(self.view(session, &open.stored).await))
    }

    async fn begin_invocation(
        &self,
        session: &SessionId,
        content: &str,
    ) -> Result<SessionView, SourceError> {
        let open = self.open(session)?;
        open.stored.add_user_content(content);
        Ok(self.view(session, &open.stored).await)
    }

    async fn call_tool(&self, call: ToolInvocation, cancel: CancellationToken) -> CallReport {
        if self.agent.confirmed_tools.contains(call.tool.as_str()) {
            let Ok(open) = self.open(&call.session) else { return nothing_waits(&call.call_id) };
            let hint = format!("{} requires confirmation before it runs.", call.tool);
            *open.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
            let progress = CallProgress::AsksConfirmation { hint, payload: None };
            return CallReport::of(progress, 0.0);
        }
        self.run(call, cancel).await
    }

    async fn confirm(
        &self,
        session: &SessionId,
        call_id: &CallId,
        confirmed: bool,
        _payload: Option<JsonText>,
        cancel: CancellationToken,
    ) -> CallReport {
        let Some(call) = self.take_waiting(session, call_id) else {
            return nothing_waits(call_id);
        };
        if confirmed {
            self.run(call, cancel).await
        } else {
            let message = format!("The person denied {}.", call.tool);
            failed(ToolFailure::new(ToolError::CONFIRMATION_DENIED, message))
        }
    }

    async fn supply_result(
        &self,
        session: &SessionId,
        call_id: &CallId,
        result: JsonText,
        _cancel: CancellationToken,
    ) -> CallReport {
        let Some(call) = self.take_waiting(session, call_id) else {
            return nothing_waits(call_id);
        };
        let _ = call;
        let progress = CallProgress::Returned(result);
        CallReport::of(progress, 0.0)
    }

    async fn close_session(&self, session: &SessionId) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
    }

    async fn shut_down(&self) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
